package operator

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

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
}
