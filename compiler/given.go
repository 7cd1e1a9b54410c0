package compiler

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// prepareNumber grounds the data that a factor is made of.
func (g *grounder) prepareNumber(n *node) error {
	if n.datum != nil && g.givens[n.datum] == nil {
		given, err := g.given(n)
		if err != nil {
			return err
		}
		g.givens[n.datum] = given
	}
	for _, k := range n.kids {
		if err := g.prepareNumber(k); err != nil {
			return err
		}
	}
	return nil
}

// given grounds a datum: it becomes a function of the bound elements.
func (g *grounder) given(n *node) (func(*emitter) float64, error) {
	d := n.datum
	switch a := d.of.axis; d.of.kind {
	case paramVar:
		at, nodes := g.axes[a.id].nodes, g.domains[a.path.dom.Name+argsKey(a.path.args)].nodes
		return func(e *emitter) float64 { return nodes[at[e.elem[a.id]]] }, nil
	case weightVar:
		weights := g.axes[a.id].weights
		return func(e *emitter) float64 { return weights[e.elem[a.id]] }, nil
	}
	side, err := g.columnOperand(&operand{kind: columnOperand, text: d.column, point: d.of, from: n.from}, nil)
	if err != nil {
		return nil, err
	}
	if !side.asNumbers() {
		return nil, g.fail(n.from, &diag.Diagnostic{Code: NoNumber, Summary: d.column + " is a column of texts, and stands where a number is wanted", Detail: side.known(d.column)})
	}
	return func(e *emitter) float64 { return side.numbers[side.row(e)] }, nil
}

// unknownName says of a bare name that was taken for a column what else it is not.
func (g *grounder) unknownName(o *operand) string {
	id, bare := o.from.syntax.(*dsl.Ident)
	if !bare || g.in.checker.decls.names[id.Name] != (diag.Span{}) {
		return ""
	}
	return "Nothing in the spec is called " + o.text + " either."
}

// factor returns what a part is multiplied by. Where it is no number by which a part may be multiplied, the emitter fails, and it is 0.
func (e *emitter) factor(n *node) float64 {
	if n.by == nil {
		return n.num
	}
	v := e.number(n.by)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		e.noNumber(n.by)
	case n.by.required && v < 0:
		e.negative(n.by, v)
	case n.by.required && !n.by.atLeastZero() && n.by.alongPath() && e.least(n.by) < 0:
		e.perhapsNegative(n.by, e.least(n.by))
	case v != 0 && boundedFactor(v) != "":
		e.fail(n.by, &diag.Diagnostic{Code: OutOfRange, Summary: fmt.Sprintf("%s is %.3g%s", text(n.by.from.syntax), v, e.where(n.by)), Detail: boundedFactor(v), Mend: fmt.Sprintf("Take factors between %g and %g, or 0.", leastFactor, mostFactor)})
	default:
		return v
	}
	return 0
}

// product returns the factor v of a part times c, by which all of it is multiplied. Where R cannot hold the square of what comes together,
// the emitter fails, and it is 0.
func (e *emitter) product(n *node, v, c float64) float64 {
	why := boundedFactor(v * c * e.scale)
	if v == 0 || c == 0 || why == "" {
		return v * c
	}
	at, where := n, ""
	if n.by != nil {
		at, where = n.by, e.where(n.by)
	}
	e.fail(at, &diag.Diagnostic{
		Code: OutOfRange, Summary: fmt.Sprintf("the factors around %s multiply to %.3g%s", text(n.kids[0].from.syntax), v*c*e.scale, where), Detail: why,
		Mend: fmt.Sprintf("Take factors and weights whose product lies between %g and %g, or is 0.", leastFactor, mostFactor),
	})
	return 0
}

// least returns a number that a number is nowhere below between the nodes of a path, for the elements that are bound.
func (e *emitter) least(n *node) float64 {
	return n.bounds(func(d *datum) bounds {
		if d.of.kind == paramVar {
			return d.known()
		}
		v := e.g.givens[d](e)
		return bounds{v, v}
	}).lo
}

// number returns a number for the elements that are bound.
func (e *emitter) number(n *node) float64 {
	switch n.op {
	case opConst:
		return n.num
	case opDatum:
		return e.g.givens[n.datum](e)
	}
	v := make([]float64, len(n.kids))
	for i, k := range n.kids {
		if v[i] = e.number(k); math.IsInf(v[i], 0) {
			return math.NaN() // also where what follows would be finite, as 1/(1/0) is
		}
	}
	return n.combined(v)
}

// fail files the first error that a number leads to.
func (e *emitter) fail(n *node, d *diag.Diagnostic) {
	if e.err == nil {
		e.err = e.g.fail(n.from, d)
	}
}

func (e *emitter) negative(n *node, v float64) {
	factor := text(n.from.syntax)
	leave := ""
	if n.datum != nil {
		leave = fmt.Sprintf("leave such rows out, where %s >= 0; ", n.datum.column)
	}
	e.fail(n, &diag.Diagnostic{
		Code: NegativeFactorInData, Summary: fmt.Sprintf("the factor %s is %.6g%s", factor, v, e.where(n)), Detail: strings.TrimSpace(e.values(n) + " " + notNegativeAlone),
		Mend: fmt.Sprintf("Write |%[1]s| or max {%[1]s, 0}; %[2]sor multiply what is linear, under |…|.", factor, leave),
	})
}

// notNegativeAlone says why a factor must not be negative, and asProducts how it is seen not to be along a path.
const (
	notNegativeAlone = "A part that is convex but not linear stays so under factors that are not negative alone."
	asProducts       = "Write a product of parts that are nowhere negative, as λ * (1 - λ) for λ - λ * λ; or multiply what is linear, under |…|."
)

// perhapsNegative reports a factor of which only a negative bound is known along a path, for the elements that are bound.
func (e *emitter) perhapsNegative(n *node, least float64) {
	e.fail(n, &diag.Diagnostic{
		Code: NegativeFactorInData, Summary: fmt.Sprintf("the factor %s may be negative along the path%s", text(n.from.syntax), e.where(n)),
		Detail: fmt.Sprintf("All that is known of it there is that it is at least %.6g. %s", least, notNegativeAlone), Mend: asProducts,
	})
}

func (e *emitter) noNumber(n *node) {
	found := false
	n.datums(func(d *datum) {
		if v := e.g.givens[d](e); !found && math.IsNaN(v) {
			found = true
			e.fail(n, &diag.Diagnostic{
				Code: NoNumber, Summary: d.column + " has no value in " + e.at(d), Detail: text(n.from.syntax) + " is no number there.",
				Mend: fmt.Sprintf("Leave such rows out by a condition that gaps do not satisfy, where %[1]s >= 0 or %[1]s < 0, or fill them in the file.", d.column),
			})
		}
	})
	if !found {
		e.fail(n, &diag.Diagnostic{Code: NoNumber, Summary: fmt.Sprintf("the factor %s is no finite number%s", text(n.from.syntax), e.where(n)), Detail: e.values(n), Mend: "Divide by what is nowhere zero, and take roots of what is nowhere negative."})
	}
}

// where says in which rows a number is meant: in row 17 and row 18.
func (e *emitter) where(n *node) string {
	var rows []string
	n.datums(func(d *datum) {
		if d.of.kind == paramVar {
			return
		}
		if s := e.at(d); !slices.Contains(rows, s) {
			rows = append(rows, s)
		}
	})
	if len(rows) == 0 {
		return ""
	}
	return " in " + strings.Join(rows, " and ")
}

// at is the row at which a datum is meant, or the edge.
func (e *emitter) at(d *datum) string {
	if d.of.kind == weightVar {
		ends, i := e.g.axes[d.of.axis.id].rows, e.elem[d.of.axis.id]
		return fmt.Sprintf("the edge of rows %s and %s", e.g.rowName(int(ends[0][i])), e.g.rowName(int(ends[1][i])))
	}
	return "row " + e.g.rowName(e.row(d))
}

func (e *emitter) row(d *datum) int {
	i := e.elem[d.of.axis.id]
	if d.of.axis.kind == graphAxis {
		i = int(e.g.axes[d.of.axis.id].rows[d.of.slot][i])
	}
	return i
}

// values says what a number that is calculated is made of.
func (e *emitter) values(n *node) string {
	if n.datum != nil {
		return ""
	}
	var parts []string
	n.datums(func(d *datum) {
		parts = append(parts, fmt.Sprintf("%s is %.6g", d.text(func(v *variable) string { return greek(v.name) }), e.g.givens[d](e)))
	})
	return "There " + strings.Join(parts, ", ") + "."
}

// rowName is what a row is called.
func (g *grounder) rowName(i int) string {
	if i < len(g.data.RowID) && g.data.RowID[i] != Nameless {
		return g.data.RowID[i]
	}
	return strconv.Itoa(i + 1)
}
