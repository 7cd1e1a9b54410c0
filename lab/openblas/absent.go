//go:build !linux && !darwin

package openblas

import (
	"errors"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// BLAS implements gonum's interfaces by OpenBLAS on Linux and macOS.
type BLAS struct{ blas.Implementation }

// Load fails here.
func Load() (BLAS, error) {
	return BLAS{}, errors.New("openblas: the library can be loaded on Linux and macOS alone")
}

// Detail returns nothing here.
func (BLAS) Detail() string { return "" }

// Use does nothing here.
func (BLAS) Use() {}
