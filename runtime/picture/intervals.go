package picture

import (
	"math"
)

// Intervals are estimates one below the other, each with its interval.
type Intervals struct {
	Heading
	Rows []Estimate
}

// An Estimate is a number with its interval. Low and High are NaN where there is none.
type Estimate struct {
	Name, Text       string
	Value, Low, High float64
	Colour           int
}

// Sizes of a picture of intervals, in pixels.
const (
	intervalsWidth = 460
	intervalsEdge  = 28
	intervalsTop   = 56
	intervalsPitch = 44
)

// Draw returns the intervals as SVG.
func (p *Intervals) Draw() []byte {
	bottom := float64(intervalsTop + intervalsPitch*len(p.Rows))
	c := begin(&p.Heading, nil, intervalsWidth, bottom+54)
	left, right := float64(intervalsEdge), float64(intervalsWidth-intervalsEdge)
	low, high := math.Inf(1), math.Inf(-1)
	for i := range p.Rows {
		for _, v := range []float64{p.Rows[i].Value, p.Rows[i].Low, p.Rows[i].High} {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
	}
	if low > high {
		low, high = 0, 1
	}
	x := spanned(low, high, 0.06, left, right)
	for _, t := range x.ticks(70, false) {
		c.line(x.at(t.value), intervalsTop, x.at(t.value), bottom, frame)
		c.text(x.at(t.value), bottom+17, style{anchor: middle, size: smallSize, muted: true}, t.text)
	}
	c.text((left+right)/2, bottom+38, style{anchor: middle}, fit(p.values(), right-left, fontSize))
	for k := range p.Rows {
		c.estimate(&p.Rows[k], x, intervalsTop+intervalsPitch*(float64(k)+0.5))
	}
	c.box(left, intervalsTop, right-left, bottom-intervalsTop)
	return c.done()
}

// estimate draws one interval at a height.
func (c *canvas) estimate(e *Estimate, x axis, y float64) {
	c.text(intervalsEdge+8, y-5, style{bold: e.Colour == 0}, fitName(e.Name, intervalsWidth/2-intervalsEdge-30, fontSize))
	c.text(intervalsWidth-intervalsEdge-8, y-5, style{anchor: end, size: smallSize, muted: true}, e.Text)
	y += 9
	if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
		return
	}
	if !math.IsNaN(e.Low) && !math.IsNaN(e.High) {
		a, b := x.at(e.Low), x.at(e.High)
		c.addf(`<path d="M%s %sH%sM%s %sv10M%s %sv10" fill="none" stroke="%s" stroke-width="2"/>`,
			px(a), px(y), px(b), px(a), px(y-5), px(b), px(y-5), colour(e.Colour))
	}
	c.addf(`<circle cx="%s" cy="%s" r="4.5" fill="%s"/>`, px(x.at(e.Value)), px(y), colour(e.Colour))
}
