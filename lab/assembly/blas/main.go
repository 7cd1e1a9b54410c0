// Command blas writes the assembly kernels of package runtime/blas with avo.
//
// It stands in the laboratory so that the program does not depend on avo.
// Run it by go generate in the folder of that package.
package main

import (
	"flag"
	"log"

	"github.com/mmcloughlin/avo/build"
)

func main() {
	what := flag.String("kernels", "", "family of kernels to write: "+families())
	flag.Parse() // avo registers -out, -stubs and -pkg
	emit, ok := emitters[*what]
	if !ok {
		log.Fatalf("-kernels %q: want one of %s", *what, families())
	}
	build.ConstraintExpr("amd64")
	emit()
	build.Generate()
}

// emitters maps the value of -kernels to the function that writes them.
var emitters = map[string]func(){
	"gemm512": func() { gemmFamily(avx512Double); gemmFamily(avx512Single) },
	"gemm256": func() { gemmFamily(avx2Double); gemmFamily(avx2Single) },
	"pack":    packFamily,
	"exp":     expFamily,
	"vector":  vectorFamily,
}

func families() string { return "gemm512, gemm256, pack, exp, vector" }
