package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A problem is a small learning task on both kinds of design: the joint rows are the shared ones in the block of their
// label, so that both have the same minima.
type problem struct {
	x       *mat.Dense
	m       int
	targets *learn.Targets
}

func makeProblem(seed uint64, task setting.Task, n, d, m int) *problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &problem{x: mat.NewDense(n, d, nil), m: m, targets: &learn.Targets{Task: task}}
	for i := range n {
		for j := range d {
			p.x.Set(i, j, rng.NormFloat64()+0.5)
		}
	}
	if task == setting.Multilabel {
		p.targets.Multi = mat.NewDense(n, m, nil)
	}
	for i := range n {
		row := p.x.RawRowView(i)
		noisy := func(k int) float64 { return row[k%d] - 0.3*row[(k+1)%d] + 0.6*rng.NormFloat64() }
		switch task {
		case setting.Real:
			p.targets.Real = append(p.targets.Real, 3+2*noisy(0))
		case setting.Quantiles:
			p.targets.Real, p.targets.Levels = append(p.targets.Real, 3+2*noisy(0)), []float64{0.1, 0.4, 0.9}
		case setting.Counts:
			p.targets.Real = append(p.targets.Real, math.Floor(math.Exp(noisy(0))))
		case setting.Binary:
			c := 0
			if noisy(0) > 0.4 {
				c = 1
			}
			p.targets.Class = append(p.targets.Class, c)
		case setting.Class:
			best, top := 0, math.Inf(-1)
			for y := range m {
				if v := noisy(y); v > top {
					best, top = y, v
				}
			}
			p.targets.Class = append(p.targets.Class, best)
		case setting.Multilabel:
			for y := range m {
				if noisy(y) > 0.3*float64(y) {
					p.targets.Multi.Set(i, y, 1)
				}
			}
		}
	}
	return p
}

func (p *problem) shared(tb testing.TB) *learn.Design {
	tb.Helper()
	d, err := learn.Shared(p.x, p.m)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// blocks are the joint rows x_iy = x_i ⊗ e_y.
func (p *problem) blocks() (x []float64, n, m, dim int) {
	n, d := p.x.Dims()
	x = make([]float64, n*p.m*p.m*d)
	for i := range n {
		for y := range p.m {
			copy(x[((i*p.m+y)*p.m+y)*d:], p.x.RawRowView(i))
		}
	}
	return x, n, p.m, p.m * d
}

func (p *problem) joint(tb testing.TB) *learn.Design {
	tb.Helper()
	d, err := learn.Joint(p.blocks())
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func (p *problem) joint32(tb testing.TB) *learn.Design {
	tb.Helper()
	x, n, m, dim := p.blocks()
	single := make([]float32, len(x))
	for k, v := range x {
		single[k] = float32(v)
	}
	d, err := learn.Joint32(single, n, m, dim)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func mustFit(tb testing.TB, l setting.Learner, d *learn.Design, targets *learn.Targets) *learn.Fit {
	tb.Helper()
	f, err := learn.Solve(context.Background(), l, d, targets)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func mustScores(tb testing.TB, f *learn.Fit, d *learn.Design) *mat.Dense {
	tb.Helper()
	s, err := f.Scores(d)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// mustSums are ⟨W_y, x_i⟩ + b_y, whatever becomes of them.
func mustSums(tb testing.TB, f *learn.Fit, d *learn.Design) *mat.Dense {
	tb.Helper()
	plain := *f
	plain.Sets = nil
	return mustScores(tb, &plain, d)
}

// setLoss is that of softmax on the label sets of the rows.
func setLoss(multi, scores *mat.Dense, i int) float64 {
	n, _ := multi.Dims()
	seen := map[string]bool{}
	var sum float64
	for k := range n {
		labels := multi.RawRowView(k)
		if key := fmt.Sprint(labels); !seen[key] {
			seen[key] = true
			sum += math.Exp(floats.Dot(labels, scores.RawRowView(i)))
		}
	}
	return math.Log(sum) - floats.Dot(multi.RawRowView(i), scores.RawRowView(i))
}

// objective is what each learner minimizes, straight from its definition.
func objective(l setting.Learner, f *learn.Fit, t *learn.Targets, scores *mat.Dense) float64 {
	n, m := scores.Dims()
	var norm, loss, bias float64
	for _, w := range f.Weights.RawMatrix().Data {
		norm += w * w
	}
	for _, b := range f.Bias {
		bias += b * b
	}
	for i := range n {
		if l.Kind == setting.Softmax && t.Task == setting.Class {
			var sum float64
			for y := range m {
				sum += math.Exp(scores.At(i, y))
			}
			loss += math.Log(sum) - scores.At(i, t.Class[i])
			continue
		}
		if l.Kind == setting.Softmax && t.Task == setting.Multilabel {
			loss += setLoss(t.Multi, scores, i)
			continue
		}
		for y := range m {
			s, sign := scores.At(i, y), -1.0
			switch t.Task {
			case setting.Binary:
				sign = float64(2*t.Class[i] - 1)
			case setting.Class:
				if t.Class[i] == y {
					sign = 1
				}
			case setting.Multilabel:
				sign = 2*t.Multi.At(i, y) - 1
			case setting.Real, setting.Counts, setting.Quantiles:
				sign = t.Real[i]
			}
			switch l.Kind {
			case setting.SVM:
				loss += math.Max(0, 1-sign*s)
			case setting.SquaredSVM:
				loss += math.Max(0, 1-sign*s) * math.Max(0, 1-sign*s)
			case setting.Ridge:
				loss += (sign - s) * (sign - s)
			case setting.Quantile:
				loss += t.Spread() * math.Max(t.Levels[y]*(sign-s), (t.Levels[y]-1)*(sign-s))
			case setting.Poisson:
				loss += math.Exp(s) - sign*s + sign*math.Log(math.Max(sign, 1)) - sign
			case setting.SVR:
				loss += math.Max(0, math.Abs(sign-s)-l.Epsilon)
			case setting.Logistic, setting.Softmax:
				loss += math.Log1p(math.Exp(-sign * s))
			}
		}
	}
	switch l.Kind {
	case setting.Ridge:
		return l.Strength*norm + loss
	case setting.SVM, setting.SquaredSVM, setting.SVR, setting.Quantile:
		return norm/2 + l.Strength*loss
	case setting.Logistic, setting.Softmax, setting.Poisson:
	}
	return norm/2 + l.Strength*loss + 1e-6*l.Strength*float64(n)*bias/2
}

var tasks = []struct {
	task     setting.Task
	m        int
	learners []setting.LearnerKind
}{
	{setting.Binary, 1, []setting.LearnerKind{setting.SVM, setting.SquaredSVM, setting.Logistic, setting.Ridge}},
	{setting.Class, 4, []setting.LearnerKind{setting.SVM, setting.SquaredSVM, setting.Softmax, setting.Ridge}},
	{setting.Multilabel, 3, []setting.LearnerKind{setting.SVM, setting.SquaredSVM, setting.Logistic, setting.Softmax, setting.Ridge}},
	{setting.Real, 1, []setting.LearnerKind{setting.Ridge, setting.SVR}},
	{setting.Counts, 1, []setting.LearnerKind{setting.Poisson}},
	{setting.Quantiles, 3, []setting.LearnerKind{setting.Quantile}},
}

// On joint rows that are the shared ones in blocks, every learner has the same minimum on both designs, states the
// objective that its definition gives, and proves its gap.
func TestDesignsAgree(t *testing.T) {
	for _, c := range tasks {
		for _, kind := range c.learners {
			t.Run(fmt.Sprintf("%s/%s", c.task, kind), func(t *testing.T) {
				p := makeProblem(3, c.task, 60, 7, c.m)
				l := setting.Learner{Kind: kind, Strength: 0.7, Gap: 1e-10, Epsilon: 0.3}
				shared := mustFit(t, l, p.shared(t), p.targets)
				want := mustScores(t, shared, p.shared(t))
				if got := objective(l, shared, p.targets, mustSums(t, shared, p.shared(t))); math.Abs(got-shared.Objective) > 1e-9*got {
					t.Errorf("objective %.12g, its definition gives %.12g", shared.Objective, got)
				}
				if !shared.Converged || shared.Gap > 1e-10 {
					t.Errorf("gap %.3g, converged %v", shared.Gap, shared.Converged)
				}
				for name, d := range map[string]*learn.Design{"joint": p.joint(t), "joint32": p.joint32(t)} {
					f := mustFit(t, l, d, p.targets)
					tol := map[string]float64{"joint": 1e-8, "joint32": 1e-5}[name]
					if math.Abs(f.Objective-shared.Objective) > tol*shared.Objective {
						t.Errorf("%s: objective %.12g, shared %.12g", name, f.Objective, shared.Objective)
					}
					if got := mustScores(t, f, d); !mat.EqualApprox(got, want, math.Sqrt(tol)) {
						t.Errorf("%s: scores differ", name)
					}
				}
			})
		}
	}
}

// The certificate is a bound: no other point has a value below objective · (1 − gap).
func TestGapIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := tasks[rapid.IntRange(0, len(tasks)-1).Draw(t, "task")]
		l := setting.Learner{
			Kind:     rapid.SampledFrom(c.learners).Draw(t, "learner"),
			Strength: rapid.SampledFrom([]float64{0.01, 1, 30}).Draw(t, "strength"),
			Gap:      rapid.SampledFrom([]float64{0.3, 1e-2, 1e-4}).Draw(t, "gap"),
			Epsilon:  rapid.SampledFrom([]float64{0, 0.1, 1}).Draw(t, "epsilon"),
		}
		p := makeProblem(rapid.Uint64Range(0, 99).Draw(t, "seed"), c.task, rapid.IntRange(8, 30).Draw(t, "n"), 4, c.m)
		d, err := learn.Shared(p.x, p.m)
		if err != nil {
			t.Fatal(err)
		}
		rough, err := learn.Solve(context.Background(), l, d, p.targets)
		if err != nil {
			t.Fatal(err)
		}
		l.Gap = 1e-9
		exact, err := learn.Solve(context.Background(), l, d, p.targets)
		if err != nil {
			t.Fatal(err)
		}
		if low := rough.Objective * (1 - rough.Gap); exact.Objective < low-1e-9*math.Abs(low) {
			t.Fatalf("%v: bound %.10g lies above the value %.10g", l, low, exact.Objective)
		}
		if exact.Objective*(1-exact.Gap) > rough.Objective*(1+1e-9) {
			t.Fatalf("%v: bound lies above the rough value", l)
		}
	})
}

// Permuting examples changes nothing but rounding.
func TestOrderOfExamplesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := tasks[rapid.IntRange(0, len(tasks)-1).Draw(t, "task")]
		l := setting.Learner{Kind: rapid.SampledFrom(c.learners).Draw(t, "learner"), Strength: 0.5, Gap: 1e-10}
		p := makeProblem(rapid.Uint64Range(0, 99).Draw(t, "seed"), c.task, 24, 5, c.m)
		order := rapid.Permutation(seq(24)).Draw(t, "order")
		d, err := learn.Shared(p.x, p.m)
		if err != nil {
			t.Fatal(err)
		}
		a, err := learn.Solve(context.Background(), l, d, p.targets)
		if err != nil {
			t.Fatal(err)
		}
		b, err := learn.Solve(context.Background(), l, d.Subset(order), p.targets.Subset(order))
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(a.Weights, b.Weights, 1e-4) {
			t.Fatalf("%v: weights\n%v\n%v", l, mat.Formatted(a.Weights), mat.Formatted(b.Weights))
		}
	})
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Two points ±a on a line: the largest margin is known.
func TestSVMOfTwoPoints(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{1, 5})
	d, err := learn.Shared(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	targets := &learn.Targets{Task: setting.Binary, Class: []int{0, 1}}
	f := mustFit(t, setting.Learner{Kind: setting.SVM, Strength: 100, Gap: 1e-12}, d, targets)
	if w := f.Weights.At(0, 0); math.Abs(w-0.5) > 1e-9 || math.Abs(f.Bias[0]+1.5) > 1e-9 {
		t.Errorf("w = %v, b = %v, want 0.5 and -1.5", w, f.Bias[0])
	}
}

// Three points on a line: up to epsilon the flattest line through a tube is known, and points beyond it pull by C at most.
func TestSVROfThreePoints(t *testing.T) {
	d, err := learn.Shared(mat.NewDense(3, 1, []float64{-1, 0, 1}), 1)
	if err != nil {
		t.Fatal(err)
	}
	targets := &learn.Targets{Task: setting.Real, Real: []float64{3, 5, 7}}
	for _, c := range []struct{ strength, epsilon, w, b float64 }{
		{100, 0.5, 1.5, 5},  // ½w² grows with w, and a slope of 2 − ε meets both ends
		{100, 3, 0, 5},      // a constant is near enough; any from 4 to 6 is as good
		{0.25, 0.5, 0.5, 5}, // both ends pull by C: w = C·1 + C·1
	} {
		f := mustFit(t, setting.Learner{Kind: setting.SVR, Strength: c.strength, Epsilon: c.epsilon, Gap: 1e-12}, d, targets)
		if w := f.Weights.At(0, 0); math.Abs(w-c.w) > 1e-9 || math.Abs(f.Bias[0]-c.b) > 1+1e-9 || c.epsilon < 1 && math.Abs(f.Bias[0]-c.b) > c.epsilon {
			t.Errorf("%+v: w = %v, b = %v", c, w, f.Bias[0])
		}
	}
}

// Ridge in one dimension: w = S_xy / (S_xx + λ).
func TestRidgeInClosedForm(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 6})
	d, err := learn.Shared(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := mustFit(t, setting.Learner{Kind: setting.Ridge, Strength: 2}, d, &learn.Targets{Task: setting.Real, Real: []float64{2, 1, 5, 8}})
	w := (-2*-2 + -1*-3 + 0*1 + 3*4.0) / (4 + 1 + 0 + 9 + 2)
	if math.Abs(f.Weights.At(0, 0)-w) > 1e-12 || math.Abs(f.Bias[0]-(4-3*w)) > 1e-12 {
		t.Errorf("w = %v, b = %v, want %v and %v", f.Weights.At(0, 0), f.Bias[0], w, 4-3*w)
	}
}

// With more features than rows ridge solves the dual system, with fewer the primal one; both meet the normal equations.
func TestRidgeShapes(t *testing.T) {
	for _, dim := range []int{3, 40} {
		p := makeProblem(5, setting.Real, 20, dim, 1)
		f := mustFit(t, setting.Learner{Kind: setting.Ridge, Strength: 0.1}, p.shared(t), p.targets)
		if f.Gap > 1e-12 {
			t.Errorf("%d features: gap %g", dim, f.Gap)
		}
	}
}

func TestBitsDoNotDependOnProcessors(t *testing.T) {
	for _, c := range tasks {
		for _, kind := range c.learners {
			p := makeProblem(8, c.task, 150, 40, c.m)
			var fits []*learn.Fit
			for _, procs := range []int{1, 2, 3} {
				before := runtime.GOMAXPROCS(procs)
				fits = append(fits, mustFit(t, setting.Learner{Kind: kind}, p.joint32(t), p.targets))
				runtime.GOMAXPROCS(before)
			}
			for _, f := range fits[1:] {
				if !slices.Equal(f.Weights.RawMatrix().Data, fits[0].Weights.RawMatrix().Data) || !slices.Equal(f.Bias, fits[0].Bias) {
					t.Errorf("%s %s: bits differ", c.task, kind)
				}
			}
		}
	}
}

func TestAClassWithoutExamples(t *testing.T) {
	p := makeProblem(9, setting.Class, 40, 5, 3)
	p.m = 4
	for _, kind := range []setting.LearnerKind{setting.SVM, setting.SquaredSVM, setting.Softmax, setting.Ridge} {
		for _, d := range []*learn.Design{p.shared(t), p.joint(t)} {
			f := mustFit(t, setting.Learner{Kind: kind}, d, p.targets)
			scores := mustScores(t, f, d)
			if slices.Contains(learn.Decide(setting.Class, scores).Class, 3) {
				t.Errorf("%s predicts the class that no example has", kind)
			}
			if !f.Converged {
				t.Errorf("%s: gap %g", kind, f.Gap)
			}
		}
	}
}

func TestProbabilities(t *testing.T) {
	for _, c := range tasks[:3] {
		p := makeProblem(11, c.task, 50, 5, c.m)
		f := mustFit(t, setting.Learner{Kind: c.learners[2]}, p.shared(t), p.targets)
		scores := mustScores(t, f, p.shared(t))
		prob := f.Probabilities(scores)
		decided := learn.Decide(c.task, scores)
		n, m := prob.Dims()
		for i := range n {
			row := prob.RawRowView(i)
			if c.task == setting.Multilabel {
				for y := range m {
					if (row[y] > 0.5) != (decided.Multi.At(i, y) == 1) {
						t.Fatalf("label %d: probability %v, decided %v", y, row[y], decided.Multi.At(i, y))
					}
				}
				continue
			}
			if sum := mat.Sum(prob.RowView(i)); math.Abs(sum-1) > 1e-12 {
				t.Fatalf("probabilities sum to %v", sum)
			}
			if row[decided.Class[i]] < slices.Max(row) {
				t.Fatalf("%v: decided %d", row, decided.Class[i])
			}
		}
	}
	if p := makeProblem(1, setting.Binary, 20, 3, 1); mustFit(t, setting.Learner{Kind: setting.SVM}, p.shared(t), p.targets).Probabilities(mat.NewDense(1, 1, nil)) != nil {
		t.Error("an SVM gives no probabilities")
	}
}

func TestCancelStopsAFit(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, kind := range []setting.LearnerKind{setting.SVM, setting.SquaredSVM, setting.Logistic, setting.Ridge} {
		p := makeProblem(2, setting.Binary, 30, 4, 1)
		if _, err := learn.Solve(ctx, (setting.Learner{Kind: kind}), p.shared(t), p.targets); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	numbers := makeProblem(2, setting.Real, 10, 2, 1)
	binary := makeProblem(2, setting.Binary, 10, 2, 1)
	for _, c := range []struct {
		l    setting.Learner
		p    *problem
		want string
	}{
		{setting.Learner{Kind: setting.SVR, Epsilon: -1}, numbers, "svr needs an epsilon that is not negative, not -1"},
		{setting.Learner{Kind: setting.SVR}, binary, "svr learns numbers; use svm for a binary target"},
		{setting.Learner{Kind: setting.SVM}, numbers, "svm learns classes, not numbers; use ridge or svr for a real target"},
		{setting.Learner{Kind: "forest"}, binary, `there is no learner "forest"; choose svm, squared svm, logistic, softmax, ridge, svr, poisson or quantile`},
		{setting.Learner{Kind: setting.Poisson}, numbers, "poisson does not learn a real target; counts are learnt by poisson and quantiles by quantile, and nothing else is"},
		{setting.Learner{Kind: setting.Quantile}, &problem{x: mat.NewDense(1, 2, nil), m: 2, targets: &learn.Targets{Task: setting.Quantiles, Real: []float64{1}, Levels: []float64{0.5, 0.5}}}, "the level 0.5 stands twice"},
		{setting.Learner{Kind: setting.Quantile}, &problem{x: mat.NewDense(1, 2, nil), m: 1, targets: &learn.Targets{Task: setting.Quantiles, Real: []float64{1}, Levels: []float64{0.1, 0.5}}}, "learn: targets of 2 levels on a design with 1 labels"},
		{setting.Learner{Kind: setting.Poisson}, &problem{x: mat.NewDense(1, 2, nil), m: 1, targets: &learn.Targets{Task: setting.Counts, Real: []float64{-1}}}, "learn: a count is negative"},
		{setting.Learner{Kind: setting.SVM, Strength: -1}, binary, "svm needs a positive number, not -1"},
		{setting.Learner{Kind: setting.SVM}, &problem{x: mat.NewDense(9, 2, nil), m: 1, targets: binary.targets}, "learn: 10 targets for 9 examples"},
	} {
		_, err := learn.Solve(context.Background(), c.l, c.p.shared(t), c.p.targets)
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// The objective of an svm is that of its weights, also where they are differences of large multiples of rows.
func TestObjectiveIsThatOfTheWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		const n, d, c = 9, 3, 1e5
		x, class := mat.NewDense(n, d, nil), make([]int, n)
		x.Apply(func(_, _ int, _ float64) float64 { return 100 * rng.NormFloat64() }, x)
		for i := range class {
			class[i] = i % 2
		}
		design, err := learn.Shared(x, 1)
		if err != nil {
			t.Fatal(err)
		}
		f, err := learn.Solve(t.Context(), setting.Learner{Kind: setting.SVM, Strength: c}, design, &learn.Targets{Task: setting.Binary, Class: class})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := f.Scores(design)
		if err != nil {
			t.Fatal(err)
		}
		w := f.Weights.RawRowView(0)
		objective := floats.Dot(w, w) / 2
		for i, k := range class {
			objective += c * math.Max(0, 1-float64(2*k-1)*scores.At(i, 0))
		}
		if math.Abs(objective-f.Objective) > 1e-12*objective {
			t.Errorf("the objective is given as %v, and is %v at the weights", f.Objective, objective)
		}
	}
}
