package model

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Every method gives svm probabilities on request, on all kinds of folds; scores, and so decisions, are what they are without.
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
			if !mat.Equal(got, want) {
				t.Errorf("%s: other scores with probabilities", method)
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
