package compiler

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
)

// holds evaluates a condition. A gap in it is no number.
func (in *interpreter) holds(e dsl.Expr, at *around) bool {
	gap := in.gap
	defer func() { in.gap = gap }()
	in.gap = math.NaN()
	switch e := e.(type) {
	case *dsl.Paren:
		return in.holds(e.X, at)
	case *dsl.Not:
		return !in.holds(e.X, at)
	case *dsl.Ident: // a let, about the innermost point alone
		return in.holds(in.lets[e.Name], &around{points: []*bound{at.innermost()}})
	case *dsl.Call:
		def := in.defs[e.Fun.Name]
		return in.holds(def.Body, given(def, e, at))
	case *dsl.Binary:
		switch e.Op {
		case "and":
			return in.holds(e.X, at) && in.holds(e.Y, at)
		case "or":
			return in.holds(e.X, at) || in.holds(e.Y, at)
		case "in":
			return in.among(e, at)
		}
		return in.compares(e.Op, e.X, e.Y, at)
	}
	panic(dsl.ExprString(e))
}

// among reports whether a value is one of those listed, or between two bounds.
func (in *interpreter) among(e *dsl.Binary, at *around) bool {
	switch set := in.resolved(e.Y, at).(type) {
	case *dsl.Set:
		return slices.ContainsFunc(set.Elems, func(value dsl.Expr) bool { return in.compares("==", e.X, value, at) })
	case *dsl.Interval:
		return in.compares(">=", e.X, set.Lo, at) && in.compares("<=", e.X, set.Hi, at)
	}
	panic(dsl.ExprString(e))
}

// compares reports whether a comparison of points, numbers, texts or labels holds. What is not a number differs from everything.
func (in *interpreter) compares(op string, x, y dsl.Expr, at *around) bool {
	a, b := in.operand(x, at), in.operand(y, at)
	if a.kind == quotedText && !a.given && !b.given {
		a = in.cellAt(a.word, at.innermost())
	}
	if a.kind == aNumber && b.kind == aNumber && (math.IsNaN(a.number-b.number) || math.IsInf(a.number, 0) || math.IsInf(b.number, 0)) {
		return op == "!="
	}
	order := cmp.Compare(a.number, b.number)
	if a.kind != aNumber || b.kind != aNumber {
		order = cmp.Compare(a.word, b.word)
	}
	switch op {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// An operand is a side of a comparison. It is given where a column or a variable decides it.
type operand struct {
	kind   byte
	number float64
	word   string
	given  bool
}

const (
	aNumber    = 'n'
	aWord      = 'w' // a text of a column, a label, or a row
	quotedText = 'q'
)

// operand is a side of a comparison.
func (in *interpreter) operand(e dsl.Expr, at *around) operand {
	switch e := e.(type) {
	case *dsl.Paren:
		return in.operand(e.X, at)
	case *dsl.String:
		return operand{kind: quotedText, word: e.Value}
	case *dsl.Call:
		if in.isColumnAt(e, at) {
			return in.columnAt(e, at)
		}
	case *dsl.Ident:
		switch b := at.find(e.Name); {
		case b == nil && in.lets[e.Name] != nil:
			return in.operand(in.lets[e.Name], nil)
		case b == nil && slices.Contains(in.data.LabelNames, e.Name):
			return operand{kind: aWord, word: e.Name}
		case b == nil:
			return in.cellAt(e.Name, at.innermost())
		case b.kind == 'l':
			return operand{kind: aWord, word: b.label, given: true}
		case b.kind == 'p':
			return operand{kind: aWord, word: strconv.Itoa(b.row), given: true}
		case b.kind == 'w':
			return operand{kind: aNumber, number: b.at, given: true}
		case in.pointless(b):
			return in.operand(b.expr, at)
		default:
			return in.operand(b.expr, b.in)
		}
	}
	return operand{kind: aNumber, number: in.eval(e, at), given: in.ofData(e, at)}
}

// ofData reports whether a number is made of a column or of what is bound, and not of numbers alone.
func (in *interpreter) ofData(e dsl.Expr, at *around) bool {
	return dsl.Holds(e, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.String:
			return true
		case *dsl.Ident:
			return at.find(n.Name) != nil || in.column[n.Name] != nil
		}
		return false
	})
}

// pointless reports whether a definition's argument is the name of a column that was given where no point is bound: it is meant at the
// point that the definition binds.
func (in *interpreter) pointless(b *bound) bool {
	if b.kind != 'a' {
		return false
	}
	for s := b.in; s != nil; s = s.up {
		if s.points != nil {
			return false
		}
	}
	switch e := b.expr.(type) {
	case *dsl.String:
		return true
	case *dsl.Ident:
		return e.Name != "f" && b.in.find(e.Name) == nil && in.lets[e.Name] == nil
	}
	return false
}

// cellHere is the number that a column has at the innermost point.
func (in *interpreter) cellHere(e dsl.Expr, at *around) float64 {
	name, point := columnName(e), at.innermost()
	if in.table != nil {
		return in.table.given(name, point)
	}
	return in.number(in.cellAt(name, point))
}

// isColumnAt reports whether a call is a column at a point.
func (in *interpreter) isColumnAt(e *dsl.Call, at *around) bool {
	if len(e.Args) != 1 || in.defs[e.Fun.Name] != nil && at.find(e.Fun.Name) == nil {
		return false
	}
	id, ok := e.Args[0].Value.(*dsl.Ident)
	if !ok {
		return false
	}
	b := at.find(id.Name)
	for b != nil && b.kind == 'a' {
		id, ok = b.expr.(*dsl.Ident)
		if !ok {
			return false
		}
		b = b.in.find(id.Name)
	}
	return b != nil && b.kind == 'p'
}

// columnAt is COLUMN(a), where COLUMN may be a definition's argument.
func (in *interpreter) columnAt(e *dsl.Call, at *around) operand {
	point := e.Args[0].Value.(*dsl.Ident).Name
	b := at.find(point)
	for b.kind == 'a' {
		b = b.in.find(b.expr.(*dsl.Ident).Name)
	}
	name := e.Fun.Name
	if !strings.HasPrefix(e.Fun.Raw, `"`) {
		for is := at.find(name); is != nil && is.kind == 'a'; is = is.in.find(name) {
			name = columnName(is.expr)
		}
	}
	if in.table != nil {
		return operand{kind: aNumber, number: in.table.given(name, b), given: true}
	}
	return in.cellAt(name, b)
}

// number is a cell that must be one.
func (in *interpreter) number(o operand) float64 {
	if o.kind != aNumber {
		panic(o.word)
	}
	if math.IsNaN(o.number) {
		return in.gap
	}
	return o.number
}

// cellAt is a value of the data file: texts that are all numbers count as numbers, and a gap among them is none.
func (in *interpreter) cellAt(name string, at *bound) operand {
	c := in.column[name]
	if c.numbers != nil {
		return operand{kind: aNumber, number: c.numbers[at.row], given: true}
	}
	return operand{kind: aWord, word: c.texts[at.row], given: true}
}
