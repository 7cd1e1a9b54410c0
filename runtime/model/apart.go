package model

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

// A piece is labels that R does not couple with others: J(V) = Σ_k J_k(V_k) over pieces k, and the embedding of a right-hand side
// of some of them is that of each, zero elsewhere. Mixed pairs of one class make a piece of every class.
type piece struct {
	labels, functionals []int
	problem             polar.Problem
	solver              *polar.Solver // nil where no functional has these labels: ι = a/α
}

// apartNumbers bounds the numbers in a block of right-hand sides that are embedded piece by piece, apartRows those of one label.
const (
	apartNumbers = 1 << 24
	apartRows    = 256
)

// pieces are those that J falls into; nil where it does not, so that all labels are embedded at once.
func (r *Representer) pieces(ctx context.Context, s polar.Settings) ([]piece, error) {
	parts := r.Operator.Parts()
	if len(parts) < 2 || r.local() != nil {
		return nil, nil
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
	gauges := r.Gauge.Split(part, len(parts))
	if gauges == nil {
		return nil, nil
	}
	out := make([]piece, len(parts))
	for k, p := range parts {
		out[k] = piece{labels: p.Labels, functionals: p.Functionals}
		if gauges[k] == nil {
			continue
		}
		out[k].problem = polar.Problem{Alpha: alpha, A: p.Operator, Gauge: gauges[k]}
		if err := out[k].settle(ctx, r, func(runs []curve.Run) []curve.Run { return runsOf(runs, k, part, place) }, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// settle gives a piece its curves, which own picks from those of the whole, and its solver.
func (p *piece) settle(ctx context.Context, r *Representer, own func([]curve.Run) []curve.Run, s polar.Settings) (err error) {
	if r.Curves != nil {
		if p.problem.Curves, err = polar.NewCurves(len(p.functionals), own(r.Curves.Runs()), r.Curves.Slack(), r.Curves.Drift()); err != nil {
			return err
		}
	}
	p.solver, err = polar.New(ctx, r.atNodes(p.problem), s)
	return err
}

// runsOf are the curves of one part, their leaves counted in it.
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

// solveApart is SolveTo piece by piece.
func (r *Representer) solveApart(ctx context.Context, count int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *polar.Result) error) error {
	m := r.PerRow()
	step := m * max(1, min(apartRows, apartNumbers/(m*r.Dim())))
	for lo := 0; lo < count; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, count)
		a, err := next(lo, hi)
		if err != nil {
			return err
		}
		out := emptyResult(hi-lo, r.Dim())
		for k := range r.apart {
			if err := r.apart[k].embed(ctx, r, a, out); err != nil {
				return err
			}
		}
		for i, lower := range out.Norm2 {
			out.Value[i], out.Gap[i] = 1/lower, gapOf(lower, out.Gap[i])
		}
		if err := emit(lo, out); err != nil {
			return err
		}
	}
	return nil
}

// emptyResult returns a result of zeros. Until all pieces are there, its gaps are upper bounds of ‖a‖².
func emptyResult(count, dim int) *polar.Result {
	return &polar.Result{
		Iota: mat.NewDense(count, dim, nil), Gap: make([]float64, count), Norm2: make([]float64, count), Value: make([]float64, count),
		Iterations: make([]int, count), Newton: make([]int, count), Work: make([]float64, count), Status: make([]polar.Status, count),
	}
}

// embed adds a piece to the embeddings of the rows of a.
func (p *piece) embed(ctx context.Context, r *Representer, a *mat.Dense, out *polar.Result) error {
	d := r.Features.Dim()
	index, rhs := p.rows(a, d)
	if len(index) == 0 {
		return nil
	}
	own, err := p.solve(ctx, rhs, r.Afterwards)
	if err != nil {
		return err
	}
	for k, i := range index {
		p.add(out, i, own, k, rhs.RawRowView(k), d)
	}
	return nil
}

// rows returns the rows of a that are not zero at the labels of a piece, by number and at these labels.
func (p *piece) rows(a *mat.Dense, d int) (index []int, rhs *mat.Dense) {
	count, _ := a.Dims()
	for i := range count {
		row := a.RawRowView(i)
		if slices.ContainsFunc(p.labels, func(y int) bool { return floats.Norm(row[y*d:(y+1)*d], 2) > 0 }) {
			index = append(index, i)
		}
	}
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

// add adds row k of a piece's result, the embedding of a, to row i of the whole.
func (p *piece) add(out *polar.Result, i int, own *polar.Result, k int, a []float64, d int) {
	v := own.Iota.RawRowView(k)
	for at, y := range p.labels {
		copy(out.Iota.RawRowView(i)[y*d:(y+1)*d], v[at*d:(at+1)*d])
	}
	lower := blas64.Dot(vector(a), vector(v))
	out.Norm2[i] += lower
	out.Gap[i] += upperOf(lower, own.Gap[k])
	out.Work[i] += own.Work[k]
	out.Iterations[i], out.Newton[i], out.Status[i] = max(out.Iterations[i], own.Iterations[k]), max(out.Newton[i], own.Newton[k]), max(out.Status[i], own.Status[k])
}

// upperOf is the upper bound that lies a gap above a lower one. Where nothing is proved, it is infinite, also above zero.
func upperOf(lower, gap float64) float64 {
	if math.IsInf(gap, 1) {
		return gap
	}
	return lower * (1 + gap)
}

// solve embeds right-hand sides of the labels of a piece.
func (p *piece) solve(ctx context.Context, a *mat.Dense, afterwards bool) (*polar.Result, error) {
	if p.solver == nil {
		count, _ := a.Dims()
		out := &polar.Result{
			Iota: mat.DenseCopyOf(a), Gap: make([]float64, count),
			Iterations: make([]int, count), Newton: make([]int, count), Work: make([]float64, count), Status: make([]polar.Status, count),
		}
		out.Iota.Scale(1/alpha, out.Iota)
		return out, nil
	}
	out, err := p.solver.Solve(ctx, a)
	if err == nil && afterwards {
		certify(p.problem, a, out)
	}
	return out, err
}
