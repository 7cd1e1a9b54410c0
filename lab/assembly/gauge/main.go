// Command gauge writes the assembly kernels of package runtime/gauge with avo.
//
// It stands in the laboratory so that the program does not depend on avo.
// Run it by go generate in the folder of that package.
package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	build.ConstraintExpr("amd64")
	for _, k := range []kernel{
		{name: "levels512", wide: true, size: 8, lanes: 8, vec: build.ZMM, index: build.YMM},
		{name: "levels512single", wide: true, single: true, size: 4, lanes: 16, vec: build.ZMM, index: build.ZMM},
		{name: "levels256", size: 8, lanes: 4, vec: build.YMM, index: xmm},
		{name: "levels256single", single: true, size: 4, lanes: 8, vec: build.YMM, index: build.YMM},
	} {
		k.write()
	}
	build.Generate()
}

func xmm() reg.VecVirtual { return build.XMM() }
