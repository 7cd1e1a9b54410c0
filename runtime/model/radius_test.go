package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Within the radius no point is decided otherwise, in random directions and down the steepest slope; and radii are not idle: somewhere
// the class changes at less than four times the radius.
func TestRadiiHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	for _, task := range []setting.Task{setting.Class, setting.Binary} {
		for _, kind := range []setting.LearnerKind{setting.SVM, setting.Ridge} {
			s := tossed(40)
			s.Task = task
			f, err := Fit(t.Context(), s, &regularizer.Regularizer{}, Options{
				Method: setting.Plain, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 1.2}, Learner: setting.Learner{Kind: kind, Strength: 1},
				Features: setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks},
			})
			if err != nil {
				t.Fatal(err)
			}
			decided := func(x *mat.Dense) (*mat.Dense, []int) {
				scores, _, err := f.Model.Scores(t.Context(), x, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				return scores, learn.Decide(task, scores).Class
			}
			scores, classes := decided(s.X)
			radii, err := Radii(f.Model, scores)
			if err != nil {
				t.Fatal(err)
			}
			nearest := math.Inf(1)
			for i, r := range radii {
				if !(r > 0) || math.IsInf(r, 1) {
					t.Fatalf("row %d has the radius %v", i, r)
				}
				for range 60 {
					direction := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
					floats.Scale(1/floats.Norm(direction, 2), direction)
					at := slices.Clone(s.X.RawRowView(i))
					floats.AddScaled(at, r*0.999999, direction)
					if _, own := decided(mat.NewDense(1, 3, at)); own[0] != classes[i] {
						t.Fatalf("row %d changes its class within %v", i, r)
					}
					far := slices.Clone(s.X.RawRowView(i))
					floats.AddScaled(far, 4*r, direction)
					if _, own := decided(mat.NewDense(1, 3, far)); own[0] != classes[i] {
						nearest = min(nearest, 4)
					}
				}
			}
			if math.IsInf(nearest, 1) {
				t.Errorf("%s, %s: no class changes within four radii", task, kind)
			}
		}
	}
}

// Where decisions are not those of functions with known norms there are no radii.
func TestNoRadii(t *testing.T) {
	s := tossed(20)
	for want, o := range map[string]Options{
		"the kernel is laplacian": {Method: setting.Plain, Kernel: setting.Kernel{Kind: setting.Laplacian, Width: 1}, Features: setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks}},
		"only resemble":           {Method: setting.Plain, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 1}, Features: setting.Features{Kind: setting.Fourier, Count: 20}},
		"method embed":            {Method: setting.Embed, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 1}, Features: setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks}},
	} {
		o.Learner = setting.Learner{Kind: setting.Ridge, Strength: 1}
		reg := &regularizer.Regularizer{}
		if o.Method == setting.Embed {
			reg = telling(s)
		}
		f, err := Fit(t.Context(), s, reg, o)
		if err != nil {
			t.Fatal(err)
		}
		scores, _, err := f.Model.Scores(t.Context(), s.X, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Radii(f.Model, scores); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
