package risk_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// alike is a plain matrix whose M is known to be one matrix for every label.
type alike struct {
	*polar.Dense
	labels int
}

// Root factors the first block of M.
func (a alike) Root(_ context.Context, alpha float64, w []float64) (*blas64.Triangular, error) {
	_, dim := a.Dims()
	d := dim / a.labels
	g := blas64.Symmetric{N: d, Stride: d, Data: make([]float64, d*d), Uplo: blas.Lower}
	for j, v := range w {
		row := a.Matrix().RawRowView(j)[:d]
		for i := range d {
			for k := range i + 1 {
				g.Data[i*d+k] += v * row[i] * row[k]
			}
		}
	}
	for i := range d {
		g.Data[i*d+i] += alpha
	}
	l, ok := lapack64.Potrf(g)
	if !ok {
		return nil, polar.ErrIndefinite
	}
	return &l, nil
}

// At copies a label's part of rows.
func (a alike) At(dst blas64.General, index []int, label int) {
	for k, i := range index {
		copy(dst.Data[k*dst.Stride:k*dst.Stride+dst.Cols], a.Matrix().RawRowView(i)[label*dst.Cols:])
	}
}

// treatedAlike returns a problem whose R has the same functionals at every label. R sees the bias where it is told to.
func treatedAlike(t *rapid.T, task setting.Task, bias float64, sees bool) risk.Problem {
	m := 3
	if !task.Joint() {
		m = 1
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	n, d, own := 30, 5, 1+rng.IntN(8)
	width := d
	if bias > 0 {
		width++
	}
	rows := mat.NewDense((own+n)*m, m*width, nil)
	for i := range own {
		for j := range width {
			v := rng.NormFloat64() / math.Sqrt(float64(d))
			if j == d && !sees {
				v = 0
			}
			for y := range m {
				rows.Set(i*m+y, y*width+j, v)
			}
		}
	}
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			for y := range m {
				rows.Set((own+i)*m+y, y*width+j, v)
				if bias > 0 {
					rows.Set((own+i)*m+y, y*width+d, bias)
				}
			}
		}
	}
	op, err := polar.NewDense(rows)
	if err != nil {
		t.Fatal(err)
	}
	root := gauge.Scaled(gauge.Repeat(own*m, gauge.Hypot(gauge.Leaf(gauge.Abs))), rapid.Float64Range(0.01, 30).Draw(t, "weight"))
	p := risk.Problem{Alpha: 1, A: op, Gauge: root, Targets: drawTargets(rng, task, n, m), Labels: m, Bias: bias}
	if rapid.Bool().Draw(t, "weighted") {
		for range n {
			p.Targets.Weight = append(p.Targets.Weight, float64(1+rng.IntN(3)))
		}
	}
	return p
}

// everyLearner has each loss of the risk with a task that it suits, and whether it has biases.
var everyLearner = []struct {
	task    setting.Task
	learner setting.LearnerKind
	bias    bool
}{
	{setting.Binary, setting.SVM, true},
	{setting.Class, setting.SVM, true},
	{setting.Class, setting.SquaredSVM, true},
	{setting.Multilabel, setting.SVM, true},
	{setting.Binary, setting.Logistic, true},
	{setting.Multilabel, setting.Logistic, true},
	{setting.Class, setting.Softmax, false},
	{setting.Multilabel, setting.Softmax, false},
	{setting.Real, setting.Ridge, true},
	{setting.Class, setting.Ridge, true},
	{setting.Counts, setting.Poisson, true},
	{setting.Quantiles, setting.Quantile, true},
}

// A quadratic R is taken away by new coordinates. The iterations, which know nothing of them, find the same minimum.
func TestLearnersFindTheMinimumOfQuadraticR(t *testing.T) {
	const gap = 1e-4
	for _, c := range everyLearner {
		t.Run(fmt.Sprintf("%s on %s", c.learner, c.task), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				bias := 0.0
				if c.bias {
					bias = 100
				}
				p := treatedAlike(t, c.task, bias, false)
				q := risk.Request{Learner: setting.Learner{Kind: c.learner, Strength: rapid.Float64Range(0.05, 5).Draw(t, "strength")}}
				if rapid.Bool().Draw(t, "some") {
					for i := range p.Targets.Len() {
						q.Rows = append(q.Rows, i%4 != 0)
					}
				}
				iterated := solved(t, p, gap, q)
				p.Roots = alike{p.A.(*polar.Dense), p.Labels}
				learnt := solved(t, p, gap, q)
				q.Brief = true // the learner alone
				alone := first(t, p, gap, q)
				if iterated.Learnt || !alone.Learnt || learnt.Learnt != (alone.Gap <= gap) {
					t.Fatalf("learnt: %v without a root, %v with one, %v by the learner alone, whose gap is %v", iterated.Learnt, learnt.Learnt, alone.Learnt, alone.Gap)
				}
				if apart := math.Abs(learnt.Upper - iterated.Upper); apart > gap*math.Max(learnt.Upper, iterated.Upper) {
					t.Fatalf("the minimum is %v by the learner, and %v by iterations", learnt.Upper, iterated.Upper)
				}
				if learnt.Lower > iterated.Upper*(1+1e-12) || iterated.Lower > learnt.Upper*(1+1e-12) {
					t.Fatalf("bounds %v, %v by the learner contradict %v, %v by iterations", learnt.Lower, learnt.Upper, iterated.Lower, iterated.Upper)
				}
				var apart float64
				for k, v := range learnt.V {
					apart += (v - iterated.V[k]) * (v - iterated.V[k])
				}
				// ½‖V − V*‖² ≤ P − min P at both.
				if most := math.Sqrt(2*learnt.Excess()) + math.Sqrt(2*iterated.Excess()); math.Sqrt(apart) > most*(1+1e-9) {
					t.Fatalf("both V are %v apart, and %v is proved", math.Sqrt(apart), most)
				}
			})
		})
	}
}

// first returns what a request comes to, whatever its gap.
func first(t rapid.TB, p risk.Problem, gap float64, q risk.Request) *risk.Result {
	s, err := risk.New(p, risk.Settings{Gap: gap})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// solved returns the minimum to a gap.
func solved(t rapid.TB, p risk.Problem, gap float64, q risk.Request) *risk.Result {
	r := first(t, p, gap, q)
	if !r.Converged || !(r.Gap <= gap) || r.Lower > r.Upper {
		t.Fatalf("the gap is %v after %d iterations, bounds %v and %v", r.Gap, r.Iterations, r.Lower, r.Upper)
	}
	return r
}

// A learner's bias is free. Where R sees it, iterations find the minimum.
func TestWhatRSaysOfBiasesIsLeftToIterations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := treatedAlike(t, setting.Binary, 100, true)
		q := risk.Request{Learner: setting.Learner{Kind: setting.Logistic, Strength: 1}}
		p.Roots = alike{p.A.(*polar.Dense), p.Labels}
		if r := solved(t, p, 1e-3, q); r.Learnt {
			t.Fatal("a learner with a free bias found the minimum of an R that weighs it")
		}
	})
}

// A small constant feature makes biases dear, which are free to the learner. Iterations go on from its point, and are what is counted.
func TestIterationsThatGoOnAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, c := range []struct {
			bias   float64
			learnt bool
		}{{1e4, true}, {0.3, false}} {
			p := treatedAlike(t, setting.Binary, c.bias, false)
			p.Roots = alike{p.A.(*polar.Dense), p.Labels}
			for i := range p.Targets.Class { // most rows are of one class, which asks for a bias
				p.Targets.Class[i] = min(i%10, 1)
			}
			r := solved(t, p, 1e-3, risk.Request{Learner: setting.Learner{Kind: setting.Logistic, Strength: 1}})
			if r.Learnt != c.learnt || r.Iterations == 0 {
				t.Fatalf("bias %g: learnt %v after %d iterations", c.bias, r.Learnt, r.Iterations)
			}
		}
	})
}
