package gauge

// Split writes the square of a gauge as a sum, ρ(t)² = Σ_k ρ_k(t_k)². Here t_k are the values of the leaves j with
// part[j] = k, in their order. Leaves of parts below zero have the value zero and are left out.
//
// Split returns nil if ρ² is not such a sum, because something other than a 2-norm joins leaves of several parts. A
// part without leaves has the gauge nil.
func (n *Node) Split(part []int, parts int) []*Node {
	out := make([]*Node, parts)
	if n.Op != Norm || n.P != 2 || len(part) != n.Size() || !splitNode(n, 1, part, out) {
		return nil
	}
	for k, own := range out {
		if own != nil {
			out[k] = folded(own)
		}
	}
	return out
}

// splitNode adds the children of a 2-norm to the gauges of their parts, with weights multiplied along the way.
func splitNode(n *Node, weight float64, part []int, out []*Node) bool {
	for i := range n.count() {
		child, w := n.child(i), weight*n.weight(i)
		size := child.Size()
		own, whole := partOf(part[:size])
		switch {
		case whole && own >= 0:
			if out[own] == nil {
				out[own] = &Node{Op: Norm, P: 2}
			}
			out[own].Children, out[own].Weights = append(out[own].Children, child), append(out[own].Weights, w)
		case !whole && (child.Op != Norm || child.P != 2 || !splitNode(child, w, part[:size], out)):
			return false
		}
		part = part[size:]
	}
	return true
}

// partOf returns the part of some leaves, and whether they all have it.
func partOf(part []int) (own int, whole bool) {
	for _, k := range part {
		if k != part[0] {
			return 0, false
		}
	}
	return part[0], true
}
