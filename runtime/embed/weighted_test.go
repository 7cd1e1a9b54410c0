package embed_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Weighted functions are the products of weights and features, and so are their derivatives.
func TestWeightedFunctionsAreSumsOfFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rows, x, along := random(rng, 30, 4), random(rng, 700, 4), random(rng, 700, 4)
	for name, m := range map[string]embed.Map{
		"nystrom": newMap(t, setting.Kernel{Kind: setting.Gaussian, Width: 2}, setting.Features{Kind: setting.Nystrom, Landmarks: setting.AllLandmarks}, rows, nil),
		"fourier": newMap(t, setting.Kernel{Kind: setting.Gaussian, Width: 2}, setting.Features{Kind: setting.Fourier, Count: 64}, rows, nil),
		"hashing": newMap(t, setting.Kernel{Kind: setting.Linear}, setting.Features{Kind: setting.Hashing, Bits: 4}, rows, nil),
	} {
		v := random(rng, 3, m.Dim())
		w := m.Weighted(v)
		got, want := mat.NewDense(700, 3, nil), mat.NewDense(700, 3, nil)
		w.Features(got, x)
		want.Mul(featuresOf(m, x), v.T())
		closeTo(t, name, got, want, 1e-9)
		w.Derivatives(got, kernel.Argument{Points: x, Along: along, Order: 1})
		want.Mul(derivativesOf(m, x, along, 1), v.T())
		closeTo(t, "the slopes of "+name, got, want, 1e-9)
	}
}
