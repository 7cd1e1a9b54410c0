package surfaces

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sipc-ml/sipc/lab/bench"
)

// A Set is a function of one to three columns that is drawn with noise, and what is known of it.
type Set struct {
	Name   string
	Inputs []string
	ranges [][2]float64
	truth  func(x []float64) float64
	noise  float64 // standard deviation
	known  []known
	widths []float64
	lambda []float64
}

// A known is a statement: the derivative of that order in a column, in units of the table, lies between two numbers everywhere.
type known struct {
	column, order int
	low, high     float64
}

// Sets are the functions that the command draws. Options has prices of calls by Black and Scholes, whose asset stands at 100, with 2 % of interest and
// 25 % of volatility.
var Sets = []Set{
	{
		Name: "options", Inputs: []string{"strike", "maturity"}, ranges: [][2]float64{{60, 140}, {0.1, 2}}, noise: 1,
		truth:  func(x []float64) float64 { return call(100, x[0], x[1], 0.02, 0.25) },
		known:  []known{{column: 0, order: 2, high: math.Inf(1)}, {column: 0, order: 1, low: -1}, {column: 1, order: 1, high: math.Inf(1)}},
		widths: []float64{1, 2, 4}, lambda: []float64{0.0001, 0.001, 0.01, 0.1},
	},
	{
		Name: "curve", Inputs: []string{"a"}, ranges: [][2]float64{{0, 1}}, noise: 0.3,
		truth: func(x []float64) float64 { return step(x[0], 0.2) + step(x[0], 0.7) },
		known: rising(1), widths: []float64{0.3, 0.6, 1.2}, lambda: []float64{0.01, 0.1, 1, 10},
	},
	{
		Name: "plane", Inputs: []string{"a", "b"}, ranges: [][2]float64{{0, 1}, {0, 1}}, noise: 0.3,
		truth: func(x []float64) float64 { return step(x[0], 0.3) + x[0]*x[1] + step(x[1], 0.6) },
		known: rising(2), widths: []float64{0.6, 1.2, 2.4}, lambda: []float64{0.01, 0.1, 1, 10},
	},
	{
		Name: "solid", Inputs: []string{"a", "b", "c"}, ranges: [][2]float64{{0, 1}, {0, 1}, {0, 1}}, noise: 0.3,
		truth: func(x []float64) float64 { return step(x[0], 0.3) + x[0]*x[1] + x[1]*x[1]*x[2] + math.Sqrt(x[2]) },
		known: rising(3), widths: []float64{1, 2, 4}, lambda: []float64{0.01, 0.1, 1, 10},
	},
}

// rising returns that a function rises in the first columns.
func rising(columns int) (out []known) {
	for c := range columns {
		out = append(out, known{column: c, order: 1, high: math.Inf(1)})
	}
	return out
}

// step returns a smooth step from 0 to 1 at a place.
func step(x, at float64) float64 { return 1 / (1 + math.Exp(-20*(x-at))) }

// call returns the price of a call by Black and Scholes.
func call(asset, strike, maturity, rate, volatility float64) float64 {
	spread := volatility * math.Sqrt(maturity)
	above := (math.Log(asset/strike)+rate*maturity)/spread + spread/2
	normal := distuv.UnitNormal
	return asset*normal.CDF(above) - strike*math.Exp(-rate*maturity)*normal.CDF(above-spread)
}

// Named returns the set of a name.
func Named(name string) (*Set, error) {
	return bench.Named(Sets, func(s *Set) string { return s.Name }, name)
}

// The fits of a set: without what is known of it, and proved to keep it on the whole box of the training rows.
const (
	Free   = "free"
	Proved = "proved"
)

// text returns the spec of a fit.
func (s *Set) text(fit string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "data { target %s : real; standardize }\nkernel   gaussian(width = grid(%s))\n", target, bench.Listed(s.widths))
	fmt.Fprintf(&b, "features nystrom(landmarks = rows)\nlearn    ridge(lambda = grid(%s))\n", bench.Listed(s.lambda))
	if fit == Free {
		return b.String() + "method   risk\n"
	}
	for i, k := range s.known {
		left := strings.Repeat(fmt.Sprintf("d/d(%s, unit = raw) ", s.Inputs[k.column]), k.order) + "f"
		relation := fmt.Sprintf("%g <= %s <= %g", k.low, left, k.high)
		if math.IsInf(k.high, 1) {
			relation = fmt.Sprintf("%s >= %g", left, k.low)
		}
		fmt.Fprintf(&b, "require  known%d = %s over x in box\n", i+1, relation)
	}
	return b.String()
}
