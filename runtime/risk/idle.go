package risk

import (
	"context"
	"math"
)

// Idle returns the gap of a result with 0 in place of the multipliers that R has. With g the slopes of the losses,
//
//	D(0, g)  ≤  min P without R  ≤  min P  ≤  P(V).
//
// So V minimizes the risk without R, too, to that gap, and R is idle where it is small. That R(V) is small says no such thing, as large weights
// make it small. Without R it is 0. The result is that of the same problem and request.
func Idle(ctx context.Context, s *Solver, q Request, r *Result) (float64, error) {
	if s.r == 0 {
		return 0, nil
	}
	if s.problem.Passing != nil {
		return idleByPass(ctx, s, &q, r)
	}
	l, err := s.lossOf(&q)
	if err != nil {
		return 0, err
	}
	w := newWork(s, l, &q)
	copy(w.v, r.V)
	s.problem.A.Apply(row(w.values), row(w.v))
	lower := math.Inf(-1)
	for _, slopes := range [][]float64{r.Slopes, nil} { // the multipliers at hand, and the gradients at V
		clear(w.room)
		g := w.room[s.r:w.end]
		if copy(g, slopes); len(slopes) != len(g) {
			w.eachRow(g, func(i int, g []float64) { w.loss.Gradient(i, g, w.values[s.r+i*s.width:s.r+(i+1)*s.width]) })
		}
		lower = max(lower, w.dual(w.values[s.r:w.end]))
	}
	return Gap(lower, r.Upper), nil
}

// idleByPass does what Idle does with the slopes of a pass.
func idleByPass(ctx context.Context, s *Solver, q *Request, r *Result) (float64, error) {
	if r.passed == nil {
		return math.Inf(1), nil
	}
	w, err := about(ctx, s, q, r.passed, nil)
	if err != nil {
		return 0, err
	}
	w.passed = r.passed
	copy(w.v, r.passed.v)
	return Gap(w.dual(w.values[w.solver.r:w.end]), r.Upper), nil
}

// OffShare returns the part of a result's gap by which sums of squares may be off; more iterations take nothing of it.
func OffShare(s *Solver, q Request, r *Result) float64 {
	sq := s.problem.Squares
	if sq == nil || !(r.Upper > 0) {
		return 0
	}
	size := s.measure.Size(r.V)
	return (sq.Off*size*size + sq.Base) / (q.Learner.Strength * r.Upper)
}
