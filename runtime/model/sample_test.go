package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
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
				thinned := s.sample(&site{rows: mat.NewDense(rows, 1, nil), reg: reg}, 0)
				if size > fewEmbedded != (thinned != nil) {
					t.Fatalf("%d functionals are thinned: %+v", size, thinned)
				}
				if thinned == nil {
					continue
				}
				factors, of := thinned.factors, thinned.of
				if of.Of != size || of.Elements > fewEmbedded || floats.Count(func(v float64) bool { return v > 0 }, factors) != of.Elements {
					t.Errorf("%d of %d elements, %+v", of.Elements, of.Of, of)
				}
				if of.AtLeast != (name == "maxima") {
					t.Errorf("the value of a sample is a lower bound: %v", of.AtLeast)
				}
				want := root.Value(values)
				if got := root.Value(floats.MulTo(make([]float64, size), values, factors)); math.Abs(got-want) > 1e-9*want {
					t.Errorf("of parts of %v the value is %v, estimated as %v", parts, want, got)
				}
			}
		})
	}
}

// What a sample may be off by is told by the spread of its elements: over many samples of norms and sums the squares of errors are about those
// of the standard errors. Nothing is told where the largest elements alone count.
func TestSpreadTellsErrorsOfSamples(t *testing.T) {
	const rows, samples = 600, 150
	one := func(n *gauge.Node) *gauge.Node { return gauge.Repeat(rows, n) }
	abs := gauge.Leaf(gauge.Abs)
	for name, c := range map[string]struct {
		root *gauge.Node
		told int
		// alike says that parts over the same rows have the same values there, as derivatives of one function have similar ones.
		alike bool
	}{
		"mean":               {root: gauge.Scaled(one(gauge.SumOf(abs)), 1.0/rows), told: 25},
		"rms":                {root: gauge.Scaled(one(gauge.Hypot(abs)), 0.04), told: 25},
		"rms in groups":      {root: one(gauge.Hypot(abs)), told: 150},
		"norm":               {root: one(gauge.NormOf(3, abs)), told: 40},
		"sum of a mean":      {root: gauge.SumOf(gauge.Scaled(one(gauge.SumOf(abs)), 0.02), one(gauge.Hypot(abs))), told: 60},
		"parts alike":        {root: gauge.SumOf(one(gauge.Hypot(abs)), one(gauge.Hypot(abs)), one(gauge.Hypot(abs))), told: 120, alike: true},
		"hypot with the max": {root: gauge.Hypot(one(gauge.Hypot(abs)), one(gauge.MaxOf(abs))), told: 60},
	} {
		t.Run(name, func(t *testing.T) {
			size := c.root.Size()
			var errs, told float64
			for k := range samples {
				rng := rand.New(rand.NewPCG(uint64(k), 1))
				values := make([]float64, size)
				for i := range values {
					values[i] = rng.ExpFloat64() * float64(1+i/rows)
					if c.alike && i >= rows {
						values[i] = values[i-rows]
					}
				}
				own := &thinning{cost: size, few: size / 2, told: c.told, invariance: k, of: report.Sampled{AtLeast: true}}
				own.thin(c.root)
				estimate := c.root.Value(floats.MulTo(make([]float64, size), values, own.factors))
				d, e := estimate-c.root.Value(values), own.standardError(c.root, values)
				errs, told = errs+d*d, told+e*e
			}
			ratio := math.Sqrt(told / errs)
			t.Logf("standard errors are %.3f of the errors", ratio)
			if largest := name == "hypot with the max"; largest && told != 0 || !largest && !(ratio > 0.8 && ratio < 1.25) {
				t.Errorf("errors of %v, told as %v", math.Sqrt(errs/samples), math.Sqrt(told/samples))
			}
		})
	}
}

// A sample whose error is told takes no more embeddings than half of the fit's, but for the fewest that tell it; one of the largest elements, as
// many as it may.
func TestSamplesKeepToTheWorkOfTheFit(t *testing.T) {
	root := gauge.Repeat(240, gauge.Hypot(gauge.Repeat(20, gauge.MaxOf(gauge.Leaf(gauge.Abs)))))
	for _, c := range []struct {
		made, elements int
		root           *gauge.Node
	}{
		{made: 60, elements: leastTold, root: root},
		{made: 2000, elements: 50, root: root},
		{made: 60, elements: 200, root: gauge.Repeat(240, gauge.MaxOf(gauge.Repeat(20, gauge.Hypot(gauge.Leaf(gauge.Abs)))))},
	} {
		a := newAllowance(float64(c.made), c.made, 1)
		own := &thinning{cost: c.root.Size(), of: report.Sampled{AtLeast: true}}
		own.few, own.told = a.few()
		if own.thin(c.root); own.of.Elements != c.elements {
			t.Errorf("after a fit of %d embeddings, %d of %d elements, want %d", c.made, own.of.Elements, own.of.Of, c.elements)
		}
	}
}

// A linear function is evaluated at all points where rows were learnt from. Of other rows as many are enough as tell the value with its error.
func TestLinearFunctionsAreSampledElsewhere(t *testing.T) {
	root := gauge.Repeat(2*fewEvaluated, gauge.Hypot(gauge.Leaf(gauge.Abs)))
	reg := &regularizer.Regularizer{Functionals: &plugins.Block{}}
	for i := range root.Size() {
		reg.Functionals.Term(1, ^int32(reg.Functionals.Points.Append([]float64{float64(i)})), plugins.Evaluation, plugins.NoLabel)
		reg.Functionals.End()
	}
	for _, c := range []struct {
		root *gauge.Node
		few  bool
		want int // 0: all
	}{
		{root, true, fewEvaluated},
		{root, false, 0},
		{gauge.Repeat(2*fewEvaluated, gauge.MaxOf(gauge.Leaf(gauge.Abs))), true, 0},
	} {
		reg.Invariances = []regularizer.Invariance{{Name: "i", Kind: regularizer.Seminorm, Gauge: c.root, Count: c.root.Size()}}
		s := &scorer{Model: &Model{}, linear: struct{ embed.Functions }{}}
		got := 0
		if thinned := s.sample(&site{reg: reg, few: c.few}, 0); thinned != nil {
			got = thinned.of.Elements
		}
		if got != c.want {
			t.Errorf("%+v: %d of %d elements", c, got, c.root.Repeat)
		}
	}
}
