package represent

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// components reduces the problem to those of labels that R does not couple with others. With J(V) = Σ_k J_k(V_k) over
// components k, the embedding of a right-hand side is that of each component's share of it. The bounds of ⟨a, ι⟩ are
// sums of theirs:
//
//	J°(a) = Σ_k J_k°(a_k),    Σ_k lower_k ≤ ⟨a, ι⟩ ≤ Σ_k upper_k.
//
// So the whole meets a gap that all components meet, and their multipliers together are multipliers of the whole. Mixed
// pairs of one class make a component of every class.
type components struct {
	parts []component
	dim   int // of the features
	step  int // right-hand sides in a block
	// functionals is how many multipliers a result keeps, 0 where they are not asked for.
	functionals int
}

// A component is labels that functionals couple, with their problem.
type component struct {
	labels, functionals []int
	solver              solver // nil where no functional has these labels: ι = a/α
}

// componentNumbers bounds the numbers in a block of right-hand sides that are embedded component by component, componentRows those of one
// label.
const (
	componentNumbers = 1 << 24
	componentRows    = 256
)

// components returns what the problem falls into; nil where it does not fall apart.
func (r *Representer) components(ctx context.Context, whole polar.Problem, s polar.Settings, afterwards bool) (solver, error) {
	parts := r.Operator.Parts()
	if len(parts) < 2 {
		return nil, nil //nolint:nilnil // nothing falls apart
	}
	functionals, _ := r.Operator.Dims()
	part, place := make([]int, functionals), make([]int, functionals)
	for j := range part {
		part[j] = -1
	}
	for k, p := range parts {
		for at, j := range p.Functionals {
			part[j], place[j] = k, at
		}
	}
	// Where other norms than the 2-norm join functionals of several parts, ρ² is not a sum.
	gauges := whole.Gauge.Split(part, len(parts))
	if gauges == nil {
		return nil, nil //nolint:nilnil // as above
	}
	m := r.PerRow()
	c := &components{parts: make([]component, len(parts)), dim: r.Features.Dim(), step: m * max(1, min(componentRows, componentNumbers/(m*r.Dim())))}
	if s.Multipliers {
		c.functionals = functionals
	}
	for k, p := range parts {
		c.parts[k] = component{labels: p.Labels, functionals: p.Functionals}
		if gauges[k] == nil {
			continue
		}
		problem := polar.Problem{Alpha: Alpha, A: p.Operator, Gauge: gauges[k]}
		var err error
		// Slack and drift of the whole bound those of a part: ρ_k(e_k) ≤ ρ(e).
		if whole.Curves != nil {
			runs := runsOf(whole.Curves.Runs(), k, part, place)
			if problem.Curves, err = polar.NewCurves(len(p.Functionals), runs, whole.Curves.Slack(), whole.Curves.Drift()); err != nil {
				return nil, err
			}
		}
		if c.parts[k].solver, err = newSolver(ctx, problem, s, r.Cache, afterwards); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// runsOf returns the curves of one component, their leaves counted in it.
func runsOf(runs []curve.Run, own int, part, place []int) []curve.Run {
	var out []curve.Run
	for _, r := range runs {
		for i := range r.Count {
			first, second := r.Leaf(i, 0), r.Leaf(i, 1)
			if part[first] != own {
				continue
			}
			one := r
			one.First, one.Count, one.Step, one.Stride = place[first], 1, 0, place[second]-place[first]
			out = curve.Append(out, one)
		}
	}
	return out
}

// SolveTo solves component by component, a block of right-hand sides at a time. All components see a block before the
// next, as its results add up.
func (c *components) SolveTo(ctx context.Context, count, _ int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *polar.Result) error) error {
	for lo := 0; lo < count; lo += c.step {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, err := next(lo, min(lo+c.step, count))
		if err != nil {
			return err
		}
		out, err := c.Solve(ctx, a)
		if err != nil {
			return err
		}
		if err := emit(lo, out); err != nil {
			return err
		}
	}
	return nil
}

// Solve solves component by component.
func (c *components) Solve(ctx context.Context, a *mat.Dense) (*polar.Result, error) {
	out := emptyResult(a.Dims())
	if c.functionals > 0 {
		out.Multipliers = mat.NewDense(len(out.Gap), c.functionals, nil)
	}
	for k := range c.parts {
		p := &c.parts[k]
		index, rhs := p.apply(a, c.dim)
		if len(index) == 0 {
			continue
		}
		own, err := p.solve(ctx, rhs)
		if err != nil {
			return nil, err
		}
		for k, i := range index {
			p.join(out, i, own, k, rhs.RawRowView(k), c.dim)
		}
	}
	// Relative gaps do not add up, so bounds are added first and compared last.
	for i, lower := range out.Norm2 {
		out.Value[i], out.Gap[i] = 1/lower, polar.Gap(lower, out.Gap[i])
	}
	return out, nil
}

// emptyResult returns a result of zeros. Until all components are joined, its gaps are upper bounds of ‖a‖² in the
// dual norm.
func emptyResult(count, dim int) *polar.Result {
	return &polar.Result{
		Iota: mat.NewDense(count, dim, nil), Gap: make([]float64, count), Norm2: make([]float64, count), Value: make([]float64, count),
		Iterations: make([]int, count), Newton: make([]int, count), Work: make([]float64, count), Status: make([]polar.Status, count),
	}
}

// apply returns the rows of a that are not zero at the labels of a component, by number and at these labels.
func (p *component) apply(a *mat.Dense, d int) (index []int, rhs *mat.Dense) {
	count, _ := a.Dims()
	for i := range count {
		row := a.RawRowView(i)
		if slices.ContainsFunc(p.labels, func(y int) bool { return floats.Norm(row[y*d:(y+1)*d], 2) > 0 }) {
			index = append(index, i)
		}
	}
	// A share of zero embeds as zero, and adds nothing to either bound.
	if len(index) == 0 {
		return nil, nil
	}
	rhs = mat.NewDense(len(index), len(p.labels)*d, nil)
	for k, i := range index {
		for at, y := range p.labels {
			copy(rhs.RawRowView(k)[at*d:(at+1)*d], a.RawRowView(i)[y*d:(y+1)*d])
		}
	}
	return index, rhs
}

// solve embeds right-hand sides of a component. Without functionals J is α‖V‖², so that ι = a/α has the gap 0.
func (p *component) solve(ctx context.Context, a *mat.Dense) (*polar.Result, error) {
	if p.solver != nil {
		return p.solver.Solve(ctx, a)
	}
	out := emptyResult(a.Dims())
	out.Iota.Scale(1/Alpha, a)
	return out, nil
}

// join adds row k of a component's result, the embedding of a, to row i of the whole. Norm2 and Gap become sums of
// lower and of upper bounds. The status is the worst of all components.
func (p *component) join(out *polar.Result, i int, own *polar.Result, k int, a []float64, d int) {
	v := own.Iota.RawRowView(k)
	for at, y := range p.labels {
		copy(out.Iota.RawRowView(i)[y*d:(y+1)*d], v[at*d:(at+1)*d])
	}
	// Every part is certified by its own multiple already. Squares of polars add up as those of gauges do.
	if out.Multipliers != nil && own.Multipliers != nil {
		for at, c := range own.Multipliers.RawRowView(k) {
			out.Multipliers.RawRowView(i)[p.functionals[at]] = c
		}
	}
	lower := blas64.Dot(vector(a), vector(v))
	out.Norm2[i] += lower
	out.Gap[i] += upperOf(lower, own.Gap[k])
	out.Work[i] += own.Work[k]
	out.Iterations[i], out.Newton[i], out.Status[i] = max(out.Iterations[i], own.Iterations[k]), max(out.Newton[i], own.Newton[k]), max(out.Status[i], own.Status[k])
}

// upperOf returns the upper bound that lies a gap above a lower one. Where nothing is proved, it is infinite, also above zero.
func upperOf(lower, gap float64) float64 {
	if math.IsInf(gap, 1) {
		return gap
	}
	return lower * (1 + gap)
}
