package represent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/cache"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// ErrNotQuadratic reports that method warp meets an R without a closed form.
var ErrNotQuadratic = errors.New("method warp needs a quadratic R: rms, hypot and norm(2) of absolute values; " +
	"a maximum, a sum of absolute values or a positive part is none (method embed takes them all)")

// Alpha is the weight of ‖V‖² in J; specs scale R instead.
const Alpha = 1

// BlockRows is how many rows pass through the feature map at once.
const BlockRows = 256

// A Representer embeds rows. It may be used by one goroutine at a time.
type Representer struct {
	Method   setting.Method
	Features embed.Map
	Operator *operator.Operator // nil where R is zero
	Gauge    *gauge.Node        // nil where R is zero
	Labels   int                // m; 1 where f is a function of x alone
	Scale    float64            // of every embedding
	Gap      float64            // the certified gap to reach
	// MaxIterations bounds the iterations for each embedding, and MaxWork the multiplications; 0 means the solver's own bounds.
	MaxIterations int
	MaxWork       float64
	// Cache, if not nil, keeps embeddings that take long, so that they are not found again.
	Cache *cache.Folder
	// Brief says that embeddings serve to compare, and may end sooner.
	Brief bool

	// Nodes is how many nodes stand for an interval over which R takes a maximum or an integral; 0 where it takes none.
	Nodes   int
	Between Between       // the least that is known between them
	Curves  *polar.Curves // what is known; may be nil
	// Afterwards says that the gap is reached at the nodes and the interval certified afterwards. What lies between the nodes keeps most
	// embeddings from the gap then, or is an integral.
	Afterwards bool

	// Support holds, for each label, the labels at which its embeddings are not zero; nil means that they are solved for at all labels.
	Support [][]int32

	supports *supports   // of Support
	whole    solver      // by iterations; nil until it is prepared
	form     *closedForm // nil until it is prepared
}

// A Batch holds the embeddings of some right-hand sides. Right-hand side row·PerRow + y belongs to label y of a row.
type Batch struct {
	First int        // the first right-hand side
	Iota  *mat.Dense // scaled embeddings, one a row
	Gap   []float64  // their certified relative gaps
	Norm2 []float64  // ⟨a, ι⟩ of each, not scaled: the lower of the two bounds that the gap compares
	Work  []float64  // multiplications that iterations took for each; nil where none were made
	// Status says how each ended; nil where no iterations were made.
	Status []polar.Status
}

// A solver embeds right-hand sides: of the whole problem, or of one that a reduction makes of it.
type solver interface {
	// Solve embeds the rows of a.
	Solve(ctx context.Context, a *mat.Dense) (*polar.Result, error)
	// SolveTo takes count right-hand sides of some dimension from next, rows lo … hi−1 at a time, and hands results to emit in order.
	SolveTo(ctx context.Context, count, dim int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *polar.Result) error) error
}

// Joint reports whether every label has an embedding of its own. With R = 0 all labels share φ(x).
func (r *Representer) Joint() bool { return r.Labels > 1 && r.Regularized() }

// Regularized reports whether embeddings differ from φ(x).
func (r *Representer) Regularized() bool { return !r.Method.Direct() && r.Gauge != nil }

// PerRow returns the number of embeddings of a row.
func (r *Representer) PerRow() int {
	if r.Joint() {
		return r.Labels
	}
	return 1
}

// Dim returns the dimension of an embedding: d, or m·d where every label has its own, laid out label by label.
func (r *Representer) Dim() int {
	if r.Joint() {
		return r.Labels * r.Features.Dim()
	}
	return r.Features.Dim()
}

// Problem returns the norm that rows are embedded under.
func (r *Representer) Problem() polar.Problem {
	return polar.Problem{Alpha: Alpha, A: r.Operator, Gauge: r.Gauge, Curves: r.Curves}
}

// Settings returns how far the solver of that problem goes.
func (r *Representer) Settings() polar.Settings {
	s := polar.Settings{Gap: r.Gap, MaxIterations: r.MaxIterations, MaxWork: r.MaxWork}
	if r.Brief {
		s = brief(s)
	}
	return s
}

// BriefIterations bounds the iterations of embeddings that serve to compare. Most take fewer than 200.
const BriefIterations = 300

// brief returns the settings for embeddings that serve to compare. Those that take more are kept as they are.
func brief(s polar.Settings) polar.Settings {
	if s.MaxIterations == 0 || s.MaxIterations > BriefIterations {
		s.MaxIterations = BriefIterations
	}
	return s
}

// prepare sets up the closed form where R has one, and else iterations. What fails is set up anew at the next call.
func (r *Representer) prepare(ctx context.Context) error {
	if !r.Regularized() || r.form != nil || r.whole != nil {
		return nil
	}
	if !closed(r) {
		if r.Method == setting.Warp {
			return ErrNotQuadratic
		}
		return iterate(ctx, r)
	}
	weights, _ := r.Gauge.Quadratic()
	form, err := newClosedForm(ctx, r.Problem(), r.Operator, weights, r.Gap)
	// Iterations take smaller steps where the weights are too large for the closed form.
	if errors.Is(err, polar.ErrIndefinite) && iterates(r) {
		return iterate(ctx, r)
	}
	if err == nil {
		r.form = form
	}
	return err
}

// iterates reports whether iterations may embed. What they prove is of the functionals at hand, and not of those for whose squares these stand.
func iterates(r *Representer) bool {
	return r.Method == setting.Embed && operator.RootsOf(r.Operator).Squares() == 0
}

// closed reports whether embeddings have a closed form. What method embed proves between nodes it proves by iterations.
func closed(r *Representer) bool {
	_, ok := r.Gauge.Quadratic()
	return ok && (r.Method == setting.Warp || r.Nodes == 0)
}

// iterate sets up iterations, where it was not done.
func iterate(ctx context.Context, r *Representer) error {
	if r.whole != nil {
		return nil
	}
	whole, err := r.reduced(ctx, r.Problem(), r.Settings(), r.Afterwards)
	if err != nil {
		return err
	}
	r.whole = whole
	return nil
}

// reduced returns the solver of the whole problem: component by component where labels fall apart, else all at once.
func (r *Representer) reduced(ctx context.Context, p polar.Problem, s polar.Settings, afterwards bool) (solver, error) {
	if r.bySupport() == nil {
		if c, err := r.components(ctx, p, s, afterwards); c != nil || err != nil {
			return c, err
		}
	}
	return newSolver(ctx, p, s, r.Cache, afterwards)
}

// AtNodes embeds the rows of a at the nodes alone, whatever is known between them, and keeps the multipliers. The embeddings
// serve to choose nodes, and are brief.
func (r *Representer) AtNodes(ctx context.Context, a *mat.Dense, gap float64) (*polar.Result, error) {
	p, s := r.Problem(), brief(r.Settings())
	p.Curves, s.Gap, s.Multipliers, s.MaxWork = nil, gap, true, p.Work(BriefIterations/2)
	solver, err := r.reduced(ctx, p, s, false)
	if err != nil {
		return nil, err
	}
	return solver.Solve(ctx, a)
}

// Each embeds the rows of x (n×p) and hands the batches to emit in order; what emit gets is its own. Progress may be
// nil. It returns [ErrNotQuadratic] if method warp meets another R.
func (r *Representer) Each(ctx context.Context, x *mat.Dense, progress func(done, total int), emit func(Batch) error) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if r.bySupport() != nil {
		return r.eachBySupport(ctx, x, progress, emit)
	}
	n, _ := x.Dims()
	count := n * r.PerRow()
	next := r.RightHandSides(x)
	done := func(b Batch) error {
		if progress != nil {
			progress(b.First+len(b.Gap), count)
		}
		b.Iota.Scale(r.Scale, b.Iota)
		return emit(b)
	}
	if r.whole != nil && r.form == nil {
		return r.SolveTo(ctx, count, next, func(lo int, part *polar.Result) error {
			return done(Batch{First: lo, Iota: part.Iota, Gap: part.Gap, Norm2: part.Norm2, Work: part.Work, Status: part.Status})
		})
	}
	return r.eachClosed(ctx, count, next, done)
}

// eachClosed does what Each does where no iterations are needed.
func (r *Representer) eachClosed(ctx context.Context, count int, next func(lo, hi int) (*mat.Dense, error), done func(Batch) error) error {
	for lo := 0; lo < count; lo += BlockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, err := next(lo, min(lo+BlockRows, count))
		if err != nil {
			return err
		}
		batch, err := r.closedForm(ctx, a)
		if err != nil {
			return err
		}
		batch.First = lo
		if err := done(batch); err != nil {
			return err
		}
	}
	return nil
}

// SolveTo embeds count right-hand sides of dimension Dim as they are given, unscaled, by iterations. Function next hands over rows
// lo … hi−1, emit takes the results of those that begin at row lo, in order. R must have functionals that stand for themselves, and the method be Embed.
func (r *Representer) SolveTo(ctx context.Context, count int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *polar.Result) error) error {
	if !r.Regularized() || !iterates(r) {
		return fmt.Errorf("represent: method %s has nothing to solve", r.Method)
	}
	if err := iterate(ctx, r); err != nil {
		return err
	}
	return r.whole.SolveTo(ctx, count, r.Dim(), next, emit)
}

// RightHandSides returns a function that hands out φ(x)yᵀ for runs of right-hand sides lo … hi−1. Runs come in
// ascending order. The function keeps the features of some rows from one run to the next, so one goroutine calls it
// at a time.
func (r *Representer) RightHandSides(x *mat.Dense) func(lo, hi int) (*mat.Dense, error) {
	n, p := x.Dims()
	m, d := r.PerRow(), r.Features.Dim()
	from, to := 0, 0
	var phi *mat.Dense
	return func(lo, hi int) (*mat.Dense, error) {
		out := mat.NewDense(hi-lo, r.Dim(), nil)
		for k := lo; k < hi; k++ {
			row, label := k/m, k%m
			// Features are computed for many rows at once, and serve all labels of a row.
			if row < from || row >= to {
				from, to = row, min(n, max(row+BlockRows, (hi+m-1)/m))
				phi = mat.NewDense(to-from, d, nil)
				r.Features.Features(phi, x.Slice(from, to, 0, p).(*mat.Dense)) //nolint:forcetypeassert // a slice of a Dense is one
			}
			copy(out.RawRowView(k - lo)[label*d:(label+1)*d], phi.RawRowView(row-from))
		}
		return out, nil
	}
}

// closedForm returns ι where no iterations are needed: φ itself, or M⁻¹a.
func (r *Representer) closedForm(ctx context.Context, a *mat.Dense) (Batch, error) {
	if !r.Regularized() {
		b, _ := a.Dims()
		return Batch{Iota: a, Gap: make([]float64, b)}, nil
	}
	out, err := r.form.embed(ctx, a)
	if err != nil {
		return Batch{}, err
	}
	if iterates(r) {
		return out, finish(ctx, r, a, out)
	}
	return out, nil
}

// finish iterates for those right-hand sides whose closed form misses the gap by rounding, and replaces what gets better.
func finish(ctx context.Context, r *Representer, a *mat.Dense, b Batch) error {
	var short []int
	for i, gap := range b.Gap {
		if !(gap <= r.Gap) {
			short = append(short, i)
		}
	}
	if len(short) == 0 {
		return nil
	}
	if err := iterate(ctx, r); err != nil {
		return err
	}
	_, dim := a.Dims()
	rest := mat.NewDense(len(short), dim, nil)
	for k, i := range short {
		rest.SetRow(k, a.RawRowView(i))
	}
	own, err := r.whole.Solve(ctx, rest)
	if err != nil {
		return err
	}
	for k, i := range short {
		if own.Gap[k] < b.Gap[i] || math.IsNaN(b.Gap[i]) {
			b.Iota.SetRow(i, own.Iota.RawRowView(k))
			b.Gap[i], b.Norm2[i] = own.Gap[k], own.Norm2[k]
		}
	}
	return nil
}

// Embed embeds one right-hand side as it is given, of dimension Dim, without scaling. It returns an error for another
// dimension.
func (r *Representer) Embed(ctx context.Context, a []float64) ([]float64, error) {
	if len(a) != r.Dim() {
		return nil, fmt.Errorf("represent: a right-hand side of dimension %d, want %d", len(a), r.Dim())
	}
	if of := r.bySupport(); of != nil && apart(r) {
		if out, err := of.embed(ctx, a, r.Gap); out != nil || err != nil {
			return out, err
		}
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	rhs := mat.NewDense(1, len(a), slices.Clone(a))
	if r.whole == nil || r.form != nil {
		batch, err := r.closedForm(ctx, rhs)
		if err != nil {
			return nil, err
		}
		return batch.Iota.RawRowView(0), nil
	}
	out, err := r.whole.Solve(ctx, rhs)
	if err != nil {
		return nil, err
	}
	return out.Iota.RawRowView(0), nil
}

// vector returns a slice as a vector of package blas64.
func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// ErrNoClosedForm reports that embeddings are found by iterations.
var ErrNoClosedForm = errors.New("embeddings have no closed form")

// Linear returns w′ with ⟨w, ι(a)⟩ = ⟨w′, a⟩ for every right-hand side a, unscaled: M⁻¹w, as ι = M⁻¹ is symmetric. It returns ErrNoClosedForm
// where ι is not linear, or where iterations take the place of the closed form.
func Linear(ctx context.Context, r *Representer, w []float64) ([]float64, error) {
	if !r.Regularized() {
		return w, nil
	}
	if !closed(r) || r.Support != nil && !apart(r) {
		return nil, ErrNoClosedForm
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if yielded, err := yielded(ctx, r); err != nil || yielded || r.form == nil {
		return nil, cmp.Or(err, ErrNoClosedForm)
	}
	out := mat.NewDense(1, r.Dim(), nil)
	if err := r.form.solve(ctx, out, mat.NewDense(1, r.Dim(), slices.Clone(w))); err != nil {
		return nil, err
	}
	return out.RawRowView(0), nil
}
