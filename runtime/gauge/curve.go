package gauge

import "math"

// A curve is the rising curve λ = g(s) that picks a point of a node's falling curve. Its three kinds suffice, since
// every node turns a problem of one kind into problems of these kinds for its children.
type curve struct {
	kind curveKind
	x, e float64
	at   float64 // of powered: the level at which λ is x, so that no power leaves the range of floating point
}

// square returns the curve of the proximal map of ½τρ², λ = τs.
func square(tau float64) curve { return curve{kind: powered, x: tau, at: 1, e: 1} }

type curveKind uint8

const (
	fixedMultiplier curveKind = iota // λ = x
	fixedLevel                       // s = x
	powered                          // λ = x (s/at)^e, e > 0
)

// A point of a node's curve, and the curve's slope r = −ds/dλ there.
type point struct{ s, lam, r float64 }

// excess returns how far the point lies beyond the rising curve: increasing in λ, decreasing in s, and zero on the
// curve. For powers with e ≠ 1 it is a difference of logarithms, in which Newton's iteration converges for any
// exponent.
func (c curve) excess(p point) float64 {
	switch {
	case c.kind == fixedMultiplier:
		return p.lam - c.x
	case c.kind == fixedLevel:
		return c.x - p.s
	case c.e == 1:
		return p.lam - c.x*(p.s/c.at)
	}
	return c.settled(math.Log(p.lam) - math.Log(c.x) - c.e*math.Log(p.s/c.at))
}

// settled returns a difference of logarithms, or 0 if it is within rounding error.
func (c curve) settled(v float64) float64 {
	if math.Abs(v) < logarithmic*(1+c.e) {
		return 0
	}
	return v
}

// logarithmic is the rounding error of a difference of logarithms. Each factor e multiplies that of its logarithm.
const logarithmic = 1e-15

// below reports whether a power is so low that it meets a falling curve from (height, 0) to (0, width) at its end λ =
// 0. It decides as far as floating point can tell.
func (c curve) below(height, width float64) bool {
	return c.kind == powered && !(c.x*power(height/c.at, c.e) > sunk*width)
}

// above reports whether a power is so high that it meets such a curve at its end s = 0.
func (c curve) above(height, width float64) bool {
	return c.kind == powered && c.x*power(sunk*height/c.at, c.e) >= width
}

// byLambda returns the derivative of the excess by λ.
func (c curve) byLambda(p point) float64 {
	if c.kind == powered && c.e != 1 {
		return 1 / p.lam
	}
	return 1
}

// byLevel returns the derivative of the excess by s with the opposite sign, so that it is nonnegative.
func (c curve) byLevel(p point) float64 {
	switch {
	case c.kind != powered:
		return 0
	case c.e == 1:
		return c.x / c.at
	}
	return c.e / p.s
}

// multiplier returns λ where a powered curve meets a leaf, or a line of height v, at s. That is v − s. The power
// gives the same number with a relative error e times as large as that of s, so it serves where the difference
// cancels more digits.
func (c curve) multiplier(v, s float64) float64 {
	lam := v - s
	if lam*max(c.e, 2) < v {
		return c.x * power(s/c.at, c.e)
	}
	return lam
}

// find finds the point of a tree on c: by sweeps where it is deep, or where these fail by searches that begin anew.
func find(x *tracer, pl *plan, leaf, slot int, c curve) point {
	if pl.depth <= deepest {
		return x.eval(pl, leaf, slot, c)
	}
	for k := 0; k < mostSweeps+pl.depth && x.effort.work <= x.effort.most; k++ {
		x.sweeps.begin(k)
		p := x.eval(pl, leaf, slot, c)
		x.sweeps.on = false
		if x.sweeps.done() && proximal(x, pl, leaf) {
			return p
		}
		if x.sweeps.ended {
			break
		}
	}
	x.effort.search++
	return x.eval(pl, leaf, slot, c)
}

// eval finds the node's point on c, and sets t, states and slots of its subtree. Closed forms come first.
func (x *tracer) eval(pl *plan, leaf, slot int, c curve) point {
	if pl.isLeaf() {
		return x.evalLeaf(pl.op == Pos, leaf, c)
	}
	x.effort.work++
	if pl.flat && pl.op == Max && (c.kind != powered || c.e == 1) {
		return x.flatMax(pl, leaf, slot, c)
	}
	if pl.op == Norm && c.kind == powered && c.e == pl.p-1 {
		return x.record(slot, x.atSlope(pl, leaf, slot, c.x, c.at)) // σ = x (N/at)^(p−1) is λ_j = x w_j (w_j s_j/at)^(p−1)
	}
	return x.evalInner(pl, leaf, slot, c)
}

// evalInner finds the point of a node without a closed form. It tests the ends of the node's curve first, where
// Newton's iteration would divide by zero, and then searches between them.
func (x *tracer) evalInner(pl *plan, leaf, slot int, c curve) point {
	height, width := x.ends(pl, leaf, slot)
	if height < faint || (c.kind == fixedLevel && c.x >= height) || (c.kind != fixedLevel && c.x == 0) {
		x.keep(pl, leaf, slot)
		return point{s: height}
	}
	// As for g = 0, floating point cannot tell the point from the end.
	if c.below(height, width) {
		x.keep(pl, leaf, slot)
		return point{s: height}
	}
	if (c.kind == fixedLevel && c.x <= 0) || (c.kind == fixedMultiplier && c.x >= width) || c.above(height, width) {
		x.sink(pl, leaf, slot)
		return point{lam: width}
	}
	if x.sweeps.on {
		return sweep(x, pl, leaf, slot, c, height, width)
	}
	guess := x.slots[slot].guess(x.effort.search, c, height, width)
	switch pl.op {
	case Max:
		return x.record(slot, x.evalMax(pl, leaf, slot, c, guess, height))
	case Sum, Top:
		return x.record(slot, x.evalSum(pl, leaf, slot, c, guess, width))
	}
	return x.record(slot, x.evalNorm(pl, leaf, slot, c, guess))
}

// guess returns about where c meets a node's curve. The tangent at the last point of a search knows more than the
// chord. As a search above goes on, it moves the points below by less and less, and these take fewer and fewer steps.
func (s *slot) guess(search int, c curve, height, width float64) point {
	var p point
	if s.search == search && s.state == active {
		p = tangent(c, point{s: s.s, lam: s.lam, r: s.r})
	}
	if !(p.s > 0 && p.s < height && p.lam > 0 && p.lam < width) {
		p = chord(c, height, width)
	}
	return point{s: max(p.s, least*height), lam: max(p.lam, least*width)}
}

// record files a point in the node's slot and returns it.
func (x *tracer) record(slot int, p point) point {
	sl := &x.slots[slot]
	sl.s, sl.lam, sl.r, sl.search = p.s, p.lam, p.r, x.effort.search
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

// evalLeaf finds a leaf's point, whose curve is the line s + λ = v with v its magnitude.
func (x *tracer) evalLeaf(pos bool, i int, c curve) point {
	v := x.mag[i]
	var s, lam float64
	switch c.kind {
	case fixedMultiplier:
		s, lam = v-c.x, c.x
	case fixedLevel:
		s, lam = c.x, v-c.x
	default:
		s = leafPower(v, c)
		lam = c.multiplier(v, s)
		if v == 0 { // differentiable here, unlike the others
			x.place(i, 0, 0)
			if x.t[i] = x.u[i]; x.u[i] != 0 { // the inner side of a one-sided leaf
				x.state[i] = idle
			}
			return point{r: 1}
		}
	}
	switch {
	case s >= v && (c.kind != powered || lam == 0): // a power may round to no more than a multiplier
		x.t[i], x.state[i] = x.u[i], idle
		return point{s: v}
	// The projection on {t ≤ 0}, or a multiplier that holds the leaf there.
	case s <= 0:
		x.sinkLeaf(pos, i)
		return point{lam: v}
	}
	x.place(i, s, lam)
	return point{s: s, lam: lam, r: 1}
}

// leafPower solves s + g(s) = v for s in [0, v] on a powered curve. With a = at/v, b = x/v and m = s/at that is a m +
// b m^e = 1. Exponents 1, 2 and ½ have closed forms. They are written without cancellation: 2/(a + √…) instead of a
// difference of like numbers.
//
// For other exponents it solves ln(a m + b m^e) = 0 in ln m. A logarithm of a sum of exponentials is convex and
// increasing. So Newton's iteration falls to the root from any point above it, and nothing overflows for any a, b and
// e.
func leafPower(v float64, c curve) float64 {
	a, b := c.at/v, c.x/v
	switch {
	case v == 0 || c.x == 0:
		return v
	case c.e == 1:
		return v / (1 + c.x/c.at)
	case c.e == 2:
		return min(v, c.at*2/(a+math.Sqrt(a*a+4*b)))
	case c.e == 0.5:
		y := 2 / (b + math.Sqrt(b*b+4*a))
		return min(v, c.at*y*y)
	}
	lnv := math.Log(v) // of v by itself, as the quotients overflow where v is subnormal
	lna, lnb := math.Log(c.at)-lnv, math.Log(c.x)-lnv
	m := min(-lna, -lnb/c.e) // ln m above the root: Newton falls to it
	for range 100 {
		linear, bent := lna+m, lnb+c.e*m
		top := max(linear, bent)
		p, q := math.Exp(linear-top), math.Exp(bent-top)
		step := (top + math.Log(p+q)) * (p + q) / (p + c.e*q)
		if !(step > 1e-16*max(1, math.Abs(m))) { // rounding errors alone step up from here
			break
		}
		m -= step
	}
	s := c.at * math.Exp(m)
	if y := c.x * power(s/c.at, c.e); s > 0 && !math.IsInf(y, 0) { // what ln m has lost
		s = max(0, s-(s+y-v)/(1+c.e*y/s))
	}
	if s < sunk*v {
		return 0
	}
	return min(s, v)
}

// faint is the height below which a subtree is left where it is: quotients of subnormal numbers mean nothing.
const faint = 1e-290

// sunk is the share of a leaf's height below which a level counts as 0, and steepest the most that a slope ∂λ/∂s may be.
const (
	// sunk is the share of a leaf's height below which a level counts as 0.
	sunk = 1e-120
	// steepest bounds a slope ∂λ/∂s, so that products of two slopes stay finite.
	steepest = 1e150
)

// chord returns a first guess: the point where c meets the straight line from (height, 0) to (0, width).
func chord(c curve, height, width float64) point {
	switch c.kind {
	case fixedMultiplier:
		return point{s: height * (1 - c.x/width), lam: c.x}
	case fixedLevel:
		return point{s: c.x, lam: width * (1 - c.x/height)}
	}
	// λ + (width/height) s = width, scaled so that s has coefficient 1.
	s := leafPower(height, curve{kind: powered, x: c.x * (height / width), at: c.at, e: c.e})
	return point{s: s, lam: width * (1 - s/height)}
}

// tangent returns where c meets the tangent of a falling curve at one of its points.
func tangent(c curve, at point) point {
	switch c.kind {
	case fixedMultiplier:
		return point{s: at.s - at.r*(c.x-at.lam), lam: c.x}
	case fixedLevel:
		return point{s: c.x, lam: at.lam + (at.s-c.x)/at.r}
	}
	end := at.s + at.r*at.lam // where the tangent is at λ = 0
	s := leafPower(end, curve{kind: powered, x: c.x * at.r, at: c.at, e: c.e})
	return point{s: s, lam: (end - s) / at.r}
}

// evalMax finds the point of a Max node by a search for its children's common level. The excess, with its sign
// turned, rises with the level.
func (x *tracer) evalMax(pl *plan, leaf, slot int, c curve, guess point, height float64) point {
	if c.kind == fixedLevel {
		return x.atLevel(pl, leaf, slot, c.x)
	}
	var p point
	// On the node's curve dλ = −ds/r, hence −d(excess)/ds = byLambda/r + byLevel.
	x.effort.root(0, height, guess.s, func(s float64) (float64, float64) {
		p = x.atLevel(pl, leaf, slot, s)
		return -c.excess(p), c.byLambda(p)/p.r + c.byLevel(p)
	})
	return p
}

// atLevel puts the children of a Max node at the common level s > 0. Their multipliers add, λ = Σ λ_j/w_j, since the
// polar of a maximum is a sum. Children lower than s do not take part, and slopes add like resistors in parallel: 1/r
// = Σ 1/(w_j² r_j).
func (x *tracer) atLevel(pl *plan, leaf, slot int, s float64) point {
	x.effort.spent += pl.cost
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

// flatMax finds the point of a maximum of leaves in closed form: λ(s) = Σ_{w_j v_j > s} (v_j − s/w_j)/w_j.
func (x *tracer) flatMax(pl *plan, leaf, slot int, c curve) point {
	x.effort.spent += pl.cost
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
		x.place(leaf+i, at, v-at)
		p.lam += (v - at) / w
		conductance += 1 / (w * w)
	}
	if p.lam == 0 {
		x.slots[slot].state = idle
		return point{s: x.height(pl, leaf, slot)}
	}
	p.r = 1 / conductance
	return x.record(slot, p)
}

// flatMaxLevel returns the level where λ(s) meets c. As λ(s) is piecewise linear and convex, Newton's iteration from
// the left never passes the root. Each step solves the line through the leaves above s, a − b s; the set of these
// leaves shrinks, so at most m + 1 steps are needed.
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
			next = a / (b + c.x/c.at)
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

// flatMaxSunk returns the point of a maximum of leaves whose level is 0.
func (x *tracer) flatMaxSunk(pl *plan, leaf, slot int, c curve) point {
	_, width := x.ends(pl, leaf, slot)
	// All leaves are at 0, or nothing holds them there.
	if width == 0 || (c.kind != fixedLevel && c.x == 0) {
		x.keep(pl, leaf, slot)
		return point{}
	}
	x.sink(pl, leaf, slot)
	return point{lam: width}
}

// evalSum finds the point of a Sum or Top node by a search for the common multiplier σ. On the node's curve ds = −r
// dσ, which gives the derivatives of the excess.
func (x *tracer) evalSum(pl *plan, leaf, slot int, c curve, guess point, width float64) point {
	at := x.atMultiplier
	if pl.op == Top {
		at = x.atTopMultiplier
	}
	if c.kind == fixedMultiplier {
		return at(pl, leaf, slot, c.x)
	}
	var p point
	x.effort.root(0, width, guess.lam, func(sigma float64) (float64, float64) {
		p = at(pl, leaf, slot, sigma)
		if c.kind == fixedLevel {
			return c.excess(p), p.r
		}
		return c.excess(p), c.byLambda(p) + c.byLevel(p)*p.r
	})
	return p
}

// atMultiplier puts the children of a Sum node where their multipliers are σ w_j. Levels and slopes add: s = Σ w_j
// s_j, r = Σ w_j² r_j.
func (x *tracer) atMultiplier(pl *plan, leaf, slot int, sigma float64) point {
	x.effort.spent += pl.cost
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

// steep is the exponent of a Norm from which its level is found before its multiplier. With such exponents λ_j
// changes so fast with s_j that no level gives the multiplier to the last digits.
const steep = 16

// least is the least share of the ends of a curve that a guess is.
const least = 1e-9

// evalNorm finds the point of a Norm node by a search for ln κ, κ = U/L^(p−1). It varies U for small p and L for
// large p, as the other of the two would leave the range of floating point.
func (x *tracer) evalNorm(pl *plan, leaf, slot int, c curve, guess point) point {
	unit, level := guess.lam, guess.s
	if pl.p <= 2 {
		return pl.searchSlope(x.effort, c, 1, func(lnu float64) point { return x.atSlope(pl, leaf, slot, unit*math.Exp(lnu), level) })
	}
	at := level
	p := pl.searchSlope(x.effort, c, pl.p-1, func(lnl float64) point {
		at = min(max(level*math.Exp(-lnl), 1/math.MaxFloat64), math.MaxFloat64)
		return x.atSlope(pl, leaf, slot, unit, at)
	})
	if pl.p < steep {
		return p
	}
	return pl.searchSlope(x.effort, c, 1, func(lnu float64) point { return x.atSlope(pl, leaf, slot, unit*math.Exp(lnu), at) })
}

// searchSlope finds the point of c among those that eval returns for (ln κ)/scale, up to a constant. Accuracy ends
// where logarithms lose digits.
//
// With N = s, σ = λ and r = −dN/dσ let q = rσ/N. As ln κ = ln σ − (p−1) ln N and d ln N = −q d ln σ, d ln σ/d ln κ =
// 1/(1 + (p−1)q).
func (pl *plan) searchSlope(e *effort, c curve, scale float64, eval func(at float64) point) (p point) {
	// Stands for 0: Newton's iteration can go on from a finite logarithm.
	tiny := math.SmallestNonzeroFloat64
	best, idle := math.Inf(1), 0
	e.root(math.Inf(-1), math.Inf(1), 0, func(at float64) (float64, float64) {
		p = eval(at)
		lnLam, lnS := math.Log(max(p.lam, tiny)), math.Log(max(p.s, tiny))
		rel := p.r * p.lam / max(p.s, tiny)
		a := scale / (1 + (pl.p-1)*rel)
		v, slope := lnLam-math.Log(c.x), a
		switch c.kind {
		case fixedLevel:
			v, slope = math.Log(c.x)-lnS, rel*a
		case powered:
			v, slope = v-c.e*(lnS-math.Log(c.at)), a*(1+c.e*rel)
		}
		if idle++; math.Abs(v) < best/2 {
			best, idle = math.Abs(v), 0
		}
		if idle > mostIdle && math.Abs(v) < noisy { // the rest is rounding errors of nodes below
			return 0, slope
		}
		return c.settled(v), slope
	})
	return p
}

// A search ends where it is as near as noisy and mostIdle evaluations have brought it no nearer.
const (
	// A search ends when its error is below noisy and mostIdle evaluations have not halved the least one.
	noisy    = 1e-8
	mostIdle = 4
)

// atSlope puts the children of a Norm node where λ_j = U w_j (w_j s_j/L)^(p−1), and returns the node's point.
func (x *tracer) atSlope(pl *plan, leaf, slot int, unit, level float64) point {
	x.effort.spent += pl.cost
	sl := &x.slots[slot]
	sl.x, sl.level = unit, level
	levels, multipliers := accumulator{op: Norm, p: pl.p}, dual(Norm, pl.p, 0)
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		w := pl.weight(i)
		q := x.eval(kid, kl, ks, curve{kind: powered, x: unit * w, at: level / w, e: pl.p - 1})
		levels.add(w * q.s)
		multipliers.add(q.lam / w)
	}
	p := point{s: levels.result()}
	if p.lam = unit * power(p.s/level, pl.p-1); p.s == 0 || pl.p >= steep {
		p.lam = multipliers.result() // the dual norm of the children's is σ too
	}
	if p.s == 0 || p.lam == 0 {
		return p
	}
	sl.s, sl.lam = p.s, p.lam
	// A change d ln κ moves a child by ds_j = −r_j σ n_j d ln κ/(1 + r_j D_j), since λ_j = σ n_j. Hence dN = −num·σ d
	// ln κ. From ln σ = ln κ + (p−1) ln N follows dσ = (1 − num·σ(p−1)/N) σ d ln κ. With Σ_j n_j s_j = N the bracket
	// becomes den, a sum of nonnegative terms without cancellation.
	var num, den float64
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		q := x.pointOf(kid, kl, ks)
		n, d := pl.normSlopes(i, q, sl)
		damp := 1 / (1 + q.r*d)
		num += n * n * q.r * damp
		den += n * (q.s / p.s) * damp
	}
	p.r = num / den
	sl.damp = den
	return p
}

// normSlopes returns the slope n_j = ∂N/∂s_j = λ_j/σ of a Norm node at a child's point, and D_j = ∂λ_j/∂s_j at fixed
// κ. For steep norms it divides multipliers, because powers lose digits. For the others it takes powers, because
// multipliers may be differences of near numbers.
func (pl *plan) normSlopes(i int, q point, sl *slot) (n, d float64) {
	if pl.p >= steep {
		if q.s == 0 {
			return 0, 0
		}
		return q.lam / sl.lam, pl.bend(q.lam, q.s)
	}
	w := pl.weight(i)
	n = w * power(w*q.s/sl.s, pl.p-1)
	switch {
	case pl.p == 2:
		d = sl.x / sl.level * w * w
	case q.s == 0 && pl.p > 2:
		d = 0
	default:
		d = pl.bend(sl.x*w*power(w*q.s/sl.level, pl.p-1), q.s)
	}
	return n, d
}

// bend returns the derivative (p−1)λ/s of the power through (s, λ), at most steepest.
func (pl *plan) bend(lam, s float64) float64 {
	if d := (pl.p - 1) * lam / s; d < steepest {
		return d
	}
	return steepest // 0/0 too
}

// pointOf returns the point of a subtree since its last eval.
func (x *tracer) pointOf(pl *plan, leaf, slot int) point {
	if pl.isLeaf() {
		switch x.state[leaf] {
		case idle:
			return point{s: x.mag[leaf]}
		case stuck:
			return point{lam: x.mag[leaf]}
		}
		return point{s: x.level[leaf], lam: x.push[leaf], r: 1}
	}
	sl := &x.slots[slot]
	if sl.state == idle {
		return point{s: x.height(pl, leaf, slot)}
	}
	return point{s: sl.s, lam: sl.lam, r: sl.r}
}
