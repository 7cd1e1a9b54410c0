package embed_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// With a derivative at a far point as a landmark the features hold all of it, and as much of the old landmarks as before.
func TestExtendedHoldsNewLandmarks(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := mat.NewDense(9, 2, nil)
	for i := range 9 {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	phi, err := embed.New(t.Context(), k, setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks}, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	far := kernel.Argument{Points: mat.NewDense(1, 2, []float64{5, 5}), Along: mat.NewDense(1, 2, []float64{1, 0}), Order: 1}
	wide, err := embed.Extended(t.Context(), phi, []kernel.Argument{far})
	if err != nil {
		t.Fatal(err)
	}
	share := func(m embed.Map, at kernel.Argument) float64 {
		row, own := mat.NewDense(1, m.Dim(), nil), mat.NewDense(1, 1, nil)
		m.Derivatives(row, at)
		k.Derived(own, at, at)
		return mat.Norm(row, 2) * mat.Norm(row, 2) / own.At(0, 0)
	}
	if before, after := share(phi, far), share(wide, far); before > 0.1 || math.Abs(after-1) > 1e-9 {
		t.Errorf("the derivative far away is held to %v before and %v after", before, after)
	}
	for i := range 9 {
		if got := share(wide, kernel.At(x.Slice(i, i+1, 0, 2).(*mat.Dense))); math.Abs(got-1) > 1e-9 {
			t.Errorf("row %d is held to %v", i, got)
		}
	}
	state, err := embed.FromState(wide.State())
	if err != nil || state.Dim() != wide.Dim() {
		t.Errorf("the state of the wider map: %v", err)
	}
	hashed, err := embed.New(t.Context(), linear(t), setting.Features{Kind: setting.Hashing, Bits: 3}, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := embed.Extended(t.Context(), hashed, []kernel.Argument{far}); err == nil {
		t.Error("hashing features took a landmark")
	}
}

// Sums of coefficients at the landmarks are the weights of features, multiplied out.
func TestSums(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 4})
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	phi, err := embed.New(t.Context(), k, setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks}, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := mat.NewDense(4, 1, []float64{1, -2, 0.5, 3})
	out, gram := mat.NewDense(4, 1, nil), mat.NewDense(4, 4, nil)
	embed.Sums(phi, a).Features(out, x)
	k.Matrix(gram, x, x)
	var want mat.Dense
	state := phi.State()
	z := mat.NewDense(state.Landmarks.Rows, 1, state.Landmarks.Data)
	k.Matrix(gram, x, z)
	want.Mul(gram, a)
	if !mat.EqualApprox(out, &want, 1e-14) {
		t.Errorf("%v, want %v", out.RawMatrix().Data, want.RawMatrix().Data)
	}
	if embed.Sums(phi, mat.NewDense(3, 1, nil)) != nil {
		t.Error("coefficients of another number of landmarks were taken")
	}
}

func linear(t *testing.T) *kernel.Function {
	t.Helper()
	k, err := kernel.New(setting.Kernel{Kind: setting.Linear})
	if err != nil {
		t.Fatal(err)
	}
	return k
}
