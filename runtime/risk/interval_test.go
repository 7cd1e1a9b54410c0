package risk_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// waving is a problem whose R is the root mean square over curves of the p-norm over an interval, 0 for the maximum, of functions
// Σ c_m cos mθ of λ.
type waving struct {
	task         setting.Task
	p            float64
	count        int
	coefficients []*mat.Dense
	scores       *mat.Dense
	targets      *learn.Targets
	m            int
}

func newWaving(task setting.Task, p float64, seed uint64) *waving {
	const n, d, count, degree = 9, 6, 3, 5
	rng := rand.New(rand.NewPCG(5, seed))
	w := &waving{task: task, p: p, count: count, m: 1}
	if task == setting.Multilabel {
		w.m = 2
	}
	for range count {
		c := mat.NewDense(degree+1, w.m*d, nil)
		c.Apply(func(m, _ int, _ float64) float64 { return 2 * rng.NormFloat64() / math.Pow(1.5, float64(m)) }, c)
		w.coefficients = append(w.coefficients, c)
	}
	w.scores = mat.NewDense(n*w.m, w.m*d, nil)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			for y := range w.m {
				w.scores.Set(i*w.m+y, y*d+j, v)
			}
		}
	}
	w.targets = drawTargets(rng, task, n, w.m)
	return w
}

// problem is the problem at that many nodes.
func (w *waving) problem(t *testing.T, nodes int, between bool) risk.Problem {
	t.Helper()
	_, dim := w.scores.Dims()
	rows := mat.NewDense(w.count*nodes, dim, nil)
	for i, c := range w.coefficients {
		for k, l := range curve.Nodes(nodes) {
			angle, row := math.Acos(1-2*l), rows.RawRowView(i*nodes+k)
			for m := range c.RawMatrix().Rows {
				for j := range row {
					row[j] += math.Cos(float64(m)*angle) * c.At(m, j)
				}
			}
		}
	}
	all := new(mat.Dense)
	all.Stack(rows, w.scores)
	op, err := polar.NewDense(all)
	if err != nil {
		t.Fatal(err)
	}
	out := risk.Problem{Alpha: 1, A: op, Gauge: w.gauge(nodes), Targets: w.targets, Labels: w.m}
	if between {
		runs := []curve.Run{{Step: nodes, Stride: 1, Nodes: nodes, Count: w.count, P: w.p}}
		if out.Curves, err = polar.NewCurves(w.count*nodes, runs, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func (w *waving) gauge(nodes int) *gauge.Node {
	if w.p == 0 {
		return gauge.Repeat(w.count, gauge.Hypot(gauge.Repeat(nodes, gauge.MaxOf(gauge.Leaf(gauge.Abs)))))
	}
	weights := curve.Weights(nodes)
	for k := range weights {
		weights[k] = math.Pow(weights[k], 1/w.p)
	}
	node := gauge.SumOf(gauge.Leaf(gauge.Abs))
	if w.p != 1 {
		node = gauge.NormOf(w.p, gauge.Leaf(gauge.Abs))
	}
	return gauge.Repeat(w.count, gauge.Hypot(gauge.Weighted(gauge.Repeat(nodes, node), weights...)))
}

// Both bounds of the risk hold for 401 nodes, where those of 9 nodes need not.
func TestRiskBetweenNodes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		task   setting.Task
		kind   setting.LearnerKind
		p      float64
		nodes  int
		beyond bool // the bounds at the nodes do not hold
	}{
		{"maximum", setting.Real, setting.Ridge, 0, 9, true},
		{"maximum, logistic", setting.Binary, setting.Logistic, 0, 9, true},
		{"integral", setting.Real, setting.Ridge, 1, 9, true},
		{"integral, svm", setting.Binary, setting.SVM, 1, 9, true},
		{"root mean square of label sets", setting.Multilabel, setting.Softmax, 2, 9, true},
		{"finer", setting.Real, setting.Ridge, 1, 81, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWaving(tt.task, tt.p, 9)
			q := risk.Request{Learner: setting.Learner{Kind: tt.kind, Strength: 1}}
			exact := solve(t, w.problem(t, 401, false), 1e-5, q)
			plain := solve(t, w.problem(t, tt.nodes, false), 1e-5, q)
			s, err := risk.New(w.problem(t, tt.nodes, true), risk.Settings{Gap: 1e-5})
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Solve(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			const slip = 5e-5 // what 401 nodes and the gap leave
			if got.Upper < exact.Lower*(1-slip) || got.Lower > exact.Upper*(1+slip) {
				t.Errorf("from %v to %v, over 401 nodes from %v to %v", got.Lower, got.Upper, exact.Lower, exact.Upper)
			}
			if over := at(t, w, got.V, q); got.Upper < over*(1-slip) {
				t.Errorf("P(V) is taken to be %v, and over 401 nodes is %v", got.Upper, over)
			}
			if beyond := plain.Upper < at(t, w, plain.V, q)*(1-slip) || plain.Lower > exact.Upper*(1+slip); beyond != tt.beyond {
				t.Errorf("the bounds at the nodes fail over 401 nodes: %v", beyond)
			}
			if tt.nodes == 81 && got.Gap > 2e-3 {
				t.Errorf("81 nodes leave a gap of %v", got.Gap)
			}
			if got.Between > got.Gap || got.Between < got.Gap-1e-5 || got.Slack != 0 {
				t.Errorf("the gap is %v, %v of it between nodes, %v of that errors", got.Gap, got.Between, got.Slack)
			}
		})
	}
}

// So they do where rows pass by.
func TestRiskBetweenNodesOfRowsThatPassBy(t *testing.T) {
	for _, kind := range []setting.LearnerKind{setting.Logistic, setting.SVM, setting.SquaredSVM} {
		for k, p := range []float64{0, 1, 2, 1, 1} {
			w, q := newWaving(setting.Binary, p, uint64(k)), risk.Request{Learner: setting.Learner{Kind: kind, Strength: 1}}
			exact := solve(t, w.problem(t, 401, false), 1e-5, q)
			s, err := risk.New(newStream(t, &instance{problem: w.problem(t, 9, true), n: w.targets.Len(), m: w.m}, false), risk.Settings{Gap: 1e-4})
			if err != nil {
				t.Fatal(err)
			}
			for _, limit := range []int{1, 3, 60} {
				q.Limit = limit
				got, err := s.Solve(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				const slip = 5e-5
				if got.Upper < exact.Lower*(1-slip) || got.Lower > exact.Upper*(1+slip) || got.Upper < at(t, w, got.V, q)*(1-slip) {
					t.Errorf("%s, p = %v, %d passes: from %v to %v, over 401 nodes from %v to %v, and P(V) is %v", kind, p, limit, got.Lower, got.Upper, exact.Lower, exact.Upper, at(t, w, got.V, q))
				}
				if limit == 60 && !((got.Between > 0 || p == 2) && got.Gap < 0.2) {
					t.Errorf("%s, p = %v: the gap is %v, %v of it between nodes", kind, p, got.Gap, got.Between)
				}
			}
		}
	}
}

// at is the risk of V over 401 nodes.
func at(t *testing.T, w *waving, v []float64, q risk.Request) float64 {
	t.Helper()
	p := w.problem(t, 401, false)
	functionals, dim := p.A.Dims()
	values := mat.NewDense(1, functionals, nil)
	p.A.Apply(values, mat.NewDense(1, dim, v))
	row := values.RawRowView(0)
	loss, err := risk.NewLoss(q.Learner, p.Targets, nil, q.Learner.Strength)
	if err != nil {
		t.Fatal(err)
	}
	r := p.Gauge.Size()
	rho := p.Gauge.Value(row[:r])
	sum := rho * rho / 2
	for _, x := range v {
		sum += x * x / 2
	}
	for i := range p.Targets.Len() {
		sum += loss.Value(i, row[r+i*w.m:r+(i+1)*w.m])
	}
	return sum
}

// Errors of interpolation raise the upper bound by what they may amount to.
func TestSlackUnderRisk(t *testing.T) {
	w := newWaving(setting.Real, 0, 9)
	p := w.problem(t, 41, true)
	q := risk.Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: 1}}
	s, err := risk.New(p, risk.Settings{Gap: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	without, err := s.Solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if p.Curves, err = polar.NewCurves(w.count*41, p.Curves.Runs(), 0.1, 0); err != nil {
		t.Fatal(err)
	}
	if s, err = risk.New(p, risk.Settings{Gap: 1e-5}); err != nil {
		t.Fatal(err)
	}
	with, err := s.Solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !(with.Upper > without.Upper) || with.Lower != without.Lower || !(with.Slack > 0) || with.Converged {
		t.Errorf("from %v to %v, without errors from %v to %v", with.Lower, with.Upper, without.Lower, without.Upper)
	}
}
