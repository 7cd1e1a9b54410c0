package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
	"github.com/sipc-ml/sipc/runtime/worst"
)

const (
	// The margin of a statement is marginShare of its size at the training rows (Options.Margin), and at least leastMargin of ‖f‖‖L‖.
	// So data which ask for nothing leave something to prove.
	marginShare = 1e-3
	leastMargin = 1e-6
	// It is at most marginOfSlack of what the function 0 leaves: a small effect may be all that is allowed.
	marginOfSlack = 0.1
	// The size is that at sizeRows rows at most.
	sizeRows = 1000
	// Both sides of an equation are kept to within equalShare of the size, as no numbers in floating point are exactly equal.
	equalShare = 1e-6
	// A statement is searched for points below keptShare of its margin.
	keptShare = 0.5
	// mostPoints bounds the cuts that a statement adds in a round.
	mostPoints = 8
	// Points that differ by less in every prepared column are one cut: Q would be singular to within rounding.
	samePoint = 1e-9
	// Cuts without a multiplier stay for mostIdle rounds.
	mostIdle = 3
	// mostRounds bounds how often cuts are added to a fit, and mostRaises how often margins are raised for a proof.
	mostRounds = 120
	mostRaises = 8
	// raise is the factor of a margin whose statement stays open.
	raise = 2
	// The margin of an equation is at most mostWithin of what it is kept to within.
	mostWithin = 0.9
	// Where the price of margins misses the gap, they are lowered by the factor lower, mostLowered times at most. They stay above
	// leastMargin of ‖f‖‖L‖.
	lower       = 0.25
	mostLowered = 3
)

// A keeping minimizes over the functions that keep statements (Options.Require). It minimizes over those that keep them at
// finitely many points, and finds points at which the minimum falls short. It adds these as cuts, and minimizes again.
type keeping struct {
	convex
	statements []statement.Statement
	// margins are those of the statements, and floors are their least values. Both are nil until a first minimum without cuts tells
	// their sizes.
	margins, floors []float64
	// norm is that of the minimum without cuts, and free the minimum itself, of the learner freeOf with its weights.
	norm   float64
	free   *risk.Result
	freeOf setting.Learner
	// short says what the last minimum misses.
	short shortfall
	// strained says that the last minimum kept cuts at a high price, as the features hardly span some of them. cost is P at the minimum without cuts.
	strained bool
	cost     float64
	// known are the points that a fit begins with.
	known pool
	// function has the features' kernel and landmarks, with coefficients that With replaces.
	function *proof.Function
}

// A pool holds points at which statements are kept.
type pool struct {
	of     []int       // the statement of each point
	points [][]float64 // prepared
	rows   [][]float64 // functionals in the features
	idle   []int       // rounds since each had a multiplier
	bare   []float64   // how much of its squared norm features miss, of parts that they hardly span
}

// bares reports whether there is a point with a part that features hardly span.
func (p *pool) bares() bool {
	return slices.ContainsFunc(p.bare, func(v float64) bool { return v > 0 })
}

// clone returns a pool that grows by itself.
func (p *pool) clone() pool {
	return pool{slices.Clone(p.of), slices.Clone(p.points), slices.Clone(p.rows), slices.Clone(p.idle), slices.Clone(p.bare)}
}

// add adds a point.
func (p *pool) add(of int, point, row []float64, idle int, bare float64) {
	p.of, p.points, p.rows, p.idle, p.bare = append(p.of, of), append(p.points, point), append(p.rows, row), append(p.idle, idle), append(p.bare, bare)
}

// among returns the points of some statements.
func (p *pool) among(statements []int) (out pool) {
	for i, s := range p.of {
		if slices.Contains(statements, s) {
			out.add(s, p.points[i], p.rows[i], p.idle[i], p.bare[i])
		}
	}
	return out
}

// without returns the points of a statement that are not in the pool. Where such a point falls short all the same, the statements
// contradict each other, and no further cut would help.
func (p *pool) without(s int, points [][]float64) (out [][]float64) {
	for _, x := range points {
		if !p.has(s, x) {
			out = append(out, x)
		}
	}
	return out
}

// has reports whether a point of a statement is in the pool.
func (p *pool) has(s int, x []float64) bool {
	for i, y := range p.points {
		if p.of[i] == s && floats.Distance(x, y, math.Inf(1)) <= samePoint {
			return true
		}
	}
	return false
}

// prune takes cuts out of the pool that had no multiplier at a result, but for those of the last rounds. It returns the result without
// them. Most points that fall short in the first rounds are far from any that matter at the end.
func (p *pool) prune(r *risk.Result) *risk.Result {
	if len(r.Multipliers) != len(p.of) || len(p.of) == 0 {
		return r
	}
	kept, out := pool{}, *r
	out.Multipliers, out.Values = nil, nil
	for i, h := range r.Multipliers {
		idle := p.idle[i] + 1
		if h < 0 {
			idle = 0
		}
		if idle > mostIdle {
			continue
		}
		kept.add(p.of[i], p.points[i], p.rows[i], idle, p.bare[i])
		out.Multipliers = append(out.Multipliers, h)
	}
	dropped := len(kept.of) < len(p.of)
	*p = kept
	if dropped {
		return out.Restart()
	}
	return r
}

// newKeeping prepares to keep the statements of the options.
func newKeeping(f *fitter, c convex) (*keeping, error) {
	none := mat.NewDense(f.rep.Labels, f.rep.Features.Dim(), nil)
	function, err := functionOf(f.rep, landmarkCoefficients(f.rep, none.RawMatrix().Data), make([]float64, f.rep.Labels))
	if err != nil {
		return nil, err
	}
	statements, err := f.o.Require(f.ctx)
	return &keeping{convex: c, statements: slices.Clone(statements), function: function}, err
}

// solve implements riskSolver. Its bounds are those of the minimum among all functions that keep the statements. So
// the price of the margins is a part of the gap.
func (k *keeping) solve(m *minimizer, l setting.Learner, rows []bool, most effort, progress func(int, float64)) (*risk.Result, error) {
	if err := k.size(m, risk.Request{Learner: l, Gap: m.f.o.Gap, Limit: most.iterations, MaxWork: most.work}); err != nil {
		return nil, err
	}
	own := k.known.clone()
	return k.rounds(m, risk.Request{Learner: l, Rows: rows, Gap: m.f.o.Gap, Limit: most.iterations, MaxWork: most.work, Progress: progress}, &own)
}

// rounds minimizes and adds cuts until no point is found that needs one. It ends early where cuts contradict each other or the time is
// over. A proof then says what the last function keeps. Where rows pass by, minima with squares in place of losses tell most points, and the last
// minimum is that of the rows.
func (k *keeping) rounds(m *minimizer, q risk.Request, own *pool) (*risk.Result, error) {
	missed := 0
	q.Loose = m.problem.Passing != nil
	for left := mostRounds; left > 0; left-- {
		q.Loose = q.Loose && (left > 1 || q.Brief) // what is brief needs no bounds
		tellAt(m.f, fmt.Sprintf("keep statements at %d points", len(own.of)))
		cuts := k.cutsOf(own)
		if err := k.Keep(cuts); err != nil {
			return nil, err
		}
		r, err := k.press(m, &q, own, cuts)
		if err != nil {
			return nil, err
		}
		if q.Loose && !q.Brief && len(k.short.missed) > 0 {
			q.Loose, q.Start = false, r
			continue
		}
		if endsRounds(k, m, &q, own, cuts, r, &missed) {
			return withoutMargins(r, m.f.o.Gap), nil
		}
		found, err := k.fallen(m, r)
		if err != nil {
			return nil, err
		}
		q.Start = own.prune(r)
		more := k.join(m, own, found) && !limits.Over(m.f.ctx)
		if !more && (!q.Loose || q.Brief) {
			break
		}
		q.Loose = more && m.problem.Passing != nil
	}
	return withoutMargins(q.Start, m.f.o.Gap), nil
}

// endsRounds reports whether no further cut helps, and counts rounds in a row that miss some. Brief rounds end where landmarks may be all that the cuts need.
func endsRounds(k *keeping, m *minimizer, q *risk.Request, own *pool, cuts *risk.Cuts, r *risk.Result, missed *int) bool {
	misses := len(k.short.missed) > 0
	if len(k.short.torn) > 0 || q.Brief && own.bares() && (misses || !r.Converged) {
		return true
	}
	if !misses {
		return false
	}
	if *missed++; k.relax(m, own, cuts) {
		*missed = 0
		return false
	}
	return *missed > mostMissed || len(k.short.tight) > 0
}

// withoutMargins returns a result with the bounds that hold without margins.
func withoutMargins(r *risk.Result, asked float64) *risk.Result {
	r.Lower, r.Gap = r.Floor, risk.Gap(r.Floor, r.Upper)
	r.Converged = r.Gap <= asked
	return r
}

// fallen returns for each statement points at which the function of a result is below keptShare of the margin.
func (k *keeping) fallen(m *minimizer, r *risk.Result) ([][][]float64, error) {
	function, err := k.of(m, r)
	if err != nil {
		return nil, err
	}
	found := make([][][]float64, len(k.statements))
	for s := range k.statements {
		points, err := worst.Search(m.f.ctx, function, &k.statements[s], keptShare*k.margins[s], mostPoints)
		if err != nil {
			return nil, err
		}
		for _, p := range points {
			found[s] = append(found[s], p.X)
		}
	}
	return found, nil
}

// join adds points to a pool, and reports whether there were any.
func (k *keeping) join(m *minimizer, own *pool, found [][][]float64) (joined bool) {
	phi := m.biased(m.problem.Bias)
	for s, points := range found {
		if len(points) == 0 {
			continue
		}
		if points = own.without(s, points); len(points) == 0 {
			continue
		}
		joined = true
		x := mat.NewDense(len(points), len(points[0]), nil)
		for i, p := range points {
			x.SetRow(i, p)
		}
		rows := rowsOf(phi, m.f.rep.Labels, &k.statements[s], x)
		bare := bareAt(m.f.rep.Features, &k.statements[s], points)
		for i, p := range points {
			own.add(s, p, rows.RawRowView(i), 0, bare[i])
		}
	}
	return joined
}

// cutsOf returns the cuts at the points of a pool; nil where it has none. The constant of a statement goes into the least value, as a
// cut bounds a linear functional.
func (k *keeping) cutsOf(p *pool) *risk.Cuts {
	if len(p.of) == 0 {
		return nil
	}
	c := &risk.Cuts{Rows: mat.NewDense(len(p.rows), len(p.rows[0]), slices.Concat(p.rows...))}
	for _, s := range p.of {
		c.Least, c.Margin = append(c.Least, -k.statements[s].Constant), append(c.Margin, k.margins[s])
	}
	return c
}

// of returns the function of a result.
func (k *keeping) of(m *minimizer, r *risk.Result) (*proof.Function, error) {
	fit := m.fit(m.unweighted(m.f.o.Learner), r)
	return k.function.With(rowsOfDense(landmarkCoefficients(m.f.rep, fit.Weights.RawMatrix().Data)), fit.Bias)
}

// size sets the margins by the minimum f of a learner without cuts. That of a statement with the functional L is, with rows x_i,
//
//	ε = max(10⁻³ √(Σ_i (Lf)(x_i)²/n), 10⁻⁶ ‖f‖ max_i ‖L_{x_i}‖),
//
// and at most a tenth of a constant c > 0, for which the function 0 keeps the statement. Options.Margin stands in for 10⁻³. The margin of an equation
// is 10⁻⁶ of the root. Rows are at most sizeRows of the training rows, evenly
// taken. The first points are those of the minimum with cuts over all rows. All fits of this minimizer
// begin with these points, so that the order in which learners are compared decides nothing.
func (k *keeping) size(m *minimizer, q risk.Request) error {
	if k.margins != nil {
		return nil
	}
	if err := k.Keep(nil); err != nil {
		return err
	}
	free, err := k.Solve(m.f.ctx, q)
	if err != nil {
		return err
	}
	phi := m.biased(m.problem.Bias)
	k.margins, k.floors = make([]float64, len(k.statements)), make([]float64, len(k.statements))
	k.norm, k.cost, k.free, k.freeOf = floats.Norm(free.V, 2), free.Upper, free, q.Learner
	sample := evenly(m.f.train.X, sizeRows)
	for s := range k.statements {
		rows := rowsOf(phi, m.f.rep.Labels, &k.statements[s], sample)
		size, length := sizeOf(rows, free.V)
		k.floors[s] = leastMargin * k.norm * length
		margin := cmp.Or(m.f.o.Margin, marginShare) * size
		if slack := k.statements[s].Constant; slack > 0 {
			margin, k.floors[s] = math.Min(margin, marginOfSlack*slack), math.Min(k.floors[s], marginOfSlack*slack)
		}
		k.margins[s] = math.Max(margin, k.floors[s])
		if st := &k.statements[s]; st.Equal {
			k.margins[s] = math.Max(equalShare*size, k.floors[s])
			st.Within = 2 * k.margins[s]
			st.Constant += st.Within
			st.Text += fmt.Sprintf(", kept to within %.2g", st.Within)
		}
	}
	_, err = k.rounds(m, q, &k.known)
	return err
}

// evenly returns at most so many rows of x, evenly taken.
func evenly(x *mat.Dense, most int) *mat.Dense {
	n, p := x.Dims()
	if n <= most {
		return x
	}
	out := mat.NewDense(most, p, nil)
	for i := range most {
		out.SetRow(i, x.RawRowView(i*n/most))
	}
	return out
}

// sizeOf returns the root mean square of functionals at V, and the largest of their lengths. Rows outside of the region count, too: the
// size is a unit, and not a bound.
func sizeOf(rows *mat.Dense, v []float64) (size, length float64) {
	n, _ := rows.Dims()
	for i := range n {
		row := rows.RawRowView(i)
		t := floats.Dot(row, v)
		size += t * t / float64(n)
		length = max(length, floats.Norm(row, 2))
	}
	return math.Sqrt(size), length
}

// prove proves the statements of the function of a result, as settle does, and lowers margins where their price misses the gap. It returns the last
// result and what was found of it.
func (k *keeping) prove(m *minimizer, l setting.Learner, r *risk.Result) (*risk.Result, []Requirement, error) {
	own := k.known.clone()
	r, verdicts, err := k.settle(m, risk.Request{Learner: m.weighted(l), Gap: m.f.o.Gap, Start: r}, &own)
	switch {
	case err != nil:
		return nil, nil, err
	case allProved(verdicts):
		return k.lower(m, l, r, &own, verdicts)
	case len(k.short.torn) > 0:
		k.short.blame(k.statements, verdicts, r.Converged)
		return r, withVerdicts(k.statements, verdicts, k.margins), nil
	default:
		return k.level(m, l, r, verdicts)
	}
}

// settle decides the statements of the result that a request starts from. Points that refute one become cuts, and margins of those that stay
// open are raised, until all are proved or no more is tried. It returns the last result and what was found of it.
func (k *keeping) settle(m *minimizer, q risk.Request, own *pool) (*risk.Result, []*proof.Verdict, error) {
	raises := 0
	for range mostRounds {
		tellAt(m.f, "prove statements")
		verdicts, err := k.decide(m, q.Start)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(verdicts, func(v *proof.Verdict) bool { return v.Answer == proof.Open }) {
			raises++
		}
		stuck := len(k.short.torn) > 0 || len(k.short.missed) > 0 || raises > mostRaises || limits.Over(m.f.ctx)
		if allProved(verdicts) || stuck || !k.answer(m, own, verdicts) {
			return q.Start, verdicts, nil
		}
		if q.Start, err = k.rounds(m, q, own); err != nil {
			return nil, nil, err
		}
	}
	verdicts, err := k.decide(m, q.Start)
	return q.Start, verdicts, err
}

// lower lowers the margins of a proved result while the gap is missed, as long as all stays proved. The price of a margin is about its
// multiplier times the margin.
func (k *keeping) lower(m *minimizer, l setting.Learner, r *risk.Result, own *pool, verdicts []*proof.Verdict) (*risk.Result, []Requirement, error) {
	best := withVerdicts(k.statements, verdicts, k.margins)
	for range mostLowered {
		if r.Gap <= m.f.o.Gap || limits.Over(m.f.ctx) {
			break
		}
		for s, floor := range k.floors {
			k.margins[s] = math.Max(lower*k.margins[s], floor)
		}
		// What the solver leaves of the gap is missed, too, where the loss is not squared.
		q := risk.Request{Learner: m.weighted(l), Gap: lower * m.f.o.Gap, Start: r}
		next, err := k.rounds(m, q, own)
		if err != nil {
			return nil, nil, err
		}
		q.Start = next
		next, verdicts, err := k.settle(m, q, own)
		if err != nil {
			return nil, nil, err
		}
		if next.Gap >= r.Gap || !allProved(verdicts) {
			break
		}
		r, best = next, withVerdicts(k.statements, verdicts, k.margins)
	}
	return r, best, nil
}

// withVerdicts returns statements with their verdicts and the margins that were aimed at.
func withVerdicts(statements []statement.Statement, verdicts []*proof.Verdict, aims []float64) []Requirement {
	out := make([]Requirement, len(verdicts))
	for s, v := range verdicts {
		out[s] = Requirement{Statement: statements[s], Verdict: v, Aim: aims[s]}
	}
	return out
}

// answer adds cuts where statements are refuted and raises margins of those that are open. It reports whether there were any. A larger
// margin helps where g is so near to 0 that bounds and rounding decide nothing. It does not where the region is too large for the
// work that is allowed. The statement is then open at the end, and the report says why.
func (k *keeping) answer(m *minimizer, own *pool, verdicts []*proof.Verdict) (answered bool) {
	found := make([][][]float64, len(verdicts))
	for s, v := range verdicts {
		switch v.Answer {
		case proof.Refuted:
			found[s] = [][]float64{v.At}
		case proof.Open:
			answered = raised(k, s) || answered
		case proof.Proved:
		}
	}
	return k.join(m, own, found) || answered
}

// raised raises the margin of a statement, and reports whether it could. That of an equation stays below what the equation is kept to within:
// both of its sides could not be kept with more.
func raised(k *keeping, s int) bool {
	to := raise * k.margins[s]
	if st := &k.statements[s]; st.Equal {
		to = math.Min(to, mostWithin*st.Within)
	}
	if len(k.short.missed) > 0 || to <= k.margins[s] {
		return false
	}
	k.margins[s] = to
	return true
}

// allProved reports whether all verdicts are that statements hold.
func allProved(verdicts []*proof.Verdict) bool {
	return !slices.ContainsFunc(verdicts, func(v *proof.Verdict) bool { return v.Answer != proof.Proved })
}

// decide decides the statements about the function of a result, one after the other. Each proof uses all processors.
func (k *keeping) decide(m *minimizer, r *risk.Result) ([]*proof.Verdict, error) {
	function, err := k.of(m, r)
	verdicts := make([]*proof.Verdict, len(k.statements))
	for s := 0; s < len(verdicts) && err == nil; s++ {
		verdicts[s], err = function.Prove(m.f.ctx, &k.statements[s], proof.Options{Suspects: worst.Suspects})
	}
	return verdicts, err
}

// twinOf returns the minimum without statements. The same spec without `require` would predict by it, at the strength that was chosen with
// the statements in force. If margins were sized at another strength it is found from the minimum with statements on, and the solver has no cuts
// afterwards.
func twinOf(k *keeping, m *minimizer, l setting.Learner, from *risk.Result) (*Twin, error) {
	r := k.free
	if l := m.weighted(l); r == nil || l != k.freeOf {
		if err := k.Keep(nil); err != nil {
			return nil, err
		}
		start := from.Restart()
		start.Multipliers, start.Values = nil, nil
		var err error
		if r, err = k.Solve(m.f.ctx, risk.Request{Learner: l, Gap: m.f.o.Gap, Start: start}); err != nil {
			return nil, err
		}
	}
	fit := m.fit(l, r)
	return &Twin{Coefficients: landmarkCoefficients(m.f.rep, fit.Weights.RawMatrix().Data), Bias: fit.Bias}, nil
}
