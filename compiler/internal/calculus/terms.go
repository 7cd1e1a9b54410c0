package calculus

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// terms returns the coefficients of an expression's functionals, by name: e(f) = Σ c_ℓ ℓ(f), zeros
// left out. Nil means that it is not a literal linear combination of few. A number that data decide
// belongs to the name, so that w·f − f·w cancels for every w. Sums over index sets are not taken
// apart, as two of them may range over different elements.
func terms(n *tree.Node) map[string]float64 {
	out := map[string]float64{}
	var add func(n *tree.Node, c float64, by []string) bool
	add = func(n *tree.Node, c float64, by []string) bool {
		switch {
		case n.Op == tree.OpLeaf:
			out[strings.Join(by, "·")+" times "+n.Leaf.Identity()] += c
			return len(out) <= tree.MostTerms
		case n.Op == tree.OpNeg:
			c = -c
		case n.Op == tree.OpScale && n.By != nil:
			known, names := tree.Factors(n.By)
			c, by = c*known, slices.Sorted(slices.Values(append(names, by...)))
		case n.Op == tree.OpScale:
			c *= n.Num
		case n.Op == tree.OpMean && n.Quant == nil:
			c /= float64(len(n.Kids))
		case n.Op == tree.OpConst:
			return n.Num == 0
		case n.Op != tree.OpAdd && n.Op != tree.OpSum || n.Quant != nil:
			return false
		}
		return !slices.ContainsFunc(n.Kids, func(k *tree.Node) bool { return !add(k, c, by) })
	}
	if !add(n, 1, nil) {
		return nil
	}
	maps.DeleteFunc(out, func(_ string, c float64) bool { return c == 0 })
	return out
}

// cancels reports whether a sum is zero whatever f is, as f(x) − f(x) is. Its sign is zero then,
// and a zero part harms no rule.
func cancels(_ []tree.Judged, n *tree.Node) bool {
	terms := terms(n)
	return terms != nil && len(terms) == 0
}

// symmetric reports whether the parts are linear, and the negative of each is among them: max {e,
// −e} is |e|. Such a maximum is a seminorm, where other maxima of linear parts are sublinear.
func symmetric(parts []tree.Judged, n *tree.Node) bool {
	if n.Quant != nil || len(n.Kids) > tree.MostTerms || !AllLinear(parts, n) {
		return false
	}
	all := make([]map[string]float64, len(n.Kids))
	for i, k := range n.Kids {
		if all[i] = terms(k); all[i] == nil {
			return false
		}
	}
	return !slices.ContainsFunc(all, func(a map[string]float64) bool {
		opposite := func(b map[string]float64) bool {
			return maps.EqualFunc(a, b, func(c, d float64) bool { return c == -d })
		}
		return !slices.ContainsFunc(all, opposite)
	})
}

// Representable reports factors whose product along a part is out of bounds (codes.OutOfRange): its
// square would overflow or vanish in float64. It returns false then.
func (j *Judge) Representable(n *tree.Node, c float64) bool {
	if n.Op == tree.OpScale && n.Num != 0 {
		c *= n.Num
	}
	if why := tree.BoundedFactor(c); why != "" {
		j.Found = append(j.Found, Finding{At: n.From, Diagnostic: &diag.Diagnostic{
			Code: codes.OutOfRange, Summary: fmt.Sprintf("the factors around %s multiply to %.3g", tree.Text(n.Kids[0].From.Syntax), c), Detail: why,
			Mend: fmt.Sprintf("Write factors between %g and %g.", tree.LeastFactor, tree.MostFactor),
		}})
		return false
	}
	return !slices.ContainsFunc(n.Kids, func(k *tree.Node) bool { return !j.Representable(k, c) })
}

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
