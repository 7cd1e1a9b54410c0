package gauge

import (
	"math"
	"slices"
)

// A PosTop is ρ(t) = w [S(t)]₊, S the sum of the k largest of m numbers. With κ = wλ, the proximal point of λρ is t = u − c
// with
//
//	c_j = min(max(u_j − θ, 0), κ),   Σ_j c_j = kκ,   ρ(t) = wS(t),
//
// as long as S(t) > 0: the largest u_j are capped, they lose κ; those after them are tied, they end at θ; the others stay. As κ
// grows from 0, capped ones become tied and others join the tied from below, one at a time, in the order of the u_j. Between two such
// events θ and S fall linearly,
//
//	θ = (Σ_tied u − (k − f)κ)/n,   S = Σ_capped u − fκ + (k − f)θ,
//
// f being the number of the capped, n that of the tied. So the node's curve is a polygon, and its point on any rising curve is
// found by walking along it. It ends at S = 0: there c is the projection of u on the polar of the cone {S ≤ 0}.

// A face is a piece of the polygon.
type face struct {
	capped, tied       int
	sumCapped, sumTied float64 // of u
}

// line is S = top − slope·κ on the face.
func (f face) line(k int) (top, slope float64) {
	top, slope = f.sumCapped, float64(f.capped)
	if f.tied > 0 {
		share := float64(k-f.capped) / float64(f.tied)
		top += share * f.sumTied
		slope += share * float64(k-f.capped)
	}
	return top, slope
}

// next is the face after f, and the κ at which it begins.
func (f face) next(u *descending, k int) (after face, kappa float64) {
	m := len(u.all)
	if f.tied == 0 {
		if k == m {
			return f, math.Inf(1)
		}
		last, first := u.at(k-1), u.at(k)
		return face{capped: k - 1, tied: 2, sumCapped: f.sumCapped - last, sumTied: last + first}, last - first
	}
	n, rest := float64(f.tied), float64(k-f.capped)
	joins, leaves := math.Inf(1), math.Inf(1)
	if g := f.capped + f.tied; g < m {
		joins = (f.sumTied - n*u.at(g)) / rest
	}
	if f.capped > 0 {
		leaves = (n*u.at(f.capped-1) - f.sumTied) / (n - rest)
	}
	after = f
	after.tied++
	if f.capped > 0 && leaves <= joins {
		v := u.at(f.capped - 1)
		after.capped--
		after.sumTied += v
		after.sumCapped -= v
		if after.capped == 0 {
			after.sumCapped = 0
		}
		return after, leaves
	}
	if joins < math.Inf(1) {
		after.sumTied += u.at(f.capped + f.tied)
	}
	return after, joins
}

// A descending list is sorted as far as it is looked at.
type descending struct {
	all    []float64
	values []float64 // the largest ones, sorted
}

// few is how many of the largest are found without sorting all.
const few = 16

func (d *descending) set(u []float64) {
	d.all, d.values = append(d.all[:0], u...), d.values[:0]
	for _, x := range u {
		switch {
		case len(d.values) < min(few, len(u)):
			d.values = append(d.values, x)
		case x > d.values[len(d.values)-1]:
			d.values[len(d.values)-1] = x
		default:
			continue
		}
		for i := len(d.values) - 1; i > 0 && d.values[i] > d.values[i-1]; i-- {
			d.values[i], d.values[i-1] = d.values[i-1], d.values[i]
		}
	}
}

func (d *descending) at(i int) float64 {
	if i >= len(d.values) {
		slices.Sort(d.all)
		d.values = append(d.values[:0], d.all...)
		slices.Reverse(d.values)
	}
	return d.values[i]
}

// walk finds the point on c and the face that it lies on. The height is positive, and c does not meet the curve there.
func (x *Prox) walk(pl *plan, leaf int, c curve) (face, point, *descending) {
	d, w := &x.order, pl.weight(0)
	d.set(x.u[leaf : leaf+pl.n])
	f := face{capped: pl.k}
	for i := range pl.k {
		f.sumCapped += d.at(i)
	}
	for {
		top, slope := f.line(pl.k)
		after, kappa := f.next(d, pl.k)
		if s := w * (top - slope*kappa); !(s > 0) || c.excess(point{s: s, lam: kappa / w}) >= 0 {
			return f, onLine(w*top, w*w*slope, c), d
		}
		f = after
	}
}

// onLine is where c meets s = top − r λ, or where that ends at s = 0.
func onLine(top, r float64, c curve) point {
	p := point{r: r}
	switch c.kind {
	case fixedMultiplier:
		p.s, p.lam = top-r*c.x, c.x
	case fixedLevel:
		p.s, p.lam = c.x, (top-c.x)/r
	default:
		line := curve{kind: powered, x: r * c.x, at: c.at, e: c.e}
		p.s = leafPower(top, line)
		p.lam = line.multiplier(top, p.s) / r
	}
	if !(p.s > 0) {
		p.s, p.lam = 0, top/r
	}
	p.lam = max(p.lam, 0)
	return p
}

func (x *Prox) evalPosTop(pl *plan, leaf, slot int, c curve) point {
	height := x.foldPosTop(pl, leaf, false)
	if height == 0 || (c.kind == fixedLevel && c.x >= height) || (c.kind != fixedLevel && c.x == 0) {
		x.keep(pl, leaf, slot)
		return point{s: height}
	}
	f, p, d := x.walk(pl, leaf, c)
	x.placeFace(pl, leaf, f, pl.weight(0)*p.lam, d)
	sl := &x.slots[slot]
	sl.free, sl.tied = float64(f.capped), float64(f.tied)
	if p.s == 0 {
		p.r = 0
	}
	return x.record(slot, p)
}

// placeFace sets t and, unless nobody will ask for them, the states.
func (x *Prox) placeFace(pl *plan, leaf int, f face, kappa float64, d *descending) {
	theta := math.Inf(-1)
	switch {
	case f.tied > 0:
		theta = (f.sumTied - float64(pl.k-f.capped)*kappa) / float64(f.tied)
	case pl.k < pl.n:
		theta = d.at(pl.k)
	}
	t := x.t[leaf : leaf+pl.n]
	for i, u := range x.u[leaf : leaf+pl.n] {
		t[i] = max(min(u, theta), u-kappa)
	}
	inside(t, x.u[leaf:leaf+pl.n], pl.k)
	if !x.lean {
		x.standOnFace(pl, leaf, f, d)
	}
}

// standOnFace sets the states. Of equal elements where one set ends, the first belong to it.
func (x *Prox) standOnFace(pl *plan, leaf int, f face, d *descending) {
	top, middle := d.quota(0, f.capped), d.quota(f.capped, f.tied)
	for i := leaf; i < leaf+pl.n; i++ {
		switch u := x.u[i]; {
		case top.take(u):
			x.state[i] = capped
		case middle.take(u):
			x.state[i] = active
		default:
			x.state[i] = idle
		}
	}
}

// inside moves t by rounding errors so that u − t, as floating point has it, lies in the cone where the polar is finite: what
// the largest of the multipliers has too much is given to one of the small ones, where t has the finest digits.
func inside[F float](t, u []F, k int) {
	sum, most := 0.0, 0.0
	for i, v := range u {
		c := float64(v) - float64(t[i])
		sum += c
		most = max(most, c)
	}
	missing := float64(k)*most - sum
	if !(missing > 0) {
		return
	}
	at, finest := -1, math.Inf(1)
	for i, v := range u {
		size := math.Abs(float64(t[i]))
		if c := float64(v) - float64(t[i]); c > most/2 {
			size = math.MaxFloat64 * (c / most) // only where there is none else, and the smallest
		}
		if size < finest {
			at, finest = i, size
		}
	}
	if at >= 0 {
		t[at] = below(t[at], missing)
	}
}

// below is a number by at least d below x.
func below[F float](x F, d float64) F {
	y := math.Nextafter(float64(x)-d, math.Inf(-1))
	z := F(y)
	if float64(z) > y {
		z = F(math.Nextafter32(float32(z), float32(math.Inf(-1))))
	}
	return z
}

// A quota is a run of places of a descending list, given to elements in the order in which they come.
type quota struct {
	last  float64 // the smallest element in it
	equal int     // how many places are for elements equal to that
}

func (d *descending) quota(from, count int) quota {
	if count == 0 {
		return quota{last: math.Inf(1)}
	}
	q := quota{last: d.at(from + count - 1)}
	for i := from; i < from+count; i++ {
		if d.at(i) == q.last {
			q.equal++
		}
	}
	return q
}

// take says whether u gets a place. Larger elements than those of the run have been given theirs elsewhere.
func (q *quota) take(u float64) bool {
	if u == q.last && q.equal > 0 {
		q.equal--
		return true
	}
	return u > q.last
}

// foldPosTop is the height of a PosTop, or its width: the λ at which the curve ends.
func (x *Prox) foldPosTop(pl *plan, leaf int, polar bool) float64 {
	height := pl.weight(0) * max(sumOfLargest(x.u[leaf:leaf+pl.n], pl.k), 0)
	if !polar || height == 0 {
		return height
	}
	_, p, _ := x.walk(pl, leaf, curve{kind: fixedLevel})
	return p.lam
}

// gatherPosTop sets b = w (Σ_capped du + (k−f)/n Σ_tied du).
func (r *response) gatherPosTop(pl *plan, leaf, slot int) {
	sl, w, b := &r.slots[slot], pl.weight(0), r.b(slot)
	clear(b)
	for i := leaf; i < leaf+pl.n; i++ {
		switch r.state[i] {
		case capped:
			axpy(b, w, r.in(i))
		case active:
			axpy(b, w*(float64(pl.k)-sl.free)/sl.tied, r.in(i))
		}
	}
}

// handPosTop hands dλ to the leaves: w dλ to the capped, du − dθ to the tied, dθ = (Σ_tied du − (k−f) w dλ)/n.
func (r *response) handPosTop(pl *plan, leaf, slot int) {
	sl, w, dlam, dtheta := &r.slots[slot], pl.weight(0), r.dlam(slot), r.common(slot)
	clear(dtheta)
	for i := leaf; i < leaf+pl.n; i++ {
		if r.state[i] == active {
			axpy(dtheta, 1/sl.tied, r.in(i))
		}
	}
	if sl.tied > 0 {
		axpy(dtheta, -w*(float64(pl.k)-sl.free)/sl.tied, dlam)
	}
	for i := leaf; i < leaf+pl.n; i++ {
		switch r.state[i] {
		case capped:
			for j, d := range dlam {
				r.out(i)[j] = w * d
			}
		case active:
			in, out := r.in(i), r.out(i)
			for j, d := range dtheta {
				out[j] = in[j] - d
			}
		}
	}
}

// stayPosTop is the response of a PosTop that stays at s = 0, where r dλ = b.
func (r *response) stayPosTop(pl *plan, leaf, slot int) {
	sl := &r.slots[slot]
	if sl.state == idle {
		return
	}
	r.gatherPosTop(pl, leaf, slot)
	_, slope := face{capped: int(sl.free), tied: int(sl.tied)}.line(pl.k)
	w, dlam := pl.weight(0), r.dlam(slot)
	for j, b := range r.b(slot) {
		dlam[j] = b / (w * w * slope)
	}
	r.handPosTop(pl, leaf, slot)
}

// sumOfLargest is the sum of the k largest of some numbers, NaN if one of them is.
func sumOfLargest[F float](t []F, k int) float64 {
	if k == 2 {
		return sumOfTwo(t)
	}
	var some [16]float64
	top := some[:min(k, len(some))] // ascending
	if k > len(some) {
		top = make([]float64, k)
	}
	for i := range top {
		top[i] = math.Inf(-1)
	}
	for _, x := range t {
		v, at := float64(x), 0
		if math.IsNaN(v) {
			return v
		}
		for ; at < k && v > top[at]; at++ {
			if at > 0 {
				top[at-1] = top[at]
			}
		}
		if at > 0 {
			top[at-1] = v
		}
	}
	sum := 0.0
	for _, v := range slices.Backward(top) {
		sum += v
	}
	return sum
}

func sumOfTwo[F float](t []F) float64 {
	first, second := math.Inf(-1), math.Inf(-1)
	for _, x := range t {
		switch v := float64(x); {
		case v > first:
			first, second = v, first
		case v > second:
			second = v
		case math.IsNaN(v):
			return v
		}
	}
	return first + second
}

// posTopPolar is Σ c/k where c ≥ 0 and no c_j exceeds it, +Inf elsewhere. What rounding does to the sum and to multiples of c is
// allowed for.
func posTopPolar(c []float64, k int) float64 {
	sum, most := 0.0, 0.0
	for _, v := range c {
		if v < 0 {
			return math.Inf(1)
		}
		sum += v
		most = max(most, v)
	}
	level := sum / float64(k)
	if most > level*(1+float64(len(c)+8)*0x1p-52) {
		return math.Inf(1)
	}
	return max(level, most)
}

func posTopSubgradient(dst, t []float64, k int, scale float64) {
	clear(dst)
	if !(sumOfLargest(t, k) > 0) {
		return
	}
	var d descending
	d.set(t)
	q := d.quota(0, k)
	for i, x := range t {
		if q.take(x) {
			dst[i] = scale
		}
	}
}

// Repair moves multipliers to where Polar is finite: c of one-sided leaves to c ≥ 0, and under a PosTop the largest ones down until
// none exceeds the sum over k. Multipliers that come of a proximal map, (u − t)/τ, are moved by no more than rounding
// errors, and those inside are not moved at all.
func (n *Node) Repair(c []float64) { n.repair(c) }

func (n *Node) repair(c []float64) (size int) {
	switch {
	case n.Op == Abs:
		return 1
	case n.Op == Pos:
		c[0] = max(c[0], 0)
		return 1
	case n.Op == PosTop:
		repairPosTop(c[:n.count()], n.K)
		return n.count()
	case n.Op == Max && n.alike():
		return n.repairAlike(c[:n.count()])
	}
	for i := range n.count() {
		size += n.child(i).repair(c[size:])
	}
	return size
}

func (n *Node) repairAlike(c []float64) (size int) {
	if n.Children[0].Op == Pos {
		for i, v := range c {
			c[i] = max(v, 0)
		}
	}
	return len(c)
}

func repairPosTop(c []float64, k int) {
	for i, v := range c {
		c[i] = max(v, 0)
	}
	if !math.IsInf(posTopPolar(c, k), 1) {
		return
	}
	level := repairedLevel(c, k)
	for range 4 {
		for i, v := range c {
			c[i] = min(v, level)
		}
		if !math.IsInf(posTopPolar(c, k), 1) {
			return
		}
		level *= 1 - float64(len(c)+8)*0x1p-52
	}
	clear(c)
}

// repairedLevel is what the largest of nonnegative c have to come down to: with j of them at a common level and the others
// as they are, kλ = jλ + rest makes λ = rest/(k−j).
func repairedLevel(c []float64, k int) float64 {
	if k == 2 {
		most, rest := c[0], 0.0
		for _, v := range c[1:] {
			rest += min(v, most)
			most = max(v, most)
		}
		return rest
	}
	order := slices.Clone(c)
	slices.Sort(order)
	for j := 1; ; j++ {
		rest := 0.0
		for _, v := range order[:len(order)-j] {
			rest += v
		}
		if level := rest / float64(k-j); j == k-1 || order[len(order)-j-1] <= level {
			return level
		}
	}
}
