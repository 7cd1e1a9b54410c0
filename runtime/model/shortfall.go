package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

const (
	// Cuts contradict each other where a function that keeps all of them would be vast times as large as the free minimum. It must also be so
	// beside one that keeps a single cut.
	vast = 1e6
	// With margins, roomy is enough: these can be lowered.
	roomy = 1e3
	// A constant costs hardly more than a function where P differs by this share at most.
	hardly = 0.05
	// Where a minimum misses cuts, the gap of the next is closer of its own, and leastGap at least.
	closer   = 0.1
	leastGap = 1e-7
	// Cuts that the features hardly span are tried for so many iterations, before they become landmarks.
	briefLimit = 100
	// They become landmarks, too, where P may fall by the share worthLandmarks of the minimum without statements.
	worthLandmarks = 0.1
	// Cuts are missed in mostMissed rounds at most.
	mostMissed = 3
)

// A shortfall says what a fit does not keep, and what is known of the reason. All are statements by number.
type shortfall struct {
	missed []int // have cuts that the last minimum misses
	faint  []int // have cuts without much of their margin at the last minimum
	torn   []int // contradict each other
	tight  []int // contradict each other with the least margins
	// reach is the least norm of functions that keep the torn ones.
	reach float64
}

// press minimizes with cuts. Where the minimum misses some, it goes on with smaller gaps, as a gap leaves room for small violations. It ends
// where cuts contradict each other.
func (k *keeping) press(m *minimizer, q *risk.Request, own *pool, cuts *risk.Cuts) (*risk.Result, error) {
	brief := q.Brief && own.bares()
	for {
		request := *q
		if request.Brief = brief; brief {
			request.Limit = briefLimit
		}
		r, err := k.Solve(m.f.ctx, request)
		if err != nil {
			return nil, err
		}
		k.strained = brief && (!r.Converged || promise(m, own, r) > worthLandmarks*k.cost)
		k.short = shortfall{missed: below(own, cuts, r, 0), faint: below(own, cuts, r, keptShare)}
		if len(k.short.missed) == 0 || limits.Over(m.f.ctx) || brief {
			return r, nil
		}
		if k.short.torn, k.short.reach = contradiction(k, m, own, cuts); len(k.short.torn) > 0 {
			return r, nil
		}
		if q.Gap <= leastGap || !r.Converged {
			return r, nil
		}
		q.Gap, q.Start = math.Max(closer*q.Gap, leastGap), r
	}
}

// promise returns about how much P would fall if what features miss of cuts were landmarks. A cut with the multiplier h that lacks a part of the squared norm ρ pulls at this
// part by h, so that αρt²/2 − hρt falls by h²ρ/2α.
func promise(m *minimizer, own *pool, r *risk.Result) (falls float64) {
	for i, h := range r.Multipliers {
		falls += h * h * own.bare[i] / (2 * m.problem.Alpha)
	}
	return falls
}

// below returns the statements of the cuts at which a result misses so much of the margin.
func below(own *pool, cuts *risk.Cuts, r *risk.Result, share float64) (out []int) {
	for i, s := range own.of {
		value := floats.Dot(cuts.Rows.RawRowView(i), r.V)
		if value < cuts.Least[i]+share*cuts.Margin[i] && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// contradiction returns a smallest set of statements that contradict each other, and bounds the norm of functions that keep them from below. It looks
// at the cuts first. Statements about one value at points that are merely near are kept by a function that is steep between them. So it looks at the
// points of the missed ones in the regions of the others, too.
func contradiction(k *keeping, m *minimizer, own *pool, cuts *risk.Cuts) (of []int, norm float64) {
	all := own
	if of, norm = k.against(m, own, cuts, 0); len(of) == 0 {
		both := crossed(k, m, own)
		if len(both.of) == len(own.of) {
			return nil, 0
		}
		all = &both
		if of, norm = k.against(m, all, k.cutsOf(all), 0); len(of) == 0 {
			return nil, 0
		}
	}
	for _, s := range slices.Clone(of) {
		rest := all.among(slices.DeleteFunc(slices.Clone(of), func(t int) bool { return t == s }))
		if fewer, least := k.against(m, &rest, k.cutsOf(&rest), 0); len(fewer) > 0 {
			of, norm = fewer, least
		}
	}
	return of, norm
}

// mostCrossed bounds the points that crossed adds.
const mostCrossed = 400

// crossed returns a pool with the points of missed statements as points of each other, where they lie in the others' regions.
func crossed(k *keeping, m *minimizer, own *pool) pool {
	out, found, count := own.clone(), make([][][]float64, len(k.statements)), 0
	for i, from := range own.of {
		if !slices.Contains(k.short.missed, from) {
			continue
		}
		for _, s := range k.short.missed {
			if s != from && count < mostCrossed && k.statements[s].Holds(own.points[i]) {
				found[s] = append(found[s], own.points[i])
				count++
			}
		}
	}
	k.join(m, &out, found)
	return out
}

// against returns the statements of cuts that contradict each other with a share of the margins. It bounds the norm of functions that keep them
// from below. It returns none where the features hardly span one of the cuts: other features may keep them.
func (k *keeping) against(m *minimizer, own *pool, cuts *risk.Cuts, share float64) (of []int, norm float64) {
	if cuts == nil {
		return nil, 0
	}
	c := cuts.Conflict(share)
	unit := k.norm
	for i, u := range c.Multipliers {
		if u > 0 {
			unit = math.Max(unit, (cuts.Least[i]+share*cuts.Margin[i])/floats.Norm(cuts.Rows.RawRowView(i), 2))
		}
	}
	most := vast
	if share > 0 {
		most = roomy
	}
	if !(c.Norm > most*unit) {
		return nil, 0
	}
	s := newSpan(m.f.rep.Features)
	for i, u := range c.Multipliers {
		if u == 0 {
			continue
		}
		if slices.ContainsFunc(atomsOf(&k.statements[own.of[i]], own.points[i]), s.lacks) {
			return nil, 0
		}
		if !slices.Contains(of, own.of[i]) {
			of = append(of, own.of[i])
		}
	}
	slices.Sort(of)
	return of, c.Norm
}

// relax lowers the margins of statements that contradict each other with them alone, and reports whether it did. Those that are least already
// are tight.
func (k *keeping) relax(m *minimizer, own *pool, cuts *risk.Cuts) (lowered bool) {
	of, _ := k.against(m, own, cuts, 1)
	for _, s := range of {
		to := math.Max(lower*k.margins[s], k.floors[s])
		lowered = lowered || to < k.margins[s]
		k.margins[s] = to
	}
	if !lowered {
		k.short.tight = of
	}
	return lowered
}

// level says why a result does not keep all statements. Where a constant function keeps all, and costs hardly more than any that does, it
// returns that. Statements may leave no other, as a slope that is to be at least 0 and at most 0 does. There is then no room for
// margins. The slopes of a constant are exactly 0. What is open for want of work alone stays so.
func (k *keeping) level(m *minimizer, l setting.Learner, r *risk.Result, verdicts []*proof.Verdict) (*risk.Result, []Requirement, error) {
	k.short.blame(k.statements, verdicts, r.Converged)
	as := withVerdicts(k.statements, verdicts, k.margins)
	if len(k.short.missed) == 0 && len(k.short.tight) == 0 {
		return r, as, nil
	}
	// The biases of an iterate far from a minimum mean nothing, so those of the minimum without statements are tried, too.
	for _, from := range []*risk.Result{r, k.free} {
		if from == nil {
			continue
		}
		flat, err := k.At(m.f.ctx, risk.Request{Learner: m.weighted(l), Gap: m.f.o.Gap}, biasesOf(m, from.V), r)
		if err != nil {
			return nil, nil, err
		}
		if !(flat.Upper-r.Floor <= hardly*math.Abs(r.Floor)) {
			continue
		}
		found, err := k.decide(m, flat)
		if err != nil {
			return nil, nil, err
		}
		if allProved(found) {
			return flat, withVerdicts(k.statements, found, make([]float64, len(found))), nil
		}
	}
	return r, as, nil
}

// biasesOf returns the constant function with the biases of V.
func biasesOf(m *minimizer, of []float64) []float64 {
	v := make([]float64, len(of))
	if labels := m.f.rep.Labels; m.problem.Bias > 0 {
		for y, d := 1, len(v)/labels; y <= labels; y++ {
			v[y*d-1] = of[y*d-1]
		}
	}
	return v
}

// blame says in the verdicts of statements that are not kept why, as far as that is known. A smaller gap helps where the one asked for was reached.
func (f *shortfall) blame(statements []statement.Statement, verdicts []*proof.Verdict, reached bool) {
	mend := "more landmarks, a smaller region or method risk(margin = 0.0001)"
	if reached {
		mend = "a smaller --gap, " + mend
	}
	for s, v := range verdicts {
		switch {
		case v.Answer == proof.Proved:
		case slices.Contains(f.torn, s):
			v.Reason = fmt.Sprintf("no function of the features keeps %s: its norm would be above %.0e", together(statements, f.torn), f.reach)
		case slices.Contains(f.tight, s):
			v.Reason = together(statements, f.tight) + " leave hardly any room for the margins that a proof needs"
		case v.Answer == proof.Refuted || slices.Contains(f.missed, s):
			v.Reason = "this fit misses it, and another may keep it; try " + mend
		}
	}
}

// together names statements that contradict each other.
func together(statements []statement.Statement, of []int) string {
	var names []string
	for _, s := range of {
		if name := statements[s].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return names[0] + " at all of its points"
	}
	return "all of " + strings.Join(names, ", ")
}

const (
	// A part of a cut becomes a landmark where the features hold less than spannedShare of its squared norm.
	spannedShare = 0.9
	// mostWidened bounds the landmarks that cuts add, and mostSurveys how often they do.
	mostWidened = 400
	mostSurveys = 24
)

// survey finds the cuts that all fits of a minimizer begin with, and makes landmarks of those that the features hardly span. Far from
// all landmarks every function of the features is nearly 0, so that no margin could be kept there. It returns the minimizer on the features
// at the end.
func survey(m *minimizer, k *keeping, l setting.Learner) (*minimizer, error) {
	f := m.f
	q := risk.Request{Learner: m.weighted(l), Gap: f.o.Gap, Brief: true}
	if err := k.size(m, q); err != nil {
		return nil, err
	}
	added := 0
	for range mostSurveys {
		marks, count := k.unspanned(m, mostWidened-added)
		if len(k.short.faint) == 0 && !k.strained || count == 0 {
			break
		}
		added += count
		var err error
		if f.rep.Features, err = embed.Extended(f.ctx, f.rep.Features, marks); err != nil {
			return nil, err
		}
		old := k
		if m, err = posed(f, f.reg.Nodes); err != nil {
			return nil, err
		}
		k = m.solver.(*keeping) //nolint:forcetypeassert // the options are the same
		k.statements, k.margins, k.floors, k.norm, k.cost = old.statements, old.margins, old.floors, old.norm, old.cost
		relearn(m, k, &old.known)
		if _, err = k.rounds(m, q, &k.known); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// relearn gives a keeping the points of a pool, whose functionals it evaluates on the features at hand.
func relearn(m *minimizer, k *keeping, known *pool) {
	found := make([][][]float64, len(k.statements))
	for i, s := range known.of {
		found[s] = append(found[s], known.points[i])
	}
	k.join(m, &k.known, found)
}

// An atom is a value or a derivative at a point, a part of a cut.
type atom struct {
	point, along []float64
	order        int
	weight       float64
}

// bareAt returns about how much of the squared norm of a statement's functional at each point features miss. Parts that they span count as 0.
func bareAt(features embed.Map, s *statement.Statement, points [][]float64) []float64 {
	out := make([]float64, len(points))
	var atoms [kernel.MostOrder + 1][]atom
	var of [kernel.MostOrder + 1][]int
	for i, p := range points {
		for _, a := range atomsOf(s, p) {
			atoms[a.order], of[a.order] = append(atoms[a.order], a), append(of[a.order], i)
		}
	}
	for order, all := range atoms {
		if len(all) == 0 {
			continue
		}
		held := mat.NewDense(len(all), features.Dim(), nil)
		features.Derivatives(held, argumentOf(all))
		for k := range all {
			out[of[order][k]] += all[k].weight * all[k].weight * missing(features, &all[k], held.RawRowView(k))
		}
	}
	return out
}

// unspanned returns the parts of the first cuts that the features hardly span as landmarks, at most so many.
func (k *keeping) unspanned(m *minimizer, most int) (marks []kernel.Argument, count int) {
	var lost [kernel.MostOrder + 1][]atom
	span := newSpan(m.f.rep.Features)
	for i, s := range k.known.of {
		for _, a := range atomsOf(&k.statements[s], k.known.points[i]) {
			if count < most && span.lacks(a) {
				lost[a.order] = append(lost[a.order], a)
				count++
			}
		}
	}
	for _, atoms := range lost {
		if len(atoms) > 0 {
			marks = append(marks, argumentOf(atoms))
		}
	}
	return marks, count
}

// atomsOf returns the parts of the functional of a statement at a point.
func atomsOf(s *statement.Statement, point []float64) (out []atom) {
	for i := range s.Terms {
		t := &s.Terms[i]
		at := make([]float64, len(point))
		t.At(at, point)
		one := atom{point: at, order: len(t.Derive), along: make([]float64, len(point)), weight: t.Coef}
		for _, c := range t.Derive {
			one.along[c] = 1
		}
		mixed := len(t.Derive) == 2 && t.Derive[0] != t.Derive[1]
		if mixed { // ∂u∂v is ¼(D²[u + v] − D²[u − v])
			one.weight /= 4
		}
		if out = append(out, one); mixed {
			other := atom{point: at, order: 2, along: append([]float64(nil), one.along...), weight: -one.weight}
			other.along[t.Derive[1]] = -1
			out = append(out, other)
		}
	}
	return out
}

// argument returns an atom as an argument of a kernel.
func (a *atom) argument() kernel.Argument { return argumentOf([]atom{*a}) }

// argumentOf returns atoms of one order as an argument of a kernel.
func argumentOf(atoms []atom) kernel.Argument {
	p := len(atoms[0].point)
	x := kernel.Argument{Points: mat.NewDense(len(atoms), p, nil), Along: mat.NewDense(len(atoms), p, nil), Order: atoms[0].order}
	for i := range atoms {
		x.Points.SetRow(i, atoms[i].point)
		x.Along.SetRow(i, atoms[i].along)
	}
	if x.Order == 0 {
		x.Along = nil
	}
	return x
}

// missing returns how much of the squared norm of an atom features miss, of which they hold held; 0 where that is little.
func missing(features embed.Map, a *atom, held []float64) float64 {
	x, own := a.argument(), mat.NewDense(1, 1, nil)
	features.Kernel().Derived(own, x, x)
	if has := floats.Dot(held, held); has < spannedShare*own.At(0, 0) {
		return own.At(0, 0) - has
	}
	return 0
}

// A span tells which atoms features hold.
type span struct {
	features embed.Map
	held     *mat.Dense
}

// newSpan prepares to look at atoms.
func newSpan(features embed.Map) *span {
	return &span{features, mat.NewDense(1, features.Dim(), nil)}
}

// lacks reports whether the features hardly span an atom.
func (s *span) lacks(a atom) bool {
	s.features.Derivatives(s.held, a.argument())
	return missing(s.features, &a, s.held.RawRowView(0)) > 0
}
