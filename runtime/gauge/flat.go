package gauge

import "math"

// A flatRoot is a root that the proximal map of ½τρ² takes apart: ρ² = Σ_b v_b² ρ_b² over blocks b that share no leaf, as
// norms of norms with p = 2 make them, so that each block has a map of its own, that of ½τv_b²ρ_b². Most blocks are
// groups: the largest of some leaves.
type flatRoot struct {
	groups []groups
	others []otherBlock
	size   int // of the largest group
	count  int // of levels
}

// groups are blocks that are alike: ρ_b is w times the largest of m leaves.
type groups struct {
	groupKind
	at     []int32 // where they begin, then the last one again until all lanes are full
	count  int     // without these
	levels int     // where their levels begin
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

// flatten finds the blocks of a plan; nil where none is a group.
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
		f.collect(kid, kl, ks, gain*w*w, kinds)
	}
}

// asGroup says whether a plan is w times the largest of leaves of one kind.
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

// bench is the memory in which the blocks of a flat root are done, in one precision.
type bench[F float] struct {
	lanes   lanes[F]
	scratch []F
	level   []F
}

func newBench[F float](f *flatRoot, l lanes[F]) *bench[F] {
	return &bench[F]{lanes: l, scratch: make([]F, f.size*l.count), level: make([]F, f.count)}
}

// square sets the groups' part of t, and returns Σ_b v_b² ρ_b(t)² over them. t is not u.
func (b *bench[F]) square(f *flatRoot, t, u []F, tau float64) float64 {
	total := 0.0
	for i := range f.groups {
		g := &f.groups[i]
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

// shrink does groups of one leaf.
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

// norm is √total, or what the levels give where the squares leave the range of floating point.
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

// squareFlat is Square for a flat root. States are left to settle.
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

// squareOthers does the blocks that are not groups, and adds them to the norm.
func (x *Prox) squareOthers(dst, u []float64, tau, norm float64) float64 {
	x.u, x.t, x.lean = u, dst, true
	for i := range x.flat.others {
		o := &x.flat.others[i]
		x.magnitudes(o.plan, o.leaf)
		p := x.eval(o.plan, o.leaf, o.slot, square(tau*o.gain))
		norm = math.Hypot(norm, math.Sqrt(o.gain)*p.s)
	}
	x.u, x.t, x.lean = nil, nil, false
	return norm
}

// settle works out how all leaves stand at the last point of Square.
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

// Square32 is Square in single precision, in which groups of leaves are worked out; everything else is in double. It
// leaves Active and Response nothing to speak of. dst may be u.
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

func (o *otherBlock) span() (lo, hi int) { return o.leaf, o.leaf + o.plan.leaves }

func widen(dst []float64, src []float32) {
	for i, v := range src {
		dst[i] = float64(v)
	}
}

func narrow(dst []float32, src []float64) {
	for i, v := range src {
		dst[i] = float32(v)
	}
}
