//go:build !openblas || !(linux || darwin)

package blas

import "errors"

// withOpenBLAS tells whether this build can take OpenBLAS.
const withOpenBLAS = false

// openBLAS says how to get what this build lacks.
func openBLAS() (*selection, error) {
	return nil, errors.New("blas: this program was built without OpenBLAS; " +
		"build it on Linux or macOS with: go build -tags openblas ./cmd/sipc")
}
