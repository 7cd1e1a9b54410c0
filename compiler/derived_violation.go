package compiler

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// violation shows two functions between which the derivative of an expression that is not linear in f is not convex. Where f
// has the derivative f′, that of e(f) is the limit of (e(f + h f′) − e(f)) / h. Functions at which it is another from the left than
// from the right, as that of |f| is where f is 0, are not shown.
func (v *deriver) violation(of *tree.Node) []string {
	trial := &deriver{from: v.from, along: v.along, path: v.path}
	derived := trial.derive(of)
	if derived == nil || !trial.varies || v.path != nil && multiplied(of, []*tree.Axis{v.path}) {
		return nil
	}
	const h = 1.0 / (1 << 20)
	all := &tree.Node{Op: tree.OpSum, Kids: []*tree.Node{moved(of, derived, h), of, moved(of, derived, -h)}}
	m := modelOf(all, 2)
	return m.violation(func(values []float64) float64 {
		m.restart(values)
		v := m.parts(all)
		right, left := (v[0]-v[1])/h, (v[1]-v[2])/h
		if !(math.Abs(right-left) < 1e-3) {
			return math.NaN()
		}
		return (right + left) / 2
	})
}

// multiplied reports whether a factor of a part varies with one of the axes.
func multiplied(n *tree.Node, axes []*tree.Axis) bool {
	return n.By != nil && n.By.Uses(axes) || slices.ContainsFunc(n.Kids, func(k *tree.Node) bool { return multiplied(k, axes) })
}

// moved is an expression at f + h f′, of which derived is the expression with f′ for f.
func moved(n, derived *tree.Node, h float64) *tree.Node {
	out := *n
	if n.Leaf != nil {
		return &tree.Node{Op: tree.OpAdd, Kids: []*tree.Node{&out, {Op: tree.OpScale, Num: h, Kids: []*tree.Node{derived}}}}
	}
	out.Kids = make([]*tree.Node, len(n.Kids))
	for i, k := range n.Kids {
		out.Kids[i] = moved(k, derived.Kids[i], h)
	}
	return &out
}
