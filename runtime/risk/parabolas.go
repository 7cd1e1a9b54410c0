package risk

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// parabolas stand for softmax losses about the scores c_i of a few rows, by their curvature there,
//
//	½w_i (s − c_i)ᵀH_i(s − c_i),   H_i = diag(p_i) − p_ip_iᵀ,
//
// with the probabilities p_i. Behind them is a row for each label y, whose loss is a slope times score y. The first of these adds a constant, by which the sum is
// that of all losses at the scores c. The conjugate of a parabola is gᵀc_i + Σ_y g_y²/2w_ip_iy on Σ_y g_y = 0.
type parabolas struct {
	center, likely []float64 // c and p, k×m
	weight         []float64 // w, of k rows
	slopes         []float64 // of the labels
	base, slope    float64
}

// leastLikely is the least probability of a label that a parabola has, so that no conjugate leaves the range of floating point.
const leastLikely = 1e-12

// parts returns c, p and w of a row, or the label of one that is linear.
func (l *parabolas) parts(i int) (c, p []float64, w float64, label int) {
	m := len(l.slopes)
	if label = i - len(l.weight); label >= 0 {
		return nil, nil, 0, label
	}
	return l.center[i*m : (i+1)*m], l.likely[i*m : (i+1)*m], l.weight[i], -1
}

// Slope returns the curvature of a row, which is about the same for all: those of small ones weigh more.
func (l *parabolas) Slope() float64 { return l.slope }

// Value returns loss_i(s).
func (l *parabolas) Value(i int, s []float64) float64 {
	c, p, w, label := l.parts(i)
	if label >= 0 {
		return l.slopes[label]*s[label] + l.constant(label)
	}
	// (s − c)ᵀH(s − c) is the variance of s − c under p. About the mean it loses
	// no digits where all scores move alike.
	mean, sum := 0.0, 0.0
	for y, v := range s {
		mean += p[y] * (v - c[y])
	}
	for y, v := range s {
		sum += p[y] * (v - c[y] - mean) * (v - c[y] - mean)
	}
	return w * sum / 2
}

// constant returns what a linear row adds.
func (l *parabolas) constant(label int) float64 {
	if label > 0 {
		return 0
	}
	return l.base
}

// Most adds what scores may be off by to the root of a parabola, and to a linear score.
func (l *parabolas) Most(i int, s, e []float64, size float64) float64 {
	_, p, w, label := l.parts(i)
	// sᵀHs is at most Σ p_ys_y², as the subtrahend is a square.
	if label >= 0 {
		return l.Value(i, s) + math.Abs(l.slopes[label])*(size*e[label]+gamma(0)*math.Abs(s[label]))
	}
	off := 0.0
	for y, v := range p {
		off += w * v * size * size * e[y] * e[y]
	}
	root := math.Sqrt(2*l.Value(i, s)) + math.Sqrt(off)
	return root * root / 2 * (1 + gamma(len(s)))
}

// Gradient sets wH(s − c), or the slope of a linear row.
func (l *parabolas) Gradient(i int, g, s []float64) {
	c, p, w, label := l.parts(i)
	if label >= 0 {
		clear(g)
		g[label] = l.slopes[label]
		return
	}
	// H(s − c) is p times the distance from the mean.
	mean := 0.0
	for y, v := range s {
		mean += p[y] * (v - c[y])
	}
	for y, v := range s {
		g[y] = w * p[y] * (v - c[y] - mean)
	}
}

// Prox applies (I + τwH)⁻¹ to u − c, or moves a linear score.
func (l *parabolas) Prox(i int, u []float64, tau float64) {
	c, p, w, label := l.parts(i)
	if label >= 0 {
		u[label] -= tau * l.slopes[label]
		return
	}
	// By the formula of Sherman and Morrison: D − kppᵀ with D = I + k diag(p).
	k, along, bend := tau*w, 0.0, 0.0
	for y, v := range u {
		along += p[y] * (v - c[y]) / (1 + k*p[y])
		bend += p[y] / (1 + k*p[y]) // 1 − k Σ p²/(1 + kp), as Σ p = 1
	}
	for y, v := range u {
		u[y] = c[y] + (v-c[y])/(1+k*p[y]) + k*along/bend*p[y]/(1+k*p[y])
	}
}

// Bend implements bending, as that of softmax does.
func (l *parabolas) Bend(i int, d, r, _, _ []float64, tau float64) {
	_, p, w, label := l.parts(i)
	// A line has no curvature.
	clear(d)
	clear(r)
	if label >= 0 {
		return
	}
	k, bend := tau*w, 0.0
	for y, v := range p {
		d[y] = k * v / (1 + k*v)
		r[y] = v / (1 + k*v)
		bend += r[y]
	}
	floats.Scale(math.Sqrt(k/bend), r)
}

// Clip moves g to a sum of 0, in proportion to p. The slope of a linear row is the only one.
func (l *parabolas) Clip(i int, g, _ []float64) {
	_, p, _, label := l.parts(i)
	if label >= 0 {
		clear(g)
		g[label] = l.slopes[label]
		return
	}
	floats.AddScaled(g, -floats.Sum(g), p)
}

// Conjugate returns gᵀc + Σ g²/2wp. The sum of g is off from 0 by rounding.
func (l *parabolas) Conjugate(i int, g []float64) (most, off float64) {
	c, p, w, label := l.parts(i)
	if label >= 0 {
		return -l.constant(label), 0
	}
	// With Σ g = 0, H⁺g is g_y/p_y up to a constant, which changes no product
	// with g.
	size := 0.0
	for y, v := range g {
		most += v*c[y] + v*v/(2*w*p[y])
		size += math.Abs(v*c[y]) + v*v/(2*w*p[y])
	}
	return most + gamma(len(g))*size, gamma(len(g)) * floats.Norm(g, 1)
}
