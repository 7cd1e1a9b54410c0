package dsl

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// levelUnary is the level of what needs no brackets as an operand.
const levelUnary = levelProduct + 1

// ExprString returns an expression on one line. It parses to the same tree.
func ExprString(e Expr) string {
	if e == nil {
		return ""
	}
	return exprText(e)
}

// level returns how tightly an expression binds.
func level(e Expr) int {
	switch e := e.(type) {
	case *Binary:
		return levels[e.Op]
	case *Not:
		return levelNot
	}
	return levelUnary
}

// openRight reports whether an expression ends in the body of a quantifier, which would swallow a product that follows.
func openRight(e Expr) bool {
	for ; e != nil; e = lastPart(e) {
		if _, ok := e.(*Quant); ok {
			return true
		}
	}
	return false
}

// endsInD reports whether an expression ends in the bare name d, so that a division by a name that begins with d would read
// as a derivative.
func endsInD(e Expr) bool {
	for ; e != nil; e = lastPart(e) {
		if id, ok := e.(*Ident); ok {
			return identText(id) == "d"
		}
	}
	return false
}

// lastPart returns the part that an expression ends in, without brackets around it. Nil means that it has none.
func lastPart(e Expr) Expr {
	switch e := e.(type) {
	case *Neg:
		return e.X
	case *Not:
		return e.X
	case *Deriv:
		return e.Of
	case *Binary:
		return e.Y
	case *Quant:
		return e.Body
	}
	return nil
}

// operandAt returns an expression as an operand of the level, in brackets if it binds less tightly.
func operandAt(e Expr, at int) string {
	if level(e) < at {
		return "(" + exprText(e) + ")"
	}
	return exprText(e)
}

// exprText returns an expression without brackets around it.
func exprText(e Expr) string {
	switch e := e.(type) {
	case *Ident:
		return identText(e)
	case *Number:
		return numberText(e)
	case *String:
		return strconv.Quote(e.Value)
	case *Paren:
		return "(" + exprText(e.X) + ")"
	case *Neg:
		return "-" + operandAt(e.X, levelUnary)
	case *Not:
		return "not " + operandAt(e.X, levelCompare)
	case *Abs:
		return "|" + exprText(e.X) + "|"
	case *Binary:
		return chain(e)
	case *Call, *Apply:
		return callText(e)
	case *Set, *Orbit, *Tuple, *Interval:
		return listText(e)
	case *Deriv:
		return derivText(e) + " " + operandAt(e.Of, levelUnary)
	case *Aggregate:
		return aggText(e.Op) + " " + exprText(e.Set)
	case *Quant:
		return aggText(e.Op) + " over " + headText(e) + " of " + operandAt(e.Body, levelProduct)
	}
	return ""
}

// headText returns what a quantifier binds, with its condition.
func headText(q *Quant) string {
	text := commas(append([]*Binder{q.Bind}, q.More...), binderText)
	if q.Where != nil {
		text += " where " + exprText(q.Where)
	}
	return text
}

// listText returns a set, an orbit, a tuple or an interval.
func listText(e Expr) string {
	switch e := e.(type) {
	case *Set:
		return "{" + commas(e.Elems, exprText) + "}"
	case *Orbit:
		word := wordOrbit
		if len(e.Args) > 0 {
			word += "(" + commas(e.Args, argText) + ")"
		}
		return word + " " + exprText(e.Set)
	case *Tuple:
		return "(" + commas(e.Elems, exprText) + ")"
	case *Interval:
		return "[" + exprText(e.Lo) + ", " + exprText(e.Hi) + "]"
	}
	return ""
}

// callText returns a call, and the point that it moves.
func callText(e Expr) string {
	if of, ok := e.(*Apply); ok {
		return callText(of.Map) + "(" + exprText(of.To) + ")"
	}
	call := e.(*Call) //nolint:forcetypeassert // all others are no calls
	return calledText(call.Fun) + "(" + commas(call.Args, argText) + ")"
}

// chain returns operands joined by operators of one level. A comparison has one operator.
func chain(e *Binary) string {
	own := levels[e.Op]
	left := own
	if own == levelCompare {
		left++
	}
	var first Expr = e
	var parts []string // from the last to the first
	for b, ok := e, true; ok && levels[b.Op] == own; b, ok = first.(*Binary) {
		op := b.Op
		if b.Raw != "" && canonical(b.Raw) == b.Op {
			op = b.Raw
		}
		right := operandAt(b.Y, own+1)
		if _, paren := b.Y.(*Paren); !paren && (b != e && own == levelProduct && openRight(b.Y) || b.Op == "/" && endsInD(b.X)) {
			right = "(" + exprText(b.Y) + ")"
		}
		parts = append(parts, " "+op+" "+right)
		if first = b.X; own == levelCompare {
			break
		}
	}
	if own == levelProduct && openRight(first) {
		parts = append(parts, "("+exprText(first)+")")
	} else {
		parts = append(parts, operandAt(first, left))
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// commas returns the texts of elements, separated by commas.
func commas[T any](elements []T, text func(T) string) string {
	parts := make([]string, len(elements))
	for i, e := range elements {
		parts[i] = text(e)
	}
	return strings.Join(parts, ", ")
}

func argText(a *Arg) string {
	if a.Name == nil {
		return exprText(a.Value)
	}
	return calledText(a.Name) + " = " + exprText(a.Value)
}

// RelationString returns a relation on one line, with its region.
func RelationString(r *Relation) string {
	s := r.compared()
	if len(r.Over) > 0 {
		s += " over " + commas(r.Over, binderText)
	}
	if r.Where != nil {
		s += " where " + exprText(r.Where)
	}
	return s
}

// compared returns the comparisons of a relation.
func (r *Relation) compared() string {
	parts := []string{exprText(r.Sides[0])}
	for i, op := range r.Ops {
		parts = append(parts, op.Raw, exprText(r.Sides[i+1]))
	}
	return strings.Join(parts, " ")
}

func derivText(e *Deriv) string {
	switch {
	case !e.Bracketed:
		return "d/d" + identText(e.With)
	case e.RawUnit:
		return "d/d(" + nameText(e.With) + ", " + unitWord + " = " + rawWord + ")"
	}
	return "d/d(" + nameText(e.With) + ")"
}

func aggText(a *Agg) string {
	if a.Arg == nil {
		return a.Name
	}
	return a.Name + "(" + exprText(a.Arg) + ")"
}

func binderText(b *Binder) string {
	switch names := commas(b.Vars, identText); {
	case names == "":
		return exprText(b.In)
	case b.Tuple:
		return "(" + names + ") in " + exprText(b.In)
	default:
		return names + " in " + exprText(b.In)
	}
}

// identText returns a name as it was written, if that still spells the name.
func identText(id *Ident) string {
	if id.Raw != "" && Spell(id.Raw) == id.Name {
		return id.Raw
	}
	return id.Name
}

// calledText returns the name before a bracket: in quotes where it is that of a column in quotes.
func calledText(id *Ident) string {
	if strings.HasPrefix(id.Raw, `"`) {
		return strconv.Quote(id.Name)
	}
	return identText(id)
}

var identPattern = regexp.MustCompile(`^[\p{L}_][\p{L}\p{M}\p{N}_]*$`)

// nameText returns a name for places where names may stand in quotes.
func nameText(id *Ident) string {
	text := identText(id)
	if !identPattern.MatchString(text) || isReserved(text) || Spell(text) != id.Name || strings.HasPrefix(id.Raw, `"`) {
		return strconv.Quote(id.Name)
	}
	return text
}

// numberText returns a number as it was written, if that still spells the number.
func numberText(n *Number) string {
	if n.Raw != "" {
		if v, unit, f := readNumber(Token{Text: n.Raw}); f == nil && v == n.Value && unit == n.Unit {
			return n.Raw
		}
	}
	return strconv.FormatFloat(n.Value, 'g', -1, 64) + n.Unit
}

// expanded are bodies of the statements about one column, as the standard library has them.
var expanded = map[string]string{
	"increasing": "pos(-d/d(%[1]s) f)", "decreasing": "pos(d/d(%[1]s) f)", "smooth": "|d/d(%[1]s) f|",
	"convex": "pos(-d/d(%[1]s) d/d(%[1]s) f)", "concave": "pos(d/d(%[1]s) d/d(%[1]s) f)",
}

// Spelled returns a statement of the standard library as an aggregation over some rows, such as `x in sample(100)`. It is empty for other calls.
func Spelled(call *Call, aggregation, rows string) string {
	var args []any
	for _, a := range call.Args {
		args = append(args, ExprString(a.Value))
	}
	switch name := call.Fun.Name; {
	case expanded[name] != "" && len(args) == 1:
		return aggregation + " over " + rows + " of " + fmt.Sprintf(expanded[name], args...)
	case name == "parity" && len(args) == 1 && !strings.Contains(rows, " where "):
		return fmt.Sprintf("|mean over %[2]s where %[1]s == 1 of f - mean over %[2]s where %[1]s == 0 of f|", args[0], rows)
	case name == "parity_between" && len(args) == 3 && !strings.Contains(rows, " where "):
		return fmt.Sprintf("|mean over %[4]s where %[1]s == %[2]s of f - mean over %[4]s where %[1]s == %[3]s of f|", append(args, rows)...)
	}
	return ""
}
