package model

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A Fitting is a fitted model with what there is to say about how it was fitted.
type Fitting struct {
	Model       *Model
	Regularizer *regularizer.Regularizer
	Gaps        []float64 // of the embeddings of the training rows
	// Active tells of R where it came in parts that are no squares; nil elsewhere.
	Active *report.Active
	// Rounding is the part of the gap of method risk that rounding errors leave; 0: it is not known.
	Rounding float64
	// Idle is the gap that certificates of the training rows have with multipliers of 0 in place of those of R, the largest of embeddings. Where
	// it is at most the gap asked for, R changes nothing that the certificate can tell. NaN means that it is not known.
	Idle float64
	// Errors bound those of the training rows' scores (n×m), as Proof has them. Where rows are summed they are those of a sample.
	Errors *mat.Dense
	// MeanSquare bounds the root mean square of those of all training rows; 0 where only Errors are known.
	MeanSquare float64
	// Measured are R_k of the function that predicts, for each invariance. Its scores are scaled so that their
	// standard deviation over the training rows, about the mean of each label, is 1. Nil means that none was measured.
	Measured []Measured
	// Span says how much of each invariance's functionals the features lose. It is nil where they were given.
	Span   []*embed.SpanReport
	Choice *learn.Choice // nil where nothing was chosen
	// Anew says that the choice was made on representations that were found anew for each fold, without the rows
	// held out.
	Anew bool
	// Between says of each invariance what is known between the nodes of its paths.
	Between []interval.Path
	// Short says that proofs of what lies between nodes keep the gap from what was asked for: the paths are long
	// for the kernel's width.
	Short bool
	// Descent says how dual coefficients were found; nil for other methods.
	Descent *Descent
	// Iota appends the scaled embedding of a right-hand side of the training rows to dst, row·PerRow + y for label y.
	Iota    func(dst []float64, i int) []float64
	Seconds map[string]float64
	// Left says what was left out, as the time was over.
	Left []string
	// Learnt is how many rows the learner was fitted to, with copies.
	Learnt int

	spread []float64  // standard deviations of the features over the training rows
	size   float64    // and of the scores
	scores *mat.Dense // of the training rows; nil where nothing was measured
	allowance
}

// A Descent says how dual coefficients were found.
type Descent struct {
	Coefficients *mat.Dense // C, n×m: f* = Σ C_iy G*_{x_i,y} of the function on features that are not scaled
	// Start is the objective at the coefficients from which it began, in the units of the learner's.
	Start float64
	// Gradient is the length of the gradient at the end, in coordinates in which half its square is the
	// objective's gain by a Newton step.
	Gradient float64
	// Inner is the certified gap of the function as the embedding of Σ C_iy G_{x_i,y}. Where it is more than
	// InnerTarget, the learner has not converged, whatever the gap of the objective.
	Inner, InnerTarget float64
	Evaluations        int // of the objective
}
