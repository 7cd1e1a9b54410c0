package model

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// apart returns by how much scores exceed bounds on their errors, exact ones having errors of their own, and the largest of the bounds.
func apart(t *testing.T, m, exact *Model, x *mat.Dense) (excess, largest float64) {
	t.Helper()
	got, proof, err := m.Scores(t.Context(), x, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, fine, err := exact.Scores(t.Context(), x, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if proof.Errors == nil || fine.Errors == nil {
		t.Fatal("no bounds on errors")
	}
	rows, labels := got.Dims()
	for i := range rows {
		for y := range labels {
			bound := proof.Errors.At(i, y)
			largest = max(largest, bound)
			excess = max(excess, math.Abs(got.At(i, y)-want.At(i, y))-bound-fine.Errors.At(i, y))
		}
	}
	return excess, largest
}

// Scores of the risk are as near to those of its minimizer as is said, whatever the learner, with a bias and without, closed or not, at rows
// that were trained on and at others.
func TestScoresOfRiskAreAsNearAsIsSaid(t *testing.T) {
	const rows, labels = 20, 4
	train := labelled(rows, labels)
	fresh := mat.NewDense(7, 3, nil)
	fresh.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(3*i + 5*j)) }, fresh)
	for _, method := range []setting.Method{setting.Risk, setting.Dual} {
		for _, l := range []setting.Learner{{Kind: setting.SVM, Strength: 10}, {Kind: setting.SquaredSVM, Strength: 10}, {Kind: setting.Logistic, Strength: 30}, {Kind: setting.Ridge}, {Kind: setting.Softmax, Strength: 30}} {
			if method == setting.Dual && l.Kind == setting.Softmax {
				continue
			}
			o := wholeOptions(method, 1e-7)
			o.Learner, o.Closure = l, []regularizer.Implication{{If: 0, Then: 1}}
			exact, err := Fit(t.Context(), train, exclusions(rows, labels), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Gap = 1e-2
			out, err := Fit(t.Context(), train, exclusions(rows, labels), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range []*mat.Dense{train.X, fresh} {
				if excess, largest := apart(t, out.Model, exact.Model, x); excess > 1e-9 || !(largest > 0) || math.IsInf(largest, 1) {
					t.Errorf("%s, %s: %v further than said, %v", method, l.Kind, excess, largest)
				}
			}
			if _, proof, err := out.Model.Scores(t.Context(), train.X, nil, nil); err != nil || !mat.EqualApprox(proof.Errors, out.Errors, 1e-12) {
				t.Errorf("%s, %s: other bounds on the training rows, %v", method, l.Kind, err)
			}
		}
	}
}

// Scores of embeddings are as near to those of exact ones as is said, for labels by themselves, by supports and all together.
func TestScoresOfEmbeddingsAreAsNearAsIsSaid(t *testing.T) {
	const rows = 20
	checkNear(t, "exclusions", labelled(rows, 4), exclusions(rows, 4))
	checkNear(t, "rules", labelled(rows, 3), rules(rows))
	if out := checkNear(t, "taxonomy", labelled(rows, taxonomyLabels), implying(rows)); out.Model.Represent.Support == nil {
		t.Error("the taxonomy is not embedded by supports")
	}
}

func checkNear(t *testing.T, name string, train *dataset.Set, reg *regularizer.Regularizer) *Fitting {
	t.Helper()
	o := wholeOptions(setting.Embed, 0.05)
	o.Learner = setting.Learner{Kind: setting.SVM}
	out, err := Fit(t.Context(), train, reg, o)
	if err != nil {
		t.Fatal(err)
	}
	out.Model.About.Preparation = preparationOf(train)
	exact, err := out.Model.content().model() // which has nothing solved for yet
	if err != nil {
		t.Fatal(err)
	}
	exact.Represent.Gap = 1e-10
	if excess, largest := apart(t, out.Model, exact, train.X); excess > 1e-7 || !(largest > 0) || math.IsInf(largest, 1) {
		t.Errorf("%s: %v further than said, %v", name, excess, largest)
	}
	if out.Errors == nil || !(out.Model.Nearness.Spread > 0) {
		t.Errorf("%s: nothing is said of the training rows", name)
	}
	if _, proof, err := out.Model.Scores(t.Context(), train.X, nil, nil); err != nil || !mat.EqualApprox(proof.Errors, out.Errors, 1e-3*mat.Max(out.Errors)) {
		t.Errorf("%s: other bounds on the training rows, %v", name, err)
	}
	o.Method = setting.Plain
	plain, err := Fit(t.Context(), train, reg, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, proof, err := plain.Model.Scores(t.Context(), train.X, nil, nil); err != nil || proof.Errors != nil || plain.Errors != nil {
		t.Errorf("%s: method plain solves for nothing, and says errors of it, %v", name, err)
	}
	return out
}

// Bounds that do not suit a model are refused.
func TestNearnessIsChecked(t *testing.T) {
	good := &Nearness{Spread: 1, Center: mat.NewDense(2, 3, nil), Anchor: []float64{1, 2}}
	if err := good.check(2, 3); err != nil {
		t.Error(err)
	}
	for _, bad := range []*Nearness{{Spread: math.NaN()}, {Radius: math.NaN()}, {Center: mat.NewDense(2, 2, nil), Anchor: []float64{1, 2}}, {Center: mat.NewDense(2, 3, nil)}} {
		if bad.check(2, 3) == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// Where nobody asks for a gap, method risk goes on until scores are near enough, and reports the gap that it then has; the function is that of
// a small gap. Within few iterations a result of a gap that was reached stays one.
func TestRiskGoesOnUntilScoresAreNear(t *testing.T) {
	const rows, labels = 20, 4
	train := labelled(rows, labels)
	for _, kind := range []setting.LearnerKind{setting.SVM, setting.Logistic, setting.Ridge, setting.Softmax} {
		o := wholeOptions(setting.Risk, DefaultGap)
		o.Learner = setting.Learner{Kind: kind, Strength: 1}
		plain, err := Fit(t.Context(), train, exclusions(rows, labels), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Tighten = true
		out, err := Fit(t.Context(), train, exclusions(rows, labels), o)
		if err != nil {
			t.Fatal(err)
		}
		before := mat.Max(plain.Errors) / plain.Model.Nearness.Spread
		if before <= EnoughOfSpread && kind != setting.Ridge { // whose first look is near already
			t.Errorf("%s: scores are within %v of their spread at the gap of the start", kind, before)
		}
		if share := mat.Max(out.Errors) / out.Model.Nearness.Spread; share > EnoughOfSpread {
			t.Errorf("%s: scores are within %v of their spread, at a gap of %v", kind, share, out.Gaps[0])
		}
		fit, rep := out.Model.Fit, out.Model.Represent
		if !fit.Converged || fit.Gap > rep.Gap || before > EnoughOfSpread && (rep.Gap >= DefaultGap || fit.Iterations <= plain.Model.Fit.Iterations) {
			t.Errorf("%s: gap %v for %v after %d iterations", kind, fit.Gap, rep.Gap, fit.Iterations)
		}
	}
}
