package gauge

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Response applies the derivative D of u ↦ u − t at the last point of Square, with its tau. D is symmetric with
// eigenvalues between 0 and 1, as for every proximal map. If the map has a kink, D is an element of its generalized
// Jacobian.
//
// du is n×k, each column a direction, and row i belongs to the leaf rows[i]. rows must be what Active returned: D is
// 0 in the rows and columns of all other leaves. dst has the shape of du and may not overlap it.
//
// The tree behaves as a network of springs: every node answers a change du by ds = b − r dλ. First the b are gathered
// from the leaves up. At the root λ = τs, hence dλ = τ ds = τb/(1 + τr). Then each dλ is handed down to the children.
func (x *Prox) Response(dst, du *mat.Dense, rows []int, tau float64) {
	if len(rows) == 0 {
		return
	}
	x.settle()
	_, k := du.Dims()
	if need := 3 * k * len(x.on.slots); cap(x.buf) < need {
		x.buf = make([]float64, need)
	}
	if x.at == nil {
		x.at = make([]int32, len(x.on.state))
	}
	for i, leaf := range rows {
		x.at[leaf] = int32(i) //nolint:gosec // below the number of leaves, which Validate bounds
	}
	r := response{prox: x, k: k, du: du.RawMatrix(), dst: dst.RawMatrix(), vec: x.buf[:3*k*len(x.on.slots)]}
	if x.plan.isLeaf() {
		f := 0.0
		if x.on.state[0] == active {
			f = tau / (1 + tau)
		}
		for i := range k {
			r.out(0)[i] = f * r.in(0)[i]
		}
		return
	}
	r.up(x.plan, 0, 0)
	sl := &x.on.slots[0]
	dlam := r.dlam(0)
	if sl.state == active {
		for i, b := range r.b(0) {
			dlam[i] = tau * b / (1 + tau*sl.r)
		}
	}
	r.down(x.plan, 0, 0)
}

// Active appends to dst the leaves whose rows of the derivative may differ from 0, in ascending order.
func (x *Prox) Active(dst []int) []int {
	x.settle()
	return x.appendActive(dst, x.plan, 0, 0)
}

// appendActive appends the active leaves of a subtree. It visits what down visits, so that down sets all of their
// rows.
func (x *Prox) appendActive(dst []int, pl *plan, leaf, slot int) []int {
	if pl.isLeaf() {
		if x.on.state[leaf] != idle {
			dst = append(dst, leaf)
		}
		return dst
	}
	switch x.on.slots[slot].state {
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
		if x.on.state[i] == stuck {
			dst = append(dst, i)
		}
	}
	return dst
}

// response is a call of Response: its arrays, and three vectors of k numbers per inner node.
type response struct {
	prox    *Prox
	k       int
	du, dst blas64.General
	vec     []float64
}

// in returns the row of du that belongs to a leaf.
func (r *response) in(leaf int) []float64 { return rowOf(r.du, int(r.prox.at[leaf]), r.k) }

// out returns the row of dst that belongs to a leaf.
func (r *response) out(leaf int) []float64 { return rowOf(r.dst, int(r.prox.at[leaf]), r.k) }

// rowOf returns the first k elements of row i.
func rowOf(g blas64.General, i, k int) []float64 { return g.Data[i*g.Stride : i*g.Stride+k] }

// vector returns one of the three vectors of a slot: its b, its dλ, and the number that its children share.
func (r *response) vector(slot, which int) []float64 {
	at := (3*slot + which) * r.k
	return r.vec[at : at+r.k : at+r.k]
}

func (r *response) b(slot int) []float64      { return r.vector(slot, 0) }
func (r *response) dlam(slot int) []float64   { return r.vector(slot, 1) }
func (r *response) common(slot int) []float64 { return r.vector(slot, 2) }

// up gathers the b of an active node from those of its children.
func (r *response) up(pl *plan, leaf, slot int) {
	if r.prox.on.slots[slot].state != active {
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

// childB returns the b of a child, for a leaf without its sign.
func (r *response) childB(kid *plan, leaf, slot int) []float64 {
	if kid.isLeaf() {
		return r.in(leaf)
	}
	return r.b(slot)
}

// flip returns −1 for a leaf at a negative u, and 1 otherwise. The magnitude of such a leaf falls as u rises.
func (r *response) flip(kid *plan, leaf int) float64 {
	if kid.isLeaf() && r.prox.on.negative[leaf] {
		return -1
	}
	return 1
}

// status returns the state of a subtree.
func (r *response) status(pl *plan, leaf, slot int) state {
	if pl.isLeaf() {
		return r.prox.on.state[leaf]
	}
	return r.prox.on.slots[slot].state
}

// above reports whether a child of a Top node, at level s times its weight, lies above the threshold. The margin
// allows for the error of the search for the threshold.
func (sl *slot) above(level float64) bool { return level > sl.x*(1+1e-13) || sl.tied == 0 }

// share returns the factor of child i's b in its parent's. It follows from ds_j = b_j − r_j dλ_j and the equation
// that ties the children:
//
//	Max    ds_j = ds/w_j,  Σ_j dλ_j/w_j = dλ            r/(w_j r_j)
//	Sum    dλ_j = w_j dλ,  ds = Σ_j w_j ds_j            w_j
//	Norm   dλ_j = D_j ds_j + λ_j d ln κ, dN = Σ_j n_j ds_j    n_j/(1 + r_j D_j)/damp
//	Top    above θ like Sum, at θ like Max
func (r *response) share(pl *plan, i, leaf, slot int) float64 {
	kid, kl, ks := pl.kid(i, leaf, slot)
	if r.status(kid, kl, ks) != active {
		return 0
	}
	p := r.prox.on.pointOf(kid, kl, ks)
	w, sl := pl.weight(i), &r.prox.on.slots[slot]
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

// down hands a node's dλ to its children. At the leaves it is the row of the result.
func (r *response) down(pl *plan, leaf, slot int) {
	sl := &r.prox.on.slots[slot]
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

// copyStuck sets the rows of leaves at 0. There t stays 0, so that u − t changes as u does.
func (r *response) copyStuck(from, to int) {
	for i := from; i < to; i++ {
		if r.prox.on.state[i] == stuck {
			copy(r.out(i), r.in(i))
		}
	}
}

// drive computes the change that all children of an active node share: ds of a Max, dσ − (σ(p−1)/N) dN = σ d ln κ of
// a Norm, dθ of a Top.
func (r *response) drive(pl *plan, leaf, slot int) {
	sl, b, dlam, g := &r.prox.on.slots[slot], r.b(slot), r.dlam(slot), r.common(slot)
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

// driveTop computes dθ from the children at the threshold: Σ_tied b_j/(w_j r_j) − tied·dθ = (k − free) dσ.
func (r *response) driveTop(pl *plan, leaf, slot int) {
	sl, g := &r.prox.on.slots[slot], r.common(slot)
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		if r.status(kid, kl, ks) != active {
			continue
		}
		p, w := r.prox.on.pointOf(kid, kl, ks), pl.weight(i)
		if !sl.above(w * p.s) {
			r.addB(g, 1/(w*p.r), kid, kl, ks)
		}
	}
	rest := float64(pl.k) - sl.free
	for i, d := range r.dlam(slot) {
		g[i] = (g[i] - rest*d) / sl.tied
	}
}

// hand sets out to the dλ of child i, with the leaf's sign. It solves ds_j = b_j − r_j dλ_j for dλ_j, given what
// drive has computed.
func (r *response) hand(out []float64, pl *plan, i, leaf, slot int) {
	kid, kl, ks := pl.kid(i, leaf, slot)
	p, w, sl := r.prox.on.pointOf(kid, kl, ks), pl.weight(i), &r.prox.on.slots[slot]
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

// axpy adds f·v to dst.
func axpy(dst []float64, f float64, v []float64) {
	for i, x := range v {
		dst[i] += f * x
	}
}
