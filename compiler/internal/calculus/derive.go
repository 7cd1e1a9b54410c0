package calculus

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A Deriver replaces the leaves of an expression by their derivatives. For an e that is linear in
// f, D(e)(f) = e(Df): the derivative goes through sums, means and factors to f itself. A factor
// that varies along a path has a derivative, too, and the product rule joins both.
type Deriver struct {
	From   tree.Origin // of the derivative
	Along  *tree.Derivative
	Path   *tree.Axis // of the parameter along which f is derived; nil means along something else
	Varies bool       // something varies with what is derived along
	Found  []Finding
}

// refuse notes why there is no derivative (codes.NoDerivative), at the place of the derivative and
// not of the leaf.
func (v *Deriver) refuse(d *diag.Diagnostic) {
	d.Code, d.Subject = codes.NoDerivative, v.From.Span
	v.Found = append(v.Found, Finding{At: tree.Origin{Span: v.From.Span, Inlined: v.From.Inlined}, Diagnostic: d})
}

// Derive replaces every leaf by its derivative. Along a path, that of what is at another point, or
// where another parameter says, is zero. Nil means that there is no derivative, and Found says why.
func (v *Deriver) Derive(n *tree.Node) *tree.Node {
	out := *n
	switch {
	case n.Number() && v.Path != nil:
		v.Varies = v.Varies || n.Uses([]*tree.Axis{v.Path})
		return v.slope(n)
	case n.Number():
		return &tree.Node{Op: tree.OpConst, From: n.From}
	}
	if n.Leaf == nil {
		out.Kids = make([]*tree.Node, len(n.Kids))
		for i, k := range n.Kids {
			if out.Kids[i] = v.Derive(k); out.Kids[i] == nil {
				return nil
			}
		}
		if n.By != nil {
			return v.derivedProduct(n, out.Kids[0])
		}
		return &out
	}
	l := *n.Leaf
	if v.Along.Kind == tree.PathDeriv && l.Node != v.Path {
		return &tree.Node{Op: tree.OpConst, From: n.From}
	}
	if !v.derivable(&l) {
		return nil
	}
	v.Varies = true
	if l.Deriv.Kind == tree.NoDeriv {
		l.Deriv = *v.Along
	} else {
		l.Again = *v.Along
	}
	out.Leaf = &l
	out.From = v.From
	return &out
}

// derivable reports whether a leaf may be derived along d, beside the derivatives that it has. A
// functional holds derivatives of the second order at most. Mixed ones are along two columns,
// D²f[u, v] = ¼(D²f[u+v, u+v] − D²f[u−v, u−v]).
func (v *Deriver) derivable(l *tree.Leaf) bool {
	switch {
	case l.Again.Kind != tree.NoDeriv:
		v.refuse(&diag.Diagnostic{
			Summary: "f is differentiated three times", Detail: "A functional holds values, first and second derivatives of f.", Mend: "Differentiate f twice at most.",
		})
	case l.Deriv.Kind != tree.NoDeriv && (l.Deriv.Kind != tree.ColumnDeriv || v.Along.Kind != tree.ColumnDeriv):
		v.refuse(&diag.Diagnostic{
			Summary: "f is differentiated along " + l.Deriv.Text + ", and again along " + v.Along.Text,
			Detail:  "Second derivatives are those along two columns, or twice along one.", Mend: "Differentiate along columns: d/d(a) d/d(b) f.",
		})
	case v.Along.Kind == tree.PathDeriv && len(l.Maps) > 0:
		v.refuse(&diag.Diagnostic{Summary: "f is differentiated along a path whose point a transformation has moved", Mend: "Differentiate f itself: d/dλ f."})
	default:
		return true
	}
	return false
}

// slope returns the derivative of a number along a path, by the rules for sums, products and
// quotients. Nil means that it has none everywhere, as that of |λ|, which has been reported then.
func (v *Deriver) slope(n *tree.Node) *tree.Node {
	zero := &tree.Node{Op: tree.OpConst, From: n.From}
	if !n.Uses([]*tree.Axis{v.Path}) {
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
		return numberOf(tree.OpAdd, numberOf(tree.OpMul, kids[0], n.Kids[1]), numberOf(tree.OpMul, n.Kids[0], kids[1]))
	case tree.OpDiv: // u/v has the derivative u′/v − (u/v)·v′/v
		v, minus := n.Kids[1], &tree.Node{Op: tree.OpConst, Num: -1, From: n.From}
		second := numberOf(tree.OpMul, minus, numberOf(tree.OpDiv, numberOf(tree.OpMul, n, kids[1]), v))
		return numberOf(tree.OpAdd, numberOf(tree.OpDiv, kids[0], v), second)
	case tree.OpAdd, tree.OpNeg, tree.OpSum, tree.OpMean:
		out := *n
		out.Kids = kids
		return &out
	}
	v.refuse(&diag.Diagnostic{
		Summary: tree.Text(n.From.Syntax) + " has no derivative everywhere", Detail: "It is a factor of what is differentiated.",
		Mend: "Multiply by sums, products and quotients of the parameter alone.",
	})
	return nil
}

// numberOf returns an operation on two numbers, without zeros that are added and ones that multiply.
func numberOf(o tree.Op, x, y *tree.Node) *tree.Node {
	is := func(n *tree.Node, v float64) bool { return n.Op == tree.OpConst && n.Num == v }
	switch {
	case o == tree.OpAdd && is(y, 0), o != tree.OpAdd && is(x, 0), o == tree.OpMul && is(y, 1):
		return x
	case o == tree.OpAdd && is(x, 0), o == tree.OpMul && (is(y, 0) || is(x, 1)):
		return y
	}
	return tree.Operation(&tree.Node{Op: o, From: x.From}, x, y)
}

// derivedProduct returns the derivative of a part times a number that data decide, of which of is
// the part's derivative: (w e)′ = w e′ + w′ e. The second summand is there only along a path on
// which w varies.
func (v *Deriver) derivedProduct(n, of *tree.Node) *tree.Node {
	out := *n
	out.Kids = []*tree.Node{of}
	if v.Path == nil || !n.By.Uses([]*tree.Axis{v.Path}) {
		return &out
	}
	by := v.slope(n.By)
	if by == nil {
		return nil
	}
	v.Varies = true
	steeper := tree.Product(by, n.Kids[0], n.From)
	return &tree.Node{Op: tree.OpAdd, Kids: []*tree.Node{steeper, &out}, From: n.From}
}

// DerivedTwice reports whether a part is a second derivative.
func DerivedTwice(n *tree.Node) bool {
	return tree.Find(n.Leaves(), func(l *tree.Node) bool { return l.Leaf.Again.Kind != tree.NoDeriv }) != nil
}

// WithoutZeros leaves out what became zero when an expression was derived. Only sums can lose a
// part: the expression is linear.
func WithoutZeros(n *tree.Node) *tree.Node {
	if len(n.Kids) == 0 {
		return n
	}
	zero := func(k *tree.Node) bool { return k.Op == tree.OpConst && k.Num == 0 }
	out := *n
	out.Kids = tree.Each(n.Kids, WithoutZeros)
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

// WordOr returns the word of an operation, or another text if it has none.
func WordOr(n *tree.Node, other string) string {
	if n.Word == "" {
		return other
	}
	return n.Word
}

// Nonlinear returns a part that is not linear in f, to be named in an error. Nil means that there
// is none.
func Nonlinear(n *tree.Node) *tree.Node {
	linear := []tree.Op{tree.OpLeaf, tree.OpAdd, tree.OpNeg, tree.OpScale, tree.OpSum, tree.OpMean}
	return tree.Find(n.All(), func(n *tree.Node) bool { return !n.Number() && !slices.Contains(linear, n.Op) })
}

// Violation shows two functions between which the derivative of an expression that is not linear in
// f is not convex. Where f has the derivative f′, that of e(f) is the limit of (e(f + h f′) − e(f))
// / h. Values of f and of f′ at a point are independent, so that both are drawn. Functions at which
// the limits from the left and the right differ, as those of |f| do at f = 0, are not shown.
func (v *Deriver) Violation(of *tree.Node) []string {
	trial := &Deriver{From: v.From, Along: v.Along, Path: v.Path}
	derived := trial.Derive(of)
	if derived == nil || !trial.Varies || v.Path != nil && multiplied(of, []*tree.Axis{v.Path}) {
		return nil
	}
	const h = 1.0 / (1 << 20)
	all := &tree.Node{Op: tree.OpSum, Kids: []*tree.Node{moved(of, derived, h), of, moved(of, derived, -h)}}
	m := ModelOf(all, 2)
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
	return tree.Find(n.All(), func(n *tree.Node) bool { return n.By != nil && n.By.Uses(axes) }) != nil
}

// moved returns an expression at f + h f′, of which derived is the expression with f′ for f.
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
