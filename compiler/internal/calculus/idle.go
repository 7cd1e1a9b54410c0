package calculus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// Idle notes what has no effect in a proven expression, as nobody writes that on purpose.
//
//	|f(x) − f(x)|             a part that is zero whatever f is
//	max over z of |f(x)|      a variable that is bound in vain
//	max {|f(x)|, |f(x)|}      a member that is listed twice
//
// Of what is zero, the smallest part is named. Chosen says that numbers may be values of a grid, so
// that a factor of zero is one of several and no slip.
func (j *Judge) Idle(root *tree.Node, chosen bool) {
	var visit func(n *tree.Node)
	visit = func(n *tree.Node) {
		if zero := vanishing(n); zero != nil {
			if !chosen || zero.Op != tree.OpScale {
				j.idle(zero.From, &diag.Diagnostic{
					Summary: member(zero.From) + " is zero whatever f is", Detail: "It adds nothing to what holds it.", Mend: "Compare f with f elsewhere, or leave the part out.",
				})
			}
			return
		}
		j.boundInVain(n)
		if n.Quant == nil && len(n.Kids) > 1 && n.Op != tree.OpAdd {
			j.repeated(n)
		}
		for _, k := range n.Kids {
			visit(k)
		}
	}
	visit(root)
}

// member returns the text of a part where the user finds it. That is the call where a family's
// definition was inlined, as the user never sees its body. Else it is the part's own text, also in a
// definition of the spec.
func member(from tree.Origin) string {
	s := tree.Text(from.Syntax)
	for in := from.Inlined; in != nil; in = in.Up {
		if in.Family != "" {
			s = in.Text()
		}
	}
	return s
}

// idle notes a warning of codes.NoEffect.
func (j *Judge) idle(at tree.Origin, d *diag.Diagnostic) {
	d.Code, d.Severity = codes.NoEffect, diag.Warning
	j.Found = append(j.Found, Finding{At: at, Diagnostic: d})
}

// vanishing returns the smallest part that makes an expression zero whatever f is. In hypot(|f(a) -
// f(a)|) that is f(a) - f(a), where the slip is, and not the root around it. Nil means that the
// expression is not zero, or that it is a number: 0 is what was written then.
func vanishing(n *tree.Node) *tree.Node {
	if !n.Zero() || n.Number() {
		return nil
	}
	for _, k := range n.Kids {
		if zero := vanishing(k); zero != nil {
			return zero
		}
	}
	return n
}

// boundInVain notes the index sets of a quantifier with which nothing varies that it holds. For e that
// does not depend on z
//
//	max, mean, rms over z of e = e      sum over z of e = |z|·e
//
// and only data tell the number |z| of elements. A path counts together with the pairs that it joins:
// who takes f at one place of the path uses the pair. Where a condition names a variable, it decides
// how often others count, or whether there are elements at all, and the variable is used. It decides
// nothing where no value depends on any variable, and the set is the same whatever is bound around.
func (j *Judge) boundInVain(n *tree.Node) {
	if n.Quant == nil {
		return
	}
	asked := n.Quant.Where.Others(nil)
	counts := n.Op == tree.OpSum || n.Op == tree.OpTop || n.Op == tree.OpNorm && !n.Mean
	used := func(a *tree.Axis) bool { return n.Kids[0].DependsOn(withPath(a)) }
	idle := !counts && !n.Quant.Varies() && !slices.ContainsFunc(n.Quant.Axes, used)
	for _, a := range n.Quant.Axes {
		if used(a) || !idle && slices.ContainsFunc(withPath(a), func(a *tree.Axis) bool { return slices.Contains(asked, a) }) {
			continue
		}
		names := strings.Join(tree.Each(a.Vars, func(v *tree.Variable) string { return tree.Greek(v.Name) }), ", ")
		detail := "All elements have the same value, so that their " + n.Word + " is that value."
		if n.Quant.Where != nil {
			detail += " The condition changes nothing, as long as some element meets it."
		}
		if counts {
			detail = "All elements have the same value, so that their number alone decides by how much the value is multiplied."
		}
		j.idle(a.From, &diag.Diagnostic{
			Summary: fmt.Sprintf("%s is bound, and %s does not depend on it", names, member(n.Kids[0].From)), Detail: detail,
			Mend: cmp.Or(overSample(n, a, names), "Leave "+names+" out, or write what depends on it."),
		})
	}
}

// overSample says how a statement of the standard library over a sample is written. It is empty for all else.
func overSample(n *tree.Node, a *tree.Axis, names string) string {
	in := n.Kids[0].From.Inlined
	if in == nil || in.Up != nil || in.Family != tree.StandardName || !a.Drawn() || n.Quant.Where != nil {
		return ""
	}
	return "For these rows alone write " + dsl.Spelled(in.Syntax, n.Word, names+" in "+a.Text) + "."
}

// withPath returns an axis, and that of the path which joins its pairs.
func withPath(a *tree.Axis) []*tree.Axis {
	if a.Path != nil && a.Kind != tree.PathAxis {
		return []*tree.Axis{a, a.Path}
	}
	return []*tree.Axis{a}
}

// repeated notes the parts of an aggregation that are listed again. Sums by + are let pass, where a
// part that stands twice is easily seen and sometimes meant: f(a) + f(a).
func (j *Judge) repeated(n *tree.Node) {
	first := map[string]bool{}
	for _, k := range n.Kids {
		id, ok := identity(k)
		if !ok || !first[id] {
			first[id] = ok
			continue
		}
		j.idle(k.From, Listed(k.From.Span, member(k.From)))
	}
}

// Listed returns the warning of a member that is listed again. Whether it then counts twice, what is
// made of all members decides.
func Listed(at diag.Span, member string) *diag.Diagnostic {
	return &diag.Diagnostic{
		Code: codes.NoEffect, Severity: diag.Warning, Subject: at, Summary: member + " is listed twice",
		Detail: "A maximum does not change with it; a sum, a mean or a norm counts it twice.", Mend: "Leave it out, or write the member that is meant.",
	}
}

// identity returns a name that two parts of one expression share only if they are equal for every
// f. It is not ok for parts that it does not take apart.
func identity(n *tree.Node) (id string, ok bool) {
	var b strings.Builder
	ok = identify(&b, n)
	return b.String(), ok
}

// identify writes the name of a part. Linear parts go by their coefficients, so that it does not
// matter how they are written: f(cat) - f(dog) is -f(dog) + f(x, cat). What ranges over an index set
// goes by its text, together with the call of a definition that it stands in. Names mean the same in
// both parts then, as both stand in one scope. All else goes by its operation and its parts, in their
// order. So two maxima of the same parts in another order count as different, and nothing is said.
func identify(b *strings.Builder, n *tree.Node) bool {
	switch {
	case n.Op == tree.OpConst:
		fmt.Fprintf(b, "%g", n.Num)
		return true
	case n.Quant != nil || n.By != nil || n.Op == tree.OpDatum:
		fmt.Fprintf(b, "%p %s", n.From.Inlined, tree.Text(n.From.Syntax))
		return n.From.Syntax != nil
	case n.Kind == tree.Linear:
		t := terms(n)
		for _, name := range tree.SortedKeys(t) {
			fmt.Fprintf(b, "%g %s;", t[name], name)
		}
		return t != nil
	}
	fmt.Fprintf(b, "%d %g %g %d %v(", n.Op, n.Num, n.P, n.K, n.Mean)
	for _, k := range n.Kids {
		if !identify(b, k) {
			return false
		}
		b.WriteByte(',')
	}
	b.WriteByte(')')
	return true
}
