package compiler

import (
	"fmt"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// condition compiles what stands after where; nil where it is faulty.
func (p *pass) condition(e dsl.Expr, sc *scope) *tree.Condition {
	c := &tree.Condition{From: p.origin(e)}
	switch e := e.(type) {
	case *dsl.Paren:
		return p.condition(e.X, sc)
	case *dsl.Not:
		k := p.condition(e.X, sc)
		if k == nil {
			return nil
		}
		c.Op, c.Kids = "not", []*tree.Condition{k}
		return c
	case *dsl.Binary:
		c.Op = e.Op
		switch e.Op {
		case "and", "or":
			x, y := p.condition(e.X, sc), p.condition(e.Y, sc)
			if x == nil || y == nil {
				return nil
			}
			c.Kids = []*tree.Condition{x, y}
			return c
		case "==", "!=", "<", "<=", ">", ">=":
			return p.comparison(c, e, sc)
		}
	case *dsl.Ident:
		if b := sc.lookup(e.Name); b != nil && b.argument != nil {
			return p.condition(b.argument.expr, b.argument.scope)
		}
	}
	p.report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: e.Span(), Summary: tree.Text(e) + " is no condition", Mend: `Write a comparison: where region == "north".`})
	return nil
}

func (p *pass) comparison(c *tree.Condition, e *dsl.Binary, sc *scope) *tree.Condition {
	x, okX := p.side(e.X, isLabelVariable(e.Y, sc), sc)
	y, okY := p.side(e.Y, isLabelVariable(e.X, sc), sc)
	if !okX || !okY {
		return nil
	}
	p.labelSide(&x, y)
	p.labelSide(&y, x)
	c.X, c.Y = x, y
	if err := incomparable(e.Op, x, y); err != "" {
		p.report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: e.Span(), Summary: err})
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
			return b.variable.Kind == tree.LabelVar
		}
	}
	return false
}

// side compiles one side of a comparison. A bare name beside a variable for labels is a label, whatever points are bound.
func (p *pass) side(e dsl.Expr, besideLabel bool, sc *scope) (tree.Operand, bool) {
	if paren, ok := e.(*dsl.Paren); ok {
		return p.side(paren.X, besideLabel, sc)
	}
	id, isName := e.(*dsl.Ident)
	if !besideLabel || !isName || sc.lookup(id.Name) != nil || p.decls.lets[id.Name] != nil {
		return p.operand(e, sc)
	}
	name := &tree.Value{Text: rawName(id), Place: id.Span()}
	return tree.Operand{Kind: tree.LabelOperand, Label: &tree.LabelRef{Name: name}, From: p.origin(id)}, true
}

// labelSide reads a bare name beside a label as a label.
func (p *pass) labelSide(o *tree.Operand, other tree.Operand) {
	id, isName := o.From.Syntax.(*dsl.Ident)
	if other.Kind != tree.LabelOperand || o.Kind == tree.LabelOperand || (o.Kind != tree.TextOperand && !isName) {
		return
	}
	v := &tree.Value{Text: o.Text, Place: o.From.Span}
	if isName {
		v.Text = rawName(id)
	}
	*o = tree.Operand{Kind: tree.LabelOperand, Label: &tree.LabelRef{Name: v}, From: o.From}
}

// incomparable says why two operands cannot be compared; empty where they can.
func incomparable(op string, x, y tree.Operand) string {
	ordered := op != "==" && op != "!="
	switch {
	case x.Kind == tree.LabelOperand && y.Kind == tree.LabelOperand:
		if ordered {
			return "labels have no order"
		}
	case x.Kind == tree.LabelOperand || y.Kind == tree.LabelOperand:
		return "a label is compared with what is none"
	case !x.Given() && !y.Given():
		return "neither side is a column"
	case ordered && (x.Kind == tree.TextOperand || y.Kind == tree.TextOperand):
		return "texts have no order"
	}
	return ""
}

// operand compiles one side of a comparison.
func (p *pass) operand(e dsl.Expr, sc *scope) (tree.Operand, bool) {
	o := tree.Operand{From: p.origin(e)}
	switch e := e.(type) {
	case *dsl.Paren:
		return p.operand(e.X, sc)
	case *dsl.String:
		o.Kind, o.Text = tree.TextOperand, e.Value
		return o, true
	case *dsl.Ident:
		return p.namedOperand(o, e, sc)
	case *dsl.Call:
		if e.Fun.Name != tree.GridWord {
			return p.columnAt(o, e, sc)
		}
	}
	q, ok := p.quantity(e, sc)
	if ok && q.Unit != tree.NoUnit {
		p.report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: e.Span(), Summary: "a plain number is wanted here"})
		return o, false
	}
	o.Number = q.Value
	return o, ok
}

func (p *pass) namedOperand(o tree.Operand, id *dsl.Ident, sc *scope) (tree.Operand, bool) {
	if b := sc.lookup(id.Name); b != nil {
		switch {
		case b.argument != nil:
			if name, ok := p.columnName(b.argument); ok && b.argument.scope.innermost() == nil {
				return p.column(o, name, nil, sc)
			}
			return p.operand(b.argument.expr, b.argument.scope)
		case b.variable.Kind == tree.LabelVar:
			o.Kind, o.Label = tree.LabelOperand, &tree.LabelRef{Bound: b.variable}
			return o, true
		case b.variable.Kind == tree.PointVar:
			p.report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: id.Span(), Summary: shown(id) + " is a point", Mend: fmt.Sprintf("Compare one of its columns: COLUMN(%s).", shown(id))})
			return o, false
		case b.variable.Kind == tree.WeightVar:
			o.Kind, o.Point = tree.WeightOperand, b.variable
			return o, true
		}
		p.report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: id.Span(), Summary: fmt.Sprintf("%s is %s", tree.Greek(shown(id)), b.variable.Kind), Detail: "Conditions compare columns and labels."})
		return o, false
	}
	if let := p.decls.lets[id.Name]; let != nil {
		if s, ok := let.Value.(*dsl.String); ok {
			p.used[id.Name] = true
			o.Kind, o.Text = tree.TextOperand, s.Value
			return o, true
		}
		q, ok := p.namedQuantity(id, sc)
		o.Number = q.Value
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
func (p *pass) columnAt(o tree.Operand, call *dsl.Call, sc *scope) (tree.Operand, bool) {
	if len(call.Args) == 1 && call.Args[0].Name == nil {
		point := boundPoint(call.Args[0].Value, sc)
		if name, ok := p.columnOf(call.Fun, sc); ok && point != nil {
			return p.column(o, name, point, sc)
		}
	}
	p.report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: call.Span(), Summary: tree.Text(call) + " is no column of a point", Mend: "Write COLUMN(a) for a point a that is bound here."})
	return o, false
}

// column is a raw column at a point, the innermost where none is given. Only points that are rows have columns.
func (p *pass) column(o tree.Operand, name string, at *tree.Variable, sc *scope) (tree.Operand, bool) {
	if at = p.pointOfColumn(o.From.Span, name, at, sc, codes.WrongCondition); at == nil {
		return o, false
	}
	o.Kind, o.Text, o.Point = tree.ColumnOperand, name, at
	return o, true
}
