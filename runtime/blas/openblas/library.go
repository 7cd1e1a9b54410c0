//go:build openblas && (linux || darwin)

package openblas

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// The values that CBLAS has for its enumerations.
const (
	RowMajor = 101
	NoTrans  = 111
	Trans    = 112
	Upper    = 121
	Lower    = 122
	NonUnit  = 131
	Unit     = 132
	Left     = 141
	Right    = 142
)

// Routines of one element type, as CBLAS and LAPACK declare them.
type (
	// Gemm is C ← α op(A) op(B) + β C.
	Gemm[F float32 | float64] func(order, ta, tb, m, n, k int32, alpha F, a *F, lda int32, b *F, ldb int32, beta F, c *F, ldc int32)
	// Syrk is C ← α op(A) op(A)ᵀ + β C.
	Syrk[F float32 | float64] func(order, ul, t, n, k int32, alpha F, a *F, lda int32, beta F, c *F, ldc int32)
	// Syr2k is C ← α op(A) op(B)ᵀ + α op(B) op(A)ᵀ + β C.
	Syr2k[F float32 | float64] func(order, ul, t, n, k int32, alpha F, a *F, lda int32, b *F, ldb int32, beta F, c *F, ldc int32)
	// Symm is C ← α A B + β C or α B A + β C.
	Symm[F float32 | float64] func(order, side, ul, m, n int32, alpha F, a *F, lda int32, b *F, ldb int32, beta F, c *F, ldc int32)
	// Triangular is B ← α op(A) B, B ← α B op(A), or the same with A⁻¹.
	Triangular[F float32 | float64] func(order, side, ul, t, d, m, n int32, alpha F, a *F, lda int32, b *F, ldb int32)
	// Potrf is the Cholesky factorization of a column-major matrix.
	Potrf[F float32 | float64] func(ul *byte, n *int32, a *F, lda, info *int32)
)

// A Library is an OpenBLAS that is loaded. Sizes are 32-bit integers.
type Library struct {
	Dgemm        Gemm[float64]
	Sgemm        Gemm[float32]
	Dsyrk        Syrk[float64]
	Ssyrk        Syrk[float32]
	Dsyr2k       Syr2k[float64]
	Dsymm        Symm[float64]
	Dtrsm, Dtrmm Triangular[float64]
	Strsm, Strmm Triangular[float32]
	Dpotrf       Potrf[float64]

	// Dsyevd is the eigendecomposition of a column-major symmetric matrix by
	// divide and conquer.
	Dsyevd func(job, ul *byte, n *int32, a *float64, lda *int32, w, work *float64, lwork, iwork, liwork, info *int32)

	// Threads says and SetThreads sets how many threads a routine may use.
	Threads    func() int32
	SetThreads func(n int32)

	core   func() string
	config func() string
}

// Load loads the library in the file of the given name, or by its usual name
// where path is empty. Without a variable of OpenBLAS's or OpenMP's that says
// otherwise it uses as many threads as Go does.
func Load(path string) (*Library, error) {
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
		lib := &Library{}
		if err := lib.bind(handle); err != nil {
			return nil, fmt.Errorf("openblas: %s: %w", name, err)
		}
		if os.Getenv("OPENBLAS_NUM_THREADS") == "" && os.Getenv("OMP_NUM_THREADS") == "" {
			lib.SetThreads(int32(min(runtime.GOMAXPROCS(0), 1<<10)))
		}
		return lib, nil
	}
	return nil, fmt.Errorf("openblas: the library is not here (%w); install it (Debian: apt install libopenblas0, macOS: brew install openblas) or name its file in %s",
		errors.Join(failures...), Variable)
}

// usual are the names to try.
func usual() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libopenblas.dylib", "/opt/homebrew/opt/openblas/lib/libopenblas.dylib", "/usr/local/opt/openblas/lib/libopenblas.dylib"}
	}
	return []string{"libopenblas.so.0", "libopenblas.so"}
}

// bind finds every routine.
func (lib *Library) bind(handle uintptr) error {
	for _, r := range []struct {
		name string
		to   any
	}{
		{"cblas_dgemm", &lib.Dgemm},
		{"cblas_sgemm", &lib.Sgemm},
		{"cblas_dsyrk", &lib.Dsyrk},
		{"cblas_ssyrk", &lib.Ssyrk},
		{"cblas_dsyr2k", &lib.Dsyr2k},
		{"cblas_dsymm", &lib.Dsymm},
		{"cblas_dtrsm", &lib.Dtrsm},
		{"cblas_dtrmm", &lib.Dtrmm},
		{"cblas_strsm", &lib.Strsm},
		{"cblas_strmm", &lib.Strmm},
		{"dpotrf_", &lib.Dpotrf},
		{"dsyevd_", &lib.Dsyevd},
		{"openblas_get_num_threads", &lib.Threads},
		{"openblas_set_num_threads", &lib.SetThreads},
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

// Detail is the library's version, the processor that it chose its kernels for,
// and the number of its threads.
func (lib *Library) Detail() string {
	version := "of unknown version"
	if words := strings.Fields(lib.config()); len(words) > 1 {
		version = words[1]
	}
	return fmt.Sprintf("%s, float64 and float32 for %s, threads: %d", version, lib.core(), lib.Threads())
}
