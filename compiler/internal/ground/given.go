package ground

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// prepareNumber grounds the data that a factor is made of, each datum once.
func (g *grounder) prepareNumber(n *tree.Node) error {
	for k := range n.All() {
		if k.Datum == nil || g.givens[k.Datum] != nil {
			continue
		}
		given, err := g.given(k)
		if err != nil {
			return err
		}
		g.givens[k.Datum] = given
	}
	return nil
}

// given returns a datum as a function of the bound elements. It is the node of a path, the weight
// of an edge, or the value of a column at a row. A column of texts is an error at its place.
func (g *grounder) given(n *tree.Node) (func(*emitter) float64, error) {
	d := n.Datum
	switch a := d.Of.Axis; d.Of.Kind {
	case tree.ParamVar:
		lambda := g.axes[a.ID].lambda
		return func(e *emitter) float64 { return lambda[e.elem[a.ID]] }, nil
	case tree.WeightVar:
		weights := g.axes[a.ID].weights
		return func(e *emitter) float64 { return weights[e.elem[a.ID]] }, nil
	}
	side, err := g.columnOperand(&tree.Operand{Kind: tree.ColumnOperand, Text: d.Column, Point: d.Of, From: n.From}, nil)
	if err != nil {
		return nil, err
	}
	if !side.asNumbers() {
		return nil, g.ask.fail(n.From, &diag.Diagnostic{Code: codes.NoNumber, Summary: d.Column + " is a column of texts, and stands where a number is wanted", Detail: side.known(d.Column, seen)})
	}
	return func(e *emitter) float64 { return side.numbers[side.row(e)] }, nil
}

// unknownName returns a sentence about a bare name that was taken for a column: nothing else in the
// spec has the name either.
func (col *columns) unknownName(o *tree.Operand) string {
	id, bare := o.From.Syntax.(*dsl.Ident)
	if !bare || col.ask.in.Declared(id.Name) {
		return ""
	}
	return "Nothing in the spec is called " + o.Text + " either."
}

// factor returns what a part is multiplied by. If that is not a finite number, negative where the
// proof asked for a sign, or out of bounds, the emitter fails. The result is 0 then. Along a path a
// lower bound over the whole interval must be nonnegative, since the proof is about every λ and not
// about nodes alone.
func (e *emitter) factor(n *tree.Node) float64 {
	if n.By == nil {
		return n.Num
	}
	v := e.number(n.By)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		e.noNumber(n.By)
	case n.By.Required && v < 0:
		e.negative(n.By, v)
	case n.By.Required && !n.By.AtLeastZero() && n.By.AlongPath() && e.least(n.By) < 0:
		e.perhapsNegative(n.By, e.least(n.By))
	case v != 0 && tree.BoundedFactor(v) != "":
		e.fail(n.By, &diag.Diagnostic{Code: codes.OutOfRange, Summary: fmt.Sprintf("%s is %.3g%s", tree.Text(n.By.From.Syntax), v, e.where(n.By)), Detail: tree.BoundedFactor(v), Mend: fmt.Sprintf("Take factors between %g and %g, or 0.", tree.LeastFactor, tree.MostFactor)})
	default:
		return v
	}
	return 0
}

// product returns the factor v of a part times c, by which all of it is multiplied. R holds
// squares: if that of the product with the weights around overflows or vanishes, the emitter fails,
// and the result is 0.
func (e *emitter) product(n *tree.Node, v, c float64) float64 {
	why := tree.BoundedFactor(v * c * e.scale)
	if v == 0 || c == 0 || why == "" {
		return v * c
	}
	at, where := n, ""
	if n.By != nil {
		at, where = n.By, e.where(n.By)
	}
	e.fail(at, &diag.Diagnostic{
		Code: codes.OutOfRange, Summary: fmt.Sprintf("the factors around %s multiply to %.3g%s", tree.Text(n.Kids[0].From.Syntax), v*c*e.scale, where), Detail: why,
		Mend: fmt.Sprintf("Take factors and weights whose product lies between %g and %g, or is 0.", tree.LeastFactor, tree.MostFactor),
	})
	return 0
}

// least returns a lower bound of a number between the nodes of a path, for the elements that are
// bound. It is interval arithmetic with the path's parameter in [lo, hi] and all other data known.
func (e *emitter) least(n *tree.Node) float64 {
	return n.Bounds(func(d *tree.Datum) tree.Bounds {
		if d.Of.Kind == tree.ParamVar {
			return d.Known()
		}
		v := e.g.givens[d](e)
		return tree.Bounds{Lo: v, Hi: v}
	}).Lo
}

// number returns a number for the elements that are bound, NaN where it is not finite. An infinite
// part makes the whole undefined, also where what follows would be finite, as 1/(1/0) is.
func (e *emitter) number(n *tree.Node) float64 {
	switch n.Op {
	case tree.OpConst:
		return n.Num
	case tree.OpDatum:
		return e.g.givens[n.Datum](e)
	}
	v := make([]float64, len(n.Kids))
	for i, k := range n.Kids {
		if v[i] = e.number(k); math.IsInf(v[i], 0) {
			return math.NaN() // also where what follows would be finite, as 1/(1/0) is
		}
	}
	return n.Combined(v)
}

// fail keeps the first error that a number leads to. Later ones would repeat it for other rows.
func (e *emitter) fail(n *tree.Node, d *diag.Diagnostic) {
	if e.err == nil {
		e.err = e.g.ask.fail(n.From, d)
	}
}

// negative reports a factor that the data make negative at the bound row, with what it is made of
// there. Of a plain column it offers the condition that leaves such rows out.
func (e *emitter) negative(n *tree.Node, v float64) {
	factor := tree.Text(n.From.Syntax)
	leave := ""
	if n.Datum != nil {
		leave = fmt.Sprintf("leave such rows out, where %s >= 0; ", n.Datum.Column)
	}
	e.fail(n, &diag.Diagnostic{
		Code: codes.NegativeFactorInData, Summary: fmt.Sprintf("the factor %s is %.6g%s", factor, v, e.where(n)), Detail: strings.TrimSpace(e.values(n) + " " + notNegativeAlone),
		Mend: fmt.Sprintf("Write |%[1]s| or max {%[1]s, 0}; %[2]sor multiply what is linear, under |…|.", factor, leave),
	})
}

// notNegativeAlone says why a factor must not be negative. AsProducts says how a factor along a
// path is written so that its bounds show its sign. Interval arithmetic sees the sign of a product,
// and not that of a difference.
const (
	notNegativeAlone = "A part that is convex but not linear stays so under factors that are not negative alone."
	AsProducts       = "Write a product of parts that are nowhere negative, as λ * (1 - λ) for λ - λ * λ; or multiply what is linear, under |…|."
)

// perhapsNegative reports a factor with a negative lower bound along a path, for the elements that
// are bound.
func (e *emitter) perhapsNegative(n *tree.Node, least float64) {
	e.fail(n, &diag.Diagnostic{
		Code: codes.NegativeFactorInData, Summary: fmt.Sprintf("the factor %s may be negative along the path%s", tree.Text(n.From.Syntax), e.where(n)),
		Detail: fmt.Sprintf("All that is known of it there is that it is at least %.6g. %s", least, notNegativeAlone), Mend: AsProducts,
	})
}

// noNumber reports a factor without a finite value. A gap in a column is the usual cause and is
// named with its row. Otherwise something is divided by zero, or a root is taken of a negative
// number.
func (e *emitter) noNumber(n *tree.Node) {
	if d := tree.Find(n.Datums(), func(d *tree.Datum) bool { return math.IsNaN(e.g.givens[d](e)) }); d != nil {
		e.fail(n, &diag.Diagnostic{
			Code: codes.NoNumber, Summary: d.Column + " has no value in " + e.at(d), Detail: tree.Text(n.From.Syntax) + " is not a number there.",
			Mend: fmt.Sprintf("Leave such rows out by a condition that gaps do not satisfy, where %[1]s >= 0 or %[1]s < 0, or fill them in the file.", d.Column),
		})
		return
	}
	e.fail(n, &diag.Diagnostic{
		Code: codes.NoNumber, Summary: fmt.Sprintf("the factor %s is not a finite number%s", tree.Text(n.From.Syntax), e.where(n)), Detail: e.values(n),
		Mend: "Divide by what is nowhere zero, and take roots of what is nowhere negative.",
	})
}

// where returns the rows in which a number is meant, for messages: " in row 17 and row 18".
func (e *emitter) where(n *tree.Node) string {
	var rows []string
	for d := range n.Datums() {
		if d.Of.Kind == tree.ParamVar {
			continue
		}
		if s := e.at(d); !slices.Contains(rows, s) {
			rows = append(rows, s)
		}
	}
	if len(rows) == 0 {
		return ""
	}
	return " in " + strings.Join(rows, " and ")
}

// at returns the row at which a datum is meant, or the edge by its two rows.
func (e *emitter) at(d *tree.Datum) string {
	if d.Of.Kind == tree.WeightVar {
		ends, i := e.g.axes[d.Of.Axis.ID].rows, e.elem[d.Of.Axis.ID]
		return fmt.Sprintf("the edge of rows %s and %s", e.g.ask.rowName(int(ends[0][i])), e.g.ask.rowName(int(ends[1][i])))
	}
	return "row " + e.g.ask.rowName(e.row(d))
}

// row returns the row that a datum's point is bound to.
func (e *emitter) row(d *tree.Datum) int { return rowOf(e.g, d.Of)(e) }

// values returns a sentence with the data that a calculated number is made of. It is empty for a
// plain column.
func (e *emitter) values(n *tree.Node) string {
	if n.Datum != nil {
		return ""
	}
	var parts []string
	for d := range n.Datums() {
		parts = append(parts, fmt.Sprintf("%s is %.6g", d.Text(func(v *tree.Variable) string { return tree.Greek(v.Name) }), e.g.givens[d](e)))
	}
	return "There " + strings.Join(parts, ", ") + "."
}

// rowName returns the name of a row for messages: its id, or its number in the data file.
func (q *asker) rowName(i int) string {
	if q.data.RowID != nil && i < q.data.N() && q.data.RowID(i) != Nameless {
		return q.data.RowID(i)
	}
	return strconv.Itoa(i + 1)
}
