package model

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// A sample leaves out elements of index sets, and no part of a sum, maximum or norm of unlike parts: of values that are alike within each part
// the gauge is that of all.
func TestSamplesKeepUnlikeParts(t *testing.T) {
	const rows = 3000
	part := func(of func(...*gauge.Node) *gauge.Node) *gauge.Node {
		return gauge.Repeat(rows, of(gauge.Leaf(gauge.Abs)))
	}
	weighed := gauge.Scaled(part(gauge.Hypot), 1/math.Sqrt(rows))
	for name, root := range map[string]*gauge.Node{
		"sum": gauge.SumOf(weighed, part(gauge.MaxOf)), "hypot": gauge.Hypot(part(gauge.SumOf), part(gauge.MaxOf)),
		"maximum": gauge.MaxOf(part(gauge.MaxOf), weighed), "one part": part(gauge.Hypot),
		"maxima": gauge.Hypot(part(gauge.MaxOf), part(func(c ...*gauge.Node) *gauge.Node { return gauge.TopOf(5, c...) })),
	} {
		t.Run(name, func(t *testing.T) {
			size := root.Size()
			reg := &regularizer.Regularizer{Functionals: &plugins.Block{}, Rows: rows}
			for i := range size {
				at := reg.Functionals.Points.Append([]float64{float64(i)})
				reg.Functionals.Term(1, ^int32(at), plugins.Evaluation, plugins.NoLabel)
				reg.Functionals.End()
			}
			reg.Invariances = []regularizer.Invariance{{Name: "i", Kind: regularizer.Seminorm, Gauge: root, Count: size}}
			s := &scorer{Model: &Model{Represent: &represent.Representer{Labels: 1}}}
			for _, parts := range [][2]float64{{0, 1}, {1, 0}, {2, 3}} {
				values := make([]float64, size)
				for i := range values {
					values[i] = parts[i/rows]
				}
				factors, of := s.sample(&site{rows: mat.NewDense(rows, 1, nil), reg: reg}, 0)
				if size > fewEmbedded != (factors != nil) {
					t.Fatalf("%d functionals have the factors %v", size, factors)
				}
				if factors == nil {
					continue
				}
				if of.Of != size || of.Elements > fewEmbedded || floats.Count(func(v float64) bool { return v > 0 }, factors) != of.Elements {
					t.Errorf("%d of %d elements, %+v", of.Elements, of.Of, of)
				}
				if of.Least != (name == "maxima") {
					t.Errorf("the value of a sample is a lower bound: %v", of.Least)
				}
				want := root.Value(values)
				if got := root.Value(floats.MulTo(make([]float64, size), values, factors)); math.Abs(got-want) > 1e-9*want {
					t.Errorf("of parts of %v the value is %v, estimated as %v", parts, want, got)
				}
			}
		})
	}
}
