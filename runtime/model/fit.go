package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Options say how a model is fitted.
type Options struct {
	Method   setting.Method
	Kernel   setting.Kernel
	Features setting.Features
	Learner  setting.Learner
	// Strengths are candidates for the learner's strength, chosen among by cross-validation on the training rows. With
	// fewer than two the learner's own is taken.
	Strengths []float64
	Gap       float64 // the certified gap to reach for each embedding; 0 is DefaultGap
	// MaxIterations bounds the iterations of each embedding and of each fit of methods risk and dual. It also bounds the sweeps of learners
	// without a bound of their own. What ends there says so by its gap. 0 means the solvers' own bounds.
	MaxIterations int
	// Tighten lets method risk go on below the gap, until scores are within EnoughOfSpread of their standard deviation, as far as that is cheap.
	Tighten bool
	Seed    uint64
	// Map is a feature map to use instead of a new one, so that models can be compared on the same features.
	Map embed.Map
	// Ground makes the regularizer anew, so that maxima over intervals can be certified as such; nil: they are certified as
	// maxima over the nodes at hand.
	Ground interval.Grounder
	// Pose makes the problem of a fold, where R depends on the labels of rows: learners are compared on representations that are found
	// anew then, without the rows held out. Nil: on those of all training rows.
	Pose Poser
	// Closure are rules under which the model closes scores.
	Closure []regularizer.Implication
	// Witnesses asks for the model's witnesses.
	Witnesses bool
	// Unmeasured leaves out what R is at the function that predicts, and the witnesses: under method embed that may take longer than the fit.
	Unmeasured bool
	// Progress is told how far the work has come; it may be nil.
	Progress func(stage string, done, total int)
}

// DefaultGap is the certified gap that embeddings reach unless more or less is asked for.
const DefaultGap = 1e-3

// A Fitting is a fitted model with what there is to say about how it was fitted.
type Fitting struct {
	Model       *Model
	Regularizer *regularizer.Regularizer
	Gaps        []float64 // of the embeddings of the training rows
	// Errors bound those of the training rows' scores (n×m), as Proof has them.
	Errors *mat.Dense
	// Values are R_k of the function that predicts, for each invariance: of scores scaled so that their standard deviation over the training
	// rows, about the mean of each label, is 1. NaN stands for those that are not known, and Unknown says why. Nil means that none was measured.
	Values  []float64
	Unknown []string
	// Sampled says from which share of each invariance's elements its value is estimated.
	Sampled []Sample
	// Kept says at how many training rows that function breaks each invariance; nil for those of which there is nothing to count.
	Kept []*Broken
	// Span says how much of each invariance's functionals the features lose.
	Span   []*embed.SpanReport
	Choice *learn.Choice // nil where nothing was chosen
	// Anew says that the choice was made on representations that were found anew for each fold, without the rows held out.
	Anew bool
	// Between says of each invariance what is known between the nodes of its paths.
	Between []interval.Path
	// Short says that proofs of what lies between nodes keep the gap from what was asked for: the paths are long for the kernel's width.
	Short bool
	// Descent says how dual coefficients were found; nil for other methods.
	Descent *Descent
	// Iota appends the scaled embedding of a right-hand side of the training rows to dst, row·PerRow + y for label y.
	Iota    func(dst []float64, i int) []float64
	Seconds map[string]float64

	spread []float64 // standard deviations of the features over the training rows
	size   float64   // and of the scores
	allowance
}

// Fit fits a model to training rows. The regularizer may hold no invariance.
func Fit(ctx context.Context, train *dataset.Set, reg *regularizer.Regularizer, o Options) (*Fitting, error) {
	if err := o.check(train, reg); err != nil {
		return nil, err
	}
	f := newFitter(ctx, train, reg, o.filled())
	steps := append(f.represent(), step{"learn", f.learn}, step{"values", f.values})
	for _, s := range steps {
		start := time.Now()
		if err := s.run(); err != nil {
			return nil, err
		}
		f.out.Seconds[s.name] = time.Since(start).Seconds()
	}
	return f.out, nil
}

func (o Options) filled() Options {
	if o.Gap == 0 {
		o.Gap = DefaultGap
	}
	o.Learner.MaxSweeps = cmp.Or(o.Learner.MaxSweeps, o.MaxIterations)
	return o
}

// check refuses what the method cannot fit.
func (o *Options) check(train *dataset.Set, reg *regularizer.Regularizer) error {
	if root := reg.Gauge(); root != nil && o.Method == setting.Warp {
		if _, ok := root.Quadratic(); !ok {
			return represent.ErrNotQuadratic
		}
	}
	if o.Method == setting.Dual && o.Learner.LearnsSets(train.Task) {
		return ErrDualSets
	}
	return nil
}

// A step of Fit.
type step struct {
	name string
	run  func() error
}

// A fitter holds what the steps of Fit hand on.
type fitter struct {
	ctx    context.Context //nolint:containedctx // a fitter lives for one call of Fit
	train  *dataset.Set
	reg    *regularizer.Regularizer
	o      Options
	rep    *represent.Representer
	op     *operator.Operator
	design *learn.Design
	norm2  []float64 // ⟨a, ι⟩ of the training rows' embeddings, not scaled
	// paths tells what is known between nodes; between holds the curves of Risk and Dual, nil where there are none, or nothing is known.
	paths   *interval.Knowledge
	between *polar.Curves
	// strength is what Risk and Dual multiply the weights of losses by.
	strength float64
	out      *Fitting
}

func newFitter(ctx context.Context, train *dataset.Set, reg *regularizer.Regularizer, o Options) *fitter {
	return &fitter{ctx: ctx, train: train, reg: reg, o: o, out: &Fitting{Regularizer: reg, Seconds: map[string]float64{}}}
}

// represent is the steps before anything is learnt.
func (f *fitter) represent() []step {
	return []step{{"features", f.features}, {"operator", f.operator}, {"embed", f.embed}}
}

// labels is m, 1 where f is a function of x alone.
func labels(s *dataset.Set) int {
	if s.Task.Joint() {
		return len(s.LabelNames)
	}
	return 1
}

func (f *fitter) features() error {
	features := f.o.Map
	if features == nil {
		fixed, err := kernel.Fixed(f.o.Kernel, f.train.X, f.o.Seed)
		if err != nil {
			return err
		}
		k, err := kernel.New(fixed)
		if err != nil {
			return err
		}
		if features, err = embed.ForLabels(f.ctx, k, f.o.Features.Fixed(f.train.Len(), f.o.Seed), labels(f.train), f.train.X, f.reg.Functionals); err != nil {
			return err
		}
	}
	f.rep = &represent.Representer{Method: f.o.Method, Features: features, Labels: labels(f.train), Scale: 1, Gap: f.o.Gap, MaxIterations: f.o.MaxIterations}
	f.announce()
	return nil
}

// announce says how much is to be done before the first embedding is there: factors come first, of a whole operator at once.
func (f *fitter) announce() {
	if f.o.Progress == nil || f.reg.Gauge() == nil {
		return
	}
	work := fmt.Sprintf("factor %d features", f.rep.Features.Dim())
	if f.rep.Labels > 1 {
		work += fmt.Sprintf(" × %d labels", f.rep.Labels)
	}
	if !f.o.Method.Direct() {
		work += fmt.Sprintf(" for %d embeddings", f.train.Len()*f.rep.PerRow())
	}
	f.o.Progress(fmt.Sprintf("%s, %d functionals", work, f.reg.Gauge().Size()), 0, 0)
}

// operator sets up A. It does so for method plain too, to measure R.
func (f *fitter) operator() error {
	if f.reg.Gauge() == nil {
		return nil
	}
	if !f.o.Method.Embeds() {
		f.nodes() // the operator waits for the scale of the features
	} else {
		if err := f.build(); err != nil {
			return err
		}
		if err := f.intervals(); err != nil {
			return err
		}
	}
	points := embed.NewPoints(f.train.X, f.reg.Functionals)
	for i := range f.reg.Invariances {
		inv := &f.reg.Invariances[i]
		report, err := embed.Span(f.ctx, f.rep.Features, points, inv.First, inv.Count, f.o.Seed)
		if err != nil {
			return err
		}
		f.out.Span = append(f.out.Span, report)
	}
	return nil
}

// build makes A of the regularizer at hand.
func (f *fitter) build() (err error) {
	options := f.near(f.reg.Gauge())
	if f.op, err = f.operatorOf(options); err == nil && f.tighten(&options) {
		f.op, err = f.operatorOf(options)
	}
	if err == nil && !f.o.Method.Direct() {
		f.rep.Operator, f.rep.Gauge = f.op, f.reg.Gauge()
	}
	return err
}

func (f *fitter) operatorOf(o operator.Options) (*operator.Operator, error) {
	return operator.BuildWith(f.ctx, f.reg.Functionals, f.train.X, f.rep.Features, f.rep.Labels, o)
}

// mostDouble is how many numbers of a joint design are kept in double precision; larger designs are kept in single.
const mostDouble = 64 << 20

// mostNumbers is how many numbers a joint design may have: 12 GiB in single precision.
const mostNumbers = 3 << 30

// embed finds the representations of the training rows and their common scale.
func (f *fitter) embed() error {
	if found, err := f.rep.EmbedBySupport(f.ctx, f.train.X, f.stage("embed training rows")); found != nil || err != nil {
		if err != nil {
			return err
		}
		return f.keepSupported(found)
	}
	count, dim := f.train.Len()*f.rep.PerRow(), f.rep.Dim()
	if count*dim > mostNumbers {
		return fmt.Errorf("the representations of %d rows and %d labels in %d dimensions need %d GiB; use fewer rows, labels or landmarks",
			f.train.Len(), f.rep.PerRow(), dim, count*dim>>28)
	}
	kept := newKept(count, dim, f.rep.Joint() && count*dim > mostDouble)
	var norms, work float64
	stage := "embed training rows"
	if f.rep.Method.Direct() {
		stage = "compute features of training rows"
	}
	err := f.rep.Each(f.ctx, f.train.X, f.stage(stage), func(p represent.Batch) error {
		for i := range p.Gap {
			row := p.Iota.RawRowView(i)
			norms += blas64.Dot(vector(row), vector(row))
			kept.set(p.First+i, row)
		}
		f.out.Gaps, f.norm2 = append(f.out.Gaps, p.Gap...), append(f.norm2, p.Norm2...)
		work += floats.Sum(p.Work)
		return nil
	})
	if err != nil {
		return err
	}
	if norms > 0 {
		f.rep.Scale = math.Sqrt(float64(count) / norms)
	}
	kept.scale(f.rep.Scale)
	f.out.Iota, f.out.allowance = kept.appendRow, newAllowance(work, count)
	f.design, err = f.newDesign(kept)
	return err
}

// keepSupported keeps representations that were found by their supports.
func (f *fitter) keepSupported(s *represent.Supported) (err error) {
	f.out.Gaps, f.norm2, f.out.Iota = s.Gaps, s.Norm2, s.Append
	blocks := &learn.Blocks{Support: s.Support, Shape: s.Shape, Rows: s.Rows, Dim: f.rep.Features.Dim()}
	f.design, err = blocks.Joint()
	return err
}

// A kept holds representations row by row, in double or in single precision.
type kept struct {
	dim    int
	double []float64 // nil where they are single
	single []float32
}

func newKept(count, dim int, single bool) *kept {
	if single {
		return &kept{dim: dim, single: make([]float32, count*dim)}
	}
	return &kept{dim: dim, double: make([]float64, count*dim)}
}

func (k *kept) set(i int, row []float64) {
	at := i * k.dim
	if k.double != nil {
		copy(k.double[at:], row)
		return
	}
	for j, v := range row {
		k.single[at+j] = float32(v)
	}
}

func (k *kept) scale(by float64) {
	for i := range k.double {
		k.double[i] *= by
	}
	for i := range k.single {
		k.single[i] *= float32(by)
	}
}

// appendRow appends row i to dst.
func (k *kept) appendRow(dst []float64, i int) []float64 {
	if k.double != nil {
		return append(dst, k.double[i*k.dim:(i+1)*k.dim]...)
	}
	for _, v := range k.single[i*k.dim : (i+1)*k.dim] {
		dst = append(dst, float64(v))
	}
	return dst
}

func (f *fitter) newDesign(k *kept) (*learn.Design, error) {
	n, m := f.train.Len(), f.rep.Labels
	switch {
	case !f.rep.Joint():
		return learn.Shared(mat.NewDense(n, k.dim, k.double), m)
	case k.double != nil:
		return learn.Joint(k.double, n, m, k.dim)
	}
	return learn.Joint32(k.single, n, m, k.dim)
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

func (f *fitter) stage(name string) func(done, total int) {
	if f.o.Progress == nil {
		return nil
	}
	return func(done, total int) { f.o.Progress(name, done, total) }
}

// learn chooses the learner's strength and fits it.
func (f *fitter) learn() error {
	if !f.o.Method.Embeds() {
		return f.minimize()
	}
	targets := Targets(f.train)
	learner := f.o.Learner
	if len(f.o.Strengths) > 1 {
		candidates := f.candidates()
		choice, err := f.choose(targets, candidates)
		if err != nil {
			return err
		}
		f.out.Choice, learner = choice, candidates[choice.Best]
	}
	fit, err := learn.Solve(f.ctx, learner, f.design, targets)
	if err != nil {
		return err
	}
	f.out.Model = &Model{Represent: f.rep, Fit: fit, Closure: f.o.Closure}
	if err := f.nearEmbedded(); err != nil {
		return err
	}
	return f.calibrate(nil, learner)
}

// candidates are the learners among which one is chosen.
func (f *fitter) candidates() []setting.Learner {
	if len(f.o.Strengths) == 0 {
		return []setting.Learner{f.o.Learner}
	}
	out := make([]setting.Learner, len(f.o.Strengths))
	for i, s := range f.o.Strengths {
		out[i] = f.o.Learner
		out[i].Strength = s
	}
	return out
}

// Targets are a set's targets as learners take them.
func Targets(s *dataset.Set) *learn.Targets {
	return &learn.Targets{Task: s.Task, Class: s.Class, Real: s.Real, Multi: s.Multi}
}
