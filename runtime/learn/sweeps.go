package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// solveSweeps ascends the dual one coordinate after the other (Hsieh et al., "A dual coordinate descent method for
// large-scale linear SVM", 2008). The method of multipliers enforces the equalities of the free biases: ½ε(b_g −
// c_g)² draws each bias to a centre, which makes it
//
//	b_g = c_g + (1/ε) Σ_{i∈g} β_i,
//
// and the centres follow the biases. The bounds are taken at a dual point that meets the equalities exactly.
func (p *hinge) solveSweeps(ctx context.Context, l *setting.Learner) (*hingeSolution, error) {
	a := newSweepAscent(p)
	rng := rand.New(rand.NewPCG(uint64(p.rows.n), uint64(p.rows.dim)))
	var best *hingeSolution
	next := 4
	for sweep := 1; ; sweep++ {
		if err := a.sweep(ctx, rng); err != nil {
			return nil, err
		}
		a.recentre()
		over := limits.Over(ctx)
		if sweep < next && sweep < l.MaxSweeps && !over {
			continue
		}
		// Bounds cost about a sweep, so their distance grows with the sweeps made.
		next = sweep + max(4, sweep/4)
		s := a.solution()
		s.iterations = sweep
		best = better(best, s)
		if best.relativeGap() <= l.Gap || sweep >= l.MaxSweeps || over {
			return best, nil
		}
		a.wake()
	}
}

// better returns the solution with the lower upper bound, and the best lower bound of both.
func better(best, s *hingeSolution) *hingeSolution {
	if best == nil {
		return s
	}
	lower, beta := best.lower, best.beta
	if s.lower > lower {
		lower, beta = s.lower, s.beta
	}
	if best.upper < s.upper {
		best.lower, best.beta, best.iterations = lower, beta, s.iterations
		return best
	}
	s.lower, s.beta = lower, beta
	return s
}

// sweepAscent is the state of the ascent.
type sweepAscent struct {
	*hinge
	// square is ‖x_i‖².
	square  []float64
	beta, w []float64
	// bias are b_g and centre c_g.
	bias, centre []float64
	// stiffness is 1/ε.
	stiffness float64
	// active are coordinates that do not rest at a bound. One comes to rest if its gradient points beyond the bound
	// by more than rest.
	active []int
	rest   float64
}

// newSweepAscent begins at β = 0. Its stiffness is the mean ‖x_i‖², so that biases move as fast as scores.
func newSweepAscent(p *hinge) *sweepAscent {
	m := p.rows.group
	a := &sweepAscent{
		hinge: p, square: p.rows.squares(), beta: make([]float64, p.rows.n), w: make([]float64, p.rows.dim),
		bias: make([]float64, m), centre: make([]float64, m), rest: math.Inf(1),
	}
	var sum float64
	for _, s := range a.square {
		sum += s
	}
	// A stiffness of 0 would leave the biases where they are.
	a.stiffness = math.Max(sum/float64(p.rows.n), math.SmallestNonzeroFloat64)
	a.wake()
	return a
}

// wake makes all coordinates active again.
func (a *sweepAscent) wake() {
	a.active = a.active[:0]
	for i := range a.rows.n {
		a.active = append(a.active, i)
	}
	a.rest = math.Inf(1)
}

// sweep visits the active coordinates once, in random order.
func (a *sweepAscent) sweep(ctx context.Context, rng *rand.Rand) error {
	rng.Shuffle(len(a.active), func(i, j int) { a.active[i], a.active[j] = a.active[j], a.active[i] })
	m := a.rows.group
	kept, largest := a.active[:0], 0.0
	for k, i := range a.active {
		if k%256 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		// Every step keeps w = Σ β_i x_i and the biases above, so that a slope takes one row.
		g, t := i%m, a.sign[i]
		bend := a.bend(i)
		slope := t * (a.rows.dot(i, a.w) + a.bias[g] - a.target[i] + bend*a.beta[i]) // of minus the dual along α_i
		alpha, c, low := t*a.beta[i], a.most(i), -a.c*a.beyond(i)
		// Shrinking: a coordinate held at its bound by a gradient beyond the largest of the last sweep will hardly
		// move.
		if (alpha <= low && slope > a.rest) || (alpha >= c && slope < -a.rest) {
			continue
		}
		kept = append(kept, i)
		// The exact minimum along this coordinate, cut off at the bounds.
		to := math.Min(c, math.Max(low, alpha-slope/(a.square[i]+a.stiffness+bend)))
		if to == alpha {
			continue
		}
		largest = math.Max(largest, math.Abs(slope))
		step := t * (to - alpha)
		a.beta[i] = t * to
		a.rows.add(i, step, a.w)
		a.bias[g] += step * a.stiffness
	}
	// The largest gradient of this sweep decides who rests in the next.
	a.active, a.rest = kept, largest
	if largest == 0 {
		a.wake()
	}
	return nil
}

// recentre moves the centres to the biases.
func (a *sweepAscent) recentre() {
	sums := a.groupSums()
	for g, s := range sums {
		a.centre[g] = a.bias[g]
		a.bias[g] = a.centre[g] + s*a.stiffness
	}
}

// groupSums returns Σ β of each group.
func (a *sweepAscent) groupSums() []float64 {
	sums := make([]float64, a.rows.group)
	for i, b := range a.beta {
		sums[i%a.rows.group] += b
	}
	return sums
}

// feasible returns a dual point near beta that meets the equalities: in each group it scales down the heavier side,
// which keeps all bounds.
func (a *sweepAscent) feasible() []float64 {
	m := a.rows.group
	up, down := make([]float64, m), make([]float64, m)
	for i, b := range a.beta {
		if b > 0 {
			up[i%m] += b
		} else {
			down[i%m] -= b
		}
	}
	out := slices.Clone(a.beta)
	for i, b := range out {
		g := i % m
		switch {
		// Both sides weigh the lesser of the two afterwards, so that their difference is 0.
		case b > 0 && up[g] > down[g]:
			out[i] *= down[g] / up[g]
		case b < 0 && down[g] > up[g]:
			out[i] *= up[g] / down[g]
		}
	}
	return out
}

// solution bounds the minimum from both sides.
func (a *sweepAscent) solution() *hingeSolution { return a.primalDual(a.feasible()) }

// primalDual returns w = Σ β_i x_i, which is primal feasible, as every w is, and best for this β, and both bounds there.
func (p *hinge) primalDual(beta []float64) *hingeSolution {
	w := make([]float64, p.rows.dim)
	p.rows.transposeTimes(beta, w)
	square, sum := sumSquares(w), 0.0
	for i, b := range beta {
		sum += b*p.target[i] - p.bend(i)*b*b/2
	}
	scores := make([]float64, p.rows.n)
	p.rows.times(w, scores)
	s := &hingeSolution{w: w, beta: beta, lower: sum - square/2}
	s.upper, s.bias = p.primal(scores, square)
	return s
}
