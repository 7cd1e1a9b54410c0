// Package edit makes edits of a spec's text that may mend a faulty expression. It knows the forms
// that people write for a convex one: |a| - |b| for |a - b|, min for max, a product for an
// implication.
//
// No edit is a promise. An edit e of a text s is offered if compiling e(s) finds fewer errors than
// s, none of a new kind (mend.go of package compiler). So edits here need not be right. But they
// are ordered: the gentlest comes first, which changes least of what the expression means for
// nonnegative f.
//
// Edits are made of places in the text and not of trees, as the rest of the line stays as the user
// laid it out. An expression that stands in a definition of a family has no text of the user, and
// no edit. What is to be written in its place comes from the printer of package dsl, by tree.Text.
package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// Attempts returns the edits that may mend a refused expression, in which the part at is to blame. Rewrite says what it may be meant
// to be; empty means that nobody knows.
func Attempts(n *tree.Node, at *tree.Node, rewrite string) func(decl *dsl.Invariance) [][]diag.Edit {
	span := at.From.Span
	switch n.Op {
	case tree.OpNeg:
		return unsigned(n)
	case tree.OpMin:
		return func(*dsl.Invariance) [][]diag.Edit { return maximized(n.From.Syntax) }
	case tree.OpNorm, tree.OpTop:
		return func(*dsl.Invariance) [][]diag.Edit { return append(Made(span, at.Kind == tree.Linear), madeAll(n)) }
	case tree.OpAbs:
		part := tree.Text(n.Kids[0].From.Syntax)
		return func(*dsl.Invariance) [][]diag.Edit { return [][]diag.Edit{replaced(span, "pos("+part+")")} }
	}
	return func(*dsl.Invariance) [][]diag.Edit {
		if rewrite == "" {
			return nil
		}
		return [][]diag.Edit{replaced(span, rewrite), replaced(span, "|"+rewrite+"|")}
	}
}

// The edits that make attempts.

// Insertion returns the edit that puts a text at a place.
func Insertion(file string, at diag.Pos, text string) diag.Edit {
	return diag.Edit{Span: diag.Span{File: file, Start: at, End: at}, New: text}
}

// Wrapped puts a text before and one behind a span. Both edits stand at places of the text before
// the change, as the parts of one fix do.
func Wrapped(at diag.Span, before, behind string) []diag.Edit {
	return []diag.Edit{Insertion(at.File, at.Start, before), Insertion(at.File, at.End, behind)}
}

// replaced puts a text in the place of a span.
func replaced(at diag.Span, text string) []diag.Edit { return []diag.Edit{{Span: at, New: text}} }

// Made wraps a span in signs that make it nonnegative, the gentlest first: pos(e) keeps e where it
// is positive, |e| punishes both signs.
func Made(at diag.Span, linear bool) [][]diag.Edit {
	pos := Wrapped(at, "pos(", ")")
	if linear {
		return [][]diag.Edit{Wrapped(at, "|", "|"), pos}
	}
	return [][]diag.Edit{pos}
}

// madeAll makes every part nonnegative that may be negative, in the gentlest way. Mending one part
// at a time would leave the error of the others, and so look like no mend.
func madeAll(n *tree.Node) []diag.Edit {
	var all []diag.Edit
	for _, k := range n.Kids {
		if !k.AtLeastZero() {
			all = append(all, Made(k.From.Span, k.Kind == tree.Linear)[0]...)
		}
	}
	return all
}

// maximized writes max for min. A minimum of convex parts is not convex, and who wants all parts
// small wants the largest small.
func maximized(e dsl.Expr) [][]diag.Edit {
	switch e := e.(type) {
	case *dsl.Aggregate:
		return [][]diag.Edit{replaced(e.Op.Place, "max")}
	case *dsl.Quant:
		return [][]diag.Edit{replaced(e.Op.Place, "max")}
	}
	return nil
}

// Summand returns the part of a sum that an expression stands in. A quantifier reaches to the next
// + or -, and so should what is put around.
func Summand(sum, e dsl.Expr) dsl.Expr {
	for {
		b, ok := dsl.Bare(sum).(*dsl.Binary)
		switch {
		case !ok || b.Op != "+" && b.Op != "-":
			return sum
		case within(e, b.X):
			sum = b.X
		default:
			sum = b.Y
		}
	}
}

// QuantifierBefore finds the sum that an expression stands in, with the quantifier that the sum begins with.
func QuantifierBefore(body, e dsl.Expr) (quant *dsl.Quant, sum dsl.Expr) {
	dsl.Walk(body, func(n dsl.Node) bool {
		b, isSum := n.(*dsl.Binary)
		if quant != nil || !isSum || b.Op != "+" && b.Op != "-" || !within(e, b) {
			return quant == nil
		}
		if q := First(b); q != nil && !within(e, q) {
			quant, sum = q, b
		}
		return quant == nil
	})
	return quant, sum
}

// First returns the quantifier that an expression begins with, nil where it begins with none.
func First(e dsl.Expr) *dsl.Quant {
	for {
		b, ok := e.(*dsl.Binary)
		if !ok {
			q, _ := e.(*dsl.Quant)
			return q
		}
		e = b.X
	}
}

// within reports whether a node lies in another, by their places.
func within(inner, outer dsl.Expr) bool {
	return Encloses(outer.Span(), inner.Span())
}

// unsigned takes a minus sign away from a part that is convex: |a| - |b| is |a - b|, and -|a| is |a|.
func unsigned(n *tree.Node) func(decl *dsl.Invariance) [][]diag.Edit {
	return func(*dsl.Invariance) [][]diag.Edit {
		if neg, ok := n.From.Syntax.(*dsl.Neg); ok && n.Difference == nil {
			sign := neg.Span()
			sign.End = neg.X.Span().Start
			return [][]diag.Edit{{{Span: sign}}}
		}
		if n.Difference == nil {
			return nil
		}
		x, y := dsl.Bare(n.Difference.X), dsl.Bare(n.Difference.Y)
		ax, okX := x.(*dsl.Abs)
		ay, okY := y.(*dsl.Abs)
		if okX && okY {
			return [][]diag.Edit{replaced(n.Difference.Span(), "|"+difference(ax.X, ay.X)+"|")}
		}
		px, okX := positivePart(x)
		py, okY := positivePart(y)
		if okX && okY {
			return [][]diag.Edit{replaced(n.Difference.Span(), "pos("+difference(px, py)+")")}
		}
		return nil
	}
}

// difference writes x - y, with brackets around a y that is a sum or a difference.
func difference(x, y dsl.Expr) string {
	if b, ok := y.(*dsl.Binary); ok && (b.Op == "+" || b.Op == "-") {
		return tree.Text(x) + " - (" + tree.Text(y) + ")"
	}
	return tree.Text(x) + " - " + tree.Text(y)
}

// positivePart returns the e of pos(e). Ok is false for anything else.
func positivePart(e dsl.Expr) (dsl.Expr, bool) {
	call, ok := e.(*dsl.Call)
	if !ok || call.Fun.Name != "pos" || len(call.Args) != 1 {
		return nil, false
	}
	return call.Args[0].Value, true
}

// Without leaves a constant out of the sum that it stands in. R is positively homogeneous: R(cf) =
// c R(f) for c > 0, and no constant but 0 keeps that.
func Without(constant dsl.Expr) func(decl *dsl.Invariance) [][]diag.Edit {
	return func(decl *dsl.Invariance) [][]diag.Edit {
		var all [][]diag.Edit
		dsl.Walk(decl.Body, func(n dsl.Node) bool {
			b, ok := n.(*dsl.Binary)
			if !ok || b.Op != "+" && b.Op != "-" {
				return true
			}
			switch constant {
			case dsl.Bare(b.Y):
				all = append(all, replaced(b.Span(), tree.Text(b.X)))
			case dsl.Bare(b.X):
				all = append(all, replaced(b.Span(), strings.TrimPrefix(b.Op, "+")+tree.Text(b.Y)))
			}
			return len(all) == 0
		})
		return all
	}
}

// DerivedInside takes |…| or pos(…) from behind a derivative to before it: d/dλ |f| becomes |d/dλ
// f|, which is convex.
func DerivedInside(e *dsl.Deriv) func(decl *dsl.Invariance) [][]diag.Edit {
	return func(*dsl.Invariance) [][]diag.Edit {
		before, behind := "pos(", ")"
		inner, ok := positivePart(dsl.Bare(e.Of))
		if abs, isAbs := dsl.Bare(e.Of).(*dsl.Abs); isAbs {
			before, behind, inner = "|", "|", abs.X
		} else if !ok {
			return nil
		}
		derivative := &dsl.Deriv{At: e.At, With: e.With, Bracketed: e.Bracketed, RawUnit: e.RawUnit, Of: &dsl.Paren{X: inner}}
		if _, sum := inner.(*dsl.Binary); !sum {
			derivative.Of = inner
		}
		return [][]diag.Edit{replaced(e.Span(), before+tree.Text(derivative)+behind)}
	}
}

// AtPoint puts a bare f, or f of a label, at a point by its name.
func AtPoint(e dsl.Expr, point string) [][]diag.Edit {
	switch e := e.(type) {
	case *dsl.Ident:
		return [][]diag.Edit{{Insertion(e.Span().File, e.Span().End, "("+point+")")}}
	case *dsl.Call:
		if e.Fun.Name == "f" && len(e.Args) > 0 {
			return [][]diag.Edit{{Insertion(e.Span().File, e.Args[0].Span().Start, point+", ")}}
		}
	}
	return nil
}

// EachLabel takes a part for each label in turn: |f(t(x)) - f(x)| becomes max over c in labels of |f(t(x), c) - f(x, c)|.
// The word stands before over. An f that has a label keeps it. A part that stands in a definition has no edits, as
// that may be called elsewhere, too.
func EachLabel(n *tree.Node, word string) (all [][]diag.Edit) {
	for _, label := range []string{"c", "label"} { // as the spec may have a c of its own
		edits := []diag.Edit{Insertion(n.From.Span.File, n.From.Span.Start, word+" over "+label+" in labels of ")}
		for f := range n.Leaves() {
			if n.From.Inlined != nil || f.From.Inlined != nil {
				return nil
			}
			if e := labelled(n.From.Span.File, f.From.Syntax, label); f.Leaf.Own && !slices.Contains(edits, e) {
				edits = append(edits, e)
			}
		}
		all = append(all, edits)
	}
	return all
}

// labelled puts a label into an f, or into one that is derived.
func labelled(file string, e dsl.Expr, label string) diag.Edit {
	for d, ok := e.(*dsl.Deriv); ok; d, ok = e.(*dsl.Deriv) {
		e = d.Of
	}
	if call, ok := e.(*dsl.Call); ok && len(call.Args) > 0 {
		return Insertion(file, call.Args[len(call.Args)-1].Span().End, ", "+label)
	}
	return Insertion(file, e.Span().End, "("+label+")")
}

// OverRows returns the aggregation over all rows that max(f), sum(f) and mean(f) are meant to be. It is empty for other calls.
func OverRows(e *dsl.Call) string {
	if !slices.Contains([]string{"max", "sum", tree.MeanWord}, e.Fun.Name) || len(e.Args) != 1 || tree.Text(e.Args[0].Value) != "f" {
		return ""
	}
	return e.Fun.Name + " over z in rows of f(z)"
}

// Positive returns the positive part that max(0, e) is meant to be. It is empty for other calls.
func Positive(e *dsl.Call) string {
	if e.Fun.Name != "max" || len(e.Args) != 2 {
		return ""
	}
	for i, a := range e.Args {
		if tree.Text(a.Value) == "0" {
			return "pos(" + tree.Text(e.Args[1-i].Value) + ")"
		}
	}
	return ""
}

// Meant returns what a call of a function that other languages have may be meant to be here.
func Meant(e *dsl.Call) [][]diag.Edit {
	if own := cmp.Or(OverRows(e), Positive(e)); own != "" {
		return [][]diag.Edit{replaced(e.Span(), own)}
	}
	switch e.Fun.Name {
	case "max", "sum", tree.MeanWord:
		if inside, ok := strings.CutPrefix(tree.Text(e), e.Fun.Name+"("); ok && len(e.Args) > 0 {
			return [][]diag.Edit{replaced(e.Span(), e.Fun.Name+" {"+strings.TrimSuffix(inside, ")")+"}")}
		}
	case "relu":
		return [][]diag.Edit{replaced(e.Fun.Span(), "pos")}
	case "abs":
		if len(e.Args) == 1 && e.Args[0].Name == nil {
			return [][]diag.Edit{replaced(e.Span(), "|"+tree.Text(e.Args[0].Value)+"|")}
		}
	}
	return nil
}

// Encloses reports whether a span lies in another.
func Encloses(outer, inner diag.Span) bool {
	return outer.File == inner.File && outer.Start.Offset <= inner.Start.Offset && inner.End.Offset <= outer.End.Offset
}
