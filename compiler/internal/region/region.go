// Package region finds the points at which a statement is to hold: B in
//
//	g(x) ≥ 0 for all x ∈ B,   B = B₁ × … × B_m,
//
// with a factor B_j for each column of the file. A column became one or more features: a number
// with the marks of its gaps, or a feature for each text. These move together, so that a factor is
// an interval of the first of them, and points of all.
//
//	age, no gaps            [18, 99] of the file, (18 − offset)/scale ≤ z ≤ (99 − offset)/scale prepared
//	age, gaps marked        the interval, with the mark 0, and the point (what fills a gap, 1)
//	age, integer            the points of its integers; the interval under a derivative along it, as f may turn between two
//	town, texts a and b     (1, 0), (0, 1), and (0, 0) for a text that no training row has
//
// What of the features no term of g looks at stands still, as g is the same for all of its values.
package region

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// mostIntegers is how many integers a side may list. A longer one takes the interval in their
// place, which holds them.
const mostIntegers = 1000

// mostTexts is how many texts of a column a message lists.
const mostTexts = 12

// A component is the prepared columns of one column of the file: a number with the marks of its
// gaps, or one for each text.
type component struct {
	column  string
	columns []int
	number  bool
	words   bool     // a word of a text
	texts   []string // of a column of texts, by columns
	ranged  *ranged  // of a number, once it was asked for
}

// A ranged is the range of a number in the rows, in prepared units, and the points at which they
// have gaps, each once.
type ranged struct {
	low, high float64
	gaps      [][]float64
}

// componentsOf finds the components by the names of the features. The features
//
//	age, rent, missing(age), town=a, town=b
//
// are the components {age, missing(age)}, {rent} and {town=a, town=b}. A column of numbers may
// have an = in its name, or be called missing(age), so that groups decide where they are known, and else the raw columns.
func componentsOf(data *Rows) []component {
	if data.Groups != nil {
		return grouped(data)
	}
	var out []component
	at := map[string]int{}
	add := func(c component, j int) {
		i, known := at[c.column]
		if !known {
			i = len(out)
			at[c.column], out = i, append(out, c)
		} else {
			out[i].texts = append(out[i].texts, c.texts...)
		}
		out[i].columns = append(out[i].columns, j)
	}
	for j, name := range data.Columns {
		inner, isMark := strings.CutPrefix(name, "missing(")
		if column, _, _ := strings.Cut(strings.TrimSuffix(inner, ")"), " = "); isMark {
			if _, known := at[column]; known {
				add(component{column: column}, j)
				continue
			}
		}
		add(madeOf(data, name), j)
	}
	return out
}

// grouped returns the components of groups of features. Words are components by themselves.
func grouped(data *Rows) (out []component) {
	for i := range data.Groups {
		switch g := &data.Groups[i]; {
		case g.Words:
			for _, j := range g.Columns {
				out = append(out, component{column: data.Columns[j], columns: []int{j}, number: true, words: true})
			}
		case g.Text && len(g.Columns) > 0:
			texts := tree.Each(g.Columns, func(j int) string { return strings.TrimPrefix(data.Columns[j], g.Name+"=") })
			out = append(out, component{column: g.Name, columns: g.Columns, texts: texts})
		case !g.Text:
			out = append(out, component{column: g.Name, columns: g.Columns, number: true})
		}
	}
	return out
}

// madeOf returns the component that a feature begins, unless its column has one.
func madeOf(data *Rows, name string) component {
	texts := func(column string) bool {
		if data.Column == nil {
			return true
		}
		_, texts, ok := data.Column(column)
		return ok && texts != nil
	}
	if data.Column != nil {
		if numbers, _, ok := data.Column(name); ok && numbers != nil {
			return component{column: name, number: true}
		}
	}
	for i, r := range name {
		switch column := name[:i]; {
		case r == '=' && texts(column):
			return component{column: column, texts: []string{name[i+1:]}}
		case r == ':' && data.Column != nil && texts(column):
			return component{column: name, number: true, words: true}
		}
	}
	return component{column: name, number: true}
}

// Rows are those that R sees, with the raw columns of their file and what features each became. A nil Column knows none, and without
// Groups the names of the features tell.
type Rows struct {
	*plugins.Data
	Groups []setting.Group
	Column func(name string) (numbers []float64, texts []string, ok bool)
}

// Regions has a side for each component of the rows.
type Regions struct {
	data       *Rows
	components []component
}

// Of returns the regions of rows.
func Of(data *Rows) *Regions { return &Regions{data, componentsOf(data)} }

// Number reports whether a feature is a number of the file, along which f has a slope. Marks of
// texts and gaps are not.
func (r *Regions) Number(feature int) bool {
	return slices.ContainsFunc(r.components, func(c component) bool { return c.number && c.columns[0] == feature })
}

// An Asked says of which member the region is asked: its box, with the element of it that is bound,
// or else its row.
type Asked struct {
	Axis    *tree.Axis      // nil where there is no box
	Points  *plugins.Matrix // the rows of a file, beside which the box is
	Element int             // which row the box is beside
	Base    int             // the row that is the region where there is no box
	Terms   []statement.Term
	From    tree.Origin // of the comparison
}

// row returns the row beside which a region is; nil means that it is beside none.
func (a *Asked) row(data *Rows) []float64 {
	switch {
	case a.Axis == nil:
		return data.Rows.Row(a.Base)
	case a.Axis.Box.Others == tree.OthersOfRows:
		return data.Rows.Row(a.Element)
	case a.Axis.Box.Others == tree.OthersOfFile:
		return a.Points.Row(a.Element)
	}
	return nil
}

// side returns the side of a column among some, nil where none has it.
func (a *Asked) side(column string, of func(*tree.Box) []*tree.BoxSide) *tree.BoxSide {
	if a.Axis == nil {
		return nil
	}
	for _, b := range of(a.Axis.Box) {
		if b.Column.Text == column {
			return b
		}
	}
	return nil
}

// derives reports whether a term is differentiated along a component.
func (a *Asked) derives(c *component) bool {
	return slices.ContainsFunc(a.Terms, func(t statement.Term) bool { return slices.Contains(t.Derive, c.columns[0]) })
}

// Sides returns the sides of a region, one for each component. A column along which a term is
// differentiated moves through its interval. A side that no term looks at is fixed.
func (r *Regions) Sides(a *Asked) ([]statement.Side, error) {
	out := make([]statement.Side, len(r.components))
	row := a.row(r.data)
	for i := range r.components {
		side, err := r.side(&r.components[i], a, row)
		if err != nil {
			return nil, err
		}
		out[i] = side
	}
	unlooked(out, a.Terms, r.data.Rows.Cols)
	return out, nil
}

// Lacks returns the first column of a box that is not a feature, and makes none by its numbers or
// texts. Nil means that there is none.
func (r *Regions) Lacks(a *tree.Axis) *tree.Value {
	if a == nil {
		return nil
	}
	for _, b := range a.Box.Sides {
		if !slices.ContainsFunc(r.components, func(c component) bool { return c.column == b.Column.Text }) {
			return b.Column
		}
	}
	return nil
}

// fail returns a diagnostic as an error at a place in the spec.
func fail(o tree.Origin, d *diag.Diagnostic) error { return diag.List{tree.AtOrigin(o, d)} }

// side returns what a component runs through: what the box names, else the row's values, else its
// box.
func (r *Regions) side(c *component, a *Asked, row []float64) (statement.Side, error) {
	named := a.side(c.column, func(b *tree.Box) []*tree.BoxSide { return b.Sides })
	switch {
	case named != nil && c.number:
		return r.numbers(c, named, a)
	case named != nil:
		return r.texts(c, named, a.From)
	case row != nil:
		return fixedAt(c, row), nil
	case c.words:
		return statement.Side{}, fail(a.Axis.From, &diag.Diagnostic{
			Code: codes.WrongRegion, Summary: "the features are words of a text, and texts fill no box: " + c.column, Detail: "Nearly all points of a box of words are no text.",
			Mend: "Write others = rows.",
		})
	case c.number:
		declared := a.side(c.column, func(b *tree.Box) []*tree.BoxSide { return b.Types })
		return r.rangeOf(c, declared, a.derives(c)), nil
	}
	return categories(c), nil
}

// fixedAt returns a side that stands at a row's values.
func fixedAt(c *component, row []float64) statement.Side {
	return pointsOf(c, tree.Each(c.columns, func(j int) float64 { return row[j] }))
}

// pointsOf returns a side of points alone.
func pointsOf(c *component, points ...[]float64) statement.Side {
	return statement.Side{Columns: c.columns, Low: 1, High: 0, Points: points}
}

// categories returns the side of a column of texts. It has each text that training rows have, as a
// unit vector. At 0 the text is one that no training row has.
func categories(c *component) statement.Side {
	points := [][]float64{make([]float64, len(c.columns))}
	for k := range c.columns {
		points = append(points, vertex(len(c.columns), k))
	}
	return pointsOf(c, points...)
}

// vertex returns the k-th unit vector.
func vertex(n, k int) []float64 {
	v := make([]float64, n)
	v[k] = 1
	return v
}

// numbers returns the side of numbers that a box names, in prepared units. A number that is named
// is not a gap.
func (r *Regions) numbers(c *component, b *tree.BoxSide, a *Asked) (statement.Side, error) {
	if b.Low <= b.High {
		return r.interval(c, b.Low, b.High, b.Whole && !a.derives(c)), nil
	}
	var points [][]float64
	for _, v := range b.Cells {
		number := v.Quantity.Value
		if v.Textual {
			var ok bool
			if number, ok = setting.Numeral(v.Text); !ok || number-number != 0 {
				return statement.Side{}, fail(tree.Placed(v, a.From), &diag.Diagnostic{
					Code: codes.Incomparable, Summary: fmt.Sprintf("%s holds numbers, and %q is a text", c.column, v.Text), Mend: "Write a number.",
				})
			}
		}
		points = append(points, r.at(c, number))
	}
	return pointsOf(c, points...), nil
}

// texts returns the side of texts that a box names. A text that no training row has is refused.
func (r *Regions) texts(c *component, b *tree.BoxSide, from tree.Origin) (statement.Side, error) {
	d := &diag.Diagnostic{Code: codes.Incomparable, Mend: fmt.Sprintf("List texts: %s = {…}.", tree.ColumnText(c.column))}
	if b.Low <= b.High {
		d.Summary = c.column + " holds texts, and an interval is one of numbers"
		return statement.Side{}, fail(tree.Placed(b.Column, from), d)
	}
	var points [][]float64
	for _, v := range b.Cells {
		k := slices.Index(c.texts, v.Cell())
		if k < 0 {
			d.Summary, d.Detail = fmt.Sprintf("No training row has %q as its %s", v.Cell(), c.column), fmt.Sprintf("%s is one of: %s.", c.column, tree.Listed(c.texts, mostTexts))
			d.Mend = tree.DidYouMean(v.Cell(), c.texts)
			return statement.Side{}, fail(tree.Placed(v, from), d)
		}
		points = append(points, vertex(len(c.columns), k))
	}
	return pointsOf(c, points...), nil
}

// at returns the prepared values of a component at a number of the file.
func (r *Regions) at(c *component, number float64) []float64 {
	out := make([]float64, len(c.columns))
	out[0] = r.toPrepared(c.columns[0], number)
	return out
}

// toPrepared returns (number − offset)/scale.
func (r *Regions) toPrepared(j int, number float64) float64 {
	data := r.data
	if data.Offset != nil {
		number -= data.Offset[j]
	}
	if data.Scale != nil {
		number /= data.Scale[j]
	}
	return number
}

// interval returns the side of an interval of the file, or of its integers where whole ones are
// meant and they are few. One number is a point.
func (r *Regions) interval(c *component, low, high float64, whole bool) statement.Side {
	if first, last := math.Ceil(low), math.Floor(high); whole && last-first < mostIntegers {
		var points [][]float64
		for v := first; v <= last; v++ {
			points = append(points, r.at(c, v))
		}
		if len(points) > 0 {
			return pointsOf(c, points...)
		}
	}
	if low == high {
		return pointsOf(c, r.at(c, low))
	}
	return statement.Side{Columns: c.columns, Low: r.toPrepared(c.columns[0], low), High: r.toPrepared(c.columns[0], high)}
}

// rangeOf returns the side of a number that no box names: its type where that has bounds or values,
// else the range of the rows. Gaps are points of it, unless a term is differentiated along it: a
// gap has no slope.
func (r *Regions) rangeOf(c *component, declared *tree.BoxSide, derived bool) statement.Side {
	side, typed := statement.Side{}, false
	if declared != nil {
		side, typed = r.declaredSide(c, declared, derived)
	}
	if c.ranged == nil {
		c.ranged = rangedOf(r.data, c)
	}
	switch rows := c.ranged; {
	case typed:
	case rows.low < rows.high:
		side = statement.Side{Columns: c.columns, Low: rows.low, High: rows.high}
	default:
		v := make([]float64, len(c.columns))
		v[0] = rows.low
		side = pointsOf(c, v)
	}
	if !derived {
		side.Points = append(side.Points, c.ranged.gaps...)
	}
	return side
}

// declaredSide returns the side of a declared type. Ok is false where it has neither bounds nor
// values.
func (r *Regions) declaredSide(c *component, b *tree.BoxSide, derived bool) (side statement.Side, ok bool) {
	if len(b.Cells) == 0 {
		if math.IsInf(b.Low, 0) || math.IsInf(b.High, 0) {
			return side, false
		}
		return r.interval(c, b.Low, b.High, b.Whole && !derived), true
	}
	var numbers []float64
	for _, v := range b.Cells {
		number, ok := setting.Numeral(v.Text)
		if !ok {
			return side, false
		}
		numbers = append(numbers, number)
	}
	if derived {
		return r.interval(c, slices.Min(numbers), slices.Max(numbers), false), true
	}
	return pointsOf(c, tree.Each(numbers, func(v float64) []float64 { return r.at(c, v) })...), true
}

// rangedOf returns the range of a number in the training rows, as its group knows it. Without groups the rows at hand tell.
func rangedOf(data *Rows, c *component) *ranged {
	for i := range data.Groups {
		if g := &data.Groups[i]; slices.Equal(g.Columns, c.columns) {
			return &ranged{low: g.Low, high: g.High, gaps: g.Gaps}
		}
	}
	return rowsOf(data, c)
}

// rowsOf returns the range of a number in the rows. Rows with a gap have what fills it in place
// of a number, and do not count. Of a column of nothing but gaps it is what
// fills them.
func rowsOf(data *Rows, c *component) *ranged {
	r := &ranged{low: math.Inf(1), high: math.Inf(-1)}
	for i := range data.N() {
		row := data.Rows.Row(i)
		v := tree.Each(c.columns, func(j int) float64 { return row[j] })
		if slices.ContainsFunc(v[1:], func(mark float64) bool { return mark > 0 }) {
			if !slices.ContainsFunc(r.gaps, func(g []float64) bool { return slices.Equal(g, v) }) {
				r.gaps = append(r.gaps, v)
			}
			continue
		}
		r.low, r.high = min(r.low, v[0]), max(r.high, v[0])
	}
	if r.low > r.high {
		r.low, r.high = r.gaps[0][0], r.gaps[0][0]
	}
	return r
}

// unlooked fixes the sides that no term looks at: every coordinate of theirs is moved to what does
// not come from them.
func unlooked(region []statement.Side, terms []statement.Term, p int) {
	looked := statement.Looked(terms, p)
	for i := range region {
		side := &region[i]
		if slices.ContainsFunc(side.Columns, func(c int) bool { return looked[c] }) {
			continue
		}
		point := make([]float64, len(side.Columns))
		if point[0] = side.Low; !side.Moves() {
			point = side.Points[0]
		}
		*side = statement.Side{Columns: side.Columns, Low: 1, High: 0, Points: [][]float64{point}}
	}
}
