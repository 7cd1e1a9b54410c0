package risk

import "math"

// poisson is C Σ (exp(s) − ts + t log t − t), half the deviance of a count t of the rate exp(s). It is 0 at s = log t. Its
// conjugate is C Σ (a log a − a − t log t + t), a = t + g/C ≥ 0.
type poisson struct {
	target func(i, y int) float64
	weight float64
	// mean is that of the counts.
	mean float64
}

// newPoisson returns the loss of n counts.
func newPoisson(target func(i, y int) float64, n int, weight float64) *poisson {
	sum := 0.0
	for i := range n {
		sum += target(i, 0)
	}
	return &poisson{target: target, weight: weight, mean: sum / float64(max(1, n))}
}

// leastRate is the rate that stands for the natural size of steps where all counts are 0.
const leastRate = 1e-3

// Slope returns C times the mean count. The second derivative is C exp(s), of which that is the usual size.
func (l *poisson) Slope() float64 { return l.weight * math.Max(l.mean, leastRate) }

// Value returns loss_i(s).
func (l *poisson) Value(i int, s []float64) float64 {
	sum := 0.0
	for y, v := range s {
		t := l.target(i, y)
		sum += math.Max(0, math.Exp(v)-t*v+entropy(t)-t)
	}
	return l.weight * sum
}

// Most takes each term at the end of its interval.
func (l *poisson) Most(i int, s, e []float64, size float64) float64 {
	sum, rough := 0.0, 0.0
	for y, v := range s {
		t, off := l.target(i, y), size*e[y]
		rate, line := math.Exp(v+off), t*(math.Abs(v)+off)
		sum += math.Max(0, rate-t*v+t*off+entropy(t)-t)
		// The argument of the exponential is rounded, too.
		rough += rate*(2+math.Abs(v)+off) + line + math.Abs(entropy(t)) + t
	}
	return l.weight * (sum + gamma(len(s))*rough) * (1 + gamma(0))
}

// Gradient sets C(exp(s) − t).
func (l *poisson) Gradient(i int, g, s []float64) {
	for y, v := range s {
		g[y] = l.weight * (math.Exp(v) - l.target(i, y))
	}
}

// Prox solves s + τC exp(s) = u + τCt for each score alone.
func (l *poisson) Prox(i int, u []float64, tau float64) {
	step := tau * l.weight
	for y, v := range u {
		u[y] = poissonProx(v+step*l.target(i, y), step)
	}
}

// poissonProx returns the root s of s + k exp(s) = v. With w = k exp(s) that is w + log w = v + log k. The left side is
// concave, so that Newton's method from below rises to the root.
func poissonProx(v, k float64) float64 {
	level := v + math.Log(k)
	w := level - math.Log(math.Max(level, 1))
	if level <= 1 {
		z := math.Exp(level)
		w = z / (1 + z)
	}
	if !(w > 0) {
		return v
	}
	for range 60 {
		next := w * (1 + level - math.Log(w)) / (1 + w)
		if !(next > w*(1+1e-16)) {
			break
		}
		w = next
	}
	// Whichever loses fewer digits.
	if w > 1 {
		return math.Log(w) - math.Log(k)
	}
	return v - w
}

// Bend implements bending: with h the second derivative of τ·loss it is h/(1 + h).
func (l *poisson) Bend(_ int, d, _, _, s []float64, tau float64) {
	for y, v := range s {
		d[y] = 1 - 1/(1+tau*l.weight*math.Exp(v))
	}
}

// Clip moves g to at least −Ct.
func (l *poisson) Clip(i int, g, _ []float64) {
	for y, v := range g {
		g[y] = math.Max(v, -l.weight*l.target(i, y))
	}
}

// Conjugate returns C Σ (a log a − a − t log t + t). The computed a belongs to a g′ that is off by the rounding of a.
func (l *poisson) Conjugate(i int, g []float64) (most, off float64) {
	size := 0.0
	for y, v := range g {
		t := l.target(i, y)
		a := math.Max(0, t+v/l.weight)
		most += entropy(a) - a - entropy(t) + t
		size += math.Abs(entropy(a)) + a + math.Abs(entropy(t)) + t
		off = math.Max(off, l.weight*t+math.Abs(v))
	}
	return l.weight*most + l.weight*gamma(len(g))*size, gamma(0) * off
}

// Fall implements scalable.
func (l *poisson) Fall(i int, s []float64, tau float64) float64 {
	sum := 0.0
	for y, v := range s {
		rate := math.Exp(v)
		b := l.weight * (rate - l.target(i, y))
		sum += b * b / (1 + tau*l.weight*rate)
	}
	return sum
}

// Share implements scalable.
func (l *poisson) Share(i int, g, s []float64) float64 { return along(l, i, g, s) }
