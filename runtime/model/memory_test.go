package model

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A feature map is refused before it is made, whatever its kind.
func TestFeaturesAreForeseen(t *testing.T) {
	train := &dataset.Set{X: mat.NewDense(5000, 2, nil), Rows: make([]int, 5000)}
	ctx := limits.WithMemory(context.Background(), 300<<20)
	for want, features := range map[string]setting.Features{
		"is for 5000 landmarks; use fewer landmarks, or allow":                     {Kind: setting.Nystrom, Landmarks: setting.RowLandmarks},
		"is for 5000 landmarks; use fewer":                                         {Kind: setting.Exact},
		"is for 5000 landmarks; use fewer ":                                        {Landmarks: setting.CountLandmarks, Count: 1 << 40},
		"is for 1000000 random features of 5000 rows; use fewer features, or":      {Kind: setting.Fourier, Count: 1e6},
		"is for 2^20 features of 5000 rows; use fewer features, or allow more by ": {Kind: setting.Hashing, Bits: 20},
	} {
		f := newFitter(ctx, train, &regularizer.Regularizer{}, Options{})
		if err := checkFeatures(f, features); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f := newFitter(ctx, train, &regularizer.Regularizer{}, Options{})
	if err := checkFeatures(f, setting.Features{Landmarks: setting.CountLandmarks, Count: 500}); err != nil {
		t.Error(err)
	}
}

// Each of these fits takes most of its memory for one thing, in a forecast as in truth. What a fit allocates in all bounds its peak from
// above, and the few large matrices of these are most of both.
func TestForecastsCountWhatFitsTake(t *testing.T) {
	rows, few, count := setting.Features{Landmarks: setting.RowLandmarks}, setting.Features{Landmarks: setting.CountLandmarks, Count: 20}, setting.Features{Landmarks: setting.CountLandmarks, Count: 400}
	for want, c := range map[string]struct {
		n        int
		features setting.Features
		method   setting.Method
		learner  setting.LearnerKind
	}{
		"1000 landmarks": {1000, rows, setting.Plain, setting.SVM},
		"learning from 1600 representations of 20 numbers":  {1600, few, setting.Plain, setting.SVM},
		"learning from 2500 representations of 400 numbers": {2500, count, setting.Plain, setting.Ridge},
		"2000 random features of 2000 rows":                 {2000, setting.Features{Kind: setting.Fourier, Count: 2000}, setting.Plain, setting.Softmax},
		"embeddings of 450 rows of 400 numbers at 2 labels": {450, count, setting.Warp, setting.Softmax},
		"600 coefficients of 300 rows":                      {300, few, setting.Dual, setting.Softmax},
	} {
		train, o := tossed(c.n), tellingOptions(c.method)
		o.Features, o.Learner, o.Strengths, o.MaxIterations, o.Unmeasured = c.features, setting.Learner{Kind: c.learner, Strength: 1, MaxSweeps: 5}, nil, 5, true
		most, all := 0.0, []string{}
		ctx := limits.WithForecasts(context.Background(), func(needs []limits.Need) {
			for _, n := range needs {
				all = append(all, n.What)
			}
			most = max(most, limits.Sum(needs[1:])) // the first is what was taken before
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Fit(ctx, train, telling(train), o); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if ratio := most / float64(after.TotalAlloc-before.TotalAlloc); ratio < 0.2 || ratio > 2 || !slices.Contains(all, want) {
			t.Errorf("%s: %.2f of what it allocates is foreseen, for\n%s", want, ratio, strings.Join(all, "\n"))
		}
	}
}

// Before an operator of one label is made, its rows are foreseen: scores, and the functionals that are not empty.
func TestRiskIsForeseen(t *testing.T) {
	train := tossed(100)
	reg := telling(train) // of 98 functionals
	reg.Functionals.End()
	f := newFitter(context.Background(), train, reg, tellingOptions(setting.Risk))
	for labels, rows := range map[int]float64{1: 198, 2: 100} {
		f.rep = &represent.Representer{Labels: labels}
		if need := riskNeed(f, 100, 20); need.Bytes != 12*20*rows+20*20*20 || !strings.HasPrefix(need.What, fmt.Sprintf("%.0f functionals", rows)) {
			t.Errorf("%d labels: %+v", labels, need)
		}
	}
}
