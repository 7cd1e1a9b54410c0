package blas

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// Dsyev computes the eigenvalues of a symmetric matrix, ascending, in w. If job is EVCompute, it also computes
// orthonormal eigenvectors in the columns of a:
//
//	A = Q T Qᵀ = Q (Z Λ Zᵀ) Qᵀ
//
// The reduction to a tridiagonal T is that of LAPACK's dsytrd, with the matrix stored in full. T is divided and
// conquered as by Cuppen (1981), with the vectors of Gu and Eisenstat (1995). Q Z is a sequence of matrix products.
// Dsyev reports whether everything converged, which fails only for matrices that are not finite. work has the size
// that gonum's routine asks for.
func (impl Lapack) Dsyev(job lapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) bool {
	// gonum's routine knows what to say about wrong arguments.
	if n == 0 || !fitsDsyev(job, ul, n, a, lda, w, work, lwork) {
		return impl.Float64.Dsyev(job, ul, n, a, lda, w, work, lwork)
	}
	full := getBuffer[float64](n * n)
	defer full.free()
	exponent, finite := symmetrize(full.data, ul, n, a, lda)
	if !finite {
		return false
	}
	if !decompose(job == lapack.EVCompute, n, full.data, a, lda, w) {
		return false
	}
	for i := range w[:n] {
		w[i] = math.Ldexp(w[i], exponent)
	}
	return true
}

// fitsDsyev reports whether the arguments of Dsyev are right and ask for work.
func fitsDsyev(job lapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) bool {
	known := (job == lapack.EVNone || job == lapack.EVCompute) && (ul == blas.Upper || ul == blas.Lower)
	return known && n > 0 && lda >= n && len(a) >= (n-1)*lda+n && len(w) >= n && lwork >= max(1, 3*n-1) && len(work) >= lwork
}

// decompose writes the eigenvalues of the matrix in full, which it overwrites, to w. It writes the vectors, if they
// are wanted, to the columns of a.
func decompose(vectors bool, n int, full, a []float64, lda int, w []float64) bool {
	r := reduce(n, full)
	r.flush()
	if !vectors {
		copy(w, r.d)
		return gonum.Implementation{}.Dsterf(n, w[:n], r.e)
	}
	z, ok := conquer(r.d, r.e, w)
	if ok {
		// z holds the vectors of T; Q turns them into those of A.
		r.transform(z)
		transposeTo(a, lda, z, n)
	}
	return ok
}

// symmetrize copies a triangle to both halves of full, divided by a power of two that leaves the largest element
// between ½ and 1. So no later product overflows, and the division rounds nothing but subnormal numbers.
func symmetrize(full []float64, ul blas.Uplo, n int, a []float64, lda int) (exponent int, finite bool) {
	part, most := partOf(ul), 0.0
	for i := range n {
		from, to := part.columns(i, n)
		for _, v := range a[i*lda:][from:to] {
			if !(math.Abs(v) <= math.MaxFloat64) {
				return 0, false
			}
			most = max(most, math.Abs(v))
		}
	}
	_, exponent = math.Frexp(most)
	for i := range n {
		from, to := part.columns(i, n)
		for j := from; j < to; j++ {
			v := math.Ldexp(a[i*lda+j], -exponent)
			full[i*n+j], full[j*n+i] = v, v
		}
	}
	return exponent, true
}

// transposeTo writes the transpose of the n × n matrix z to a, some rows at a time for the sake of the caches.
func transposeTo(a []float64, lda int, z []float64, n int) {
	const side = 8
	for i := 0; i < n; i += side {
		for j := range n {
			for p := i; p < min(i+side, n); p++ {
				a[j*lda+p] = z[p*n+j]
			}
		}
	}
}
