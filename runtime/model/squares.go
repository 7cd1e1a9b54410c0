package model

import (
	"iter"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// formsOf returns the invariances of R, or of a part of it, as sums of squares of functionals, where a fit needs no more of these. It returns nil where
// one is no such sum, or lies over an interval, and where functionals are added between fits. Where means stand in place of maxima, all are such sums.
func formsOf(f *fitter, reg *regularizer.Regularizer) (out []operator.Form) {
	if f.o.Method == setting.Dual || f.o.Exchange != nil || f.active != nil {
		return nil
	}
	for i := range reg.Invariances {
		inv := &reg.Invariances[i]
		weights, quadratic := inv.Gauge.Quadratic()
		if f.means {
			weights, quadratic = make([]float64, inv.Count), true
			inv.Gauge.Surrogate(weights)
		}
		if !quadratic || inv.NodesOnly || len(inv.Curves) > 0 {
			return nil
		}
		// A part of a mean over rows has the root of its share of them in its weight.
		share := inv.Weight / f.reg.Invariances[i].Weight
		floats.Scale(share*share, weights)
		out = append(out, operator.Form{First: inv.First, Weights: weights})
	}
	return out
}

// askedOf yields the functionals of whose squares R is made: all at once, or those of its parts.
//
// Each part is made as it is needed, and let go before the next one. So memory holds the points of one part, and no row of Ψ outlives it.
// The weights of a part count its share of the rows, as formsOf tells.
func askedOf(f *fitter, block *plugins.Block, forms []operator.Form) iter.Seq2[*operator.Asked, error] {
	parts := f.reg.Parts
	return func(yield func(*operator.Asked, error) bool) {
		if parts == nil || block != f.reg.Functionals {
			yield(&operator.Asked{Block: block, Rows: f.seen.X, Forms: forms, Of: 1}, nil)
			return
		}
		progress := f.stage("add up R") // nearly all of the time goes here
		for k := range parts.Count {
			reg, rows, err := parts.Make(f.ctx, k)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&operator.Asked{Block: reg.Functionals, Rows: rows, Forms: formsOf(f, reg), Of: parts.Count}, nil) {
				return
			}
			if progress != nil {
				progress(k+1, parts.Count)
			}
		}
	}
}

// takeWhole takes all of an R in parts at once. It is what is left where labels differ, as no matrix serves all of them then. Grounding may refuse
// the points of all rows as too large, and says how much memory they need.
func takeWhole(f *fitter) error {
	reg, err := f.o.Ground(f.ctx, f.reg.Nodes, false)
	if err == nil {
		f.reg, f.out.Regularizer, f.means = reg, reg, false
	}
	return err
}

// gaugeOf returns the gauge of an R as an operator has it. Where that keeps Gram matrices alone, invariances are norms of as many functionals each.
func gaugeOf(reg *regularizer.Regularizer, of *operator.Operator) *gauge.Node {
	root := reg.Gauge()
	// Norms of equal size take the place of the invariances, whatever their trees were. Weights stay.
	if squares := operator.RootsOf(of).Squares(); squares > 0 {
		one := gauge.Repeat(squares/len(root.Children), gauge.Hypot(gauge.Leaf(gauge.Abs)))
		for k := range root.Children {
			root.Children[k] = one
		}
	}
	return root
}

// offOf returns what an operator leaves out of the square of a gauge.
func offOf(of *operator.Operator, g *gauge.Node) float64 {
	if operator.RootsOf(of).Squares() == 0 {
		return 0
	}
	weights, _ := g.Quadratic()
	return operator.RootsOf(of).Off(weights)
}

// offShare is the share of the gap of embeddings that may be lost where few functionals stand for all.
const offShare = 1.0 / 16

// squared returns an operator for embeddings in which few functionals stand for all. It returns nil where none do, or where those would cost too much of the
// gap.
func squared(f *fitter, o operator.Options) (*operator.Operator, error) {
	few, err := operator.Squared(f.ctx, askedOf(f, f.reg.Functionals, formsOf(f, f.reg)), &plugins.Block{Start: []int32{0}}, f.seen.X, f.rep.Features, f.rep.Labels, o)
	if few == nil || err != nil {
		return nil, err
	}
	if lost := offOf(few, gaugeOf(f.reg, few)) / represent.Alpha; !(lost <= offShare*min(1, f.o.Gap)) {
		return nil, nil //nolint:nilnil // as the comment says
	}
	return few, nil
}
