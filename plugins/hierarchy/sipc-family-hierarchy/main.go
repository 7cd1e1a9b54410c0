// Command sipc-family-hierarchy serves the family hierarchy as a process of its own: use hierarchy from "./sipc-family-hierarchy".
package main

import (
	"github.com/sipc-ml/sipc/plugins/hierarchy"
	"github.com/sipc-ml/sipc/plugins/sdk"
)

func main() { sdk.Serve(hierarchy.New()) }
