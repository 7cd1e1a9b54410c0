package model

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// many is a set whose rows hardly share their label sets, so that a fold which knew those of the rows held out would score better.
func many(rows, labels int) *dataset.Set {
	train := labelled(rows, labels)
	for i := range rows {
		for y := range labels {
			if train.X.At(i, y%3)+0.3*float64(y) > 0.5 {
				train.Multi.Set(i, y, 1)
			}
		}
	}
	return train
}

// Without R method risk and method plain learn the same label sets, choose the same strength by the same scores, and decide alike; the model is
// saved with its sets.
func TestLabelSetsAreThoseOfTheFold(t *testing.T) {
	train := many(60, 7)
	fits := map[setting.Method]*Fitting{}
	for _, method := range []setting.Method{setting.Plain, setting.Risk} {
		o := wholeOptions(method, 1e-6)
		o.Learner.Kind = setting.Softmax
		o.Strengths = []float64{1, 10, 100}
		fit, err := Fit(t.Context(), train, &regularizer.Regularizer{}, o)
		if err != nil {
			t.Fatal(err)
		}
		fits[method] = fit
		_, proof, err := fit.Model.Scores(t.Context(), train.X, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkSaved(t, fit.Model, train.X, proof.Gaps)
	}
	a, b := fits[setting.Plain], fits[setting.Risk]
	for k, s := range a.Choice.Scores {
		if math.Abs(s.Mean-b.Choice.Scores[k].Mean) > 0.005 {
			t.Errorf("%s scores %v by plain and %v by risk", s.Learner, s.Mean, b.Choice.Scores[k].Mean)
		}
	}
	if d := cmp.Diff(a.Model.Fit.Sets, b.Model.Fit.Sets); d != "" || len(a.Model.Fit.Sets.Each) < 10 {
		t.Errorf("%d sets; %s", len(a.Model.Fit.Sets.Each), d)
	}
	if x, y := a.Model.Fit.Objective, b.Model.Fit.Objective; math.Abs(x-y) > 1e-3*x {
		t.Errorf("the objective is %v by plain and %v by risk", x, y)
	}
}

func TestDualRefusesLabelSets(t *testing.T) {
	o := wholeOptions(setting.Dual, 1e-3)
	o.Learner.Kind = setting.Softmax
	if _, err := Fit(t.Context(), labelled(10, 3), &regularizer.Regularizer{}, o); !errors.Is(err, ErrDualSets) {
		t.Errorf("%v", err)
	}
}

// A file whose sets are not of its labels is refused.
func TestForgedSets(t *testing.T) {
	for _, sets := range []*learn.Sets{
		{Labels: 2, Each: [][]int32{{0}}}, {Labels: 3, Each: [][]int32{{3}}}, {Labels: 3, Each: [][]int32{{-1}}}, {Labels: 3, Each: [][]int32{{1, 1}}}, {Labels: 3},
	} {
		if sets.Check(3) == nil {
			t.Errorf("%+v passes", sets)
		}
	}
	sets, _ := learn.NewSets(mat.NewDense(2, 3, []float64{1, 0, 1, 0, 0, 0}), nil)
	if err := sets.Check(3); err != nil {
		t.Error(err)
	}
}
