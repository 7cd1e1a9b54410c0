package embed_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// lagrange is L_k at s for Lobatto nodes of [−1, 1].
func lagrange(n, k int, s float64) float64 {
	x, out := curve.Nodes(n), 1.0
	for m := range x {
		if m != k {
			out *= (s - 2*x[m] + 1) / (2 * (x[k] - x[m]))
		}
	}
	return out
}

// A walk is a functional on a straight path: f or a derivative, times a label that is affine.
type walk struct {
	middle, half, tangent []float64
	order                 int
	label, turn           []float64
	factor                []float64 // by Chebyshev polynomials
}

// times is the factor at s.
func (w *walk) times(s float64) float64 {
	sum := 0.0
	for m, c := range w.factor {
		sum += c * math.Cos(float64(m)*math.Acos(max(-1, min(1, s))))
	}
	return sum
}

// at is the functional in feature space, label by label.
func (w *walk) at(m embed.Map, s float64) []float64 {
	x := mat.NewDense(1, len(w.middle), nil)
	for j := range w.middle {
		x.Set(0, j, w.middle[j]+s*w.half[j])
	}
	phi := derived(m, kernel.Argument{Points: x, Along: mat.NewDense(1, len(w.tangent), w.tangent), Order: w.order})
	var out []float64
	for c := range w.label {
		for _, v := range phi.RawRowView(0) {
			out = append(out, w.times(s)*v*(w.label[c]+s*w.turn[c]))
		}
	}
	return out
}

// worst is the largest distance that is found from the polynomial through the values at n nodes.
func (w *walk) worst(m embed.Map, n int) float64 {
	var at [][]float64
	for _, l := range curve.Nodes(n) {
		at = append(at, w.at(m, 2*l-1))
	}
	most := 0.0
	for i := range 20 {
		s := math.Cos(math.Pi * (float64(i) + 0.37) / 20)
		e := w.at(m, s)
		for k := range at {
			floats.AddScaled(e, -lagrange(n, k, s), at[k])
		}
		most = max(most, floats.Norm(e, 2))
	}
	return most
}

func (w *walk) stretch() []embed.Stretch {
	return []embed.Stretch{{
		Coef: w.factor, Half: w.half, Order: w.order, Tangent: w.tangent, Label: floats.Norm(w.label, 2), Turn: floats.Norm(w.turn, 2),
	}}
}

// Nothing lies farther from its polynomial than the bound, and where the nodes resolve the kernel's width the bound is of use.
func TestInterpolationIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		draw := func(n int, size float64) []float64 {
			out := make([]float64, n)
			for j := range out {
				out[j] = size * rng.NormFloat64()
			}
			return out
		}
		w := &walk{middle: draw(2, 1), half: draw(2, rapid.Float64Range(0, 4).Draw(t, "length")), label: []float64{1}, turn: []float64{0}, factor: []float64{-1}}
		w.tangent, w.order = draw(2, 1), rapid.IntRange(0, 2).Draw(t, "order")
		if rapid.Bool().Draw(t, "labels") {
			w.label, w.turn = draw(3, 1), draw(3, 1)
		}
		if degree := rapid.IntRange(0, 3).Draw(t, "degree of the factor"); degree > 0 {
			w.factor = draw(degree+1, 1)
		}
		landmarks := mat.NewDense(40, 2, nil)
		for i := range 40 {
			for j := range 2 {
				landmarks.Set(i, j, w.middle[j]+(2*float64(i)/39-1)*w.half[j]+0.1*rng.NormFloat64())
			}
		}
		for _, spec := range []struct {
			kernel setting.Kernel
			setting.Features
		}{
			{setting.Kernel{Kind: setting.Gaussian, Width: 1}, setting.Features{Landmarks: setting.RowLandmarks}},
			{setting.Kernel{Kind: setting.Gaussian, Width: 1}, setting.Features{Kind: setting.Fourier, Count: 41}},
			{setting.Kernel{Kind: setting.Laplacian, Width: 1}, setting.Features{Kind: setting.Fourier, Count: 40}},
			{setting.Kernel{Kind: setting.Polynomial, Degree: 4, Offset: 1}, setting.Features{Landmarks: setting.RowLandmarks}},
			{setting.Kernel{Kind: setting.Linear}, setting.Features{Landmarks: setting.RowLandmarks}},
			{setting.Kernel{Kind: setting.Linear}, setting.Features{Kind: setting.Hashing, Bits: 3}},
		} {
			k, err := kernel.New(spec.kernel)
			if err != nil {
				t.Fatal(err)
			}
			m, err := embed.New(t.Context(), k, spec.Features, landmarks, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{3, 11, 21} {
				bound, ok := embed.Interpolation(m, w.stretch(), n-1)
				found := w.worst(m, n)
				size := 1 + floats.Norm(w.at(m, 1), 2)
				if !ok || found > bound+1e-5*size {
					t.Errorf("%s, %s features, %d nodes: error %v, bound %v", spec.kernel, spec.Kind, n, found, bound)
				}
			}
		}
	})
}

func TestWhatInterpolationProves(t *testing.T) {
	landmarks := mat.NewDense(3, 1, []float64{0, 1, 2})
	maps := map[setting.KernelKind]embed.Map{}
	for _, spec := range []setting.Kernel{{Kind: setting.Gaussian, Width: 1}, {Kind: setting.Laplacian, Width: 1}, {Kind: setting.Polynomial, Degree: 3}} {
		k, err := kernel.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if maps[spec.Kind], err = embed.New(t.Context(), k, setting.Features{Landmarks: setting.RowLandmarks}, landmarks, nil); err != nil {
			t.Fatal(err)
		}
	}
	path := func(length float64) []embed.Stretch {
		return []embed.Stretch{{Coef: []float64{1}, Half: []float64{length / 2}, Label: 1}}
	}
	bound := func(kind setting.KernelKind, length float64, degree int) float64 {
		out, ok := embed.Interpolation(maps[kind], path(length), degree)
		if !ok {
			t.Errorf("%s: no proof", kind)
		}
		return out
	}
	if _, ok := embed.Interpolation(maps[setting.Laplacian], path(1), 10); ok {
		t.Error("functions of the laplacian kernel have kinks, and a proof is claimed")
	}
	if out := bound(setting.Gaussian, 2, 10); out > 1e-4 || out < 1e-7 {
		t.Errorf("a path of two widths, 11 nodes: %v", out)
	}
	if out := bound(setting.Gaussian, 20, 80); out > 1e-4 {
		t.Errorf("a path of twenty widths, 81 nodes: %v", out)
	}
	if out := bound(setting.Gaussian, 2e5, 80); out < 1 || out > 10 {
		t.Errorf("a path of 200000 widths, 81 nodes: %v; nothing but the norm is known", out)
	}
	if out := bound(setting.Polynomial, 100, 3); out != 0 {
		t.Errorf("a cubic by four nodes: %v", out)
	}
	if out := bound(setting.Polynomial, 100, 2); !math.IsInf(out, 1) {
		t.Errorf("a cubic by three nodes: %v", out)
	}
	if still, ok := embed.Interpolation(maps[setting.Laplacian], path(0), 10); !ok || still != 0 {
		t.Errorf("a point that stands still: %v", still)
	}
	if w := embed.Widths(maps[setting.Gaussian], []float64{1.5}); w != 3 {
		t.Errorf("%v widths, want 3", w)
	}
}
