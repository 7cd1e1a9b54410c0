package risk_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// drawCuts returns k cuts that some V keeps with room to spare: about half are broken by V = 0.
func drawCuts(rng *rand.Rand, k, dim int, margin float64) *risk.Cuts {
	c := &risk.Cuts{Rows: mat.NewDense(k, dim, nil)}
	inside := make([]float64, dim)
	for j := range inside {
		inside[j] = rng.NormFloat64()
	}
	for i := range k {
		size := math.Exp(3 * rng.NormFloat64()) // rows need not be alike
		at := 0.0
		for j := range dim {
			v := size * rng.NormFloat64()
			c.Rows.Set(i, j, v)
			at += v * inside[j]
		}
		c.Least, c.Margin = append(c.Least, at-size*(0.2+rng.Float64())), append(c.Margin, margin*size)
	}
	return c
}

// firstCuts returns the first k cuts.
func firstCuts(c *risk.Cuts, k int) *risk.Cuts {
	_, dim := c.Rows.Dims()
	return &risk.Cuts{Rows: mat.DenseCopyOf(c.Rows.Slice(0, k, 0, dim)), Least: c.Least[:k], Margin: c.Margin[:k]}
}

// keptValue checks that a result keeps the bounds of cuts, and that its bounds meet to within a share.
func keptValue(t *testing.T, c *risk.Cuts, r *risk.Result, share float64) {
	t.Helper()
	dim := len(r.V)
	for k := range c.Least {
		value := mat.Dot(mat.NewVecDense(dim, c.Rows.RawRowView(k)), mat.NewVecDense(dim, r.V))
		if math.Abs(value-r.Values[k]) > 1e-9*(1+math.Abs(value)) || value < c.Least[k] {
			t.Fatalf("cut %d is at %v, told as %v, and is to be at least %v", k, value, r.Values[k], c.Least[k])
		}
		if r.Multipliers[k] > 0 {
			t.Fatalf("cut %d has the multiplier %v", k, r.Multipliers[k])
		}
	}
	if !(r.Floor <= r.Upper) || r.Upper-r.Floor > share*r.Upper {
		t.Fatalf("between %v and %v after %d iterations, gap %v", r.Floor, r.Upper, r.Iterations, r.Gap)
	}
}

// Fits keep all cuts, at the minimum of those that do: the bounds meet, for every loss, with R and without, for cuts that come round by
// round. A V in between has a larger objective than the lower bound.
func TestCutsAreKept(t *testing.T) {
	for _, c := range []struct {
		kind setting.LearnerKind
		task setting.Task
		m    int
		root *gauge.Node
		bias float64
	}{
		{setting.Ridge, setting.Real, 1, nil, 0},
		{setting.Ridge, setting.Real, 1, nil, 30},
		{setting.Ridge, setting.Real, 1, quadratic(6), 0},
		{setting.Ridge, setting.Binary, 1, quadratic(6), 30},
		{setting.Ridge, setting.Multilabel, 3, nil, 30},
		{setting.SVM, setting.Binary, 1, nil, 0},
		{setting.Logistic, setting.Binary, 1, quadratic(6), 30},
		{setting.Softmax, setting.Class, 3, nil, 0},
		{setting.Ridge, setting.Real, 1, worst(6), 0},
	} {
		for seed := range uint64(6) {
			t.Run(fmt.Sprintf("%s/%s/%v/%d", c.kind, c.task, c.root != nil, seed), func(t *testing.T) {
				x := newInstance(t, seed, c.task, 20, c.m, 12, c.root, c.bias)
				if seed%2 == 1 {
					for i := range x.n {
						x.problem.Targets.Weight = append(x.problem.Targets.Weight, 1+float64(i%3))
					}
				}
				s, err := risk.New(x.problem, risk.Settings{Gap: 1e-6, MaxIterations: 20000})
				if err != nil {
					t.Fatal(err)
				}
				_, dim := x.problem.A.Dims()
				cuts := drawCuts(rand.New(rand.NewPCG(seed, 9)), 18, dim, 1e-4)
				var last *risk.Result
				for _, k := range []int{0, 6, 12, 18} {
					own := firstCuts(cuts, max(k, 1))
					if k == 0 {
						own = nil
					}
					if err := s.Keep(own); err != nil {
						t.Fatal(err)
					}
					r, err := s.Solve(t.Context(), risk.Request{Learner: setting.Learner{Kind: c.kind, Strength: 2}, Start: last})
					if err != nil {
						t.Fatal(err)
					}
					if !r.Converged {
						t.Fatalf("%d cuts: gap %v after %d iterations, between %v and %v", k, r.Gap, r.Iterations, r.Lower, r.Upper)
					}
					if k > 0 {
						keptValue(t, own, r, 2e-3)
					}
					if last != nil && r.Upper < last.Floor {
						t.Errorf("more cuts have the minimum %v, fewer at least %v", r.Upper, last.Floor)
					}
					last = r
				}
			})
		}
	}
}

// Squares under cuts are solved at once, to a gap of rounding: of losses, of R, and of rows with weights.
func TestSquaresAreSolvedAtOnce(t *testing.T) {
	for seed := range uint64(8) {
		x := newInstance(t, seed, setting.Real, 20, 1, 12, quadratic(6), 30)
		for i := range x.n {
			x.problem.Targets.Weight = append(x.problem.Targets.Weight, 1+float64(i%3))
		}
		s, err := risk.New(x.problem, risk.Settings{Gap: 1e-5})
		if err != nil {
			t.Fatal(err)
		}
		_, dim := x.problem.A.Dims()
		if err := s.Keep(drawCuts(rand.New(rand.NewPCG(seed, 9)), 8, dim, 0)); err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context(), risk.Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: 2}})
		if err != nil || !r.Converged || r.Iterations > 0 {
			t.Errorf("%v: a gap of %v after %d iterations", err, r.Gap, r.Iterations)
		}
	}
}

// Bad cuts are refused.
func TestBadCuts(t *testing.T) {
	x := newInstance(t, 1, setting.Real, 5, 1, 4, nil, 0)
	s, err := risk.New(x.problem, risk.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*risk.Cuts{
		{Rows: mat.NewDense(1, 3, nil), Least: []float64{0}, Margin: []float64{0}},
		{Rows: mat.NewDense(1, 4, nil), Least: []float64{0}, Margin: []float64{-1}},
		{Rows: mat.NewDense(1, 4, nil), Least: []float64{math.NaN()}, Margin: []float64{0}},
		{Rows: mat.NewDense(2, 4, nil), Least: []float64{0}, Margin: []float64{0}},
	} {
		if err := s.Keep(c); err == nil {
			t.Errorf("%v was taken", c)
		}
	}
}

// quadratic is a root of squares of r functionals.
func quadratic(r int) *gauge.Node { return gauge.Repeat(r, gauge.Hypot(gauge.Leaf(gauge.Abs))) }

// worst is a maximum of r functionals.
func worst(r int) *gauge.Node { return gauge.Repeat(r, gauge.MaxOf(gauge.Leaf(gauge.Abs))) }
