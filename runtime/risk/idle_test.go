package risk_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// idleAt returns the result of a problem, its gap without R, and the same problem without R.
func idleAt(t *testing.T, p risk.Problem, q risk.Request) (r *risk.Result, idle float64, free *risk.Result) {
	t.Helper()
	r = solve(t, p, 1e-5, q)
	s, err := risk.New(p, risk.Settings{Gap: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	if idle, err = risk.Idle(t.Context(), s, q, r); err != nil {
		t.Fatal(err)
	}
	all := p.A.(*polar.Dense).Matrix()
	n, dim := all.Dims()
	if p.A, err = polar.NewDense(mat.DenseCopyOf(all.Slice(p.Gauge.Size(), n, 0, dim))); err != nil {
		t.Fatal(err)
	}
	p.Gauge = nil
	return r, idle, solve(t, p, 1e-5, q)
}

// R is idle where its weight is small, and is not where it is larger. Where it is, V is near the minimum without R.
func TestIdleIsAGapWithoutR(t *testing.T) {
	const n, m, d, r = 20, 2, 6, 8
	for kind, task := range map[setting.LearnerKind]setting.Task{
		setting.SVM: setting.Multilabel, setting.Logistic: setting.Multilabel, setting.Ridge: setting.Class, setting.Softmax: setting.Multilabel,
	} {
		bias := 30.0
		if kind == setting.Softmax {
			bias = 0
		}
		last := 0.0
		for _, weight := range []float64{1e-3, 10, 100} {
			for _, leaf := range []gauge.Op{gauge.Abs, gauge.Pos} {
				root := gauge.Scaled(gauge.Repeat(r/4, gauge.Hypot(gauge.Repeat(4, gauge.MaxOf(gauge.Leaf(leaf))))), weight)
				x := newInstance(t, 3, task, n, m, d, root, bias)
				q := risk.Request{Learner: setting.Learner{Kind: kind, Strength: 0.7}}
				with, idle, free := idleAt(t, x.problem, q)
				if small := weight < 0.01; small != (idle <= 1e-4) || small == (idle > 1e-3) {
					t.Errorf("%s, weight %g: idle to a gap of %g", kind, weight, idle)
				}
				if with.Upper*(1-idle) > free.Upper*(1+1e-9) {
					t.Errorf("%s, weight %g: a bound %g of the minimum without R is above its value %g", kind, weight, with.Upper*(1-idle), free.Upper)
				}
				apart := floats.Distance(with.V, free.V, 2)
				if most := math.Sqrt(2*idle*with.Upper) + math.Sqrt(2*free.Excess()); apart > most*(1+1e-6) {
					t.Errorf("%s, weight %g: V is %g from that without R, and %g is proved", kind, weight, apart, most)
				}
				if leaf == gauge.Abs {
					if idle < last {
						t.Errorf("%s, weight %g: idle to a gap of %g, and to %g at a smaller weight", kind, weight, idle, last)
					}
					last = idle
				}
			}
		}
	}
}

// A large weight makes R(V) small, and R is not idle. A statement that V obeys without R is idle under any weight.
func TestIdleIsNotThatRIsSmall(t *testing.T) {
	rows := mat.NewDense(11, 1, nil)
	for i := range 11 {
		rows.Set(i, 0, 1) // one functional ⟨1, V⟩, and ten scores
	}
	a, err := polar.NewDense(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		root  *gauge.Node
		label int
		idle  bool
	}{{gauge.Leaf(gauge.Abs), 1, false}, {gauge.Leaf(gauge.Pos), 1, false}, {gauge.Leaf(gauge.Pos), 0, true}} {
		x := newInstance(t, 1, setting.Binary, 10, 1, 1, nil, 0)
		x.problem.A, x.problem.Gauge = a, gauge.Scaled(c.root, 1e3)
		for i := range x.problem.Targets.Class {
			x.problem.Targets.Class[i] = c.label
		}
		with, idle, _ := idleAt(t, x.problem, risk.Request{Learner: setting.Learner{Kind: setting.Logistic, Strength: 1}})
		if rho := 1e3 * math.Max(0, with.V[0]); rho*rho/2 > 1e-3*with.Upper || (idle <= 1e-3) != c.idle {
			t.Errorf("classes %d under %v: ½ρ² is %g of %g, idle to a gap of %g", c.label, c.root.Op, rho*rho/2, with.Upper, idle)
		}
	}
}
