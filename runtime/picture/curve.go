package picture

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Heading stands above a picture.
type Heading struct {
	Title string // the column, or both
	Note  string // what is said of it
	Of    string // of what the effect is: of the target, or of f
	Value string // the name of the axis of values where they are no effects; empty stands for effects, which are about 0
	Desc  string // what the picture shows, for those who do not see it; may be empty
}

// values returns the name of the axis of values.
func (h *Heading) values() string { return cmp.Or(h.Value, "effect on "+h.Of) }

// A Function is one of the functions in a picture.
type Function struct {
	Name   string
	Colour int // those of the same colour belong together
	Free   bool
}

// A Curve is a function of a column of numbers, or several.
type Curve struct {
	Heading
	Axis      string // the name of the column; empty stands for the title
	Functions []Function
	X         []float64   // ascending, in units of the file
	Y         [][]float64 // of each function, at X
	Low, High [][]float64 // of each function, the ends of a band at X; nil where there are none
	Whole     []int       // positions in X that get a point, as the column has whole numbers alone
	Levels    []Level     // of gaps
	Rows      []float64   // how many rows there are at each whole number, or else in each part of the range of X, parts of equal length
}

// A Level stands for a category or a gap, which have no numbers.
type Level struct {
	Name string
	Y    []float64 // of each function
	Rows float64   // how many rows have it
}

// Sizes of a picture of a curve, in pixels.
const (
	curveWidth  = 520
	curveHeight = 350
	curveLeft   = 66
	curveRight  = 18
	curveTop    = 70
	curveBottom = 264 // of the plot; rows stand below
	rowsHeight  = 26
	rowsGap     = 5
	levelWidth  = 46
)

// Draw returns the curve as SVG.
func (p *Curve) Draw() []byte {
	c := begin(&p.Heading, p.Functions, curveWidth, curveHeight)
	right := curveWidth - curveRight - levelWidth*float64(len(p.Levels))
	low, high := p.extent()
	x, y := spanned(p.X[0], p.X[len(p.X)-1], 0.02, curveLeft, right), spanned(low, high, 0.06, curveBottom, curveTop)
	c.effects(y, right, p.values())
	c.along(x, curveBottom+rowsGap+rowsHeight, p.Whole != nil, fit(cmp.Or(p.Axis, p.Title), right-curveLeft, fontSize))
	c.histogram(p, x)
	for k := range p.Low {
		c.band(p, k, x, y)
	}
	for k := len(p.Functions) - 1; k >= 0; k-- {
		c.curve(p, k, x, y)
	}
	for k := range p.Levels {
		c.level(p, k, right+levelWidth*(float64(k)+0.5), y)
	}
	c.box(curveLeft, curveTop, right-curveLeft, curveBottom-curveTop)
	return c.done()
}

// extent returns the least and the greatest of all values, and of 0 where they are effects.
func (p *Curve) extent() (low, high float64) {
	all := slices.Concat(p.Y, p.Low, p.High)
	if p.Value == "" {
		all = append(all, []float64{0})
	}
	for _, l := range p.Levels {
		all = append(all, l.Y)
	}
	return extent(all)
}

// extent returns the least and the greatest number.
func extent(all [][]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range all {
		for _, t := range v {
			low, high = math.Min(low, t), math.Max(high, t)
		}
	}
	return low, high
}

// all returns the number of all rows, those of levels too.
func (p *Curve) all() (sum float64) {
	for _, n := range p.Rows {
		sum += n
	}
	for _, l := range p.Levels {
		sum += l.Rows
	}
	return sum
}

// legendPitch is the height of a line of a legend.
const legendPitch = 16

// begin begins a picture with title, note and legend. What follows is moved down by lines of the legend beyond the first.
func begin(h *Heading, functions []Function, width, height float64) *canvas {
	entries, lines := legend(functions, width)
	c := newCanvas(width, height+legendPitch*float64(lines), h.Title, h.Desc)
	c.text(16, 24, style{size: titleSize, bold: true}, fit(h.Title, width-32, titleSize))
	c.text(16, 41, style{size: smallSize, muted: true}, fit(h.Note, width-32, smallSize))
	for k, at := range entries {
		c.addf(`<path d="M%s %sh22" fill="none" %s/>`, px(at[0]), px(at[1]-4), functions[k].stroke())
		c.text(at[0]+28, at[1], style{size: smallSize}, fitName(functions[k].Name, mostLegend, smallSize))
	}
	c.addf(`<g transform="translate(0 %s)">`, px(legendPitch*float64(lines)))
	return c
}

// mostLegend is the width of the longest name of a legend.
const mostLegend = 150

// legend returns the places of names, and how many lines they take beyond the first. A single function needs none.
func legend(functions []Function, width float64) (at [][2]float64, lines int) {
	if len(functions) < 2 {
		return nil, 0
	}
	x := 16.0
	for _, f := range functions {
		need := 44 + breadth(fitName(f.Name, mostLegend, smallSize), smallSize)
		if x+need > width && x > 16 {
			x, lines = 16, lines+1
		}
		at = append(at, [2]float64{x, 58 + legendPitch*float64(lines)})
		x += need
	}
	return at, lines
}

// stroke returns how a function is drawn.
func (f *Function) stroke() string {
	if f.Free {
		return `stroke="` + colour(f.Colour) + `" stroke-width="1.8" stroke-dasharray="5 3.5"`
	}
	stroke := `stroke="` + colour(f.Colour) + `" stroke-width="2.4"`
	if f.Colour >= len(palette) { // its colour is another's, too
		stroke += ` stroke-dasharray="0.1 4.5" stroke-linecap="round"`
	}
	return stroke
}

// effects draws the axis of values, with lines across.
func (c *canvas) effects(y axis, right float64, name string) {
	const left = curveLeft
	for _, t := range y.ticks(36, false) {
		stroke := frame
		if t.value == 0 {
			stroke = muted
		}
		c.line(left, y.at(t.value), right, y.at(t.value), stroke)
		c.text(left-8, y.at(t.value)+4, style{anchor: end, size: smallSize, muted: true}, t.text)
	}
	c.text(18, (y.from+y.to)/2, style{anchor: middle, turned: true}, fitName(name, math.Abs(y.from-y.to), fontSize))
}

// band draws where most values of a function lie.
func (c *canvas) band(p *Curve, k int, x, y axis) {
	var d strings.Builder
	for i, v := range p.X {
		d.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + px(x.at(v)) + " " + px(y.at(p.High[k][i])))
	}
	for i := len(p.X) - 1; i >= 0; i-- {
		d.WriteString("L" + px(x.at(p.X[i])) + " " + px(y.at(p.Low[k][i])))
	}
	c.addf(`<path d="%sz" fill="%s" fill-opacity="0.16"/>`, d.String(), colour(p.Functions[k].Colour))
}

// along draws ticks of a column below the rows, and its name.
func (c *canvas) along(x axis, bottom float64, whole bool, name string) {
	for _, t := range x.ticks(64, whole) {
		c.line(x.at(t.value), bottom, x.at(t.value), bottom+4, muted)
		c.text(x.at(t.value), bottom+17, style{anchor: middle, size: smallSize, muted: true}, t.text)
	}
	c.line(x.from, bottom, x.to, bottom, muted)
	c.text((x.from+x.to)/2, bottom+36, style{anchor: middle}, name)
}

// histogram draws how many rows there are in parts of the range, beneath the plot. The fullest part takes all the height.
func (c *canvas) histogram(p *Curve, x axis) {
	bottom, most := float64(curveBottom+rowsGap+rowsHeight), slices.Max(append([]float64{1}, p.Rows...))
	low, high := p.X[0], p.X[len(p.X)-1]
	var d strings.Builder
	for k, n := range p.Rows {
		if n == 0 {
			continue
		}
		from := x.at(low + (high-low)*float64(k)/float64(len(p.Rows)))
		to := x.at(low + (high-low)*float64(k+1)/float64(len(p.Rows)))
		if p.Whole != nil {
			at := p.X[p.Whole[k]]
			from, to = math.Max(x.from, x.at(at-0.4)), math.Min(x.to, x.at(at+0.4))
		}
		tall := math.Max(1, rowsHeight*n/most)
		d.WriteString("M" + px(from) + " " + px(bottom) + "V" + px(bottom-tall) + "H" + px(to) + "V" + px(bottom) + "z")
	}
	if d.Len() > 0 {
		c.addf(`<path d="%s" fill="%s"/>`, d.String(), rows)
	}
}

// curve draws one function.
func (c *canvas) curve(p *Curve, k int, x, y axis) {
	points := make([]string, len(p.X))
	for i, v := range p.X {
		points[i] = px(x.at(v)) + "," + px(y.at(p.Y[k][i]))
	}
	f := &p.Functions[k]
	c.addf(`<polyline points="%s" fill="none" stroke-linejoin="round" %s/>`, strings.Join(points, " "), f.stroke())
	for i := range p.X {
		if len(p.X) == 1 || slices.Contains(p.Whole, i) {
			c.dot(x.at(p.X[i]), y.at(p.Y[k][i]), f)
		}
	}
}

// dot draws a point of a function: full, or hollow of a free one.
func (c *canvas) dot(x, y float64, f *Function) {
	fill, stroke := colour(f.Colour), colour(f.Colour)
	radius := 3.2
	if f.Free {
		fill, radius = ground, 2.8
	}
	c.addf(`<circle cx="%s" cy="%s" r="%s" fill="%s" stroke="%s" stroke-width="1.4"/>`, px(x), px(y), px(radius), fill, stroke)
}

// level draws what a gap has, at x beside the plot, and beneath which share of the rows has it.
func (c *canvas) level(p *Curve, k int, x float64, y axis) {
	l := &p.Levels[k]
	c.line(x, curveTop, x, curveBottom, frame)
	for f := len(p.Functions) - 1; f >= 0; f-- {
		c.dot(x, y.at(l.Y[f]), &p.Functions[f])
	}
	bottom := float64(curveBottom + rowsGap + rowsHeight)
	if l.Rows > 0 {
		tall := math.Max(1, rowsHeight*l.Rows/p.all())
		c.addf(`<rect x="%s" y="%s" width="12" height="%s" fill="%s"/>`, px(x-6), px(bottom-tall), px(tall), rows)
	}
	c.line(x-10, bottom, x+10, bottom, muted)
	c.text(x, bottom+17, style{anchor: middle, size: smallSize, muted: true}, fitName(l.Name, levelWidth, smallSize))
}
