package levels

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/lab/bench"
)

// A Set is a table of a number to be learnt by quantiles, and what fits may choose from.
type Set struct {
	Name      string
	Inputs    []string
	Target    string
	Shape     []string // statements that are known of it, beside the order of levels
	Knots     string   // how rqss is to keep them: CI is concave and increasing, I is increasing
	landmarks string
	widths    []float64
	costs     []float64 // values of C
}

// Sets are the tables that the command knows. Statements of one input speak of each level.
var Sets = []Set{
	{
		Name: "engel", Inputs: []string{"x1"}, Target: "y", landmarks: "rows", Knots: "CI",
		Shape: []string{
			"rises   = d/d(x1) f(x, q) >= 0 over x in box, q in levels",
			"concave_ = d/d(x1) d/d(x1) f(x, q) <= 0 over x in box, q in levels", //nolint:dupword // of second order
		},
		widths: []float64{1.2, 2.4, 4.8, 9.6}, costs: []float64{1, 10, 100},
	},
	{Name: "GAGurine", Inputs: []string{"x1"}, Target: "y", landmarks: "rows", widths: []float64{0.3, 0.6, 1.2, 2.4}, costs: []float64{10, 100, 1000}},
	{Name: "mcycle", Inputs: []string{"x1"}, Target: "y", landmarks: "rows", widths: []float64{0.15, 0.3, 0.6, 1.2}, costs: []float64{1, 10, 100}},
	{Name: "CobarOre", Inputs: []string{"x1", "x2"}, Target: "y", landmarks: "rows", widths: []float64{0.3, 0.6, 1.2, 2.4}, costs: []float64{0.1, 1, 10}},
	{
		Name: "aircraft", Inputs: []string{"x"}, Target: "y", landmarks: "200", Knots: "I",
		Shape:  []string{"rises = d/d(x) f(x, q) >= 0 over x in box, q in levels"},
		widths: []float64{1.2, 2.4}, costs: []float64{1, 10},
	},
}

// Named returns the set of a name.
func Named(name string) (*Set, error) {
	return bench.Named(Sets, func(s *Set) string { return s.Name }, name)
}

// The fits of a set. Free keeps nothing, Soft makes crossings at training rows costly, and Proved requires that levels do not cross in the box. Shape
// requires also what is known of the set.
const (
	Free   = "free"
	Soft   = "soft"
	Proved = "proved"
	Shape  = "proved-shape"
)

// Rival is the fit of quantreg, and RivalShape its fit under the shape of the set.
const (
	Rival      = "quantreg"
	RivalShape = "quantreg-shape"
)

// Fits returns the fits that a set has, those of the rival excepted.
func (s *Set) Fits() []string {
	fits := []string{Free, Soft, Proved}
	if len(s.Shape) > 0 {
		fits = append(fits, Shape)
	}
	return fits
}

// Check returns an error if the set has no such fit.
func (s *Set) Check(fit string) error {
	if !slices.Contains(s.Fits(), fit) {
		return fmt.Errorf("%s has no fit %q; there are %s", s.Name, fit, strings.Join(s.Fits(), ", "))
	}
	return nil
}

// Levels are those of the quantiles.
var Levels = []float64{0.1, 0.3, 0.5, 0.7, 0.9}

// text returns the spec of a fit.
func (s *Set) text(fit string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "data { target %s : real; standardize }\nkernel   gaussian(width = grid(%s))\n", s.Target, bench.Listed(s.widths))
	fmt.Fprintf(&b, "features nystrom(landmarks = %s)\nlearn    quantile(%s, C = grid(%s))\n", s.landmarks, bench.Listed(Levels), bench.Listed(s.costs))
	switch fit {
	case Free:
		b.WriteString("method   risk\n")
	case Soft:
		b.WriteString("method   risk\ninvariance apart = rms over x, (q, r) in levels of pos(f(q) - f(r))\nregularize auto * apart\n")
	default:
		b.WriteString("require  order = f(x, r) >= f(x, q) over x in box, (q, r) in levels\n")
	}
	if fit == Shape {
		for _, statement := range s.Shape {
			fmt.Fprintf(&b, "require  %s\n", statement)
		}
	}
	return b.String()
}
