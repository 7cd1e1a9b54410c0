package gauge

import "math"

// A curve is the rising curve λ = g(s) that picks a point of a node's falling one.
type curve struct {
	kind curveKind
	x, e float64
}

type curveKind uint8

const (
	fixedMultiplier curveKind = iota // λ = x
	fixedLevel                       // s = x
	powered                          // λ = x s^e, e > 0
)

// A point of a node's curve, and the curve's slope r = −ds/dλ there.
type point struct{ s, lam, r float64 }

// excess is how far the point lies beyond the rising curve: increasing in λ, decreasing in s, zero on it.
func (c curve) excess(p point) float64 {
	switch c.kind {
	case fixedMultiplier:
		return p.lam - c.x
	case fixedLevel:
		return c.x - p.s
	}
	return p.lam - c.x*power(p.s, c.e)
}

// slope is dg/ds.
func (c curve) slope(s float64) float64 {
	switch {
	case c.kind != powered:
		return 0
	case c.e == 1:
		return c.x
	}
	return c.x * c.e * power(s, c.e-1)
}

// eval finds the node's point on c, and sets t, states and slots of its subtree.
func (x *Prox) eval(pl *plan, leaf, slot int, c curve) point {
	if pl.isLeaf() {
		return x.evalLeaf(pl.op == Pos, leaf, c)
	}
	if pl.flat && pl.op == Max && (c.kind != powered || c.e == 1) {
		return x.flatMax(pl, leaf, slot, c)
	}
	if pl.op == PosTop {
		return x.evalPosTop(pl, leaf, slot, c)
	}
	if pl.op == Norm && c.kind == powered && c.e == pl.p-1 {
		return x.record(slot, x.atSlope(pl, leaf, slot, c.x)) // σ = x N^(p−1) is λ_j = x w_j^p s_j^(p−1)
	}
	return x.evalInner(pl, leaf, slot, c)
}

// evalInner is eval for what has no closed form: the ends of the curve first, then a search between them.
func (x *Prox) evalInner(pl *plan, leaf, slot int, c curve) point {
	height := x.height(pl, leaf)
	if height == 0 || (c.kind == fixedLevel && c.x >= height) || (c.kind != fixedLevel && c.x == 0) {
		x.keep(pl, leaf, slot)
		return point{s: height}
	}
	width := x.width(pl, leaf)
	if (c.kind == fixedLevel && c.x <= 0) || (c.kind == fixedMultiplier && c.x >= width) {
		x.sink(pl, leaf, slot)
		return point{lam: width}
	}
	switch pl.op {
	case Max:
		return x.record(slot, x.evalMax(pl, leaf, slot, c, chord(c, height, width), height))
	case Sum, Top:
		return x.record(slot, x.evalSum(pl, leaf, slot, c, chord(c, height, width), width))
	}
	return x.record(slot, x.evalNorm(pl, leaf, slot, c, chord(c, height, width)))
}

// record files a point in the node's slot.
func (x *Prox) record(slot int, p point) point {
	sl := &x.slots[slot]
	sl.s, sl.lam, sl.r = p.s, p.lam, p.r
	switch {
	case p.lam == 0:
		sl.state = idle
	case p.s == 0:
		sl.state = stuck
	default:
		sl.state = active
	}
	return p
}

func (x *Prox) evalLeaf(pos bool, i int, c curve) point {
	v := x.mag[i]
	var s float64
	switch c.kind {
	case fixedMultiplier:
		s = v - c.x
	case fixedLevel:
		s = c.x
	default:
		s = leafPower(v, c.x, c.e)
		if v == 0 { // differentiable here, unlike the others
			x.place(i, 0)
			if x.t[i] = x.u[i]; x.u[i] != 0 { // the inner side of a one-sided leaf
				x.state[i] = idle
			}
			return point{r: 1}
		}
	}
	switch {
	case s >= v:
		x.t[i], x.state[i] = x.u[i], idle
		return point{s: v}
	case s <= 0:
		x.sinkLeaf(pos, i)
		return point{lam: v}
	}
	x.place(i, s)
	return point{s: s, lam: v - s, r: 1}
}

// leafPower solves s + x s^e = v for s in [0, v].
func leafPower(v, x, e float64) float64 {
	switch {
	case v == 0 || x == 0:
		return v
	case e == 1:
		return v / (1 + x)
	case e == 2:
		return 2 * v / (1 + math.Sqrt(1+4*x*v))
	case e == 0.5:
		y := 2 * v / (x + math.Sqrt(x*x+4*v))
		return y * y
	}
	s := min(v, math.Pow(v/x, 1/e)) // above the root: Newton falls to it where e > 1
	if e < 1 {
		s = min(v/2, math.Pow(v/(2*x), 1/e)) // below the root: Newton climbs to it
	}
	for range 100 {
		y := x * math.Pow(s, e)
		next := s - (s+y-v)/(1+e*y/s)
		if !(next > 0) || math.Abs(next-s) <= 2e-16*s {
			break
		}
		s = next
	}
	return min(s, v)
}

// chord is a first guess: where c meets the straight line from (height, 0) to (0, width).
func chord(c curve, height, width float64) point {
	switch c.kind {
	case fixedMultiplier:
		return point{s: height * (1 - c.x/width), lam: c.x}
	case fixedLevel:
		return point{s: c.x, lam: width * (1 - c.x/height)}
	}
	// λ + (width/height) s = width, scaled so that s has coefficient 1.
	s := leafPower(height, c.x*height/width, c.e)
	return point{s: s, lam: width * (1 - s/height)}
}

// evalMax solves for the common level.
func (x *Prox) evalMax(pl *plan, leaf, slot int, c curve, guess point, height float64) point {
	if c.kind == fixedLevel {
		return x.atLevel(pl, leaf, slot, c.x)
	}
	var p point
	root(0, height, guess.s, func(s float64) (float64, float64) {
		p = x.atLevel(pl, leaf, slot, s)
		return -c.excess(p), 1/p.r + c.slope(p.s)
	})
	return p
}

// atLevel puts the children of a Max node at the level s, 0 < s.
func (x *Prox) atLevel(pl *plan, leaf, slot int, s float64) point {
	p := point{s: s}
	conductance := 0.0
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		w := pl.weight(i)
		q := x.eval(kid, kl, ks, curve{kind: fixedLevel, x: s / w})
		if q.lam > 0 {
			p.lam += q.lam / w
			conductance += 1 / (w * w * q.r)
		}
	}
	p.r = 1 / conductance
	return p
}

// flatMax is a maximum of leaves: λ(s) = Σ_{w v > s} (v − s/w)/w is piecewise linear and convex, so that Newton's iteration
// from the left ends at the root after finitely many steps.
func (x *Prox) flatMax(pl *plan, leaf, slot int, c curve) point {
	mag := x.mag[leaf : leaf+pl.n]
	s := c.x
	if c.kind != fixedLevel {
		s = flatMaxLevel(pl, mag, c)
	}
	if !(s > 0) {
		return x.flatMaxSunk(pl, leaf, slot, c)
	}
	p := point{s: s}
	conductance := 0.0
	for i, v := range mag {
		w := pl.weight(i)
		if v*w <= s {
			x.t[leaf+i], x.state[leaf+i] = x.u[leaf+i], idle
			continue
		}
		at := min(s/w, v)
		x.place(leaf+i, at)
		p.lam += (v - at) / w
		conductance += 1 / (w * w)
	}
	if p.lam == 0 {
		x.slots[slot].state = idle
		return point{s: x.height(pl, leaf)}
	}
	p.r = 1 / conductance
	return x.record(slot, p)
}

func flatMaxLevel(pl *plan, mag []float64, c curve) float64 {
	s := 0.0
	for range len(mag) + 2 {
		var a, b float64
		for i, v := range mag {
			if w := pl.weight(i); v*w > s {
				a += v / w
				b += 1 / (w * w)
			}
		}
		var next float64
		switch {
		case b == 0:
			return s
		case c.kind == powered:
			next = a / (b + c.x)
		default:
			next = (a - c.x) / b
		}
		if !(next > s) {
			break
		}
		s = next
	}
	return s
}

func (x *Prox) flatMaxSunk(pl *plan, leaf, slot int, c curve) point {
	width := x.width(pl, leaf)
	if width == 0 || (c.kind != fixedLevel && c.x == 0) {
		x.keep(pl, leaf, slot)
		return point{}
	}
	x.sink(pl, leaf, slot)
	return point{lam: width}
}

// evalSum solves for the common multiplier of a Sum or Top node.
func (x *Prox) evalSum(pl *plan, leaf, slot int, c curve, guess point, width float64) point {
	at := x.atMultiplier
	if pl.op == Top {
		at = x.atTopMultiplier
	}
	if c.kind == fixedMultiplier {
		return at(pl, leaf, slot, c.x)
	}
	var p point
	root(0, width, guess.lam, func(sigma float64) (float64, float64) {
		p = at(pl, leaf, slot, sigma)
		if c.kind == fixedLevel {
			return c.excess(p), p.r
		}
		return c.excess(p), 1 + c.slope(p.s)*p.r
	})
	return p
}

// atMultiplier puts the children of a Sum node where their multipliers are σ.
func (x *Prox) atMultiplier(pl *plan, leaf, slot int, sigma float64) point {
	p := point{lam: sigma}
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		w := pl.weight(i)
		q := x.eval(kid, kl, ks, curve{kind: fixedMultiplier, x: sigma * w})
		p.s += w * q.s
		p.r += w * w * q.r
	}
	return p
}

// evalNorm solves for the slope κ, in logarithms: σ = κ N^(p−1), dN = −r dσ.
func (x *Prox) evalNorm(pl *plan, leaf, slot int, c curve, guess point) point {
	var p point
	tiny := math.SmallestNonzeroFloat64
	start := math.Log(max(guess.lam, tiny)) - (pl.p-1)*math.Log(max(guess.s, tiny))
	root(math.Inf(-1), math.Inf(1), start, func(lnk float64) (float64, float64) {
		p = x.atSlope(pl, leaf, slot, math.Exp(lnk))
		lnLam, lnS := math.Log(max(p.lam, tiny)), math.Log(max(p.s, tiny))
		rel := p.r * p.lam / max(p.s, tiny)
		a := 1 / (1 + (pl.p-1)*rel)
		switch c.kind {
		case fixedMultiplier:
			return lnLam - math.Log(c.x), a
		case fixedLevel:
			return math.Log(c.x) - lnS, rel * a
		}
		return lnLam - math.Log(c.x) - c.e*lnS, a * (1 + c.e*rel)
	})
	return p
}

// atSlope puts the children of a Norm node where λ_j = κ w_j^p s_j^(p−1).
func (x *Prox) atSlope(pl *plan, leaf, slot int, kappa float64) point {
	x.slots[slot].x = kappa
	acc := accumulator{op: Norm, p: pl.p}
	e := pl.p - 1
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		w := pl.weight(i)
		q := x.eval(kid, kl, ks, curve{kind: powered, x: kappa * power(w, pl.p), e: e})
		acc.add(w * q.s)
	}
	p := point{s: acc.result()}
	if p.s == 0 {
		return p
	}
	p.lam = kappa * power(p.s, e)
	var num, den float64
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		q := x.pointOf(kid, kl, ks)
		n, d := pl.normSlopes(i, q.s, p.s, kappa)
		damp := 1 / (1 + q.r*d)
		num += n * n * q.r * damp
		den += power(pl.weight(i)*q.s/p.s, pl.p) * damp
	}
	p.r = num / den
	x.slots[slot].damp = den
	return p
}

// normSlopes are the slope n_j = ∂N/∂s_j of a Norm node, and D_j = ∂λ_j/∂s_j at fixed κ.
func (pl *plan) normSlopes(i int, s, total, kappa float64) (n, d float64) {
	w := pl.weight(i)
	n = w * power(w*s/total, pl.p-1)
	switch {
	case pl.p == 2:
		d = kappa * w * w
	case s == 0 && pl.p < 2:
		d = 1e150
	default:
		d = min(kappa*(pl.p-1)*w*w*power(w*s, pl.p-2), 1e150)
	}
	return n, d
}

// pointOf is where a subtree stands since its last eval.
func (x *Prox) pointOf(pl *plan, leaf, slot int) point {
	if pl.isLeaf() {
		switch x.state[leaf] {
		case idle:
			return point{s: x.mag[leaf]}
		case stuck:
			return point{lam: x.mag[leaf]}
		}
		return point{s: x.level[leaf], lam: x.mag[leaf] - x.level[leaf], r: 1}
	}
	sl := &x.slots[slot]
	if sl.state == idle {
		return point{s: x.height(pl, leaf)}
	}
	return point{s: sl.s, lam: sl.lam, r: sl.r}
}
