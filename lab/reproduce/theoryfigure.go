package reproduce

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// writeFigures draws the bounds of the inexact embedding as landmarks grow, and against ε.
func (t *Theory) writeFigures(dir string) ([]Figure, error) {
	out := []Figure{
		{Name: "landmarks", Text: "The bounds under Nyström's embedding as landmarks grow, beside powers of ε; the theorem bounds both by a multiple of √ε"},
		{Name: "epsilon", Text: "The same against ε: parallel lines are of one order"},
	}
	rows := [][]string{{"landmarks", "epsilon", "root_epsilon", "pairing_worst", "pairing_random", "linearity_worst", "linearity_random"}}
	for _, l := range t.Losses {
		row := []string{strconv.Itoa(l.Landmarks)}
		for _, v := range []float64{l.Epsilon, math.Sqrt(l.Epsilon), l.Pairing.Worst, l.Pairing.Random, l.Linearity.Worst, l.Linearity.Random} {
			row = append(row, number(v))
		}
		rows = append(rows, row)
	}
	for k, draw := range []func() (*picture, error){t.againstLandmarks, t.againstEpsilon} {
		p, err := draw()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", out[k].Name, err)
		}
		if err := out[k].save(dir, p, rows); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// deviationAxis is the title of the y axes.
const deviationAxis = "largest deviation, ‖f‖ = ‖g‖ = 1"

// againstLandmarks has their numbers as marks.
func (t *Theory) againstLandmarks() (*picture, error) {
	p := newPicture("Nyström's embedding: bounds by a multiple of √ε", "landmarks", deviationAxis)
	var counts []plot.Tick
	for _, l := range t.Losses {
		counts = append(counts, plot.Tick{Value: math.Log10(float64(l.Landmarks)), Label: strconv.Itoa(l.Landmarks)})
	}
	err := t.lines(p, func(l *Loss) float64 { return float64(l.Landmarks) }, append(epsilons(), deviations()...)...)
	p.X.Tick.Marker = plot.ConstantTicks(counts)
	return p, err
}

// againstEpsilon shows orders as slopes.
func (t *Theory) againstEpsilon() (*picture, error) {
	p := newPicture("Nyström's embedding: bounds by a multiple of √ε", "ε, to which f, g and S are approximable", deviationAxis)
	err := t.lines(p, func(l *Loss) float64 { return l.Epsilon }, append(epsilons(), deviations()...)...)
	p.X.Tick.Marker = decades{}
	if len(p.names) > 0 {
		p.X.Min, p.X.Max = math.Floor(p.X.Min), math.Ceil(p.X.Max)
	}
	return p, err
}

// A measure is a line of these pictures.
type measure struct {
	name string
	of   func(*Loss) float64
	look look
}

// epsilons returns the lines to hold deviations against.
func epsilons() []measure {
	return []measure{
		{"√ε", func(l *Loss) float64 { return math.Sqrt(l.Epsilon) }, look{black(), dashed(), draw.RingGlyph{}}},
		{"ε", func(l *Loss) float64 { return l.Epsilon }, look{gray(), dotted(), draw.RingGlyph{}}},
		{"ε²", func(l *Loss) float64 { return l.Epsilon * l.Epsilon }, look{gray(), dashDotted(), draw.RingGlyph{}}},
	}
}

// deviations returns the lines of what was found by search, and of the largest of random pairs.
func deviations() []measure {
	return []measure{
		{"pairing, worst", func(l *Loss) float64 { return l.Pairing.Worst }, look{blue(), nil, draw.CircleGlyph{}}},
		{"linearity, worst", func(l *Loss) float64 { return l.Linearity.Worst }, look{vermilion(), nil, draw.BoxGlyph{}}},
		{"pairing, random", func(l *Loss) float64 { return l.Pairing.Random }, look{sky(), dotted(), draw.CircleGlyph{}}},
		{"linearity, random", func(l *Loss) float64 { return l.Linearity.Random }, look{orange(), dotted(), draw.BoxGlyph{}}},
	}
}

// lines draws measures in logarithms on both axes; what is exactly 0 has no place there.
func (t *Theory) lines(p *picture, x func(*Loss) float64, measures ...measure) error {
	for _, m := range measures {
		var points plotter.XYs
		for i := range t.Losses {
			if at, v := x(&t.Losses[i]), m.of(&t.Losses[i]); at > 0 && v > 0 {
				points = append(points, plotter.XY{X: math.Log10(at), Y: math.Log10(v)})
			}
		}
		if len(points) == 0 {
			continue
		}
		if err := p.line(m.name, points, m.look); err != nil {
			return err
		}
	}
	p.Y.Tick.Marker = decades{}
	if len(p.names) > 0 {
		p.Y.Min, p.Y.Max = math.Floor(p.Y.Min), math.Ceil(p.Y.Max)
	}
	return nil
}
