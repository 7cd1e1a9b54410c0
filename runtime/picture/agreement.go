package picture

import (
	"math"
	"strings"
)

// An Agreement compares shares that were predicted with those that were found.
type Agreement struct {
	Heading
	X, Y   string // the names of both axes
	Points []Found
	Even   bool // all points have the same cases, so that no bars count them
}

// A Found is a share that was predicted, and what was found of so many cases. Low and High are the ends of its interval.
type Found struct {
	Predicted, Found, Low, High float64
	Count                       int
}

// Sizes of the picture of an agreement, in pixels.
const (
	agreementWidth = 420
	agreementTop   = 56
	agreementSide  = 300
)

// Draw returns the agreement as SVG: points about a diagonal, and bars beneath for how many cases there are.
func (p *Agreement) Draw() []byte {
	left, right := float64(curveLeft), float64(curveLeft+agreementSide)
	bottom := float64(agreementTop + agreementSide)
	height := bottom + 54
	if !p.Even {
		height += rowsGap + rowsHeight
	}
	c := begin(&p.Heading, nil, agreementWidth, height)
	x, y := axis{0, 1, left, right}, axis{0, 1, bottom, agreementTop}
	c.effects(y, right, p.Y)
	c.addf(`<path d="M%s %sL%s %s" stroke="%s" stroke-dasharray="4 4"/>`, px(left), px(bottom), px(right), px(agreementTop), muted)
	most := 1
	for _, f := range p.Points {
		most = max(most, f.Count)
	}
	base := bottom
	if !p.Even {
		base += rowsGap + rowsHeight
	}
	for _, f := range p.Points {
		at := x.at(f.Predicted)
		if !math.IsNaN(f.Low) {
			c.addf(`<path d="M%s %sV%sm-4 0h8M%s %sm-4 0h8" fill="none" stroke="%s" stroke-width="1.6"/>`, px(at), px(y.at(f.Low)), px(y.at(f.High)), px(at), px(y.at(f.Low)), colour(0))
		}
		c.addf(`<circle cx="%s" cy="%s" r="4" fill="%s"/>`, px(at), px(y.at(f.Found)), colour(0))
		if p.Even {
			continue
		}
		tall := math.Max(1, rowsHeight*float64(f.Count)/float64(most))
		c.addf(`<rect x="%s" y="%s" width="14" height="%s" fill="%s"/>`, px(at-7), px(base-tall), px(tall), rows)
	}
	c.along(x, base, false, p.X)
	c.box(left, agreementTop, right-left, bottom-agreementTop)
	return c.done()
}

// A Scatter is points of two numbers.
type Scatter struct {
	Heading
	X, Y     string
	Points   [][2]float64
	Diagonal bool // a line of equal numbers
	Level    bool // a line at 0
}

// Draw returns the points as SVG.
func (p *Scatter) Draw() []byte {
	c := begin(&p.Heading, nil, agreementWidth, agreementTop+agreementSide+54)
	bottom := float64(agreementTop + agreementSide)
	left, right := float64(curveLeft), float64(agreementWidth-curveRight)
	lowX, highX, lowY, highY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, v := range p.Points {
		lowX, highX = math.Min(lowX, v[0]), math.Max(highX, v[0])
		lowY, highY = math.Min(lowY, v[1]), math.Max(highY, v[1])
	}
	if p.Diagonal {
		lowX, highX = math.Min(lowX, lowY), math.Max(highX, highY)
		lowY, highY = lowX, highX
	}
	if p.Level {
		lowY, highY = math.Min(lowY, 0), math.Max(highY, 0)
	}
	x, y := spanned(lowX, highX, 0.04, left, right), spanned(lowY, highY, 0.04, bottom, agreementTop)
	c.effects(y, right, p.Y)
	if p.Diagonal {
		c.addf(`<path d="M%s %sL%s %s" stroke="%s" stroke-dasharray="4 4"/>`, px(x.at(lowX)), px(y.at(lowX)), px(x.at(highX)), px(y.at(highX)), muted)
	}
	var d strings.Builder
	for _, v := range p.Points {
		d.WriteString("M" + px(x.at(v[0])) + " " + px(y.at(v[1])) + "h0")
	}
	c.addf(`<path d="%s" fill="none" stroke="%s" stroke-opacity="0.55" stroke-width="4.5" stroke-linecap="round"/>`, d.String(), colour(0))
	c.along(x, bottom, false, p.X)
	c.box(left, agreementTop, right-left, bottom-agreementTop)
	return c.done()
}
