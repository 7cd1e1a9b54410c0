package risk

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// solveDirect solves the problem at once, and reports whether it is of that kind. Rounding may leave a gap above the one asked for,
// from which the iterations go on.
func solveDirect(ctx context.Context, w *work) (bool, error) {
	s := w.solver
	if s.problem.Curves != nil || s.cuts == nil && s.r > 0 && s.problem.Squares == nil {
		return false, nil
	}
	weights, targets, ok := squares(w)
	if !ok {
		return false, nil
	}
	d := &s.direct
	if d.factor == nil || !slices.Equal(d.weights, weights) {
		f, err := s.base.Factor(ctx, s.problem.Alpha, weights)
		if err != nil {
			return false, err
		}
		*d = direct{weights, f}
	}
	s.base.ApplyT(row(w.q), row(targets))
	if err := d.factor.Solve(ctx, row(w.v), row(w.q)); err != nil {
		return false, err
	}
	u, err := force(ctx, w, d.factor)
	if err != nil || w.contradicted && !w.request.Brief {
		return false, err
	}
	s.problem.A.Apply(row(w.values), row(w.v))
	copy(w.u, w.values)
	for j := range weights {
		w.room[j] = weights[j]*w.values[j] - targets[j]
	}
	for k, v := range u {
		w.room[w.end+k] = -v
		w.aiming.penalty[k] = math.Max(w.aiming.penalty[k], firstPenalty*v)
	}
	w.take()
	resumeAt(w)
	return true, nil
}

// squares returns P without cuts as ½α‖V‖² + Σ_j (½w_j t_j² − c_j t_j) of the functionals t, but for a constant: the weights w of R and of the
// losses, and c, their targets by their weights. Ok is false where one of them is no sum of squares.
func squares(w *work) (weights, targets []float64, ok bool) {
	s, m := w.solver, w.solver.problem.Labels
	one, each := w.loss, []float64(nil)
	if l, weighs := one.(*weighted); weighs {
		one, each = l.single, l.weight
	}
	l, ok := one.(*square)
	if !ok {
		return nil, nil, false
	}
	weights, targets = make([]float64, w.end), make([]float64, w.end)
	if s.r > 0 {
		own, quadratic := s.problem.Gauge.Quadratic()
		if !quadratic {
			return nil, nil, false
		}
		copy(weights, own)
	}
	for j := range w.end - s.r {
		i := j / m
		if !w.counts(i) {
			continue
		}
		weight := l.weight
		if each != nil {
			weight *= each[i]
		}
		weights[s.r+j], targets[s.r+j] = weight, weight*l.target(i, j%m)
	}
	return weights, targets, true
}

// resumeAt lets the iterations go on from V and the multipliers in the room, which take may have repaired.
func resumeAt(w *work) {
	copy(w.z, w.values)
	raise(w, w.room)
}

// force moves V to where it keeps the cuts, and returns their multipliers u ≥ 0. Where no V keeps all cuts, it notes that, and V keeps what it
// can.
func force(ctx context.Context, w *work, f polar.Factor) ([]float64, error) {
	c := w.solver.cuts
	if c == nil {
		return nil, nil
	}
	k, dim := c.Rows.Dims()
	lifted := mat.NewDense(k, dim, nil)
	if err := f.Solve(ctx, lifted, c.Rows); err != nil {
		return nil, err
	}
	q, at := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
	q.Mul(lifted, c.Rows.T())
	at.MulVec(c.Rows, mat.NewVecDense(dim, w.v))
	lack := make([]float64, k)
	for i := range lack {
		lack[i] = c.aim(i) - at.AtVec(i)
	}
	u := leastForce(q, lack, pressed(w, k))
	w.contradicted = contradict(q, lack, u)
	var push mat.VecDense
	push.MulVec(lifted.T(), mat.NewVecDense(k, u))
	for j := range w.v {
		w.v[j] += push.AtVec(j)
	}
	return u, nil
}

// contradict reports whether cuts lack what no V gives. Then u solves Qu = c by the small numbers alone that leastForce adds to the diagonal
// of Q: Bᵀu is nearly 0, and ⟨u, c⟩ is not.
func contradict(q *mat.Dense, c, u []float64) bool {
	added := definite * mat.Trace(q) / float64(len(c))
	left, most := 0.0, 0.0
	for i, v := range u {
		left = math.Max(left, (added+definite*q.At(i, i))*v)
		most = math.Max(most, c[i])
	}
	return left > unmet*most
}

// pressed returns which cuts had a multiplier where the request starts. That guess saves most of the search.
func pressed(w *work, k int) []bool {
	in := make([]bool, k)
	if start := w.request.Start; start != nil {
		for i := range min(k, len(start.Multipliers)) {
			in[i] = start.Multipliers[i] < 0
		}
	}
	return in
}

const (
	// definite is added to the diagonal of Q, as a share of its mean: cuts may be nearly the same.
	definite = 1e-13
	// idle is the share of the largest lack below which a cut that has no multiplier is left alone.
	idle = 1e-12
	// unmet is the share of the largest lack from which cuts contradict each other, where V leaves it.
	unmet = 1e-3
)

// leastForce returns argmin_{u ≥ 0} ½uᵀQu − ⟨u, c⟩ by the active sets of Lawson and Hanson (1974). It begins with the cuts that are in, and
// changes their list.
func leastForce(q *mat.Dense, c []float64, in []bool) []float64 {
	k := len(c)
	for i := range k {
		q.Set(i, i, q.At(i, i)*(1+definite)+definite*mat.Trace(q)/float64(k))
	}
	u, a := make([]float64, k), &active{q: q}
	if slices.Contains(in, true) && (!a.begin(in) || !a.settle(c, u, in)) {
		clear(u)
		clear(in)
		a.begin(in)
	}
	most := 0.0
	for _, v := range c {
		most = math.Max(most, math.Abs(v))
	}
	for range 3 * k {
		best, lack := -1, idle*most
		for i := range k {
			if in[i] {
				continue
			}
			if g := c[i] - floats.Dot(q.RawRowView(i), u); g > lack {
				best, lack = i, g
			}
		}
		if best < 0 {
			break
		}
		in[best] = true
		if !a.enter(best) || !a.settle(c, u, in) {
			break
		}
	}
	return u
}

// active is the set S of the cuts that are in, with the factor Q_SS = LLᵀ, by rows of L.
type active struct {
	q    *mat.Dense
	set  []int
	rows [][]float64
}

// begin factors the system of the cuts that are in. It reports false where it is singular to within rounding.
func (a *active) begin(in []bool) bool {
	a.set, a.rows = a.set[:0], a.rows[:0]
	for i, is := range in {
		if is && !a.enter(i) {
			return false
		}
	}
	return true
}

// enter adds a row to the factor. It reports false where the system is singular to within rounding.
func (a *active) enter(i int) bool {
	row, left := make([]float64, len(a.set)+1), a.q.At(i, i)
	for k, j := range a.set {
		row[k] = (a.q.At(i, j) - floats.Dot(row[:k], a.rows[k][:k])) / a.rows[k][k]
		left -= row[k] * row[k]
	}
	if !(left > 0) {
		return false
	}
	row[len(a.set)] = math.Sqrt(left)
	a.set, a.rows = append(a.set, i), append(a.rows, row)
	return true
}

// solve returns the solution of Q_SS x = c_S.
func (a *active) solve(c []float64) []float64 {
	x := make([]float64, len(a.set))
	for k, i := range a.set {
		x[k] = (c[i] - floats.Dot(a.rows[k][:k], x[:k])) / a.rows[k][k]
	}
	for k := len(x) - 1; k >= 0; k-- {
		x[k] /= a.rows[k][k]
		floats.AddScaled(x[:k], -x[k], a.rows[k][:k])
	}
	return x
}

// settle moves u to the minimum over the cuts that are in, and takes those out that would be negative. It reports false where the
// linear system cannot be solved.
func (a *active) settle(c, u []float64, in []bool) bool {
	for {
		to, step := a.solve(c), 1.0
		for k, i := range a.set {
			if to[k] <= 0 {
				step = math.Min(step, u[i]/math.Max(u[i]-to[k], math.SmallestNonzeroFloat64))
			}
		}
		left := false
		for k, i := range a.set {
			u[i] += step * (to[k] - u[i])
			if step < 1 && to[k] <= 0 && u[i] <= 1e-14*math.Abs(to[k]) || step == 1 && to[k] <= 0 {
				u[i], in[i], left = 0, false, true
			}
		}
		if left && !a.begin(in) {
			return false
		}
		if step == 1 {
			return true
		}
	}
}
