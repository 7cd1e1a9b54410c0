package compiler

import (
	"fmt"
	"slices"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// doubtOwnLabel warns of an f at each row's own class where the score of one class may be meant: a slope along a column, a sign, or a statement
// of the standard library, whose f no user sees.
func (p *pass) doubtOwnLabel(root *node) {
	if p.instance.Data.Target.Task != Class {
		return
	}
	l := doubtful(root, false)
	if l == nil {
		return
	}
	at := l.from
	p.reportAt(at, &diag.Diagnostic{
		Code: OwnLabel, Severity: diag.Warning,
		Summary: fmt.Sprintf("%s is about the score of each row's own class", written(at)),
		Detail:  fmt.Sprintf("It stands for %s, y being the class of %s. So the statement is about another score at rows of another class.", l.leaf, l.leaf.point.name),
		Mend:    "Name the class, as in f(x, CLASS), or take each in turn: over x, c in labels of …f(x, c)…. Of two classes write target NAME : binary(0, 1), whose f is one score.",
	})
}

// written returns the text of the user that a part stems from: a call where a definition was inlined.
func written(from origin) string {
	s := text(from.syntax)
	for in := from.inlined; in != nil; in = in.up {
		s = in.text()
	}
	return s
}

// doubtful returns the first f of an expression that W303 warns of; nil means that there is none. oneSided says that a positive part or a
// maximum holds the expression.
func doubtful(n *node, oneSided bool) *node {
	if n.kind != Linear {
		oneSided = oneSided || n.op == opPos || n.op == opMax && n.kind == Sublinear
		return first(n.kids, func(k *node) *node { return doubtful(k, oneSided) })
	}
	if namesLabel(n) {
		return nil // it compares the own class with another
	}
	moved := n.firstLeaf(func(n *node) bool { return len(n.leaf.maps) > 0 || n.leaf.deriv.kind == mapDeriv }) != nil
	return n.firstLeaf(func(n *node) bool {
		slope := n.leaf.deriv.kind == columnDeriv
		sign := oneSided && n.leaf.deriv.kind == noDeriv && !moved
		return n.leaf.own && (slope || sign || standardCall(n.from.inlined))
	})
}

// firstLeaf returns the first leaf that a condition holds of; nil means that it holds of no leaf.
func (n *node) firstLeaf(holds func(*node) bool) *node {
	if n.leaf != nil && holds(n) {
		return n
	}
	return first(n.kids, func(k *node) *node { return k.firstLeaf(holds) })
}

// first returns what find finds in the first node in which it finds something.
func first(nodes []*node, find func(*node) *node) *node {
	for _, n := range nodes {
		if found := find(n); found != nil {
			return found
		}
	}
	return nil
}

// namesLabel reports whether a part holds an f at a label that the spec names or binds.
func namesLabel(n *node) bool {
	return n.leaf != nil && n.leaf.label != nil || slices.ContainsFunc(n.kids, namesLabel)
}

// standardCall reports whether a part stems from a statement of the standard library.
func standardCall(in *inlining) bool {
	for ; in != nil; in = in.up {
		if in.family == standardName {
			return true
		}
	}
	return false
}
