package embed_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A map that remembers the factor of its candidates gives the features that it computes without, at rows, at points of R and elsewhere. Some candidates are
// landmarks, or all. Small pivots are not trusted, and features of a low rank are not those of the factor.
func TestForgettingChangesNoFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rows, others, fresh := random(rng, 40, 6), random(rng, 50, 6), random(rng, 30, 6)
	block := &plugins.Block{Start: []int32{0}, Points: plugins.Matrix{Rows: 50, Cols: 6, Data: others.RawMatrix().Data}}
	for i := range int32(50) {
		block.Point, block.Coef, block.Tangent, block.Label = append(block.Point, ^i), append(block.Coef, 1), append(block.Tangent, plugins.Evaluation), append(block.Label, plugins.NoLabel)
		block.Start = append(block.Start, i+1)
	}
	for _, width := range []float64{0.5, 1.5, 40} {
		for _, s := range []setting.Features{
			{Landmarks: setting.CountLandmarks, Count: 25},
			{Landmarks: setting.CountLandmarks, Count: 25, Rank: 7},
			{Landmarks: setting.AllLandmarks},
			{Landmarks: setting.AllLandmarks, Rank: 7},
			{Landmarks: setting.RowLandmarks},
		} {
			s.Kind = setting.Nystrom
			m := newMap(t, setting.Kernel{Kind: setting.Gaussian, Width: width}, s, rows, block)
			sets := []*mat.Dense{rows, others, fresh, mat.NewDense(90, 6, append(append([]float64{}, rows.RawMatrix().Data...), others.RawMatrix().Data...))}
			var before []*mat.Dense
			for _, x := range sets {
				before = append(before, featuresOf(m, x))
			}
			embed.Forget(m)
			for k, x := range sets {
				if !mat.EqualApprox(before[k], featuresOf(m, x), 1e-9) {
					t.Errorf("width %g, %+v: features of set %d are others", width, s, k)
				}
			}
		}
	}
}
