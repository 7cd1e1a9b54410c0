package model

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Every method gives svm probabilities on request, on all kinds of folds. Scores of labels become their log odds, which rise with the scores without.
func TestProbabilitiesOfSVM(t *testing.T) {
	const rows, labels = 20, 4
	train := labelled(rows, labels)
	train.ID = make([]string, rows)
	for _, method := range []setting.Method{setting.Embed, setting.Plain, setting.Risk, setting.Dual} {
		for _, anew := range []bool{false, true} {
			o := wholeOptions(method, 1e-2)
			o.Learner = setting.Learner{Kind: setting.SVM, Strength: 1}
			if anew {
				o.Pose = func(_ context.Context, fold Fold) (*dataset.Set, *regularizer.Regularizer, Options, error) {
					own := train.Subset(fold.Rows)
					return own, exclusions(own.Len(), labels), wholeOptions(method, 1e-2), nil
				}
			}
			without, err := Fit(t.Context(), train, exclusions(rows, labels), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Learner.Probabilities = true
			with, err := Fit(t.Context(), train, exclusions(rows, labels), o)
			if err != nil {
				t.Fatal(err)
			}
			want, _, err := without.Model.Scores(t.Context(), train.X, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, proof, err := with.Model.Scores(t.Context(), train.X, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !with.Model.Fit.Odds {
				t.Errorf("%s: scores are no log odds", method)
			}
			odds := mat.DenseCopyOf(want)
			with.Model.Fit.Finish(odds)
			if !mat.Equal(got, odds) {
				t.Errorf("%s: other scores with probabilities than those that sigmoids make of the scores without", method)
			}
			if without.Model.Fit.Probabilities(want) != nil {
				t.Errorf("%s: probabilities that nobody asked for", method)
			}
			p := with.Model.Fit.Probabilities(got)
			if p == nil || mat.Min(p) <= 0 || mat.Max(p) >= 1 {
				t.Errorf("%s: probabilities %v", method, p)
			}
			checkSaved(t, with.Model, train.X, proof.Gaps)
		}
	}
}

// No label is more probable than one that it implies, and probabilities agree with what is decided, under `decode closure`.
func TestCalibratedLabelsKeepImplications(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(2, 7).Draw(t, "labels")
		model := &Model{Fit: &learn.Fit{Learner: setting.Learner{Kind: setting.SVM, Probabilities: true}, Task: setting.Multilabel, Odds: true, Bias: make([]float64, m)}}
		for range m {
			model.Fit.Sigmoids = append(model.Fit.Sigmoids, learn.Sigmoid{Slope: rapid.Float64Range(1e-3, 4).Draw(t, "slope"), Offset: rapid.Float64Range(-4, 4).Draw(t, "offset")})
		}
		label := rapid.Int32Range(0, int32(m-1))
		for range rapid.IntRange(1, 2*m).Draw(t, "rules") { // some of them go round in circles
			model.Closure = append(model.Closure, regularizer.Implication{If: label.Draw(t, "if"), Then: label.Draw(t, "then")})
		}
		scores := mat.NewDense(n, m, nil)
		scores.Apply(func(_, _ int, _ float64) float64 { return rapid.Float64Range(-6, 6).Draw(t, "score") }, scores)
		model.finish(scores)
		p, decided := model.Fit.Probabilities(scores), learn.Decide(setting.Multilabel, scores).Multi
		for i := range n {
			for _, r := range model.Closure {
				if p.At(i, int(r.If)) > p.At(i, int(r.Then)) || decided.At(i, int(r.If)) > decided.At(i, int(r.Then)) {
					t.Fatalf("label %d implies %d, and their probabilities are %v and %v", r.If, r.Then, p.At(i, int(r.If)), p.At(i, int(r.Then)))
				}
			}
			for y := range m {
				if (p.At(i, y) > 0.5) != (decided.At(i, y) == 1) {
					t.Fatalf("label %d has the probability %v, and is decided: %v", y, p.At(i, y), decided.At(i, y))
				}
			}
		}
	})
}
