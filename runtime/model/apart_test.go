package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// mixedPoint sets x to a number with a mark of its gap, a category of two texts, and a number of another range.
func mixedPoint(rng *rand.Rand, x []float64, at float64) {
	clear(x)
	x[0], x[4] = 2*rng.Float64()-1, at+5*rng.Float64()
	if rng.IntN(4) == 0 {
		x[0], x[1] = 0.25, 1
	}
	if k := rng.IntN(3); k < 2 {
		x[2+k] = 1
	}
}

// fitMixed fits a kernel to mixed rows, the last column about a number, and returns the model and further rows.
func fitMixed(t *testing.T, k setting.Kernel, at float64) (*Model, *mat.Dense) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	train, x := steps(40, 5), mat.NewDense(60, 5, nil)
	for i := range 40 {
		mixedPoint(rng, train.X.RawRowView(i), at)
	}
	for i := range 60 {
		mixedPoint(rng, x.RawRowView(i), at)
	}
	f, err := Fit(t.Context(), train, &regularizer.Regularizer{}, Options{
		Method: setting.Risk, Kernel: k, Learner: setting.Learner{Kind: setting.Ridge, Strength: 0.001}, Unmeasured: true,
		Features: setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Model.Coefficients = landmarkCoefficients(f.Model.Represent, f.Model.Fit.Weights.RawMatrix().Data)
	return f.Model, x
}

// The function of which statements are proved is the one that predicts, for every kernel that proofs know.
func TestProvedFunctionPredicts(t *testing.T) {
	base := func(b setting.Base) setting.Base { b.Width = 1.5; return b }
	bases := map[string]setting.Base{
		"gaussian": base(setting.Base{Kind: setting.Gaussian}), "matern32": base(setting.Base{Kind: setting.Matern32}),
		"matern52": base(setting.Base{Kind: setting.Matern52}), "periodic of 7": base(setting.Base{Kind: setting.Periodic, Period: 7}),
		"periodic of 0.7": base(setting.Base{Kind: setting.Periodic, Period: 0.7}), "linear": {Kind: setting.Linear},
		"gaussian and linear": base(setting.Base{Kind: setting.Gaussian, Linear: 0.5}), "periodic and linear": base(setting.Base{Kind: setting.Periodic, Period: 7, Linear: 2}),
		"linear twice": {Kind: setting.Linear, Linear: 0.5},
	}
	kernels := map[string]setting.Kernel{"gaussian of rows": {Kind: setting.Gaussian, Width: 2}}
	for name, b := range bases {
		for _, kind := range []setting.KernelKind{setting.Additive, setting.Pairwise} {
			kernels[string(kind)+" "+name] = setting.Kernel{Kind: kind, Components: []setting.Component{
				{Name: "a", Columns: []int{0, 1}, Base: b}, {Name: "town", Columns: []int{2, 3}, Base: setting.Base{Kind: setting.Category}}, {Name: "b", Columns: []int{4}, Base: b},
			}}
		}
	}
	for name, k := range kernels {
		m, x := fitMixed(t, k, 0)
		scores, _, err := m.Scores(t.Context(), x, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		apart, err := Apart(t.Context(), m, x, scores, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		size := mat.Norm(m.Coefficients, 1)
		for i := range 60 {
			if e := apart.At(i, 0); !(e > 0 && e <= 1e-12*(1+size)*100) {
				t.Fatalf("%s: the prediction of row %v is %v, and the function within %v of it; the coefficients are %v", name, x.RawRowView(i), scores.At(i, 0), e, size)
			}
		}
	}
}

// Where numbers are so large that a prediction loses all digits, the bound says so.
func TestBoundsTellLostDigits(t *testing.T) {
	width := setting.Base{Kind: setting.Gaussian, Width: 1}
	m, x := fitMixed(t, setting.Kernel{Kind: setting.Pairwise, Components: []setting.Component{
		{Name: "a", Columns: []int{0, 1}, Base: width},
		{Name: "town", Columns: []int{2, 3}, Base: setting.Base{Kind: setting.Category}},
		{Name: "b", Columns: []int{4}, Base: setting.Base{Kind: setting.Linear}},
	}}, 1e6)
	scores, _, err := m.Scores(t.Context(), x, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	apart, err := Apart(t.Context(), m, x, scores, nil)
	if err != nil {
		t.Fatal(err)
	}
	moved := mat.DenseCopyOf(scores)
	moved.Apply(func(_, _ int, v float64) float64 { return v + 0.5 }, moved)
	far, err := Apart(t.Context(), m, x, moved, nil)
	if err != nil {
		t.Fatal(err)
	}
	if mat.Max(apart) < 1e-7 {
		t.Errorf("predictions are within %v, though values of the kernel are of the order 10¹²", mat.Max(apart))
	}
	for i := range 60 {
		if d := far.At(i, 0); d < 0.5-2*apart.At(i, 0) || math.IsNaN(d) {
			t.Errorf("a score that is off by 0.5 is within %v", d)
		}
	}
	m.Coefficients = nil
	if _, err = Apart(t.Context(), m, x, scores, nil); err == nil {
		t.Error("a model without coefficients has a function")
	}
}
