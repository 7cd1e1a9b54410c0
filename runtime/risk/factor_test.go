package risk_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// noting is an operator that notes the weights of its factors.
type noting struct {
	polar.Operator
	weights [][]float64
}

// Factor notes the weights.
func (o *noting) Factor(ctx context.Context, alpha float64, w []float64) (polar.Factor, error) {
	o.weights = append(o.weights, w)
	return o.Operator.Factor(ctx, alpha, w)
}

// solvedBy returns what a solver finds for a strength.
func solvedBy(t *testing.T, s *risk.Solver, strength float64) *risk.Result {
	t.Helper()
	out, err := s.Solve(t.Context(), risk.Request{Learner: setting.Learner{Kind: setting.SVM, Strength: strength}})
	if err != nil || !out.Converged {
		t.Fatal(out, err)
	}
	return out
}

// Strengths a decade apart have steps in common. One solver makes the factor of each step once, and finds what a solver for each strength finds.
func TestStrengthsShareFactors(t *testing.T) {
	x := newInstance(t, 3, setting.Binary, 30, 1, 12, maxima(12, 2), 0)
	fresh := func() (*risk.Solver, *noting) {
		p, o := x.problem, &noting{Operator: x.problem.A}
		p.A = o
		s, err := risk.New(p, risk.Settings{Gap: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		return s, o
	}
	s, shared := fresh()
	apart := 0
	for _, strength := range []float64{0.1, 1, 10} {
		one, own := fresh()
		got, want := solvedBy(t, s, strength), solvedBy(t, one, strength)
		if apart += len(own.weights); got.Iterations != want.Iterations {
			t.Errorf("strength %v: %d iterations with factors of others, %d without", strength, got.Iterations, want.Iterations)
		}
		if !mat.EqualApprox(mat.NewVecDense(len(got.V), got.V), mat.NewVecDense(len(want.V), want.V), 1e-8) {
			t.Errorf("strength %v: another V with factors of others", strength)
		}
	}
	if len(shared.weights) >= apart {
		t.Errorf("%d factors for three strengths of one solver, %d of a solver each", len(shared.weights), apart)
	}
	for k, w := range shared.weights {
		for _, v := range shared.weights[:k] {
			if math.Abs(v[0]-w[0]) < 1e-9*v[0] {
				t.Errorf("the step of weight %v was factored twice", w[0])
			}
		}
	}
}
