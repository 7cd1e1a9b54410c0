package tree

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
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
	PointOperand
	CalculatedOperand
)

// An Operand is one side of a comparison.
type Operand struct {
	Kind   operandKind
	Number float64
	Text   string    // a text, or the name of a column
	Point  *Variable // of a column; or the weight or the point itself
	By     *Node     // a number that is calculated from data
	Label  *LabelRef
	From   Origin
}

// Given reports whether the data decide an operand that is not a label.
func (o *Operand) Given() bool {
	return o.Kind == ColumnOperand || o.Kind == WeightOperand || o.Kind == CalculatedOperand
}

// Data returns the numbers of the data that an operand is calculated from; none where it is no such number.
func (o *Operand) Data() iter.Seq[*Datum] {
	if o.By == nil {
		return func(func(*Datum) bool) {}
	}
	return o.By.Datums()
}

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
	case o.Kind == PointOperand:
		return o.Point.Name
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
		for d := range o.Data() {
			add(d.Of)
		}
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
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for o := range c.Operands() {
		if o.Kind == ColumnOperand {
			add(o.Text)
		}
		for d := range o.Data() {
			add(d.Column)
		}
	}
	return names
}

// Sample returns a sample at whose rows the condition compares a column, nil where there is none.
func (c *Condition) Sample(column string) *Axis {
	for o := range c.Operands() {
		if o.Kind == ColumnOperand && o.Text == column && o.Point.Axis.Drawn() {
			return o.Point.Axis
		}
		for d := range o.Data() {
			if d.Column == column && d.Of.Axis.Drawn() {
				return d.Of.Axis
			}
		}
	}
	return nil
}

// The words of expectations that stand for what a report has of one invariance.
const (
	KindWord       = "kind"
	ValueWord      = "value"
	BrokenWord     = "broken"
	ViolationsWord = "violations"
)

// A Figure is what an expectation names: a metric of the test rows, or what a report has of one
// invariance or measure. Its words are those of the report, so that a reader of one can write the
// other. Metrics and counts are of the test rows, unless Train is set.
type Figure struct {
	Word  string
	Of    *Invariance // nil means a metric
	Train bool        // by the training rows and not by the test rows
}

// String returns a figure as a spec writes it.
func (f *Figure) String() string {
	switch {
	case f.Of == nil:
		return f.Word
	case f.Train:
		return f.Word + "(" + f.Of.Name + ", train)"
	}
	return f.Word + "(" + f.Of.Name + ")"
}

// An Amount is a number of an expectation: one that is known, a figure, or arithmetic of these. With
// one part, - is the negative of it.
type Amount struct {
	Op     string // + - * /; empty of a number and of a figure
	Num    float64
	Figure *Figure // nil means a number
	Kids   []*Amount
}

// Known reports whether a number names no figure.
func (a *Amount) Known() bool {
	return a.Figure == nil && !slices.ContainsFunc(a.Kids, func(k *Amount) bool { return !k.Known() })
}

// Number returns a number that is known.
func (a *Amount) Number() float64 { return new(judgement).amount(a) }

// A Claim is a condition on figures. Op is and, or, not or a comparison. A comparison is of two
// amounts, or of the kind of an invariance with a word. Unlike a Condition it chooses no elements,
// and it is judged once, when a run is over.
type Claim struct {
	Op   string
	Kids []*Claim
	X, Y *Amount
	Kind *Invariance // nil means that amounts are compared
	Want string      // the kind
}

// An Expectation is `expect COND`, compiled.
type Expectation struct {
	Place diag.Span
	Text  string // of the condition
	Claim *Claim
}

// Reported returns the value of a figure, or why there is none. NaN without a reason is not told of.
type Reported func(f *Figure) (value float64, why string)

// A Finding is what became of an expectation. It is known if the figures decide it; then Met says
// how. Found lists the figures that the expectation names, with their values, in their order.
type Finding struct {
	Known, Met bool
	Found      string
}

// Judge compares an expectation with what was reported. The logic is Kleene's, of three values
// 0 < ½ < 1, where ½ is the truth of a comparison with a figure that is not known:
//
//	⟦a and b⟧ = min(⟦a⟧, ⟦b⟧)     ⟦a or b⟧ = max(⟦a⟧, ⟦b⟧)     ⟦not a⟧ = 1 − ⟦a⟧
//
// So a figure that is missing leaves open only what depends on it. Without data all figures but
// kinds are missing. Then
//
//	kind(a) == sublinear and accuracy > 0.9
//
// is 0 if a is a seminorm, and ½ if it is sublinear. The proof of a alone refutes the first. The
// second waits for a run.
func (e *Expectation) Judge(reported Reported) Finding {
	j := &judgement{reported: reported}
	truth := j.claim(e.Claim)
	return Finding{Known: truth != open, Met: truth == yes, Found: strings.Join(j.found, ", ")}
}

// A judgement notes the figures that it meets, each once.
type judgement struct {
	reported Reported
	found    []string
}

// The truth values 0, ½ and 1, doubled.
const (
	no = iota
	open
	yes
)

// claim returns the truth of a condition. All parts are judged, also those that cannot change it, so
// that the finding names every figure of the condition.
func (j *judgement) claim(c *Claim) int {
	switch c.Op {
	case "not":
		return yes - j.claim(c.Kids[0])
	case "and":
		return min(j.claim(c.Kids[0]), j.claim(c.Kids[1]))
	case "or":
		return max(j.claim(c.Kids[0]), j.claim(c.Kids[1]))
	}
	if c.Kind != nil {
		return j.kind(c)
	}
	x, y := j.amount(c.X), j.amount(c.Y)
	if math.IsNaN(x) || math.IsNaN(y) {
		return open
	}
	order := cmp.Compare(x, y)
	return truth(map[string]bool{"==": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[c.Op])
}

// truth returns the truth value of a fact.
func truth(is bool) int {
	if is {
		return yes
	}
	return no
}

// SmoothSeminorm is the kind of a seminorm whose square is differentiable everywhere. It is a
// seminorm, too, so that it equals both words.
const SmoothSeminorm = "smooth seminorm"

// kind compares the kind of an invariance, which its proof gives. It is known before a run, except for
// a grid's values: a run may choose one under which the kind is another.
func (j *judgement) kind(c *Claim) int {
	is, figure := KindOf(c.Kind), &Figure{Word: KindWord, Of: c.Kind}
	j.note(figure.String() + " = " + is)
	same := is == c.Want || is == SmoothSeminorm && c.Want == Seminorm.String()
	return truth(same == (c.Op == "=="))
}

// KindOf returns the kind of an invariance as reports name it. It is that of the proof, which the form
// of the gauge refines: of seminorms, those whose squares have derivatives everywhere are smooth.
func KindOf(inv *Invariance) string {
	if inv.Root.Kind == Seminorm && inv.Form.Smooth() {
		return SmoothSeminorm
	}
	return inv.Root.Kind.String()
}

// amount returns a number. It is NaN where a figure in it is not known, and where arithmetic has no
// value, as 0 / 0 does. Comparisons with NaN are open.
func (j *judgement) amount(a *Amount) float64 {
	switch {
	case a.Figure != nil:
		v, why := j.reported(a.Figure)
		switch {
		case why != "":
			j.note(a.Figure.String() + " unknown: " + why)
			return math.NaN()
		case math.IsNaN(v):
			return v
		}
		j.note(a.Figure.String() + " = " + figureText(a.Figure, v))
		return v
	case len(a.Kids) == 0:
		return a.Num
	}
	x := j.amount(a.Kids[0])
	if len(a.Kids) == 1 {
		return -x
	}
	switch y := j.amount(a.Kids[1]); a.Op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	default:
		return x / y
	}
}

// figureText returns the value of a figure with six digits, and a share in percent with four. That is
// more than reports show, so that 4.998% < 5% does not read as 5% < 5%.
func figureText(f *Figure, v float64) string {
	if f.Word == BrokenWord {
		return strconv.FormatFloat(100*v, 'g', 4, 64) + "%"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// note keeps what was found of a figure, once, in the order in which the condition names figures.
func (j *judgement) note(text string) {
	if !slices.Contains(j.found, text) {
		j.found = append(j.found, text)
	}
}
