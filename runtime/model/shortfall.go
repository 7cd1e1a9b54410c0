package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const (
	// Cuts contradict each other where a function that keeps all of them would be vast times as large as the free minimum, and as one that keeps a
	// single one.
	vast = 1e6
	// With margins, roomy is enough: these can be lowered.
	roomy = 1e3
	// A constant costs hardly more than a function where P differs by this share at most.
	hardly = 0.05
	// Where a minimum misses cuts, the gap of the next is closer of its own, and leastGap at least.
	closer   = 0.1
	leastGap = 1e-7
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
	for {
		r, err := k.Solve(m.f.ctx, *q)
		if err != nil {
			return nil, err
		}
		k.shortfall = shortfall{missed: below(own, cuts, r, 0), faint: below(own, cuts, r, keptShare)}
		if len(k.missed) == 0 || limits.Over(m.f.ctx) {
			return r, nil
		}
		if k.torn, k.reach = k.against(m, own, cuts, 0); len(k.torn) > 0 {
			return r, nil
		}
		if q.Gap <= leastGap || !r.Converged {
			return r, nil
		}
		q.Gap, q.Start = math.Max(closer*q.Gap, leastGap), r
	}
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

// against returns the statements of cuts that contradict each other with a share of the margins, and a bound of the norm of functions that keep
// them. It returns none where the features hardly span one of the cuts: other features may keep them.
func (k *keeping) against(m *minimizer, own *pool, cuts *risk.Cuts, share float64) (of []int, norm float64) {
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
		if slices.ContainsFunc(k.atoms(own.of[i], own.points[i]), s.lacks) {
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
		k.tight = of
	}
	return lowered
}

// level says why a result does not keep all statements. Where the constant function of its biases keeps all and costs hardly more, it returns
// that. Statements may leave no other, as a slope that is to be at least 0 and at most 0 does, and then there is no room for margins. The
// slopes of a constant are exactly 0.
func (k *keeping) level(m *minimizer, l setting.Learner, r *risk.Result, verdicts []*proof.Verdict) (*risk.Result, []Requirement, error) {
	k.blame(verdicts)
	q := risk.Request{Learner: m.weighted(l), Gap: m.f.o.Gap}
	own, err := k.At(q, r.V, r)
	if err != nil {
		return nil, nil, err
	}
	v := make([]float64, len(r.V))
	if labels := m.f.rep.Labels; m.problem.Bias > 0 {
		for y, d := 1, len(v)/labels; y <= labels; y++ {
			v[y*d-1] = r.V[y*d-1]
		}
	}
	flat, err := k.At(q, v, r)
	if err != nil || !(flat.Upper <= (1+hardly)*own.Upper) {
		return r, k.requirements(verdicts, slices.Clone(k.margins)), err
	}
	found, err := k.decide(m, flat)
	if err != nil {
		return nil, nil, err
	}
	if allProved(found) {
		return flat, k.requirements(found, make([]float64, len(found))), nil
	}
	return r, k.requirements(verdicts, slices.Clone(k.margins)), nil
}

// blame says in the verdicts of statements that are not kept why, as far as that is known.
func (k *keeping) blame(verdicts []*proof.Verdict) {
	for s, v := range verdicts {
		switch {
		case v.Answer == proof.Proved:
		case slices.Contains(k.torn, s):
			v.Reason = fmt.Sprintf("no function of the features keeps %s: its norm would be above %.0e", k.together(k.torn), k.reach)
		case slices.Contains(k.tight, s):
			v.Reason = k.together(k.tight) + " leave hardly any room for the margins that a proof needs"
		case v.Answer == proof.Refuted || slices.Contains(k.missed, s):
			v.Reason = "this fit misses it, and another may keep it; try a smaller --gap, more landmarks or a smaller region"
		}
	}
}

// together names statements that contradict each other.
func (k *keeping) together(of []int) string {
	var names []string
	for _, s := range of {
		if name := k.statements[s].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return names[0] + " at all of its points"
	}
	return "all of " + strings.Join(names, ", ")
}
