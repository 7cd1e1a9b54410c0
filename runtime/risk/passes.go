package risk

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const (
	// mostPasses bounds the passes of a request. The sample is minimized to coarseGap.
	mostPasses = 60
	coarseGap  = 1e-2
	// raisedBy is δ as a share of α: losses may have a slope where they have no curvature. The diagonal is raised by raisedShare of itself, too,
	// and by raisedMore times as much where that is too little, up to mostRaised.
	raisedBy                            = 1e-3
	raisedShare, raisedMore, mostRaised = 1e-12, 100, 1e-2
	// roughShare of α is about what G may be off by, so that G + αI is that at hand up to as large a share.
	roughShare = 0.5
	// squaresShare of the gap is left to the minimum with squares.
	squaresShare = 0.1
	// shortest is the shortest step. Between halves, so many golden sections find the best one.
	shortest, sections, golden = 1e-6, 8, 0.618
)

// byPasses minimizes P where rows pass by. It begins at the last pass of the same loss, which other cuts leave as it is.
//
// Each pass gives a V its bounds, and the next V. Passes end at the gap, and where no share of a step lets P fall. That
// happens at the limits of rounding alone, as steps go down wherever they do not vanish. Lower is the best lower bound for intervals.
func byPasses(ctx context.Context, s *Solver, q *Request) (out *Result, lower float64, err error) {
	at, err := enterPasses(ctx, s, q)
	if err != nil {
		return nil, 0, err
	}
	if s.passed = at; q.Loose {
		w, err := stepFrom(ctx, s, q, at, q.Start)
		if err != nil {
			return nil, 0, err
		}
		return w.out, w.lower, nil
	}
	lower = math.Inf(-1)
	out = &Result{V: slices.Clone(at.v), Upper: math.Inf(1), Lower: math.Inf(-1), Floor: math.Inf(-1), Gap: math.Inf(1)}
	for most, start := min(mostPasses, q.Limit), q.Start; ; {
		w, err := stepFrom(ctx, s, q, at, start)
		if err != nil {
			return nil, 0, err
		}
		start = w.out
		next, err := pass(ctx, s, q, start.V, sharper(at, out.Upper-out.Lower))
		if err != nil {
			return nil, 0, err
		}
		share := shorten(w, at, next)
		lower = certify(w, q, next, start, out, lower)
		share, soft, stuck := resume(at, next, share)
		ends := func() bool {
			return out.Converged || math.IsNaN(out.Gap) || out.Iterations >= most || stuck || limits.Over(ctx)
		}
		if share < 1 && !ends() {
			if next, err = pass(ctx, s, q, between(at.v, next.v, share), soft); err != nil {
				return nil, 0, err
			}
			lower = certify(w, q, next, start, out, lower)
		}
		next.made, next.gap, next.tight, s.passed = at.made+1, out.Gap, at.tight, next
		if share < 1 {
			next.tight++
		}
		if at = next; ends() {
			return out, lower, nil
		}
	}
}

// sharper returns the softening of the pass after one, where bounds are so far apart.
func sharper(at *passed, apart float64) softening {
	out := at.soft
	if out.damp *= lessDamp; out.damp < leastDamp {
		out.damp = 0
	}
	if out.tau > 0 && at.open >= openShare*apart {
		out.tau, out.held = narrower*out.tau, at.slopes
	}
	return out
}

// resume returns what share of a step to take, with which softening, and whether there is nothing to take. Where softenings differ, a step that is next to nothing
// tells that the last one was minimized.
func resume(at, next *passed, share float64) (taken float64, soft softening, stuck bool) {
	soft = next.soft
	switch {
	case soft.tau != at.soft.tau && share < shortest:
		share = 1
	case share < tooShort && soft.tau > 0 && soft.damp < 1:
		soft.damp = min(1, max(firstDamp, moreDamp*at.soft.damp))
	case at.coupled && at.tight < mostTight:
		share = max(share, shortest)
	default:
		stuck = share < shortest
	}
	return share, soft, stuck
}

// enterPasses returns the pass that steps begin from. That is the last one, or else one at the V of a start, at the minimum of a sample, or at 0.
//
// Rows of a sample count for as much as all do, so that its minimum is near. It costs next to nothing, and saves the passes
// that are far from the minimum.
func enterPasses(ctx context.Context, s *Solver, q *Request) (*passed, error) {
	if s.passed != nil && s.passed.learner == q.Learner && slices.Equal(s.passed.rows, q.Rows) {
		return s.passed, nil
	}
	v, near := make([]float64, s.dim), true
	if q.Start != nil && len(q.Start.V) == s.dim {
		copy(v, q.Start.V)
	} else if p := s.problem.Passing; p.Sample != nil {
		few := s.problem
		few.Targets, few.Passing, few.Curves = few.Targets.Subset(p.Index), &Passing{Rows: p.Sample}, nil
		solver, err := New(few, s.settings)
		if err != nil {
			return nil, err
		}
		own, rows := q.Learner, []bool(nil)
		for _, i := range p.Index[:min(len(q.Rows), len(p.Index))] {
			rows = append(rows, q.Rows[i])
		}
		own.Strength *= s.problem.Targets.Total() / few.Targets.Total()
		r, err := solver.Solve(ctx, Request{Learner: own, Rows: rows, Gap: coarseGap, Limit: q.Limit, MaxWork: q.MaxWork})
		if err != nil {
			return nil, err
		}
		copy(v, r.V)
	} else {
		near = false
	}
	return pass(ctx, s, q, v, soften(q.Learner, s.problem.Targets, near))
}

// stepFrom minimizes with squares about the V of a pass.
func stepFrom(ctx context.Context, s *Solver, q *Request, at *passed, start *Result) (*work, error) {
	w, err := about(ctx, s, q, at, start)
	if err != nil {
		return nil, err
	}
	return w, harden(ctx, w)
}

// about begins to minimize with squares that stand for the losses about the V of a pass, from the last minimum. Its gap is a share of the gap asked for. As
// P differs between both problems by what squares have at the V, the share is smaller by as much.
func about(ctx context.Context, s *Solver, q *Request, at *passed, start *Result) (*work, error) {
	if at.coupled {
		return aboutDrawn(ctx, s, q, at, start)
	}
	m, d := s.problem.Labels, s.dim/s.problem.Labels
	rows, targets, square := upper(at.roots), mat.NewDense(d, m, nil), 0.0
	for y := range m {
		own, t, of := at.v[y*d:(y+1)*d], make([]float64, d), y%len(rows)
		floats.AddTo(t, at.sum(y), at.sum(m+y))
		blas64.Trsv(blas.NoTrans, at.roots[of], vector(t))
		square += dot(t, t)
		for j := range d {
			targets.Set(j, y, dot(rows[of].Data[j*d:(j+1)*d], own)-t[j])
		}
	}
	p := s.problem
	p.A, p.Roots, p.Passing, p.Squares = p.Passing.Rows.Under(rows...), nil, nil, &Squares{Targets: targets}
	inner, err := New(p, s.settings)
	if err != nil {
		return nil, err
	}
	if err := inner.Keep(s.cuts); err != nil {
		return nil, err
	}
	own := *q
	own.Rows, own.Learner, own.Carried, own.Progress = nil, setting.Learner{Kind: setting.Ridge, Strength: 1}, true, nil
	norm := p.Alpha * dot(at.v, at.v)
	own.Gap = squaresShare * q.Gap * min(1, (norm+2*at.value)/(norm+square))
	if own.Start = start; start != nil && s.cuts == nil {
		own.Start = Carry(inner, start, everyOne(inner.r))
	}
	loss, err := inner.lossOf(&own)
	if err != nil {
		return nil, err
	}
	return newWork(inner, loss, &own), nil
}

// upper returns the Lᵀ of roots L.
func upper(roots []blas64.Triangular) (out []blas64.General) {
	for _, l := range roots {
		t := blas64.General{Rows: l.N, Cols: l.N, Stride: l.N, Data: make([]float64, l.N*l.N)}
		for j := range l.N {
			for i := j; i < l.N; i++ {
				t.Data[j*l.N+i] = l.Data[i*l.Stride+j]
			}
		}
		out = append(out, t)
	}
	return out
}

// everyOne returns the numbers below n.
func everyOne(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// certify takes both bounds at the V of a pass, with the multipliers of R and of cuts that a minimum with squares has. Rows that stood for the losses have
// multipliers of 0, as the slopes of the pass take their place. Lower is the best lower bound for intervals up to here, and that from now on is returned.
func certify(w *work, q *Request, at *passed, of, out *Result, lower float64) float64 {
	// Rows of squares all count, whichever rows they stand for.
	// There may be more of them than of those.
	own := *q
	own.Rows, w.request, w.passed, w.out, w.lower = nil, &own, at, out, lower
	out.Iterations++
	out.Scores = make([]float64, len(of.Scores))
	copy(w.v, at.v)
	w.solver.problem.A.Apply(row(w.values), row(w.v))
	clear(w.room)
	copy(w.room, of.best)
	clear(w.room[w.solver.r:w.end])
	w.take()
	w.tell(out.Iterations)
	return w.lower
}

// shorten returns the share of a step with which P is least among its halves: 1 where P falls. Scores are linear along a step, so that this takes no pass.
func shorten(w *work, from, to *passed) float64 {
	m := w.solver.problem.Labels
	at := func(share float64) float64 {
		v, s := between(from.v, to.v, share), between(from.scores, to.scores, share)
		w.solver.problem.A.Apply(row(w.values), row(v))
		return regular(w, v, w.values) + overRows(len(s)/m, 2*m, func(i int, room []float64) float64 {
			if !from.counts(i) {
				return 0
			}
			return from.soft.value(from.loss, i, s[i*m:(i+1)*m], room)
		})
	}
	first, share, least := at(0), 1.0, at(1)
	if least <= first {
		return 1
	}
	for share > shortest {
		next := at(share / 2)
		if next >= least && least < first {
			break
		}
		share, least = share/2, next
	}
	if from.soft.tau > 0 {
		return refined(at, share)
	}
	return share
}

// refined returns about where a convex function is least, near the least of the halves of 1: by golden sections, as softened losses bend abruptly.
func refined(at func(share float64) float64, share float64) float64 {
	lo, hi := share/2, min(1, 2*share)
	for range sections {
		a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
		if at(a) < at(b) {
			hi = b
		} else {
			lo = a
		}
	}
	if middle := (lo + hi) / 2; at(middle) < at(share) {
		return middle
	}
	return share
}

// between returns a + share·(b − a), and b itself where the share is 1, without rounding.
func between(a, b []float64, share float64) []float64 {
	if share == 1 {
		return slices.Clone(b)
	}
	out := slices.Clone(a)
	for i, v := range b {
		out[i] += share * (v - out[i])
	}
	return out
}

// overRows adds up what rows give, each in a room of some numbers.
func overRows(n, numbers int, of func(i int, room []float64) float64) float64 {
	part := make([]float64, n)
	parallel.For(n, rowsAtOnce, func(lo, hi int) {
		room := make([]float64, numbers)
		for i := lo; i < hi; i++ {
			part[i] = of(i, room)
		}
	})
	return floats.Sum(part)
}

// pass lets all rows pass by at a V, with a softening of their losses.
func pass(ctx context.Context, s *Solver, q *Request, v []float64, soft softening) (*passed, error) {
	t, m, d := s.problem.Targets, s.problem.Labels, s.dim/s.problem.Labels
	l, err := s.lossOf(q)
	if err != nil {
		return nil, err
	}
	loss, ok := l.(bending)
	if !ok || !Passes(q.Learner, t.Task) {
		return nil, errors.New("risk: losses of rates and of label sets need the features of all rows at once")
	}
	n, unit := t.Len(), unitOf(q.Learner, t)
	out := &passed{soft: soft, coupled: Couples(q.Learner, t.Task), learner: q.Learner, rows: q.Rows, loss: loss, v: slices.Clone(v), alpha: s.problem.Alpha, bias: s.problem.Bias, scores: make([]float64, n*m), slopes: make([]float64, n*m), sizes: make([]float64, n)}
	values, most, open, size := make([]float64, n), make([]float64, n), make([]float64, n), s.measure.Size(v)
	p, err := s.problem.Passing.Rows.Pass(ctx, blas64.General{Rows: m, Cols: d, Stride: d, Data: out.v}, parts*m, curvesOf(s, q), roughShare*s.problem.Alpha, func(g *polar.Glance) {
		parallel.For(len(g.Sizes), rowsAtOnce, func(lo, hi int) {
			room := make([]float64, 5*m)
			for k := lo; k < hi; k++ {
				i := g.First + k
				if open[i] = look(out, g, k, room); !out.counts(i) {
					continue
				}
				// An error of ‖v‖‖e‖ times a share is one of the share and ‖e‖ for ‖V‖ = 1.
				floats.AddConst(g.Share*g.Sizes[k], room[:m])
				values[i], most[i] = loss.Value(i, out.scores[i*m:(i+1)*m]), loss.Most(i, out.scores[i*m:(i+1)*m], room[:m], size)
				for y, v := range out.slopes[i*m : (i+1)*m] {
					g.Columns.Data[k*g.Columns.Stride+2*m+y] = hold(q.Learner.Kind, t, i, y, unit*t.Of(i), 1, v)
				}
			}
		})
	})
	if err != nil {
		return nil, err
	}
	out.value, out.most, out.open, out.sums, out.share = floats.Sum(values), SumUp(most), floats.Sum(open), p.Sums, p.Share
	for _, gram := range p.Grams {
		root, err := rootOf(ctx, gram, raisedBy*s.problem.Alpha)
		if err != nil {
			return nil, err
		}
		out.roots = append(out.roots, root)
	}
	return out, nil
}

// MostCurves bounds the labels that have curvatures each, where rows pass by.
const MostCurves = 16

// curvesOf returns how many G there are: one of each label where functionals leave labels apart, or else one of all. Losses that couple scores have none.
func curvesOf(s *Solver, q *Request) int {
	if Couples(q.Learner, s.problem.Targets.Task) {
		return 0
	}
	if m := s.problem.Labels; m > 1 && m <= MostCurves && s.problem.Passing.Rows.Apart() {
		return m
	}
	return 1
}

// look takes the scores of a row at a glance. It sets the slopes there, the columns of their positive and negative parts, and the curvature, and returns what
// a softening leaves open. The room has five numbers for each label, of which the first are zeros afterwards.
func look(p *passed, g *polar.Glance, k int, room []float64) (open float64) {
	i, m := g.First+k, g.Scores.Cols
	at, to, add := p.scores[i*m:(i+1)*m], p.slopes[i*m:(i+1)*m], g.Columns.Data[k*g.Columns.Stride:k*g.Columns.Stride+g.Columns.Cols]
	copy(at, g.Scores.Data[k*g.Scores.Stride:])
	var curves []float64
	if g.Curves.Cols > 0 {
		curves = g.Curves.Data[k*g.Curves.Stride : k*g.Curves.Stride+g.Curves.Cols]
		clear(curves)
	}
	if p.sizes[i] = g.Sizes[k]; !p.counts(i) {
		clear(add)
		return 0
	}
	var bends []float64
	if len(curves) > 0 {
		bends = room[m : 2*m]
	}
	open = p.soft.slopes(p.loss, i, to, bends, at, room[2*m:])
	for y, v := range bends {
		curves[y%len(curves)] = max(curves[y%len(curves)], v)
	}
	for y, v := range to {
		add[y], add[m+y] = max(0, v), min(0, v)
	}
	clear(room[:m])
	return open
}

// parts is how many sums of each label a pass makes.
const parts = 3

// Passes reports whether a learner's losses can pass by. Those of rates have slopes without a bound, and those of label sets no parabolas.
func Passes(l setting.Learner, task setting.Task) bool {
	switch l.Kind {
	case setting.SVM, setting.SquaredSVM, setting.Quantile:
		return true
	case setting.Logistic, setting.Softmax:
		return !l.LearnsSets(task)
	}
	return false
}

// rootOf returns the root of G whose lower triangle is given, with a diagonal that is raised. Rounding may leave G indefinite, and it is raised by larger
// shares of itself until there is a root. That makes steps a little shorter, and no bound depends on it.
func rootOf(ctx context.Context, g blas64.General, by float64) (root blas64.Triangular, err error) {
	found := false
	for share := raisedShare; share <= mostRaised && !found; share *= raisedMore {
		l := blas64.General{Rows: g.Rows, Cols: g.Cols, Stride: g.Stride, Data: slices.Clone(g.Data)}
		for j := range l.Rows {
			v := &l.Data[j*l.Stride+j]
			*v += share**v + by
		}
		if err := parallel.Await(ctx, func() {
			root, found = lapack64.Potrf(blas64.Symmetric{N: l.Rows, Stride: l.Stride, Data: l.Data, Uplo: blas.Lower})
		}); err != nil {
			return root, err
		}
	}
	if !found {
		return root, errors.New("risk: the curvatures of the losses have no root in floating point; standardize the features, or take fewer landmarks")
	}
	return root, nil
}

// Anchored returns what [Anchor] bounds, and the mean of the features in its weights (m×d), for rows that passed by. Scales of at most 1 leave each of its
// factors at least as large as the scaled one.
func Anchored(r *Result, m, d int) (center *mat.Dense, within []float64) {
	center = mat.NewDense(m, d, nil)
	for y := range m {
		if within = append(within, math.Inf(1)); r.passed == nil || math.IsInf(r.Excess(), 1) {
			continue
		}
		sums := r.passed.sum(2*m + y)
		if total := sums[d] / r.passed.bias; total > 0 && r.kept[y] > 0 {
			floats.ScaleTo(center.RawRowView(y), 1/total, sums[:d])
			within[y] = reach(r.passed.learner, r.Excess()/(r.kept[y]*total))
		}
	}
	return center, within
}
