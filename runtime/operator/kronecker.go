package operator

import (
	"context"
	"errors"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	// smallEigen is the number of features up to which G is decomposed. An eigendecomposition serves every α but
	// costs as much as dozens of inverses.
	smallEigen = 400
	// mostInverses is the largest number of numbers in the inverses that replace it.
	mostInverses = 64 << 20
)

// kroneckerPlan serves AᵀWA = C ⊗ G, G = ΨᵀDΨ. With C = PΓPᵀ,
//
//	M⁻¹ = (P⊗I) diag_c(αI + γ_c G)⁻¹ (P⊗I)ᵀ,
//
// and with G = QΛQᵀ every one of these inverses is Q(α + γ_cΛ)⁻¹Qᵀ. So a system of m·d unknowns costs m systems of d.
// Many labels of which few touch each other, as in a taxonomy, need no P: d systems of m are then solved by elimination,
//
//	M⁻¹ = (I⊗Q) diag_j(αI + θ_j C)⁻¹ (I⊗Q)ᵀ.
type kroneckerPlan struct {
	operator *Operator
	// c is C, and sparse its elimination; nil if C is decomposed.
	c      *labelCoupling
	sparse *elimination
	// gamma and theta are the eigenvalues of C and G, ≥ 0; theta is nil if G is not decomposed.
	gamma, theta []float64
	// p and q hold the eigenvectors, one a column.
	p, q blas64.General
	// gram is G, if it is not decomposed.
	gram blas64.General
}

// sharesRows reports whether several labels share all rows.
func sharesRows(a *Operator) bool { return a.labels > 1 && a.uniform }

// newKronecker returns nil unless labels share all rows and are coupled by one matrix up to a factor for each row.
func newKronecker(ctx context.Context, a *Operator, w []float64) (plan, error) {
	if !sharesRows(a) {
		return nil, nil //nolint:nilnil // nil says that the structure is not there
	}
	c, d := coupledBy(a, w)
	if c == nil {
		return nil, nil //nolint:nilnil // as above
	}
	g := newGeneral(a.dim, a.dim)
	if err := addCoupled(ctx, a, g, ownCouplings(a, d), true); err != nil {
		return nil, err
	}
	p := &kroneckerPlan{operator: a, c: c, sparse: eliminationOf(c)}
	var err error
	switch {
	case p.sparse != nil:
		p.q, p.theta, err = eigen(ctx, g)
		return p, err
	// Conjugate gradients are left where neither serves.
	case a.labels*a.labels > mostCoupled:
		return nil, nil //nolint:nilnil // as above
	}
	if p.p, p.gamma, err = eigen(ctx, c.lower()); err != nil {
		return nil, err
	}
	if !decomposes(a) {
		p.gram = g
		return p, nil
	}
	p.q, p.theta, err = eigen(ctx, g)
	return p, err
}

// ownCouplings lists those of G = Σ_k D_k ψ_k ψ_kᵀ, which couples every row with itself, by the columns of the first label.
func ownCouplings(a *Operator, d []float64) []coupling {
	list := make([]coupling, 0, a.first[1])
	for j := range a.first[1] {
		if v := d[a.columns[j].row]; v > 0 {
			list = append(list, coupling{j, j, v})
		}
	}
	return list
}

// decomposes reports whether G is decomposed, rather than αI + γ_c G inverted for every eigenvalue of C.
func decomposes(a *Operator) bool {
	return a.dim <= smallEigen || a.labels*a.dim*a.dim > mostInverses
}

// coupledBy finds C and D with SᵀWS = C ⊗ D, or returns nil. It compares the coupling of every row with that of the first row that has one, by
// the element that is largest there.
func coupledBy(a *Operator, w []float64) (*labelCoupling, []float64) {
	byRow := functionalsOf(a, w)
	if byRow == nil {
		return nil, nil
	}
	var reference *labelCoupling
	peak := 0 // where the reference is largest
	d, own := make([]float64, len(byRow)), []float64(nil)
	for k, list := range byRow {
		// A row without functionals has d_k = 0, which any C allows.
		if reference == nil && len(list) == 0 {
			continue
		}
		// The first row with functionals is the reference of all others.
		first := reference == nil
		if first {
			reference = &labelCoupling{labels: a.labels, place: map[[2]int32]int32{}}
		}
		// Only the places that are touched are summed, as there may be millions of pairs of labels.
		if own = coupled(&a.layout, own, list, w, reference); own == nil {
			return nil, nil
		}
		if first {
			copy(reference.value, own)
			for j, v := range own {
				if math.Abs(v) > math.Abs(own[peak]) {
					peak = j
				}
			}
		}
		// By the largest element the quotient has the least rounding error.
		d[k] = own[peak] / reference.value[peak]
		for j, v := range own {
			if math.Abs(v-d[k]*reference.value[j]) > alikeShare*math.Abs(own[peak]) {
				return nil, nil
			}
		}
	}
	return reference, d
}

// functionalsOf lists the functionals of every row that have a weight, or returns nil where one is of several rows. These are coupled by
// it, and SᵀWS is no product then.
func functionalsOf(a *Operator, w []float64) [][]int32 {
	byRow := make([][]int32, a.psi.Rows)
	for i := range a.functionals {
		es := a.of(i)
		if w[i] == 0 || len(es) == 0 {
			continue
		}
		row := a.columns[es[0].at].row
		for _, e := range es {
			if a.columns[e.at].row != row {
				return nil
			}
		}
		byRow[row] = append(byRow[row], int32(i))
	}
	return byRow
}

// coupled returns, in the memory of own, Σ w_i e_i e_iᵀ over some functionals of a row, at the places of a coupling. To that it adds places.
// It returns nil where there are too many.
func coupled(a *layout, own []float64, list []int32, w []float64, places *labelCoupling) []float64 {
	clear(own)
	for _, i := range list {
		es := a.of(int(i))
		for s := range es {
			for t := range s + 1 {
				k := int(places.find(a.columns[es[s].at].label, a.columns[es[t].at].label))
				if k >= mostCoupled {
					return nil
				}
				for k >= len(own) {
					own = append(own, 0)
				}
				own[k] += w[i] * es[s].value * es[t].value
			}
		}
	}
	return own
}

// eigen returns the eigendecomposition of a positive semidefinite matrix whose lower triangle is given. Eigenvalues
// ascend; negative ones are rounding errors and become 0.
func eigen(ctx context.Context, lower blas64.General) (vectors blas64.General, values []float64, err error) {
	n := lower.Rows
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, lower.Data[i*lower.Stride+j])
		}
	}
	var e mat.EigenSym
	converged := false
	if err := parallel.Await(ctx, func() { converged = e.Factorize(s, true) }); err != nil {
		return vectors, nil, err
	}
	if !converged {
		return vectors, nil, errors.New("operator: an eigendecomposition did not converge")
	}
	values = e.Values(nil)
	for i := range values {
		values[i] = max(0, values[i])
	}
	var v mat.Dense
	e.VectorsTo(&v)
	return v.RawMatrix(), values, nil
}

// factor prepares solves in double precision.
func (p *kroneckerPlan) factor(ctx context.Context, alpha float64) (solver[float64], error) {
	return kroneckerFactor[float64](ctx, p, alpha)
}

// factor32 prepares solves in single precision.
func (p *kroneckerPlan) factor32(ctx context.Context, alpha float64) (solver[float32], error) {
	return kroneckerFactor[float32](ctx, p, alpha)
}

// kroneckerFactor prepares solves for one α. Equal eigenvalues of C, which follow one another, share an inverse.
func kroneckerFactor[T number](ctx context.Context, p *kroneckerPlan, alpha float64) (solver[T], error) {
	if p.sparse != nil {
		return newEliminated[T](p.sparse, p.c, alpha, p.theta, as[T](matrix[float64](p.q))), nil
	}
	turn := as[T](matrix[float64](p.p))
	if p.theta != nil {
		return &kronecker[T]{p: turn, q: as[T](matrix[float64](p.q)), divisors: p.divisors(alpha)}, nil
	}
	f := &rotated[T]{p: turn, dim: p.operator.dim, shared: true}
	for c, gamma := range p.gamma {
		if c > 0 && gamma-p.gamma[c-1] <= 1e-15*p.gamma[len(p.gamma)-1] {
			f.inverses = append(f.inverses, f.inverses[c-1])
			continue
		}
		f.shared = c == 0
		m := copyOf(p.gram)
		for i := range m.Rows {
			// αI + γ_c G, the matrix of one eigenvector of C.
			blas64.Scal(gamma, blas64.Vector{N: i + 1, Inc: 1, Data: rowOf(m, i)})
			m.Data[i*m.Stride+i] += alpha
		}
		if err := invert(ctx, m); err != nil {
			return nil, err
		}
		f.inverses = append(f.inverses, as[T](matrix[float64](m)))
	}
	return f, nil
}

// divisors returns α + γ_cλ_j, one row per label.
func (p *kroneckerPlan) divisors(alpha float64) matrix[float64] {
	out := newMatrix[float64](len(p.gamma), len(p.theta))
	for c, gamma := range p.gamma {
		row := out.row(c)
		for j, theta := range p.theta {
			row[j] = alpha + gamma*theta
		}
	}
	return out
}

// rotated solves with one inverse per eigenvector of C. It serves many features, whose G would take too long to
// decompose.
type rotated[T number] struct {
	p        matrix[T] // the eigenvectors
	dim      int
	inverses []matrix[T] // (αI + γ_c G)⁻¹
	shared   bool        // they are all one
}

// solve turns the labels of every right-hand side into the eigenbasis of C, multiplies, and turns them back. One product serves the
// eigenvectors that share an inverse, as an inverse is read from memory faster than a few rows are multiplied by it.
func (f *rotated[T]) solve(ctx context.Context, dst, b matrix[T]) error {
	step := min(b.Rows, max(1, batchNumbers/b.Cols))
	x, y := newMatrix[T](step, b.Cols), newMatrix[T](step, b.Cols)
	turn := func(how blas.Transpose, to, from matrix[T]) {
		parallel.For(to.Rows, turnRows, func(s, t int) {
			for i := s; i < t; i++ {
				gemm(how, blas.NoTrans, 1, f.p, from.span(i, i+1).stacked(f.dim), 0, to.span(i, i+1).stacked(f.dim))
			}
		})
	}
	for lo := 0; lo < b.Rows; lo += step {
		hi := min(lo+step, b.Rows)
		x, y := x.span(0, hi-lo), y.span(0, hi-lo)
		turn(blas.Trans, x, b.span(lo, hi))
		if f.shared {
			gemm(blas.NoTrans, blas.NoTrans, 1, x.stacked(f.dim), f.inverses[0], 0, y.stacked(f.dim))
		} else {
			for c, inverse := range f.inverses {
				gemm(blas.NoTrans, blas.NoTrans, 1, x.cut(c*f.dim, f.dim), inverse, 0, y.cut(c*f.dim, f.dim))
			}
		}
		turn(blas.NoTrans, dst.span(lo, hi), y)
	}
	return ctx.Err()
}

// turnRows is how many right-hand sides a goroutine takes at a time.
const turnRows = 16

// kronecker solves in both eigenbases, in which M is diagonal.
type kronecker[T number] struct {
	p, q     matrix[T]
	divisors matrix[float64] // m×d
	room     sync.Pool       // *[2]matrix[T]
}

// solve turns every right-hand side, an m×d matrix of labels and features, into both eigenbases, divides, and turns
// it back. Goroutines share out the right-hand sides.
func (f *kronecker[T]) solve(ctx context.Context, dst, b matrix[T]) error {
	m, d := f.divisors.Rows, f.divisors.Cols
	// Half of the right-hand sides each if there are few, so that two processors have work.
	step := min(smallRows, max(8, (b.Rows+1)/2))
	parallel.For(b.Rows, step, func(lo, hi int) {
		room, _ := f.room.Get().(*[2]matrix[T])
		if room == nil || room[0].Rows < step*m {
			room = &[2]matrix[T]{newMatrix[T](step*m, d), newMatrix[T](step*m, d)}
		}
		defer f.room.Put(room)
		x, y := room[0].span(0, (hi-lo)*m), room[1].span(0, (hi-lo)*m)
		in, out := b.span(lo, hi), dst.span(lo, hi)
		// Without gaps, the labels of all right-hand sides are the rows of one matrix.
		if in.whole() {
			gemm(blas.NoTrans, blas.NoTrans, 1, in.stacked(d), f.q, 0, y)
		} else {
			matrix[T]{Rows: hi - lo, Cols: m * d, Stride: m * d, Data: x.Data}.copyFrom(in)
			gemm(blas.NoTrans, blas.NoTrans, 1, x, f.q, 0, y)
		}
		for i := range hi - lo {
			f.divide(x.span(i*m, (i+1)*m), y.span(i*m, (i+1)*m))
		}
		if out.whole() {
			gemm(blas.NoTrans, blas.Trans, 1, y, f.q, 0, out.stacked(d))
			return
		}
		gemm(blas.NoTrans, blas.Trans, 1, y, f.q, 0, x)
		out.copyFrom(matrix[T]{Rows: hi - lo, Cols: m * d, Stride: m * d, Data: x.Data})
	})
	return ctx.Err()
}

// divide turns the labels of y into the eigenbasis of C, divides by α + γλ, and turns them back. It overwrites x.
func (f *kronecker[T]) divide(x, y matrix[T]) {
	// Labels are the rows of y, so Pᵀ stands on the left.
	gemm(blas.Trans, blas.NoTrans, 1, f.p, y, 0, x)
	for c := range x.Rows {
		row, by := x.row(c), f.divisors.row(c)
		for j := range row {
			row[j] /= T(by[j])
		}
	}
	gemm(blas.NoTrans, blas.NoTrans, 1, f.p, x, 0, y)
}
