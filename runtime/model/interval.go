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
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Grounder makes the regularizer anew: with the same elements of its index sets at another number of nodes or, halfway, at
// the places between the nodes of its maxima and norms over intervals.
type Grounder func(ctx context.Context, nodes int, halfway bool) (*regularizer.Regularizer, error)

const (
	mostNodes       = 81      // to which paths are refined
	mostProved      = 321     // where a proof needs them
	mostRefined     = 1 << 28 // functionals × dimensions of their features to which they are
	trialRows       = 32      // right-hand sides by which it is judged whether to refine
	measuredCurves  = 256     // of each invariance, whose error of interpolation is measured: the hardest half and a draw
	measuredAtOnce  = 8
	probes          = 8 // random functions that tell which curves are hard
	streamIntervals = 0x696e74657276
)

// intervals makes certificates hold for maxima and norms over intervals, where the regularizer tells of their curves: it bounds the error
// of interpolation, and takes 2N − 1 nodes instead of N as long as what lies between the nodes costs more than half of the gap
// that is to be reached.
func (f *fitter) intervals() error {
	for {
		if err := f.curves(); err != nil || f.rep.Curves == nil {
			return err
		}
		f.rep.Afterwards = f.rep.Curves.Integrals()
		e, err := f.excess()
		if err != nil || e.total() <= f.o.Gap/2 {
			return err
		}
		nodes, err := f.finer(e)
		if err != nil {
			return err
		}
		if nodes == f.reg.Nodes {
			f.rep.Afterwards, f.out.Short = true, e.slack > f.o.Gap/2
			return nil
		}
		if err := f.refine(nodes); err != nil {
			return err
		}
		if err := f.build(); err != nil {
			return err
		}
	}
}

// refine makes the regularizer anew at another number of nodes.
func (f *fitter) refine(nodes int) (err error) {
	if f.reg, err = f.o.Ground(f.ctx, nodes, false); err != nil {
		return err
	}
	f.out.Regularizer = f.reg
	return nil
}

// An excess is what lies between the nodes adds to a gap: by what polynomials do there, and by errors of interpolation.
type excess struct{ bent, slack float64 }

func (e excess) total() float64 { return e.bent + e.slack }

// finer returns the number of nodes at which what lies between them should cost no more than half of the gap, or the most that are of use and
// fit. What polynomials do falls as the square of the distance of the nodes; what is proved of the error of interpolation is known for
// any number of them.
func (f *fitter) finer(e excess) (int, error) {
	functionals, _ := f.op.Dims()
	numbers, nodes := functionals*f.rep.Features.Dim(), f.reg.Nodes
	slack, err := f.slackAt(nodes)
	if err != nil {
		return 0, err
	}
	best, least := nodes, e.total()
	for least > f.o.Gap/2 && 2*numbers <= mostRefined && 2*nodes-1 <= mostProved {
		next, err := f.slackAt(2*nodes - 1)
		if err != nil {
			return 0, err
		}
		e = excess{e.bent / 4, fallen(e.slack, next, slack)}
		if 2*nodes-1 > mostNodes && (slices.Contains(f.measured, true) || e.bent > f.o.Gap/4) {
			break
		}
		numbers, nodes, slack = 2*numbers, 2*nodes-1, next
		if e.total() < least/2 {
			best, least = nodes, e.total()
		}
	}
	return best, nil
}

// fallen returns an excess by errors that fall from one size to another.
func fallen(excess, to, from float64) float64 {
	if to == 0 || excess == 0 {
		return 0
	}
	if math.IsInf(from, 1) {
		return math.Inf(1)
	}
	return excess * to / from
}

// curves sets up the curves of the representer, or of the risk.
func (f *fitter) curves() error {
	f.rep.Nodes, f.rep.Curves, f.between = 0, nil, nil
	if f.o.Method == setting.Plain || f.reg.Gauge() == nil {
		return nil
	}
	f.nodes()
	f.measured = make([]bool, len(f.reg.Invariances))
	defer f.settle()
	runs := f.reg.Curves()
	if len(runs) == 0 || f.o.Ground == nil {
		return nil
	}
	errs, err := f.interpolations(runs)
	if err != nil {
		return err
	}
	curves, err := polar.NewCurves(len(errs), runs, f.reg.Gauge().Value(errs), drift(runs, errs))
	switch {
	case f.o.Method.Embeds():
		f.rep.Curves = curves
	case f.o.Method == setting.Risk || !curves.Integrals(): // dual coefficients have no densities
		f.between = curves
	}
	return err
}

// settle files what is known of each invariance between its nodes, and the least of that.
func (f *fitter) settle() {
	f.rep.Between, f.out.Between = "", make([]Path, len(f.reg.Invariances))
	for i := range f.reg.Invariances {
		p := f.path(i)
		f.out.Between[i] = p
		if p.Between.Weaker(f.rep.Between) {
			f.rep.Between = p.Between
		}
	}
}

// drift returns the largest error of a curve under an integral.
func drift(runs []curve.Run, errs []float64) float64 {
	most := 0.0
	for i := range runs {
		if r := &runs[i]; r.Integral() {
			for k := range r.Count {
				most = max(most, errs[r.Leaf(k, 0)])
			}
		}
	}
	return most
}

// interpolations returns the errors of all curves, each at all of its functionals: proved where they can be, else measured half way between
// the nodes.
func (f *fitter) interpolations(runs []curve.Run) ([]float64, error) {
	errs, open := f.proofs(f.reg.Nodes)
	f.measured = open
	if !slices.Contains(open, true) {
		return errs, f.ctx.Err()
	}
	between, err := f.o.Ground(f.ctx, f.reg.Nodes, true)
	if err != nil {
		return nil, err
	}
	scores, err := f.hardness(runs)
	if err != nil {
		return nil, err
	}
	for i := range f.reg.Invariances {
		count := curve.Count(f.reg.Invariances[i].Curves)
		if open[i] {
			if err := f.interpolation(errs, &f.reg.Invariances[i], between, i, scores[:count]); err != nil {
				return nil, err
			}
		}
		scores = scores[count:]
	}
	f.known = errs
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
	for _, c := range curvesOf(inv) {
		out = append(out, c.leaves)
	}
	return out
}

// leavesAt lists the leaves of the i-th curve of a run.
func leavesAt(r *curve.Run, i int) []int {
	list := make([]int, r.Nodes)
	for k := range list {
		list[k] = r.Leaf(i, k)
	}
	return list
}

func setAll(errs []float64, first int, leaves []int, e float64) {
	for _, leaf := range leaves {
		errs[first+leaf] = e
	}
}

// interpolation sets the error of every curve of an invariance: of those measured their own, of the others the largest.
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
		setAll(errs, inv.First, at[i], most)
	}
	for k, i := range sample {
		setAll(errs, inv.First, at[i], bounds[k])
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
	f               *fitter
	first, firstMid int
	mid             *plugins.Block
	remainder       *curve.Remainder
	halfway         blas64.General
}

func newMeasurer(f *fitter, first, firstMid int, mid *plugins.Block, nodes int) *measurer {
	r := curve.NewRemainder(nodes)
	return &measurer{f: f, first: first, firstMid: firstMid, mid: mid, remainder: r, halfway: r.Halfway()}
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
				b.add(m.f.reg.Functionals, m.first+leaf, -m.halfway.Data[k*m.halfway.Stride+j])
			}
			b.out.End()
		}
	}
	rows, err := b.rows(m.f.ctx, m.f.train.X, m.f.rep.Features, m.f.rep.Labels)
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
func (f *fitter) excess() (e excess, err error) {
	count := min(trialRows, f.train.Len()*f.rep.PerRow())
	a, err := f.rep.RightHandSides(f.train.X)(0, count)
	if err != nil {
		return e, err
	}
	nodes := polar.Problem{Alpha: represent.Alpha, A: f.op, Gauge: f.rep.Gauge}
	solver, err := polar.New(f.ctx, nodes, polar.Settings{Gap: f.o.Gap / 2, Multipliers: true})
	if err != nil {
		return e, err
	}
	out, err := solver.Solve(f.ctx, a)
	if err != nil {
		return e, err
	}
	bent, all := nodes, nodes
	bent.Curves, all.Curves = f.rep.Curves.Exact(), f.rep.Curves
	low, high := polar.Certify(bent, a, out.Iota, out.Multipliers)
	lower, upper := polar.Certify(all, a, out.Iota, out.Multipliers)
	for i := range upper {
		if out.Norm2[i] > 0 {
			own := polar.Gap(low[i], high[i])
			e.bent = max(e.bent, own-out.Gap[i])
			e.slack = max(e.slack, polar.Gap(lower[i], upper[i])-own)
		}
	}
	return e, nil
}
