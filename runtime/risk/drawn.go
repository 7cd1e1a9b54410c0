package risk

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Losses that couple scores have a curvature for each pair of labels. Gram matrices of all pairs would take too long. A few rows tell enough of it for a
// step of Newton's method, and the slope is that of all rows. This is subsampled Newton (Xu, Yang, Roosta, Ré and Mahoney 2016). Rows are drawn anew for each
// step, and those more often that bend more. On images, rows drawn once or evenly took up to four times as many passes.
//
// With the probabilities π_i of the drawn rows i, their scores s_i° at V, and q = Eᵀg, the step minimizes
//
//	½(α‖U‖² + ρ(AU)²) + Σ_i ½(s − s_i°)ᵀH_i(s − s_i°)/π_i + Σ_y ⟨q_y, u_y − v_y⟩,   s = Ue_i.
//
// Its minimum is as near as a tenth of the gap at hand. As that gap is of slopes, P may be far nearer, and a rough minimum may lie above it. Steps come out short
// then, and later ones have nearer minima.
const (
	// drawnRows are so many, or drawnFor for each feature where that is more.
	drawnRows, drawnFor = 4096, 8
	// leastBend is the share of the mean curvature that each row is drawn by at least.
	leastBend = 0.02
	// mostShares bounds how often the probabilities of rows are scaled, as none is above 1.
	mostShares = 50
	// Parabolas may fall below 0, where a gap would mean nothing. They are raised by so many times the last P.
	raisedTimes = 1e3
	// A step that comes out short asks for minima that are tighter times as near from then on, up to mostTight times.
	tighter, mostTight = 0.3, 16
)

// Couples reports whether a learner's losses couple scores.
func Couples(l setting.Learner, task setting.Task) bool {
	return (l.Kind == setting.Logistic || l.Kind == setting.Softmax) && task == setting.Class
}

// Drawn returns how many of n rows of d features are drawn for a step; 0 where losses do not couple scores.
func Drawn(l setting.Learner, task setting.Task, n, d int) int {
	if !Couples(l, task) {
		return 0
	}
	return min(n, max(drawnRows, drawnFor*d))
}

// draw returns rows that stand for all, and the weights of their losses. Each is drawn in proportion to its curvature, by systematic sampling.
func draw(at *passed, t *learn.Targets, count int, seed uint64) (index []int, weights []float64) {
	n := len(at.sizes)
	m := len(at.scores) / n
	chance, p := make([]float64, n), make([]float64, m)
	total := 0.0
	for i := range n {
		if at.counts(i) {
			probabilities(p, at.scores[i*m:(i+1)*m])
			chance[i] = t.Of(i) * max(0, 1-dot(p, p))
			total += t.Of(i)
		}
	}
	least := leastBend * floats.Sum(chance) / total
	if least == 0 { // none bends in floating point
		least = 1
	}
	for i := range chance {
		if at.counts(i) {
			chance[i] += t.Of(i) * least
		}
	}
	share := chances(chance, count)
	sum := rand.New(rand.NewPCG(seed, 1)).Float64() //nolint:gosec // equal problems must give equal results
	// A row is taken wherever the sum of the chances passes a whole number.
	for i, v := range chance {
		own := min(1, share*v)
		if sum += own; sum >= 1 && own > 0 {
			sum--
			index, weights = append(index, i), append(weights, t.Of(i)/own)
		}
	}
	return index, weights
}

// chances returns by what to multiply numbers so that they add up to a count, where each counts as 1 at most.
func chances(of []float64, count int) float64 {
	// Each number that counts as 1 leaves less to the others.
	share := float64(count) / floats.Sum(of)
	for range mostShares {
		sum := 0.0
		for _, v := range of {
			sum += min(1, share*v)
		}
		if sum >= 0.999*float64(count) { //nolint:mnd // near enough
			break
		}
		share *= float64(count) / sum
	}
	return share
}

// aboutDrawn begins to minimize with parabolas of drawn rows in place of the losses about the V of a pass.
func aboutDrawn(ctx context.Context, s *Solver, q *Request, at *passed, start *Result) (*work, error) {
	t, m, d := s.problem.Targets, s.problem.Labels, s.dim/s.problem.Labels
	index, weights := draw(at, t, Drawn(q.Learner, t.Task, t.Len(), d), uint64(at.made)) //nolint:gosec // passes are few
	floats.Scale(q.Learner.Strength, weights)
	k := len(index)
	rows := blas64.General{Rows: k + m, Cols: d, Stride: d, Data: make([]float64, (k+m)*d)}
	if err := s.problem.Passing.Rows.Some(ctx, index, rows); err != nil {
		return nil, err
	}
	loss := bent(at, index, weights, m)
	// What is linear in U is a row for each label, of the features q_y. It has
	// the value 0 at V, and so has every parabola.
	above := s.problem.Alpha*dot(at.v, at.v)/2 + at.value
	loss.base = at.value + raisedTimes*above
	for y := range m {
		own := rows.Data[(k+y)*d : (k+y+1)*d]
		floats.AddTo(own, at.sum(y), at.sum(m+y))
		loss.base -= dot(own, at.v[y*d:(y+1)*d])
		if loss.slopes[y] = floats.Norm(own, 2); loss.slopes[y] > 0 {
			floats.Scale(1/loss.slopes[y], own)
		}
	}
	p := s.problem
	p.A, p.Roots, p.Passing, p.parabolas = p.Passing.Rows.Under(rows), nil, nil, loss
	inner, err := New(p, s.settings)
	if err != nil {
		return nil, err
	}
	if err := inner.Keep(s.cuts); err != nil {
		return nil, err
	}
	own := *q
	own.Rows, own.Carried, own.Progress, own.Gap = nil, true, nil, squaresShare/raisedTimes
	switch {
	case q.Loose: // which asks for this minimum alone
		own.Gap *= q.Gap
	case at.gap > 0:
		own.Gap *= max(q.Gap, min(at.gap, 1)) * math.Pow(tighter, float64(at.tight))
		fallthrough
	default:
		own.Limit = s.settings.MaxIterations
	}
	// Cuts of a start need not be those at hand.
	if own.Start = nil; s.cuts == nil {
		own.Start = startOf(inner, at, start, loss)
	}
	return newWork(inner, loss, &own), nil
}

// bent returns the parabolas of rows about the scores of a pass, without what is linear.
func bent(at *passed, index []int, weights []float64, m int) *parabolas {
	k := len(index)
	out := &parabolas{center: make([]float64, k*m), likely: make([]float64, k*m), weight: weights, slopes: make([]float64, m)}
	for j, i := range index {
		p := out.likely[j*m : (j+1)*m]
		copy(out.center[j*m:(j+1)*m], at.scores[i*m:(i+1)*m])
		probabilities(p, at.scores[i*m:(i+1)*m])
		for y := range p {
			p[y] = max(p[y], leastLikely)
		}
		floats.Scale(1/floats.Sum(p), p)
		out.slope = max(out.slope, weights[j]*(1-dot(p, p)))
	}
	return out
}

// startOf returns the V of a pass, where parabolas have no slope, with the multipliers of R that the last step had.
func startOf(inner *Solver, at *passed, last *Result, loss *parabolas) *Result {
	out := &Result{V: at.v, c: make([]float64, inner.r+inner.n*inner.width)}
	if last != nil && len(last.c) >= inner.r {
		copy(out.c, last.c[:inner.r])
		out.level = last.level
	}
	for y, v := range loss.slopes {
		out.c[inner.r+(len(loss.weight)+y)*inner.width+y] = v
	}
	return out
}
