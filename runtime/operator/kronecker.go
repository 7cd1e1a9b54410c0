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

// kroneckerPlan is for AᵀWA = C ⊗ G, G = ΨᵀDΨ: with C = PΓPᵀ and G = QΛQᵀ, M⁻¹ = (P⊗Q)(α + Γ⊗Λ)⁻¹(P⊗Q)ᵀ.
type kroneckerPlan struct {
	operator     *Operator
	gamma, theta []float64      // eigenvalues of C and G, ≥ 0
	p, q         blas64.General // eigenvectors, one a column
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
	if p.p, p.gamma, err = eigen(*c); err == nil {
		if err = ctx.Err(); err == nil {
			p.q, p.theta, err = eigen(g)
		}
	}
	if err != nil {
		return nil, err
	}
	return p, nil
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
func eigen(lower blas64.General) (vectors blas64.General, values []float64, err error) {
	n := lower.Rows
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, lower.Data[i*lower.Stride+j])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
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

func (p *kroneckerPlan) factor(_ context.Context, alpha float64) (polar.Factor, error) {
	return &kronecker{plan: p, alpha: alpha}, nil
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
