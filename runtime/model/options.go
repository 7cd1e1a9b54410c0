package model

import (
	"cmp"
	"context"
	"errors"

	"github.com/sipc-ml/sipc/runtime/cache"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// Options say how a model is fitted.
type Options struct {
	Method setting.Method
	// Free lets method embed give way to risk, where rows and labels would have too many embeddings to be kept.
	Free     bool
	Kernel   setting.Kernel
	Features setting.Features
	Learner  setting.Learner
	// Strengths are candidates for the learner's strength, chosen among by cross-validation on the training rows.
	// With fewer than two the learner's own is taken.
	Strengths []float64
	// Valid are the rows that decide among the strengths in place of folds; nil means that folds do.
	Valid *dataset.Set
	Gap   float64 // the certified gap to reach for each embedding; 0 is DefaultGap
	// MaxIterations bounds the iterations of each embedding and of each fit of methods risk and dual. It also
	// bounds the sweeps of learners without a bound of their own. What ends there says so by its gap. 0 means the
	// solvers' own bounds, and that multiplications are bounded as [limits.FitWork] says.
	MaxIterations int
	// Cache, if not nil, keeps embeddings and passes over rows that take long, so that another run of the same problem goes on with them.
	Cache *cache.Folder
	// Compared is how many fits are compared with one another, of which this is one; 0 means that it is kept.
	Compared int
	// Tighten lets method risk go on below the gap, until scores are within EnoughOfSpread of their standard
	// deviation, as far as that is cheap.
	Tighten bool
	Seed    uint64
	// MostHeld bounds the numbers of the features of rows that are held at once. Losses of more are summed as rows pass. 0 means [limits.SummedNumbers], or
	// [limits.KinkedNumbers] of losses with kinks, or [limits.PassingNumbers] of many rows and beside statements.
	MostHeld float64
	// Map is a feature map to use instead of a new one, so that models can be compared on the same features.
	Map embed.Map
	// Shelf keeps what fits to the same rows share, as those of one fold with other weights do. Nil keeps nothing.
	Shelf *Shelf
	// Ground makes the regularizer anew, so that maxima over intervals can be certified as such. If it is nil,
	// they are certified as maxima over the nodes at hand.
	Ground interval.Grounder
	// Exchange is asked at each minimum of methods risk and dual for R with more members of maxima over orbits. It returns nil where these are enough.
	// Nil says that R has no such maxima.
	Exchange Exchange
	// Pose makes the problem of a fold, where R depends on the labels of rows. Learners are then compared on
	// representations that are found anew, without the rows held out. If it is nil, they are compared on those of
	// all training rows.
	Pose Poser
	// Held are the rows held out of a fold that Pose has made. They are prepared as its training rows are. Nil means as all training rows are.
	Held *dataset.Set
	// Augment returns the training rows with copies after them, as [dataset.Set.WithCopies] makes them. The learner is fitted to
	// all of them. A learner with Copies has as many of each row, of which the worst counts. R, figures and folds are of the rows
	// alone, and copies are in the fold of their row. Nil makes no copies.
	Augment func(ctx context.Context, train *dataset.Set) (*dataset.Set, error)
	// Require returns the statements that the function keeps everywhere on their regions, of method risk. Nil stands for none.
	Require func(ctx context.Context) ([]statement.Statement, error)
	// Margin is that of Require's statements in the fit; 0 stands for 10⁻³. It is a share of the root mean square of each at the training
	// rows. A larger one needs fewer cuts, and its price is in the gap.
	Margin float64
	// Closure and Declared are those of the model.
	Closure  []regularizer.Implication
	Declared bool
	// Witnesses asks for the model's witnesses, and for what pictures of it need.
	Witnesses bool
	// Unmeasured leaves out what R is at the function that predicts, and the witnesses: under method embed that
	// may take longer than the fit.
	Unmeasured bool
	// Measures says that the caller measures more than R at the function that predicts.
	Measures bool
	// Seen are the rows that R was grounded on, where these are more than the training rows: those come first, and rows
	// without a label follow. Nil stands for the training rows.
	Seen *dataset.Set
	// TestRows is how many rows the caller looks at afterwards, for a forecast of memory.
	TestRows int
	// Progress is told how far the work has come; it may be nil.
	Progress func(stage string, done, total int)
}

// Values returns the values at a function of the functionals of the k-th invariance of a regularizer. It is grounded on the rows that R sees.
type Values func(ctx context.Context, reg *regularizer.Regularizer, k int) ([]float64, error)

// An Exchange returns R with more members of maxima over orbits, given values at the minimum and the number of nodes of paths. Nil means that
// it has enough.
type Exchange func(ctx context.Context, nodes int, at Values) (*regularizer.Regularizer, error)

// A Fold is part of a cross-validation: the training rows to learn from, and those held out, by position in ascending order. Without Held all others are
// held out.
type Fold struct {
	Number, Of int // from 1
	Rows, Held []int
}

// A Poser makes the problem of a fold: its rows, R as they alone make it, and the kernel and features for them.
type Poser func(ctx context.Context, fold Fold) (*dataset.Set, *regularizer.Regularizer, Options, error)

// DefaultGap is the certified gap that embeddings reach unless more or less is asked for.
const DefaultGap = 1e-3

// ErrDualSets reports that method dual meets label sets, whose conjugate is known at proximal points alone.
var ErrDualSets = errors.New("method dual does not learn the label sets of softmax; take method risk, which finds the same f, or svm, logistic or ridge")

// ErrWorst reports a worst loss of copies that a method cannot minimize with a certificate.
var ErrWorst = errors.New("the worst loss under a set has a certificate under methods risk and plain alone, and none for the label sets of softmax; " +
	"take method risk or plain, and svm, logistic or ridge on labels")

// filled returns the options with their defaults in place.
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
	if o.Learner.Copies > 0 && (o.Method != setting.Risk && o.Method != setting.Plain || o.Learner.LearnsSets(train.Task)) {
		return ErrWorst
	}
	return nil
}
