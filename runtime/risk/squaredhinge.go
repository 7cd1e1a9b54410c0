package risk

import (
	"math"
	"slices"
)

// squaredHinge is Σ w max(0, 1 − ts)²/2, as in Lin, Weng and Keerthi, "Trust region Newton method for large-scale logistic regression"
// (2008). Its conjugate is that of the square, on tg ≤ 0.
type squaredHinge struct{ square }

// short returns by how much a score falls short of 1, or 0.
func (l *squaredHinge) short(i, y int, s float64) float64 { return math.Max(0, 1-l.target(i, y)*s) }

// Value returns loss_i(s).
func (l *squaredHinge) Value(i int, s []float64) float64 {
	sum := 0.0
	for y, v := range s {
		h := l.short(i, y, v)
		sum += h * h
	}
	return l.weight * sum / 2
}

// Most takes the scores that fall short by most.
func (l *squaredHinge) Most(i int, s, e []float64, size float64) float64 {
	sum := 0.0
	for y, v := range s {
		h := l.short(i, y, v) + size*e[y]
		sum += h * h
	}
	return l.weight * sum / 2 * (1 + gamma(len(s)))
}

// Gradient sets −wt·max(0, 1 − ts).
func (l *squaredHinge) Gradient(i int, g, s []float64) {
	for y, v := range s {
		g[y] = -l.weight * l.target(i, y) * l.short(i, y, v)
	}
}

// Prox moves scores that fall short towards 1, by the share τw/(1 + τw) of what they lack.
func (l *squaredHinge) Prox(i int, u []float64, tau float64) {
	share := tau * l.weight / (1 + tau*l.weight)
	for y, v := range u {
		u[y] = v + share*l.target(i, y)*l.short(i, y, v)
	}
}

// Bend implements bending.
func (l *squaredHinge) Bend(i int, d, _, u, _ []float64, tau float64) {
	for y, v := range u {
		if d[y] = 0; l.short(i, y, v) > 0 {
			d[y] = tau * l.weight / (1 + tau*l.weight)
		}
	}
}

// Clip moves tg to 0 where it is positive.
func (l *squaredHinge) Clip(i int, g, _ []float64) {
	for y, v := range g {
		if l.target(i, y)*v > 0 {
			g[y] = 0
		}
	}
}

// Fall implements scalable.
func (l *squaredHinge) Fall(i int, s []float64, tau float64) float64 {
	return alongGradient(l, i, s) / (1 + tau*l.weight)
}

// Share implements scalable, as for square.
func (l *squaredHinge) Share(i int, g, s []float64) float64 {
	own := slices.Clone(g)
	l.Clip(i, own, s)
	return math.Sqrt(dot(own, own))
}

// Curve implements curved.
func (l *squaredHinge) Curve(i int, s, tau, _ float64) float64 {
	if l.short(i, 0, s) > 0 {
		return tau * l.weight
	}
	return 0
}
