// Command sipc-family-swaps serves a family of one map, swap(a, b), which exchanges the values of two columns. Where the
// columns play the same part, a prediction should hardly change under it. It is the worked example of
// docs/plugins.md, and what examples/houses/houses.inv uses:
//
//	go build -trimpath -buildvcs=false -o examples/houses/sipc-family-swaps ./examples/houses/swaps
package main

import "github.com/sipc-ml/sipc/plugins/sdk"

func main() { sdk.Serve(swaps{}) }
