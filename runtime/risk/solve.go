package risk

import (
	"cmp"
	"context"
	"slices"
)

// Solve minimizes P. A gap that is not reached is not an error: the result says so. It fails if the request does not suit
// the problem, and with ctx's error when ctx ends.
func (s *Solver) Solve(ctx context.Context, q Request) (*Result, error) {
	q.Gap, q.Limit = cmp.Or(q.Gap, s.settings.Gap), cmp.Or(q.Limit, s.settings.MaxIterations)
	asked := q.Gap
	if s.problem.Curves != nil {
		q.Gap /= 2
	}
	if s.problem.Passing != nil {
		out, lower, err := byPasses(ctx, s, &q)
		if err == nil {
			overInterval(s, out, lower, asked)
		}
		return out, err
	}
	l, err := s.lossOf(&q)
	if err != nil {
		return nil, err
	}
	cut := 0
	if s.prox != nil {
		cut = s.prox.Cut()
	}
	w := newWork(s, l, &q)
	if err := harden(ctx, w); err != nil {
		return nil, err
	}
	overInterval(s, w.out, w.lower, asked)
	w.out.Cut = !w.out.Converged && s.prox != nil && s.prox.Cut() > cut
	return w.out, nil
}

// At returns V as a result of a request, with its own P. Its lower bound is the Floor of another one.
func (s *Solver) At(ctx context.Context, q Request, v []float64, of *Result) (*Result, error) {
	if err := s.Keep(nil); err != nil {
		return nil, err
	}
	w, err := workAt(ctx, s, &q, v)
	if err != nil {
		return nil, err
	}
	keepScores(w)
	out := *of.Restart()
	out.V, out.Scores, out.Upper = slices.Clone(v), w.out.Scores, w.upper(w.v, w.values)
	out.Lower, out.Gap, out.Values, out.Multipliers = out.Floor, Gap(out.Floor, out.Upper), nil, nil
	out.Converged = out.Gap <= q.Gap
	return &out, nil
}

// workAt returns the work of a request at V. Where rows pass by, one pass gives the losses there.
func workAt(ctx context.Context, s *Solver, q *Request, v []float64) (*work, error) {
	l, err := s.lossOf(q)
	if err != nil {
		return nil, err
	}
	var w *work
	if s.problem.Passing == nil {
		w = newWork(s, l, q)
	} else {
		at, err := pass(ctx, s, q, v, soften(q.Learner, s.problem.Targets, true))
		if err != nil {
			return nil, err
		}
		if w, err = about(ctx, s, q, at, nil); err != nil {
			return nil, err
		}
		w.passed = at
	}
	copy(w.v, v)
	w.solver.problem.A.Apply(row(w.values), row(w.v))
	return w, nil
}
