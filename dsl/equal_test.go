package dsl

import (
	"reflect"
	"slices"
)

// Equal reports whether two syntax trees say the same: it looks past places, past the spelling of names, numbers and
// operators, past brackets around expressions, and past z in x for z in rows.
func Equal(a, b Node) bool {
	a, b = bare(a), bare(b)
	if a == nil || b == nil {
		return a == b
	}
	return labelOf(a) == labelOf(b) && slices.EqualFunc(Children(a), Children(b), Equal)
}

// EqualFiles reports whether two files declare the same in the same order.
func EqualFiles(a, b *File) bool {
	return slices.EqualFunc(a.Decls, b.Decls, func(x, y Decl) bool { return Equal(x, y) })
}

// Unparen is the expression inside any brackets around it.
func Unparen(e Expr) Expr {
	for {
		p, ok := e.(*Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}

func bare(n Node) Node {
	if b, ok := n.(*Binder); ok && rowsAsX(b) { // z in x is z in rows
		named := *b
		named.In = &Ident{Name: "rows"}
		return &named
	}
	if e, ok := n.(Expr); ok {
		return Unparen(e)
	}
	return n
}

// A label is what a node says by itself: its kind, its word or value, and which of its parts its children are.
type label struct {
	kind  reflect.Type
	word  string
	value float64
	flag  bool
	parts int
}

func labelOf(n Node) label {
	l := label{kind: reflect.TypeOf(n)}
	switch n := n.(type) {
	case *Relation:
		for _, op := range n.Ops {
			l.word += op.Op + " "
		}
		l.flag, l.parts = n.Where != nil, len(n.Over)
	case *Setting:
		l.word = n.Keyword.Name
	case *Option:
		l.word = n.Keyword.Name
	case *Def:
		l.parts = len(n.Params)
	case *Target:
		l.parts = len(n.Names)
	case *Arg:
		l.flag = n.Name != nil
	case *Ident:
		l.word = n.Name
	case *Number:
		l.value, l.word = n.Value, n.Unit
	case *String:
		l.word = n.Value
	case *Binary:
		l.word = n.Op
	case *Deriv:
		l.flag = n.Bracketed
		if n.RawUnit {
			l.word = rawWord
		}
	case *Agg:
		l.word = n.Name
	case *TypedColumn:
		l.flag, l.parts = n.Values != nil, len(Children(n))
	case *Binder:
		l.flag, l.parts = n.Tuple, len(n.Vars)
	case *Quant:
		l.flag, l.parts = n.Where != nil, len(n.More)
	}
	return l
}
