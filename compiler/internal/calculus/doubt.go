package calculus

import (
	"fmt"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// OwnClass returns the warning that a leaf is at each row's own class where the score of one class
// may be meant. With class targets a bare f(x) is f(x, y) for the row's own y: true, and often not
// what a statement about slopes or signs means.
func OwnClass(f *tree.Node) *diag.Diagnostic {
	return &diag.Diagnostic{
		Code: codes.OwnLabel, Severity: diag.Warning,
		Summary: fmt.Sprintf("%s is about the score of each row's own class", written(f.From)),
		Detail:  fmt.Sprintf("It stands for %s, y being the class of %s. So the statement is about another score at rows of another class.", f.Leaf, f.Leaf.Point.Name),
		Mend:    "Name the class, as in f(x, CLASS). Of two classes write target NAME : binary(0, 1), whose f is one score.",
	}
}

// OwnLabels returns the same warning for a target of labels, where a bare f(x) is the sum over the
// row's own labels.
func OwnLabels(f *tree.Node) *diag.Diagnostic {
	return &diag.Diagnostic{
		Code: codes.OwnLabel, Severity: diag.Warning,
		Summary: fmt.Sprintf("%s is about the score of each row's own labels", written(f.From)),
		Detail:  fmt.Sprintf("It stands for %s, y being the labels of %s: the sum of their scores. So the statement is about other scores at rows with other labels.", f.Leaf, f.Leaf.Point.Name),
		Mend:    "Name the label, as in f(x, LABEL).",
	}
}

// MovedAtOwn returns the same warning for a row that is compared with itself transformed: other classes or labels than its
// own decide as well. Several says that the target is of labels.
func MovedAtOwn(f *tree.Node, several bool) *diag.Diagnostic {
	what, own, others := "score of each row's own class", "class", "classes"
	if several {
		what, own, others = "sum of the scores of each row's own labels", "labels", "labels"
	}
	return &diag.Diagnostic{
		Code: codes.OwnLabel, Severity: diag.Warning,
		Summary: fmt.Sprintf("%s is the %s alone", written(f.From), what),
		Detail:  fmt.Sprintf("It stands for %s, y being the %s of %s. The scores of other %s may change as they like, and they decide as well.", f.Leaf, own, f.Leaf.Point.Name, others),
		Mend:    "Take the changes of all " + others + ", as in max over c in labels of |f(t(x), c) - f(x, c)|.",
	}
}

// Moved returns the first f of an expression that is taken at a transformed row, or derived along a
// transformation, and at its own label. Whether the row is moved by a set, an orbit or a family's
// own transformation makes no difference. Nil means that there is none.
func Moved(n *tree.Node) *tree.Node {
	return tree.Find(n.Leaves(), func(n *tree.Node) bool {
		return n.Leaf.Own && (len(n.Leaf.Maps) > 0 || n.Leaf.Deriv.Kind == tree.MapDeriv)
	})
}

// Absolute returns the innermost |…| of an expression that holds a part. Nil means that there is none.
func Absolute(n, part *tree.Node) (abs *tree.Node) {
	for k := range n.All() { // from the outside to the inside
		if k.Op == tree.OpAbs && tree.Find(k.All(), func(n *tree.Node) bool { return n == part }) != nil {
			abs = k
		}
	}
	return abs
}

// written returns the text of the user that a part stems from: a call where a definition was inlined.
func written(from tree.Origin) string {
	s := tree.Text(from.Syntax)
	for in := from.Inlined; in != nil; in = in.Up {
		s = in.Text()
	}
	return s
}

// Doubtful returns the first f of an expression that W303 warns of on classes and labels. Nil means that there
// is none. Those are slopes along columns, all of one-sided parts, and statements of the standard
// library, whose f no user sees. OneSided says that a positive part or a maximum holds the
// expression. An f with a named label is meant as it is written.
func Doubtful(n *tree.Node, oneSided bool) *tree.Node {
	if n.Kind != tree.Linear {
		oneSided = n.Op != tree.OpAbs && (oneSided || n.Op == tree.OpPos || n.Op == tree.OpMax && n.Kind == tree.Sublinear)
		for _, k := range n.Kids {
			if doubtful := Doubtful(k, oneSided); doubtful != nil {
				return doubtful
			}
		}
		return nil
	}
	if namesLabel(n) {
		return nil // it compares the own class with another
	}
	moved := tree.Find(n.Leaves(), func(n *tree.Node) bool { return len(n.Leaf.Maps) > 0 || n.Leaf.Deriv.Kind == tree.MapDeriv }) != nil
	compared := comparesRows(n)
	return tree.Find(n.Leaves(), func(n *tree.Node) bool {
		slope := n.Leaf.Deriv.Kind == tree.ColumnDeriv
		value := n.Leaf.Deriv.Kind == tree.NoDeriv && !moved
		return n.Leaf.Own && (slope || oneSided || value && compared || standardCall(n.From.Inlined))
	})
}

// comparesRows reports whether a linear part sets f at some rows against f at others. It does so at
// two points, or in a mean or sum over an index set, but not along a path.
func comparesRows(n *tree.Node) bool {
	at := map[*tree.Variable]bool{}
	for leaf := range n.Leaves() {
		at[leaf.Leaf.Point] = true
		if leaf.Leaf.Node != nil || leaf.Leaf.Place != nil {
			return false
		}
	}
	return len(at) > 1 || tree.Find(n.All(), func(n *tree.Node) bool { return n.Quant != nil }) != nil
}

// namesLabel reports whether a part holds an f at a label that the spec names or binds.
func namesLabel(n *tree.Node) bool {
	return tree.Find(n.Leaves(), func(l *tree.Node) bool { return l.Leaf.Label != nil }) != nil
}

// standardCall reports whether a part stems from a statement of the standard library.
func standardCall(in *tree.Inlining) bool {
	for ; in != nil; in = in.Up {
		if in.Family == tree.StandardName {
			return true
		}
	}
	return false
}
