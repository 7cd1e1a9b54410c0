package rival

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// The descent of stochastic mixup is Adam (Kingma and Ba 2015) with a step that falls to zero. It makes so many
// passes, and at least so many steps.
const (
	stochasticBatch  = 100
	stochasticPasses = 200
	stochasticSteps  = 1000
	stochasticStep   = 0.1
	momentum         = 0.9
	momentum2        = 0.999
)

// fitStochastic minimizes the expectation over pairs and λ, drawn anew at every step.
func (m *Model) fitStochastic(ctx context.Context, train *dataset.Set, o Options) error {
	n := train.Len()
	if n < 2 {
		return errors.New("rival stochastic-mixup: there is one row, and nothing to mix it with")
	}
	d := newMixer(train, o, streamSteps)
	w := mat.NewDense(classes(train), m.features.Dim(), nil)
	weights := w.RawMatrix().Data
	first, second := make([]float64, len(weights)), make([]float64, len(weights)) // moving means of the gradient and its square
	steps := max(stochasticSteps, stochasticPasses*n/stochasticBatch)
	for t := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		x, y := d.draw(min(stochasticBatch, n), 1)
		// the objective over its weight C n, so that steps are of the size of scores
		slopes := gradient(w, m.phi(x), y, 1/(o.Setting.C*float64(n))).RawMatrix().Data
		size := stochasticStep * (1 - float64(t)/float64(steps))
		unbias, unbias2 := 1-math.Pow(momentum, float64(t+1)), 1-math.Pow(momentum2, float64(t+1))
		for k, g := range slopes {
			first[k] = momentum*first[k] + (1-momentum)*g
			second[k] = momentum2*second[k] + (1-momentum2)*g*g
			weights[k] -= size * (first[k] / unbias) / (math.Sqrt(second[k]/unbias2) + 1e-8)
		}
	}
	m.take(w)
	return nil
}

// gradient returns that of ½decay‖W‖² + mean_i ℓ(W φ_i, y_i).
func gradient(w, phi, y *mat.Dense, decay float64) *mat.Dense {
	n, _ := phi.Dims()
	m, _ := w.Dims()
	scores, out := mat.NewDense(n, m, nil), mat.DenseCopyOf(w)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, phi.RawMatrix(), w.RawMatrix(), 0, scores.RawMatrix())
	for i := range n {
		slope(scores.RawRowView(i), y.RawRowView(i))
	}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1/float64(n), scores.RawMatrix(), phi.RawMatrix(), decay, out.RawMatrix())
	return out
}
