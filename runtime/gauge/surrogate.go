package gauge

import "math"

// Surrogate sets dst to weights m of a quadratic form near the gauge, Σ_j m_j t_j² ≈ ρ(t)². It replaces every norm by
// the 2-norm that agrees with it on equal numbers. It is exact if the gauge is quadratic. One-sided leaves count as
// two-sided ones. dst has Size() elements.
func (n *Node) Surrogate(dst []float64) { formOf(n, dst, 1, spreadSurrogate) }

// Majorant sets dst to the weights m of the least such form that is nowhere below, Σ_j m_j t_j² ≥ ρ(t)². It is as
// curved as ½ρ² where a maximum has one largest number. dst has Size() elements.
func (n *Node) Majorant(dst []float64) { formOf(n, dst, 1, spreadMajorant) }

// formOf sets dst to the weights of a subtree, times scale. N(x)² becomes spread·Σ x² at a norm N of m numbers.
func formOf(n *Node, dst []float64, scale float64, spread func(n *Node, m float64) float64) {
	if n.leaf() {
		dst[0] = scale
		return
	}
	m := n.count()
	if m > 1 {
		scale *= spread(n, float64(m))
	}
	for i, off := 0, 0; i < m; i++ {
		size := n.child(i).Size()
		formOf(n.child(i), dst[off:off+size], scale*n.weight(i)*n.weight(i), spread)
		off += size
	}
}

// spreadSurrogate returns the factor κ with N(x)² = κ Σ x² for m equal numbers.
func spreadSurrogate(n *Node, m float64) float64 {
	switch n.Op {
	case Max:
		return 1 / m
	case Norm:
		return math.Pow(m, 2/n.P-1)
	case Top:
		k := min(float64(n.K), m)
		return k * k / m
	}
	return m
}

// spreadMajorant returns the least factor κ with N(x)² ≤ κ Σ x² for all m numbers.
func spreadMajorant(n *Node, m float64) float64 {
	switch n.Op {
	case Max:
		return 1
	case Norm:
		return math.Pow(m, max(0, 2/n.P-1))
	case Top:
		return min(float64(n.K), m)
	}
	return m
}

// Separate takes the root apart into blocks that the gauge couples only by a root of a sum of squares, ρ² = Σ_b v_b²
// ρ_b². It returns the tree with v_b² divided by a number W_b, and W_b for every leaf of block b. Then
//
//	argmin_t ½ρ(t)² + (β/2) Σ_j W_j (t_j − u_j)²
//
// is [Prox.Square] of the returned tree with τ = 1/β. W_b is the mean over the block of the weights of a form, such as
// [Node.Surrogate]. So W scales the variables as well as it can while it is constant on every block, which the proximal
// map requires.
func (n *Node) Separate(form func(n *Node, dst []float64)) (scaled *Node, metric []float64) {
	metric = make([]float64, n.Size())
	scaled = n.separate(metric, 1, form)
	return scaled, metric
}

// separate returns the scaled subtree and sets its part of the metric; v is the product of the weights above it.
func (n *Node) separate(metric []float64, v float64, form func(n *Node, dst []float64)) *Node {
	if n.Op != Norm || n.P != 2 {
		// The block's ½v²ρ_b² in the metric w v² is ½ρ_b²/w in the plain one.
		form(n, metric)
		w := mean(metric)
		for i := range metric {
			metric[i] = w * v * v
		}
		return Scaled(n, 1/math.Sqrt(w))
	}
	out := &Node{Op: Norm, P: 2, Repeat: n.Repeat}
	for i, off := 0, 0; i < n.count(); i++ {
		size := n.child(i).Size()
		part := metric[off : off+size]
		if n.child(i).leaf() {
			part[0] = v * v * n.weight(i) * n.weight(i)
			if i < len(n.Children) {
				out.Children = append(out.Children, n.child(i))
			}
		} else if scaled := n.child(i).separate(part, v*n.weight(i), form); i < len(n.Children) {
			out.Children = append(out.Children, scaled)
		}
		off += size
	}
	return out
}

// mean returns the arithmetic mean.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
