package risk

import (
	"fmt"
	"math"
)

// A scalable loss can be one of several of which the largest counts.
type scalable interface {
	Loss
	// Fall returns bᵀ(I + τH)⁻¹b at the proximal point s of a step τ, with the gradient b and the Hessian H there. The loss at the
	// proximal point falls by this for each unit of τ.
	Fall(i int, s []float64, tau float64) float64
	// Share returns a weight λ ≥ 0 for which g is λ times a gradient, at best one at s. Zero means that g is no multiple.
	Share(i int, g, s []float64) float64
}

// A curved loss of one score knows its second derivative.
type curved interface {
	// Curve returns the second derivative at a score, times τ. It is +Inf at a kink, where the score moved by less than τ times
	// the slope beside it.
	Curve(i int, s, tau, moved float64) float64
}

// worst is the largest loss of a row and its copies, max_t loss_i(s_t). Its scores are those of the row, then those of each copy.
// With weights λ ≥ 0, Σλ = 1, of the copies the conjugate at g is the least Σ_t λ_t loss_i*(g_t/λ_t).
type worst struct {
	scalable
	copies, labels int // with the row itself
	// shares are λ of each row, as Clip left them.
	shares []float64
}

// newWorst returns the largest loss of n rows and so many copies of each, itself among them. It fails if the learner's loss cannot
// be one of several.
func newWorst(of Loss, n, copies, labels int) (Loss, error) {
	base, ok := of.(scalable)
	if !ok {
		return nil, fmt.Errorf("risk: the loss of label sets has no largest one of copies; use svm, logistic or ridge")
	}
	l := worst{scalable: base, copies: copies, labels: labels, shares: make([]float64, n*copies)}
	if curve := curveOf(of); curve != nil && labels == 1 {
		return &worstScore{worst: l, curve: curve}, nil
	}
	return &l, nil
}

// weights returns λ of all rows.
func (l *worst) weights() []float64 { return l.shares }

// part returns the scores of a copy; the first is the row itself.
func (l *worst) part(s []float64, t int) []float64 { return s[t*l.labels : (t+1)*l.labels] }

// top returns the largest loss, and whose it is.
func (l *worst) top(i int, s []float64) (at int, most float64) {
	most = math.Inf(-1)
	for t := range l.copies {
		if v := l.scalable.Value(i, l.part(s, t)); v > most {
			at, most = t, v
		}
	}
	return at, most
}

// Value returns the largest loss.
func (l *worst) Value(i int, s []float64) float64 {
	_, most := l.top(i, s)
	return most
}

// Gradient sets g to the gradient of the largest loss.
func (l *worst) Gradient(i int, g, s []float64) {
	clear(g)
	at, _ := l.top(i, s)
	l.scalable.Gradient(i, l.part(g, at), l.part(s, at))
}

// Most takes the largest bound.
func (l *worst) Most(i int, s, e []float64, size float64) float64 {
	most := 0.0
	for t := range l.copies {
		most = max(most, l.scalable.Most(i, l.part(s, t), l.part(e, t), size))
	}
	return most
}

// Clip finds λ and moves each g_t/λ_t into the domain of the loss.
func (l *worst) Clip(i int, g, s []float64) {
	shares, sum := l.shares[i*l.copies:(i+1)*l.copies], 0.0
	for t := range shares {
		shares[t] = l.Share(i, l.part(g, t), l.part(s, t))
		sum += shares[t]
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		clear(g)
		clear(shares)
		shares[0] = 1
		return
	}
	for t := range shares {
		shares[t] /= sum
		own := l.part(g, t)
		if shares[t] == 0 {
			clear(own)
			continue
		}
		divide(own, own, shares[t])
		l.scalable.Clip(i, own, l.part(s, t))
		for y := range own {
			own[y] *= shares[t]
		}
	}
}

// divide sets dst to x/by.
func divide(dst, x []float64, by float64) {
	for y, v := range x {
		dst[y] = v / by
	}
}

// rescaled bounds the relative error of g_t/λ_t times λ_t, and that of Σλ = 1.
const rescaled = 8

// Conjugate returns Σ_t λ_t loss_i*(g_t/λ_t).
func (l *worst) Conjugate(i int, g []float64) (most, off float64) {
	h, size, sum := make([]float64, l.labels), 0.0, 0.0
	for t, share := range l.shares[i*l.copies : (i+1)*l.copies] {
		if share == 0 {
			continue
		}
		divide(h, l.part(g, t), share)
		own, apart := l.scalable.Conjugate(i, h)
		sum += share * own
		size += share * math.Abs(own)
		off = max(off, share*apart)
	}
	largest := 0.0
	for _, v := range g {
		largest = max(largest, math.Abs(v))
	}
	return sum + gamma(l.copies)*size, off*(1+gamma(0)) + gamma(rescaled+l.copies)*largest
}

const (
	// proxSteps bounds the steps of each of two searches within one another. A step of Newton that does not halve what is left is followed
	// by one that halves the interval.
	proxSteps = 200
	// proxNear is how near the sum of weights comes to 1, and a loss to its level, as a share of 1 + level.
	proxNear = 1e-13
)

// Prox finds the level z that the largest loss falls to. Copies of larger losses move to it by steps τλ_t, Σλ = 1, and the others
// stay. Σλ falls with z and is convex for losses whose values along a step are. Then Newton's method from below never passes the
// root.
func (l *worst) Prox(i int, u []float64, tau float64) {
	at, top := l.top(i, u)
	if top == 0 {
		return
	}
	alone := append(make([]float64, 0, l.labels), l.part(u, at)...)
	l.scalable.Prox(i, alone, tau)
	p := &levels{worst: l, i: i, u: u, tau: tau, low: l.scalable.Value(i, alone), room: make([]float64, l.labels), at: make([]float64, l.copies)}
	if p.first(at) {
		copy(l.part(u, at), alone)
		return
	}
	p.search(top)
	for t, share := range p.at {
		if share > 0 {
			l.scalable.Prox(i, l.part(u, t), tau*share)
		}
	}
}

// levels searches for z. At are λ_t at the last z.
type levels struct {
	*worst
	i    int
	u    []float64
	tau  float64
	low  float64 // z is not below
	room []float64
	at   []float64
}

// first reports whether one copy alone moves: no other loss is above what its falls to. It raises low to what every copy alone
// would fall to.
func (p *levels) first(at int) bool {
	alone := true
	for t := range p.copies {
		if t == at || !(p.scalable.Value(p.i, p.part(p.u, t)) > p.low) {
			continue
		}
		alone = false
		own, _ := p.fallen(t, 1)
		p.low = max(p.low, own)
	}
	return alone
}

// fallen returns the loss of a copy after a step τλ, and by how much it falls with λ.
func (p *levels) fallen(t int, share float64) (value, fall float64) {
	copy(p.room, p.part(p.u, t))
	if share > 0 {
		p.scalable.Prox(p.i, p.room, p.tau*share)
	}
	return p.scalable.Value(p.i, p.room), p.tau * p.Fall(p.i, p.room, p.tau*share)
}

// search finds the level between low and the largest loss.
func (p *levels) search(high float64) {
	low, z, last := p.low, p.low, math.Inf(1)
	for range proxSteps {
		sum, slope := p.shares(z)
		switch over := sum - 1; {
		case math.Abs(over) <= proxNear, over < 0 && z == p.low:
			return
		case over > 0:
			low = z
		default:
			high = z
		}
		next := z + (sum-1)/slope
		if !(next > low && next < high) || math.Abs(sum-1) > last/2 {
			next = (low + high) / 2
		}
		if next == z {
			return
		}
		z, last = next, math.Abs(sum-1)
	}
}

// shares sets λ_t to those of a level. It returns their sum, and by how much this falls with z.
func (p *levels) shares(z float64) (sum, slope float64) {
	for t := range p.at {
		if p.scalable.Value(p.i, p.part(p.u, t)) <= z {
			p.at[t] = 0
			continue
		}
		share, fall := p.share(t, p.at[t], z)
		p.at[t] = share
		sum += share
		slope += 1 / fall
	}
	return sum, slope
}

// share returns the least λ at which a copy's loss is at a level, and by how much the loss falls there.
func (p *levels) share(t int, from, z float64) (share, fall float64) {
	low, high, last := 0.0, 1.0, math.Inf(1)
	share = from
	for range proxSteps {
		var value float64
		value, fall = p.fallen(t, share)
		over := value - z
		if math.Abs(over) <= proxNear*z || value == z {
			break
		}
		if over > 0 {
			low = share
		} else {
			high = share
		}
		next := share + over/fall
		if !(next >= low && next <= high) || math.Abs(over) > last/2 {
			next = (low + high) / 2
		}
		if next == share {
			break
		}
		share, last = next, math.Abs(over)
	}
	return share, fall
}

// worstScore is the largest loss of rows of one score. All copies that move end at one distance from the target.
type worstScore struct {
	worst
	curve curved
}

// Bend implements bending. With a copies that move and h = τ·loss″ the distance changes by Σ ±du_t/(a + h).
func (l *worstScore) Bend(i int, d, r, u, s []float64, tau float64) {
	count, moved, last := 0, 0.0, 0.0
	for t := range s {
		d[t], r[t] = 0, 0
		if s[t] != u[t] {
			d[t], last = 1, s[t]
			count++
			moved += math.Abs(s[t] - u[t])
		}
	}
	if count == 0 {
		return
	}
	size := 1 / math.Sqrt(float64(count)+l.curve.Curve(i, last, tau, moved))
	for t := range s {
		if d[t] != 0 {
			r[t] = math.Copysign(size, u[t]-s[t])
		}
	}
}

// Fall implements scalable: C² for every label that is not at the kink yet.
func (l *hinge) Fall(i int, s []float64, _ float64) float64 {
	sum := 0.0
	for y, v := range s {
		if l.target(i, y)*v < 1 {
			sum += l.weight * l.weight
		}
	}
	return sum
}

// Share implements scalable. The least λ has g in λ times the domain.
func (l *hinge) Share(i int, g, _ []float64) float64 {
	most := 0.0
	for y, v := range g {
		most = max(most, -l.target(i, y)*v)
	}
	return most / l.weight
}

// Curve implements curved.
func (l *hinge) Curve(_ int, _, tau, moved float64) float64 {
	if moved < tau*l.weight*(1-1e-7) {
		return math.Inf(1)
	}
	return 0
}

// Fall implements scalable.
func (l *square) Fall(i int, s []float64, tau float64) float64 {
	return alongGradient(l, i, s) / (1 + tau*l.weight)
}

// alongGradient returns the square of the gradient's norm.
func alongGradient(l Loss, i int, s []float64) float64 {
	g := make([]float64, len(s))
	l.Gradient(i, g, s)
	return dot(g, g)
}

// Share implements scalable. Of all λ those in proportion to ‖g‖ make Σ ‖g_t‖²/2wλ_t least.
func (*square) Share(_ int, g, _ []float64) float64 { return math.Sqrt(dot(g, g)) }

// Curve implements curved.
func (l *square) Curve(_ int, _, tau, _ float64) float64 { return tau * l.weight }

// Fall implements scalable.
func (l *logistic) Fall(i int, s []float64, tau float64) float64 {
	sum := 0.0
	for y, v := range s {
		p := sigmoid(-l.target(i, y) * v)
		sum += l.weight * p * l.weight * p / (1 + tau*l.weight*p*(1-p))
	}
	return sum
}

// Share implements scalable.
func (l *logistic) Share(i int, g, s []float64) float64 { return along(l, i, g, s) }

// along returns the λ for which λ times the gradient at s is nearest to g.
func along(l Loss, i int, g, s []float64) float64 {
	b := make([]float64, len(s))
	l.Gradient(i, b, s)
	size := dot(b, b)
	if !(size > 0) {
		return 0
	}
	return max(0, dot(g, b)/size)
}

// Curve implements curved.
func (l *logistic) Curve(_ int, s, tau, _ float64) float64 {
	p := sigmoid(s)
	return tau * l.weight * p * (1 - p)
}

// Fall implements scalable, by the formula of Sherman and Morrison.
func (l *softmax) Fall(i int, s []float64, tau float64) float64 {
	b := make([]float64, len(s))
	l.Gradient(i, b, s)
	k, total := tau*l.weight, logSum(s)
	sum, mixed, bend := 0.0, 0.0, 1.0
	for y, v := range s {
		p := math.Exp(v - total)
		diagonal := 1 + k*p
		sum += b[y] * b[y] / diagonal
		mixed += p * b[y] / diagonal
		bend -= k * p * p / diagonal
	}
	return sum + k*mixed*mixed/bend
}

// Share implements scalable.
func (l *softmax) Share(i int, g, s []float64) float64 { return along(l, i, g, s) }
