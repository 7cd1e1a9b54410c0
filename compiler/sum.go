package compiler

import (
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// In regularize a list of weighted invariances stands for
//
//	R² = (w₁ R₁)² + … + (wₖ Rₖ)²
//
// as R is a norm of all of them together. Before there was the list, + between invariances had this
// meaning, and it still has. But in an invariance + is the sum, (R₁ + R₂)² = R₁² + 2 R₁ R₂ + R₂², so
// that one sign meant two things.

// summed warns of + between invariances in regularize (codes.SumOfSquares), which reads like the sum
// that it is in an invariance, and stands for a list. The fix is the list, where one weight need not
// stand in several of its members: auto and grid would then be several numbers.
func summed(p *names.Pass, e dsl.Expr) {
	sum := firstSum(p, e)
	if sum == nil {
		return
	}
	d := p.Warn(&diag.Diagnostic{
		Code: codes.SumOfSquares, Subject: e.Span(), Summary: tree.Text(sum) + " in regularize is not a sum",
		Detail: "R² has the squares of both: a + b stands here for √(a² + b²), as the list a, b does, while an invariance a + b is the sum.",
		Mend:   "For one weight of several declare invariance NAME = hypot(a, b), and regularize that.",
	})
	if terms := asList(p, e); terms != nil {
		list := strings.Join(terms, ", ")
		d.Mend = "Write " + list + "."
		p.Offer(d, "write "+list, e.Span(), list)
	}
}

// firstSum returns the outermost sum of invariances in a part of regularize. Sums of numbers, as in
// (1 + w) * a, are weights and do not count. Nil means that there is none.
func firstSum(p *names.Pass, e dsl.Expr) *dsl.Binary {
	switch e := e.(type) {
	case *dsl.Paren:
		return firstSum(p, e.X)
	case *dsl.Binary:
		if isNumber(p, e) {
			return nil
		}
		if e.Op == "+" {
			return e
		}
		if sum := firstSum(p, e.X); sum != nil {
			return sum
		}
		return firstSum(p, e.Y)
	}
	return nil
}

// asList returns the members of a list that means the same as a sum of weighted invariances, each
// with all its factors, outermost first:
//
//	0.1 * (a + 0.2 * b) / 3   ↦   0.1 * a / 3, 0.1 * 0.2 * b / 3
//
// The factors are kept as they are written, and so in the order in which they are multiplied. Nil
// means that there is no such list: a difference has a negative weight, and a number that is chosen
// cannot stand twice.
func asList(p *names.Pass, e dsl.Expr) []string {
	switch e := e.(type) {
	case *dsl.Paren:
		return asList(p, e.X)
	case *dsl.Ident:
		return []string{tree.Text(e)}
	case *dsl.Binary:
		switch {
		case e.Op == "+":
			x, y := asList(p, e.X), asList(p, e.Y)
			if x == nil || y == nil {
				return nil
			}
			return append(x, y...)
		case firstSum(p, e) == nil && e.Op != "-":
			return []string{tree.Text(e)}
		case e.Op == "*" && isNumber(p, e.X):
			return times(e.X, asList(p, e.Y))
		case e.Op == "*" && isNumber(p, e.Y):
			return times(e.Y, asList(p, e.X))
		case e.Op == "/" && isNumber(p, e.Y) && !chosen(e.Y):
			return tree.Each(asList(p, e.X), func(term string) string { return term + " / " + tree.Text(e.Y) })
		}
	}
	return nil
}

// times multiplies the members of a list. Nil means that the number is chosen: auto * a, auto * b are
// two weights, each with candidates of its own, where auto * (a + b) is one.
func times(number dsl.Expr, terms []string) []string {
	if terms == nil || chosen(number) {
		return nil
	}
	return tree.Each(terms, func(term string) string { return tree.Text(number) + " * " + term })
}

// chosen reports whether a number is chosen from several where it stands.
func chosen(number dsl.Expr) bool {
	return holdsGrid(number) || dsl.Holds(number, func(n dsl.Node) bool { id, ok := n.(*dsl.Ident); return ok && id.Name == tree.AutoWord })
}

// isNumber reports whether an expression is made of numbers, lets, grids and auto alone, so that it
// may be a weight. It looks at the form alone and evaluates nothing.
func isNumber(p *names.Pass, e dsl.Expr) bool {
	switch e := e.(type) {
	case *dsl.Number:
		return true
	case *dsl.Paren:
		return isNumber(p, e.X)
	case *dsl.Neg:
		return isNumber(p, e.X)
	case *dsl.Binary:
		return isNumber(p, e.X) && isNumber(p, e.Y)
	case *dsl.Call:
		return e.Fun.Name == tree.GridWord
	case *dsl.Ident:
		return e.Name == tree.AutoWord || p.Decls.Lets[e.Name] != nil || p.Poison[e.Name]
	}
	return false
}
