package operator

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"
)

// everywhere is an operator of q functionals at each of m labels, each a multiple of one row of Ψ.
func everywhere(rng *rand.Rand, m, q, d int) *Operator {
	a := &Operator{layout: layout{functionals: m * q, labels: m, dim: d}, psi: randomGeneral(rng, q, d)}
	var pairs []column
	for c := range m {
		for k := range q {
			pairs = append(pairs, column{int32(c), int32(k)})
		}
	}
	a.layColumns(pairs)
	a.start = []int32{0}
	for k := range q {
		factor := rng.NormFloat64()
		for c := range m {
			a.entries = append(a.entries, entry{int32(c*q + k), factor})
			a.start = append(a.start, int32(len(a.entries)))
		}
	}
	a.finish()
	return a
}

// By the root M⁻¹ = L⁻ᵀL⁻¹ at every label.
func TestRootIsThatOfEveryLabel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		m, q, d := rapid.IntRange(1, 4).Draw(t, "labels"), rapid.IntRange(1, 9).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "features")
		a, w, alpha := everywhere(rng, m, q, d), make([]float64, m*q), rapid.Float64Range(0.1, 3).Draw(t, "alpha")
		for k := range q {
			v := math.Max(0, rng.NormFloat64())
			for c := range m {
				w[k*m+c] = v
			}
		}
		root, err := RootsOf(a).Root(t.Context(), alpha, w)
		if err != nil || root == nil {
			t.Fatalf("no root: %v", err)
		}
		at := newGeneral(1, d)
		for c := range m {
			for i := range d {
				for j := range i + 1 {
					want, got := 0.0, 0.0
					if i == j {
						want = alpha
					}
					for f := range m * q {
						RootsOf(a).At(at, []int{f}, c)
						want += w[f] * at.Data[i] * at.Data[j]
					}
					for k := range j + 1 {
						got += root.Data[i*root.Stride+k] * root.Data[j*root.Stride+k]
					}
					if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
						t.Fatalf("LLᵀ has %v at %d, %d, and M at label %d has %v", got, i, j, c, want)
					}
				}
			}
		}
		if again, err := RootsOf(a).Root(t.Context(), alpha, w); err != nil || again != root {
			t.Fatalf("the root of the same weights was made anew: %v", err)
		}
	})
}

// A label by itself has the root that it has among others, wherever its rows stand.
func TestRootOfALabelAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	a, w := everywhere(rng, 3, 4, 5), []float64{1, 1, 1, 2, 2, 2, 0, 0, 0, 3, 3, 3}
	want, err := RootsOf(a).Root(t.Context(), 1, w)
	if err != nil {
		t.Fatal(err)
	}
	for c := range 3 {
		// The second of the label's functionals is left out, so that its rows are not all of Ψ.
		own := a.Restrict([]int{c}, []int{c, 3 + c, 9 + c})
		got, err := RootsOf(own).Root(t.Context(), 1, []float64{1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			for j := range i + 1 {
				if math.Abs(got.Data[i*got.Stride+j]-want.Data[i*want.Stride+j]) > 1e-12 {
					t.Fatalf("label %d: L has %v at %d, %d alone, and %v among others", c, got.Data[i*got.Stride+j], i, j, want.Data[i*want.Stride+j])
				}
			}
		}
	}
}

// Labels that R couples, or weighs differently, have no root.
func TestRootIsRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	none := func(a *Operator, w []float64) *blas64.Triangular {
		root, err := RootsOf(a).Root(t.Context(), 1, w)
		if err != nil {
			t.Fatal(err)
		}
		return root
	}
	a := everywhere(rng, 2, 3, 4)
	if none(a, []float64{1, 2, 1, 1, 1, 1}) != nil {
		t.Error("labels of different weights have a root")
	}
	if none(a, []float64{1, 0, 1, 0, 1, 0}) != nil {
		t.Error("a label without R has the root of another")
	}
	a.entries[0].at, a.entries[1].at = 0, 3 // functionals 0 and 1 are of the two labels' first row
	a.start = []int32{0, 2, 2, 3, 4, 5, 6}
	a.finish()
	if none(a, []float64{1, 0, 1, 1, 1, 1}) != nil {
		t.Error("labels that a functional couples have a root")
	}
	if none(made(rng, 8, 3, 5, 4), []float64{1, 1, 1, 1, 1, 1, 1, 1}) != nil {
		t.Error("random functionals of few labels have a root")
	}
}

// What is known of some weights tells what their multiples give, and nothing of others.
func TestGramOfMultiplesIsScaled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		q, d, c := rapid.IntRange(1, 9).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "features"), rapid.Float64Range(0.01, 100).Draw(t, "factor")
		w, times, other := make([]float64, q), make([]float64, q), make([]float64, q)
		for k := range q {
			w[k], other[k] = rng.ExpFloat64(), rng.ExpFloat64()
			times[k] = c * w[k]
		}
		seed := rng.Uint64()
		build := func() Roots { return RootsOf(everywhere(rand.New(rand.NewPCG(seed, 3)), 1, q, d)) }
		known := build()
		for _, asked := range [][]float64{w, times, other, w} {
			root, err := known.Root(t.Context(), 1, asked)
			if err != nil {
				t.Fatal(err)
			}
			want, err := build().Root(t.Context(), 1, asked)
			if err != nil {
				t.Fatal(err)
			}
			for i := range d {
				for j := range i + 1 {
					if got, want := root.Data[i*root.Stride+j], want.Data[i*want.Stride+j]; math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
						t.Fatalf("entry %d, %d of the root is %v, want %v", i, j, got, want)
					}
				}
			}
		}
	})
}
