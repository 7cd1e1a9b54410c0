// Package examples holds the specs of the examples, for the benchmarks that run them on real data.
package examples

import "embed"

// Specs are the specs, each as NAME/NAME.inv, and those of the gallery.
//
//go:embed */*.inv
var Specs embed.FS
