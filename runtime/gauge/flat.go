package gauge

import (
	"math"
	"sync"
)

// A flatRoot is a root that the proximal map of ½τρ² takes apart: ρ² = Σ_b v_b² ρ_b² over blocks b that share no
// leaf. Norms of norms with p = 2 have this form. The map is then that of ½τv_b²ρ_b² on each block. Most blocks are
// groups: the largest of some leaves.
type flatRoot struct {
	groups []groups
	others []otherBlock
	size   int // of the largest group
	count  int // of levels
}

// groups are blocks of one kind: ρ_b is w times the largest of m leaves.
type groups struct {
	groupKind
	// at is where they begin, then the last one again until all lanes are full.
	at     []int32
	count  int // without these
	levels int // where their levels begin
}

type groupKind struct {
	m    int
	pos  bool
	gain float64 // (v_b w)²
}

// An otherBlock is a block of any other form.
type otherBlock struct {
	plan       *plan
	leaf, slot int
	gain       float64 // v_b²
}

// flatten returns the blocks of a plan, nil if no block is a group.
func flatten(pl *plan) *flatRoot {
	f := &flatRoot{}
	kinds := map[groupKind]int{}
	f.collect(pl, 0, 0, 1, kinds)
	if len(f.groups) == 0 {
		return nil
	}
	for i := range f.groups {
		g := &f.groups[i]
		g.count, g.levels = len(g.at), f.count
		for len(g.at)%maxLanes != 0 {
			g.at = append(g.at, g.at[g.count-1])
		}
		f.size = max(f.size, g.m)
		f.count += len(g.at)
	}
	return f
}

// collect adds the blocks of a subtree, whose square counts gain times.
func (f *flatRoot) collect(pl *plan, leaf, slot int, gain float64, kinds map[groupKind]int) {
	if kind, ok := pl.asGroup(gain); ok {
		k, have := kinds[kind]
		if !have {
			k = len(f.groups)
			kinds[kind] = k
			f.groups = append(f.groups, groups{groupKind: kind})
		}
		f.groups[k].at = append(f.groups[k].at, int32(leaf)) //nolint:gosec // below the number of leaves, which Validate bounds
		return
	}
	if pl.op != Norm || pl.p != 2 || pl.isLeaf() {
		f.others = append(f.others, otherBlock{plan: pl, leaf: leaf, slot: slot, gain: gain})
		return
	}
	for i := range pl.n {
		kid, kl, ks := pl.kid(i, leaf, slot)
		w := pl.weight(i)
		// A child of a 2-norm enters the square with its weight squared.
		f.collect(kid, kl, ks, gain*w*w, kinds)
	}
}

// asGroup reports whether a plan is w times the largest of leaves of one kind, and returns that kind.
func (pl *plan) asGroup(gain float64) (groupKind, bool) {
	if pl.isLeaf() {
		return groupKind{m: 1, pos: pl.op == Pos, gain: gain}, pl.op == Abs || pl.op == Pos
	}
	w := pl.weight(0)
	if pl.op != Max || !pl.flat {
		return groupKind{}, false
	}
	for i := range pl.n {
		if pl.weight(i) != w || pl.pos(i) != pl.pos(0) {
			return groupKind{}, false
		}
	}
	return groupKind{m: pl.n, pos: pl.pos(0), gain: gain * w * w}, true
}

// bench is the memory for the blocks of a flat root, in one precision.
type bench[F float] struct {
	lanes   lanes[F]
	scratch []F
	level   []F
}

// fastest returns the first way that the processor can run.
var fastest = sync.OnceValue(func() leveler { return levelers()[0] })

// newBench allocates what the blocks of f need with lanes l.
func newBench[F float](f *flatRoot, l lanes[F]) *bench[F] {
	return &bench[F]{lanes: l, scratch: make([]F, f.size*l.count), level: make([]F, f.count)}
}

// square sets t for all groups, and returns Σ_b v_b² ρ_b(t)² over them. t may not overlap u.
func (b *bench[F]) square(f *flatRoot, t, u []F, tau float64) float64 {
	total := 0.0
	for i := range f.groups {
		g := &f.groups[i]
		// The group's problem, min ½‖t − u‖² + ½κ s² with t_j ≤ s, has the multiplier κs: see levels.go.
		kappa := F(tau * g.gain)
		level := b.level[g.levels:]
		switch {
		case g.m == 1:
			shrink(g, t, u, level, kappa)
		case b.lanes.run == nil:
			for k, at := range g.at[:g.count] {
				end := int(at) + g.m
				level[k] = levelOf(t[at:end], u[at:end], g.pos, kappa)
			}
		default:
			keep := keepBits[F](g.pos)
			for k := 0; k < g.count; k += b.lanes.count {
				b.lanes.run(g.m, &t[0], &u[0], &g.at[k], keep, kappa, &level[k], &b.scratch[0])
			}
		}
		sum := 0.0
		for _, s := range level[:g.count] {
			sum += float64(s) * float64(s)
		}
		total += g.gain * sum
	}
	return total
}

// shrink does groups of one leaf: the proximal point of ½κt² is u/(1 + κ).
func shrink[F float](g *groups, t, u, level []F, kappa F) {
	f := 1 / (1 + kappa)
	for k, at := range g.at[:g.count] {
		x := u[at]
		s := magnitude(x, g.pos) * f
		level[k] = s
		switch {
		case x >= 0:
			t[at] = s
		case g.pos:
			t[at] = x
		default:
			t[at] = -s
		}
	}
}

// norm returns √total. If the squares leave the range of floating point, it sums the levels with a scale instead.
func (b *bench[F]) norm(f *flatRoot, total float64) float64 {
	if total > 1e-280 && total < 1e280 {
		return math.Sqrt(total)
	}
	acc := accumulator{op: Norm, p: 2}
	for i := range f.groups {
		g := &f.groups[i]
		for _, s := range b.level[g.levels : g.levels+g.count] {
			acc.add(math.Sqrt(g.gain) * float64(s))
		}
	}
	return acc.result()
}

// squareFlat computes Square for a flat root. It leaves the states of the leaves to settle, since most calls need
// only t.
func (x *Prox) squareFlat(dst, u []float64, tau float64) float64 {
	dst, u = dst[:x.plan.leaves], u[:x.plan.leaves] // the assembly checks nothing
	if x.bench == nil {
		x.bench = newBench(x.flat, fastest().double)
		x.saved = make([]float64, len(u))
	}
	copy(x.saved, u)
	x.pending, x.tau = true, tau
	norm := x.bench.norm(x.flat, x.bench.square(x.flat, dst, x.saved, tau))
	return x.squareOthers(dst, x.saved, tau, norm)
}

// squareOthers does the blocks that are not groups, and returns the norm with them added.
func (x *Prox) squareOthers(dst, u []float64, tau, norm float64) float64 {
	if len(x.flat.others) == 0 {
		return norm
	}
	x.ready()
	x.on.u, x.on.t, x.on.lean = u, dst, true
	x.on.effort.begin()
	for i := range x.flat.others {
		o := &x.flat.others[i]
		x.on.magnitudes(o.plan, o.leaf)
		p := find(&x.on, o.plan, o.leaf, o.slot, square(tau*o.gain))
		norm = math.Hypot(norm, math.Sqrt(o.gain)*p.s)
	}
	x.on.u, x.on.t, x.on.lean = nil, nil, false
	return norm
}

// settle computes the states of all leaves at the last point of Square, which squareFlat leaves out.
func (x *Prox) settle() {
	if !x.pending {
		return
	}
	x.pending = false
	if x.shadow == nil {
		x.shadow = make([]float64, len(x.saved))
	}
	x.evalRoot(x.shadow, x.saved, square(x.tau))
}

// Square32 computes Square in single precision: groups of leaves in float32, everything else in double. The gap of a
// solution is certified in double, so this only has to be near. Afterwards Active and Response have no point to
// describe. dst may be u.
func (x *Prox) Square32(dst, u []float32, tau float64) float64 {
	dst, u = dst[:x.plan.leaves], u[:x.plan.leaves]
	x.pending = false
	if x.wide == nil {
		x.wide, x.wideOut = make([]float64, len(u)), make([]float64, len(u))
	}
	if &dst[0] == &u[0] {
		x.copy32 = append(x.copy32[:0], u...)
		u = x.copy32
	}
	if x.flat == nil {
		widen(x.wide, u)
		norm := x.evalRoot(x.wideOut, x.wide, square(tau)).s
		narrow(dst, x.wideOut)
		return norm
	}
	if x.bench32 == nil {
		x.bench32 = newBench(x.flat, fastest().single)
	}
	for i := range x.flat.others {
		lo, hi := x.flat.others[i].span()
		widen(x.wide[lo:hi], u[lo:hi])
	}
	norm := x.bench32.norm(x.flat, x.bench32.square(x.flat, dst, u, tau))
	norm = x.squareOthers(x.wideOut, x.wide, tau, norm)
	for i := range x.flat.others {
		lo, hi := x.flat.others[i].span()
		narrow(dst[lo:hi], x.wideOut[lo:hi])
	}
	return norm
}

// span returns the block's leaves, from lo up to hi.
func (o *otherBlock) span() (lo, hi int) { return o.leaf, o.leaf + o.plan.leaves }

// widen converts to double.
func widen(dst []float64, src []float32) {
	for i, v := range src {
		dst[i] = float64(v)
	}
}

// narrow rounds to single.
func narrow(dst []float32, src []float64) {
	for i, v := range src {
		dst[i] = float32(v)
	}
}
