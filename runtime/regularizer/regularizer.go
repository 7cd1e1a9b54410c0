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
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Kind names the property that the calculus of curvature proved of an invariance.
type Kind int

// The kinds, from the strongest to the weakest.
const (
	Linear    Kind = iota // linear in f; its absolute value is meant
	Seminorm              // convex and absolutely homogeneous: Assumption 1 of the paper
	Sublinear             // convex and positively homogeneous
)

// String returns the kind's word.
func (k Kind) String() string { return [...]string{"linear", "seminorm", "sublinear"}[k] }

// KindText returns the kind's word. It adds whether the square of a seminorm is differentiable everywhere, which the
// theorems of the paper require.
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
	// Smooth says that the square is differentiable everywhere.
	Smooth bool
	Text   string // the expression, as the printer writes it
	// Gauge is R_k as a gauge of its own functionals. These are First … First+Count−1 of the block.
	Gauge *gauge.Node
	First int
	Count int
	// Curves are the functionals, counted from First, that are values of smooth functions at Lobatto nodes. The spec
	// means their maximum over an interval.
	Curves []curve.Run
	// NodesOnly says that some maximum over an interval is taken over nodes that Curves do not describe. R_k itself
	// may then be larger than Gauge, even beside what the curves attain.
	NodesOnly bool
	// Members says what the functionals, counted from First, stand for; nil means that this is not known.
	Members Members
}

// A Regularizer is R. With no invariance it is zero.
type Regularizer struct {
	Functionals *plugins.Block
	Invariances []Invariance
	Rows        int // n, of the training data
	// Total is the sum of the rows' weights, which takes the place of n; 0 means that each row counts once.
	Total float64
	// Parts are those of R where it is a sum over rows of which not all are held. The functionals are those of the first rows then, and the invariances
	// theirs. Nil says that all are held.
	Parts *Parts
	// Looks is at how many points functionals would look, where those of a draw of rows alone have terms. 0 says that all have.
	Looks int
	// Nodes is the number of values that a parameter takes if a quantifier ranges over an interval.
	Nodes int
}

// Parts are an R of rows that come in parts, one after another, R² = Σ_k R_k². Each is made when it is asked for, and may be made again.
type Parts struct {
	Count int
	// Make returns part k, and the rows that it was grounded on. Its size is as if it were all of R, but for the factor of its share.
	Make func(ctx context.Context, k int) (*Regularizer, *mat.Dense, error)
	// Held are the rows that the first part has, of All.
	Held, All int
}

// Gauge returns √n·ρ: the root of the sum of squares of the weighted invariances, times √n. Here n is the number of
// rows, or the sum of their weights. It returns nil if R is zero.
func (r *Regularizer) Gauge() *gauge.Node {
	if len(r.Invariances) == 0 {
		return nil
	}
	scale := math.Sqrt(cmp.Or(r.Total, float64(max(1, r.Rows))))
	root := &gauge.Node{Op: gauge.Norm, P: 2}
	for i := range r.Invariances {
		root.Children = append(root.Children, r.Invariances[i].Gauge)
		root.Weights = append(root.Weights, scale*r.Invariances[i].Weight)
	}
	return root
}

// Curves returns the curves of all invariances, counted among all functionals.
func (r *Regularizer) Curves() []curve.Run {
	var out []curve.Run
	for i := range r.Invariances {
		for _, run := range r.Invariances[i].Curves {
			out = append(out, run.Moved(r.Invariances[i].First))
		}
	}
	return out
}

// Kind returns the weakest kind among the invariances, which is that of R as a whole.
func (r *Regularizer) Kind() Kind {
	kind := Seminorm
	for i := range r.Invariances {
		kind = max(kind, r.Invariances[i].Kind)
	}
	return kind
}

// Value returns R if t holds the values of the functionals. It sets parts to the values of the unweighted
// invariances; parts may be nil.
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
