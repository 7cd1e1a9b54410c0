package picture

import (
	"fmt"
	"math"
	"strings"
)

// A Surface is a function of two columns, or several, a panel each.
type Surface struct {
	Heading
	X, Y   Side
	Panels []Panel
	Rows   [][2]float64 // where rows are, in units of X and Y
}

// A Side is one of the two columns of a surface.
type Side struct {
	Name   string
	At     []float64 // ascending: numbers in units of the file, or 0, 1, 2, … of names
	Whole  bool      // it has whole numbers alone
	Levels []string  // the names of categories; nil for numbers
	Gaps   []string  // the names of gaps of numbers, which get a strip each beside the map
}

// A Panel is a function of a surface.
type Panel struct {
	Name string
	Z    [][]float64 // Z[i][j] at Y.At[i] and X.At[j]; gaps come behind numbers
}

// onMap is the colour of what stands on maps. Their colours are light on any ground, and so it is no theme's.
const onMap = "#23282e"

// Sizes of a picture of a surface, in pixels.
const (
	panelSize   = 300
	panelTop    = 74
	panelBottom = panelTop + panelSize
	stripWidth  = 12
	stripPitch  = 15
	stripGap    = 4
	scaleWidth  = 14
	scaleRoom   = 44 // beside its numbers
	levelsOfSum = 6  // about, on either side of 0
)

// Draw returns the surface as SVG. Panels have one scale.
func (p *Surface) Draw() []byte {
	left := 66.0
	if p.Y.Levels != nil {
		left = barsNames
	}
	pitch := panelSize + 26.0
	low, high := 0.0, 0.0
	for _, panel := range p.Panels {
		l, h := extent(panel.Z)
		low, high = math.Min(low, l), math.Max(high, h)
	}
	s := newScale(low, high)
	c := begin(&p.Heading, nil, left+pitch*float64(len(p.Panels))+scaleRoom+s.breadth(), panelBottom+52)
	for k := range p.Panels {
		c.panel(p, k, left+pitch*float64(k), s)
	}
	c.text(18, (panelTop+panelBottom)/2, style{anchor: middle, turned: true}, fit(p.Y.Name, panelSize, fontSize))
	c.scale(s, left+pitch*float64(len(p.Panels))-4, p.Of)
	return c.done()
}

// axis returns the axis of a side, which leaves room for strips at its end. Names have room of one step around them.
func (s *Side) axis(from, to float64) axis {
	if n := float64(len(s.Gaps)); n > 0 {
		to -= math.Copysign(stripGap+stripPitch*n, to-from)
	}
	last := s.At[len(s.At)-1]
	if s.Levels != nil {
		return axis{-0.5, last + 0.5, from, to}
	}
	return spanned(s.At[0], last, 0, from, to)
}

// strip returns where the strip of a gap begins and ends, beyond the end of the axis of its column.
func (a axis) strip(k int) (from, to float64) {
	away := math.Copysign(1, a.to-a.from)
	from = a.to + away*(stripGap+stripPitch*float64(k)+stripPitch-stripWidth)
	return from, from + away*stripWidth
}

// ticks returns those of a side.
func (s *Side) ticks(a axis, pixels float64) []tick {
	if s.Levels == nil {
		return a.ticks(pixels, s.Whole)
	}
	var out []tick
	for k, name := range s.Levels {
		out = append(out, tick{float64(k), name})
	}
	return out
}

// panel draws one function, its left end at x.
func (c *canvas) panel(p *Surface, k int, left float64, s *scale) {
	x, y := p.X.axis(left, left+panelSize), p.Y.axis(panelBottom, panelTop)
	if len(p.Panels) > 1 {
		c.text(left, panelTop-10, style{size: smallSize}, fitName(p.Panels[k].Name, panelSize, smallSize))
	}
	if p.X.Levels != nil || p.Y.Levels != nil {
		c.cells(p, k, x, y, s)
	} else {
		c.contours(p, k, x, y, s)
	}
	c.points(p.Rows, x, y)
	c.box(x.from, y.to, x.to-x.from, y.from-y.to)
	c.strips(p, k, x, y, s)
	c.sides(p, k, x, y)
}

// strips draws what a function is at gaps of either column, and of both.
func (c *canvas) strips(p *Surface, k int, x, y axis, s *scale) {
	z, rows, cols := p.Panels[k].Z, len(p.Y.At), len(p.X.At)
	for g, name := range p.X.Gaps {
		from, to := x.strip(g)
		column := make([]float64, rows)
		for i := range column {
			column[i] = z[i][cols+g]
		}
		c.runs(column, y, s, func(a, b float64) (x, y, width, height float64) { return from, b, to - from, a - b })
		c.box(from, y.to, to-from, y.from-y.to)
		c.text((from+to)/2+4, panelBottom+5, style{anchor: end, size: smallSize, muted: true, turned: true}, fitName(name, 44, smallSize))
	}
	for g, name := range p.Y.Gaps {
		from, to := y.strip(g)
		c.runs(z[rows+g][:cols], x, s, func(a, b float64) (x, y, width, height float64) { return a, to, b - a, from - to })
		c.box(x.from, to, x.to-x.from, from-to)
		if k == 0 {
			c.text(x.from-8, (from+to)/2+4, style{anchor: end, size: smallSize, muted: true}, fitName(name, 44, smallSize))
		}
		for h := range p.X.Gaps {
			left, right := x.strip(h)
			c.addf(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s" stroke="%s"/>`, px(left), px(to), px(right-left), px(from-to), s.colour(z[rows+g][cols+h]), frame)
		}
	}
}

// runs draws values at equal steps along an axis as rectangles, one for neighbours of the same colour.
func (c *canvas) runs(values []float64, along axis, s *scale, at func(a, b float64) (x, y, width, height float64)) {
	step := (along.to - along.from) / float64(len(values))
	for from := 0; from < len(values); {
		to := from + 1
		for to < len(values) && s.colour(values[to]) == s.colour(values[from]) {
			to++
		}
		x, y, width, height := at(along.from+step*float64(from), along.from+step*float64(to))
		c.addf(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`, px(x), px(y), px(width), px(height), s.colour(values[from]))
		from = to
	}
}

// sides draws the ticks of both columns.
func (c *canvas) sides(p *Surface, k int, x, y axis) {
	room := (x.to - x.from) / float64(len(p.X.At))
	for _, t := range p.X.ticks(x, 64) {
		c.line(x.at(t.value), panelBottom, x.at(t.value), panelBottom+4, muted)
		text := t.text
		if p.X.Levels != nil {
			text = fit(text, room, smallSize)
		}
		at, anchor := x.at(t.value), middle
		if len(p.X.Gaps) > 0 && x.to-at < breadth(text, smallSize)/2 { // the name of a gap stands beside it
			at, anchor = x.to, end
		}
		c.text(at, panelBottom+17, style{anchor: anchor, size: smallSize, muted: true}, text)
	}
	c.text((x.from+x.to)/2, panelBottom+38, style{anchor: middle}, fit(p.X.Name, panelSize, fontSize))
	for _, t := range p.Y.ticks(y, 42) {
		c.line(x.from-4, y.at(t.value), x.from, y.at(t.value), muted)
		if k == 0 {
			c.text(x.from-8, y.at(t.value)+4, style{anchor: end, size: smallSize, muted: true}, fit(t.text, barsNames-44, smallSize))
		}
	}
}

// contours draws level sets of a function of two numbers, and lines between them.
func (c *canvas) contours(p *Surface, k int, x, y axis, s *scale) {
	f := &field{}
	for _, row := range p.Panels[k].Z[:len(p.Y.At)] {
		f.z = append(f.z, row[:len(p.X.At)])
	}
	for _, v := range p.X.At {
		f.x = append(f.x, x.at(v))
	}
	for _, v := range p.Y.At {
		f.y = append(f.y, y.at(v))
	}
	c.addf(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`, px(x.from), px(y.to), px(x.to-x.from), px(y.from-y.to), s.colours[0])
	var lines strings.Builder
	for l, level := range s.levels[1 : len(s.levels)-1] {
		area, line := f.outline(level)
		if area != "" {
			c.addf(`<path d="%s" fill="%s" fill-rule="evenodd"/>`, area, s.colours[l+1])
		}
		lines.WriteString(line)
	}
	if lines.Len() > 0 {
		c.addf(`<path d="%s" fill="none" stroke="%s" stroke-opacity="0.35" stroke-width="0.7"/>`, lines.String(), onMap)
	}
}

// cells draws a function of a category and something else, a cell for each.
func (c *canvas) cells(p *Surface, k int, x, y axis, s *scale) {
	cols := len(p.X.At)
	wide, high := (x.to-x.from)/float64(cols), (y.from-y.to)/float64(len(p.Y.At))
	for i, row := range p.Panels[k].Z[:len(p.Y.At)] {
		for j, v := range row[:cols] {
			// Cells overlap a little to the right and to the top, so that no ground shows between them.
			more := 0.4
			left, bottom := x.from+wide*float64(j), y.from-high*float64(i)
			c.addf(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`, px(left), px(bottom-high), px(wide+more*boolean(j < cols-1)), px(high+more*boolean(i > 0)), s.colour(v))
		}
	}
}

func boolean(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

// points draws where rows are.
func (c *canvas) points(rows [][2]float64, x, y axis) {
	var d strings.Builder
	for _, r := range rows {
		if r[0] >= x.low && r[0] <= x.high && r[1] >= y.low && r[1] <= y.high {
			d.WriteString("M" + px(x.at(r[0])) + " " + px(y.at(r[1])) + "h0")
		}
	}
	if d.Len() > 0 {
		c.addf(`<path d="%s" fill="none" stroke="%s" stroke-opacity="0.3" stroke-width="2.4" stroke-linecap="round"/>`, d.String(), onMap)
	}
}

// A scale takes values to colours: those from levels[k] on, below levels[k+1], have colours[k]. The first has no lower end.
type scale struct {
	levels  []float64 // ascending; the last is above all values
	colours []string
	digits  int
}

// newScale returns a scale of round levels, with 0 in the middle of its colours.
func newScale(low, high float64) *scale {
	size := math.Max(-low, high)
	if !(size > 0) {
		size = 1
	}
	step := round(size / levelsOfSum)
	s := &scale{digits: decimals(step)}
	first, last := math.Floor(low/step), math.Ceil(high/step)
	if last <= first {
		last = first + 1
	}
	for k := first; k <= last; k++ {
		s.levels = append(s.levels, k*step)
		if k < last {
			s.colours = append(s.colours, diverging((k+0.5)*step/size))
		}
	}
	return s
}

// breadth returns how wide the numbers are.
func (s *scale) breadth() (most float64) {
	for _, v := range s.levels {
		most = math.Max(most, breadth(number(v, s.digits), smallSize))
	}
	return most
}

// colour returns that of a value.
func (s *scale) colour(v float64) string {
	k := 0
	for k < len(s.colours)-1 && v >= s.levels[k+1] {
		k++
	}
	return s.colours[k]
}

// The ends and the middle of diverging colours: blue below 0, orange above. They are told apart by all eyes.
var ends = [3][3]float64{{33, 102, 172}, {247, 247, 247}, {230, 97, 1}}

// diverging returns the colour of a share from −1 to 1.
func diverging(t float64) string {
	t = math.Min(math.Max(t, -1), 1)
	side := ends[0]
	if t > 0 {
		side = ends[2]
	}
	var c [3]int
	for k := range c {
		c[k] = int(math.Round(ends[1][k] + math.Pow(math.Abs(t), 0.85)*(side[k]-ends[1][k])))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// scale draws the colours and their numbers, the left end at x.
func (c *canvas) scale(s *scale, x float64, of string) {
	n := len(s.colours)
	high := panelSize / float64(n)
	for k, colour := range s.colours {
		c.addf(`<rect x="%s" y="%s" width="%d" height="%s" fill="%s"/>`, px(x), px(panelBottom-high*float64(k+1)), scaleWidth, px(high+0.4*boolean(k > 0)), colour)
	}
	c.box(x, panelTop, scaleWidth, panelSize)
	every := (n + 12) / 12
	for k, v := range s.levels {
		if k%every == 0 {
			c.text(x+scaleWidth+5, panelBottom-high*float64(k)+4, style{size: smallSize, muted: true}, number(v, s.digits))
		}
	}
	c.text(x+scaleWidth+22+s.breadth(), (panelTop+panelBottom)/2, style{anchor: middle, size: smallSize, turned: true}, fit("effect on "+of, panelSize, smallSize))
}
