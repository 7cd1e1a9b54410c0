package operator

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// numbersOf counts the numbers that a factor keeps.
func numbersOf[T number](t *testing.T, f solver[T]) (count int) {
	t.Helper()
	switch f := f.(type) {
	case multiple[T]:
		if f.of != nil {
			return numbersOf(t, f.of)
		}
	case *inverse[T]:
		return len(f.matrix.Data)
	case *woodbury[T]:
		return len(f.inner.Data)
	case *kronecker[T]:
		return len(f.q.Data)
	case *rotated[T]:
		for _, m := range f.inverses {
			count += len(m.Data)
		}
	case *split[T]:
		for _, g := range f.factors {
			count += numbersOf(t, g)
		}
	default:
		t.Fatalf("a factor is %T", f)
	}
	return count
}

func TestFactorBytesForesees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 31))
	for name, a := range map[string]*Operator{
		"components": made(rng, 5, 40, 8, 20), "dense": made(rng, 900, 4, 50, 20), "woodbury": made(rng, 5, 1, 5, 40),
		"decomposed": logic(rng, 50, 4, 30), "rotated": logic(rng, 50, 4, smallEigen+20),
	} {
		w := make([]float64, a.functionals)
		for i := range w {
			w[i] = 1
		}
		_, kept, kept32, _, err := a.FactorBytes(w)
		if err != nil {
			t.Fatal(err)
		}
		if a.cache.last != nil {
			t.Errorf("%s: a plan was made", name)
		}
		f, err := a.Factor(context.Background(), 1, w)
		if err != nil {
			t.Fatal(err)
		}
		g, err := a.Factor32(context.Background(), 1, w)
		if err != nil {
			t.Fatal(err)
		}
		few := 8 * a.labels * a.dim // divisors
		if wide, ok := f.(double); !ok || abs(bytesOfDouble*numbersOf(t, wide.solver)-kept) > few+foreign(wide.solver) {
			t.Errorf("%s: %d bytes are foreseen, %d kept", name, kept, bytesOfDouble*numbersOf(t, wide.solver))
		}
		if narrow, ok := g.(single); !ok || abs(bytesOfSingle*numbersOf(t, narrow.solver)-kept32) > few {
			t.Errorf("%s: %d bytes are foreseen in single precision, %d kept", name, kept32, bytesOfSingle*numbersOf(t, narrow.solver))
		}
	}
	if _, _, _, _, err := made(rng, 5, 1, 5, 4).FactorBytes([]float64{1}); err == nil {
		t.Error("one weight for five functionals was accepted")
	}
}

// foreign is what a factor in double precision shares with its plan.
func foreign(f solver[float64]) int {
	if m, ok := f.(multiple[float64]); ok {
		f = m.of
	}
	if k, ok := f.(*kronecker[float64]); ok {
		return bytesOfDouble * len(k.q.Data)
	}
	return 0
}

func abs(x int) int { return max(x, -x) }

func TestBuildRefusesWhatDoesNotFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 32))
	rows := mat.NewDense(20, 3, randomGeneral(rng, 20, 3).Data)
	b := &plugins.Block{}
	for i := range int32(20) {
		b.Term(1, i, plugins.Evaluation, plugins.NoLabel)
		b.End()
	}
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	f, err := embed.New(t.Context(), k, setting.Features{Landmarks: setting.CountLandmarks, Count: 10}, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tolerance := range []float64{0, 1e-9, 0.5} {
		for most, fits := range map[int]bool{20 * 10 * 8: true, 100: false} {
			a, err := BuildWith(t.Context(), b, rows, f, 1, Options{Tolerance: tolerance, MostBytes: most})
			if (err == nil) != fits || (a == nil) == fits {
				t.Errorf("tolerance %g, %d bytes: %v", tolerance, most, err)
			}
		}
	}
	a, err := Build(t.Context(), b, rows, f, 1)
	if err != nil {
		t.Fatal(err)
	}
	if double, single := a.Bytes(); double < 20*10*8 || single < 20*10*4 || single >= double {
		t.Errorf("20 rows of 10 features take %d and %d bytes", double, single)
	}
}
