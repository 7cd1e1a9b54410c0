// Package regularizer holds the regularizer object, which the compiler makes and the runtime consumes. It has
// functionals A, not yet in any feature space, and a gauge ρ of their values,
//
//	R(f) = ρ(Af),   R² = Σ_k (w_k R_k)²,
//
// one summand for each invariance of the spec. The program minimizes n·R² beside ‖f‖², n being the number of training
// rows. Each R_k has the size of its functionals, however many there are, and a loss is a sum over rows. So a weight
// means the same on any number of rows.
package regularizer

import (
	"math"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
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

// KindText returns the kind's word, with whether the square is differentiable everywhere: the theorems of the paper ask for that of a seminorm.
func KindText(k Kind, smooth bool) string {
	if k != Sublinear && smooth {
		return "smooth seminorm"
	}
	return k.String()
}

// An Invariance is one summand of R².
type Invariance struct {
	Name   string
	Weight float64 // w_k > 0
	Kind   Kind
	Smooth bool        // the square is differentiable everywhere
	Text   string      // the expression, as the printer writes it
	Gauge  *gauge.Node // R_k as a gauge of its own functionals
	First  int         // its functionals are First … First+Count−1 of the block
	Count  int
	// Curves are the functionals, counted from First, that are the values of smooth functions at Lobatto nodes of which a
	// maximum over an interval is meant.
	Curves []curve.Run
	// NodesOnly says that some maximum over an interval is taken over nodes of which Curves do not tell: R_k itself may be
	// larger than Gauge, even beside what the curves attain.
	NodesOnly bool
	// Members says what the functionals, counted from First, stand for; nil where nobody knows.
	Members Members
}

// A Regularizer is R. With no invariance it is zero.
type Regularizer struct {
	Functionals *plugins.Block
	Invariances []Invariance
	Rows        int // n, of the training data
	Nodes       int // that a parameter takes where a quantifier ranges over an interval
}

// Gauge returns √n·ρ, the root of the sum of squares of the weighted invariances times the root of the number of rows; nil where R
// is zero.
func (r *Regularizer) Gauge() *gauge.Node {
	if len(r.Invariances) == 0 {
		return nil
	}
	scale := math.Sqrt(float64(max(1, r.Rows)))
	root := &gauge.Node{Op: gauge.Norm, P: 2}
	for i := range r.Invariances {
		root.Children = append(root.Children, r.Invariances[i].Gauge)
		root.Weights = append(root.Weights, scale*r.Invariances[i].Weight)
	}
	return root
}

// Curves are those of all invariances, counted among all functionals.
func (r *Regularizer) Curves() []curve.Run {
	var out []curve.Run
	for i := range r.Invariances {
		for _, run := range r.Invariances[i].Curves {
			out = append(out, run.Moved(r.Invariances[i].First))
		}
	}
	return out
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
