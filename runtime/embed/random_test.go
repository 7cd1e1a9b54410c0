package embed_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

func TestFourierApproximatesTheKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	rows := random(rng, 40, 3)
	for _, count := range []int{20000, 20001, 1} {
		for _, ks := range kernels[:2] {
			m := newMap(t, ks, setting.Features{Kind: setting.Fourier, Count: count, Seed: 3}, rows, nil)
			if m.Dim() != count {
				t.Errorf("%d features, want %d", m.Dim(), count)
			}
			if ks.Kind == setting.Gaussian { // Cauchy frequencies are too high for differences
				checkDerivatives(t, ks.String(), m, rng, 3)
			}
			back, err := embed.FromState(m.State())
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(featuresOf(m, rows), featuresOf(back, rows)) {
				t.Error("the features of the state differ")
			}
			if count == 1 {
				continue
			}
			want, got := mat.NewDense(40, 40, nil), mat.NewDense(40, 40, nil)
			m.Kernel().Matrix(want, rows, rows)
			phi := featuresOf(m, rows)
			got.Mul(phi, phi.T())
			got.Sub(got, want)
			if worst := math.Max(mat.Max(got), -mat.Min(got)); worst > 5/math.Sqrt(20000) {
				t.Errorf("%s: a kernel value is off by %g", ks, worst)
			}
		}
	}
	for _, ks := range kernels[2:] {
		k, _ := kernel.New(ks)
		if _, err := embed.New(context.Background(), k, setting.Features{Kind: setting.Fourier, Count: 10}, rows, nil); err == nil {
			t.Errorf("Fourier features of the %s kernel were accepted", ks)
		}
	}
}

func TestHashingIsUnbiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	rows := random(rng, 2, 50)
	linear := setting.Kernel{Kind: setting.Linear}
	want := mat.Dot(rows.RowView(0), rows.RowView(1))
	sum, squares := 0.0, 0.0
	const seeds = 4000
	for seed := range uint64(seeds) {
		m := newMap(t, linear, setting.Features{Kind: setting.Hashing, Bits: 6, Seed: seed}, rows, nil)
		phi := featuresOf(m, rows)
		v := mat.Dot(phi.RowView(0), phi.RowView(1))
		sum, squares = sum+v, squares+v*v
	}
	mean := sum / seeds
	deviation := math.Sqrt((squares/seeds - mean*mean) / seeds)
	if math.Abs(mean-want) > 4*deviation || deviation == 0 {
		t.Errorf("the mean over seeds is %g ± %g, want %g", mean, deviation, want)
	}
	m := newMap(t, linear, setting.Features{Kind: setting.Hashing, Bits: 6, Seed: 1}, rows, nil)
	checkDerivatives(t, "hashing", m, rng, 50)
	back, err := embed.FromState(m.State())
	if err != nil || m.Dim() != 64 || !mat.Equal(featuresOf(m, rows), featuresOf(back, rows)) {
		t.Errorf("the features of the state differ: %v", err)
	}
	for _, s := range []setting.Features{{Bits: 0}, {Bits: 40}} {
		s.Kind = setting.Hashing
		k, _ := kernel.New(linear)
		if _, err := embed.New(context.Background(), k, s, rows, nil); err == nil {
			t.Errorf("%d bits were accepted", s.Bits)
		}
	}
	k, _ := kernel.New(kernels[0])
	if _, err := embed.New(context.Background(), k, setting.Features{Kind: setting.Hashing, Bits: 6}, rows, nil); err == nil {
		t.Error("hashing under the gaussian kernel was accepted")
	}
}
