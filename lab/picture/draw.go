package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Where things are, in pixels. Above each plot stand the digits, each above its own angle.
const (
	width, height = 760, 420
	left          = 50  // of the first plot
	pitch         = 38  // from digit to digit, so from angle shown to angle shown
	plotWidth     = 342 // pitch times the 9 angles shown
	between       = 10  // from plot to plot
	digitTop      = 78
	digitSize     = 35
	plotTop       = 120
	plotHeight    = 236
	limit         = 2.0 // f is shown from −limit to limit
)

// The colours stand on a ground of their own, so that they are right on light and on dark pages.
const (
	ground = "#ffffff"
	frame  = "#d0d7de"
	text   = "#24292f"
	muted  = "#57606a"
	band   = "#e6effb"
)

// How each contender is drawn, and what the legend says of it; the dashes tell the curves apart without colours.
var (
	strokes = [contenders]string{
		`stroke="#0b5cc4" stroke-width="2.6"`, `stroke="#1a7f37" stroke-width="1.9" stroke-dasharray="1.5 3" stroke-linecap="round"`,
		`stroke="#c2410c" stroke-width="1.9" stroke-dasharray="6 3"`,
	}
	legends = [contenders]string{"embed: told by R", "augment: told by copies", "plain: not told"}
)

// A canvas takes SVG.
type canvas struct{ bytes.Buffer }

func (c *canvas) addf(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

// draw returns the picture as SVG.
func draw(m *measurement) []byte {
	c := &canvas{}
	c.addf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="12" fill="%s">`,
		width, height, width, height, text)
	c.addf(`<title>What three models say of a digit that is turned</title>`)
	c.addf(`<rect x="0.5" y="0.5" width="%d" height="%d" rx="8" fill="%s" stroke="%s"/>`, width-1, height-1, ground, frame)
	c.heading(m)
	for k := range m.subjects {
		c.panel(&m.subjects[k], left+float64(k*(plotWidth+between)))
	}
	c.upright(m)
	c.caption()
	c.addf(`</svg>`)
	return c.Bytes()
}

// heading says what is seen, and which curve is which.
func (c *canvas) heading(m *measurement) {
	c.addf(`<text x="16" y="28" font-size="14" font-weight="600">`+
		`Turned by ±%d°, of %d held-out digits change class: plain %d, embed %d, augment %d</text>`,
		declared, m.heldOut, m.flips[plain], m.flips[embed], m.flips[augment])
	for k, x := range [contenders]int{16, 196, 406} {
		c.addf(`<path d="M%d 48h30" fill="none" %s/>`, x, strokes[k])
		c.addf(`<text x="%d" y="52">%s</text>`, x+38, legends[k])
	}
	c.addf(`<rect x="570" y="42" width="30" height="12" fill="%s"/>`, band)
	c.addf(`<text x="608" y="52">declared: ±%d°</text>`, declared)
}

// panel draws a digit's pictures and curves, the plot beginning at x.
func (c *canvas) panel(s *subject, x float64) {
	for k, a := range shown() {
		c.addf(`<g transform="translate(%.2f %d) scale(%.4f)">`, at(x, a)-digitSize/2.0, digitTop, digitSize/float64(s.side))
		c.image(s.images[k], s.side)
		c.addf(`</g>`)
	}
	c.addf(`<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`,
		at(x, -declared), plotTop, at(x, declared)-at(x, -declared), plotHeight, band)
	for v := -1; v <= 1; v++ {
		stroke := frame
		if v == 0 {
			stroke = muted
		}
		c.addf(`<path d="M%.1f %.1fh%d" stroke="%s"/>`, x, level(float64(v)), plotWidth, stroke)
	}
	for _, a := range shown() {
		c.addf(`<path d="M%.1f %dv4" stroke="%s"/>`, at(x, a), plotTop+plotHeight, muted)
		c.addf(`<text x="%.1f" y="%d" text-anchor="middle" font-size="11" fill="%s">%s</text>`, at(x, a), plotTop+plotHeight+17, muted, degrees(a))
	}
	c.addf(`<rect x="%.1f" y="%d" width="%d" height="%d" fill="none" stroke="%s"/>`, x, plotTop, plotWidth, plotHeight, frame)
	for _, k := range []int{plain, augment, embed} {
		c.curve(s.curves[k], x, strokes[k])
	}
}

// curve draws f at every degree.
func (c *canvas) curve(f []float64, x float64, stroke string) {
	var points []string
	for k, a := range angles(1) {
		points = append(points, fmt.Sprintf("%.1f,%.1f", at(x, a), level(f[k])))
	}
	c.addf(`<polyline points="%s" fill="none" stroke-linejoin="round" %s/>`, strings.Join(points, " "), stroke)
}

// image draws pixels in layers, each darker than those below and within them: so no seams show between pixels.
func (c *canvas) image(pixels []float64, side int) {
	const layers = 7
	for l := 1; l <= layers; l++ {
		var d strings.Builder
		for r := range side {
			runs(&d, pixels[r*side:(r+1)*side], r, (float64(l)-0.5)/layers)
		}
		if d.Len() > 0 {
			grey := 255 - l*(255-0x24)/layers
			c.addf(`<path fill="#%02[1]x%02[1]x%02[1]x" d="%[2]s"/>`, grey, d.String())
		}
	}
}

// runs adds a box for every run of a row's pixels that are at least as dark as a threshold.
func runs(d *strings.Builder, row []float64, r int, threshold float64) {
	for from := 0; from < len(row); from++ {
		to := from
		for to < len(row) && row[to] >= threshold {
			to++
		}
		if to > from {
			fmt.Fprintf(d, "M%d %dh%dv1h%dz", from, r, to-from, from-to)
			from = to
		}
	}
}

// upright labels the axis of f.
func (c *canvas) upright(m *measurement) {
	for v := -1; v <= 1; v++ {
		c.addf(`<text x="%d" y="%.1f" text-anchor="end" font-size="11" fill="%s">%s</text>`,
			left-8, level(float64(v))+4, muted, minus(strconv.Itoa(v)))
	}
	c.addf(`<text transform="translate(22 %.1f) rotate(-90)" text-anchor="middle">%s ← f → %s</text>`,
		level(0), m.subjects[0].class, m.subjects[1].class)
}

// caption says how the digits were chosen, and what f is measured in.
func (c *canvas) caption() {
	c.addf(`<text x="16" y="%d" font-size="11" fill="%s">`+
		`Of each class, the held-out digit whose swing of f (largest − smallest) under plain is the median. f is in units of its r.m.s.</text>`,
		height-18, muted)
}

// at returns where an angle stands in the plot that begins at x.
func at(x float64, degrees int) float64 {
	return x + pitch/2.0 + float64((degrees+turn)*pitch)/step
}

// level returns where a value of f stands.
func level(f float64) float64 { return plotTop + plotHeight*(1-f/limit)/2 }

func degrees(a int) string { return minus(strconv.Itoa(a)) + "°" }

func minus(number string) string { return strings.Replace(number, "-", "−", 1) }
