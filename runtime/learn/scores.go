package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Fit is a fitted linear function, with what its scores mean and how near it is to the minimum.
type Fit struct {
	Learner setting.Learner
	Task    setting.Task
	// Joint says which kind of design it belongs to.
	Joint bool
	// Weights are m×d on a shared design, 1×D on a joint one.
	Weights *mat.Dense
	// Bias has one number for each of m labels.
	Bias []float64
	// Multipliers are n×m, the β that bound the minimum of svm and quantile from below: near the minimum W_y is Σ_i β_iy x_i. Nil for
	// other learners, whose loss has a gradient.
	Multipliers []float64
	// Sets are the label sets that softmax on a multilabel target tells apart, else nil.
	Sets *Sets
	// Sigmoids turn f of svm into log odds, one for each label or class; nil means that no probabilities were asked for. Those of
	// classes are equal, without an offset.
	Sigmoids []Sigmoid
	// Odds says that Sigmoids are a part of the scores. These are log odds then, and a label is decided where it is more likely than not. Else
	// they come after the scores, and have no offset.
	Odds bool

	// Objective is the value that the learner minimizes, summed over labels that are fitted apart.
	Objective float64
	// Gap is proven: the objective lies above its minimum by at most this share of itself.
	Gap float64
	// Iterations are steps of the solver, summed over labels that are fitted apart.
	Iterations int
	// Converged says that the gap that was asked for is reached.
	Converged bool
}

// Scores returns ⟨W_y, x_i⟩ + b_y, n×m. For softmax on a multilabel target these are the log odds of the labels. It
// fails if the design has other labels or features.
func (f *Fit) Scores(d *Design) (*mat.Dense, error) {
	w := f.Weights.RawMatrix()
	if d.joint != f.Joint || d.rows.dim != w.Cols || d.m != len(f.Bias) {
		return nil, fmt.Errorf("learn: a fit of %d labels and %d features meets a design of %d and %d", len(f.Bias), w.Cols, d.m, d.rows.dim)
	}
	out := mat.NewDense(d.n, d.m, nil)
	linearScores(d, w, f.Bias, out.RawMatrix())
	f.Finish(out)
	return out, nil
}

// Finish turns ⟨W_y, x_i⟩ + b_y into scores, in place: into log odds if label sets are learnt, or if Odds says so.
func (f *Fit) Finish(scores *mat.Dense) {
	if f.Sets != nil {
		f.Sets.LogOdds(scores)
	}
	if f.Odds {
		scores.Apply(func(_, y int, s float64) float64 { return f.Sigmoids[y].LogOdds(s) }, scores)
	}
}

// FinishErrors turns bounds on the errors of ⟨W_y, x_i⟩ + b_y into those of log odds, in place, if Odds says that scores are such.
func (f *Fit) FinishErrors(errs *mat.Dense) {
	if f.Odds {
		errs.Apply(func(_, y int, e float64) float64 { return f.Sigmoids[y].Slope * e }, errs)
	}
}

// linearScores sets out to n×m scores.
func linearScores(d *Design, w blas64.General, bias []float64, out blas64.General) {
	if d.joint || d.m == 1 {
		d.rows.times(w.Data, out.Data)
	} else {
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, d.rows.block(0, d.n), w, 0, out)
	}
	for i := range out.Rows {
		for y, b := range bias {
			out.Data[i*out.Stride+y] += b
		}
	}
}

// Probabilistic reports whether a fit gives probabilities.
func (f *Fit) Probabilistic() bool {
	return !f.Learner.Margins() && f.Learner.Probabilistic() || f.Sigmoids != nil
}

// Probabilities returns those of the classes of a binary (n×2) or class (n×m) target, or of each label alone (n×m).
// It returns nil if the learner gives none. They agree with decisions. A label has more than ½ exactly where its score is
// positive, and no class has more than the one of the largest score.
func (f *Fit) Probabilities(scores *mat.Dense) *mat.Dense {
	odds := f.LogOdds(scores)
	if odds == nil {
		return nil
	}
	return f.FromLogOdds(odds)
}

// LogOdds returns the log odds (n×m) that scores stand for: of labels alone, of the second of two classes, or what classes have the softmax
// of. It returns nil if the learner gives no probabilities. They are positive exactly where scores are.
func (f *Fit) LogOdds(scores *mat.Dense) *mat.Dense {
	if !f.Probabilistic() {
		return nil
	}
	out := mat.DenseCopyOf(scores)
	if f.Sigmoids == nil || f.Odds {
		return out
	}
	out.Apply(func(_, y int, s float64) float64 {
		odds := f.Sigmoids[y].LogOdds(s)
		if s > 0 { // also where rounding would lose that
			return max(odds, math.SmallestNonzeroFloat64)
		}
		return odds
	}, out)
	return out
}

// FromLogOdds returns the probabilities of log odds as LogOdds returns them. Those of labels exceed ½ where log odds are positive, also if
// rounding would lose that.
func (f *Fit) FromLogOdds(odds *mat.Dense) *mat.Dense {
	n, m := odds.Dims()
	if f.Task == setting.Binary {
		out := mat.NewDense(n, 2, nil)
		for i := range n {
			s := odds.At(i, 0)
			out.SetRow(i, []float64{sigmoid(-s), likely(s)})
		}
		return out
	}
	out := mat.NewDense(n, m, nil)
	if f.Task != setting.Class {
		out.Apply(func(_, _ int, s float64) float64 { return likely(s) }, odds)
		return out
	}
	for i := range n {
		softmax(odds.RawRowView(i), out.RawRowView(i))
	}
	return out
}

// likely returns the probability of log odds, more than ½ where they are positive.
func likely(odds float64) float64 {
	p := sigmoid(odds)
	if odds > 0 {
		return max(p, math.Nextafter(0.5, 1))
	}
	return p
}

// A Sigmoid turns a score into a probability: 1/(1 + exp(−(Slope·s + Offset))), Slope > 0.
type Sigmoid struct {
	Slope  float64 `json:"slope"`
	Offset float64 `json:"offset"`
}

// LogOdds returns Slope·s + Offset, which is finite.
func (g Sigmoid) LogOdds(s float64) float64 {
	return min(max(g.Slope*s+g.Offset, -math.MaxFloat64/4), math.MaxFloat64/4)
}
