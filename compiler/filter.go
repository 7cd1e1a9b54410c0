package compiler

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// others appends the axes, none of these, that the condition varies with.
func (c *condition) others(own, to []*axis) []*axis {
	add := func(v *variable) {
		if v != nil && !slices.Contains(own, v.axis) && !slices.Contains(to, v.axis) {
			to = append(to, v.axis)
		}
	}
	for _, o := range []*operand{&c.x, &c.y} {
		add(o.point)
		if o.label != nil {
			add(o.label.bound)
		}
	}
	for _, k := range c.kids {
		to = k.others(own, to)
	}
	return to
}

// A rawColumn is a column as the data file has it.
type rawColumn struct {
	numbers []float64
	texts   []string
}

// condition grounds a condition: it becomes a function of the bound elements.
func (g *grounder) condition(c *condition) (func(*emitter) bool, error) {
	var kids []func(*emitter) bool
	for _, k := range c.kids {
		f, err := g.condition(k)
		if err != nil {
			return nil, err
		}
		kids = append(kids, f)
	}
	switch c.op {
	case "and":
		return func(e *emitter) bool { return kids[0](e) && kids[1](e) }, nil
	case "or":
		return func(e *emitter) bool { return kids[0](e) || kids[1](e) }, nil
	case "not":
		return func(e *emitter) bool { return !kids[0](e) }, nil
	}
	if c.x.kind == labelOperand {
		return g.compareLabels(c)
	}
	return g.compareColumns(c)
}

func (g *grounder) compareLabels(c *condition) (func(*emitter) bool, error) {
	x, err := g.labelOperand(&c.x)
	if err != nil {
		return nil, err
	}
	y, err := g.labelOperand(&c.y)
	if err != nil {
		return nil, err
	}
	same := c.op == "=="
	return func(e *emitter) bool { return (x(e) == y(e)) == same }, nil
}

func (g *grounder) labelOperand(o *operand) (func(*emitter) int32, error) {
	if o.label.bound == nil {
		l, err := g.label(o.label.name, o.from)
		return func(*emitter) int32 { return l }, err
	}
	a := o.label.bound.axis
	labels := g.axes[a.id].labels[o.label.bound.slot]
	return func(e *emitter) int32 { return labels[e.elem[a.id]] }, nil
}

// compareColumns compares numbers with numbers or texts with texts. A column of texts that are all numbers counts as
// numbers beside one.
func (g *grounder) compareColumns(c *condition) (func(*emitter) bool, error) {
	x, err := g.columnOperand(&c.x, &c.y)
	if err != nil {
		return nil, err
	}
	y, err := g.columnOperand(&c.y, &c.x)
	if err != nil {
		return nil, err
	}
	if x.texts != nil && y.texts != nil {
		return g.compareTexts(c, x, y)
	}
	if !x.asNumbers() || !y.asNumbers() {
		return nil, g.fail(c.from, &diag.Diagnostic{
			Code: Incomparable, Summary: "texts are compared with numbers in " + c.String(),
			Detail: fmt.Sprintf("%s holds %s, and %s holds %s.", c.x.String(), x.holds(), c.y.String(), y.holds()), Mend: mendParity(c.from.inlined, &x.rawColumn),
		})
	}
	less, same, more := passes(c.op)
	return func(e *emitter) bool {
		a, b := x.numbers[x.row(e)], y.numbers[y.row(e)]
		switch {
		case math.IsNaN(a) || math.IsNaN(b):
			return c.op == "!="
		case a < b:
			return less
		case a > b:
			return more
		}
		return same
	}, nil
}

// passes says whether a comparison holds of a smaller, an equal and a larger left side.
func passes(op string) (less, same, more bool) {
	switch op {
	case "==":
		same = true
	case "!=":
		less, more = true, true
	case "<":
		less = true
	case "<=":
		less, same = true, true
	case ">":
		more = true
	case ">=":
		same, more = true, true
	}
	return less, same, more
}

func (g *grounder) compareTexts(c *condition, x, y *sideOf) (func(*emitter) bool, error) {
	if c.op != "==" && c.op != "!=" {
		return nil, g.fail(c.from, &diag.Diagnostic{Code: Incomparable, Summary: "texts have no order: " + c.String()})
	}
	same := c.op == "=="
	return func(e *emitter) bool { return (x.texts[x.row(e)] == y.texts[y.row(e)]) == same }, nil
}

// A sideOf is one side of a comparison: a column, or a constant as a column of one row.
type sideOf struct {
	rawColumn
	row func(*emitter) int
}

func (s *sideOf) holds() string {
	if s.texts != nil {
		return "texts"
	}
	return "numbers"
}

// asNumbers reads texts as numbers where all are.
func (s *sideOf) asNumbers() bool {
	if s.numbers != nil {
		return true
	}
	numbers := make([]float64, len(s.texts))
	for i, t := range s.texts {
		v, err := strconv.ParseFloat(t, 64)
		if t == "" {
			v, err = math.NaN(), nil
		}
		if err != nil {
			return false
		}
		numbers[i] = v
	}
	s.numbers = numbers
	return true
}

func (g *grounder) columnOperand(o, beside *operand) (*sideOf, error) {
	first := func(*emitter) int { return 0 }
	switch o.kind {
	case numberOperand:
		return &sideOf{rawColumn{numbers: []float64{o.number}}, first}, nil
	case textOperand:
		return &sideOf{rawColumn{texts: []string{o.text}}, first}, nil
	case weightOperand:
		id := o.point.axis.id
		return &sideOf{rawColumn{numbers: g.axes[id].weights}, func(e *emitter) int { return e.elem[id] }}, nil
	}
	col := g.columns[o.text]
	if col == nil {
		col = &rawColumn{}
		ok := false
		if g.data.Column != nil {
			col.numbers, col.texts, ok = g.data.Column(o.text)
		}
		if !ok {
			d := atOrigin(o.from, &diag.Diagnostic{Code: ColumnNotInData, Summary: "the data have no column " + o.text, Detail: g.unknownName(o), Mend: didYouMean(o.text, g.fileColumns())})
			g.quoted(d, o, beside)
			return nil, diag.List{d}
		}
		if len(col.numbers) != g.data.N() && len(col.texts) != g.data.N() {
			return nil, fmt.Errorf("column %s has %d values for %d rows", o.text, max(len(col.numbers), len(col.texts)), g.data.N())
		}
		g.columns[o.text] = col
	}
	id := o.point.axis.id
	row := func(e *emitter) int { return e.elem[id] }
	if o.point.axis.kind == graphAxis {
		rows := g.axes[id].rows[o.point.slot]
		row = func(e *emitter) int { return int(rows[e.elem[id]]) }
	}
	return &sideOf{*col, row}, nil
}
