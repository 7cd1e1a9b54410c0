package gauge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Restrict returns the gauge with some leaves held at zero, those of a negative class, and the numbers that its
// leaves had before. Leaves of one class must always have equal values. Under a maximum the first of them then stands
// for all with its weight. The gauge is nil if no leaf remains.
func (n *Node) Restrict(class []int32) (out *Node, kept []int32) {
	r := &restriction{class: class}
	out = r.node(n)
	return out, r.kept
}

// A restriction goes through the leaves in their order.
type restriction struct {
	class []int32
	at    int // the next leaf
	kept  []int32
}

// A known leaf of a maximum stands for all that are like it. The operation belongs to the key: |t| and [t]₊ differ
// even at one t.
type known struct {
	op     Op
	class  int32
	weight float64
}

// node returns what remains of a subtree, nil if nothing does.
func (r *restriction) node(n *Node) *Node {
	if n.leaf() {
		r.at++
		if r.class[r.at-1] < 0 {
			return nil
		}
		r.kept = append(r.kept, int32(r.at-1)) //nolint:gosec // leaves are counted in 32 bits
		return n
	}
	out := &Node{Op: n.Op, P: n.P, K: n.K}
	seen := map[known]bool{} // among the leaves of a maximum
	for i := range n.count() {
		child := n.child(i)
		if n.Op == Max && child.leaf() && r.class[r.at] >= 0 {
			key := known{child.Op, r.class[r.at], n.weight(i)}
			if seen[key] {
				r.at++
				continue
			}
			seen[key] = true
		}
		if child = r.node(child); child != nil {
			out.Children, out.Weights = append(out.Children, child), append(out.Weights, n.weight(i))
		}
	}
	if len(out.Children) == 0 {
		return nil
	}
	if n.Weights == nil {
		out.Weights = nil
	}
	if out.Op == Top {
		out.K = min(out.K, len(out.Children))
	}
	return folded(out)
}

// folded returns the node with like children written as copies of one.
func folded(n *Node) *Node {
	for _, c := range n.Children[1:] {
		if !alike(c, n.Children[0]) {
			return n
		}
	}
	if count := len(n.Children); count > 1 {
		n.Repeat, n.Children = count, n.Children[:1]
	}
	return n
}

// alike reports whether two trees are equal.
func alike(a, b *Node) bool {
	if a == b {
		return true
	}
	if a.Op != b.Op || a.P != b.P || a.K != b.K || a.Repeat != b.Repeat || len(a.Children) != len(b.Children) || len(a.Weights) != len(b.Weights) {
		return false
	}
	for i, w := range a.Weights {
		if w != b.Weights[i] {
			return false
		}
	}
	for i, c := range a.Children {
		if !alike(c, b.Children[i]) {
			return false
		}
	}
	return true
}

// Canonical returns the gauge as text, with the names of the leaves from left to right. Gauges that differ only in
// the order of children have the same text. Numbers are written in full, so that different gauges have different
// texts.
func (n *Node) Canonical(leaf func() string) string {
	if n.leaf() {
		return strconv.Itoa(int(n.Op)) + strconv.Quote(leaf())
	}
	parts := make([]string, n.count())
	for i := range parts {
		parts[i] = exact(n.weight(i)) + "*" + n.child(i).Canonical(leaf)
	}
	slices.Sort(parts)
	return fmt.Sprintf("%d,%s,%d(%s)", n.Op, exact(n.P), n.K, strings.Join(parts, " "))
}

// exact writes the shortest decimal that reads back as x.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
