package dual

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
)

// newMoved has a Gaussian kernel's features at points whose small moves R keeps f from changing under, by weight.
func newMoved(t *testing.T, seed uint64, n, dim, moves int, weight float64) Problem {
	t.Helper()
	const width, far, bias = 1.0, 0.5, 10
	rng := rand.New(rand.NewPCG(seed, 11))
	steps := mat.NewDense(moves, dim, nil)
	steps.Apply(func(_, _ int, _ float64) float64 { return far * rng.NormFloat64() / math.Sqrt(float64(dim)) }, steps)
	points := mat.NewDense(n*(1+moves), dim, nil)
	targets := &learn.Targets{Task: learn.Binary}
	for i := range n {
		for k := range dim {
			points.Set(i, k, rng.NormFloat64())
		}
		y := 0
		if points.At(i, 0)*points.At(i, 1)+0.3*rng.NormFloat64() > 0 {
			y = 1
		}
		targets.Class = append(targets.Class, y)
		for j := range moves {
			for k := range dim {
				points.Set(n+i*moves+j, k, points.At(i, k)+steps.At(j, k))
			}
		}
	}
	kernel := func(i, j int) float64 {
		sum := 0.0
		for k := range dim {
			d := points.At(i, k) - points.At(j, k)
			sum += d * d
		}
		return math.Exp(-sum / (2 * width * width * float64(dim)))
	}
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			gram.SetSym(i, j, kernel(i, j))
		}
		gram.SetSym(i, i, gram.At(i, i)+1e-8)
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) {
		t.Fatal("no factor")
	}
	var l mat.TriDense
	chol.LTo(&l)
	cross := mat.NewDense(n, n*(1+moves), nil)
	cross.Apply(func(i, j int, _ float64) float64 { return kernel(i, j) }, cross)
	var all mat.Dense
	if err := all.Solve(&l, cross); err != nil {
		t.Fatal(err)
	}
	phi, a := mat.NewDense(n, n+1, nil), mat.NewDense(n*moves, n+1, nil)
	for i := range n {
		phi.Set(i, n, bias)
		for k := range n {
			phi.Set(i, k, all.At(k, i))
			for j := range moves {
				a.Set(i*moves+j, k, all.At(k, n+i*moves+j)-all.At(k, i))
			}
		}
	}
	root := gauge.Scaled(gauge.Repeat(n, gauge.Hypot(gauge.Repeat(moves, gauge.MaxOf(gauge.Leaf(gauge.Abs))))), weight/math.Sqrt(float64(n)))
	return Problem{Alpha: 1, A: dense(t, a), Gauge: root, Features: phi, Targets: targets, Labels: 1, Bias: bias}
}

// Heavy weights of R, where line searches are lost in the error of embeddings and V lags behind C, have their minimum found too, or are
// given up in time, with bounds that hold.
func TestHeavyWeightsDoNotStall(t *testing.T) {
	for _, c := range []struct {
		seed   uint64
		weight float64
		reach  bool
	}{{1, 300, true}, {2, 50, true}, {3, 300, false}} {
		s, err := New(t.Context(), newMoved(t, c.seed, 60, 5, 8, c.weight), Settings{Gap: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context(), Request{Learner: learn.Learner{Kind: learn.SVM, Strength: 5}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: F %.6g, gap %.2g, inner %.2g, %d evaluations", c.seed, r.Upper, r.Gap, r.Inner, r.Evaluations)
		if r.Evaluations > 510 || r.Lower > r.Upper*(1+1e-9) || (c.reach && !r.Converged) || (r.Converged && r.Gap > 1e-3) {
			t.Errorf("seed %d: bounds %v and %v after %d evaluations, converged: %v", c.seed, r.Lower, r.Upper, r.Evaluations, r.Converged)
		}
	}
}
