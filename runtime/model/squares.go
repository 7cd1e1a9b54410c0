package model

import (
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// formsOf returns R's invariances as sums of squares of functionals, where a fit needs no more of these. It returns nil where one is no such sum,
// or lies over an interval, and where functionals are added between fits.
func formsOf(f *fitter) (out []operator.Form) {
	if f.o.Method != setting.Risk || f.o.Exchange != nil {
		return nil
	}
	for i := range f.reg.Invariances {
		inv := &f.reg.Invariances[i]
		weights, quadratic := inv.Gauge.Quadratic()
		if !quadratic || inv.NodesOnly || len(inv.Curves) > 0 {
			return nil
		}
		out = append(out, operator.Form{First: inv.First, Weights: weights})
	}
	return out
}

// gaugeOf returns R's gauge as its operator has it. Where that keeps Gram matrices alone, invariances are norms of as many functionals each.
func gaugeOf(f *fitter) *gauge.Node {
	root := f.reg.Gauge()
	// Norms of equal size take the place of the invariances, whatever their trees were. Weights stay.
	if squares := operator.RootsOf(f.op).Squares(); squares > 0 {
		one := gauge.Repeat(squares/len(root.Children), gauge.Hypot(gauge.Leaf(gauge.Abs)))
		for k := range root.Children {
			root.Children[k] = one
		}
	}
	return root
}

// offOf returns what the operator of a problem leaves out of R².
func offOf(f *fitter, p *risk.Problem) float64 {
	if operator.RootsOf(f.op).Squares() == 0 {
		return 0
	}
	weights, _ := p.Gauge.Quadratic()
	return operator.RootsOf(f.op).Off(weights)
}
