package risk

import "math"

// pinball is Σ_y w max(q (t − s), (q − 1)(t − s)) at the level q of each label y. Its conjugate is Σ tg on −wq ≤ g ≤ w(1 − q).
type pinball struct {
	target []float64
	levels []float64
	weight float64
}

// Slope returns w, the change of the derivative at the kink.
func (l *pinball) Slope() float64 { return l.weight }

// Value returns loss_i(s).
func (l *pinball) Value(i int, s []float64) float64 {
	sum := 0.0
	for y, v := range s {
		off := l.target[i] - v
		sum += math.Max(l.levels[y]*off, (l.levels[y]-1)*off)
	}
	return l.weight * sum
}

// Most adds the steeper slope for each unit that a score may be off by.
func (l *pinball) Most(i int, s, e []float64, size float64) float64 {
	sum := 0.0
	for y, v := range s {
		q, off := l.levels[y], l.target[i]-v
		sum += math.Max(q*off, (q-1)*off) + size*e[y]*math.Max(q, 1-q)
	}
	return l.weight * sum * (1 + gamma(len(s)))
}

// Gradient sets the slope of the side of the kink that a score is on, and the one below at the kink.
func (l *pinball) Gradient(i int, g, s []float64) {
	for y, v := range s {
		if g[y] = -l.weight * l.levels[y]; v > l.target[i] {
			g[y] += l.weight
		}
	}
}

// Prox moves every score towards the target, up by at most τwq and down by at most τw(1 − q).
func (l *pinball) Prox(i int, u []float64, tau float64) {
	step := tau * l.weight
	for y, v := range u {
		off, q := l.target[i]-v, l.levels[y]
		switch {
		case off > step*q:
			u[y] = v + step*q
		case off < -step*(1-q):
			u[y] = v - step*(1-q)
		default:
			u[y] = l.target[i]
		}
	}
}

// Bend implements bending. The proximal point either stays at the kink, or differs from u by a constant.
func (l *pinball) Bend(i int, d, _, u, _ []float64, tau float64) {
	step := tau * l.weight
	for y, v := range u {
		d[y] = 0
		if off, q := l.target[i]-v, l.levels[y]; off < step*q && off > -step*(1-q) {
			d[y] = 1
		}
	}
}

// Clip moves g into [−wq, w(1 − q)].
func (l *pinball) Clip(_ int, g, _ []float64) {
	for y, v := range g {
		g[y] = min(max(v, -l.weight*l.levels[y]), l.weight*(1-l.levels[y]))
	}
}

// Conjugate returns Σ tg.
func (l *pinball) Conjugate(i int, g []float64) (most, off float64) {
	size := 0.0
	for _, v := range g {
		most += l.target[i] * v
		size += math.Abs(l.target[i] * v)
	}
	return most + gamma(len(g))*size, 0
}

// Fall implements scalable: the square of the slope at every level that is not at the kink yet.
func (l *pinball) Fall(i int, s []float64, _ float64) float64 {
	sum := 0.0
	for y, v := range s {
		b := 0.0
		switch q := l.levels[y]; {
		case v < l.target[i]:
			b = q
		case v > l.target[i]:
			b = 1 - q
		}
		sum += l.weight * b * l.weight * b
	}
	return sum
}

// Share implements scalable. The least λ has g in λ times the domain.
func (l *pinball) Share(_ int, g, _ []float64) float64 {
	most := 0.0
	for y, v := range g {
		most = max(most, -v/l.levels[y], v/(1-l.levels[y]))
	}
	return most / l.weight
}
