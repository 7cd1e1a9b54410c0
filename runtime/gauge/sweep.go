package gauge

import "math"

// Searches within searches multiply from level to level of a tree. Sweeps do not: they are Newton's method for the shared
// numbers of all nodes at once. A sweep takes each node to one point of its curve, near where the last sweep left it. The
// tangent there promises the parent a point on the curve that it asks for. That solves the linear system of a Newton step,
// as the tree is eliminated from the leaves up. Near the end each sweep doubles the digits. Where sweeps come to no end,
// the searches begin.

// sweep takes an inner node to a point of its curve, and returns the point of c that the tangent there promises.
func sweep(x *tracer, pl *plan, leaf, slot int, c curve, height, width float64) point {
	var p point
	guess := x.slots[slot].step(x.sweeps.damping, x.effort.search, c, height, width)
	switch pl.op {
	case Max:
		p = x.atLevel(pl, leaf, slot, guess.s)
	case Sum:
		p = x.atMultiplier(pl, leaf, slot, guess.lam)
	case Top:
		p = sweepTop(x, pl, leaf, slot, guess.lam)
	default:
		p = x.atSlope(pl, leaf, slot, guess.lam, guess.s)
	}
	x.record(slot, p)
	q := tangent(c, p)
	if !(p.r > 0 && p.r < math.Inf(1) && q.s >= 0 && q.s <= height && q.lam >= 0 && q.lam <= width) {
		x.sweeps.off = math.Inf(1)
		q.s, q.lam = inside(q.s, height), inside(q.lam, width)
	}
	x.sweeps.compare(p.s, q.s, height)
	x.sweeps.compare(p.lam, q.lam, width)
	q.r = p.r
	return q
}

// step returns where a sweep goes from the point of the last: along the tangent to c. Where that leaves the curve, it
// goes half way to the curve's end.
func (s *slot) step(damping float64, search int, c curve, height, width float64) point {
	at := point{s: s.s, lam: s.lam, r: s.r}
	if s.search != search {
		return s.guess(search, c, height, width)
	}
	if p := tangent(c, at); p.s > 0 && p.s < height && p.lam > 0 && p.lam < width {
		return point{s: at.s + damping*(p.s-at.s), lam: at.lam + damping*(p.lam-at.lam)}
	}
	if c.excess(at) > 0 {
		return point{s: (at.s + height) / 2, lam: at.lam / 2}
	}
	return point{s: at.s / 2, lam: (at.lam + width) / 2}
}

// inside returns the nearest number to v from 0 to most, and most for what is not a number.
func inside(v, most float64) float64 {
	if v >= 0 {
		return min(v, most)
	}
	if v < 0 {
		return 0
	}
	return most
}

// sweepTop does for a sweep what atTopMultiplier does for a search. The tangents at the children's last points promise a
// threshold, and whether it holds a child.
func sweepTop(x *tracer, pl *plan, leaf, slot int, sigma float64) point {
	x.effort.spent += pl.cost
	sl, highest := &x.slots[slot], 0.0
	stood := make([]point, 0, manyChildren)
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		q, height := standing(x, kid, kl, ks)
		highest = max(highest, height*pl.weight(i))
		stood = append(stood, q)
	}
	theta := threshold(x.effort, pl, stood, sigma, highest)
	if sl.search == x.effort.search {
		x.sweeps.compare(sl.x, theta, highest)
	} else {
		x.sweeps.off = math.Inf(1)
	}
	var p topPoint
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		w := pl.weight(i)
		if stood[i].promises(theta/w) >= sigma*w {
			p.above(x.eval(kid, kl, ks, curve{kind: fixedMultiplier, x: sigma * w}), w)
			continue
		}
		p.held(x.eval(kid, kl, ks, curve{kind: fixedLevel, x: theta / w}), w)
	}
	if want := float64(pl.k) * sigma; theta > 0 || p.sum > want {
		x.sweeps.compare(p.sum, want, want)
	}
	sl.x, sl.free, sl.tied = theta, p.free, p.tied
	rest := float64(pl.k) - p.free
	out := point{s: p.level + rest*theta, lam: sigma, r: p.r}
	if p.tied > 0 {
		out.r += rest * rest / p.tied
	}
	return out
}

// manyChildren is how many children a sweep takes without asking for memory.
const manyChildren = 32

// standing returns the point at which the last sweep left a subtree, the middle of a chord where there was none, and the
// subtree's height.
func standing(x *tracer, pl *plan, leaf, slot int) (at point, height float64) {
	if pl.isLeaf() {
		return point{s: x.mag[leaf], r: 1}, x.mag[leaf] // the end of its line, which is its tangent everywhere
	}
	s := &x.slots[slot]
	height, width := x.ends(pl, leaf, slot)
	if s.search == x.effort.search && s.r > 0 {
		return point{s: s.s, lam: s.lam, r: s.r}, height
	}
	return point{s: height / 2, lam: width / 2, r: height / width}, height
}

// threshold returns the θ at which the multipliers that tangents promise add up to kσ, 0 where they are less everywhere.
func threshold(e *effort, pl *plan, stood []point, sigma, highest float64) (theta float64) {
	missing := func(theta float64) (float64, float64) {
		sum, slope := 0.0, 0.0
		for i, q := range stood {
			w := pl.weight(i)
			switch lam := q.promises(theta / w); {
			case lam >= sigma*w:
				sum += sigma
			case lam > 0:
				sum += lam / w
				slope += 1 / (w * w * q.r)
			}
		}
		return float64(pl.k)*sigma - sum, slope
	}
	if v, _ := missing(0); v >= 0 {
		return 0
	}
	e.root(0, highest, highest/2, func(at float64) (float64, float64) {
		theta = at
		return missing(at)
	})
	return theta
}

// promises returns the multiplier that the tangent at a point promises at a level.
func (p point) promises(level float64) float64 { return p.lam + (p.s-level)/p.r }

// proximal reports whether the point at which sweeps ended is a proximal one: ρ(t)ρ°(u − t) = ⟨u − t, t⟩, which is at
// most that anywhere else.
func proximal(x *tracer, pl *plan, leaf int) bool {
	along, rho, polar := meet(x, pl, leaf)
	return math.Abs(rho*polar-along) <= nearly*math.Abs(along)
}

// nearly is by how much both sides may differ, as a share.
const nearly = 1e-8

// meet returns ⟨u − t, t⟩ of a subtree, ρ(t) and ρ°(u − t).
func meet(x *tracer, pl *plan, leaf int) (along, rho, polar float64) {
	if pl.isLeaf() {
		u, t := x.u[leaf], x.t[leaf]
		if pl.op == Pos {
			return (u - t) * t, max(t, 0), max(u-t, 0)
		}
		return (u - t) * t, math.Abs(t), math.Abs(u - t)
	}
	values, polars := accumulator{op: pl.op, p: pl.p, k: pl.k}, dual(pl.op, pl.p, pl.k)
	base := len(x.stack)
	for i := range pl.n {
		kid, kl, _ := pl.kid(i, leaf, 0)
		a, r, q := meet(x, kid, kl)
		along += a
		polars.add(1 / pl.weight(i) * q)
		if pl.op == Top {
			x.stack = append(x.stack, pl.weight(i)*r)
		} else {
			values.add(pl.weight(i) * r)
		}
	}
	rho = values.result()
	if pl.op == Top {
		rho = sumOfLargest(x.stack[base:], pl.k)
		x.stack = x.stack[:base]
	}
	return along, rho, polars.result()
}
