package risk

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// An isometry is a change of coordinates that takes a quadratic R away. With ρ² = Σ_j w_j t_j² and H = αI + AᵀWA = LLᵀ at every label,
//
//	U = LᵀV,   ½(α‖V‖² + ρ(AV)²) = ½‖U‖²,   s = EV = XU,   X = EL⁻ᵀ.
//
// So P is the objective of a linear learner on the rows of X, which package learn minimizes. Its multipliers g of the losses give c = WAV
// at V = −H⁻¹Eᵀg, and both bounds are taken with A, as for every other V, c and g.
type isometry struct {
	weights []float64         // w
	root    blas64.Triangular // L, without the constant feature
	design  *learn.Design     // X
	// rows are those of the last request, and part is their design, which keeps its Gram matrix for other strengths.
	rows []bool
	part *learn.Design
}

// blind is the share of α below which R counts as blind to a bias.
const blind = 1e-9

// newIsometry returns the isometry of a problem; nil where R is not quadratic or sees a bias, and where it couples labels or treats them
// differently.
func newIsometry(ctx context.Context, p *Problem, functionals, rows int) (*isometry, error) {
	if p.Roots == nil || p.Curves != nil || p.Copies > 0 || p.Squares != nil {
		return nil, nil //nolint:nilnil // nil says that there is none
	}
	m, weights := p.Labels, make([]float64, functionals+rows*p.Labels)
	if p.Gauge != nil {
		own, quadratic := p.Gauge.Quadratic()
		if !quadratic {
			return nil, nil //nolint:nilnil // as above
		}
		copy(weights, own)
	}
	root, err := p.Roots.Root(ctx, p.Alpha, weights)
	if root == nil || err != nil {
		return nil, err
	}
	own := *root // as the operator keeps the other
	d := own.N
	if p.Bias > 0 {
		last := root.Data[(d-1)*root.Stride : (d-1)*root.Stride+d]
		if d == 1 || dot(last, last) > p.Alpha*(1+blind) {
			return nil, nil //nolint:nilnil // as above
		}
		own.N--
	}
	// Of every row the functional at the first label has its features.
	index, e := make([]int, rows), blas64.General{Rows: rows, Cols: d, Stride: d, Data: make([]float64, rows*d)}
	for i := range index {
		index[i] = functionals + i*m
	}
	p.Roots.At(e, index, 0)
	e.Cols = own.N
	blas64.Trsm(blas.Right, blas.Trans, 1, own, e)
	x := mat.NewDense(rows, d, e.Data).Slice(0, rows, 0, own.N).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
	design, err := learn.Shared(x, m)
	return &isometry{weights: weights[:functionals], root: own, design: design}, err
}

// of returns the design of some rows, and which those are.
func (o *isometry) of(rows []bool) (*learn.Design, []int) {
	var which []int
	for i, counts := range rows {
		if counts {
			which = append(which, i)
		}
	}
	if len(rows) == 0 {
		return o.design, nil
	}
	if o.part == nil || !slices.Equal(o.rows, rows) {
		o.rows, o.part = slices.Clone(rows), o.design.Subset(which)
	}
	return o.part, which
}

// lift sets v to LᵀV = U, label by label, for the rows U_y of u. It leaves constant features alone.
func (o *isometry) lift(v []float64, u *mat.Dense) {
	m, d := u.Dims()
	stride := len(v) / m
	for y := range m {
		copy(v[y*stride:], u.RawRowView(y))
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, o.root, blas64.General{Rows: m, Cols: d, Stride: stride, Data: v})
}

// multiplied returns U_y = −Σ_i g_iy x_i, which the multipliers g of all rows' losses stand for.
func (o *isometry) multiplied(g []float64, m int) *mat.Dense {
	n := len(g) / m
	u := o.design.Sums(mat.NewDense(n, m, g))
	u.Scale(-1, u)
	return u
}

// isometric returns the isometry of the solver's problem, made once; nil means that there is none.
func isometric(ctx context.Context, s *Solver) (*isometry, error) {
	if s.cuts != nil {
		return nil, nil //nolint:nilnil // as the comment says
	}
	if !s.looked {
		o, err := newIsometry(ctx, &s.problem, s.r, s.n)
		if err != nil {
			return nil, err
		}
		s.isometry, s.looked = o, true
	}
	return s.isometry, nil
}

// solveByIsometry lets a linear learner minimize P in other coordinates, and reports whether it has. Biases are all but free in P and free
// there, and rounding may be larger. So the gap may be missed, and the iterations go on from the point.
func solveByIsometry(ctx context.Context, w *work) (bool, error) {
	s, l := w.solver, w.request.Learner.Filled()
	t := s.problem.Targets
	if l.Biased(t.Task) != (s.problem.Bias > 0) {
		return false, nil
	}
	o, err := isometric(ctx, s)
	if o == nil || err != nil {
		return false, err
	}
	design, which := o.of(w.request.Rows)
	if which != nil {
		part := t.Subset(which)
		if l.Kind == setting.Quantile { // whose loss has the unit of all targets
			l.Strength *= t.Spread() / part.Spread()
		}
		t = part
	}
	// Half of the gap is left for what the bounds lose: the biases' penalty, and rounding.
	l.Gap = min(l.Gap, w.request.Gap/2)
	fit, err := learn.Solve(ctx, l, design, t)
	if err != nil {
		return false, ctx.Err() // iterations may do what the learner cannot
	}
	enter(w, o, fit, which)
	w.out.Iterations, w.out.Learnt = fit.Iterations, true
	w.take()
	resumeAt(w)
	keep(w)
	w.tell(fit.Iterations)
	return true, nil
}

// enter sets V to what a learner has found, and the room to its multipliers.
func enter(w *work, o *isometry, fit *learn.Fit, which []int) {
	s, m := w.solver, w.solver.problem.Labels
	o.lift(w.v, fit.Weights)
	if b := s.problem.Bias; b > 0 {
		stride := s.dim / m
		for y, v := range fit.Bias {
			w.v[(y+1)*stride-1] = v / b
		}
	}
	s.problem.A.Apply(row(w.values), row(w.v))
	g := w.room[s.r:w.end]
	clear(g)
	if fit.Multipliers == nil {
		w.eachRow(g, func(i int, g []float64) { w.loss.Gradient(i, g, w.values[s.r+i*m:s.r+(i+1)*m]) })
	}
	for k, v := range fit.Multipliers {
		i := k / m
		if which != nil {
			i = which[i]
		}
		g[i*m+k%m] = -v
	}
	// The values of R at the V of g, where constant features are 0 as R does not see them.
	clear(w.q)
	o.lift(w.q, o.multiplied(g, m))
	s.problem.A.Apply(row(w.last), row(w.q))
	for j, weight := range o.weights {
		w.room[j] = weight * w.last[j]
	}
	copy(w.u, w.values)
}
