package model

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// Folds of rows that are summed, or pass by, compare learners as folds of rows at hand do.
func TestFoldsOfSummedRowsCompareAlike(t *testing.T) {
	numbers, classes, yes, labels := sloped(200), tossed(200), answered(200, setting.Binary), answered(150, setting.Multilabel)
	rises := func(context.Context) ([]statement.Statement, error) {
		return []statement.Statement{{Name: "rising", Terms: []statement.Term{{Coef: 1, Derive: []int{1}}}, Region: boxOf(3)}}, nil
	}
	for name, c := range map[string]struct {
		train   *dataset.Set
		reg     *regularizer.Regularizer
		kind    setting.LearnerKind
		require func(context.Context) ([]statement.Statement, error)
	}{
		"ridge, maxima":       {numbers, apartR(numbers), setting.Ridge, nil},
		"ridge, free":         {numbers, &regularizer.Regularizer{Rows: numbers.Len()}, setting.Ridge, nil},
		"ridge, labels":       {classes, level(classes), setting.Ridge, nil},
		"ridge, a sign":       {numbers, apartR(numbers), setting.Ridge, rises},
		"logistic, maxima":    {yes, apartR(yes), setting.Logistic, nil},
		"logistic, labels":    {labels, level(labels), setting.Logistic, nil},
		"probabilities":       {yes, apartR(yes), setting.SquaredSVM, nil},
		"logistic and a sign": {yes, apartR(yes), setting.Logistic, rises},
	} {
		o := tellingOptions(setting.Risk)
		o.Features = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 12}
		o.Kernel.Width, o.Strengths, o.Require, o.Gap = 2, []float64{0.01, 1, 100}, c.require, 1e-3
		if o.Learner = (setting.Learner{Kind: c.kind, Strength: 1}); name == "probabilities" {
			o.Learner.Probabilities, o.Strengths = true, nil
		}
		held, err := Fit(t.Context(), c.train, c.reg, o)
		if err != nil {
			t.Fatal(name, err)
		}
		o.MostHeld = 1
		summed, err := Fit(t.Context(), c.train, c.reg, o)
		if err != nil {
			t.Fatal(name, err)
		}
		if o.Strengths == nil {
			a, b := summed.Model.Fit.Sigmoids, held.Model.Fit.Sigmoids
			if len(a) != len(b) || len(a) == 0 || math.Abs(a[0].Slope-b[0].Slope) > 0.02*math.Abs(b[0].Slope) {
				t.Errorf("%s: %+v, and %+v with all rows at hand", name, a, b)
			}
			continue
		}
		if a, b := summed.Choice.Best, held.Choice.Best; a != b {
			t.Errorf("%s: candidate %d, and %d with all rows at hand", name, a, b)
		}
		for k, s := range summed.Choice.Scores {
			if want := held.Choice.Scores[k].Mean; !(math.Abs(s.Mean-want) <= 0.02*want) || len(s.Folds) != 5 {
				t.Errorf("%s: %s has %g in %d folds, and %g with all rows at hand", name, s.Learner, s.Mean, len(s.Folds), want)
			}
		}
	}
}

// Rows that are gathered in several parts have the scores that they have by themselves, also where each label has an embedding.
func TestRowsInPartsHaveTheirScores(t *testing.T) {
	train := tossed(20)
	for _, method := range []setting.Method{setting.Warp, setting.Risk} {
		o := tellingOptions(method)
		o.Features, o.Strengths = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 3}, nil
		x := mat.NewDense(rowsGathered+3, 3, nil)
		for i := range rowsGathered + 3 {
			x.SetRow(i, train.X.RawRowView(i%20))
		}
		all, err := Judge(t.Context(), train, level(train), o, x)
		if err != nil {
			t.Fatal(err)
		}
		few, err := Judge(t.Context(), train, level(train), o, train.X)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rowsGathered + 3 {
			if !mat.EqualApprox(all[0].RowView(i), few[0].RowView(i%20), 1e-9) {
				t.Fatalf("%s: row %d of %d has other scores", method, i, rowsGathered+3)
			}
		}
	}
}

// Folds of rows that pass by have as many features as they like.
func TestFoldsOfFewRowsOfManyFeatures(t *testing.T) {
	train := answered(60, setting.Binary)
	for _, f := range []setting.Features{{Kind: setting.Nystrom, Landmarks: setting.AllLandmarks}, {Kind: setting.Fourier, Count: 90}} {
		for _, kind := range []setting.LearnerKind{setting.Ridge, setting.Logistic, setting.SquaredSVM} {
			o := tellingOptions(setting.Risk)
			o.Features, o.MostHeld, o.Learner.Kind = f, 1, kind
			if _, err := Fit(t.Context(), train, apartR(train), o); err != nil {
				t.Fatal(kind, err)
			}
		}
	}
}
