package tree

import (
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/dsl"
)

// A Condition says which elements of an index set count: comparisons of raw columns, labels,
// numbers and texts. It holds no f, so that it bends no convexity.
type Condition struct {
	Op   string // and, or, not, or a comparison
	Kids []*Condition
	X, Y Operand
	From Origin
}

// An operandKind says what stands on one side of a comparison.
type operandKind int

// The kinds of operands.
const (
	NumberOperand operandKind = iota
	TextOperand
	ColumnOperand
	LabelOperand
	WeightOperand
)

// An Operand is one side of a comparison.
type Operand struct {
	Kind   operandKind
	Number float64
	Text   string    // a text, or the name of a column
	Point  *Variable // of a column; or the weight itself
	Label  *LabelRef
	From   Origin
}

// Given reports whether the data decide an operand that is no label.
func (o *Operand) Given() bool { return o.Kind == ColumnOperand || o.Kind == WeightOperand }

// String returns the condition as the user would write it. In a definition that was inlined, the
// arguments stand in place of the parameters.
func (c *Condition) String() string {
	switch {
	case c.From.Inlined == nil:
		return Text(c.From.Syntax)
	case c.Op == "not":
		return "not (" + c.Kids[0].String() + ")"
	case len(c.Kids) == 2:
		return "(" + c.Kids[0].String() + ") " + c.Op + " (" + c.Kids[1].String() + ")"
	}
	return c.X.String() + " " + c.Op + " " + c.Y.String()
}

// String returns the operand as the user would write it.
func (o *Operand) String() string {
	_, atPoint := o.From.Syntax.(*dsl.Call)
	_, quoted := o.From.Syntax.(*dsl.String)
	switch {
	case o.Kind == NumberOperand:
		return strconv.FormatFloat(o.Number, 'g', -1, 64)
	case o.Kind == TextOperand || quoted:
		return strconv.Quote(o.Text)
	case o.Kind == ColumnOperand && atPoint:
		return o.Text + "(" + o.Point.Name + ")"
	case o.Kind == ColumnOperand:
		return o.Text
	}
	return Text(o.From.Syntax)
}

// dependsOn reports whether the condition varies with one of the axes. Nil means no condition,
// which varies with none.
func (c *Condition) dependsOn(axes []*Axis) bool {
	return slices.ContainsFunc(c.Others(nil), func(a *Axis) bool { return slices.Contains(axes, a) })
}

// Columns reports whether a condition looks at a column, and so chooses among rows.
func (c *Condition) Columns() bool {
	return len(c.Compared()) > 0
}

// Others returns the axes that the condition varies with and that a quantifier does not own. What
// is bound around it decides those.
func (c *Condition) Others(own []*Axis) []*Axis {
	var others []*Axis
	add := func(v *Variable) {
		if v != nil && !slices.Contains(own, v.Axis) && !slices.Contains(others, v.Axis) {
			others = append(others, v.Axis)
		}
	}
	for o := range c.Operands() {
		add(o.Point)
		if o.Label != nil {
			add(o.Label.Bound)
		}
	}
	return others
}

// Compared returns the names of the columns that a condition compares, each once. Messages about a
// condition list the values of these.
func (c *Condition) Compared() []string {
	var names []string
	for o := range c.Operands() {
		if o.Kind == ColumnOperand && !slices.Contains(names, o.Text) {
			names = append(names, o.Text)
		}
	}
	return names
}
