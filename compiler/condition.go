package compiler

import (
	"fmt"
	"strconv"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A condition says which elements of an index set count: comparisons of raw columns, labels, numbers and texts.
type condition struct {
	op   string // and, or, not, or a comparison
	kids []*condition
	x, y operand
	from origin
}

type operandKind int

const (
	numberOperand operandKind = iota
	textOperand
	columnOperand
	labelOperand
	weightOperand
)

// An operand is one side of a comparison.
type operand struct {
	kind   operandKind
	number float64
	text   string    // a text, or the name of a column
	point  *variable // of a column; or the weight itself
	label  *labelRef
	from   origin
}

// given reports whether the data decide an operand that is no label.
func (o *operand) given() bool { return o.kind == columnOperand || o.kind == weightOperand }

// String returns the condition as the user would write it: of a definition that was inlined, with the arguments in place.
func (c *condition) String() string {
	switch {
	case c.from.inlined == nil:
		return text(c.from.syntax)
	case c.op == "not":
		return "not (" + c.kids[0].String() + ")"
	case len(c.kids) == 2:
		return "(" + c.kids[0].String() + ") " + c.op + " (" + c.kids[1].String() + ")"
	}
	return c.x.String() + " " + c.op + " " + c.y.String()
}

// String returns the operand as the user would write it.
func (o *operand) String() string {
	_, atPoint := o.from.syntax.(*dsl.Call)
	switch {
	case o.kind == numberOperand:
		return strconv.FormatFloat(o.number, 'g', -1, 64)
	case o.kind == textOperand:
		return strconv.Quote(o.text)
	case o.kind == columnOperand && atPoint:
		return o.text + "(" + o.point.name + ")"
	case o.kind == columnOperand:
		return o.text
	}
	return text(o.from.syntax)
}

// dependsOn reports whether the condition varies with one of the axes.
func (c *condition) dependsOn(axes []*axis) bool {
	if c == nil {
		return false
	}
	for _, k := range c.kids {
		if k.dependsOn(axes) {
			return true
		}
	}
	for _, o := range []*operand{&c.x, &c.y} {
		for _, a := range axes {
			if o.point != nil && o.point.axis == a || o.label != nil && o.label.bound != nil && o.label.bound.axis == a {
				return true
			}
		}
	}
	return false
}

// condition compiles what stands after where; nil where it is faulty.
func (p *pass) condition(e dsl.Expr, sc *scope) *condition {
	c := &condition{from: p.origin(e)}
	switch e := e.(type) {
	case *dsl.Paren:
		return p.condition(e.X, sc)
	case *dsl.Not:
		k := p.condition(e.X, sc)
		if k == nil {
			return nil
		}
		c.op, c.kids = "not", []*condition{k}
		return c
	case *dsl.Binary:
		c.op = e.Op
		switch e.Op {
		case "and", "or":
			x, y := p.condition(e.X, sc), p.condition(e.Y, sc)
			if x == nil || y == nil {
				return nil
			}
			c.kids = []*condition{x, y}
			return c
		case "==", "!=", "<", "<=", ">", ">=":
			return p.comparison(c, e, sc)
		}
	case *dsl.Ident:
		if b := sc.lookup(e.Name); b != nil && b.argument != nil {
			return p.condition(b.argument.expr, b.argument.scope)
		}
	}
	p.report(&diag.Diagnostic{Code: WrongCondition, Subject: e.Span(), Summary: text(e) + " is no condition", Mend: `Write a comparison: where region == "north".`})
	return nil
}

func (p *pass) comparison(c *condition, e *dsl.Binary, sc *scope) *condition {
	x, okX := p.side(e.X, isLabelVariable(e.Y, sc), sc)
	y, okY := p.side(e.Y, isLabelVariable(e.X, sc), sc)
	if !okX || !okY {
		return nil
	}
	p.labelSide(&x, y)
	p.labelSide(&y, x)
	c.x, c.y = x, y
	if err := incomparable(e.Op, x, y); err != "" {
		p.report(&diag.Diagnostic{Code: WrongCondition, Subject: e.Span(), Summary: err})
		return nil
	}
	return c
}

// isLabelVariable reports whether a side of a comparison is a variable that stands for labels.
func isLabelVariable(e dsl.Expr, sc *scope) bool {
	switch e := e.(type) {
	case *dsl.Paren:
		return isLabelVariable(e.X, sc)
	case *dsl.Ident:
		switch b := sc.lookup(e.Name); {
		case b == nil:
		case b.argument != nil:
			return isLabelVariable(b.argument.expr, b.argument.scope)
		default:
			return b.variable.kind == labelVar
		}
	}
	return false
}

// side compiles one side of a comparison. A bare name beside a variable for labels is a label, whatever points are bound.
func (p *pass) side(e dsl.Expr, besideLabel bool, sc *scope) (operand, bool) {
	if paren, ok := e.(*dsl.Paren); ok {
		return p.side(paren.X, besideLabel, sc)
	}
	id, isName := e.(*dsl.Ident)
	if !besideLabel || !isName || sc.lookup(id.Name) != nil || p.decls.lets[id.Name] != nil {
		return p.operand(e, sc)
	}
	name := &value{text: rawName(id), place: id.Span()}
	return operand{kind: labelOperand, label: &labelRef{name: name}, from: p.origin(id)}, true
}

// labelSide reads a bare name beside a label as a label.
func (p *pass) labelSide(o *operand, other operand) {
	id, isName := o.from.syntax.(*dsl.Ident)
	if other.kind != labelOperand || o.kind == labelOperand || (o.kind != textOperand && !isName) {
		return
	}
	v := &value{text: o.text, place: o.from.span}
	if isName {
		v.text = rawName(id)
	}
	*o = operand{kind: labelOperand, label: &labelRef{name: v}, from: o.from}
}

// incomparable says why two operands cannot be compared; empty where they can.
func incomparable(op string, x, y operand) string {
	ordered := op != "==" && op != "!="
	switch {
	case x.kind == labelOperand && y.kind == labelOperand:
		if ordered {
			return "labels have no order"
		}
	case x.kind == labelOperand || y.kind == labelOperand:
		return "a label is compared with what is none"
	case !x.given() && !y.given():
		return "neither side is a column"
	case ordered && (x.kind == textOperand || y.kind == textOperand):
		return "texts have no order"
	}
	return ""
}

// operand compiles one side of a comparison.
func (p *pass) operand(e dsl.Expr, sc *scope) (operand, bool) {
	o := operand{from: p.origin(e)}
	switch e := e.(type) {
	case *dsl.Paren:
		return p.operand(e.X, sc)
	case *dsl.String:
		o.kind, o.text = textOperand, e.Value
		return o, true
	case *dsl.Ident:
		return p.namedOperand(o, e, sc)
	case *dsl.Call:
		if e.Fun.Name != gridWord {
			return p.columnAt(o, e, sc)
		}
	}
	q, ok := p.quantity(e, sc)
	if ok && q.unit != plain {
		p.report(&diag.Diagnostic{Code: WrongUnit, Subject: e.Span(), Summary: "a plain number is wanted here"})
		return o, false
	}
	o.number = q.value
	return o, ok
}

func (p *pass) namedOperand(o operand, id *dsl.Ident, sc *scope) (operand, bool) {
	if b := sc.lookup(id.Name); b != nil {
		switch {
		case b.argument != nil:
			if name, ok := p.columnName(b.argument); ok && b.argument.scope.innermost() == nil {
				return p.column(o, name, nil, sc)
			}
			return p.operand(b.argument.expr, b.argument.scope)
		case b.variable.kind == labelVar:
			o.kind, o.label = labelOperand, &labelRef{bound: b.variable}
			return o, true
		case b.variable.kind == pointVar:
			p.report(&diag.Diagnostic{Code: WrongCondition, Subject: id.Span(), Summary: shown(id) + " is a point", Mend: fmt.Sprintf("Compare one of its columns: COLUMN(%s).", shown(id))})
			return o, false
		case b.variable.kind == weightVar:
			o.kind, o.point = weightOperand, b.variable
			return o, true
		}
		p.report(&diag.Diagnostic{Code: WrongCondition, Subject: id.Span(), Summary: fmt.Sprintf("%s is %s", greek(shown(id)), b.variable.kind), Detail: "Conditions compare columns and labels."})
		return o, false
	}
	if let := p.decls.lets[id.Name]; let != nil {
		if s, ok := let.Value.(*dsl.String); ok {
			p.used[id.Name] = true
			o.kind, o.text = textOperand, s.Value
			return o, true
		}
		q, ok := p.namedQuantity(id, sc)
		o.number = q.value
		return o, ok
	}
	return p.column(o, rawName(id), nil, sc)
}

// columnName returns the name of a column that an argument of a definition is: where no point is bound at the call, it is of the point
// that the definition binds.
func (p *pass) columnName(a *argument) (string, bool) {
	id, ok := a.expr.(*dsl.Ident)
	if !ok {
		return "", false
	}
	if b := a.scope.lookup(id.Name); b != nil {
		if b.argument == nil {
			return "", false
		}
		return p.columnName(b.argument)
	}
	return rawName(id), p.decls.lets[id.Name] == nil
}

// columnAt compiles COLUMN(a): the column at a point that is not the innermost.
func (p *pass) columnAt(o operand, call *dsl.Call, sc *scope) (operand, bool) {
	if len(call.Args) == 1 && call.Args[0].Name == nil {
		point := boundPoint(call.Args[0].Value, sc)
		if name, ok := p.columnOf(call.Fun, sc); ok && point != nil {
			return p.column(o, name, point, sc)
		}
	}
	p.report(&diag.Diagnostic{Code: WrongCondition, Subject: call.Span(), Summary: text(call) + " is no column of a point", Mend: "Write COLUMN(a) for a point a that is bound here."})
	return o, false
}

// column is a raw column at a point, the innermost where none is given. Only points that are rows have columns.
func (p *pass) column(o operand, name string, at *variable, sc *scope) (operand, bool) {
	if at = p.pointOfColumn(o.from.span, name, at, sc, WrongCondition); at == nil {
		return o, false
	}
	o.kind, o.text, o.point = columnOperand, name, at
	return o, true
}
