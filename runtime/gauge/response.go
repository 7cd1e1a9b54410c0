package gauge

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Response applies the derivative of u ↦ u − t at the last point of Square: symmetric, between 0 and 1, and an element of
// the generalized Jacobian where the map has a kink. It is 0 in the rows and columns of all leaves but those that Active
// names: du is n×k, row i belonging to the leaf rows[i], each column a direction, with rows what Active returned; dst, of the
// same shape, may not overlap it.
//
// The tree is a network of springs: every node answers a change du with ds = b − r dλ. The b are gathered from the leaves up,
// dλ = τ ds at the root is τ b/(1 + τ r), and the dλ are handed down.
func (x *Prox) Response(dst, du *mat.Dense, rows []int, tau float64) {
	if len(rows) == 0 {
		return
	}
	x.settle()
	_, k := du.Dims()
	if need := 3 * k * len(x.slots); cap(x.buf) < need {
		x.buf = make([]float64, need)
	}
	if x.at == nil {
		x.at = make([]int32, len(x.state))
	}
	for i, leaf := range rows {
		x.at[leaf] = int32(i) //nolint:gosec // below the number of leaves, which Validate bounds
	}
	r := response{prox: x, k: k, du: du.RawMatrix(), dst: dst.RawMatrix(), vec: x.buf[:3*k*len(x.slots)]}
	if x.plan.isLeaf() {
		f := 0.0
		if x.state[0] == active {
			f = tau / (1 + tau)
		}
		for i := range k {
			r.out(0)[i] = f * r.in(0)[i]
		}
		return
	}
	r.up(x.plan, 0, 0)
	sl := &x.slots[0]
	dlam := r.dlam(0)
	if sl.state == active {
		for i, b := range r.b(0) {
			dlam[i] = tau * b / (1 + tau*sl.r)
		}
	}
	r.down(x.plan, 0, 0)
}

// Active appends to dst the leaves whose rows of the derivative are not 0.
func (x *Prox) Active(dst []int) []int {
	x.settle()
	return x.appendActive(dst, x.plan, 0, 0)
}

// appendActive goes where down goes.
func (x *Prox) appendActive(dst []int, pl *plan, leaf, slot int) []int {
	if pl.isLeaf() {
		if x.state[leaf] != idle {
			dst = append(dst, leaf)
		}
		return dst
	}
	switch x.slots[slot].state {
	case idle:
		return dst
	case stuck:
		return x.appendStuck(dst, leaf, leaf+pl.leaves)
	}
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		dst = x.appendActive(dst, kid, kl, ks)
	}
	return dst
}

// appendStuck appends the leaves at 0, whose rows copyStuck sets.
func (x *Prox) appendStuck(dst []int, from, to int) []int {
	for i := from; i < to; i++ {
		if x.state[i] == stuck {
			dst = append(dst, i)
		}
	}
	return dst
}

type response struct {
	prox    *Prox
	k       int
	du, dst blas64.General
	vec     []float64
}

// in is the row of du that belongs to a leaf, out that of dst.
func (r *response) in(leaf int) []float64  { return rowOf(r.du, int(r.prox.at[leaf]), r.k) }
func (r *response) out(leaf int) []float64 { return rowOf(r.dst, int(r.prox.at[leaf]), r.k) }

func rowOf(g blas64.General, i, k int) []float64 { return g.Data[i*g.Stride : i*g.Stride+k] }

// Each slot has three vectors: its b, its dλ, and what its children have in common.
func (r *response) vector(slot, which int) []float64 {
	at := (3*slot + which) * r.k
	return r.vec[at : at+r.k : at+r.k]
}

func (r *response) b(slot int) []float64      { return r.vector(slot, 0) }
func (r *response) dlam(slot int) []float64   { return r.vector(slot, 1) }
func (r *response) common(slot int) []float64 { return r.vector(slot, 2) }

// up gathers the b of an active node.
func (r *response) up(pl *plan, leaf, slot int) {
	if r.prox.slots[slot].state != active {
		return
	}
	b := r.b(slot)
	clear(b)
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		if !kid.isLeaf() {
			r.up(kid, kl, ks)
		}
		if f := r.share(pl, i, leaf, slot); f != 0 {
			r.addB(b, f, kid, kl, ks)
		}
	}
}

// addB adds f times a child's b.
func (r *response) addB(b []float64, f float64, kid *plan, leaf, slot int) {
	axpy(b, f*r.flip(kid, leaf), r.childB(kid, leaf, slot))
}

// childB is a child's b, but for the sign of a leaf.
func (r *response) childB(kid *plan, leaf, slot int) []float64 {
	if kid.isLeaf() {
		return r.in(leaf)
	}
	return r.b(slot)
}

// flip is the sign of a leaf, and 1 for inner nodes.
func (r *response) flip(kid *plan, leaf int) float64 {
	if kid.isLeaf() && r.prox.negative[leaf] {
		return -1
	}
	return 1
}

func (r *response) status(pl *plan, leaf, slot int) state {
	if pl.isLeaf() {
		return r.prox.state[leaf]
	}
	return r.prox.slots[slot].state
}

// above says whether a child of a Top node, at level s times its weight, lies above the threshold.
func (sl *slot) above(level float64) bool { return level > sl.x*(1+1e-13) || sl.tied == 0 }

// share is the factor of child i's b in its parent's.
func (r *response) share(pl *plan, i, leaf, slot int) float64 {
	kid, kl, ks := pl.kid(i, leaf, slot)
	if r.status(kid, kl, ks) != active {
		return 0
	}
	p := r.prox.pointOf(kid, kl, ks)
	w, sl := pl.weight(i), &r.prox.slots[slot]
	switch pl.op {
	case Max:
		return sl.r / (w * p.r)
	case Sum:
		return w
	case Norm:
		n, d := pl.normSlopes(i, p, sl)
		return n / (1 + p.r*d) / sl.damp
	}
	if sl.above(w * p.s) {
		return w
	}
	return (float64(pl.k) - sl.free) / (w * p.r * sl.tied)
}

// down hands a node's dλ to its children; at the leaves it is the result.
func (r *response) down(pl *plan, leaf, slot int) {
	sl := &r.prox.slots[slot]
	switch sl.state {
	case idle:
		return
	case stuck:
		r.copyStuck(leaf, leaf+pl.leaves)
		return
	}
	r.drive(pl, leaf, slot)
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		switch r.status(kid, kl, ks) {
		case idle:
		case stuck:
			r.copyStuck(kl, kl+kid.leaves)
		default:
			if kid.isLeaf() {
				r.hand(r.out(kl), pl, i, leaf, slot)
				continue
			}
			r.hand(r.dlam(ks), pl, i, leaf, slot)
			r.down(kid, kl, ks)
		}
	}
}

// copyStuck is the response of leaves at 0.
func (r *response) copyStuck(from, to int) {
	for i := from; i < to; i++ {
		if r.prox.state[i] == stuck {
			copy(r.out(i), r.in(i))
		}
	}
}

// drive works out what all children of an active node have in common: ds of a Max, dσ − (σ(p−1)/N) dN of a Norm, dθ of a Top.
func (r *response) drive(pl *plan, leaf, slot int) {
	sl, b, dlam, g := &r.prox.slots[slot], r.b(slot), r.dlam(slot), r.common(slot)
	switch pl.op {
	case Max:
		for i, d := range dlam {
			g[i] = b[i] - sl.r*d
		}
	case Norm:
		k := pl.bend(sl.lam, sl.s)
		for i, d := range dlam {
			g[i] = d - k*(b[i]-sl.r*d)
		}
	case Top:
		clear(g)
		if sl.tied > 0 {
			r.driveTop(pl, leaf, slot)
		}
	}
}

func (r *response) driveTop(pl *plan, leaf, slot int) {
	sl, g := &r.prox.slots[slot], r.common(slot)
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		if r.status(kid, kl, ks) != active {
			continue
		}
		p, w := r.prox.pointOf(kid, kl, ks), pl.weight(i)
		if !sl.above(w * p.s) {
			r.addB(g, 1/(w*p.r), kid, kl, ks)
		}
	}
	rest := float64(pl.k) - sl.free
	for i, d := range r.dlam(slot) {
		g[i] = (g[i] - rest*d) / sl.tied
	}
}

// hand sets out to the dλ of child i, for a leaf with its sign.
func (r *response) hand(out []float64, pl *plan, i, leaf, slot int) {
	kid, kl, ks := pl.kid(i, leaf, slot)
	p, w, sl := r.prox.pointOf(kid, kl, ks), pl.weight(i), &r.prox.slots[slot]
	drive, f, h := r.common(slot), -1/(w*p.r), 1/p.r
	switch {
	case pl.op == Sum, pl.op == Top && sl.above(w*p.s):
		drive, f, h = r.dlam(slot), w, 0
	case pl.op == Norm:
		n, d := pl.normSlopes(i, p, sl)
		damp := 1 / (1 + p.r*d)
		f, h = n*damp, d*damp
	}
	f *= r.flip(kid, kl)
	if h == 0 {
		for j, v := range drive {
			out[j] = f * v
		}
		return
	}
	b := r.childB(kid, kl, ks) // a leaf's sign meets itself here: sign² = 1
	for j, v := range drive {
		out[j] = f*v + h*b[j]
	}
}

func axpy(dst []float64, f float64, v []float64) {
	for i, x := range v {
		dst[i] += f * x
	}
}
