package blas

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
)

// panelOfReduction is how many columns are reduced between two updates of the rest of the matrix.
const panelOfReduction = 32

// reduction is A = Q T Qᵀ with a tridiagonal T and Q = H₀ H₁ …, where Hᵢ = I − τᵢ vᵢ vᵢᵀ (Householder).
type reduction struct {
	n int
	// d and e are the diagonal and off-diagonal of T.
	d, e []float64
	tau  []float64
	// v has vᵢ in row i, from column i+1 on, its zeros written out.
	v []float64
}

// reduce makes A tridiagonal, both halves of which are given. It overwrites a. Half of the work is products of a
// matrix and a vector, which no blocking avoids; the other half is a matrix product per panel.
func reduce(n int, a []float64) *reduction {
	r := &reduction{
		n: n, d: make([]float64, n), e: make([]float64, n-1), tau: make([]float64, n),
		v: make([]float64, n*n),
	}
	// Row 2l of pairs is v, row 2l+1 is w of the panel's column l; swapped has
	// them the other way round, so that A − pairsᵀ swapped is A − Σ (v wᵀ + w vᵀ).
	const most = 2 * panelOfReduction
	pairs, swapped := make([]float64, most*n), make([]float64, most*n)
	work := make([]float64, most)
	level3 := blas64.Implementation()
	for from := 0; from < n-1; from += panelOfReduction {
		to := min(from+panelOfReduction, n-1)
		for i := from; i < to; i++ {
			r.column(level3, i, 2*(i-from), a, pairs, swapped, work)
		}
		// The rest of A loses v wᵀ + w vᵀ of the whole panel in one product.
		rest := n - to
		level3.Dgemm(blas.Trans, blas.NoTrans, rest, rest, 2*(to-from), -1, pairs[to:], n, swapped[to:], n, 1, a[to*n+to:], n)
	}
	r.d[n-1] = a[n*n-1]
	return r
}

// flush makes numbers zero that are negligible beside the largest, which is about one. For such numbers gonum's
// routines would have to scale.
func (r *reduction) flush() {
	const negligible = 1e-100
	for _, x := range [][]float64{r.d, r.e} {
		for i, v := range x {
			if math.Abs(v) < negligible {
				x[i] = 0
			}
		}
	}
}

// column makes Hᵢ. before rows of pairs hold the v and w of the panel so far, with which the matrix has not been
// updated yet.
func (r *reduction) column(level3 blas.Float64, i, before int, a, pairs, swapped, work []float64) {
	n := r.n
	row := a[i*n+i : (i+1)*n]
	if before > 0 {
		for l := range before {
			work[l] = pairs[l*n+i]
		}
		level3.Dgemm(blas.NoTrans, blas.NoTrans, 1, len(row), before, -1, work, before, swapped[i:], n, 1, row, len(row))
	}
	r.d[i] = row[0]
	x := row[1:]
	r.e[i], r.tau[i] = gonum.Implementation{}.Dlarfg(len(x), x[0], x[1:], 1)
	x[0] = 1
	v, w := pairs[before*n+i+1:][:len(x)], pairs[(before+1)*n+i+1:][:len(x)]
	copy(v, x)
	copy(r.v[i*n+i+1:], x)
	// w = τ(A − Σ …)v, made orthogonal to v as the update wants it.
	rest := a[(i+1)*n+i+1:]
	timesVector(w, len(x), rest, n, v)
	if before > 0 {
		for l := range before {
			work[l] = dot(swapped[l*n+i+1:][:len(x)], v)
		}
		level3.Dgemm(blas.NoTrans, blas.NoTrans, 1, len(x), before, -1, work, before, pairs[i+1:], n, 1, w, len(x))
	}
	scaleRow(w, r.tau[i], false)
	axpy(-r.tau[i]/2*dot(w, v), v, w)
	copy(swapped[before*n+i+1:][:len(x)], w)
	copy(swapped[(before+1)*n+i+1:][:len(x)], v)
}

// dot returns the inner product.
func dot(x, y []float64) float64 { return Implementation{}.Ddot(len(x), x, 1, y, 1) }

// axpy adds alpha·x to y.
func axpy(alpha float64, x, y []float64) { Implementation{}.Daxpy(len(x), alpha, x, 1, y, 1) }

// timesVector sets y to A x for an n × n matrix A, a row at a time.
func timesVector(y []float64, n int, a []float64, lda int, x []float64) {
	const rows = 32
	count := (n + rows - 1) / rows
	on := Implementation{}.tier().doubles.dot
	parallel(workers(8*n*n), count, func(next func() int) {
		for t := next(); t < count; t = next() {
			for i := t * rows; i < min((t+1)*rows, n); i++ {
				y[i] = on(a[i*lda:][:n], x)
			}
		}
	})
}

// panelOfTransform is how many Hᵢ are applied at a time.
const panelOfTransform = 64

// transform replaces every row zᵀ of an n × n matrix by (Q z)ᵀ.
func (r *reduction) transform(z []float64) {
	n := r.n
	if n == 1 {
		return
	}
	const most = panelOfTransform
	factor, left, right := make([]float64, most*most), make([]float64, n*most), make([]float64, n*most)
	level3 := blas64.Implementation()
	for from := (n - 2) / most * most; from >= 0; from -= most {
		b := min(most, n-1-from)
		// H…H = I − Vᵀ F V with an upper triangular F; rows of V begin at from+1.
		v, width := r.v[from*n+from+1:], n-from-1
		r.factor(factor, v, from, b, width)
		level3.Dgemm(blas.NoTrans, blas.Trans, n, b, width, 1, z[from+1:], n, v, n, 0, left, b)
		level3.Dgemm(blas.NoTrans, blas.Trans, n, b, b, 1, left, b, factor, b, 0, right, b)
		level3.Dgemm(blas.NoTrans, blas.NoTrans, n, width, b, -1, right, b, v, n, 1, z[from+1:], n)
	}
}

// factor computes the F of H…H = I − Vᵀ F V (Schreiber and Van Loan 1989), column by column: F[:l,l] = −τ F[:l,:l] V
// v_l, F[l,l] = τ.
func (r *reduction) factor(f, v []float64, from, b, width int) {
	clear(f)
	inner := make([]float64, b*b)
	blas64.Implementation().Dgemm(blas.NoTrans, blas.Trans, b, b, width, 1, v, r.n, v, r.n, 0, inner, b)
	for l := range b {
		tau := r.tau[from+l]
		f[l*b+l] = tau
		for i := range l {
			sum := 0.0
			for j := i; j < l; j++ {
				sum += f[i*b+j] * inner[j*b+l]
			}
			f[i*b+l] = -tau * sum
		}
	}
}
