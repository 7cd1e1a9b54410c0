package operator

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/polar"
)

const (
	// smallEigen is the number of features up to which G is decomposed; an eigendecomposition serves every α but costs as much
	// as dozens of inverses.
	smallEigen = 400
	// mostInverses is the largest number of numbers in the inverses that replace it.
	mostInverses = 64 << 20
)

// kroneckerPlan is for AᵀWA = C ⊗ G, G = ΨᵀDΨ: with C = PΓPᵀ, M⁻¹ = (P⊗I) diag_c(αI + γ_c G)⁻¹ (P⊗I)ᵀ, and with G = QΛQᵀ
// every one of these inverses is Q(α + γ_cΛ)⁻¹Qᵀ.
type kroneckerPlan struct {
	operator     *Operator
	gamma, theta []float64      // eigenvalues of C and G, ≥ 0
	p, q         blas64.General // eigenvectors, one a column
	gram         blas64.General // G, where it is not decomposed
}

// newKronecker is nil unless several labels share all rows and are coupled by one matrix up to a factor for each row.
func (a *Operator) newKronecker(ctx context.Context, w []float64) (plan, error) {
	if a.labels == 1 || !a.uniform {
		return nil, nil //nolint:nilnil // nil says that the structure is not there
	}
	c, d := a.coupled(w)
	if c == nil {
		return nil, nil //nolint:nilnil // as above
	}
	list := make([]coupling, 0, len(d))
	for k, v := range d {
		if v > 0 {
			list = append(list, coupling{int32(k), int32(k), v})
		}
	}
	g := newGeneral(a.dim, a.dim)
	if err := a.addCoupled(ctx, g, list, true); err != nil {
		return nil, err
	}
	p := &kroneckerPlan{operator: a}
	var err error
	if p.p, p.gamma, err = eigen(ctx, *c); err != nil {
		return nil, err
	}
	if a.dim > smallEigen && a.labels*a.dim*a.dim <= mostInverses {
		p.gram = g
		return p, nil
	}
	p.q, p.theta, err = eigen(ctx, g)
	return p, err
}

// coupled finds C and D with (SᵀWS) = C ⊗ D, C lower triangle given, or returns nil.
func (a *Operator) coupled(w []float64) (*blas64.General, []float64) {
	rows, m := a.psi.Rows, a.labels
	byRow := make([][]int32, rows)
	for i := range a.functionals {
		es := a.of(i)
		if w[i] == 0 || len(es) == 0 {
			continue
		}
		row := a.columns[es[0].at].row
		for _, e := range es {
			if a.columns[e.at].row != row {
				return nil, nil
			}
		}
		byRow[row] = append(byRow[row], int32(i))
	}
	var reference *blas64.General
	var peak int // where the reference is largest
	d := make([]float64, rows)
	own := newGeneral(m, m)
	for k, list := range byRow {
		clear(own.Data)
		for _, i := range list {
			es := a.of(int(i))
			for s := range es {
				for t := range s + 1 {
					own.Data[int(a.columns[es[s].at].label)*m+int(a.columns[es[t].at].label)] += w[i] * es[s].value * es[t].value
				}
			}
		}
		if reference == nil {
			if len(list) == 0 {
				continue
			}
			c := copyOf(own)
			reference = &c
			for j, v := range own.Data {
				if math.Abs(v) > math.Abs(own.Data[peak]) {
					peak = j
				}
			}
		}
		d[k] = own.Data[peak] / reference.Data[peak]
		for j, v := range own.Data {
			if math.Abs(v-d[k]*reference.Data[j]) > 1e-13*math.Abs(own.Data[peak]) {
				return nil, nil
			}
		}
	}
	return reference, d
}

// eigen is the eigendecomposition of a positive semidefinite matrix whose lower triangle is given.
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

func (p *kroneckerPlan) factor(ctx context.Context, alpha float64) (polar.Factor, error) {
	if p.theta != nil {
		return &kronecker{plan: p, alpha: alpha}, nil
	}
	f := &rotated{plan: p}
	for c, gamma := range p.gamma {
		if c > 0 && gamma-p.gamma[c-1] <= 1e-15*p.gamma[len(p.gamma)-1] {
			f.inverses = append(f.inverses, f.inverses[c-1])
			continue
		}
		m := copyOf(p.gram)
		for i := range m.Rows {
			blas64.Scal(gamma, blas64.Vector{N: i + 1, Inc: 1, Data: rowOf(m, i)})
			m.Data[i*m.Stride+i] += alpha
		}
		if err := invert(ctx, m); err != nil {
			return nil, err
		}
		f.inverses = append(f.inverses, m)
	}
	return f, nil
}

// rotated solves one system of d features for each eigenvector of C.
type rotated struct {
	plan     *kroneckerPlan
	inverses []blas64.General // (αI + γ_c G)⁻¹
}

// Solve turns the labels of every right-hand side into the eigenbasis of C, multiplies, and turns them back.
func (f *rotated) Solve(dst, b *mat.Dense) {
	n, dim := b.Dims()
	m, d := f.plan.operator.labels, f.plan.operator.dim
	step := min(n, max(1, flightNumber/dim))
	x, y := newGeneral(step, dim), newGeneral(step, dim)
	turn := func(how blas.Transpose, to, from blas64.General, rows int) {
		parallel.For(rows, 1, func(s, t int) {
			for i := s; i < t; i++ {
				blas64.Gemm(how, blas.NoTrans, 1, f.plan.p, labelsOf(from, i, m, d), 0, labelsOf(to, i, m, d))
			}
		})
	}
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		x.Rows, y.Rows = hi-lo, hi-lo
		turn(blas.Trans, x, rowsOf(b, lo, hi), hi-lo)
		for c, inverse := range f.inverses {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, columnsOf(x, c*d, d), inverse, 0, columnsOf(y, c*d, d))
		}
		turn(blas.NoTrans, rowsOf(dst, lo, hi), y, hi-lo)
	}
}

// labelsOf views row i as an m×d matrix.
func labelsOf(g blas64.General, i, m, d int) blas64.General {
	return blas64.General{Rows: m, Cols: d, Stride: d, Data: g.Data[i*g.Stride : i*g.Stride+m*d]}
}

type kronecker struct {
	plan  *kroneckerPlan
	alpha float64
}

// Solve turns every right-hand side, an m×d matrix of labels and features, into both eigenbases, divides, and turns it
// back.
func (f *kronecker) Solve(dst, b *mat.Dense) {
	n, dim := b.Dims()
	m, d := f.plan.operator.labels, f.plan.operator.dim
	step := min(n, max(1, flightNumber/dim))
	x, y := newGeneral(step*m, d), newGeneral(step*m, d)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		x.Rows, y.Rows = (hi-lo)*m, (hi-lo)*m
		in, out := rowsOf(b, lo, hi), rowsOf(dst, lo, hi)
		for i := range hi - lo {
			copy(x.Data[i*dim:(i+1)*dim], rowOf(in, i))
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, f.plan.q, 0, y)
		parallel.For(hi-lo, 1, func(s, t int) {
			for i := s; i < t; i++ {
				f.divide(block(x, i*m, 0, m, d), block(y, i*m, 0, m, d))
			}
		})
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, y, f.plan.q, 0, x)
		for i := range hi - lo {
			copy(rowOf(out, i), x.Data[i*dim:(i+1)*dim])
		}
	}
}

// divide turns the labels of y into the eigenbasis of C, divides by α + γλ, and turns them back. It overwrites x.
func (f *kronecker) divide(x, y blas64.General) {
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, f.plan.p, y, 0, x)
	for c, gamma := range f.plan.gamma {
		row := rowOf(x, c)
		for j, theta := range f.plan.theta {
			row[j] /= f.alpha + gamma*theta
		}
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, f.plan.p, x, 0, y)
}
