package gauge

import (
	"math"
	"slices"
)

// Value is ρ(t); t has Size() elements.
func (n *Node) Value(t []float64) float64 {
	v, _ := value(n, t)
	return v
}

// Value32 is Value of numbers in single precision, worked out in double.
func (n *Node) Value32(t []float32) float64 {
	v, _ := value(n, t)
	return v
}

// value returns ρ of the first leaves of t and their number.
func value[F float](n *Node, t []F) (v float64, size int) {
	switch n.Op {
	case Abs:
		return math.Abs(float64(t[0])), 1
	case Pos:
		return max(float64(t[0]), 0), 1
	}
	m := n.count()
	if n.Op == Max && n.alike() {
		return n.weight(0) * largest(t[:m], n.Children[0].Op == Pos), m
	}
	acc := accumulator{op: n.Op, p: n.P, k: n.K}
	for i := range m {
		c, used := value(n.child(i), t[size:])
		size += used
		acc.add(n.weight(i) * c)
	}
	return acc.result(), size
}

// alike says whether the children are copies of one leaf with one weight.
func (n *Node) alike() bool {
	return n.Repeat > 0 && n.Children[0].leaf() && n.evenly()
}

// evenly says whether all weights are the same.
func (n *Node) evenly() bool {
	for _, w := range n.Weights {
		if w != n.Weights[0] {
			return false
		}
	}
	return true
}

// largest is the largest magnitude, NaN where there is one. What is compared are bits: those of nonnegative numbers are
// ordered as the numbers are, those of NaN beyond them.
func largest[F float](t []F, pos bool) float64 {
	top, most := int64(0), uint64(0)
	if !pos {
		for _, x := range t {
			top = max(top, int64(math.Float64bits(float64(x))&math.MaxInt64)) //nolint:gosec // the sign is gone
		}
		return math.Float64frombits(uint64(top)) //nolint:gosec // nonnegative
	}
	for _, x := range t {
		bits := math.Float64bits(float64(x))
		top, most = max(top, int64(bits)), max(most, bits) //nolint:gosec // the sign is meant
	}
	if most > math.Float64bits(math.Inf(-1)) {
		return math.NaN()
	}
	return math.Float64frombits(uint64(top)) //nolint:gosec // nonnegative
}

// Polar is ρ°(c) = max { ⟨c, t⟩ : ρ(t) ≤ 1 }; c has Size() elements. It is +Inf where a one-sided leaf has
// c < 0; see Repair.
func (n *Node) Polar(c []float64) float64 {
	v, _ := n.polar(c)
	return v
}

func (n *Node) polar(c []float64) (v float64, size int) {
	switch n.Op {
	case Abs:
		return math.Abs(c[0]), 1
	case Pos:
		if c[0] < 0 {
			return math.Inf(1), 1
		}
		return c[0], 1
	}
	m := n.count()
	if n.Op == Max && n.alike() {
		return total(c[:m], n.Children[0].Op == Pos) / n.weight(0), m
	}
	acc := dual(n.Op, n.P, n.K)
	for i := range m {
		x, used := n.child(i).polar(c[size:])
		size += used
		acc.add(x / n.weight(i))
	}
	return acc.result(), size
}

// total is the sum of the multipliers of leaves, +Inf where a one-sided one is negative.
func total(c []float64, pos bool) float64 {
	sum := 0.0
	if !pos {
		for _, x := range c {
			sum += math.Abs(x)
		}
		return sum
	}
	least := 0.0
	for _, x := range c {
		sum += x
		if x < least {
			least = x
		}
	}
	if least < 0 {
		return math.Inf(1)
	}
	return sum
}

// Repair moves multipliers to where Polar is finite: c of one-sided leaves to c ≥ 0. Multipliers that come of a proximal map, (u − t)/τ, are moved by no more than rounding
// errors, and those inside are not moved at all.
func (n *Node) Repair(c []float64) { n.repair(c) }

func (n *Node) repair(c []float64) (size int) {
	switch {
	case n.Op == Abs:
		return 1
	case n.Op == Pos:
		c[0] = max(c[0], 0)
		return 1
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

// Subgradient sets dst to a subgradient of ρ at t: ρ°(dst) ≤ 1 and ⟨dst, t⟩ = ρ(t). It is 0 where ρ(t) = 0.
func (n *Node) Subgradient(dst, t []float64) { n.subgradient(dst, t, 1) }

func (n *Node) subgradient(dst, t []float64, scale float64) {
	switch n.Op {
	case Abs:
		dst[0] = scale * sign(t[0])
		return
	case Pos:
		dst[0] = 0
		if t[0] > 0 {
			dst[0] = scale
		}
		return
	}
	m := n.count()
	values, offsets := make([]float64, m), make([]int, m+1)
	for i := range values {
		v, used := value(n.child(i), t[offsets[i]:])
		values[i], offsets[i+1] = n.weight(i)*v, offsets[i]+used
	}
	slope := n.slopes(values)
	for i := range values {
		lo, hi := offsets[i], offsets[i+1]
		if slope[i] == 0 || values[i] == 0 {
			clear(dst[lo:hi])
			continue
		}
		n.child(i).subgradient(dst[lo:hi], t[lo:hi], scale*slope[i]*n.weight(i))
	}
}

// slopes is a subgradient of the node's norm at the values of its children.
func (n *Node) slopes(values []float64) []float64 {
	g := make([]float64, len(values))
	switch n.Op {
	case Max:
		g[argmax(values)] = 1
	case Sum:
		for i := range g {
			g[i] = 1
		}
	case Norm:
		n.normSlopes(g, values)
	case Top:
		order := make([]int, len(values))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case values[a] > values[b]:
				return -1
			case values[a] < values[b]:
				return 1
			}
			return 0
		})
		for _, i := range order[:min(n.K, len(order))] {
			g[i] = 1
		}
	}
	return g
}

// normSlopes sets g to multiples of (v_j/max v)^(p−1) with ⟨g, v⟩ = ‖v‖: powers of v_j/‖v‖ would lose all digits of a large p.
func (n *Node) normSlopes(g, values []float64) {
	acc := accumulator{op: Norm, p: n.P}
	for _, v := range values {
		acc.add(v)
	}
	total := acc.result()
	if !(total > 0) {
		return
	}
	along := 0.0
	for i, v := range values {
		g[i] = math.Pow(v/acc.largest, n.P-1)
		along += g[i] * (v / total)
	}
	for i := range g {
		g[i] /= along
	}
}

// An accumulator computes a monotone norm of nonnegative numbers that come one by one. Norms are kept as
// scale·(Σ (x/scale)^p)^(1/p), which neither overflows nor underflows.
type accumulator struct {
	op      Op
	p       float64
	k       int
	dualTop bool // the dual of Top(k): max(max x, Σ x / k)

	sum, largest float64
	top          []float64 // ascending
}

func dual(op Op, p float64, k int) accumulator {
	switch op {
	case Max:
		return accumulator{op: Sum}
	case Sum:
		return accumulator{op: Max}
	case Norm:
		return accumulator{op: Norm, p: p / (p - 1)}
	}
	return accumulator{op: Top, k: k, dualTop: true}
}

func (a *accumulator) add(x float64) {
	switch a.op {
	case Max:
		a.largest = larger(a.largest, x)
	case Sum:
		a.sum += x
	case Norm:
		a.addPower(x)
	case Top:
		a.sum += x
		a.largest = larger(a.largest, x)
		if !a.dualTop {
			a.addTop(x)
		}
	}
}

func (a *accumulator) addPower(x float64) {
	switch {
	case x == 0:
	case math.IsInf(x, 1) || math.IsNaN(x):
		a.largest = larger(a.largest, x)
	case x > a.largest:
		a.sum = 1 + a.sum*power(a.largest/x, a.p)
		a.largest = x
	default:
		a.sum += power(x/a.largest, a.p)
	}
}

func (a *accumulator) addTop(x float64) {
	if math.IsNaN(x) {
		return // largest has it
	}
	if len(a.top) < a.k {
		at, _ := slices.BinarySearch(a.top, x)
		a.top = slices.Insert(a.top, at, x)
		return
	}
	if x <= a.top[0] {
		return
	}
	at, _ := slices.BinarySearch(a.top, x)
	copy(a.top, a.top[1:at])
	a.top[at-1] = x
}

func (a *accumulator) result() float64 {
	switch a.op {
	case Max:
		return a.largest
	case Sum:
		return a.sum
	case Norm:
		if a.largest == 0 || math.IsInf(a.largest, 1) || math.IsNaN(a.largest) {
			return a.largest
		}
		if a.p == 2 {
			return a.largest * math.Sqrt(a.sum)
		}
		return a.largest * math.Pow(a.sum, 1/a.p)
	}
	if a.dualTop {
		return larger(a.largest, a.sum/float64(a.k))
	}
	if math.IsNaN(a.largest) {
		return a.largest
	}
	sum := 0.0
	for _, x := range slices.Backward(a.top) {
		sum += x
	}
	return sum
}

// power is x^p for x ≥ 0, quick for the exponents that are met most.
func power(x, p float64) float64 {
	switch p {
	case 0:
		return 1
	case 1:
		return x
	case 2:
		return x * x
	case 3:
		return x * x * x
	}
	return math.Pow(x, p)
}

// larger is the maximum; it keeps a NaN.
func larger(a, b float64) float64 {
	if b > a || math.IsNaN(b) {
		return b
	}
	return a
}

func argmax(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
