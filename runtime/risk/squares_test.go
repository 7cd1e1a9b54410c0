package risk_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// summed returns a problem with d + 1 rows that have the squared losses of all rows of an instance, by a QR factor of features and targets.
func summed(t *testing.T, x *instance, m int, off, base float64) risk.Problem {
	t.Helper()
	all := x.problem.A.(*polar.Dense).Matrix()
	count, dim := all.Dims()
	r := 0
	if x.problem.Gauge != nil {
		r = x.problem.Gauge.Size()
	}
	n, d := (count-r)/m, dim/m
	e, numbers := mat.NewDense(n, d+m, nil), risk.Numbers(x.problem.Targets)
	for i := range n {
		copy(e.RawRowView(i), all.RawRowView(r + i*m)[:d])
		for y := range m {
			e.Set(i, d+y, numbers(i, y))
		}
	}
	var qr mat.QR
	qr.Factorize(e)
	var upper mat.Dense
	qr.RTo(&upper)
	rows, targets := mat.NewDense(r+(d+m)*m, dim, nil), mat.NewDense(d+m, m, nil)
	for j := range r {
		rows.SetRow(j, all.RawRowView(j))
	}
	for i := range d + m {
		for y := range m {
			copy(rows.RawRowView(r + i*m + y)[y*d:(y+1)*d], upper.RawRowView(i)[:d])
			targets.Set(i, y, upper.At(i, d+y))
		}
	}
	p := x.problem
	a, err := polar.NewDense(rows)
	if err != nil {
		t.Fatal(err)
	}
	p.A, p.Roots, p.Squares = a, nil, &risk.Squares{Targets: targets, Off: off, Base: base}
	return p
}

// Rows that stand for all have the minimum of all, under any R and any cuts.
func TestFewRowsHaveTheMinimumOfAll(t *testing.T) {
	const n, d, r = 60, 5, 8
	for name, root := range map[string]*gauge.Node{"free": nil, "quadratic": quadratic(r), "largest": worst(r)} {
		for _, cut := range []bool{false, true} {
			x := newInstance(t, 4, setting.Class, n, 2, d, root, 10)
			few := summed(t, x, 2, 0, 0)
			q := risk.Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: 0.7}}
			var results []*risk.Result
			for _, p := range []risk.Problem{x.problem, few} {
				s, err := risk.New(p, risk.Settings{Gap: 1e-8})
				if err != nil {
					t.Fatal(err)
				}
				if _, dim := p.A.Dims(); cut {
					if err := s.Keep(drawCuts(rand.New(rand.NewPCG(1, 9)), 6, dim, 0)); err != nil {
						t.Fatal(err)
					}
				}
				out, err := s.Solve(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, out)
			}
			all, own := results[0], results[1]
			if !own.Converged || math.Abs(own.Upper-all.Upper) > 1e-7*all.Upper || floats.Distance(own.V, all.V, 2) > 1e-3*floats.Norm(all.V, 2) {
				t.Errorf("%s, cuts %t: P is %g to a gap of %g, and %g with all rows", name, cut, own.Upper, own.Gap, all.Upper)
			}
		}
	}
}

// What sums may be off by widens the bounds by that.
func TestSumsThatAreOffWidenTheGap(t *testing.T) {
	x := newInstance(t, 4, setting.Real, 60, 1, 5, worst(8), 10)
	q := risk.Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: 0.5}}
	exact, err := mustNew(t, summed(t, x, 1, 0, 0)).Solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	const off, base = 1e-3, 1e-2
	wide, err := mustNew(t, summed(t, x, 1, off, base)).Solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	size := floats.Dot(wide.V, wide.V)
	// The loss has the weight 1/λ = 2, and half of both differences counts.
	if above := wide.Upper - exact.Lower; above < off*size+base || wide.Lower > exact.Lower-base {
		t.Errorf("bounds are %g to %g, and %g to %g where sums are exact", wide.Lower, wide.Upper, exact.Lower, exact.Upper)
	}
}

// mustNew returns a solver.
func mustNew(t *testing.T, p risk.Problem) *risk.Solver {
	t.Helper()
	s, err := risk.New(p, risk.Settings{Gap: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Sums serve squared losses on all rows.
func TestSumsRefuseOtherLosses(t *testing.T) {
	x := newInstance(t, 4, setting.Binary, 60, 1, 5, nil, 10)
	s := mustNew(t, summed(t, x, 1, 0, 0))
	for _, q := range []risk.Request{
		{Learner: setting.Learner{Kind: setting.SVM, Strength: 1}},
		{Learner: setting.Learner{Kind: setting.Ridge, Strength: 1}, Rows: make([]bool, 6)},
	} {
		if _, err := s.Solve(context.Background(), q); err == nil {
			t.Errorf("%s was solved", q.Learner.Kind)
		}
	}
}
