package learn

import (
	"context"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// solvePairs ascends the dual two coordinates of a group at a time: moving t from β_j to β_i keeps the equality of
// the group. It takes the pair that promises the largest gain by the second order (Fan, Chen and Lin, "Working set
// selection using second order information", 2005).
func (p *hinge) solvePairs(ctx context.Context, gram []float64, l *setting.Learner) (*hingeSolution, error) {
	n := p.rows.n
	a := p.newPairAscent(gram)
	// A sweep counts as many steps as there are rows, at least 100.
	limit := l.MaxSweeps * max(n, 100)
	steps := 0
	for ; steps < limit; steps++ {
		if steps%512 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if limits.Over(ctx) {
				break
			}
		}
		if steps%max(n, 1000) == 0 && steps > 0 {
			// Rounding errors must not pile up.
			if steps%(50*max(n, 1000)) == 0 {
				a.refresh()
			}
			// Bounds cost as much as many steps, so they are computed once in a while.
			if s := a.solution(); s.relativeGap() <= l.Gap {
				break
			}
		}
		if !a.step() {
			break
		}
	}
	// Scores by the Gram matrix lose digits where weights are differences of large multiples, so the bounds are those of the weights.
	s := p.primalDual(a.beta)
	s.iterations = steps
	return s, nil
}

// pairAscent is the state of the ascent. residual_i = a_i − ⟨w, x_i⟩ is the dual's gradient along β_i, less β_i/(2C w_i) where hinges are
// squared.
type pairAscent struct {
	*hinge
	// gram is XXᵀ, n×n.
	gram           []float64
	n              int
	beta, residual []float64
	// lo and hi are the bounds of beta: β_i = t_i α_i with 0 ≤ α_i, and α_i ≤ C unless hinges are squared.
	lo, hi []float64
}

// newPairAscent begins at β = 0.
func (p *hinge) newPairAscent(gram []float64) *pairAscent {
	n := p.rows.n
	a := &pairAscent{hinge: p, gram: gram, n: n, beta: make([]float64, n), residual: slices.Clone(p.target), lo: make([]float64, n), hi: make([]float64, n)}
	for i, t := range p.sign {
		c, d := t*p.most(i), -t*p.c*p.beyond(i)
		a.lo[i], a.hi[i] = math.Min(c, d), math.Max(c, d)
	}
	return a
}

// step moves one pair, and reports whether there was one to move.
func (a *pairAscent) step() bool {
	i, up := a.steepest()
	if i < 0 {
		return false
	}
	j, gain := -1, 0.0
	row, m := a.gram[i*a.n:(i+1)*a.n], a.rows.group
	for k := i % m; k < a.n; k += m {
		slope := up - a.residual[k]
		if slope <= 0 || a.beta[k] <= a.lo[k] {
			continue
		}
		// Moving t gains t·slope − t²·curvature/2, at most slope²/(2 curvature).
		if g := slope * slope / a.curvature(row, i, k); g > gain {
			j, gain = k, g
		}
	}
	if j < 0 {
		return false
	}
	t := (up - a.residual[j]) / a.curvature(row, i, j)
	// Cut off at the bounds of both coordinates.
	t = math.Min(t, math.Min(a.hi[i]-a.beta[i], a.beta[j]-a.lo[j]))
	a.move(i, j, t)
	return true
}

// curvature returns ‖x_i − x_j‖² and what squares of hinges add, kept above zero.
func (a *pairAscent) curvature(row []float64, i, j int) float64 {
	scale := row[i] + a.gram[j*a.n+j]
	return math.Max(scale-2*row[j], 1e-12*scale+math.SmallestNonzeroFloat64) + a.bend(i) + a.bend(j)
}

// steepest returns the coordinate that may grow, and its residual. In its group, that residual exceeds the least of
// one that may shrink by the most.
func (a *pairAscent) steepest() (best int, residual float64) {
	best = -1
	m, worst := a.rows.group, 0.0
	for g := range m {
		up, down, at := math.Inf(-1), math.Inf(1), -1
		for k := g; k < a.n; k += m {
			r := a.residual[k]
			if a.beta[k] < a.hi[k] && r > up {
				up, at = r, k
			}
			if a.beta[k] > a.lo[k] && r < down {
				down = r
			}
		}
		// A group without such a pair satisfies the conditions of optimality.
		if v := up - down; at >= 0 && v > worst && v > 1e-13*(math.Abs(up)+math.Abs(down)) {
			best, worst, residual = at, v, up
		}
	}
	return best, residual
}

// move shifts t from coordinate j to i. It sets a coordinate that reaches its bound to just that, so that later tests
// find it there.
func (a *pairAscent) move(i, j int, t float64) {
	switch t {
	case a.hi[i] - a.beta[i]:
		a.beta[j] -= t
		a.beta[i] = a.hi[i]
	case a.beta[j] - a.lo[j]:
		a.beta[i] += t
		a.beta[j] = a.lo[j]
	default:
		a.beta[i] += t
		a.beta[j] -= t
	}
	a.residual[i] -= t * a.bend(i)
	a.residual[j] += t * a.bend(j)
	ri, rj := a.gram[i*a.n:(i+1)*a.n], a.gram[j*a.n:(j+1)*a.n]
	// w moves by t(x_i − x_j), and every residual with it.
	for k := range a.residual {
		a.residual[k] -= t * (ri[k] - rj[k])
	}
}

// refresh computes the residuals anew.
func (a *pairAscent) refresh() {
	copy(a.residual, a.target)
	for j, b := range a.beta {
		if b == 0 {
			continue
		}
		a.residual[j] -= b * a.bend(j)
		for k, v := range a.gram[j*a.n : (j+1)*a.n] {
			a.residual[k] -= b * v
		}
	}
}

// solution bounds the minimum from both sides: the dual value at β, and the primal one at w = Σ β_i x_i with the best
// biases.
func (a *pairAscent) solution() *hingeSolution {
	scores := make([]float64, a.n)
	var square, sum float64
	for i, b := range a.beta {
		own := a.bend(i) * b
		scores[i] = a.target[i] - a.residual[i] - own
		square += b * scores[i]
		sum += b*a.target[i] - own*b/2
	}
	s := &hingeSolution{lower: sum - square/2}
	s.upper, s.bias = a.primal(scores, square)
	return s
}
