package model

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A fitter holds what the steps of Fit hand on.
type fitter struct {
	ctx    context.Context //nolint:containedctx // a fitter lives for one call of Fit
	train  *dataset.Set
	seen   *dataset.Set // the rows that R was grounded on: the training rows first
	learnt *dataset.Set // the rows that the learner is fitted to: the training rows, and then their copies
	reg    *regularizer.Regularizer
	o      Options
	rep    *represent.Representer
	op     *operator.Operator
	design *learn.Design
	summed *summed   // the rows where they are summed; nil where they are not
	points []byte    // the digest of the learnt rows' points, once it is asked for
	means  bool      // stand in place of R's maxima
	active *activity // has what of R is at hand, where that comes in parts and is no sum of squares; nil elsewhere
	held   bool      // sums prove too little, or R has more functionals than there are scores, so that rows are held
	norm2  []float64 // ⟨a, ι⟩ of the training rows' embeddings, not scaled
	// paths tells what is known between nodes; between holds the curves of Risk and Dual, nil where there are
	// none, or nothing is known.
	paths   *interval.Knowledge
	between *polar.Curves
	out     *Fitting
	usual   float64       // multiplications that an embedding's iterations may take at the first nodes
	taken   float64       // bytes of memory before the fit, once they are asked for
	before  []limits.Need // what is taken before functionals are evaluated, once that is asked for
}

// newFitter returns a fitter that has made no step yet.
func newFitter(ctx context.Context, train *dataset.Set, reg *regularizer.Regularizer, o Options) *fitter {
	return &fitter{ctx: ctx, train: train, seen: cmp.Or(o.Seen, train), learnt: train, reg: reg, o: o, out: &Fitting{Regularizer: reg, Seconds: map[string]float64{}, Idle: math.NaN()}}
}

// minimizes reports whether f itself is found, and no learner fitted to representations. Method plain does so for worst losses: the risk
// has no R then.
func minimizes(f *fitter) bool { return !f.o.Method.Embeds() || f.o.Learner.Copies > 0 }

// keeps reports whether f keeps statements. Method plain beside it keeps none.
func keeps(f *fitter) bool { return f.o.Require != nil && f.o.Method == setting.Risk }

// summable reports whether rows are summed, or pass by. The features of all are more than may be held at once then, and the loss has
// slopes and curvatures that pass by.
func summable(f *fitter) bool {
	// Closures ask for scores of single rows, and copies of rows come in no part. Folds in time are no parts of the rows either.
	l, most := &f.o.Learner, cmp.Or(f.o.MostHeld, mostHeld(f))
	return !f.held && f.o.Method == setting.Risk && (l.Kind == setting.Ridge || risk.Passes(*l, f.train.Task)) && l.Copies == 0 && (f.train.Times == nil || !folded(f)) && len(f.o.Closure) == 0 &&
		f.learnt == f.train && f.rep.Labels <= f.rep.Features.Dim() && float64(f.learnt.Len())*float64(f.rep.Features.Dim()) > most
}

const (
	// manyRows is how many rows for each feature and label are quicker to pass by several times. Each label has a Gram matrix of the features in a pass.
	manyRows = 10
	// heavyLoss is the C from which on losses with kinks do so. Below it, rows at hand take a little longer, to gaps at which scores are known. So they do below nearGap,
	// which passes may not reach.
	heavyLoss, nearGap = 30, 1e-4
)

// mostHeld returns how many numbers of the features of rows are held at once.
func mostHeld(f *fitter) float64 {
	l, many := &f.o.Learner, f.learnt.Len() >= manyRows*f.rep.Labels*f.rep.Features.Dim()
	heavy := f.o.Gap >= nearGap && slices.ContainsFunc(f.candidates(), func(l setting.Learner) bool { return l.Strength >= heavyLoss })
	switch kinked := risk.Kinked(*l); {
	case l.Kind == setting.Ridge:
		return limits.SummedNumbers
	case keeps(f), many && !risk.Couples(*l, f.train.Task) && (heavy || !kinked):
		return limits.PassingNumbers
	case kinked:
		return limits.KinkedNumbers
	}
	return limits.SummedNumbers
}

// outnumbered reports whether R holds more functionals than rows have scores. Each pass has a minimum over them, which takes longer than one over
// them and the scores. And these need less memory than they do.
func outnumbered(f *fitter) bool {
	b, n := f.reg.Functionals, f.learnt.Len()
	if f.reg.Parts != nil && formsOf(f, f.reg) == nil {
		return float64(n)*float64(f.rep.Features.Dim()) <= limits.HeldNumbers
	}
	if b == nil || f.o.Learner.Kind == setting.Ridge || float64(n)*float64(f.rep.Features.Dim()) > limits.HeldNumbers || formsOf(f, f.reg) != nil {
		return false
	}
	count := 0
	for i := range b.Len() {
		if b.Start[i] < b.Start[i+1] { // a condition that does not hold leaves an empty one
			count++
		}
	}
	return count > n*f.rep.Labels
}

// folded reports whether rows are held out in turn, to choose a learner or to learn probabilities, and nothing but the losses leaves them out.
func folded(f *fitter) bool {
	return f.o.Compared == 0 && !f.anew() && (len(f.o.Strengths) > 1 && f.o.Valid == nil || f.o.Learner.Probabilities && f.o.Learner.Margins())
}

// anew reports whether learners are compared on representations of their own in each fold. They are where rows follow each other in time, and where R
// depends on the labels of rows, and the representation on R.
func (f *fitter) anew() bool {
	if f.o.Pose == nil || f.train.Times != nil {
		return f.o.Pose != nil
	}
	s := f.o.Features
	drawn := s.Kind == setting.Fourier || s.Kind == setting.Hashing
	return f.o.Method != setting.Plain || s.Kind == setting.Exact || !drawn && s.Landmarks != setting.RowLandmarks
}

// labels returns m, which is 1 where f is a function of x alone.
func labels(s *dataset.Set) int {
	if s.Task.Joint() {
		return len(s.LabelNames)
	}
	return 1
}

// stage returns a function that tells how far a stage is; nil where nobody listens.
func (f *fitter) stage(name string) func(done, total int) {
	if f.o.Progress == nil {
		return nil
	}
	return func(done, total int) { f.o.Progress(name, done, total) }
}

// tellAt tells what is done from now on, where nobody knows how much of it there is. Steps without a name go on with what was told.
func tellAt(f *fitter, name string) {
	if f.o.Progress != nil && name != "" {
		f.o.Progress(name, 0, 0)
	}
}

// candidates returns the learners among which one is chosen.
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

// Targets returns a set's targets as learners take them. It copies nothing.
func Targets(s *dataset.Set) *learn.Targets {
	return &learn.Targets{Task: s.Task, Class: s.Class, Real: s.Real, Levels: s.Levels, Multi: s.Multi, Weight: s.Weight, Time: s.Times}
}
