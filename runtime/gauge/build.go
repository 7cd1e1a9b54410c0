package gauge

import (
	"errors"
	"fmt"
	"math"
)

// Leaf returns a leaf: |t| for Abs and [t]₊ = max(t, 0) for Pos. Any other op makes a node that Validate rejects.
func Leaf(op Op) *Node { return &Node{Op: op} }

// MaxOf returns the maximum of its children. Its polar is the sum of theirs.
func MaxOf(children ...*Node) *Node { return &Node{Op: Max, Children: children} }

// SumOf returns the sum of its children. Its polar is the maximum of theirs.
func SumOf(children ...*Node) *Node { return &Node{Op: Sum, Children: children} }

// NormOf returns the p-norm of its children, 1 < p < ∞. Its polar is the q-norm of theirs, 1/p + 1/q = 1. Write the
// two ends of the range as SumOf and MaxOf.
func NormOf(p float64, children ...*Node) *Node { return &Node{Op: Norm, P: p, Children: children} }

// Hypot returns the root of the sum of the children's squares, NormOf(2, …). Only a 2-norm keeps the squares of its
// children apart, on which [Node.Split] and [Node.Separate] rest.
func Hypot(children ...*Node) *Node { return NormOf(2, children...) }

// TopOf returns the sum of the k largest children, k ≥ 1. With k at least the number of children it is their sum.
func TopOf(k int, children ...*Node) *Node { return &Node{Op: Top, K: k, Children: children} }

// Repeat returns node with n copies of its only child, each with leaves of its own. For example Repeat(4,
// MaxOf(Leaf(Abs))) is the largest of four absolute values. It shares the child with node and leaves node as it is.
func Repeat(n int, node *Node) *Node {
	c := *node
	c.Repeat = n
	return &c
}

// Weighted returns node with the given weights, one per child or copy. It leaves node as it is.
func Weighted(node *Node, weights ...float64) *Node {
	c := *node
	c.Weights = weights
	return &c
}

// Scaled returns the gauge w·ρ, w > 0. A leaf gets a parent, any other node new weights: norms are homogeneous.
func Scaled(node *Node, w float64) *Node {
	if node.leaf() {
		return &Node{Op: Sum, Children: []*Node{node}, Weights: []float64{w}}
	}
	c := *node
	c.Weights = make([]float64, node.count())
	for i := range c.Weights {
		c.Weights[i] = w * node.weight(i)
	}
	return &c
}

// maxDepth bounds the depth of a tree; a deeper one is taken for a cycle.
const maxDepth = 1000

// maxSize bounds the number of leaves, so that indices fit everywhere.
const maxSize = math.MaxInt32

// Validate returns an error that says what is wrong with the tree, or nil. All other methods require a valid tree.
func (n *Node) Validate() error {
	_, err := validateTree(n, 0)
	return err
}

// validateTree checks a subtree at some depth and returns its number of leaves.
func validateTree(n *Node, depth int) (size int, err error) {
	if n == nil {
		return 0, errors.New("gauge: a node is nil")
	}
	if depth > maxDepth {
		return 0, fmt.Errorf("gauge: the tree is deeper than %d; is there a cycle", maxDepth)
	}
	if n.leaf() {
		if len(n.Children) > 0 || n.Repeat != 0 || n.Weights != nil {
			return 0, errors.New("gauge: a leaf has children or weights")
		}
		return 1, nil
	}
	if err := validateNode(n); err != nil {
		return 0, err
	}
	for _, c := range n.Children {
		s, err := validateTree(c, depth+1)
		if err != nil {
			return 0, err
		}
		size += s
	}
	if n.Repeat > 0 {
		// By division, as the product might overflow.
		if size > maxSize/n.Repeat {
			return 0, fmt.Errorf("gauge: more than %d leaves", maxSize)
		}
		size *= n.Repeat
	}
	if size > maxSize {
		return 0, fmt.Errorf("gauge: more than %d leaves", maxSize)
	}
	return size, nil
}

// validateNode checks an inner node without its children.
func validateNode(n *Node) error {
	switch {
	case n.Op < Abs || n.Op > Top:
		return fmt.Errorf("gauge: operation %d is unknown", int(n.Op))
	// Written so that a NaN fails: no comparison with it holds.
	case n.Op == Norm && !(n.P > 1 && n.P <= math.MaxFloat64):
		return fmt.Errorf("gauge: norm(%v): the exponent must be above 1 and finite", n.P)
	case n.Op == Top && n.K < 1:
		return fmt.Errorf("gauge: top(%d): the count must be at least 1", n.K)
	case len(n.Children) == 0:
		return errors.New("gauge: an inner node has no child")
	case n.Repeat < 0:
		return fmt.Errorf("gauge: %d copies of a child", n.Repeat)
	case n.Repeat > 0 && len(n.Children) != 1:
		return fmt.Errorf("gauge: a node that repeats has %d children instead of 1", len(n.Children))
	}
	return validateWeights(n)
}

// validateWeights checks that there is a positive and finite weight for each child.
func validateWeights(n *Node) error {
	if n.Weights != nil && len(n.Weights) != n.count() {
		return fmt.Errorf("gauge: %d weights for %d children", len(n.Weights), n.count())
	}
	for i, w := range n.Weights {
		if !(w > 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("gauge: weight %d is %v; weights must be positive and finite", i, w)
		}
	}
	return nil
}

// Size returns the number of leaves, which is the number of functionals and the length of t and c.
func (n *Node) Size() int {
	if n.leaf() {
		return 1
	}
	size := 0
	for _, c := range n.Children {
		size += c.Size()
	}
	return size * max(n.Repeat, 1)
}

// Symmetric reports whether ρ(−t) = ρ(t), that is, whether no leaf is one-sided. R is then a seminorm.
func (n *Node) Symmetric() bool {
	for _, c := range n.Children {
		if !c.Symmetric() {
			return false
		}
	}
	return n.Op != Pos
}

// Quadratic reports whether ρ² is a quadratic form, ρ(t)² = Σ_j w_j t_j², and returns its weights w, one per leaf.
// This holds if all nodes with several children are 2-norms and no leaf is one-sided. Then w_j is the product of the
// squared weights on the way from the root to leaf j.
func (n *Node) Quadratic() (w []float64, ok bool) {
	if !quadraticOf(n) {
		return nil, false
	}
	m := make([]float64, n.Size())
	n.Surrogate(m)
	return m, true
}

// quadraticOf reports whether the square of a subtree is a quadratic form. Any norm of one child is a multiple of it,
// whatever its Op.
func quadraticOf(n *Node) bool {
	if n.leaf() {
		return n.Op == Abs
	}
	if n.count() > 1 && (n.Op != Norm || n.P != 2) {
		return false
	}
	for _, c := range n.Children {
		if !quadraticOf(c) {
			return false
		}
	}
	return true
}

// Leaves calls visit with the Op of each leaf, Abs or Pos, from left to right.
func (n *Node) Leaves(visit func(Op)) {
	if n.leaf() {
		visit(n.Op)
		return
	}
	for i := range n.count() {
		n.child(i).Leaves(visit)
	}
}

// leaf reports whether the node is a leaf.
func (n *Node) leaf() bool { return n.Op == Abs || n.Op == Pos }

// count returns the number of children of an inner node, copies included.
func (n *Node) count() int {
	if n.Repeat > 0 {
		return n.Repeat
	}
	return len(n.Children)
}

// child returns child i; copies are the same node.
func (n *Node) child(i int) *Node {
	if n.Repeat > 0 {
		return n.Children[0]
	}
	return n.Children[i]
}

// weight returns the weight of child i.
func (n *Node) weight(i int) float64 {
	if n.Weights == nil {
		return 1
	}
	return n.Weights[i]
}
