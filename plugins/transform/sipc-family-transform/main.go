// Command sipc-family-transform serves the family transform as a process of its own: use transform from "./sipc-family-transform".
package main

import (
	"github.com/sipc-ml/sipc/plugins/sdk"
	"github.com/sipc-ml/sipc/plugins/transform"
)

func main() { sdk.Serve(transform.New()) }
