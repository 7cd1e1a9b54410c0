package main

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// A stroke is a polyline in the unit square, x to the right and y down.
type stroke [][2]float64

// arc runs along an ellipse from angle a to b, in turns, clockwise from the right.
func arc(cx, cy, rx, ry, a, b float64) stroke {
	const steps = 14
	s := make(stroke, steps+1)
	for i := range s {
		t := 2 * math.Pi * (a + (b-a)*float64(i)/steps)
		s[i] = [2]float64{cx + rx*math.Cos(t), cy + ry*math.Sin(t)}
	}
	return s
}

var glyphs = [10][]stroke{
	{arc(.5, .5, .24, .36, 0, 1)},
	{{{.38, .26}, {.52, .14}, {.52, .86}}},
	{arc(.5, .34, .22, .2, -.5, .12), {{.65, .47}, {.28, .85}, {.74, .85}}},
	{arc(.48, .32, .2, .18, -.45, .25), arc(.48, .68, .23, .18, -.25, .45)},
	{{{.3, .14}, {.28, .52}, {.7, .52}}, {{.66, .16}, {.64, .88}}},
	{{{.7, .15}, {.34, .15}, {.32, .46}}, arc(.48, .64, .22, .2, -.37, .38)},
	{{{.62, .13}, {.36, .45}}, arc(.49, .66, .21, .2, 0, 1)},
	{{{.27, .16}, {.73, .16}, {.44, .87}}},
	{arc(.5, .32, .18, .17, 0, 1), arc(.5, .68, .22, .19, 0, 1)},
	{arc(.48, .34, .2, .19, 0, 1), {{.67, .38}, {.63, .88}}},
}

// A pose says how a digit is drawn.
type pose struct {
	angle, size    float64 // radians; a factor
	dx, dy         float64 // in pixels
	wobble, radius float64 // of the control points, in the unit square; of the pen, in pixels
}

// draw renders a digit on a side×side image with values 0…255.
func draw(rng *rand.Rand, digit, side int, p pose) []float64 {
	sin, cos := math.Sincos(p.angle)
	n := float64(side)
	img := make([]float64, side*side)
	for _, s := range glyphs[digit] {
		ox, oy := p.wobble*rng.NormFloat64(), p.wobble*rng.NormFloat64()
		at := make(stroke, len(s))
		for i, q := range s {
			x := (q[0] + ox + .4*p.wobble*rng.NormFloat64() - .5) * p.size
			y := (q[1] + oy + .4*p.wobble*rng.NormFloat64() - .5) * p.size
			at[i] = [2]float64{n*(.5+cos*x-sin*y) + p.dx, n*(.5+sin*x+cos*y) + p.dy}
		}
		ink(img, side, at, p.radius)
	}
	return img
}

// ink draws a polyline with a soft round pen.
func ink(img []float64, side int, s stroke, radius float64) {
	for i := range img {
		x, y := float64(i%side)+.5, float64(i/side)+.5
		nearest := math.Inf(1)
		for k := 1; k < len(s); k++ {
			nearest = min(nearest, toSegment(x, y, s[k-1], s[k]))
		}
		img[i] = max(img[i], math.Round(255*min(1, max(0, radius+.5-nearest))))
	}
}

// toSegment returns the distance of (x, y) from the segment ab.
func toSegment(x, y float64, a, b [2]float64) float64 {
	ux, uy := b[0]-a[0], b[1]-a[1]
	t := 0.0
	if l := ux*ux + uy*uy; l > 0 {
		t = min(1, max(0, ((x-a[0])*ux+(y-a[1])*uy)/l))
	}
	return math.Hypot(x-a[0]-t*ux, y-a[1]-t*uy)
}

// turnedDigits returns fours and nines, each turned, scaled and shifted at random: what they are does not depend on it.
func turnedDigits() table {
	const side, count = 28, 660
	rng := rand.New(rand.NewPCG(49, 1))
	t := table{path: "two-digits/digits.csv.gz", rows: [][]string{pixelHeader(side)}}
	for i := range count {
		digit := []int{4, 9}[i%2]
		p := pose{
			angle: rng.NormFloat64() * 10 * math.Pi / 180, size: .75 * math.Exp(.08*rng.NormFloat64()),
			dx: 1.5 * rng.NormFloat64(), dy: 1.5 * rng.NormFloat64(), wobble: .035, radius: 1 + .25*rng.Float64(),
		}
		t.rows = append(t.rows, pixelRow(digit, draw(rng, digit, side, p)))
	}
	return t
}

// tenDigits returns upright digits of all ten classes, badly written.
func tenDigits() table {
	const side, count = 14, 400
	rng := rand.New(rand.NewPCG(10, 2))
	t := table{path: "mixup/digits.csv.gz", rows: [][]string{pixelHeader(side)}}
	for i := range count {
		digit := i % 10
		p := pose{
			angle: rng.NormFloat64() * 5 * math.Pi / 180, size: .9 * math.Exp(.05*rng.NormFloat64()),
			dx: .4 * rng.NormFloat64(), dy: .4 * rng.NormFloat64(), wobble: .03, radius: .8 + .3*rng.Float64(),
		}
		t.rows = append(t.rows, pixelRow(digit, draw(rng, digit, side, p)))
	}
	return t
}

func pixelHeader(side int) []string {
	h := []string{"digit"}
	for i := range side * side {
		h = append(h, "p"+strconv.Itoa(i))
	}
	return h
}

func pixelRow(digit int, img []float64) []string {
	r := []string{strconv.Itoa(digit)}
	for _, v := range img {
		r = append(r, strconv.Itoa(int(v)))
	}
	return r
}
