package picture

import "math"

// Bars are functions of a column of categories, one below the other.
type Bars struct {
	Heading
	Functions []Function
	Levels    []Level
	Left      int // how many further levels are not drawn
}

// Sizes of a picture of bars, in pixels.
const (
	barsNames = 130 // for names
	barsRows  = 70  // for numbers of rows
	barsPitch = 24
	barsTop   = 92
)

// Draw returns the bars as SVG.
func (p *Bars) Draw() []byte {
	bottom := float64(barsTop + barsPitch*len(p.Levels))
	c := begin(&p.Heading, p.Functions, curveWidth, bottom+58)
	left, right := float64(barsNames), float64(curveWidth-curveRight-barsRows)
	all := [][]float64{{0}}
	most := 0.0
	for _, l := range p.Levels {
		all, most = append(all, l.Y), math.Max(most, l.Rows)
	}
	low, high := extent(all)
	x := spanned(low, high, 0.06, left, right)
	for _, t := range x.ticks(64, false) {
		stroke := frame
		if t.value == 0 {
			stroke = muted
		}
		c.line(x.at(t.value), barsTop, x.at(t.value), bottom, stroke)
		c.text(x.at(t.value), bottom+17, style{anchor: middle, size: smallSize, muted: true}, t.text)
	}
	c.text((left+right)/2, bottom+38, style{anchor: middle}, fit(p.values(), right-left, fontSize))
	c.text(right+12, barsTop-7, style{size: smallSize, muted: true}, "rows")
	for k := range p.Levels {
		c.bar(p, &p.Levels[k], barsTop+barsPitch*(float64(k)+0.5), x, right, most)
	}
	if p.Left > 0 {
		c.text(16, bottom+38, style{size: smallSize, muted: true}, "and "+Number(float64(p.Left))+" more")
	}
	c.box(left, barsTop, right-left, bottom-barsTop)
	return c.done()
}

// bar draws a level: a bar of one function, points of several.
func (c *canvas) bar(p *Bars, l *Level, y float64, x axis, right, most float64) {
	c.text(barsNames-8, y+4, style{anchor: end, size: smallSize}, fitName(l.Name, barsNames-20, smallSize))
	if own := ownFunctions(p.Functions); own == 1 {
		from, to := math.Min(x.at(0), x.at(l.Y[0])), math.Max(x.at(0), x.at(l.Y[0]))
		c.addf(`<rect x="%s" y="%s" width="%s" height="12" fill="%s"/>`, px(from), px(y-6), px(to-from), colour(p.Functions[0].Colour))
		for k := range p.Functions[1:] {
			c.dot(x.at(l.Y[k+1]), y, &p.Functions[k+1])
		}
	} else {
		for k := len(p.Functions) - 1; k >= 0; k-- {
			c.dot(x.at(l.Y[k]), y, &p.Functions[k])
		}
	}
	if l.Rows > 0 {
		c.addf(`<rect x="%s" y="%s" width="%s" height="12" fill="%s"/>`, px(right+12), px(y-6), px(math.Max(1, 24*l.Rows/most)), rows)
	}
	c.text(right+40, y+4, style{size: smallSize, muted: true}, Number(l.Rows))
}

// ownFunctions returns how many functions are not free.
func ownFunctions(all []Function) (own int) {
	for _, f := range all {
		if !f.Free {
			own++
		}
	}
	return own
}
