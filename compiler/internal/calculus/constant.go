package calculus

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// OfConstant returns what a quantifier over a number comes to, where that is the same for all data.
// Literal sets count their elements. With a condition nobody knows whether there is an element at
// all.
func OfConstant(n *tree.Node) (v float64, known bool) {
	c := n.Kids[0].Num
	count, counted := 1, n.Op == tree.OpMax || n.Op == tree.OpMin || n.Op == tree.OpMean || n.Mean
	if !counted {
		counted = !slices.ContainsFunc(n.Quant.Axes, func(a *tree.Axis) bool {
			elements, listed := a.Listed()
			count *= elements
			return !listed
		})
	}
	return n.Combined(slices.Repeat([]float64{c}, max(count, 1))), c == 0 || counted && n.Quant.Where == nil
}
