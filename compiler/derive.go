package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A deriver replaces the leaves of an expression by their derivatives.
type deriver struct {
	from   tree.Origin // of the derivative
	along  *tree.Derivative
	path   *tree.Axis // of the parameter along which f is derived; nil means along something else
	varies bool       // something varies with what is derived along
	found  []finding
}

// refuse notes why there is no derivative.
func (v *deriver) refuse(summary, detail, mend string) {
	at := tree.Origin{Span: v.from.Span, Inlined: v.from.Inlined}
	v.found = append(v.found, finding{at: at, diagnostic: &diag.Diagnostic{Code: codes.NoDerivative, Subject: at.Span, Summary: summary, Detail: detail, Mend: mend}})
}

// derive replaces every leaf by its derivative. Along a path, that of what is at another point, or where another parameter says, is zero.
func (v *deriver) derive(n *tree.Node) *tree.Node {
	out := *n
	switch {
	case n.Number() && v.path != nil:
		v.varies = v.varies || n.Uses([]*tree.Axis{v.path})
		return v.slope(n)
	case n.Number():
		return &tree.Node{Op: tree.OpConst, From: n.From}
	}
	if n.Leaf == nil {
		out.Kids = make([]*tree.Node, len(n.Kids))
		for i, k := range n.Kids {
			if out.Kids[i] = v.derive(k); out.Kids[i] == nil {
				return nil
			}
		}
		if n.By != nil {
			return v.derivedProduct(n, out.Kids[0])
		}
		return &out
	}
	l := *n.Leaf
	if v.along.Kind == tree.PathDeriv && l.Node != v.path {
		return &tree.Node{Op: tree.OpConst, From: n.From}
	}
	if !v.derivable(&l) {
		return nil
	}
	v.varies = true
	if l.Deriv.Kind == tree.NoDeriv {
		l.Deriv = *v.along
	} else {
		l.Again = *v.along
	}
	out.Leaf = &l
	out.From = v.from
	return &out
}

// derivable reports whether a leaf may be derived along d, beside the derivatives that it has.
func (v *deriver) derivable(l *tree.Leaf) bool {
	switch {
	case l.Again.Kind != tree.NoDeriv:
		v.refuse("f is derived three times", "A functional holds values, first and second derivatives of f.", "Derive f twice at most.")
	case l.Deriv.Kind != tree.NoDeriv && (l.Deriv.Kind != tree.ColumnDeriv || v.along.Kind != tree.ColumnDeriv):
		v.refuse("f is derived along "+l.Deriv.Text+", and again along "+v.along.Text, "Second derivatives are those along two columns, or twice along one.",
			"Derive along columns: d/d(a) d/d(b) f.")
	case v.along.Kind == tree.PathDeriv && len(l.Maps) > 0:
		v.refuse("f is derived along a path whose point a transformation has moved", "", "Derive f itself: d/dλ f.")
	default:
		return true
	}
	return false
}

// slope is the derivative of a number along a path; nil where it has none, which has been reported then.
func (v *deriver) slope(n *tree.Node) *tree.Node {
	zero := &tree.Node{Op: tree.OpConst, From: n.From}
	if !n.Uses([]*tree.Axis{v.path}) {
		return zero
	}
	if n.Op == tree.OpDatum {
		return &tree.Node{Op: tree.OpConst, Num: 1, From: n.From}
	}
	kids := make([]*tree.Node, len(n.Kids))
	for i, k := range n.Kids {
		if kids[i] = v.slope(k); kids[i] == nil {
			return nil
		}
	}
	switch n.Op {
	case tree.OpMul:
		return plusNumber(timesNumber(kids[0], n.Kids[1]), timesNumber(n.Kids[0], kids[1]))
	case tree.OpDiv: // u/v has the derivative u′/v − (u/v)·v′/v
		v := n.Kids[1]
		return plusNumber(overNumber(kids[0], v), timesNumber(&tree.Node{Op: tree.OpConst, Num: -1, From: n.From}, overNumber(timesNumber(n, kids[1]), v)))
	case tree.OpAdd, tree.OpNeg, tree.OpSum, tree.OpMean:
		out := *n
		out.Kids = kids
		return &out
	}
	v.refuse(tree.Text(n.From.Syntax)+" has no derivative everywhere", "It is a factor of what is derived.", "Multiply by sums, products and quotients of the parameter alone.")
	return nil
}

func plusNumber(x, y *tree.Node) *tree.Node {
	switch {
	case x.Op == tree.OpConst && x.Num == 0:
		return y
	case y.Op == tree.OpConst && y.Num == 0:
		return x
	}
	return numberOf(tree.OpAdd, x, y)
}

func timesNumber(x, y *tree.Node) *tree.Node {
	switch {
	case x.Op == tree.OpConst && x.Num == 0, y.Op == tree.OpConst && y.Num == 1:
		return x
	case y.Op == tree.OpConst && y.Num == 0, x.Op == tree.OpConst && x.Num == 1:
		return y
	}
	return numberOf(tree.OpMul, x, y)
}

func overNumber(x, y *tree.Node) *tree.Node {
	if x.Op == tree.OpConst && x.Num == 0 {
		return x
	}
	return numberOf(tree.OpDiv, x, y)
}

// numberOf is an operation on two numbers, worked out where both are constants.
func numberOf(o tree.Op, x, y *tree.Node) *tree.Node {
	n := tree.Calculated(o, x.From, x, y)
	if x.Op == tree.OpConst && y.Op == tree.OpConst {
		return &tree.Node{Op: tree.OpConst, Num: n.Combined([]float64{x.Num, y.Num}), From: x.From}
	}
	return n
}

// derivedProduct is the derivative of a part times a number that data decide, of which of is the part's derivative.
func (v *deriver) derivedProduct(n, of *tree.Node) *tree.Node {
	out := *n
	out.Kids = []*tree.Node{of}
	if v.path == nil || !n.By.Uses([]*tree.Axis{v.path}) {
		return &out
	}
	by := v.slope(n.By)
	if by == nil {
		return nil
	}
	v.varies = true
	steeper := product(by, n.Kids[0], n.From)
	return &tree.Node{Op: tree.OpAdd, Kids: []*tree.Node{steeper, &out}, From: n.From}
}

// derivedTwice reports whether a part is a second derivative.
func derivedTwice(n *tree.Node) bool {
	return n.Leaf != nil && n.Leaf.Again.Kind != tree.NoDeriv || slices.ContainsFunc(n.Kids, derivedTwice)
}

// withoutZeros leaves out what became zero when an expression was derived.
func withoutZeros(n *tree.Node) *tree.Node {
	if len(n.Kids) == 0 {
		return n
	}
	zero := func(k *tree.Node) bool { return k.Op == tree.OpConst && k.Num == 0 }
	out := *n
	out.Kids = make([]*tree.Node, len(n.Kids))
	for i, k := range n.Kids {
		out.Kids[i] = withoutZeros(k)
	}
	switch {
	case !slices.ContainsFunc(out.Kids, func(k *tree.Node) bool { return !zero(k) }):
		return &tree.Node{Op: tree.OpConst, From: n.From}
	case n.Op == tree.OpAdd && zero(out.Kids[0]):
		return out.Kids[1]
	case n.Op == tree.OpAdd && zero(out.Kids[1]):
		return out.Kids[0]
	}
	return &out
}

func wordOr(n *tree.Node, other string) string {
	if n.Word == "" {
		return other
	}
	return n.Word
}

// nonlinear is a part that is not linear in f, nil where there is none.
func nonlinear(n *tree.Node) *tree.Node {
	if n.Number() {
		return nil
	}
	switch n.Op {
	case tree.OpConst, tree.OpLeaf, tree.OpAdd, tree.OpNeg, tree.OpScale, tree.OpSum, tree.OpMean:
	default:
		return n
	}
	for _, k := range n.Kids {
		if bad := nonlinear(k); bad != nil {
			return bad
		}
	}
	return nil
}
