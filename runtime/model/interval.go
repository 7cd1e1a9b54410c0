package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// A Grounder makes the regularizer anew: with the same elements of its index sets at another number of nodes or, halfway, at
// the places between the nodes of its maxima over intervals.
type Grounder func(ctx context.Context, nodes int, halfway bool) (*regularizer.Regularizer, error)

const (
	mostNodes       = 81      // to which paths are refined
	mostRefined     = 1 << 28 // functionals × dimensions of their features to which they are
	trialRows       = 32      // right-hand sides by which it is judged whether to refine
	measuredCurves  = 256     // of each invariance, whose error of interpolation is measured: the hardest half and a draw
	measuredAtOnce  = 8
	probes          = 8 // random functions that tell which curves are hard
	streamIntervals = 0x696e74657276
)

// intervals makes certificates hold for maxima over intervals, where the regularizer tells of their curves: it bounds the error
// of interpolation, and takes 2N − 1 nodes instead of N as long as what lies between the nodes costs more than half of the gap
// that is to be reached. What it costs falls as the square of the distance of the nodes, so that steps can be left out.
func (f *fitter) intervals() error {
	for {
		if err := f.curves(); err != nil || f.rep.Curves == nil || f.o.Method != Embed {
			return err
		}
		excess, err := f.excess()
		if err != nil || excess <= f.o.Gap/2 {
			return err
		}
		nodes := f.finer(excess)
		if nodes == f.reg.Nodes {
			f.rep.Afterwards = true
			return nil
		}
		if f.reg, err = f.o.Ground(f.ctx, nodes, false); err != nil {
			return err
		}
		f.out.Regularizer = f.reg
		if err := f.build(); err != nil {
			return err
		}
	}
}

// finer is the number of nodes at which what lies between them should cost no more than half of the gap, or the most that fit.
func (f *fitter) finer(excess float64) int {
	functionals, _ := f.op.Dims()
	numbers, nodes := functionals*f.rep.Features.Dim(), f.reg.Nodes
	for excess > f.o.Gap/2 && 2*nodes-1 <= mostNodes && 2*numbers <= mostRefined {
		nodes, numbers, excess = 2*nodes-1, 2*numbers, excess/4
	}
	return nodes
}

// curves sets up the curves of the representer.
func (f *fitter) curves() error {
	f.rep.Nodes, f.rep.Curves = 0, nil
	if !f.rep.regularized() {
		return nil
	}
	f.nodes()
	f.rep.Interval = f.o.Ground != nil && !slices.ContainsFunc(f.reg.Invariances, func(inv regularizer.Invariance) bool { return inv.NodesOnly })
	runs := f.solved.Curves()
	if len(runs) == 0 || f.o.Ground == nil {
		return nil
	}
	errs, err := f.interpolations(runs)
	if err != nil {
		return err
	}
	f.rep.Curves, err = polar.NewCurves(len(errs), runs, f.rep.Gauge.Value(errs))
	return err
}

// interpolations are the errors of all curves, each at the first of its functionals.
func (f *fitter) interpolations(runs []curve.Run) ([]float64, error) {
	between, err := f.o.Ground(f.ctx, f.reg.Nodes, true)
	if err != nil {
		return nil, err
	}
	functionals, _ := f.op.Dims()
	errs := make([]float64, functionals)
	scores, err := f.hardness(runs)
	if err != nil {
		return nil, err
	}
	for i := range f.solved.Invariances {
		count := curve.Count(f.solved.Invariances[i].Curves)
		if count == 0 {
			continue
		}
		if err := f.interpolation(errs, &f.solved.Invariances[i], between, i, scores[:count]); err != nil {
			return nil, err
		}
		scores = scores[count:]
	}
	return errs, nil
}

// hardness estimates for every curve the size of its last two coefficients, by random functions.
func (f *fitter) hardness(runs []curve.Run) ([]float64, error) {
	functionals, dim := f.op.Dims()
	rng := rand.New(rand.NewPCG(f.o.Seed, streamIntervals))
	v, t := mat.NewDense(probes, dim, nil), mat.NewDense(probes, functionals, nil)
	raw := v.RawMatrix().Data
	for i := range raw {
		raw[i] = rng.NormFloat64()
	}
	f.op.Apply(t, v)
	var out []float64
	for _, r := range runs {
		for i := range r.Count {
			sum := 0.0
			for p := range probes {
				row := t.RawRowView(p)
				last, other := 0.0, 0.0
				for k := range r.Nodes {
					x := row[r.Leaf(i, k)]
					if k%2 == 1 {
						x = -x
					}
					if k == 0 || k == r.Nodes-1 {
						x /= 2
					}
					last += x
					other += 2 * x * math.Cos(math.Pi*float64(k)/float64(r.Nodes-1))
				}
				sum += last*last + other*other
			}
			out = append(out, sum)
		}
	}
	return out, f.ctx.Err()
}

// leavesOf lists the leaves of every curve of an invariance, counted from its first.
func leavesOf(inv *regularizer.Invariance) [][]int {
	var out [][]int
	for _, r := range inv.Curves {
		for i := range r.Count {
			list := make([]int, r.Nodes)
			for k := range list {
				list[k] = r.Leaf(i, k)
			}
			out = append(out, list)
		}
	}
	return out
}

// interpolation sets the error of every curve of an invariance, at its first leaf: of those measured their own, of the others
// the largest.
func (f *fitter) interpolation(errs []float64, inv *regularizer.Invariance, between *regularizer.Regularizer, which int, scores []float64) error {
	if len(between.Invariances) != len(f.reg.Invariances) {
		return fmt.Errorf("model: %d invariances at the nodes, %d between them", len(f.reg.Invariances), len(between.Invariances))
	}
	other := &between.Invariances[which]
	at, mid := leavesOf(inv), leavesOf(other)
	if len(at) != len(mid) {
		return fmt.Errorf("model: %s has %d curves at the nodes, %d between them", inv.Name, len(at), len(mid))
	}
	m := newMeasurer(f, inv.First, other.First, between.Functionals, len(at[0]))
	sample := f.sample(scores)
	most := 0.0
	bounds := make([]float64, len(sample))
	for lo := 0; lo < len(sample); lo += measuredAtOnce {
		hi := min(lo+measuredAtOnce, len(sample))
		if err := m.measure(bounds[lo:hi], sample[lo:hi], at, mid); err != nil {
			return err
		}
		most = max(most, slices.Max(bounds[lo:hi]))
	}
	for i := range at {
		errs[inv.First+at[i][0]] = most
	}
	for k, i := range sample {
		errs[inv.First+at[i][0]] = bounds[k]
	}
	return nil
}

// sample draws the curves that are measured: all where they are few, else the hardest and others by the seed.
func (f *fitter) sample(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	if len(order) <= measuredCurves {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	rest := order[measuredCurves/2:]
	rng := rand.New(rand.NewPCG(f.o.Seed, streamIntervals+1))
	rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	order = order[:measuredCurves]
	slices.Sort(order)
	return order
}

// A measurer measures errors of interpolation in feature space.
type measurer struct {
	*fitter
	first, firstMid int
	mid             *plugins.Block
	remainder       *curve.Remainder
	halfway         blas64.General
}

func newMeasurer(f *fitter, first, firstMid int, mid *plugins.Block, nodes int) *measurer {
	r := curve.NewRemainder(nodes)
	return &measurer{fitter: f, first: first, firstMid: firstMid, mid: mid, remainder: r, halfway: r.Halfway()}
}

// measure bounds the errors of some curves: at and mid are the leaves of all of them, at the nodes and between.
func (m *measurer) measure(bounds []float64, which []int, at, mid [][]int) error {
	b := newBlend()
	degree := m.halfway.Rows
	for _, i := range which {
		if len(mid[i]) != degree || len(at[i]) != degree+1 {
			return fmt.Errorf("model: a curve of %d nodes has %d places between them", len(at[i]), len(mid[i]))
		}
		for k := range degree {
			b.add(m.mid, m.firstMid+mid[i][k], 1)
			for j, leaf := range at[i] {
				b.add(m.solved.Functionals, m.first+leaf, -m.halfway.Data[k*m.halfway.Stride+j])
			}
			b.out.End()
		}
	}
	rows, err := b.rows(m.ctx, m.train.X, m.rep.Features, m.rep.Labels)
	if err != nil {
		return err
	}
	gram := blas64.General{Rows: degree, Cols: degree, Stride: degree, Data: make([]float64, degree*degree)}
	for k := range which {
		part := rows
		part.Rows, part.Data = degree, rows.Data[k*degree*rows.Stride:(k+1)*degree*rows.Stride]
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, part, part, 0, gram)
		bounds[k] = m.remainder.Bound(gram)
	}
	return nil
}

// excess is what the places between the nodes add to the gap of embeddings of the nodes alone: the largest over the first
// right-hand sides of the training rows, so that few of the others have more.
func (f *fitter) excess() (float64, error) {
	count := min(trialRows, f.train.Len()*f.rep.PerRow())
	a, err := f.rep.rightHandSides(f.train.X)(0, count)
	if err != nil {
		return 0, err
	}
	nodes := polar.Problem{Alpha: alpha, A: f.op, Gauge: f.rep.Gauge}
	solver, err := polar.New(f.ctx, nodes, polar.Settings{Gap: f.o.Gap / 2, Multipliers: true})
	if err != nil {
		return 0, err
	}
	out, err := solver.Solve(f.ctx, a)
	if err != nil {
		return 0, err
	}
	interval := nodes
	interval.Curves = f.rep.Curves
	lower, upper := polar.Certify(interval, a, out.Iota, out.Multipliers)
	excess := 0.0
	for i := range upper {
		if lower[i] > 0 {
			excess = max(excess, upper[i]/lower[i]-upper[i]/out.Norm2[i])
		}
	}
	return excess, nil
}
