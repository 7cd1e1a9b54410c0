package calculus

import (
	"math"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// OfConstant returns what a quantifier over a number comes to, where that is the same for all data.
// Literal sets count their elements, and a path has its length. With a condition nobody knows
// whether there is an element at all.
func OfConstant(n *tree.Node) (v float64, known bool) {
	c := n.Kids[0].Num
	if c == 0 {
		return 0, true
	}
	count, size, counted := 1, 1.0, true
	for _, a := range n.Quant.Axes {
		n, listed := a.Listed()
		switch {
		case listed:
			count *= n
		case a.Kind == tree.PathAxis:
			size *= a.Hi - a.Lo
		default:
			counted = false
		}
	}
	size *= float64(count)
	some := n.Quant.Where == nil // index sets that data leave empty are errors, but for conditions
	switch n.Op {
	case tree.OpMax, tree.OpMin, tree.OpMean:
		return c, some
	case tree.OpSum:
		v = c * size
	case tree.OpTop:
		v = c * float64(min(n.K, count))
	default:
		if n.Mean {
			return math.Abs(c), some
		}
		v = math.Abs(c) * math.Pow(size, 1/n.P)
	}
	return v, counted && some
}
