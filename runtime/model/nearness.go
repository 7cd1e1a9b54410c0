package model

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Nearness says how near scores are to those of exact solutions. J and the risk P are strongly convex, so that
// their gaps bound distances: with α = 1, ‖V − ι‖² ≤ upper − lower of an embedding, and ‖V − V*‖² ≤ 2(P(V) −
// lower) of the risk. Hence
//
//	|⟨W, V⟩ − ⟨W, ι⟩| ≤ ‖W‖ ‖V − ι‖,
//	|f(x) − f*(x)| ≤ ‖V − V*‖ ‖φ(x)‖.
//
// The second one counts the constant feature of a bias, which is large. The losses may hold a weighted mean of
// scores to within ε of that of f*. Then the bias drops out. With φ̄ the mean of the features in the same weights,
//
//	|f(x) − f*(x)| ≤ ε + ‖V − V*‖ ‖φ(x) − φ̄‖.
type Nearness struct {
	// Spread is the standard deviation of the training rows' scores about each label's mean.
	Spread float64
	// Radius bounds ‖V − V*‖, of methods risk and dual: on features that are not scaled.
	Radius float64
	Bias   float64    // the constant feature; 0: there is none
	Center *mat.Dense // m×d, φ̄ of each label; nil where there is no bias
	Anchor []float64  // ε of each label; +Inf where the losses hold nothing
}

// anchor takes the means that the losses hold. The rows of phi are the features of the training rows, each followed by its copies
// where the worst of them counts. Package risk finds the weights and ε of each label; φ̄ is the mean of the rows of phi under these
// weights.
func (n *Nearness) anchor(phi *mat.Dense, l setting.Learner, t *learn.Targets, r *risk.Result) {
	_, d := phi.Dims()
	m := len(r.Scores) / t.Len()
	n.Center, n.Anchor = mat.NewDense(m, d, nil), make([]float64, m)
	for y := range m {
		var weights []float64
		weights, n.Anchor[y] = risk.Anchor(l, t, y, m, r)
		for i, w := range weights {
			floats.AddScaled(n.Center.RawRowView(y), w, phi.RawRowView(i))
		}
	}
}

// check refuses what does not suit m labels and d features; nil means that none is kept.
func (n *Nearness) check(m, d int) error {
	if n == nil {
		return nil
	}
	bad := errors.New("the model says nothing sound of the errors of its scores")
	if math.IsNaN(n.Spread) || math.IsNaN(n.Radius) || math.IsNaN(n.Bias) {
		return bad
	}
	if n.Center == nil {
		return nil
	}
	if rows, cols := n.Center.Dims(); rows != m || cols != d || len(n.Anchor) != m {
		return bad
	}
	return nil
}

// spreadOf returns the standard deviation of scores about each label's mean, over rows with weights; nil means ones.
func spreadOf(scores *mat.Dense, weight []float64) float64 {
	n, m := scores.Dims()
	column, sum := make([]float64, n), 0.0
	for y := range m {
		mat.Col(column, y, scores)
		sum += stat.PopVariance(column, weight)
	}
	return math.Sqrt(sum / float64(m))
}
