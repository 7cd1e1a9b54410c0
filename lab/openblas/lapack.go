//go:build linux || darwin

package openblas

import (
	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// Lapack implements gonum's LAPACK with OpenBLAS's Cholesky factorization and symmetric eigendecomposition.
type Lapack struct {
	blas.Lapack
	lib *library
}

// otherTriangle returns the letter of a row-major matrix's triangle as a column-major routine sees it.
func otherTriangle(ul gonum.Uplo) byte {
	if ul == gonum.Upper {
		return 'L'
	}
	return 'U'
}

// Dpotrf computes the Cholesky factor of the triangle ul of a.
func (l Lapack) Dpotrf(ul gonum.Uplo, n int, a []float64, lda int) bool {
	letter := otherTriangle(ul)
	if n == 0 {
		return true
	}
	order, ld, info := int32(n), int32(lda), int32(0)
	l.lib.dpotrf(&letter, &order, pointer(a), &ld, &info)
	return info == 0
}

// Dsyev computes the eigenvalues of the symmetric a, ascending, in w and, if
// job is EVCompute, orthonormal eigenvectors in the columns of a.
func (l Lapack) Dsyev(job lapack.EVJob, ul gonum.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) bool {
	if lwork == -1 || n == 0 {
		return l.Lapack.Dsyev(job, ul, n, a, lda, w, work, lwork)
	}
	letter, letterOfJob := otherTriangle(ul), byte(job)
	order, ld, info, query := int32(n), int32(lda), int32(0), int32(-1)
	need, needInts := []float64{0}, []int32{0}
	l.lib.dsyevd(&letterOfJob, &letter, &order, pointer(a), &ld, pointer(w), &need[0], &query, &needInts[0], &query, &info)
	size, ints := int32(need[0]), needInts[0]
	own, ownInts := make([]float64, size), make([]int32, ints)
	l.lib.dsyevd(&letterOfJob, &letter, &order, pointer(a), &ld, pointer(w), &own[0], &size, &ownInts[0], &ints, &info)
	if job == lapack.EVCompute { // a vector a row here, a column as gonum wants it
		for i := range n {
			for j := range i {
				a[i*lda+j], a[j*lda+i] = a[j*lda+i], a[i*lda+j]
			}
		}
	}
	return info == 0
}
