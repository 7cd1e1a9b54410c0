package risk

// A single loss is one of the scores of a row alone, of which worst takes the largest.
type single interface {
	bending
	scalable
}

// weighted is w_i·loss_i: a row counts as w_i equal ones. Its conjugate is w_i·loss_i*(g/w_i). Weights are positive.
type weighted struct {
	single
	weight []float64
}

// Slope returns that of the heaviest row.
func (l *weighted) Slope() float64 {
	most := 0.0
	for _, w := range l.weight {
		most = max(most, w)
	}
	return most * l.single.Slope()
}

// Value returns w_i·loss_i(s).
func (l *weighted) Value(i int, s []float64) float64 { return l.weight[i] * l.single.Value(i, s) }

// Most returns w_i times that of the loss.
func (l *weighted) Most(i int, s, e []float64, size float64) float64 {
	return l.weight[i] * l.single.Most(i, s, e, size) * (1 + gamma(0))
}

// Gradient sets w_i times that of the loss.
func (l *weighted) Gradient(i int, g, s []float64) {
	l.single.Gradient(i, g, s)
	scale(g, l.weight[i])
}

// Prox takes w_i steps of the loss.
func (l *weighted) Prox(i int, u []float64, tau float64) { l.single.Prox(i, u, tau*l.weight[i]) }

// Bend implements bending.
func (l *weighted) Bend(i int, d, r, u, s []float64, tau float64) {
	l.single.Bend(i, d, r, u, s, tau*l.weight[i])
}

// Clip moves g/w_i into the domain.
func (l *weighted) Clip(i int, g, s []float64) {
	scale(g, 1/l.weight[i])
	l.single.Clip(i, g, s)
	scale(g, l.weight[i])
}

// Conjugate returns w_i·loss_i*(g/w_i). Rounding moves g/w_i by a share of itself, which counts as a distance of g.
func (l *weighted) Conjugate(i int, g []float64) (most, off float64) {
	own, size := make([]float64, len(g)), 0.0
	for y, v := range g {
		own[y] = v / l.weight[i]
		size = max(size, max(v, -v))
	}
	most, off = l.single.Conjugate(i, own)
	most *= l.weight[i]
	return most + gamma(0)*max(most, -most), l.weight[i]*off*(1+gamma(0)) + gamma(0)*size
}

// Fall implements scalable. Both the gradient and the step have the factor w_i.
func (l *weighted) Fall(i int, s []float64, tau float64) float64 {
	w := l.weight[i]
	return w * w * l.single.Fall(i, s, tau*w)
}

// Share implements scalable. The gradient of the loss needs w_i times the share.
func (l *weighted) Share(i int, g, s []float64) float64 {
	return l.single.Share(i, g, s) / l.weight[i]
}

// weightedCurve is that of w_i·loss_i.
type weightedCurve struct {
	curved
	weight []float64
}

// Curve implements curved.
func (c weightedCurve) Curve(i int, s, tau, moved float64) float64 {
	return c.curved.Curve(i, s, tau*c.weight[i], moved)
}

// curveOf returns the curve of a loss, weighted or not; nil means that it has none.
func curveOf(of Loss) curved {
	if w, ok := of.(*weighted); ok {
		if c, ok := w.single.(curved); ok {
			return weightedCurve{c, w.weight}
		}
		return nil
	}
	c, _ := of.(curved)
	return c
}

// scale multiplies numbers by one.
func scale(x []float64, by float64) {
	for k := range x {
		x[k] *= by
	}
}
