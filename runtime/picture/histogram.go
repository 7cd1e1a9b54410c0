package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Histogram counts positive numbers in parts of a logarithmic axis.
type Histogram struct {
	Heading
	Axis     string
	Bins     []Bin
	Mark     float64 // a number that is marked, as a target; 0 marks nothing
	MarkName string
}

// A Bin has the numbers between two powers of ten.
type Bin struct {
	Low, High float64 // exponents of ten
	Count     int
}

// partsOfDecade is how many bins a power of ten has.
const partsOfDecade = 4

// leastExponent is that of numbers so small that they count as one.
const leastExponent = -16

// LogBins counts numbers in quarters of decades. Those below 10⁻¹⁶, and 0, count in the least; those that are not finite do not count, and
// are returned.
func LogBins(values []float64) (bins []Bin, left int) {
	counts := map[int]int{}
	for _, v := range values {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			left++
		default:
			counts[int(math.Floor(partsOfDecade*math.Max(leastExponent, math.Log10(math.Max(v, 1e-300)))))]++
		}
	}
	keys := make([]int, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare[int])
	for _, k := range keys {
		bins = append(bins, Bin{float64(k) / partsOfDecade, float64(k+1) / partsOfDecade, counts[k]})
	}
	return bins, left
}

const (
	plotTop    = 58
	plotBottom = 248
	plotHeight = 300
)

// Draw returns the histogram as SVG. There is at least one bin.
func (p *Histogram) Draw() []byte {
	c := begin(&p.Heading, nil, curveWidth, plotHeight)
	low, high, most := math.Inf(1), math.Inf(-1), 0
	for _, b := range p.Bins {
		low, high, most = math.Min(low, b.Low), math.Max(high, b.High), max(most, b.Count)
	}
	if p.Mark > 0 {
		low, high = math.Min(low, math.Log10(p.Mark)), math.Max(high, math.Log10(p.Mark))
	}
	low, high = math.Floor(low), math.Ceil(high)
	if high-low < 1 {
		high = low + 1
	}
	left, right := float64(curveLeft), float64(curveWidth-curveRight)
	x, y := axis{low, high, left, right}, axis{0, 1.12 * float64(most), plotBottom, plotTop}
	c.effects(y, right, p.values())
	var d strings.Builder
	for _, b := range p.Bins {
		fmt.Fprintf(&d, "M%s %sV%sH%sV%sz", px(x.at(b.Low)+0.8), px(plotBottom), px(math.Min(y.at(float64(b.Count)), plotBottom-1)), px(x.at(b.High)-0.8), px(plotBottom))
	}
	c.addf(`<path d="%s" fill="%s"/>`, d.String(), colour(0))
	every := int(math.Ceil((high - low) / 8))
	for k := int(low); k <= int(high); k += every {
		at := x.at(float64(k))
		c.line(at, plotBottom, at, plotBottom+4, muted)
		c.text(at, plotBottom+17, style{anchor: middle, size: smallSize, muted: true}, Power(k))
	}
	c.text((left+right)/2, plotBottom+38, style{anchor: middle}, fit(p.Axis, right-left, fontSize))
	c.box(left, plotTop, right-left, plotBottom-plotTop)
	if p.Mark > 0 {
		c.mark(x.at(math.Log10(p.Mark)), left, right, p.MarkName)
	}
	return c.done()
}

// mark draws a dashed line with its name beside it, where there is room.
func (c *canvas) mark(at, left, right float64, name string) {
	c.addf(`<path d="M%s %sV%s" stroke="%s" stroke-width="1.8" stroke-dasharray="5 3.5"/>`, px(at), px(plotTop), px(plotBottom), colour(1))
	s, x := style{size: smallSize, anchor: end}, at-6
	if at-left < right-at {
		s.anchor, x = "", at+6
	}
	c.text(x, plotTop+14, s, name)
}

// Power writes a power of ten with raised digits.
func Power(exponent int) string {
	raised := strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	switch exponent {
	case 0:
		return "1"
	case 1:
		return "10"
	}
	return "10" + raised.Replace(strconv.Itoa(exponent))
}
