package dual

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// An instance is a random problem whose features and functionals are plain matrices, as package dual and package risk take it.
type instance struct {
	n, m, d     int
	functionals *mat.Dense // r×md
	dual        Problem
	risk        risk.Problem
}

// newInstance has a functional for each leaf of the gauge, and a constant feature, which R sees, where bias > 0.
func newInstance(t *testing.T, seed uint64, task setting.Task, n, m, d int, root *gauge.Node, bias float64) *instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	width, r := d, 0
	if bias > 0 {
		width++
	}
	if root != nil {
		r = root.Size()
	}
	draw := func(rows, cols int) *mat.Dense {
		out := mat.NewDense(max(rows, 1), cols, nil)
		out.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() / math.Sqrt(float64(d)) }, out)
		return out
	}
	phi := draw(n, width)
	a := draw(r, m*width)
	all := mat.NewDense(r+n*m, m*width, nil)
	for j := range m * width {
		for i := range r {
			if j%width == d {
				a.Set(i, j, 0.1*bias*rng.NormFloat64())
			}
			all.Set(i, j, a.At(i, j))
		}
	}
	for i := range n {
		if bias > 0 {
			phi.Set(i, d, bias)
		}
		for y := range m {
			copy(all.RawRowView(r + i*m + y)[y*width:], phi.RawRowView(i))
		}
	}
	x := &instance{n: n, m: m, d: width, functionals: a}
	targets := drawTargets(rng, task, n, m)
	x.dual = Problem{Alpha: 1, Gauge: root, Features: phi, Targets: targets, Labels: m, Bias: bias}
	if root != nil {
		x.dual.A = dense(t, a)
	}
	x.risk = risk.Problem{Alpha: 1, A: dense(t, all), Gauge: root, Targets: targets, Labels: m, Bias: bias}
	return x
}

func dense(t *testing.T, a *mat.Dense) *polar.Dense {
	t.Helper()
	op, err := polar.NewDense(a)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

func drawTargets(rng *rand.Rand, task setting.Task, n, m int) *learn.Targets {
	t := &learn.Targets{Task: task}
	for range n {
		switch task {
		case setting.Real, setting.Quantiles:
			t.Real = append(t.Real, rng.NormFloat64())
		case setting.Counts:
			t.Real = append(t.Real, float64(rng.IntN(5)))
		case setting.Binary:
			t.Class = append(t.Class, rng.IntN(2))
		case setting.Class:
			t.Class = append(t.Class, rng.IntN(m))
		case setting.Multilabel:
		}
	}
	if task == setting.Quantiles {
		t.Levels = []float64{0.1, 0.4, 0.9}[:m]
	}
	if task == setting.Multilabel {
		t.Multi = mat.NewDense(n, m, nil)
		t.Multi.Apply(func(_, _ int, _ float64) float64 { return float64(rng.IntN(2)) }, t.Multi)
	}
	return t
}

func solve(t *testing.T, p Problem, gap float64, q Request) *Result {
	t.Helper()
	r := approach(t, p, gap, q)
	if !r.Converged || r.Gap > gap {
		t.Errorf("the gap is %v after %d iterations, bounds %v and %v", r.Gap, r.Iterations, r.Lower, r.Upper)
	}
	return r
}

// approach solves, and lets it be where the gap is not reached.
func approach(t *testing.T, p Problem, gap float64, q Request) *Result {
	t.Helper()
	s, err := New(t.Context(), p, Settings{Gap: gap})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: F %.6g from %.6g, gap %.2g, gradient %.2g, %d iterations, %d evaluations", q.Learner, r.Upper, r.Start, r.Gap, r.Gradient, r.Iterations, r.Evaluations)
	if r.Lower > r.Upper*(1+1e-9) || r.Upper > r.Start*(1+1e-9) {
		t.Errorf("the bounds are %v and %v, from %v", r.Lower, r.Upper, r.Start)
	}
	return r
}

// gauges are of several kinds, over tens of functionals.
func gauges() map[string]*gauge.Node {
	abs, pos := gauge.Leaf(gauge.Abs), gauge.Leaf(gauge.Pos)
	return map[string]*gauge.Node{
		"rms of max": gauge.Scaled(gauge.Repeat(20, gauge.Hypot(gauge.Repeat(3, gauge.MaxOf(abs)))), 0.7),
		"one-sided":  gauge.Repeat(20, gauge.Hypot(gauge.Repeat(2, gauge.MaxOf(pos)))),
		"sum":        gauge.Scaled(gauge.Repeat(20, gauge.SumOf(abs)), 0.2),
		"max":        gauge.Repeat(30, gauge.MaxOf(abs)),
	}
}

// The minimum is that of the convex problem, solved in another way, for every task, every loss, and gauges of all kinds. The bound
// from below may lag where hinges meet a bias that R weighs heavily, as it does here: in one of ten at most.
func TestTheMinimumIsThatOfTheConvexProblem(t *testing.T) {
	cases := []struct {
		task    setting.Task
		learner setting.Learner
		bias    float64
	}{
		{setting.Binary, setting.Learner{Kind: setting.SVM, Strength: 2}, 30},
		{setting.Multilabel, setting.Learner{Kind: setting.SVM, Strength: 0.5}, 30},
		{setting.Binary, setting.Learner{Kind: setting.SquaredSVM, Strength: 0.5}, 30},
		{setting.Multilabel, setting.Learner{Kind: setting.Logistic, Strength: 5}, 30},
		{setting.Class, setting.Learner{Kind: setting.Softmax, Strength: 5}, 0},
		{setting.Class, setting.Learner{Kind: setting.SVM, Strength: 1}, 30},
		{setting.Real, setting.Learner{Kind: setting.Ridge, Strength: 0.2}, 30},
		{setting.Counts, setting.Learner{Kind: setting.Poisson, Strength: 2}, 30},
		{setting.Quantiles, setting.Learner{Kind: setting.Quantile, Strength: 2}, 30},
	}
	count, reached := 0, 0
	for name, root := range gauges() {
		for k, c := range cases {
			t.Run(name+" "+string(c.learner.Kind)+" "+string(c.task), func(t *testing.T) {
				m := 3
				if !c.task.Joint() {
					m = 1
				}
				x := newInstance(t, uint64(k), c.task, 30, m, 8, root, c.bias)
				gap := 1e-4
				if c.learner.Kind == setting.SVM || c.learner.Kind == setting.Quantile {
					gap = 1e-3
				}
				result := approach(t, x.dual, gap, Request{Learner: c.learner})
				count++
				if result.Converged {
					reached++
				}
				s, err := risk.New(x.risk, risk.Settings{Gap: gap})
				if err != nil {
					t.Fatal(err)
				}
				want, err := s.Solve(t.Context(), risk.Request{Learner: c.learner})
				if err != nil {
					t.Fatal(err)
				}
				if result.Upper < want.Lower*(1-1e-9) || want.Upper < result.Lower*(1-1e-9) || math.Abs(result.Upper-want.Upper) > 2*max(gap, result.Gap)*want.Upper {
					t.Errorf("F is between %v and %v, and by the convex problem between %v and %v", result.Lower, result.Upper, want.Lower, want.Upper)
				}
			})
		}
	}
	if 10*reached < 9*count {
		t.Errorf("the gap was reached for %d problems of %d alone", reached, count)
	}
}

// With a quadratic R and squared loss, V solves a linear system, and −C is the loss's gradient.
func TestQuadraticRiskIsInClosedForm(t *testing.T) {
	const n, m, d, r, lambda = 9, 2, 5, 7, 0.3
	root := gauge.Scaled(gauge.Repeat(r, gauge.Hypot(gauge.Leaf(gauge.Abs))), 1.7)
	x := newInstance(t, 1, setting.Multilabel, n, m, d, root, 0)
	result := solve(t, x.dual, 1e-10, Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: lambda}})

	var system, scores mat.Dense
	system.Mul(x.functionals.T(), x.functionals)
	system.Scale(1.7*1.7, &system)
	right := mat.NewVecDense(m*d, nil)
	rows := x.risk.A.(*polar.Dense).Matrix().Slice(r, r+n*m, 0, m*d).(*mat.Dense)
	scores.Mul(rows.T(), rows)
	scores.Scale(1/lambda, &scores)
	system.Add(&system, &scores)
	for k := range m * d {
		system.Set(k, k, system.At(k, k)+1)
	}
	for i := range n {
		for y := range m {
			right.AddScaledVec(right, (2*x.dual.Targets.Multi.At(i, y)-1)/lambda, rows.RowView(i*m+y))
		}
	}
	var want mat.VecDense
	if err := want.SolveVec(&system, right); err != nil {
		t.Fatal(err)
	}
	for k, v := range result.V {
		if math.Abs(v-want.AtVec(k)) > 1e-4 {
			t.Fatalf("V[%d] = %v, want %v", k, v, want.AtVec(k))
		}
	}
}

// Without R the minimum is that of the learners, which are solved in other ways.
func TestWithoutInvariancesItIsTheLearner(t *testing.T) {
	for k, c := range []struct {
		task    setting.Task
		learner setting.Learner
		bias    float64
	}{
		{setting.Binary, setting.Learner{Kind: setting.SVM, Strength: 2}, 300},
		{setting.Multilabel, setting.Learner{Kind: setting.Logistic, Strength: 5}, 300},
		{setting.Class, setting.Learner{Kind: setting.Softmax, Strength: 5}, 0},
		{setting.Real, setting.Learner{Kind: setting.Ridge, Strength: 0.2}, 300},
		{setting.Counts, setting.Learner{Kind: setting.Poisson, Strength: 2}, 300},
		{setting.Quantiles, setting.Learner{Kind: setting.Quantile, Strength: 2}, 300},
	} {
		m := 3
		if !c.task.Joint() {
			m = 1
		}
		x := newInstance(t, uint64(k), c.task, 40, m, 6, nil, c.bias)
		result := solve(t, x.dual, 1e-4, Request{Learner: c.learner})
		features := x.dual.Features
		if c.bias > 0 {
			features = mat.DenseCopyOf(features.Slice(0, x.n, 0, x.d-1))
		}
		design, err := learn.Shared(features, m)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := learn.Solve(t.Context(), c.learner, design, x.dual.Targets)
		if err != nil {
			t.Fatal(err)
		}
		want := fit.Objective
		if c.learner.Kind == setting.Ridge {
			want /= 2 * c.learner.Strength
		}
		if math.Abs(result.Upper-want) > 3e-4*want {
			t.Errorf("%s on a %s target: the minimum is %v, and by the learner %v", c.learner, c.task, result.Upper, want)
		}
	}
}

// drawWork draws a request on its way, and coefficients.
func drawWork(t *testing.T, rt *rapid.T) (*work, []float64) {
	t.Helper()
	names := []string{"rms of max", "one-sided", "sum", "max"}
	root := gauges()[rapid.SampledFrom(names).Draw(rt, "gauge")]
	kind := rapid.SampledFrom([]setting.LearnerKind{setting.SVM, setting.SquaredSVM, setting.Logistic, setting.Ridge}).Draw(rt, "kind")
	seed := rapid.Uint64().Draw(rt, "seed")
	x := newInstance(t, seed, setting.Multilabel, 6, 2, 5, root, rapid.SampledFrom([]float64{0, 3}).Draw(rt, "bias"))
	s, err := New(t.Context(), x.dual, Settings{Gap: 1e-5})
	if err != nil {
		rt.Fatal(err)
	}
	q := &Request{Learner: setting.Learner{Kind: kind, Strength: rapid.Float64Range(0.1, 10).Draw(rt, "strength")}, Gap: 1e-5}
	loss, err := risk.NewLoss(q.Learner, x.dual.Targets, nil, q.Learner.Strength)
	if err != nil {
		rt.Fatal(err)
	}
	w := s.newWork(t.Context(), loss, q)
	w.env.beta = rapid.SampledFrom([]float64{1, 30, 1000}).Draw(rt, "beta")
	rng := rand.New(rand.NewPCG(seed, 1))
	if kind == setting.SVM {
		w.env.tau = 0.5 / q.Learner.Strength
	}
	if rapid.Bool().Draw(rt, "shifted") {
		if w.env.tau > 0 {
			w.env.pull = normal(rng, x.n*x.m)
		}
		if w.env.beta > 0 {
			w.env.hold = normal(rng, root.Size())
			root.Repair(w.env.hold)
		}
	}
	c := make([]float64, x.n*x.m)
	for k := range c {
		c[k] = rng.NormFloat64()
	}
	return w, c
}

func normal(rng *rand.Rand, size int) []float64 {
	out := make([]float64, size)
	for k := range out {
		out[k] = rng.NormFloat64()
	}
	return out
}

// The implicit gradient is what differences say, of F under envelopes, shifted or not, and of F itself, where it has no kink between;
// it is ΦHΦᵀ(C + g),
// so that −(C + g) never ascends.
func TestGradientsAreThose(t *testing.T) {
	compared := 0
	rapid.Check(t, func(rt *rapid.T) {
		w, c := drawWork(t, rt)
		at, err := w.visit(c)
		if err != nil {
			rt.Fatal(err)
		}
		toward := make([]float64, len(c))
		for k := range c {
			toward[k] = c[k] + at.g[k]
		}
		da, dv := mat.NewDense(1, w.solver.m*w.solver.d, w.data.combine(toward)), mat.NewDense(1, w.solver.m*w.solver.d, nil)
		if err := w.solver.follower.Differentiate(t.Context(), dv, da); err != nil {
			rt.Fatal(err)
		}
		for k, v := range w.data.evaluate(dv.RawRowView(0)) {
			if math.Abs(v-at.gradient[k]) > 1e-4*(1+floats.Norm(at.gradient, 2)) {
				rt.Fatalf("the gradient has %v at %d, ΦHΦᵀ(C + g) has %v", at.gradient[k], k, v)
			}
		}
		if slope := -floats.Dot(at.gradient, toward); slope > 1e-6*floats.Norm(at.gradient, 2)*floats.Norm(toward, 2) {
			rt.Fatalf("−(C + g) ascends by %v", slope)
		}
		const h = 1e-5
		along := make([]float64, w.solver.n*w.solver.m)
		for k := range along {
			along[k] = math.Sin(float64(3*k + 1))
		}
		value := func(step float64) float64 {
			trial := slices.Clone(c)
			floats.AddScaled(trial, step, along)
			p, err := w.visit(trial)
			if err != nil {
				rt.Fatal(err)
			}
			return p.value
		}
		left, right := (at.value-value(-h))/h, (value(h)-at.value)/h
		if want := floats.Dot(at.gradient, along); math.Abs(left-right) < 1e-2*(1+math.Abs(want)) {
			compared++
			if math.Abs((left+right)/2-want) > 2e-2*(1+math.Abs(want)) {
				rt.Fatalf("the slope is %v, by differences %v and %v", want, left, right)
			}
		}
	})
	if compared < 50 {
		t.Errorf("only %d gradients were compared with differences", compared)
	}
}

// No coefficients have an F below the proven bound.
func TestNothingIsBelowTheBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, c := drawWork(t, rt)
		w.face(mustVisit(rt, w, c))
		lower := w.out.Lower
		w.env.tau, w.env.beta, w.env.pull, w.env.hold = 0, 0, nil, nil
		for step := 1.0; step > 1e-3; step /= 3 { // ever nearer −g, where the minimum has it
			p := mustVisit(rt, w, c)
			if p.value < lower-1e-7*(1+math.Abs(lower)) {
				rt.Fatalf("F is %v at some coefficients, below the bound %v", p.value, lower)
			}
			for k, g := range p.g {
				c[k] -= step * (c[k] + g)
			}
		}
	})
}

func mustVisit(rt *rapid.T, w *work, c []float64) *place {
	p, err := w.visit(c)
	if err != nil {
		rt.Fatal(err)
	}
	return p
}

// Rows that do not count have no coefficients and are as good as absent; a start elsewhere does not matter.
func TestRowsThatDoNotCount(t *testing.T) {
	x := newInstance(t, 3, setting.Class, 12, 3, 4, gauges()["one-sided"], 0)
	s, err := New(t.Context(), x.dual, Settings{Gap: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]bool, x.n)
	var kept []int
	for i := range rows {
		if rows[i] = i%3 > 0; rows[i] {
			kept = append(kept, i)
		}
	}
	l := setting.Learner{Kind: setting.Softmax, Strength: 3}
	start, err := s.Solve(t.Context(), Request{Learner: setting.Learner{Kind: setting.Softmax, Strength: 30}})
	if err != nil {
		t.Fatal(err)
	}
	some, err := s.Solve(t.Context(), Request{Learner: l, Rows: rows, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	p := x.dual
	p.Targets = p.Targets.Subset(kept)
	p.Features = mat.NewDense(len(kept), x.d, nil)
	for k, i := range kept {
		p.Features.SetRow(k, x.dual.Features.RawRowView(i))
	}
	want := solve(t, p, 1e-6, Request{Learner: l})
	if math.Abs(some.Upper-want.Upper) > 2e-6*want.Upper {
		t.Errorf("the minimum is %v, and %v without the rows", some.Upper, want.Upper)
	}
	for i, counts := range rows {
		if c := some.Coefficients.RawRowView(i); !counts && floats.Norm(c, 1) > 0 {
			t.Errorf("row %d does not count, and has the coefficients %v", i, c)
		}
	}
	if len(some.Scores) != x.n*x.m {
		t.Errorf("%d scores of %d rows", len(some.Scores), x.n)
	}
}

// Charts that all labels share, for problems that are too large for one of all coefficients, lead to the same minimum.
func TestSharedChartsLeadThereToo(t *testing.T) {
	x := newInstance(t, 5, setting.Multilabel, 20, 6, 5, gauges()["one-sided"], 0)
	s, err := New(t.Context(), x.dual, Settings{Gap: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	q := Request{Learner: setting.Learner{Kind: setting.Logistic, Strength: 2}}
	want, err := s.Solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	s.joint = false
	got, err := s.Solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Converged || math.Abs(got.Upper-want.Upper) > 2e-4*want.Upper {
		t.Errorf("the minimum is %v with a gap of %v, and %v with coordinates of all coefficients", got.Upper, got.Gap, want.Upper)
	}
}

func TestProcessorsDoNotMatter(t *testing.T) {
	x := newInstance(t, 3, setting.Multilabel, 100, 3, 12, gauges()["rms of max"], 10)
	q := Request{Learner: setting.Learner{Kind: setting.Logistic, Strength: 10}}
	before := runtime.GOMAXPROCS(1)
	one := solve(t, x.dual, 1e-3, q)
	runtime.GOMAXPROCS(4)
	four := solve(t, x.dual, 1e-3, q)
	runtime.GOMAXPROCS(before)
	if !slices.Equal(one.V, four.V) || one.Gap != four.Gap {
		t.Error("4 processors give other bits than 1")
	}
}

func TestContextEndsIt(t *testing.T) {
	x := newInstance(t, 3, setting.Binary, 20, 1, 4, gauges()["max"], 0)
	s, err := New(t.Context(), x.dual, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	evaluations := 0
	q := Request{Learner: setting.Learner{Kind: setting.SVM, Strength: 1}, Progress: func(int, float64) {
		evaluations++
		cancel()
	}}
	if _, err := s.Solve(ctx, q); !errors.Is(err, context.Canceled) || evaluations == 0 {
		t.Errorf("the error is %v after %d looks", err, evaluations)
	}
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	good := newInstance(t, 3, setting.Class, 20, 3, 4, gauges()["max"], 0).dual
	for name, spoil := range map[string]func(p *Problem, s *Settings){
		"alpha":    func(p *Problem, _ *Settings) { p.Alpha = 0 },
		"operator": func(p *Problem, _ *Settings) { p.A = nil },
		"gauge":    func(p *Problem, _ *Settings) { p.Gauge = gauge.Leaf(gauge.Abs) },
		"labels":   func(p *Problem, _ *Settings) { p.Labels = 2 },
		"features": func(p *Problem, _ *Settings) { p.Features = nil },
		"targets": func(p *Problem, _ *Settings) {
			p.Targets = &learn.Targets{Task: setting.Class, Class: make([]int, 19)}
		},
		"gap":       func(_ *Problem, s *Settings) { s.Gap = -1 },
		"unlimited": func(_ *Problem, s *Settings) { s.MaxEvaluations = -1 },
	} {
		p, s := good, Settings{}
		spoil(&p, &s)
		if _, err := New(t.Context(), p, s); err == nil {
			t.Errorf("a wrong %s is not refused", name)
		}
	}
	s, err := New(t.Context(), good, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]Request{
		"strength": {Learner: setting.Learner{Kind: setting.SVM}},
		"learner":  {Learner: setting.Learner{Kind: "tree", Strength: 1}},
		"rows":     {Learner: setting.Learner{Kind: setting.SVM, Strength: 1}, Rows: make([]bool, 3)},
		"no rows":  {Learner: setting.Learner{Kind: setting.SVM, Strength: 1}, Rows: make([]bool, 20)},
	} {
		if _, err := s.Solve(t.Context(), q); err == nil {
			t.Errorf("wrong %s are not refused", name)
		}
	}
}
