package gauge

import (
	"math"
)

// A Prox evaluates the proximal map of ½τρ² and its derivative. It owns all the memory that this takes. Only one
// goroutine may use it at a time.
//
// How it works. Let u be the values of a node's leaves, and consider all points t between u and {ρ = 0} that are
// projections of u on a level set {ρ ≤ s}. Each has a level s = ρ(t) and a multiplier λ = ρ°(u − t), and is the
// proximal point of λρ at u. The pairs (s, λ) form a falling curve from (ρ(u), 0) to (0, ρ°([u])).
//
// Every problem asks for the point of that curve where λ = g(s) for some rising g:
//
//	g(s) = σ     the proximal map of σρ
//	s = const    the projection on {ρ ≤ s}
//	g(s) = τs    the proximal map of ½τρ²
//
// The curve of a node follows from those of its children by one number that they share. Children of a maximum have
// one level, w_j s_j = s. Children of a sum have one multiplier, λ_j/w_j = σ. Those of a p-norm have one slope κ in
// λ_j = κ w_j^p s_j^(p−1). The slope is written κ = U/L^(p−1), so that no power leaves the range of floating point.
// Leaves and maxima of leaves have a closed form. For all others safeguarded Newton iteration finds the shared
// number. mostWork bounds what searches within searches may take. In a deep tree sweeps come first, which find the
// numbers of all nodes at once.
type Prox struct {
	plan *plan
	on   tracer

	buf  []float64 // the response's vectors
	at   []int32   // the response's rows of the active leaves
	copy []float64 // of u, where the result overwrites it

	// Of a flat root, see flat.go.
	flat          *flatRoot
	bench         *bench[float64]
	bench32       *bench[float32]
	copy32        []float32 // of u, where the result overwrites it
	saved, shadow []float64 // u of the last Square, and t for settle
	wide, wideOut []float64 // u and t of Square32
	pending       bool      // states and slots are those of an earlier point
	tau           float64
}

// A tracer goes down a tree to the points on the curves of its nodes, and keeps how each leaf and node stands there.
type tracer struct {
	u     []float64 // the point
	t     []float64 // the result
	mag   []float64 // what the leaf makes of u: |u| or [u]₊
	slots []slot    // of inner nodes
	// Of leaves: how they stand, and for active ones |t|, the multiplier and the sign.
	state    []state
	level    []float64
	push     []float64
	negative []bool

	stack  []float64 // scratch of Top nodes
	effort *effort
	lean   bool // states may be left as they are
	sweeps sweeps
}

// A state says how a leaf or a node stands at a proximal point.
type state uint8

const (
	idle   state = iota // λ = 0: t is u
	active              // on the curve, s > 0
	stuck               // s = 0: small changes of u change u − t alone
)

// A slot holds an inner node's point on its curve, and the curve's slope there. [Prox.Response] reads it.
type slot struct {
	state  state
	s, lam float64
	r      float64 // −ds/dλ of the curve, ≥ 0
	x      float64 // the parameter: U of Norm, θ of Top
	level  float64 // of Norm: L
	damp   float64 // of Norm: Σ_j (w_j s_j/N)^p / (1 + r_j D_j), which is 1 − R σ(p−1)/N without its cancellation
	free   float64 // of Top: how many children lie above θ
	tied   float64 // of Top: Σ 1/(w² r) over the children at θ
	search int     // in which the point was found
	// The ends of the curve, (height, 0) and (0, width), and the map in which they were found.
	height, width float64
	measured      int
}

// NewProx prepares the proximal map of a valid gauge. It takes time and memory proportional to the number of leaves.
func NewProx(n *Node) *Prox {
	pl := compile(n)
	return &Prox{
		plan: pl,
		flat: flatten(pl),
		on:   tracer{effort: &effort{most: mostWork * pl.slots}},
	}
}

// ready makes room for the states of all nodes, which groups of a flat root do not need.
func (x *Prox) ready() {
	if x.on.slots == nil {
		n := x.plan.leaves
		x.on.mag, x.on.level, x.on.push = make([]float64, n), make([]float64, n), make([]float64, n)
		x.on.slots, x.on.state, x.on.negative = make([]slot, x.plan.slots), make([]state, n), make([]bool, n)
	}
}

// Square sets dst to argmin_t ½‖t − u‖² + (τ/2)ρ(t)², τ > 0, and returns ρ(dst). Both slices have Size() elements,
// and dst may be u.
//
// The minimum is where (u − t)/τ ∈ ∂½ρ²(t). So c = (u − dst)/τ is a multiplier with ρ°(c) = ρ(dst) and ⟨c, dst⟩ =
// ρ(dst)². In floating point, too, ρ°(c) is finite, unless c drowns in the rounding errors of u; see Repair.
func (x *Prox) Square(dst, u []float64, tau float64) float64 {
	if x.flat != nil {
		return x.squareFlat(dst, u, tau)
	}
	if &u[0] == &dst[0] {
		// The searches read u again after they have written to t.
		x.copy = append(x.copy[:0], u...)
		u = x.copy
	}
	return x.evalRoot(dst, u, square(tau)).s
}

// Work returns about how many multiplications all maps so far took to evaluate inner nodes. Groups of leaves of a flat root
// have a closed form, and count as nothing.
func (x *Prox) Work() float64 { return x.on.effort.spent }

// Cut returns how many maps so far used up their work before their searches were at an end. Their points may lie far off.
func (x *Prox) Cut() int {
	// The last map counts when another one begins.
	e := *x.on.effort
	e.begin()
	return e.cut
}

// Work returns about how many multiplications one evaluation of each inner node of a valid gauge takes. Powers count as roots.
func Work(n *Node) float64 { return compile(n).once }

// evalRoot sets dst to the point of the root on c for the leaves u.
func (x *Prox) evalRoot(dst, u []float64, c curve) point {
	x.ready()
	x.on.u, x.on.t = u, dst
	x.on.effort.begin()
	x.on.magnitudes(x.plan, 0)
	p := find(&x.on, x.plan, 0, 0, c)
	x.on.u, x.on.t = nil, nil
	return p
}

// magnitudes sets mag for the leaves of a subtree. Only the signs of u are needed besides.
func (x *tracer) magnitudes(pl *plan, leaf int) {
	switch {
	case pl.op == Abs:
		x.mag[leaf] = math.Abs(x.u[leaf])
		return
	case pl.op == Pos:
		x.mag[leaf] = max(x.u[leaf], 0)
		return
	case pl.flat && pl.repeat && pl.kids[0].op == Abs:
		for i, u := range x.u[leaf : leaf+pl.n] {
			x.mag[leaf+i] = math.Abs(u)
		}
		return
	}
	for i := range pl.n {
		kid, kl, _ := pl.kid(i, leaf, 0)
		x.magnitudes(kid, kl)
	}
}

// place sets leaf i to the level s ≤ mag, where its multiplier is lam.
func (x *tracer) place(i int, s, lam float64) {
	x.state[i], x.level[i], x.push[i], x.negative[i] = active, s, lam, math.Signbit(x.u[i])
	x.t[i] = math.Copysign(s, x.u[i])
}

// keep leaves a whole subtree where it is, t = u and λ = 0.
func (x *tracer) keep(pl *plan, leaf, slot int) {
	for i := leaf; i < leaf+pl.leaves; i++ {
		x.t[i] = x.u[i]
		x.state[i] = idle
	}
	if pl.slots > 0 {
		x.slots[slot].state = idle
	}
}

// sink moves a whole subtree to s = 0. There t is 0, except at one-sided leaves with u < 0: these keep u, because
// [u]₊ = 0.
func (x *tracer) sink(pl *plan, leaf, slot int) {
	switch {
	case pl.isLeaf():
		x.sinkLeaf(pl.op == Pos, leaf)
		return
	case pl.flat:
		for i := range pl.n {
			x.sinkLeaf(pl.pos(i), leaf+i)
		}
	default:
		for i := range pl.n {
			kid, kl, ks := pl.kid(i, leaf, slot)
			x.sink(kid, kl, ks)
		}
	}
	x.slots[slot] = slotStuck
}

var slotStuck = slot{state: stuck}

// sinkLeaf moves a leaf to s = 0.
func (x *tracer) sinkLeaf(pos bool, i int) {
	if pos && x.u[i] <= 0 {
		x.t[i], x.state[i] = x.u[i], idle
		return
	}
	x.t[i], x.state[i] = 0, stuck
}

// ends returns the height and the width of an inner node: ρ(u), the level where its curve meets λ = 0, and ρ°([u]), the
// multiplier where it meets s = 0. [u] are the magnitudes, so the polar is finite. Both depend on u alone.
func (x *tracer) ends(pl *plan, leaf, slot int) (height, width float64) {
	s := &x.slots[slot]
	if s.measured == x.effort.maps {
		return s.height, s.width
	}
	heights, widths := accumulator{op: pl.op, p: pl.p, k: pl.k}, dual(pl.op, pl.p, pl.k)
	base := len(x.stack)
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		h := x.mag[kl]
		w := h
		if !kid.isLeaf() {
			h, w = x.ends(kid, kl, ks)
		}
		h *= pl.weight(i)
		widths.add(1 / pl.weight(i) * w)
		if pl.op == Top {
			x.stack = append(x.stack, h)
		} else {
			heights.add(h)
		}
	}
	s.height, s.width, s.measured = heights.result(), widths.result(), x.effort.maps
	if pl.op == Top {
		s.height = sumOfLargest(x.stack[base:], pl.k)
		x.stack = x.stack[:base]
	}
	return s.height, s.width
}

// height returns the height of a subtree.
func (x *tracer) height(pl *plan, leaf, slot int) float64 {
	if pl.isLeaf() {
		return x.mag[leaf]
	}
	height, _ := x.ends(pl, leaf, slot)
	return height
}
