//go:build linux || darwin

// Package openblas measures and checks the linear algebra of sipc against the OpenBLAS that the machine has.
//
// It loads the shared library without cgo. [BLAS] and [Lapack] give its level-3 routines, Cholesky factorization and symmetric
// eigendecomposition the form of gonum's interfaces; other routines are those of package blas. Their arguments are not checked. The bits
// of its results depend on the number of threads.
package openblas

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// Variable names the environment variable with the library's file, where the loader would not find it or should not choose.
const Variable = "SIPC_OPENBLAS"

// The values that CBLAS has for its enumerations.
const (
	rowMajor = 101
	noTrans  = 111
	trans    = 112
	upper    = 121
	lower    = 122
	nonUnit  = 131
	unit     = 132
	left     = 141
	right    = 142
)

// Routines of one element type, as CBLAS and LAPACK declare them.
type (
	// gemm computes C ← α op(A) op(B) + β C.
	gemm[F float32 | float64] func(order, ta, tb, m, n, k int32, alpha F, a *F, lda int32, b *F, ldb int32, beta F, c *F, ldc int32)
	// syrk computes C ← α op(A) op(A)ᵀ + β C.
	syrk func(order, ul, t, n, k int32, alpha float64, a *float64, lda int32, beta float64, c *float64, ldc int32)
	// triangular computes B ← α op(A) B, B ← α B op(A), or the same with A⁻¹.
	triangular func(order, side, ul, t, d, m, n int32, alpha float64, a *float64, lda int32, b *float64, ldb int32)
	// potrf computes the Cholesky factor of a column-major matrix.
	potrf[F float32 | float64] func(ul *byte, n *int32, a *F, lda, info *int32)
)

// library holds the routines of an OpenBLAS that is loaded. Sizes are 32-bit integers.
type library struct {
	dgemm        gemm[float64]
	sgemm        gemm[float32]
	dsyrk        syrk
	dtrsm, dtrmm triangular
	dpotrf       potrf[float64]

	// dsyevd computes the eigendecomposition of a column-major symmetric matrix by divide and conquer.
	dsyevd func(job, ul *byte, n *int32, a *float64, lda *int32, w, work *float64, lwork, iwork, liwork, info *int32)

	// threads returns and setThreads sets how many threads a routine may use.
	threads    func() int32
	setThreads func(n int32)

	core   func() string
	config func() string
}

// open loads the library in the file of the given name, or by its usual name if path is empty. It uses as many threads as Go does,
// unless a variable of OpenBLAS or OpenMP says otherwise.
func open(path string) (*library, error) {
	names := usual()
	if path != "" {
		names = []string{path}
	}
	var failures []error
	for _, name := range names {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		lib := &library{}
		if err := lib.bind(handle); err != nil {
			return nil, fmt.Errorf("openblas: %s: %w", name, err)
		}
		if os.Getenv("OPENBLAS_NUM_THREADS") == "" && os.Getenv("OMP_NUM_THREADS") == "" {
			lib.setThreads(int32(min(runtime.GOMAXPROCS(0), 1<<10)))
		}
		return lib, nil
	}
	return nil, fmt.Errorf("openblas: the library is not here (%w); install it (Debian: apt install libopenblas0, macOS: brew install openblas) or name its file in %s",
		errors.Join(failures...), Variable)
}

// usual returns the names to try.
func usual() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libopenblas.dylib", "/opt/homebrew/opt/openblas/lib/libopenblas.dylib", "/usr/local/opt/openblas/lib/libopenblas.dylib"}
	}
	return []string{"libopenblas.so.0", "libopenblas.so"}
}

// bind finds every routine.
func (lib *library) bind(handle uintptr) error {
	for _, r := range []struct {
		name string
		to   any
	}{
		{"cblas_dgemm", &lib.dgemm},
		{"cblas_sgemm", &lib.sgemm},
		{"cblas_dsyrk", &lib.dsyrk},
		{"cblas_dtrsm", &lib.dtrsm},
		{"cblas_dtrmm", &lib.dtrmm},
		{"dpotrf_", &lib.dpotrf},
		{"dsyevd_", &lib.dsyevd},
		{"openblas_get_num_threads", &lib.threads},
		{"openblas_set_num_threads", &lib.setThreads},
		{"openblas_get_corename", &lib.core},
		{"openblas_get_config", &lib.config},
	} {
		symbol, err := purego.Dlsym(handle, r.name)
		if err != nil {
			return fmt.Errorf("no OpenBLAS with LAPACK: %w", err)
		}
		purego.RegisterFunc(r.to, symbol)
	}
	return nil
}

// detail returns the library's version, the processor that it chose its kernels for, and the number of its threads.
func (lib *library) detail() string {
	version := "of unknown version"
	if words := strings.Fields(lib.config()); len(words) > 1 {
		version = words[1]
	}
	return fmt.Sprintf("%s, float64 and float32 for %s, threads: %d", version, lib.core(), lib.threads())
}
