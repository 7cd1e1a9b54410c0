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
	a := newAdam(w)
	steps := max(stochasticSteps, stochasticPasses*n/stochasticBatch)
	for t := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		x, y := d.draw(min(stochasticBatch, n), 1)
		// the objective over its weight C n, so that steps are of the size of scores
		a.step(m.phi(x), y, 1/(o.Setting.C*float64(n)), stochasticStep*(1-float64(t)/float64(steps)))
	}
	m.take(w)
	return nil
}

// adam holds the weights and the moving means of their gradient and its square.
type adam struct {
	w, gradient   *mat.Dense
	first, second []float64
	steps         int
}

// newAdam begins with no moments, at the weights w, which its steps change.
func newAdam(w *mat.Dense) *adam {
	m, d := w.Dims()
	return &adam{w: w, gradient: mat.NewDense(m, d, nil), first: make([]float64, m*d), second: make([]float64, m*d)}
}

// step moves the weights along the gradient of ½decay‖W‖² + mean_i ℓ(W φ_i, y_i).
func (a *adam) step(phi, y *mat.Dense, decay, size float64) {
	n, _ := phi.Dims()
	m, _ := a.w.Dims()
	scores := mat.NewDense(n, m, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, phi.RawMatrix(), a.w.RawMatrix(), 0, scores.RawMatrix())
	for i := range n {
		slope(scores.RawRowView(i), y.RawRowView(i))
	}
	a.gradient.Copy(a.w)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1/float64(n), scores.RawMatrix(), phi.RawMatrix(), decay, a.gradient.RawMatrix())
	a.steps++
	unbias := 1 - math.Pow(momentum, float64(a.steps))
	unbias2 := 1 - math.Pow(momentum2, float64(a.steps))
	w := a.w.RawMatrix().Data
	for k, g := range a.gradient.RawMatrix().Data {
		a.first[k] = momentum*a.first[k] + (1-momentum)*g
		a.second[k] = momentum2*a.second[k] + (1-momentum2)*g*g
		w[k] -= size * (a.first[k] / unbias) / (math.Sqrt(a.second[k]/unbias2) + 1e-8)
	}
}
