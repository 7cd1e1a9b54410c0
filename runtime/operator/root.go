package operator

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// Roots tells of an operator whether labels fall apart alike. Let no functional have two labels, and every label have the same rows with the
// same weights. Then the columns of S can be ordered so that
//
//	SᵀWS = I ⊗ D,   AᵀWA = I ⊗ G,   G = ΨᵀDΨ,   M = αI + AᵀWA = I ⊗ (αI + G),
//
// and what is d×d serves all labels. A function of x alone is of that kind whenever each functional is a multiple of one stored row.
// Implications couple labels. Functionals at the own label of a row weigh rows of other labels by 0. Neither is of that kind, and Factor
// finds what serves them.
//
// An operator keeps G of the last weights, and the root for the last α. The scale of a risk, its minimum and its folds share them.
type Roots struct{ of *Operator }

// RootsOf returns the roots of an operator, which keeps those that were found.
func RootsOf(a *Operator) Roots { return Roots{a} }

// Gram returns G = AᵀWA (d×d) at every label, W = diag(w). Labels share all rows then, and no functional couples two of
// them. It returns nil where that is not so, and where d is more than 12,000. It costs one product, whatever the number of labels.
func (r Roots) Gram(ctx context.Context, w []float64) (*blas64.General, error) {
	a := r.of
	if err := checkWeights(a, 1, w); err != nil {
		return nil, err
	}
	a.cache.mu.Lock()
	defer a.cache.mu.Unlock()
	return gramOf(ctx, a, w)
}

// Root returns the lower triangle L (d×d) with M = αI + AᵀWA = LLᵀ at every label, or nil where Gram does. It adds one Cholesky factor.
// Like Factor it returns polar.ErrIndefinite and ctx's error.
func (r Roots) Root(ctx context.Context, alpha float64, w []float64) (*blas64.Triangular, error) {
	a := r.of
	if err := checkWeights(a, alpha, w); err != nil {
		return nil, err
	}
	a.cache.mu.Lock()
	defer a.cache.mu.Unlock()
	g, err := gramOf(ctx, a, w)
	if g == nil || err != nil {
		return nil, err
	}
	known := &a.cache.root
	if known.lower != nil && known.alpha == alpha {
		return known.lower, nil
	}
	// G stays, as bounds and other α need it.
	m, ok := copyOf(*g), false
	for i := range m.Rows {
		m.Data[i*m.Stride+i] += alpha
	}
	var lower blas64.Triangular
	if err := parallel.Await(ctx, func() {
		lower, ok = lapack64.Potrf(blas64.Symmetric{N: m.Rows, Stride: m.Stride, Data: m.Data, Uplo: blas.Lower})
	}); err != nil {
		return nil, err
	}
	if !ok {
		return nil, polar.ErrIndefinite
	}
	known.alpha, known.lower = alpha, &lower
	return known.lower, nil
}

// A rooted weighting is the last one of which the Gram matrix is known, and its root for one α. A nil matrix says that labels differ.
type rooted struct {
	weights []float64
	gram    *blas64.General
	alpha   float64
	lower   *blas64.Triangular
}

// times returns the Gram matrix of weights that are a multiple of the known ones, without a root; nil for other weights. A weight c times as large makes c times
// the Gram matrix:
//
//	AᵀcWA = c AᵀWA,
//
// so that a grid of weights of one seminorm asks for one product. Each weight has a root of its own, as α stays.
func (r *rooted) times(w []float64) *rooted {
	at := slices.IndexFunc(r.weights, func(v float64) bool { return v > 0 })
	if at < 0 || !(w[at] > 0) {
		return nil
	}
	// AᵀWA is linear in W, so that a multiple of it takes no product. Its root is not kept, for the other matrix
	// below it stays as it is.
	c := w[at] / r.weights[at]
	if !sameShape(floats.ScaleTo(make([]float64, len(w)), c, r.weights), w) {
		return nil
	}
	out := &rooted{weights: slices.Clone(w)}
	if r.gram != nil {
		g := copyOf(*r.gram)
		floats.Scale(c, g.Data)
		out.gram = &g
	}
	return out
}

// gramOf does what Gram does, once for the same weights. The caller holds the cache.
func gramOf(ctx context.Context, a *Operator, w []float64) (*blas64.General, error) {
	if r := &a.cache.root; r.weights != nil {
		if sameShape(r.weights, w) {
			return r.gram, nil
		}
		if scaled := r.times(w); scaled != nil {
			a.cache.root = *scaled
			return scaled.gram, nil
		}
	}
	// The weights are kept with the answer, also where that is none: labels are compared once.
	found := rooted{weights: append(make([]float64, 0, len(w)+1), w...)}
	if a.dim <= mostDense && (a.labels == 1 || sharesRows(a)) {
		g := newGeneral(a.dim, a.dim)
		d, alike := alikeBy(a, w)
		if alike {
			if err := addCoupled(ctx, a, g, ownCouplings(a, d), true); err != nil {
				return nil, err
			}
			if err := mirror(ctx, g); err != nil {
				return nil, err
			}
			found.gram = &g
		}
	}
	a.cache.root = found
	return found.gram, nil
}

// Alike reports whether there is a Gram matrix of w.
func (r Roots) Alike(w []float64) bool {
	a := r.of
	if a.dim > mostDense || a.labels > 1 && !sharesRows(a) {
		return false
	}
	_, alike := alikeBy(a, w)
	return alike
}

// alikeShare is the share by which weights may differ by rounding that count as the same.
const alikeShare = 1e-13

// alikeBy returns D with SᵀWS = I ⊗ D, and false where labels are coupled or differ.
func alikeBy(a *Operator, w []float64) (d []float64, alike bool) {
	c, d := coupledBy(a, w)
	if c == nil {
		return d, d != nil // of zeros
	}
	// C must be a multiple of the identity, up to the rounding of sums.
	own := c.at(0, 0)
	for i := range int32(c.labels) {
		if math.Abs(c.at(i, i)-own) > alikeShare*math.Abs(own) {
			return nil, false
		}
	}
	for k, p := range c.pairs {
		if p[0] != p[1] && math.Abs(c.value[k]) > alikeShare*math.Abs(own) {
			return nil, false
		}
	}
	floats.Scale(own, d)
	return d, true
}

// At sets row k of dst (len(index)×d) to what row index[k] of A has at a label. It works for every operator.
func (r Roots) At(dst blas64.General, index []int, label int) {
	a := r.of
	parallel.For(len(index), 16, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			row := rowOf(dst, k)
			clear(row)
			for _, e := range a.of(index[k]) {
				if c := a.columns[e.at]; int(c.label) == label {
					floats.AddScaled(row, e.value, rowOf(a.psi, int(c.row)))
				}
			}
		}
	})
}
