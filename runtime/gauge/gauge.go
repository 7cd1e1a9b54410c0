// Package gauge holds gauges: nonnegative, convex, positively homogeneous functions ρ of the values of functionals.
//
// A gauge is a tree. Each of its leaves |t| and [t]₊ owns one functional; its inner nodes combine nonnegative children
// by a monotone norm:
//
//	Max        max_j  w_j ρ_j
//	Sum        Σ_j    w_j ρ_j
//	Norm(p)    (Σ_j (w_j ρ_j)^p)^(1/p)
//	Top(k)     the sum of the k largest w_j ρ_j
//
// The polar gauge is ρ°(c) = max { ⟨c, t⟩ : ρ(t) ≤ 1 }. As no two leaves share a functional, it is the same tree with
// each norm replaced by its dual. So max ↔ sum, p ↔ q with 1/p + 1/q = 1, weights are inverted, |·| ↔ |·|, and [·]₊ ↔
// the half-line c ≥ 0, outside which ρ° is infinite. R(V) = ρ(AV) is then the support function of Aᵀ{ρ° ≤ 1}
// (Proposition 1 of the paper).
//
// Leaves are numbered from left to right; t and c have the same indices.
package gauge

// An Op is the operation of a node.
type Op int

// The operations.
const (
	Abs  Op = iota // leaf: |t|
	Pos            // leaf: max(t, 0)
	Max            // the largest child
	Sum            // the sum of the children
	Norm           // the P-norm of the children, 1 < P < ∞
	Top            // the sum of the K largest children
)

// A Node is a gauge. It is immutable once it is built.
type Node struct {
	Op Op
	P  float64 // of Norm
	K  int     // of Top
	// Children of an inner node.
	Children []*Node
	// Repeat > 0 says that the node has Repeat copies of its only child, each with leaves of its own.
	Repeat int
	// Weights are positive, one per child (or copy); nil stands for ones.
	Weights []float64
}
