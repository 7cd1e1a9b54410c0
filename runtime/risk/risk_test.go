package risk_test

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
	"gonum.org/v1/gonum/optimize"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// An instance is a random problem whose features and functionals are plain matrices.
type instance struct {
	n, m, d     int
	phi         *mat.Dense // n×d
	functionals *mat.Dense // r×md
	problem     risk.Problem
}

// newInstance has r functionals per leaf of the gauge, and a constant feature where bias > 0.
func newInstance(t *testing.T, seed uint64, task setting.Task, n, m, d int, root *gauge.Node, bias float64) *instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	x := &instance{n: n, m: m, d: d, phi: mat.NewDense(n, d, nil)}
	width := d
	if bias > 0 {
		width++
	}
	r := 0
	if root != nil {
		r = root.Size()
	}
	rows := mat.NewDense(r+n*m, m*width, nil)
	for i := range r {
		for j := range m * width {
			if bias == 0 || j%width < d { // R sees no bias here, so that it may be compared
				rows.Set(i, j, rng.NormFloat64()/math.Sqrt(float64(d)))
			}
		}
	}
	if r > 0 {
		x.functionals = mat.DenseCopyOf(rows.Slice(0, r, 0, m*width))
	}
	for i := range n {
		for j := range d {
			x.phi.Set(i, j, rng.NormFloat64()/math.Sqrt(float64(d)))
		}
		for y := range m {
			row := rows.RawRowView(r + i*m + y)
			copy(row[y*width:], x.phi.RawRowView(i))
			if bias > 0 {
				row[y*width+d] = bias
			}
		}
	}
	op, err := polar.NewDense(rows)
	if err != nil {
		t.Fatal(err)
	}
	x.problem = risk.Problem{Alpha: 1, A: op, Gauge: root, Targets: drawTargets(rng, task, n, m), Labels: m, Bias: bias}
	return x
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

func solve(t *testing.T, p risk.Problem, gap float64, q risk.Request) *risk.Result {
	t.Helper()
	s, err := risk.New(p, risk.Settings{Gap: gap})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Converged || r.Gap > gap || r.Lower > r.Upper*(1+1e-9) {
		t.Fatalf("the gap is %v after %d iterations, bounds %v and %v", r.Gap, r.Iterations, r.Lower, r.Upper)
	}
	return r
}

// Equal weights of all rows are a factor of the strength, step by step.
func TestEqualWeightsAreStrength(t *testing.T) {
	const n, m, d, r, weight = 24, 2, 6, 12, 9.0
	root := gauge.Scaled(gauge.Repeat(r/3, gauge.Hypot(gauge.Repeat(3, gauge.MaxOf(gauge.Leaf(gauge.Pos))))), 2)
	for kind, task := range map[setting.LearnerKind]setting.Task{setting.SVM: setting.Multilabel, setting.Logistic: setting.Multilabel, setting.Ridge: setting.Class} {
		x := newInstance(t, 3, task, n, m, d, root, 10)
		stronger := setting.Learner{Kind: kind, Strength: 0.5 * weight}
		if kind == setting.Ridge {
			stronger.Strength = 0.5 / weight
		}
		want := solve(t, x.problem, 1e-5, risk.Request{Learner: stronger})
		x.problem.Targets.Weight = slices.Repeat([]float64{weight}, n)
		got := solve(t, x.problem, 1e-5, risk.Request{Learner: setting.Learner{Kind: kind, Strength: 0.5}})
		if got.Iterations != want.Iterations || !floats.EqualApprox(got.V, want.V, 1e-6) {
			t.Errorf("%s: %d iterations with weights and %d with strength, V apart by %g", kind, got.Iterations, want.Iterations, floats.Distance(got.V, want.V, math.Inf(1)))
		}
	}
}

// Squares of one weight are left to the linear system, and those of two nearly equal ones share the steps of R. Both come to one minimum, and the
// former in fewer steps.
func TestSquaresTakeFewerSteps(t *testing.T) {
	const n, m, d, r = 24, 2, 6, 12
	root := gauge.Scaled(gauge.Repeat(r/3, gauge.Hypot(gauge.Repeat(3, gauge.MaxOf(gauge.Leaf(gauge.Pos))))), 2)
	for _, lambda := range []float64{0.01, 0.1, 1, 10} {
		x := newInstance(t, 3, setting.Multilabel, n, m, d, root, 10)
		q := risk.Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: lambda}}
		got := solve(t, x.problem, 1e-6, q)
		x.problem.Targets.Weight = slices.Repeat([]float64{1}, n)
		x.problem.Targets.Weight[0] += 1e-12
		want := solve(t, x.problem, 1e-6, q)
		if got.Iterations > want.Iterations || got.Upper < want.Lower*(1-1e-9) || want.Upper < got.Lower*(1-1e-9) {
			t.Errorf("%v: %v in %d iterations, and %v in %d", lambda, got.Upper, got.Iterations, want.Upper, want.Iterations)
		}
	}
}

// With a quadratic R and squared loss, V solves a linear system.
func TestQuadraticRiskIsInClosedForm(t *testing.T) {
	const n, m, d, r, lambda = 9, 2, 5, 7, 0.3
	root := gauge.Scaled(gauge.Repeat(r, gauge.Hypot(gauge.Leaf(gauge.Abs))), 1.7)
	x := newInstance(t, 1, setting.Multilabel, n, m, d, root, 0)
	result := solve(t, x.problem, 1e-11, risk.Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: lambda}})

	var system, scores mat.Dense
	system.Mul(x.functionals.T(), x.functionals)
	system.Scale(1.7*1.7, &system)
	right := mat.NewVecDense(m*d, nil)
	rows := x.problem.A.(*polar.Dense).Matrix().Slice(r, r+n*m, 0, m*d).(*mat.Dense)
	scores.Mul(rows.T(), rows)
	scores.Scale(1/lambda, &scores)
	system.Add(&system, &scores)
	for k := range m * d {
		system.Set(k, k, system.At(k, k)+1)
	}
	for i := range n {
		for y := range m {
			right.AddScaledVec(right, (2*x.problem.Targets.Multi.At(i, y)-1)/lambda, rows.RowView(i*m+y))
		}
	}
	var want mat.VecDense
	if err := want.SolveVec(&system, right); err != nil {
		t.Fatal(err)
	}
	for k, v := range result.V {
		if math.Abs(v-want.AtVec(k)) > 1e-5 {
			t.Fatalf("V[%d] = %v, want %v", k, v, want.AtVec(k))
		}
	}
}

// Without R the minimum is that of the learners, which are solved in other ways.
func TestWithoutInvariancesItIsTheLearner(t *testing.T) {
	const n, d, gap = 40, 6, 1e-6
	cases := []struct {
		task    setting.Task
		learner setting.Learner
		bias    bool
	}{
		{setting.Binary, setting.Learner{Kind: setting.SVM, Strength: 2}, true},
		{setting.Multilabel, setting.Learner{Kind: setting.SVM, Strength: 0.5}, true},
		{setting.Multilabel, setting.Learner{Kind: setting.Logistic, Strength: 5}, true},
		{setting.Class, setting.Learner{Kind: setting.Softmax, Strength: 5}, false},
		{setting.Class, setting.Learner{Kind: setting.SVM, Strength: 1}, true},
		{setting.Multilabel, setting.Learner{Kind: setting.SquaredSVM, Strength: 2}, true},
		{setting.Real, setting.Learner{Kind: setting.Ridge, Strength: 0.2}, true},
		{setting.Counts, setting.Learner{Kind: setting.Poisson, Strength: 2}, true},
		{setting.Quantiles, setting.Learner{Kind: setting.Quantile, Strength: 2}, true},
	}
	for k, c := range cases {
		m := 3
		if !c.task.Joint() {
			m = 1
		}
		bias := 0.0
		if c.bias {
			bias = 300
		}
		x := newInstance(t, uint64(k), c.task, n, m, d, nil, bias)
		result := solve(t, x.problem, gap, risk.Request{Learner: c.learner})
		design, err := learn.Shared(x.phi, m)
		if err != nil {
			t.Fatal(err)
		}
		tight := c.learner
		tight.Gap = 1e-7
		fit, err := learn.Solve(t.Context(), tight, design, x.problem.Targets)
		if err != nil {
			t.Fatal(err)
		}
		want := fit.Objective
		if c.learner.Kind == setting.Ridge {
			want /= 2 * c.learner.Strength
		}
		if math.Abs(result.Upper-want) > 1e-4*want {
			t.Errorf("%s on a %s target: the minimum is %v, and by the learner %v", c.learner, c.task, result.Upper, want)
		}
	}
}

// small draws gauges of all kinds over few functionals.
func small(t *rapid.T) *gauge.Node {
	abs, pos := gauge.Leaf(gauge.Abs), gauge.Leaf(gauge.Pos)
	return rapid.SampledFrom([]*gauge.Node{
		gauge.MaxOf(abs, pos, abs),
		gauge.Repeat(3, gauge.Hypot(gauge.Repeat(2, gauge.MaxOf(pos)))),
		gauge.Hypot(gauge.MaxOf(abs, abs)),
		gauge.Scaled(gauge.Repeat(4, gauge.MaxOf(abs)), 3),
	}).Draw(t, "gauge")
}

// A solver that knows no structure finds nothing below the proven bound, and nothing much below what was found.
func TestNothingIsBelowTheBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		root := small(rt)
		kind := rapid.SampledFrom([]setting.LearnerKind{setting.SVM, setting.Logistic, setting.Ridge}).Draw(rt, "kind")
		strength := math.Pow(10, rapid.Float64Range(-2, 2).Draw(rt, "log strength"))
		x := newInstance(t, rapid.Uint64().Draw(rt, "seed"), setting.Multilabel, 5, 2, 2, root, 0)
		result := solve(t, x.problem, 1e-6, risk.Request{Learner: setting.Learner{Kind: kind, Strength: strength}})
		objective := func(v []float64) float64 { return x.objective(v, kind, strength) }
		if got := objective(result.V); math.Abs(got-result.Upper) > 1e-9*(1+got) {
			rt.Fatalf("P(V) is %v, and %v is reported", got, result.Upper)
		}
		best := objective(result.V)
		for range 3 {
			found, err := optimize.Minimize(optimize.Problem{Func: objective}, slices.Clone(result.V), &optimize.Settings{FuncEvaluations: 1500}, &optimize.NelderMead{})
			if err == nil {
				best = min(best, found.F)
			}
		}
		if best < result.Lower*(1-1e-9) {
			rt.Fatalf("%v is below the bound %v", best, result.Lower)
		}
	})
}

// Bounds under some functionals, raised by ρ of all, are bounds under all.
func TestRaisedBoundsCountAllFunctionals(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		of := []*gauge.Node{small(rt), small(rt)}
		strength := math.Pow(10, rapid.Float64Range(-2, 2).Draw(rt, "log strength"))
		x := newInstance(t, rapid.Uint64().Draw(rt, "seed"), setting.Multilabel, 5, 2, 2, gauge.Hypot(of...), 0)
		q := risk.Request{Learner: setting.Learner{Kind: setting.Logistic, Strength: strength}}
		all := solve(t, x.problem, 1e-6, q)
		// Without those of the second gauge.
		matrix, few := x.problem.A.(*polar.Dense).Matrix(), x.problem
		rows, dim := matrix.Dims()
		left := mat.NewDense(rows-of[1].Size(), dim, nil)
		for i := range rows {
			if at := i - of[1].Size(); i < of[0].Size() {
				left.SetRow(i, matrix.RawRowView(i))
			} else if at >= of[0].Size() {
				left.SetRow(at, matrix.RawRowView(i))
			}
		}
		var err error
		if few.A, err = polar.NewDense(left); err != nil {
			t.Fatal(err)
		}
		few.Gauge = of[0]
		r := solve(t, few, 1e-6, q)
		var own, every mat.VecDense
		own.MulVec(left, mat.NewVecDense(dim, r.V))
		every.MulVec(matrix, mat.NewVecDense(dim, r.V))
		rho := x.problem.Gauge.Value(every.RawVector().Data[:x.problem.Gauge.Size()])
		r.Raise(polar.Problem{A: few.A, Gauge: few.Gauge}, own.RawVector().Data[:of[0].Size()], rho*(1+1e-12), 1e-6)
		if want := x.objective(r.V, setting.Logistic, strength); r.Upper < want*(1-1e-14) || r.Upper > want*(1+1e-9) {
			rt.Errorf("P(V) is %v, and %v is told", want, r.Upper)
		}
		if r.Lower > all.Upper*(1+1e-9) {
			rt.Errorf("the bound %v is above the minimum, which is at most %v", r.Lower, all.Upper)
		}
		if r.Converged != (r.Gap <= 1e-6) || r.Gap < (r.Upper-r.Lower)/r.Upper*(1-1e-12) {
			rt.Errorf("the gap is told to be %v between %v and %v, converged: %v", r.Gap, r.Lower, r.Upper, r.Converged)
		}
	})
}

// objective is P, written out.
func (x *instance) objective(v []float64, kind setting.LearnerKind, strength float64) float64 {
	var values mat.VecDense
	values.MulVec(x.problem.A.(*polar.Dense).Matrix(), mat.NewVecDense(len(v), v))
	raw := values.RawVector().Data
	r := x.problem.Gauge.Size()
	rho := x.problem.Gauge.Value(raw[:r])
	sum := rho * rho / 2
	for _, w := range v {
		sum += w * w / 2
	}
	for k, s := range raw[r:] {
		ts := (2*x.problem.Targets.Multi.At(k/x.m, k%x.m) - 1) * s
		switch kind {
		case setting.Ridge:
			sum += (1 - ts) * (1 - ts) / (2 * strength)
		case setting.SVM:
			sum += strength * math.Max(0, 1-ts)
		case setting.Logistic:
			sum += strength * math.Log1p(math.Exp(-ts))
		case setting.Softmax: // riskOfSets
		}
	}
	return sum
}

// Rows that do not count are as good as absent, and what is solved before does not matter.
func TestRowsThatDoNotCount(t *testing.T) {
	root := gauge.Repeat(4, gauge.Hypot(gauge.Repeat(2, gauge.MaxOf(gauge.Leaf(gauge.Pos)))))
	x := newInstance(t, 3, setting.Class, 12, 3, 4, root, 0)
	s, err := risk.New(x.problem, risk.Settings{Gap: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]bool, x.n)
	for i := range rows {
		rows[i] = i%3 > 0
	}
	l := setting.Learner{Kind: setting.Softmax, Strength: 3}
	start, err := s.Solve(t.Context(), risk.Request{Learner: setting.Learner{Kind: setting.Softmax, Strength: 30}})
	if err != nil {
		t.Fatal(err)
	}
	some, err := s.Solve(t.Context(), risk.Request{Learner: l, Rows: rows, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	var kept []int
	for i := range root.Size() {
		kept = append(kept, i)
	}
	p := x.problem
	p.Targets = &learn.Targets{Task: setting.Class}
	for i, counts := range rows {
		if counts {
			p.Targets.Class = append(p.Targets.Class, x.problem.Targets.Class[i])
			for y := range x.m {
				kept = append(kept, root.Size()+i*x.m+y)
			}
		}
	}
	dense := mat.NewDense(len(kept), x.m*x.d, nil)
	x.problem.A.(*polar.Dense).Rows(dense, kept)
	if p.A, err = polar.NewDense(dense); err != nil {
		t.Fatal(err)
	}
	want := solve(t, p, 1e-8, risk.Request{Learner: l})
	if math.Abs(some.Upper-want.Upper) > 1e-7*want.Upper {
		t.Errorf("the minimum is %v, and %v without the rows", some.Upper, want.Upper)
	}
	for k := range want.V {
		if math.Abs(some.V[k]-want.V[k]) > 1e-3 {
			t.Fatalf("V[%d] = %v, and %v without the rows", k, some.V[k], want.V[k])
		}
	}
}

func TestProcessorsDoNotMatter(t *testing.T) {
	root := gauge.Repeat(30, gauge.Hypot(gauge.Repeat(4, gauge.MaxOf(gauge.Leaf(gauge.Pos)))))
	x := newInstance(t, 3, setting.Multilabel, 300, 3, 20, root, 10)
	q := risk.Request{Learner: setting.Learner{Kind: setting.Logistic, Strength: 10}}
	before := runtime.GOMAXPROCS(1)
	one := solve(t, x.problem, 1e-4, q)
	runtime.GOMAXPROCS(4)
	four := solve(t, x.problem, 1e-4, q)
	runtime.GOMAXPROCS(before)
	if !slices.Equal(one.V, four.V) || one.Gap != four.Gap {
		t.Error("4 processors give other bits than 1")
	}
}

func TestContextEndsIt(t *testing.T) {
	x := newInstance(t, 3, setting.Binary, 20, 1, 4, nil, 0)
	s, err := risk.New(x.problem, risk.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Solve(ctx, risk.Request{Learner: setting.Learner{Kind: setting.SVM, Strength: 1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	good := newInstance(t, 3, setting.Class, 20, 3, 4, nil, 0).problem
	for name, spoil := range map[string]func(p *risk.Problem, s *risk.Settings){
		"alpha":    func(p *risk.Problem, _ *risk.Settings) { p.Alpha = 0 },
		"operator": func(p *risk.Problem, _ *risk.Settings) { p.A = nil },
		"gauge":    func(p *risk.Problem, _ *risk.Settings) { p.Gauge = gauge.Leaf(gauge.Abs) },
		"labels":   func(p *risk.Problem, _ *risk.Settings) { p.Labels = 2 },
		"class": func(p *risk.Problem, _ *risk.Settings) {
			p.Targets = &learn.Targets{Task: setting.Class, Class: make([]int, 19)}
		},
		"gap":       func(_ *risk.Problem, s *risk.Settings) { s.Gap = -1 },
		"unlimited": func(_ *risk.Problem, s *risk.Settings) { s.MaxIterations = -1 },
	} {
		p, s := good, risk.Settings{}
		spoil(&p, &s)
		if _, err := risk.New(p, s); err == nil {
			t.Errorf("a wrong %s is not refused", name)
		}
	}
	s, err := risk.New(good, risk.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]risk.Request{
		"strength": {Learner: setting.Learner{Kind: setting.SVM}},
		"learner":  {Learner: setting.Learner{Kind: "tree", Strength: 1}},
		"rows":     {Learner: setting.Learner{Kind: setting.SVM, Strength: 1}, Rows: make([]bool, 3)},
	} {
		if _, err := s.Solve(t.Context(), q); err == nil {
			t.Errorf("wrong %s are not refused", name)
		}
	}
}

// A counting operator ends a context at a product, and counts those after it.
type counting struct {
	polar.Operator
	left, after int
	end         context.CancelFunc
}

// Apply multiplies, as long as the count lasts.
func (c *counting) Apply(dst, v *mat.Dense) {
	if c.left--; c.left == 0 {
		c.end()
	}
	if c.left < 0 {
		c.after++
	}
	c.Operator.Apply(dst, v)
}

// In the midst of a fit under norms within norms, whose proximal maps take searches within searches, a context ends it within a step.
func TestContextEndsNestedSearches(t *testing.T) {
	part := &gauge.Node{Op: gauge.Norm, P: 1.1, Children: []*gauge.Node{gauge.SumOf(gauge.Leaf(gauge.Pos), gauge.Leaf(gauge.Abs)), gauge.Leaf(gauge.Pos)}}
	x := newInstance(t, 3, setting.Binary, 20, 1, 4, gauge.Hypot(&gauge.Node{Op: gauge.Norm, P: 40, Repeat: 4, Children: []*gauge.Node{part}}), 0)
	for _, left := range []int{3, 10, 30, 60} {
		ctx, cancel := context.WithCancel(t.Context())
		c := &counting{Operator: x.problem.A, left: left, end: cancel}
		p := x.problem
		p.A = c
		s, err := risk.New(p, risk.Settings{Gap: 1e-14})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Solve(ctx, risk.Request{Learner: setting.Learner{Kind: setting.SVM, Strength: 1}})
		if !errors.Is(err, context.Canceled) || c.after > 1 {
			t.Errorf("after %d products the context ends; the error is %v after %d more", left, err, c.after)
		}
	}
}

// A fit that is slow goes on to balance its step, by residuals relative to their size. Without that it takes 1061 iterations.
func TestSlowFitsBalanceTheirStep(t *testing.T) {
	root := gauge.Repeat(40, gauge.Hypot(gauge.Repeat(8, gauge.MaxOf(gauge.Leaf(gauge.Pos)))))
	x := newInstance(t, 2, setting.Multilabel, 40, 8, 40, root, 10)
	x.problem.Alpha = 0.01
	if r := solve(t, x.problem, 1e-3, risk.Request{Learner: setting.Learner{Kind: setting.SVM, Strength: 10}}); !r.Converged || r.Iterations > 700 {
		t.Errorf("a gap of %v after %d iterations", r.Gap, r.Iterations)
	}
}
