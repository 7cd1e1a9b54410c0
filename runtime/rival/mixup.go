package rival

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// The streams of random numbers.
const (
	streamPairs uint64 = 0x6d69787061697273
	streamSteps uint64 = 0x6d69787374657073
)

// pairsPerRow is how many pairs a row stands for where no number is given, mixesPerPair how many λ are drawn for each pair.
const (
	pairsPerRow  = 4
	mixesPerPair = 4
)

// classes returns the number of classes; a binary target has two.
func classes(s *dataset.Set) int { return len(s.LabelNames) }

// A mixer draws mixed rows of a training set.
type mixer struct {
	train *dataset.Set
	rng   *rand.Rand
	beta  distuv.Beta
}

// newMixer returns a mixer whose draws follow the seed and the stream.
func newMixer(train *dataset.Set, o Options, stream uint64) *mixer {
	source := rand.NewPCG(o.Seed, stream)
	return &mixer{train: train, rng: rand.New(source), beta: distuv.Beta{Alpha: o.Setting.Beta, Beta: o.Setting.Beta, Src: source}}
}

// lambda draws λ. Where β is so small that both gamma variates underflow, λ is a coin's toss, the limit of the distribution.
func (d *mixer) lambda() float64 {
	if v := d.beta.Rand(); !math.IsNaN(v) {
		return v
	}
	return float64(d.rng.IntN(2))
}

// draw returns mixed rows of so many pairs, with several λ each, and their soft labels.
func (d *mixer) draw(pairs, mixes int) (x, y *mat.Dense) {
	n, p := d.train.X.Dims()
	x, y = mat.NewDense(pairs*mixes, p, nil), mat.NewDense(pairs*mixes, classes(d.train), nil)
	for k := range pairs {
		i := d.rng.IntN(n)
		j := (i + 1 + d.rng.IntN(n-1)) % n
		for l := range mixes {
			lambda := d.lambda()
			row, label := x.RawRowView(k*mixes+l), y.RawRowView(k*mixes+l)
			a, b := d.train.X.RawRowView(i), d.train.X.RawRowView(j)
			for c := range row {
				row[c] = lambda*a[c] + (1-lambda)*b[c]
			}
			label[d.train.Class[i]] += lambda
			label[d.train.Class[j]] += 1 - lambda
		}
	}
	return x, y
}

// fitMixup minimizes the mean over one batch of pairs by L-BFGS.
func (m *Model) fitMixup(ctx context.Context, train *dataset.Set, o Options) error {
	if train.Len() < 2 {
		return errors.New("rival mixup: there is one row, and nothing to mix it with")
	}
	pairs := o.Pairs
	if pairs == 0 {
		pairs = pairsPerRow * train.Len()
	}
	x, y := newMixer(train, o, streamPairs).draw(pairs, mixesPerPair)
	p := &softmaxProblem{phi: m.phi(x), soft: y, weight: o.Setting.C * float64(train.Len()), steps: o.MaxIterations}
	w, solution, err := p.minimize(ctx)
	if err != nil {
		return err
	}
	solution.Learner = setting.Learner{Kind: setting.Softmax, Strength: o.Setting.C}
	m.Solution = solution
	m.take(w)
	return nil
}

// take sets the weights (classes×d). A binary target's one score is the difference of the two.
func (m *Model) take(w *mat.Dense) {
	if m.task == setting.Binary {
		_, d := w.Dims()
		one := mat.NewDense(1, d, nil)
		one.Sub(w.Slice(1, 2, 0, d), w.Slice(0, 1, 0, d))
		w = one
	}
	rows, _ := w.Dims()
	m.weights, m.bias = w, make([]float64, rows)
}

// A softmaxProblem is min_W ½‖W‖² + weight · mean_i ℓ(W φ_i, y_i), ℓ(s, y) = log Σ exp s − ⟨s, y⟩ for soft labels y that sum
// to 1.
type softmaxProblem struct {
	phi    *mat.Dense // rows×d
	soft   *mat.Dense // rows×m
	weight float64
	steps  int // at most; 0 is mostSteps
}

// value returns the objective at w (m×d), and sets its gradient unless gradient is nil.
func (p *softmaxProblem) value(w, gradient *mat.Dense) float64 {
	n, _ := p.phi.Dims()
	m, d := w.Dims()
	scores := mat.NewDense(n, m, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, p.phi.RawMatrix(), w.RawMatrix(), 0, scores.RawMatrix())
	loss := 0.0
	for i := range n {
		loss += slope(scores.RawRowView(i), p.soft.RawRowView(i))
	}
	share := p.weight / float64(n)
	flat := blas64.Vector{N: m * d, Inc: 1, Data: w.RawMatrix().Data}
	if gradient != nil {
		gradient.Copy(w)
		blas64.Gemm(blas.Trans, blas.NoTrans, share, scores.RawMatrix(), p.phi.RawMatrix(), 1, gradient.RawMatrix())
	}
	return blas64.Dot(flat, flat)/2 + share*loss
}

// slope returns ℓ of scores, and replaces them by its gradient.
func slope(s, y []float64) float64 {
	top := s[0]
	for _, v := range s {
		top = max(top, v)
	}
	sum, inner := 0.0, 0.0
	for k, v := range s {
		inner += v * y[k]
		s[k] = math.Exp(v - top)
		sum += s[k]
	}
	for k := range s {
		s[k] = s[k]/sum - y[k]
	}
	return top + math.Log(sum) - inner
}

const (
	gradientLimit = 1e-6 // the norm of the gradient, as a share of the weight of the loss, at which the descent ends
	mostSteps     = 1000 // after which it ends without
	mixupGap      = 1e-5 // up to which it has converged, as for the learners of package learn
)

// minimize finds W from zero on.
func (p *softmaxProblem) minimize(ctx context.Context) (*mat.Dense, *learn.Fit, error) {
	_, d := p.phi.Dims()
	_, m := p.soft.Dims()
	view := func(x []float64) *mat.Dense { return mat.NewDense(m, d, x) }
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return p.value(view(x), nil) },
		Grad: func(g, x []float64) { p.value(view(x), view(g)) },
		Status: func() (optimize.Status, error) {
			if err := ctx.Err(); err != nil {
				return optimize.RuntimeLimit, err
			}
			return optimize.NotTerminated, nil
		},
	}
	steps := p.steps
	if steps == 0 {
		steps = mostSteps
	}
	settings := &optimize.Settings{
		GradientThreshold: gradientLimit * p.weight, MajorIterations: steps,
		Converger: &optimize.FunctionConverge{Relative: 1e-9, Iterations: 5},
	}
	result, err := optimize.Minimize(problem, make([]float64, m*d), settings, &optimize.LBFGS{Store: 20})
	if ctxErr := ctx.Err(); ctxErr != nil {
		return nil, nil, ctxErr
	}
	if result == nil || result.X == nil { // a line search that ends at the limit of precision still leaves its best point
		return nil, nil, err
	}
	w := view(result.X)
	return w, p.solution(w, result.MajorIterations), nil
}

// solution says how near to the minimum W is proven to be, however the descent ended. P − ½‖·‖² is convex, so that
// P(W) − min P ≤ ½‖∇P(W)‖².
func (p *softmaxProblem) solution(w *mat.Dense, iterations int) *learn.Fit {
	m, d := w.Dims()
	gradient := mat.NewDense(m, d, nil)
	out := &learn.Fit{Objective: p.value(w, gradient), Iterations: iterations}
	length := mat.Norm(gradient, 2)
	out.Gap = min(1, length*length/2/math.Max(out.Objective, math.SmallestNonzeroFloat64))
	out.Converged = out.Gap <= mixupGap
	return out
}
