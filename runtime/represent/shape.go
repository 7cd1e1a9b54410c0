package represent

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/cache"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// A shape is a problem that labels share, each with labels of its own in the places of the support.
type shape struct {
	at, width int // the label's own place, and how many there are
	// direct says that embeddings have a closed form, and yields that iterations take its place where weights are too large for it.
	direct, yields bool

	inner  *operator.Operator // functionals of the support alone
	gauge  *gauge.Node        // nil: there are none
	form   *closedForm        // of shapes of one label that have one; nil where it was not looked for
	solver solver
	cache  *cache.Folder
	rim    *operator.Operator // functionals that the support has a part in
	whole  *gauge.Node        // nil: there are none, or none but the inner ones
	ops    []gauge.Op         // of its leaves
	bounds *polar.Measure     // under the rim's problem; nil: not yet needed
}

// shareOfSupport is the share of the gap to which the smaller problem is solved; the rest is for what it leaves out.
const shareOfSupport = 0.5

// A partial holds embeddings of some rows for the labels of a shape: row i of iota has d numbers for each place of
// the support. Labels of one shape have the same embeddings there, up to the names of the places.
type partial struct {
	iota  *mat.Dense
	gap   []float64
	norm2 []float64 // ⟨a, ι⟩, not scaled
	worst []float64 // the largest value of each functional of the rim, over the rows whose gap is missed; nil: none is
}

// solve embeds rows, whose features are given, as far as the shape goes.
func (s *shape) solve(ctx context.Context, phi *mat.Dense, to polar.Settings) (*partial, error) {
	if err := s.prepare(ctx, to.Gap); err != nil {
		return nil, err
	}
	if s.form != nil {
		b, err := s.form.embed(ctx, phi)
		if n := len(b.Gap); err == nil && to.Progress != nil {
			to.Progress(n, n)
		}
		return &partial{iota: b.Iota, gap: b.Gap, norm2: b.Norm2}, err
	}
	n, d := phi.Dims()
	a := mat.NewDense(n, s.width*d, nil)
	for i := range n {
		copy(a.RawRowView(i)[s.at*d:], phi.RawRowView(i))
	}
	if s.solver == nil {
		problem := polar.Problem{Alpha: Alpha, Gauge: s.gauge}
		if s.gauge != nil {
			problem.A = s.inner
		}
		var err error
		smaller := to
		if s.whole != nil {
			smaller.Gap *= shareOfSupport
		}
		if s.solver, err = iterations(ctx, problem, smaller, s.cache); err != nil {
			return nil, err
		}
	}
	result, err := s.solver.Solve(ctx, a)
	if err != nil {
		return nil, err
	}
	out := &partial{iota: result.Iota, gap: result.Gap, norm2: result.Norm2}
	if s.whole == nil {
		return out, nil
	}
	functionals, _ := s.rim.Dims()
	values := mat.NewDense(min(n, BlockRows), functionals, nil) // of some rows at a time, as functionals are as many times the rows
	for lo := 0; lo < n; lo += BlockRows {
		hi := min(lo+BlockRows, n)
		t := values.Slice(0, hi-lo, 0, functionals).(*mat.Dense)             //nolint:forcetypeassert // a slice of a Dense is one
		s.rim.Apply(t, result.Iota.Slice(lo, hi, 0, s.width*d).(*mat.Dense)) //nolint:forcetypeassert // as above
		for i := lo; i < hi; i++ {
			upper := result.Norm2[i] * (1 + result.Gap[i])
			s.certify(out, i, a.RawRowView(i), t.RawRowView(i-lo), upper, to.Gap)
		}
	}
	return out, nil
}

// prepare makes the closed form where there is one, once. It returns [polar.ErrIndefinite] where weights are too large for the form, and
// iterations do not take its place.
func (s *shape) prepare(ctx context.Context, gap float64) error {
	if s.form != nil || !s.direct {
		return nil
	}
	weights, _ := s.gauge.Quadratic()
	form, err := newClosedForm(ctx, polar.Problem{Alpha: Alpha, A: s.inner, Gauge: s.gauge}, s.inner, weights, gap)
	if s.yields && errors.Is(err, polar.ErrIndefinite) {
		s.direct = false
		return nil
	}
	if err == nil {
		s.form = form
	}
	return err
}

// certify takes the lower bound of the whole problem, ⟨a, V⟩²/J(V), and the multiple of V that attains it. The upper
// bound is that of the smaller problem, whose multipliers are 0 at all other functionals. Where the gap is missed, it
// notes by which functionals.
func (s *shape) certify(p *partial, i int, a, t []float64, upper, gap float64) {
	v := vector(p.iota.RawRowView(i))
	rho := s.whole.Value(t)
	along, j := blas64.Dot(vector(a), v), Alpha*blas64.Dot(v, v)+rho*rho
	if upper == 0 {
		return // a is zero, and so is ι
	}
	if s.bounds == nil {
		s.bounds = polar.NewMeasure(polar.Problem{Alpha: Alpha, A: s.rim, Gauge: s.whole})
	}
	// V is zero outside of the support, so that functionals beyond the rim are 0 at V.
	lower := s.bounds.Lower(a, v.Data, t)
	if p.gap[i], p.norm2[i] = polar.Gap(lower, upper), lower; lower > 0 {
		blas64.Scal(along/j, v)
	}
	if p.gap[i] <= gap {
		return
	}
	if p.worst == nil {
		p.worst = make([]float64, len(t))
	}
	for k, x := range t {
		// A positive part takes no notice of a negative value.
		if s.ops[k] == gauge.Abs {
			x = math.Abs(x)
		}
		p.worst[k] = max(p.worst[k], x)
	}
}
