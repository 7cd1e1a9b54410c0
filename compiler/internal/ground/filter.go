package ground

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A rawColumn is a column as the data file has it: numbers with NaN for gaps, or texts. Among texts a
// gap is one like any other.
type rawColumn struct {
	numbers []float64
	texts   []string
}

// condition returns a condition as a function of the bound elements. All work that does not depend
// on them happens here: columns are read, texts become numbers, and operators become outcomes.
func (g *grounder) condition(c *tree.Condition) (func(*emitter) bool, error) {
	var kids []func(*emitter) bool
	for _, k := range c.Kids {
		f, err := g.condition(k)
		if err != nil {
			return nil, err
		}
		kids = append(kids, f)
	}
	switch c.Op {
	case "and":
		return func(e *emitter) bool { return kids[0](e) && kids[1](e) }, nil
	case "or":
		return func(e *emitter) bool { return kids[0](e) || kids[1](e) }, nil
	case "not":
		return func(e *emitter) bool { return !kids[0](e) }, nil
	}
	switch {
	case c.X.Kind == tree.PointOperand:
		x, y, same := rowOf(g, c.X.Point), rowOf(g, c.Y.Point), c.Op == "=="
		return func(e *emitter) bool { return (x(e) == y(e)) == same }, nil
	case c.X.Kind != tree.LabelOperand && c.Y.Kind != tree.LabelOperand:
		return g.compareColumns(c)
	case c.X.Kind == c.Y.Kind && (c.Op == "==" || c.Op == "!="):
		return g.compareLabels(c)
	}
	return compareLevels(g, c), nil
}

// compareLabels returns a comparison of two labels, by == or != alone: labels have no order.
func (g *grounder) compareLabels(c *tree.Condition) (func(*emitter) bool, error) {
	x, errX := g.labelOperand(&c.X)
	y, errY := g.labelOperand(&c.Y)
	same := c.Op == "=="
	return func(e *emitter) bool { return (x(e) == y(e)) == same }, cmp.Or(errX, errY)
}

// compareLevels returns a comparison of levels as numbers, one of which may stand by itself.
func compareLevels(g *grounder, c *tree.Condition) func(*emitter) bool {
	x, y := levelOperand(g, &c.X), levelOperand(g, &c.Y)
	less, same, more := passes(c.Op)
	return func(e *emitter) bool {
		a, b := x(e), y(e)
		return less && a < b || same && a == b || more && a > b
	}
}

// levelOperand returns a level as a function of the bound elements, or a number.
func levelOperand(g *grounder, o *tree.Operand) func(*emitter) float64 {
	if o.Kind == tree.NumberOperand {
		return func(*emitter) float64 { return o.Number }
	}
	a := o.Label.Bound.Axis
	labels := g.axes[a.ID].labels[o.Label.Bound.Slot]
	levels := make([]float64, len(labels))
	for i, l := range labels {
		levels[i], _ = strconv.ParseFloat(g.ask.data.LabelNames[l], 64) // the compiler has written them
	}
	return func(e *emitter) float64 { return levels[e.elem[a.ID]] }
}

// labelOperand returns a label as a function of the bound elements, by its index in the data.
func (g *grounder) labelOperand(o *tree.Operand) (func(*emitter) int32, error) {
	if o.Label.Bound == nil {
		l, err := g.ask.label(o.Label.Name, o.From)
		return func(*emitter) int32 { return l }, err
	}
	a := o.Label.Bound.Axis
	labels := g.axes[a.ID].labels[o.Label.Bound.Slot]
	return func(e *emitter) int32 { return labels[e.elem[a.ID]] }, nil
}

// compareColumns returns a comparison of numbers or of texts. A column of texts that are all
// numbers counts as numbers beside one. A gap among numbers equals nothing, and so satisfies != alone.
// Among texts it is a text like any other.
func (g *grounder) compareColumns(c *tree.Condition) (func(*emitter) bool, error) {
	x, err := g.columnOperand(&c.X, &c.Y)
	if err != nil {
		return nil, err
	}
	y, err := g.columnOperand(&c.Y, &c.X)
	if err != nil {
		return nil, err
	}
	if x.texts != nil && y.texts != nil {
		return g.ask.compareTexts(c, x, y)
	}
	if !x.asNumbers() || !y.asNumbers() {
		return nil, g.ask.fail(c.From, &diag.Diagnostic{
			Code: codes.Incomparable, Summary: "texts are compared with numbers in " + c.String(),
			Detail: fmt.Sprintf("%s holds %s, and %s holds %s.", c.X.String(), x.holds(), c.Y.String(), y.holds()), Mend: tree.MendParity(c.From.Inlined, x.values()),
		})
	}
	less, same, more := passes(c.Op)
	return func(e *emitter) bool {
		a, b := x.number(e), y.number(e)
		switch {
		case !finite(a) || !finite(b):
			return c.Op == "!="
		case a < b:
			return less
		case a > b:
			return more
		}
		return same
	}, nil
}

// finite reports whether a value is a number. Neither a gap nor a quotient by zero is one.
func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// passes returns the outcomes of a comparison for a smaller, an equal and a larger left side. They
// are looked up once for each condition, and not for each element.
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

// compareTexts returns a comparison of texts, letter by letter. They have no order.
func (q *asker) compareTexts(c *tree.Condition, x, y *sideOf) (func(*emitter) bool, error) {
	if c.Op != "==" && c.Op != "!=" {
		return nil, q.fail(c.From, &diag.Diagnostic{Code: codes.Incomparable, Summary: "texts have no order: " + c.String()})
	}
	q.held(&c.X, &c.Y, x.texts)
	q.held(&c.Y, &c.X, y.texts)
	same := c.Op == "=="
	return func(e *emitter) bool { return (x.texts[x.row(e)] == y.texts[y.row(e)]) == same }, nil
}

// mostUnheld is how many texts that a column lacks are warned of one by one.
const mostUnheld = 5

// missingTexts are the texts of conditions that a column has in no row, in the order of the spec. A column is looked through once,
// however many texts it is compared with.
type missingTexts struct {
	column string
	known  map[string]bool // the texts that a row has, one that R does not see too
	noted  map[string]bool
	texts  []string
	from   []tree.Origin
}

// held notes a text that its column has in no row. The warning is given when all is well: where no row satisfies the condition, an
// error says more. The empty text is no slip.
func (q *asker) held(column, text *tree.Operand, texts []string) {
	if q.data.Warn == nil || column.Kind != tree.ColumnOperand || text.Kind != tree.TextOperand || text.Text == "" {
		return
	}
	at := slices.IndexFunc(q.unheld, func(m *missingTexts) bool { return m.column == column.Text })
	if at < 0 {
		m := &missingTexts{column: column.Text, known: map[string]bool{}, noted: map[string]bool{}}
		if q.data.Elsewhere != nil {
			texts = append(texts[:len(texts):len(texts)], q.data.Elsewhere(column.Text)...)
		}
		for _, t := range texts {
			m.known[t] = true
		}
		at, q.unheld = len(q.unheld), append(q.unheld, m)
	}
	if m := q.unheld[at]; !m.known[text.Text] && !m.noted[text.Text] {
		m.noted[text.Text] = true
		m.texts, m.from = append(m.texts, text.Text), append(m.from, text.From)
	}
}

// warnUnheld warns of the texts that a column lacks (codes.TextNotInData): of the first one by one, of further ones together.
func warnUnheld(q *asker) {
	for _, m := range q.unheld {
		known := slices.DeleteFunc(tree.SortedKeys(m.known), func(s string) bool { return s == "" })
		for i, text := range m.texts[:min(len(m.texts), mostUnheld)] {
			q.warn(m.from[i], &diag.Diagnostic{Code: codes.TextNotInData, Summary: fmt.Sprintf("No row has %q as its %s", text, m.column), Mend: tree.DidYouMean(text, known)})
		}
		if more := m.texts[min(len(m.texts), mostUnheld):]; len(more) > 0 {
			q.warn(m.from[mostUnheld], &diag.Diagnostic{
				Code: codes.TextNotInData, Summary: fmt.Sprintf("No row has any of %s as its %s", tree.Plural(len(more), "further text"), m.column),
				Detail: fmt.Sprintf("They are %s.", tree.Listed(tree.Each(more, func(s string) string { return fmt.Sprintf("%q", s) }), someOf)),
			})
		}
	}
}

// A sideOf is one side of a comparison: a column, or a constant as a column of one row. Row says
// which of its values the bound elements mean, so that both kinds are compared by the same code.
type sideOf struct {
	rawColumn
	row        func(*emitter) int
	calculated func(*emitter) float64 // nil where the side has values of its own
}

// number returns the value that the bound elements mean, NaN where there is none. What is calculated
// has none at a gap, and where something is divided by zero: such an element satisfies != alone.
func (s *sideOf) number(e *emitter) float64 {
	if s.calculated != nil {
		return s.calculated(e)
	}
	return s.numbers[s.row(e)]
}

// holds returns the sort of a side's values for a message.
func (s *sideOf) holds() string {
	if s.texts != nil {
		return "texts"
	}
	return "numbers"
}

// asNumbers reads texts as numbers, and returns false if one of them is none. The empty text is NaN.
func (s *sideOf) asNumbers() bool {
	if s.numbers != nil || s.calculated != nil {
		return true
	}
	numbers := make([]float64, len(s.texts))
	for i, t := range s.texts {
		v, isNumber := setting.Numeral(t)
		switch {
		case t == "":
			v = math.NaN()
		case !isNumber:
			return false
		}
		numbers[i] = v
	}
	s.numbers = numbers
	return true
}

// columnOperand returns one side of a comparison. A column is read once. If the data lack it, the
// error names the nearest column, or offers quotes where the word is a value of the column beside
// it.
func (g *grounder) columnOperand(o, beside *tree.Operand) (*sideOf, error) {
	first := func(*emitter) int { return 0 }
	switch o.Kind {
	case tree.NumberOperand:
		return &sideOf{rawColumn: rawColumn{numbers: []float64{o.Number}}, row: first}, nil
	case tree.TextOperand:
		return &sideOf{rawColumn: rawColumn{texts: []string{o.Text}}, row: first}, nil
	case tree.WeightOperand:
		id := o.Point.Axis.ID
		return &sideOf{rawColumn: rawColumn{numbers: g.axes[id].weights}, row: func(e *emitter) int { return e.elem[id] }}, nil
	case tree.CalculatedOperand:
		return &sideOf{calculated: func(e *emitter) float64 { return e.number(o.By) }}, g.prepareNumber(o.By)
	}
	col := g.columns.read[o.Text]
	if col == nil {
		col = &rawColumn{}
		ok := false
		if g.ask.data.Column != nil {
			col.numbers, col.texts, ok = g.ask.data.Column(o.Text)
		}
		if !ok {
			d := tree.AtOrigin(o.From, &diag.Diagnostic{Code: codes.ColumnNotInData, Summary: "the data have no column " + o.Text, Detail: g.columns.unknownName(o), Mend: tree.DidYouMean(o.Text, g.columns.fileColumns())})
			g.columns.quoted(d, o, beside)
			return nil, diag.List{d}
		}
		if len(col.numbers) != g.ask.data.N() && len(col.texts) != g.ask.data.N() {
			return nil, fmt.Errorf("column %s has %d values for %d rows", o.Text, max(len(col.numbers), len(col.texts)), g.ask.data.N())
		}
		g.columns.read[o.Text] = col
	}
	return &sideOf{rawColumn: *col, row: rowOf(g, o.Point)}, nil
}

// rowOf returns the row of a point as a function of the bound elements. The element of an axis of
// rows is the row. That of a graph is an edge, and its slot says which end. A sample lists its rows.
func rowOf(g *grounder, point *tree.Variable) func(*emitter) int {
	id := point.Axis.ID
	if rows := g.axes[id].rows[point.Slot]; rows != nil {
		return func(e *emitter) int { return int(rows[e.elem[id]]) }
	}
	return func(e *emitter) int { return e.elem[id] }
}

// quoted offers quotes around a bare word of a condition that is not a column. It does so where the
// column beside it holds the word as a text: region == north for region == "north".
func (col *columns) quoted(d *diag.Diagnostic, o, beside *tree.Operand) {
	id, ok := o.From.Syntax.(*dsl.Ident)
	if !ok || beside == nil || beside.Kind != tree.ColumnOperand || col.ask.data.Column == nil {
		return
	}
	_, texts, _ := col.ask.data.Column(beside.Text)
	if t := tree.Nearest(o.Text, texts); t != "" {
		d.Mend = fmt.Sprintf("Write %q: a value of %s, and a text stands in double quotes.", t, beside.Text)
		d.Fixes = []diag.Fix{{Title: fmt.Sprintf("write %q", t), Edits: []diag.Edit{{Span: id.Span(), New: fmt.Sprintf("%q", t)}}, Spelling: true}}
	}
}

// nearValue returns a mend for a text that its column never has although it has one that is nearly
// the same. It is empty if no comparison has such a text.
func (col *columns) nearValue(c *tree.Condition) string {
	for k := range c.All() {
		column, value := &k.X, &k.Y
		if column.Kind != tree.ColumnOperand {
			column, value = value, column
		}
		known := col.read[column.Text]
		if column.Kind != tree.ColumnOperand || known == nil || value.Kind != tree.TextOperand || slices.Contains(known.texts, value.Text) {
			continue
		}
		if best := tree.Nearest(value.Text, known.texts); best != "" {
			return fmt.Sprintf("Did you mean %q? A text is compared letter by letter.", best)
		}
	}
	return ""
}

// fileColumns returns the names of columns that may stand in conditions and factors. A feature such
// as region=north stands for a value of a text. In its place the list has the column region.
func (col *columns) fileColumns() []string {
	var names []string
	for _, name := range col.ask.data.Columns {
		if column, _, made := strings.Cut(name, "="); made && col.ask.data.Column != nil {
			if _, _, ok := col.ask.data.Column(column); ok {
				name = column
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// someOf is how many values of a column a message lists.
const someOf = 12

// at returns the column at some rows.
func (c *rawColumn) at(rows []int32) *rawColumn {
	out := &rawColumn{}
	for _, i := range rows {
		if c.texts != nil {
			out.texts = append(out.texts, c.texts[i])
		} else {
			out.numbers = append(out.numbers, c.numbers[i])
		}
	}
	return out
}

// seen says of rows that they are all those that R sees.
const seen = "that R sees"

// known returns a sentence with the values of a column in some rows: all where they are few, else the ends of
// their range.
func (c *rawColumn) known(name, rows string) string {
	if len(c.texts) > 0 {
		texts := slices.Compact(slices.Sorted(slices.Values(c.texts)))
		for i, s := range texts {
			texts[i] = strconv.Quote(s)
		}
		return fmt.Sprintf("In the rows %s %s is %s.", rows, name, tree.Listed(texts, someOf))
	}
	numbers := c.distinct()
	switch {
	case len(numbers) == 0:
		return ""
	case len(numbers) > someOf:
		return fmt.Sprintf("In the rows %s %s runs from %.6g to %.6g.", rows, name, numbers[0], numbers[len(numbers)-1])
	}
	return fmt.Sprintf("In the rows %s %s is %s.", rows, name, strings.Join(c.values(), ", "))
}

// compared returns a sentence for each column of a condition, with its values in the training rows. Of one that is compared
// at a sample it names those of the sample.
func compared(g *grounder, c *tree.Condition) string {
	var sentences []string
	for _, name := range c.Compared() {
		col, rows := g.columns.read[name], seen
		if col == nil {
			continue
		}
		if a := c.Sample(name); a != nil {
			col, rows = col.at(g.axes[a.ID].rows[0]), "of "+a.Text
		}
		if s := col.known(name, rows); s != "" {
			sentences = append(sentences, s)
		}
	}
	return strings.Join(sentences, " ")
}

// distinct returns the numbers of a column in order, each once, without gaps.
func (c *rawColumn) distinct() []float64 {
	numbers := slices.DeleteFunc(slices.Clone(c.numbers), math.IsNaN)
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// values returns the values of a column in order, each once and as a spec writes it, without NaN and the
// empty text.
func (c *rawColumn) values() []string {
	var values []string
	if c.texts != nil {
		for _, s := range slices.Compact(slices.Sorted(slices.Values(c.texts))) {
			if s != "" {
				values = append(values, strconv.Quote(s))
			}
		}
		return values
	}
	for _, v := range c.distinct() {
		values = append(values, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return values
}

// mendEmpty returns what to write in place of a condition that no element satisfies. Empty means
// that only its code's mend is known.
func (col *columns) mendEmpty(c *tree.Condition) string {
	mend := col.nearValue(c)
	switch {
	case mend == "" && slices.ContainsFunc(c.Compared(), func(name string) bool { return c.Sample(name) != nil }):
		return "If other rows satisfy it, draw more of them."
	case mend != "" || col.read[c.X.Text] == nil:
		return mend
	}
	return tree.MendParity(c.From.Inlined, col.read[c.X.Text].values())
}
