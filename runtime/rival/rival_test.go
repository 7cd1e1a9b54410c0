package rival

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

func TestMain(m *testing.M) {
	if err := blas.Select(""); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// blobs are rows around one centre for each class.
func blobs(n, classes int, spread float64) *dataset.Set {
	rng := rand.New(rand.NewPCG(1, 7))
	s := &dataset.Set{X: mat.NewDense(n, 2, nil), Task: setting.Class}
	for c := range classes {
		s.LabelNames = append(s.LabelNames, string(rune('a'+c)))
	}
	for i := range n {
		c := i % classes
		angle := 2 * math.Pi * float64(c) / float64(classes)
		s.X.SetRow(i, []float64{math.Cos(angle) + spread*rng.NormFloat64(), math.Sin(angle) + spread*rng.NormFloat64()})
		s.Class, s.Rows, s.IDs = append(s.Class, c), append(s.Rows, i), append(s.IDs, "")
	}
	return s
}

func scoresOf(t *testing.T, m *Model, x *mat.Dense) *mat.Dense {
	t.Helper()
	scores, err := m.Scores(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// tree is a taxonomy of five labels, 0 above 1 and 2, 1 above 3 and 4, that rows in the plane carry by their place.
func tree(n int) (*dataset.Set, []Edge) {
	rng := rand.New(rand.NewPCG(2, 7))
	s := &dataset.Set{X: mat.NewDense(n, 2, nil), Task: setting.Multilabel, LabelNames: []string{"0", "1", "2", "3", "4"}, Multi: mat.NewDense(n, 5, nil)}
	for i := range n {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		s.X.SetRow(i, []float64{x, y})
		var row []float64
		switch {
		case x < -0.5:
			row = []float64{0, 0, 0, 0, 0}
		case y < 0:
			row = []float64{1, 0, 1, 0, 0}
		case x < 0.5:
			row = []float64{1, 1, 0, 1, 0}
		default:
			row = []float64{1, 1, 0, 0, 1}
		}
		s.Multi.SetRow(i, row)
		s.Rows, s.IDs = append(s.Rows, i), append(s.IDs, "")
	}
	return s, []Edge{{1, 0}, {2, 0}, {3, 1}, {4, 1}}
}

// Two rows x, −x of opposite class: the machine's dual has one variable, α = min(C, 2/‖φ₁−φ₂‖²), and w = α(φ₁ − φ₂).
func TestSVMOfTwoRows(t *testing.T) {
	s := &dataset.Set{X: mat.NewDense(2, 1, []float64{-1, 1}), Task: setting.Binary, LabelNames: []string{"a", "b"}, Class: []int{0, 1}, Rows: []int{0, 1}, IDs: []string{"", ""}}
	for _, c := range []float64{0.1, 100} {
		m, err := Fit(t.Context(), SVM, s, Options{Setting: Setting{Width: 1, C: c}}) // the median distance is 2
		if err != nil {
			t.Fatal(err)
		}
		k := math.Exp(-0.5) // k(−1, 1) = exp(−2²/(2·2²))
		alpha := math.Min(c, 1/(1-k))
		x := mat.NewDense(3, 1, []float64{-1, 1, 0.3})
		kernel := func(a, b float64) float64 { return math.Exp(-(a - b) * (a - b) / 8) }
		scores := scoresOf(t, m, x)
		for i := range 3 {
			want := alpha * (kernel(x.At(i, 0), 1) - kernel(x.At(i, 0), -1))
			if got := scores.At(i, 0); math.Abs(got-want) > 1e-6 {
				t.Errorf("C = %g: the score at %g is %g, want %g", c, x.At(i, 0), got, want)
			}
		}
	}
}

// With β → 0 a mixed row is one of its two rows, so that the objective is that of softmax on the rows drawn.
func TestMixupWithoutMixingIsSoftmax(t *testing.T) {
	s := blobs(30, 3, 0.5)
	o := Options{Setting: Setting{Width: 0.5, C: 10, Beta: 1e-9}, Pairs: 300}
	m := &Model{Name: Mixup, task: s.Task}
	if _, err := m.represent(t.Context(), s.X, o); err != nil {
		t.Fatal(err)
	}
	x, y := newMixer(s, o, streamPairs).draw(o.Pairs, mixesPerPair)
	targets := &learn.Targets{Task: setting.Class}
	for i := range o.Pairs * mixesPerPair {
		row := y.RawRowView(i)
		c := slices.Index(row, slices.Max(row))
		if row[c] < 1-1e-9 {
			t.Fatalf("label %v is mixed", row)
		}
		targets.Class = append(targets.Class, c)
	}
	phi := m.phi(x)
	p := &softmaxProblem{phi: phi, soft: y, weight: 10 * 30}
	w, solution, err := p.minimize(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	design, err := learn.Shared(phi, 3)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := learn.Solve(t.Context(), setting.Learner{Kind: setting.Softmax, Strength: p.weight / float64(o.Pairs*mixesPerPair), Gap: 1e-10}, design, targets)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.value(w, nil), fit.Objective; math.Abs(got-want) > 1e-6*want {
		t.Errorf("the objective is %.10g, that of softmax %.10g", got, want)
	}
	if solution.Objective*(1-solution.Gap) > fit.Objective {
		t.Errorf("the objective is %.10g, at most %g of it above the minimum, which is below %.10g", solution.Objective, solution.Gap, fit.Objective)
	}
}

// Every rival that solves a problem says how near it came, and what ends for want of iterations that it did not converge.
func TestSolutions(t *testing.T) {
	class := blobs(60, 3, 0.5)
	multi, edges := tree(60)
	numbers := wave(60)
	for _, n := range Names() {
		train := class
		for _, other := range []*dataset.Set{multi, numbers} {
			if n.Suits(train.Task) != nil {
				train = other
			}
		}
		if n == Ridge { // which is solved directly
			continue
		}
		o := Options{Edges: edges, Setting: Setting{C: 1000}, Machine: turning(0.5, 0.3)}
		done, err := Fit(t.Context(), n, train, o)
		if err != nil {
			t.Fatal(err)
		}
		if n == StochasticMixup {
			if done.Solution != nil {
				t.Errorf("%s has %+v", n, done.Solution)
			}
			continue
		}
		o.MaxIterations = 1
		short, err := Fit(t.Context(), n, train, o)
		if err != nil {
			t.Fatal(err)
		}
		if s := done.Solution; !s.Converged || !(s.Gap <= 1e-5) || !(s.Objective > 0) || s.Iterations < 1 {
			t.Errorf("%s: %+v", n, s)
		}
		if s := short.Solution; s.Converged || !(s.Gap > 1e-5) || s.Objective*(1-s.Gap) > done.Solution.Objective {
			t.Errorf("%s after one iteration: %+v", n, s)
		}
	}
}

func TestSoftmaxGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	draw := func(n, d int) *mat.Dense {
		m := mat.NewDense(n, d, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
		return m
	}
	soft := mat.NewDense(6, 3, nil)
	for i := range 6 {
		l := rng.Float64()
		soft.Set(i, i%3, l)
		soft.Set(i, (i+1)%3, 1-l)
	}
	p := &softmaxProblem{phi: draw(6, 4), soft: soft, weight: 5}
	w, g := draw(3, 4), mat.NewDense(3, 4, nil)
	p.value(w, g)
	for y := range 3 {
		for j := range 4 {
			const h = 1e-6
			v := w.At(y, j)
			w.Set(y, j, v+h)
			up := p.value(w, nil)
			w.Set(y, j, v-h)
			down := p.value(w, nil)
			w.Set(y, j, v)
			if want := (up - down) / (2 * h); math.Abs(g.At(y, j)-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("the gradient at %d, %d is %g, differences say %g", y, j, g.At(y, j), want)
			}
		}
	}
}

// Drawing pairs anew comes near the optimum of a large batch.
func TestStochasticNearBatch(t *testing.T) {
	s := blobs(60, 3, 0.4)
	o := Options{Setting: Setting{Width: 0.5, C: 10, Beta: 0.5}, Pairs: 3000}
	batch, err := Fit(t.Context(), Mixup, s, o)
	if err != nil {
		t.Fatal(err)
	}
	stochastic, err := Fit(t.Context(), StochasticMixup, s, o)
	if err != nil {
		t.Fatal(err)
	}
	var d mat.Dense
	d.Sub(scoresOf(t, batch, s.X), scoresOf(t, stochastic, s.X))
	if gap := mat.Norm(&d, 2) / mat.Norm(scoresOf(t, batch, s.X), 2); gap > 0.1 {
		t.Errorf("the scores differ by %g of their norm", gap)
	}
	p := batch.Probabilities(scoresOf(t, batch, s.X))
	if sum := mat.Sum(p.RowView(0)); math.Abs(sum-1) > 1e-12 {
		t.Errorf("probabilities sum to %g", sum)
	}
}

func TestBinaryMixup(t *testing.T) {
	s := blobs(40, 2, 0.3)
	s.Task = setting.Binary
	m, err := Fit(t.Context(), Mixup, s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := learn.Decide(setting.Binary, scoresOf(t, m, s.X))
	wrong := 0
	for i, c := range p.Class {
		if c != s.Class[i] {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of 40 separate rows are wrong", wrong)
	}
}

// The rivals that read from the root down decide no label without its parents.
func TestTopDown(t *testing.T) {
	s, edges := tree(120)
	test, _ := tree(400)
	plain, err := Fit(t.Context(), MultilabelSVM, s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name Name
		keep bool
	}{{HRSVM, false}, {HRSVM, true}, {Masking, false}} {
		name := c.name
		m, err := Fit(t.Context(), name, s, Options{Edges: edges, Setting: Setting{Keep: c.keep}})
		if err != nil {
			t.Fatal(err)
		}
		scores := scoresOf(t, m, test.X)
		p := learn.Decide(setting.Multilabel, scores).Multi
		right := 0.0
		for i := range 400 {
			for _, e := range edges {
				if p.At(i, e.Child) > p.At(i, e.Parent) {
					t.Fatalf("%s: row %d carries %d without %d", name, i, e.Child, e.Parent)
				}
			}
			for y := range 5 {
				if p.At(i, y) == test.Multi.At(i, y) {
					right++
				}
			}
		}
		if share := right / 2000; share < 0.9 {
			t.Errorf("%s decides %.3f of the labels right", name, share)
		}
		if name == Masking { // the root's scores are those of the machines alone
			for i, v := range mat.Col(nil, 0, scoresOf(t, plain, test.X)) {
				if v != scores.At(i, 0) {
					t.Fatalf("the root's score of row %d is %g, without masking %g", i, scores.At(i, 0), v)
				}
			}
		}
	}
}

func TestBestThreshold(t *testing.T) {
	for _, c := range []struct {
		scores []float64
		class  []int
		want   float64
	}{
		{[]float64{2, 1, -1, -2}, []int{1, 1, 0, 0}, 0},              // zero is best already
		{[]float64{-1, -2, -3, -4}, []int{1, 1, 0, 0}, -2.5},         // all below zero
		{[]float64{3, 2, 1, 0.5}, []int{1, 0, 0, 0}, 2.5},            // all above
		{[]float64{-1, -1, -1, -2}, []int{1, 0, 1, 0}, -1.5},         // equal scores cannot be told apart
		{[]float64{4, 3, -1, -1.5, -2}, []int{1, 1, 1, 0, 0}, -1.25}, // one positive is missed at zero
	} {
		if got := bestThreshold(c.scores, c.class); got != c.want {
			t.Errorf("of %v, %v the threshold is %g, want %g", c.scores, c.class, got, c.want)
		}
	}
}

func TestEdges(t *testing.T) {
	b := &plugins.Block{}
	for c := range int32(3) {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{c}, Value: []float64{1}})
	}
	difference := func(first, second float64, a, c int32) {
		b.Term(first, 0, plugins.Evaluation, a)
		b.Term(second, 0, plugins.Evaluation, c)
		b.End()
	}
	difference(1, -1, 1, 0)
	difference(-2, 2, 0, 2) // 2 implies 0
	difference(1, 1, 1, 2)  // an exclusion
	difference(1, -1, 1, 0) // again
	reg := &regularizer.Regularizer{Functionals: b, Invariances: []regularizer.Invariance{{Gauge: gauge.Repeat(4, gauge.Leaf(gauge.Pos)), Count: 4}}}
	reg.Invariances[0].Gauge = gauge.MaxOf(gauge.Leaf(gauge.Pos), gauge.Leaf(gauge.Pos), gauge.Leaf(gauge.Pos), gauge.Leaf(gauge.Pos))
	if got, want := Edges(reg), []Edge{{1, 0}, {2, 0}}; !slices.Equal(got, want) {
		t.Errorf("the edges are %v, want %v", got, want)
	}
}

func TestChoose(t *testing.T) {
	s := blobs(60, 3, 0.5)
	search := []Setting{{Width: 0.001, C: 10}, {Width: 0.5, C: 10}}
	best, trials, err := Choose(t.Context(), SVM, s, search, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if best.Setting != search[1] || len(trials) != 2 || trials[0].Score >= trials[1].Score {
		t.Errorf("%+v is chosen of %+v", best, trials)
	}
	for _, n := range Names() {
		if count := len(Search(n)); count != 18 && n != Augment {
			t.Errorf("%s has %d settings to choose from", n, count)
		}
	}
}

// What settings of one width share while they are compared changes nothing.
func TestSettingsAreComparedAsEachIsScored(t *testing.T) {
	multi, edges := tree(40)
	for n, train := range map[Name]*dataset.Set{
		SVM: blobs(40, 3, 0.6), HRSVM: multi, Masking: multi, Mixup: blobs(24, 2, 0.6), SVR: wave(40), Ridge: wave(40), Augment: blobs(40, 3, 0.6),
	} {
		o := Options{Edges: edges, Machine: turning(0.5, 0.3), Pairs: 20}
		search := []Setting{{Width: 0.5, C: 1}, {Width: 0.5, C: 100}, {Width: 1, C: 1}, {Width: 0.5, C: 10}}
		_, trials, err := Choose(t.Context(), n, train, search, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, tried := range trials {
			o.Setting = search[k]
			if want, err := Score(t.Context(), n, train, o); err != nil || tried.Score != want {
				t.Errorf("%s, %s: %g, by itself %g, %v", n, search[k].Text(n), tried.Score, want, err)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	class := blobs(12, 3, 0.5)
	multi, edges := tree(30)
	for _, c := range []struct {
		name  Name
		train *dataset.Set
		edges []Edge
		want  string
	}{
		{"none", class, nil, `there is no rival "none"; for a class target there are svm, mixup, stochastic-mixup, augment`},
		{HRSVM, class, nil, "rival hr-svm decides sets of labels; for a class target there are svm, mixup, stochastic-mixup, augment"},
		{Mixup, multi, nil, "rival mixup gives each row one class; for a multilabel target there are ml-svm, hr-svm, masking, augment"},
		{Ridge, class, nil, "rival ridge predicts numbers; for a class target"},
		{Augment, class, nil, "needs a kernel machine"},
		{Masking, multi, nil, "needs implications"},
		{HRSVM, multi, append(edges, Edge{0, 3}), "hold a cycle"},
		{HRSVM, multi, []Edge{{9, 0}}, "there are 5 labels"},
		{SVM, &dataset.Set{Task: setting.Real}, nil, "rival svm gives each row one class; for a real target there are svr, ridge, augment"},
	} {
		if _, err := Fit(t.Context(), c.name, c.train, Options{Edges: c.edges}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, n := range []Name{SVM, Mixup, StochasticMixup} {
		if _, err := Fit(ctx, n, class, Options{}); err == nil {
			t.Errorf("%s does not heed its context", n)
		}
	}
}

// Means of as many rows told right in folds of another order are equal, whatever their last digit.
func TestRoundingIsNoBetter(t *testing.T) {
	tenth, fifth, rest := 0.1, 0.2, 0.3
	a, b := (tenth+fifth)+rest, tenth+(fifth+rest)
	if a == b {
		t.Fatal("there is no rounding")
	}
	for _, task := range []setting.Task{setting.Class, setting.Real} {
		if Better(task, a, b) || Better(task, b, a) {
			t.Errorf("%s: %v and %v are not equal", task, a, b)
		}
	}
	if !Better(setting.Real, 1, 2) || !Better(setting.Class, 2, 1) {
		t.Error("no score is better than another")
	}
}
