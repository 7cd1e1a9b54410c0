// Command sipc-family-mixup serves the family mixup as a process of its own: use mixup from "./sipc-family-mixup".
package main

import (
	"github.com/sipc-ml/sipc/plugins/mixup"
	"github.com/sipc-ml/sipc/plugins/sdk"
)

func main() { sdk.Serve(mixup.New()) }
