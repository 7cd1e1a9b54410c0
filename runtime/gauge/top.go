package gauge

import "slices"

// atTopMultiplier puts the children of a Top node where the node's multiplier is σ.
//
// Top(x) = min_θ kθ + Σ_j (x_j − θ)₊ (Rockafellar and Uryasev 2000), where at most k children exceed the best θ. So
// the children above θ have the multiplier σ w_j and those below have 0. Those at θ share the rest: Σ_j λ_j/w_j = kσ
// if θ > 0. This sum falls as θ rises, and Newton's iteration finds θ. Its derivative by θ comes from the children at
// θ alone, −Σ 1/(w_j² r_j).
func (x *tracer) atTopMultiplier(pl *plan, leaf, slot int, sigma float64) point {
	x.effort.spent += pl.cost
	base := len(x.stack)
	for i := range pl.n { // each child's level and multiplier at σ
		kid, kl, ks := pl.kid(i, leaf, slot)
		q := x.eval(kid, kl, ks, curve{kind: fixedMultiplier, x: sigma * pl.weight(i)})
		x.stack = append(x.stack, q.s, q.lam)
	}
	// At θ = 0 every child would have its multiplier at σ. Only if these exceed kσ does θ leave zero.
	total, highest := 0.0, 0.0
	for i := range pl.n {
		total += x.stack[base+2*i+1] / pl.weight(i)
		highest = max(highest, x.height(pl.kid(i, leaf, slot))*pl.weight(i))
	}
	want := float64(pl.k) * sigma
	theta := 0.0
	var p topPoint
	if th, ok := x.clearCut(pl, leaf, slot, base); ok {
		theta = th
		p = x.atThreshold(pl, leaf, slot, base, sigma, theta)
	} else if total > want {
		at := highest / 2
		if last := &x.slots[slot]; last.search == x.effort.search && last.x > 0 {
			at = last.x
		}
		x.effort.root(0, highest, at, func(th float64) (float64, float64) {
			p = x.atThreshold(pl, leaf, slot, base, sigma, th)
			theta = th
			return want - p.sum, p.tied
		})
	} else {
		p = x.atThreshold(pl, leaf, slot, base, sigma, 0)
	}
	x.stack = x.stack[:base]
	sl := &x.slots[slot]
	sl.x, sl.free, sl.tied = theta, p.free, p.tied
	out := point{s: p.level + (float64(pl.k)-p.free)*theta, lam: sigma, r: p.r}
	if p.tied > 0 {
		rest := float64(pl.k) - p.free
		// The level is s = Σ_above w_j s_j + (k − free)θ, and dθ = (k − free) dσ / tied from the equation of the
		// multipliers.
		out.r += rest * rest / p.tied
	}
	return out
}

// clearCut looks for k children that stay above all the others even when these rest at their heights. It then returns
// the largest height of the others as θ. The equation of the multipliers holds from there up to the lowest of the k,
// so there is nothing to search for.
func (x *tracer) clearCut(pl *plan, leaf, slot, base int) (theta float64, ok bool) {
	from := len(x.stack)
	for i := range pl.n {
		s := x.stack[base+2*i] * pl.weight(i)
		x.stack = append(x.stack, s)
	}
	levels := x.stack[from:]
	slices.Sort(levels)
	kth := levels[pl.n-pl.k]
	tied := levels[pl.n-pl.k-1] == kth
	x.stack = x.stack[:from]
	if tied {
		return 0, false
	}
	for i := range pl.n {
		if w := pl.weight(i); x.stack[base+2*i]*w < kth {
			theta = max(theta, x.height(pl.kid(i, leaf, slot))*w)
		}
	}
	return theta, theta < kth
}

// A topPoint sums up the children of a Top node.
type topPoint struct {
	sum   float64 // Σ λ_j/w_j
	level float64 // Σ w_j s_j of the children above θ
	free  float64 // their number
	r     float64 // Σ w_j² r_j of them
	tied  float64 // Σ 1/(w_j² r_j) of the children at θ > 0
}

// atThreshold puts the children of a Top node where the multiplier is σ and the threshold θ. From base on, the stack
// holds each child's level and multiplier at σ. A child whose level there exceeds θ is free of the threshold; all
// others are held at or below it.
func (x *tracer) atThreshold(pl *plan, leaf, slot, base int, sigma, theta float64) topPoint {
	x.effort.spent += pl.cost
	var p topPoint
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		w := pl.weight(i)
		if x.stack[base+2*i]*w > theta {
			q := x.eval(kid, kl, ks, curve{kind: fixedMultiplier, x: sigma * w})
			p.above(q, w)
			continue
		}
		q := x.eval(kid, kl, ks, curve{kind: fixedLevel, x: theta / w})
		p.held(q, w)
	}
	return p
}

// above adds a child that no threshold holds.
func (p *topPoint) above(q point, w float64) {
	p.sum += q.lam / w
	p.level += w * q.s
	p.r += w * w * q.r
	p.free++
}

// held adds a child that a threshold holds.
func (p *topPoint) held(q point, w float64) {
	if !(q.lam > 0) {
		return
	}
	p.sum += q.lam / w
	if q.r > 0 {
		p.tied += 1 / (w * w * q.r)
	}
}
