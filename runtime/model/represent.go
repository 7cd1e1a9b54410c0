package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// ErrNotQuadratic is the error of method warp where R has no closed form.
var ErrNotQuadratic = errors.New("method warp needs a quadratic R: rms, hypot and norm(2) of absolute values; " +
	"a maximum, a sum of absolute values or a positive part is none (method embed takes them all)")

// ErrDualSets is the error of method dual where label sets are learnt, whose conjugate is known at proximal points alone.
var ErrDualSets = errors.New("method dual does not learn the label sets of softmax; take method risk, which finds the same f, or svm, logistic or ridge")

// alpha is the weight of ‖V‖² in J; specs scale R instead.
const alpha = 1

// blockRows is how many rows pass through the feature map at once.
const blockRows = 256

// A Representer embeds rows. It may be used by one goroutine at a time.
type Representer struct {
	Method   setting.Method
	Features embed.Map
	Operator *operator.Operator // nil where R is zero
	Gauge    *gauge.Node        // nil where R is zero
	Labels   int                // m; 1 where f is a function of x alone
	Scale    float64            // of every embedding; see Calibrate
	Gap      float64            // the certified gap to reach

	// Nodes is how many nodes stand for an interval over which R takes a maximum or an integral; 0 where it takes none.
	Nodes   int
	Between Between       // the least that is known between them
	Curves  *polar.Curves // what is known; may be nil
	// Afterwards says that the gap is reached at the nodes and the interval certified afterwards, because what lies between
	// the nodes keeps most embeddings from the gap, or is an integral.
	Afterwards bool

	// Reach is the labels at which the embeddings of each label are not zero; nil where they are solved for at all labels.
	Reach [][]int32

	reaches *reaches // of Reach

	solver *polar.Solver
	apart  []piece      // nil where R couples all labels
	factor polar.Factor // of Warp
	warp   []float64    // weights of Warp
}

// A Part is the embeddings of some right-hand sides. Right-hand side row·PerRow + y belongs to label y of a row.
type Part struct {
	First int        // the first right-hand side
	Iota  *mat.Dense // scaled embeddings, one a row
	Gap   []float64  // their certified relative gaps
	Norm2 []float64  // ⟨a, ι⟩ of each, not scaled: the lower of the two bounds that the gap compares
	Work  []float64  // multiplications that iterations took for each; nil where none were made
}

// Joint reports whether every label has an embedding of its own. With R = 0 all labels share φ(x).
func (r *Representer) Joint() bool { return r.Labels > 1 && r.regularized() }

func (r *Representer) regularized() bool { return !r.Method.Direct() && r.Gauge != nil }

// PerRow is the number of embeddings of a row.
func (r *Representer) PerRow() int {
	if r.Joint() {
		return r.Labels
	}
	return 1
}

// Dim is the dimension of an embedding: d, or m·d where every label has its own, laid out label by label.
func (r *Representer) Dim() int {
	if r.Joint() {
		return r.Labels * r.Features.Dim()
	}
	return r.Features.Dim()
}

// Problem is the norm that rows are embedded under, with α = 1.
func (r *Representer) Problem() polar.Problem {
	return polar.Problem{Alpha: alpha, A: r.Operator, Gauge: r.Gauge, Curves: r.Curves}
}

// prepare sets up the solver.
func (r *Representer) prepare(ctx context.Context) (err error) {
	switch {
	case !r.regularized():
		return nil
	case r.Method == setting.Warp && r.factor == nil:
		weights, ok := r.Gauge.Quadratic()
		if !ok {
			return ErrNotQuadratic
		}
		r.warp = weights
		r.factor, err = r.Operator.Factor(ctx, alpha, weights)
	case r.Method == setting.Embed && r.solver == nil:
		settings := polar.Settings{Gap: r.Gap}
		if r.Afterwards {
			settings = polar.Settings{Gap: r.Gap / 2, Multipliers: true}
		}
		if r.apart, err = r.pieces(ctx, settings); err == nil {
			r.solver, err = polar.New(ctx, r.atNodes(r.Problem()), settings)
		}
	}
	return err
}

// atNodes is a problem as it is solved: at the nodes alone where the interval is certified afterwards.
func (r *Representer) atNodes(p polar.Problem) polar.Problem {
	if r.Afterwards {
		p.Curves = nil
	}
	return p
}

// Each embeds the rows of x (n×p) and hands the parts to emit in order; what emit gets is its own. Progress may be nil.
func (r *Representer) Each(ctx context.Context, x *mat.Dense, progress func(done, total int), emit func(Part) error) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if r.local() != nil {
		return r.eachByReach(ctx, x, progress, emit)
	}
	n, _ := x.Dims()
	count := n * r.PerRow()
	next := r.rightHandSides(x)
	done := func(p Part) error {
		if progress != nil {
			progress(p.First+len(p.Gap), count)
		}
		p.Iota.Scale(r.Scale, p.Iota)
		return emit(p)
	}
	if r.regularized() && r.Method == setting.Embed {
		return r.SolveTo(ctx, count, next, func(lo int, part *polar.Result) error {
			return done(Part{First: lo, Iota: part.Iota, Gap: part.Gap, Norm2: part.Norm2, Work: part.Work})
		})
	}
	return r.eachClosed(ctx, count, next, done)
}

// eachClosed is Each where no iterations are needed.
func (r *Representer) eachClosed(ctx context.Context, count int, next func(lo, hi int) (*mat.Dense, error), done func(Part) error) error {
	for lo := 0; lo < count; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, err := next(lo, min(lo+blockRows, count))
		if err != nil {
			return err
		}
		part, err := r.closedForm(ctx, a)
		if err != nil {
			return err
		}
		part.First = lo
		if err := done(part); err != nil {
			return err
		}
	}
	return nil
}

// SolveTo embeds count right-hand sides of dimension Dim as they are given, unscaled, by iterations: next hands over rows lo …
// hi−1, emit takes the results of those that begin at row lo, in order. R is not zero, and the method is Embed.
func (r *Representer) SolveTo(ctx context.Context, count int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *polar.Result) error) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if r.solver == nil {
		return fmt.Errorf("model: method %s has nothing to solve", r.Method)
	}
	if r.apart != nil {
		return r.solveApart(ctx, count, next, emit)
	}
	if !r.Afterwards {
		return r.solver.SolveTo(ctx, count, r.Dim(), next, emit)
	}
	q := &queue{}
	kept := func(lo, hi int) (*mat.Dense, error) {
		a, err := next(lo, hi)
		if err == nil {
			q.rows = append(q.rows, mat.DenseCopyOf(a))
		}
		return a, err
	}
	return r.solver.SolveTo(ctx, count, r.Dim(), kept, func(lo int, part *polar.Result) error {
		a, err := q.take(lo, len(part.Gap))
		if err != nil {
			return err
		}
		certify(r.Problem(), a, part)
		return emit(lo, part)
	})
}

// certify certifies for the interval what was embedded at the nodes, and takes the best multiples of it.
func certify(p polar.Problem, a *mat.Dense, part *polar.Result) {
	lower, upper := polar.Certify(p, a, part.Iota, part.Multipliers)
	for i, low := range lower {
		part.Gap[i], part.Norm2[i] = gapOf(low, upper[i]), low
		v := vector(part.Iota.RawRowView(i))
		if along := blas64.Dot(vector(a.RawRowView(i)), v); along > 0 && low > 0 {
			blas64.Scal(low/along, v)
		}
	}
}

// A queue holds right-hand sides until their embeddings come.
type queue struct {
	first int // the first row's number
	rows  []*mat.Dense
}

// take takes the next count rows, which begin at lo.
func (q *queue) take(lo, count int) (*mat.Dense, error) {
	if lo != q.first || len(q.rows) == 0 {
		return nil, fmt.Errorf("model: the embedding of right-hand side %d came where %d was due", lo, q.first)
	}
	q.first += count
	_, dim := q.rows[0].Dims()
	out := mat.NewDense(count, dim, nil)
	for i := range count {
		if len(q.rows) == 0 {
			return nil, fmt.Errorf("model: %d embeddings of fewer right-hand sides", count)
		}
		out.SetRow(i, q.rows[0].RawRowView(0))
		if n, _ := q.rows[0].Dims(); n > 1 {
			q.rows[0] = q.rows[0].Slice(1, n, 0, dim).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
		} else {
			q.rows = q.rows[1:]
		}
	}
	return out, nil
}

// gapsOf certifies V and c, one a row.
func gapsOf(p polar.Problem, a, v, c *mat.Dense) (gap, norm2 []float64) {
	lower, upper := polar.Certify(p, a, v, c)
	gap = make([]float64, len(lower))
	for i := range gap {
		gap[i] = gapOf(lower[i], upper[i])
	}
	return gap, lower
}

func gapOf(lower, upper float64) float64 { return polar.Gap(lower, upper) }

// rightHandSides hands out φ(x)yᵀ for runs of right-hand sides. Runs come in ascending order.
func (r *Representer) rightHandSides(x *mat.Dense) func(lo, hi int) (*mat.Dense, error) {
	n, p := x.Dims()
	m, d := r.PerRow(), r.Features.Dim()
	from, to := 0, 0
	var phi *mat.Dense
	return func(lo, hi int) (*mat.Dense, error) {
		out := mat.NewDense(hi-lo, r.Dim(), nil)
		for k := lo; k < hi; k++ {
			row, label := k/m, k%m
			if row < from || row >= to {
				from, to = row, min(n, max(row+blockRows, (hi+m-1)/m))
				phi = mat.NewDense(to-from, d, nil)
				r.Features.Features(phi, x.Slice(from, to, 0, p).(*mat.Dense)) //nolint:forcetypeassert // a slice of a Dense is one
			}
			copy(out.RawRowView(k - lo)[label*d:(label+1)*d], phi.RawRowView(row-from))
		}
		return out, nil
	}
}

// closedForm is ι where no iterations are needed: φ itself, or M⁻¹a with M = αI + AᵀWA.
func (r *Representer) closedForm(ctx context.Context, a *mat.Dense) (Part, error) {
	b, dim := a.Dims()
	if !r.regularized() {
		return Part{Iota: a, Gap: make([]float64, b)}, nil
	}
	v := mat.NewDense(b, dim, nil)
	if err := r.factor.Solve(ctx, v, a); err != nil {
		return Part{}, err
	}
	functionals, _ := r.Operator.Dims()
	c := mat.NewDense(b, functionals, nil)
	r.Operator.Apply(c, v)
	for i := range b {
		row := c.RawRowView(i)
		for j := range row {
			row[j] *= r.warp[j]
		}
	}
	gap, norm2 := gapsOf(r.Problem(), a, v, c)
	return Part{Iota: v, Gap: gap, Norm2: norm2}, nil
}

// Embed embeds one right-hand side as it is given, of dimension Dim, without scaling.
func (r *Representer) Embed(ctx context.Context, a []float64) ([]float64, error) {
	if len(a) != r.Dim() {
		return nil, fmt.Errorf("model: a right-hand side of dimension %d, want %d", len(a), r.Dim())
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	rhs := mat.NewDense(1, len(a), slices.Clone(a))
	switch {
	case !r.regularized():
		return rhs.RawRowView(0), nil
	case r.Method == setting.Warp:
		part, err := r.closedForm(ctx, rhs)
		if err != nil {
			return nil, err
		}
		return part.Iota.RawRowView(0), nil
	}
	out, err := r.solver.Solve(ctx, rhs)
	if err != nil {
		return nil, err
	}
	return out.Iota.RawRowView(0), nil
}
