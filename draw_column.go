package sipc

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/picture"
)

const (
	curvePoints   = 200 // about, of a curve
	surfacePoints = 56  // about, of each side of a surface
	mostDotted    = 60  // whole numbers that get a point each
	countedParts  = 40  // of a range in which rows are counted
	mostLevels    = 40  // categories of a picture
	unseen        = "(unseen)"
)

// A drawnColumn is a column of the file as pictures have it.
type drawnColumn struct {
	name    string
	feature *dataset.Feature
	columns []int // prepared: the number and its masks, or the texts of a category
	// Of numbers: the range in units of the file, how many rows are in its parts, and whether all are whole.
	low, high float64
	counts    []float64
	whole     bool
	// Of categories and gaps: names, and how many rows have each.
	levels []string
	rows   []float64

	points        int     // about how many of a curve
	offset, scale float64 // raw = offset + scale·prepared
	all           int     // prepared columns of a row
}

// newDrawnColumn returns a feature as pictures have it, with the density of rows.
func newDrawnColumn(p *dataset.Preparation, g int, rows *model.Rows) *drawnColumn {
	group := dataset.GroupsOf(p)[g]
	c := &drawnColumn{name: group.Name, feature: &p.Features[g], columns: group.Columns, all: len(p.Columns()), points: curvePoints, scale: 1}
	if !p.Normalize {
		c.offset, c.scale = c.feature.Offset, c.feature.Scale
	} else if !c.feature.Text {
		c.name += " (normalized)"
	}
	if c.feature.Text {
		c.levels = append(slices.Clone(c.feature.Categories), unseen)
		c.rows = make([]float64, len(c.levels))
	} else {
		c.levels = c.gaps()
		c.rows = make([]float64, len(c.levels))
		c.bounds(rows, p.Normalize)
		c.counts = make([]float64, c.parts())
	}
	c.count(rows)
	return c
}

// gaps returns the names of the gaps of a number, in the order of its masks.
func (c *drawnColumn) gaps() (out []string) {
	if c.feature.Mask {
		out = append(out, "gap")
	}
	for _, code := range c.feature.Codes {
		out = append(out, "gap "+strings.ReplaceAll(strconv.FormatFloat(code, 'g', -1, 64), "-", "−"))
	}
	return out
}

// seen returns the levels but for that of unseen categories, if no row has it.
func (c *drawnColumn) seen() []string {
	if last := len(c.levels) - 1; c.feature.Text && c.rows[last] == 0 {
		return c.levels[:last]
	}
	return c.levels
}

// number returns the number of a row in units of the file; ok is false at a gap.
func (c *drawnColumn) number(row []float64) (v float64, ok bool) {
	for _, m := range c.columns[1:] {
		if row[m] > 1.0/2 {
			return 0, false
		}
	}
	return c.offset + c.scale*row[c.columns[0]], true
}

// level returns which level a row has; −1 stands for a number.
func (c *drawnColumn) level(row []float64) int {
	marks := c.columns
	none := len(c.levels) - 1
	if !c.feature.Text {
		marks, none = marks[1:], -1
	}
	for k, m := range marks {
		if row[m] > 1.0/2 {
			return k
		}
	}
	return none
}

// bounds sets the range of the training rows and of the rows, and whether numbers are whole.
func (c *drawnColumn) bounds(rows *model.Rows, normalized bool) {
	c.low, c.high, c.whole = math.Inf(1), math.Inf(-1), true
	if !normalized {
		c.low, c.high = c.feature.Low, c.feature.High
	}
	for i := range rowsIn(rows.X) {
		if v, ok := c.number(rows.X.RawRowView(i)); ok {
			c.low, c.high = math.Min(c.low, v), math.Max(c.high, v)
			c.whole = c.whole && isWhole(v)
		}
	}
	if !(c.low <= c.high) { // all are gaps
		c.low, c.high = 0, 0
	}
	if c.whole = c.whole && c.high-c.low <= mostDotted; c.whole {
		c.low, c.high = math.Round(c.low), math.Round(c.high)
	}
}

// parts returns in how many parts of the range rows are counted.
func (c *drawnColumn) parts() int {
	if c.whole {
		return int(c.high-c.low) + 1
	}
	return countedParts
}

// count counts rows in parts of the range and at levels.
func (c *drawnColumn) count(rows *model.Rows) {
	for i := range rowsIn(rows.X) {
		w := 1.0
		if rows.Weight != nil {
			w = rows.Weight[i]
		}
		row := rows.X.RawRowView(i)
		if k := c.level(row); k >= 0 {
			c.rows[k] += w
			continue
		}
		v, _ := c.number(row)
		k := 0
		if c.high > c.low {
			k = int(float64(len(c.counts)) * (v - c.low) / (c.high - c.low))
		}
		c.counts[min(max(k, 0), len(c.counts)-1)] += w
	}
}

// grid returns about so many numbers from low to high, whole ones among them where all are whole.
func (c *drawnColumn) grid(many int) []float64 {
	if c.high == c.low {
		return []float64{c.low}
	}
	steps := many
	if c.whole {
		between := int(c.high - c.low)
		steps = between * max(1, many/between)
	}
	out := make([]float64, steps+1)
	for k := range out {
		out[k] = c.low + (c.high-c.low)*float64(k)/float64(steps)
	}
	return out
}

// at returns prepared rows that have these numbers, and then all levels, in the column, and 0 in all others.
func (c *drawnColumn) at(numbers []float64) *mat.Dense {
	x := mat.NewDense(len(numbers)+len(c.levels), c.all, nil)
	for i, v := range numbers {
		c.set(x.RawRowView(i), v, -1)
	}
	for k := range c.levels {
		c.set(x.RawRowView(len(numbers)+k), 0, k)
	}
	return x
}

// set gives a prepared row a number in the column, or a level from 0 on.
func (c *drawnColumn) set(row []float64, number float64, level int) {
	marks := c.columns
	if !c.feature.Text {
		marks = marks[1:]
		if row[c.columns[0]] = (number - c.offset) / c.scale; level >= 0 {
			row[c.columns[0]] = c.feature.Fill
		}
	}
	for k, m := range marks {
		row[m] = 0
		if k == level {
			row[m] = 1
		}
	}
}

// isWhole reports whether a number is whole, to within the last digits that preparation costs.
func isWhole(v float64) bool {
	return math.Abs(v-math.Round(v)) < math.Min(1e-9*math.Max(1, math.Abs(v)), 1e-6)
}

// wholes returns the positions of whole numbers in a grid; nil where not all numbers are whole.
func (c *drawnColumn) wholes(grid []float64) (out []int) {
	for k, v := range grid {
		if c.whole && isWhole(v) {
			out = append(out, k)
		}
	}
	return out
}

// A shape is one function or several, at prepared rows: rows × functions. The rows have one column set, and 0 elsewhere.
type shape func(x *mat.Dense) (*mat.Dense, error)

// draw draws functions of the column.
func (c *drawnColumn) draw(h picture.Heading, functions []picture.Function, of shape) ([]byte, error) {
	var grid []float64
	if !c.feature.Text {
		grid = c.grid(c.points)
	}
	values, err := of(c.at(grid))
	if err != nil {
		return nil, err
	}
	var levels []picture.Level
	for k, name := range c.levels {
		levels = append(levels, picture.Level{Name: name, Y: slices.Clone(values.RawRowView(len(grid) + k)), Rows: c.rows[k]})
	}
	if c.feature.Text {
		b := &picture.Bars{Heading: h, Functions: functions, Levels: levels}
		if b.Left = max(0, len(levels)-mostLevels); b.Left > 0 { // the most frequent ones
			slices.SortStableFunc(levels, func(a, b picture.Level) int { return cmp.Compare(b.Rows, a.Rows) })
			b.Levels = levels[:mostLevels]
		}
		return b.Draw(), nil
	}
	p := &picture.Curve{Heading: h, Functions: functions, X: grid, Levels: levels, Rows: c.counts, Whole: c.wholes(grid)}
	for k := range functions {
		p.Y = append(p.Y, mat.Col(nil, k, values.Slice(0, len(grid), 0, len(functions))))
	}
	return p.Draw(), nil
}
