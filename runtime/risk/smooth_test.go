package risk_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Label sets have one minimum, whether the gauge is known to be quadratic or hides it in a maximum, so that multipliers find it.
func TestBothWaysToLabelSetsAgree(t *testing.T) {
	const r = 6
	root := gauge.Scaled(gauge.Repeat(r, gauge.Hypot(gauge.Leaf(gauge.Abs))), 1.3)
	x := newInstance(t, 3, setting.Multilabel, 12, 4, 5, root, 0)
	hidden := hide(t, x, root, r)
	for _, strength := range []float64{0.1, 3, 50} {
		q := risk.Request{Learner: setting.Learner{Kind: setting.Softmax, Strength: strength}}
		smooth := solve(t, x.problem, 1e-9, q)
		value := riskOfSets(x, root, smooth.V, strength)
		if math.Abs(value-smooth.Upper) > 1e-9*value {
			t.Errorf("C = %g: the risk is %v, by definition %v", strength, smooth.Upper, value)
		}
		other := solve(t, hidden, 1e-7, q)
		if math.Abs(other.Upper-smooth.Upper) > 2e-7*value {
			t.Errorf("C = %g: %v by L-BFGS, %v by multipliers", strength, smooth.Upper, other.Upper)
		}
	}
}

// hide puts the gauge into a maximum with a functional that is zero, which is not quadratic any more.
func hide(t *testing.T, x *instance, root *gauge.Node, r int) risk.Problem {
	t.Helper()
	rows := x.problem.A.(*polar.Dense).Matrix()
	count, dim := rows.Dims()
	wider := mat.NewDense(count+1, dim, nil)
	wider.Slice(0, r, 0, dim).(*mat.Dense).Copy(rows.Slice(0, r, 0, dim))
	wider.Slice(r+1, count+1, 0, dim).(*mat.Dense).Copy(rows.Slice(r, count, 0, dim))
	op, err := polar.NewDense(wider)
	if err != nil {
		t.Fatal(err)
	}
	out := x.problem
	out.A, out.Gauge = op, gauge.MaxOf(root, gauge.Leaf(gauge.Abs))
	if _, ok := out.Gauge.Quadratic(); ok {
		t.Fatal("the maximum is quadratic")
	}
	return out
}

// riskOfSets is the risk of softmax on label sets by its definition.
func riskOfSets(x *instance, root *gauge.Node, v []float64, strength float64) float64 {
	var values mat.VecDense
	values.MulVec(x.problem.A.(*polar.Dense).Matrix(), mat.NewVecDense(len(v), v))
	r := root.Size()
	rho := root.Value(values.RawVector().Data[:r])
	sum := (floats.Dot(v, v) + rho*rho) / 2
	multi := x.problem.Targets.Multi
	for i := range x.n {
		scores := values.RawVector().Data[r+i*x.m : r+(i+1)*x.m]
		seen := map[string]bool{}
		var all float64
		for k := range x.n {
			labels := multi.RawRowView(k)
			if key := fmt.Sprint(labels); !seen[key] {
				seen[key] = true
				all += math.Exp(floats.Dot(labels, scores))
			}
		}
		sum += strength * (math.Log(all) - floats.Dot(multi.RawRowView(i), scores))
	}
	return sum
}

// A fold's rows alone count, and a context ends the search.
func TestLabelSetsOfSomeRows(t *testing.T) {
	x := newInstance(t, 4, setting.Multilabel, 10, 3, 4, nil, 0)
	q := risk.Request{Learner: setting.Learner{Kind: setting.Softmax, Strength: 2}, Rows: make([]bool, 10)}
	if r := solve(t, x.problem, 1e-9, q); r.Upper != 0 {
		t.Errorf("the risk of no row is %v", r.Upper)
	}
	q.Rows[2], q.Rows[7] = true, true
	some := solve(t, x.problem, 1e-9, q)
	q.Rows = nil
	if all := solve(t, x.problem, 1e-9, q); !(some.Upper < all.Upper) {
		t.Errorf("the risk of two rows is %v, of all %v", some.Upper, all.Upper)
	}
	s, err := risk.New(x.problem, risk.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Solve(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over: %v", err)
	}
}
