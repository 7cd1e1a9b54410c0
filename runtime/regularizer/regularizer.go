// Package regularizer holds the regularizer object, which the compiler makes and the runtime consumes: functionals A,
// not yet in any feature space, and a gauge ρ of their values,
//
//	R(f) = ρ(Af),   R² = Σ_k (w_k R_k)²,
//
// one summand for each invariance of the spec.
package regularizer

import (
	"math"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Kind is what the calculus of curvature proved of an invariance.
type Kind int

// The kinds, from the strongest to the weakest.
const (
	Linear    Kind = iota // linear in f; its absolute value is meant
	Seminorm              // convex and absolutely homogeneous: Assumption 1 of the paper
	Sublinear             // convex and positively homogeneous
)

// String is the kind's word.
func (k Kind) String() string { return [...]string{"linear", "seminorm", "sublinear"}[k] }

// An Invariance is one summand of R².
type Invariance struct {
	Name   string
	Weight float64 // w_k > 0
	Kind   Kind
	Text   string      // the expression, as the printer writes it
	Gauge  *gauge.Node // R_k as a gauge of its own functionals
	First  int         // its functionals are First … First+Count−1 of the block
	Count  int
}

// A Regularizer is R. With no invariance it is zero.
type Regularizer struct {
	Functionals *plugins.Block
	Invariances []Invariance
}

// Gauge is ρ: the root of the sum of squares of the weighted invariances; nil where R is zero.
func (r *Regularizer) Gauge() *gauge.Node {
	if len(r.Invariances) == 0 {
		return nil
	}
	root := &gauge.Node{Op: gauge.Norm, P: 2}
	for i := range r.Invariances {
		root.Children = append(root.Children, r.Invariances[i].Gauge)
		root.Weights = append(root.Weights, r.Invariances[i].Weight)
	}
	return root
}

// Kind is the weakest kind among the invariances: what R as a whole is.
func (r *Regularizer) Kind() Kind {
	kind := Seminorm
	for i := range r.Invariances {
		kind = max(kind, r.Invariances[i].Kind)
	}
	return kind
}

// Value is R where t holds the values of the functionals, and the value of each unweighted invariance in parts, which
// has one element for each of them or is nil.
func (r *Regularizer) Value(parts, t []float64) float64 {
	var sum float64
	for i := range r.Invariances {
		inv := &r.Invariances[i]
		v := inv.Gauge.Value(t[inv.First : inv.First+inv.Count])
		if parts != nil {
			parts[i] = v
		}
		sum += inv.Weight * inv.Weight * v * v
	}
	return math.Sqrt(sum)
}
