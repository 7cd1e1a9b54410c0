package gauge

import (
	"math"
	"slices"
)

// Value returns ρ(t), where t has Size() elements. It is NaN if an element of t is.
func (n *Node) Value(t []float64) float64 {
	v, _ := value(n, t)
	return v
}

// value returns ρ of the first leaves of t, and how many leaves that took.
func value(n *Node, t []float64) (v float64, size int) {
	switch n.Op {
	case Abs:
		return math.Abs(t[0]), 1
	case Pos:
		return max(t[0], 0), 1
	}
	m := n.count()
	if n.Op == Max && alikeChildren(n) {
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

// alikeChildren reports whether the children are copies of one leaf with one weight. Such nodes are most of a regularizer's,
// and loops without calls evaluate them.
func alikeChildren(n *Node) bool {
	return n.Repeat > 0 && n.Children[0].leaf() && sharesEvenly(n)
}

// sharesEvenly reports whether all weights are the same.
func sharesEvenly(n *Node) bool {
	for _, w := range n.Weights {
		if w != n.Weights[0] {
			return false
		}
	}
	return true
}

// largest returns the largest magnitude |t_j| or [t_j]₊, NaN if some t_j is NaN. It compares bits as integers, which
// takes one instruction: IEEE 754 orders nonnegative numbers as their bits, and NaN lies beyond them all. The sign
// bit is cleared for |·|. For [·]₊ a set sign bit makes a negative integer, which never exceeds top = 0, the bits of
// +0.
func largest(t []float64, pos bool) float64 {
	top, most := int64(0), uint64(0)
	if !pos {
		for _, x := range t {
			top = max(top, int64(math.Float64bits(x)&math.MaxInt64)) //nolint:gosec // the sign is gone
		}
		return math.Float64frombits(uint64(top)) //nolint:gosec // nonnegative
	}
	for _, x := range t {
		bits := math.Float64bits(x)
		top, most = max(top, int64(bits)), max(most, bits) //nolint:gosec // the sign is meant
	}
	// Negative NaNs are the only bits above those of −∞; positive ones are in top already.
	if most > math.Float64bits(math.Inf(-1)) {
		return math.NaN()
	}
	return math.Float64frombits(uint64(top)) //nolint:gosec // nonnegative
}

// Polar returns ρ°(c) = max { ⟨c, t⟩ : ρ(t) ≤ 1 }, where c has Size() elements. It returns +Inf if a one-sided leaf
// has c < 0, as t may then fall without bound at no cost. Repair makes it finite.
func (n *Node) Polar(c []float64) float64 {
	v, _ := polarOf(n, c)
	return v
}

// polarOf returns ρ° of the first leaves of c, and how many leaves that took. A weight w_j multiplies ρ_j, so it
// divides ρ_j°.
func polarOf(n *Node, c []float64) (v float64, size int) {
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
	if n.Op == Max && alikeChildren(n) {
		return total(c[:m], n.Children[0].Op == Pos) / n.weight(0), m
	}
	acc := dual(n.Op, n.P, n.K)
	for i := range m {
		x, used := polarOf(n.child(i), c[size:])
		size += used
		acc.add(x / n.weight(i))
	}
	return acc.result(), size
}

// total returns the sum of the multipliers of like leaves, or +Inf if a one-sided one is negative.
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

// Repair moves multipliers to where Polar is finite, by setting negative c of one-sided leaves to 0. All other
// elements stay. Multipliers (u − t)/τ of a proximal map satisfy c ≥ 0 in exact arithmetic, so only their rounding
// errors change.
func (n *Node) Repair(c []float64) { repairNode(n, c) }

// repairNode returns the number of leaves of the subtree that it repairs.
func repairNode(n *Node, c []float64) (size int) {
	switch n.Op {
	case Abs:
		return 1
	case Pos:
		c[0] = max(c[0], 0)
		return 1
	}
	for i := range n.count() {
		size += repairNode(n.child(i), c[size:])
	}
	return size
}

// Subgradient sets dst to a subgradient of ρ at t: ρ°(dst) ≤ 1 and ⟨dst, t⟩ = ρ(t). Both have Size() elements. It
// sets 0 if ρ(t) = 0. Of several largest children of a maximum it takes the first.
func (n *Node) Subgradient(dst, t []float64) { subgradientOf(n, dst, t, 1) }

// subgradientOf sets dst to scale times a subgradient of a subtree, by the chain rule. That holds for convex functions
// here because every inner norm is monotone: its slopes are nonnegative.
func subgradientOf(n *Node, dst, t []float64, scale float64) {
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
	slope := slopesOf(n, values)
	for i := range values {
		lo, hi := offsets[i], offsets[i+1]
		if slope[i] == 0 || values[i] == 0 {
			clear(dst[lo:hi])
			continue
		}
		subgradientOf(n.child(i), dst[lo:hi], t[lo:hi], scale*slope[i]*n.weight(i))
	}
}

// slopesOf returns a subgradient of the node's norm at the values of its weighted children.
func slopesOf(n *Node, values []float64) []float64 {
	g := make([]float64, len(values))
	switch n.Op {
	case Max:
		g[argmax(values)] = 1
	case Sum:
		for i := range g {
			g[i] = 1
		}
	case Norm:
		normSlopes(n, g, values)
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

// normSlopes sets g to multiples of (v_j/max v)^(p−1) with ⟨g, v⟩ = ‖v‖. Powers of v_j/‖v‖ would lose all digits when
// p is large, because then (v_j/‖v‖)^(p−1) depends on the last bits of ‖v‖.
func normSlopes(n *Node, g, values []float64) {
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

// An accumulator computes a monotone norm of nonnegative numbers that come one by one. For p-norms it keeps scale·(Σ
// (x/scale)^p)^(1/p) with the largest number as the scale, so that no power overflows, and no power that matters
// underflows.
type accumulator struct {
	op      Op
	p       float64
	k       int
	dualTop bool // the dual of Top(k): max(max x, Σ x / k)

	sum, largest float64
	top          []float64 // ascending
}

// dual returns an accumulator for the dual of a node's norm. The dual of Top(k) is max(max_j x_j, Σ_j x_j / k): the
// unit ball of Top(k) is the polar of {|c_j| ≤ 1, Σ|c_j| ≤ k}.
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

// add takes the next number.
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

// addPower adds x^p to the scaled sum. If x is the largest yet, it becomes the scale, and the sum is scaled anew.
func (a *accumulator) addPower(x float64) {
	switch {
	case x == 0:
	case math.IsInf(x, 1) || math.IsNaN(x):
		a.largest = larger(a.largest, x)
	case x > a.largest:
		// The sum is in units of the largest number to the p; the new one counts 1.
		a.sum = 1 + a.sum*power(a.largest/x, a.p)
		a.largest = x
	default:
		a.sum += power(x/a.largest, a.p)
	}
}

// addTop keeps x if it is among the k largest, in ascending order.
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

// result returns the norm of all numbers added.
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
	// In the order of sorted values, so that the sum does not depend on the order of the children.
	for _, x := range slices.Backward(a.top) {
		sum += x
	}
	return sum
}

// power returns x^p for x ≥ 0. Multiplication and square roots serve for the exponents that occur most.
func power(x, p float64) float64 {
	switch p {
	case 0:
		return 1
	case 0.5:
		return math.Sqrt(x)
	case 1.5:
		return x * math.Sqrt(x)
	case 1:
		return x
	case 2:
		return x * x
	case 3:
		return x * x * x
	}
	return math.Pow(x, p)
}

// larger returns the maximum, and NaN if either is NaN.
func larger(a, b float64) float64 {
	if b > a || math.IsNaN(b) {
		return b
	}
	return a
}

// argmax returns the first index of the largest element.
func argmax(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// sign returns −1, 0 or 1, and 0 for NaN.
func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// sumOfLargest returns the sum of the k largest values, and sorts them.
func sumOfLargest(values []float64, k int) (sum float64) {
	slices.Sort(values)
	for _, v := range values[len(values)-k:] {
		sum += v
	}
	return sum
}
