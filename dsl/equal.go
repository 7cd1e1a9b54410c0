package dsl

import "slices"

// Equal reports whether two syntax trees say the same: it looks past places, past the spelling of names, numbers and
// operators, and past brackets around expressions.
func Equal(a, b Node) bool {
	switch a := a.(type) {
	case Decl:
		b, ok := b.(Decl)
		return ok && equalDecl(a, b)
	case DataItem:
		b, ok := b.(DataItem)
		return ok && equalItem(a, b)
	case Expr:
		b, ok := b.(Expr)
		return ok && equalExpr(a, b)
	case *Arg:
		b, ok := b.(*Arg)
		return ok && equalArg(a, b)
	case *Agg:
		b, ok := b.(*Agg)
		return ok && equalAgg(a, b)
	case *Binder:
		b, ok := b.(*Binder)
		return ok && equalBinder(a, b)
	}
	return a == nil && b == nil
}

// EqualFiles reports whether two files declare the same in the same order.
func EqualFiles(a, b *File) bool { return slices.EqualFunc(a.Decls, b.Decls, equalDecl) }

func equalDecl(a, b Decl) bool {
	switch a := a.(type) {
	case *Use:
		b, ok := b.(*Use)
		return ok && equalIdent(a.Name, b.Name) && (a.From == nil) == (b.From == nil) && (a.From == nil || a.From.Value == b.From.Value)
	case *Data:
		b, ok := b.(*Data)
		return ok && slices.EqualFunc(a.Items, b.Items, equalItem)
	case *Let:
		b, ok := b.(*Let)
		return ok && equalIdent(a.Name, b.Name) && equalExpr(a.Value, b.Value)
	case *Setting:
		b, ok := b.(*Setting)
		return ok && equalIdent(a.Keyword, b.Keyword) && equalExpr(a.Value, b.Value)
	case *Def:
		b, ok := b.(*Def)
		return ok && equalIdent(a.Name, b.Name) && slices.EqualFunc(a.Params, b.Params, equalIdent) && equalExpr(a.Body, b.Body)
	case *Invariance:
		b, ok := b.(*Invariance)
		return ok && equalIdent(a.Name, b.Name) && equalExpr(a.Body, b.Body)
	case *Evaluate:
		b, ok := b.(*Evaluate)
		return ok && equalExpr(a.Under, b.Under)
	}
	return false
}

func equalItem(a, b DataItem) bool {
	switch a := a.(type) {
	case *Target:
		b, ok := b.(*Target)
		return ok && slices.EqualFunc(a.Names, b.Names, equalIdent) && equalCall(a.Source, b.Source) && equalExpr(a.Type, b.Type)
	case *Columns:
		b, ok := b.(*Columns)
		return ok && slices.EqualFunc(a.Values, b.Values, equalExpr)
	case *Option:
		b, ok := b.(*Option)
		return ok && equalIdent(a.Keyword, b.Keyword) && slices.EqualFunc(a.Args, b.Args, equalArg)
	}
	return false
}

func equalIdent(a, b *Ident) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name == b.Name
}

func equalCall(a, b *Call) bool {
	if a == nil || b == nil {
		return a == b
	}
	return equalIdent(a.Fun, b.Fun) && slices.EqualFunc(a.Args, b.Args, equalArg)
}

func equalArg(a, b *Arg) bool { return equalIdent(a.Name, b.Name) && equalExpr(a.Value, b.Value) }

func equalAgg(a, b *Agg) bool { return a.Name == b.Name && equalExpr(a.Arg, b.Arg) }

func equalBinder(a, b *Binder) bool {
	return slices.EqualFunc(a.Vars, b.Vars, equalIdent) && a.Tuple == b.Tuple && equalExpr(a.In, b.In)
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

func equalExpr(a, b Expr) bool {
	a, b = Unparen(a), Unparen(b)
	switch a := a.(type) {
	case nil:
		return b == nil
	case *Ident:
		b, ok := b.(*Ident)
		return ok && equalIdent(a, b)
	case *Number:
		b, ok := b.(*Number)
		return ok && a.Value == b.Value && a.Unit == b.Unit
	case *String:
		b, ok := b.(*String)
		return ok && a.Value == b.Value
	case *Neg:
		b, ok := b.(*Neg)
		return ok && equalExpr(a.X, b.X)
	case *Not:
		b, ok := b.(*Not)
		return ok && equalExpr(a.X, b.X)
	case *Abs:
		b, ok := b.(*Abs)
		return ok && equalExpr(a.X, b.X)
	case *Binary:
		b, ok := b.(*Binary)
		return ok && a.Op == b.Op && equalExpr(a.X, b.X) && equalExpr(a.Y, b.Y)
	}
	return equalCompound(a, b)
}

func equalCompound(a, b Expr) bool {
	switch a := a.(type) {
	case *Call:
		b, ok := b.(*Call)
		return ok && equalCall(a, b)
	case *Set:
		b, ok := b.(*Set)
		return ok && slices.EqualFunc(a.Elems, b.Elems, equalExpr)
	case *Interval:
		b, ok := b.(*Interval)
		return ok && equalExpr(a.Lo, b.Lo) && equalExpr(a.Hi, b.Hi)
	case *Deriv:
		b, ok := b.(*Deriv)
		return ok && equalIdent(a.With, b.With) && a.Bracketed == b.Bracketed && equalExpr(a.Of, b.Of)
	case *Aggregate:
		b, ok := b.(*Aggregate)
		return ok && equalAgg(a.Op, b.Op) && equalExpr(a.Set, b.Set)
	case *Quant:
		b, ok := b.(*Quant)
		return ok && equalAgg(a.Op, b.Op) && equalBinder(a.Bind, b.Bind) && slices.EqualFunc(a.More, b.More, equalBinder) &&
			equalExpr(a.Where, b.Where) && equalExpr(a.Body, b.Body)
	}
	return false
}
