package model

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

func labelled(rows, labels int) *dataset.Set {
	rng := rand.New(rand.NewPCG(3, 4))
	train := &dataset.Set{
		X: mat.NewDense(rows, 3, nil), Task: setting.Multilabel, LabelNames: make([]string, labels), HasTarget: true, Multi: mat.NewDense(rows, labels, nil),
	}
	for i := range rows {
		for j := range 3 {
			train.X.Set(i, j, rng.NormFloat64())
		}
		train.Multi.Set(i, rng.IntN(labels), 1)
		train.Rows = append(train.Rows, i)
	}
	return train
}

func wholeOptions(method setting.Method, gap float64) Options {
	return Options{
		Method: method, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 1}, Features: setting.Features{},
		Learner: setting.Learner{Kind: setting.Logistic, Strength: 1}, Gap: gap,
	}
}

// Method dual finds the function of method risk, with R and without, and also where the strength is chosen; its model is saved with it.
func TestDualFindsTheFunctionOfRisk(t *testing.T) {
	const rows, labels, gap = 20, 4, 1e-4
	train := labelled(rows, labels)
	for name, reg := range map[string]*regularizer.Regularizer{"exclusions": exclusions(rows, labels), "no R": {}} {
		for _, strengths := range [][]float64{{30}, {0.1, 10, 100}} {
			o := wholeOptions(setting.Risk, gap)
			o.Strengths = strengths
			want, err := Fit(t.Context(), train, reg, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Method = setting.Dual
			got, err := Fit(t.Context(), train, reg, o)
			if err != nil {
				t.Fatal(err)
			}
			a, b := want.Model.Fit, got.Model.Fit
			if !b.Converged || b.Learner != a.Learner || math.Abs(a.Objective-b.Objective) > 2*gap*a.Objective {
				t.Errorf("%s: %s has the objective %v with a gap of %v, by risk %s %v", name, b.Learner, b.Objective, b.Gap, a.Learner, a.Objective)
			}
			d := got.Descent
			if d == nil || d.Evaluations == 0 || d.Start < b.Objective*(1-1e-9) {
				t.Fatalf("%s: the descent is %+v, to %v", name, d, b.Objective)
			}
			if !(d.Inner <= d.InnerTarget) {
				t.Errorf("%s: converged, with an inner gap of %v above %v", name, d.Inner, d.InnerTarget)
			}
			x, _, err := want.Model.Scores(t.Context(), train.X, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			y, proof, err := got.Model.Scores(t.Context(), train.X, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkSaved(t, got.Model, train.X, proof.Gaps)
			size := mat.Norm(x, 2)
			if x.Sub(x, y); mat.Norm(x, 2) > 0.05*size {
				t.Errorf("%s: scores differ by %v of %v", name, mat.Norm(x, 2), size)
			}
			for k, v := range want.Measured {
				if math.Abs(float64(got.Measured[k].Value-v.Value)) > 0.02 {
					t.Errorf("%s: R is %v, by risk %v", name, got.Measured[k].Value, v.Value)
				}
			}
		}
	}
}

// Progress is told of every problem that is solved, also where strengths are compared, and does not fall back.
func TestDualTellsItsProgress(t *testing.T) {
	o := wholeOptions(setting.Dual, 1e-3)
	o.Strengths = []float64{0.1, 10}
	told, last, at := map[string]bool{}, "", 0
	o.Progress = func(stage string, done, _ int) {
		if stage == last && done < at {
			t.Errorf("%s falls back from %d to %d", stage, at, done)
		}
		last, at = stage, done
		told[stage] = told[stage] || done > 0
	}
	if _, err := Fit(t.Context(), labelled(20, 4), exclusions(20, 4), o); err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"minimize risk", "minimize risk, logistic(C = 0.1)", "minimize risk, logistic(C = 10)"} {
		if !told[stage] {
			t.Errorf("no progress is told of %q, only of %v", stage, told)
		}
	}
}

func TestDualIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := wholeOptions(setting.Dual, 1e-6)
	o.Learner.Strength = 100 // R is not idle
	o.Progress = func(stage string, _, _ int) {
		if stage == "minimize risk" {
			cancel()
		}
	}
	if _, err := Fit(ctx, labelled(20, 4), exclusions(20, 4), o); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
