package operator

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Gram matrices of a pass are as near the true ones as they are asked to be, and exact where they are to be so. Sums do not depend on that.
func TestGramsOfAPassAreAsNearAsAsked(t *testing.T) {
	const n, p = 2500, 3
	rng := rand.New(rand.NewPCG(5, 6))
	x, curves := mat.NewDense(n, p, nil), make([]float64, n)
	for i := range n {
		for j := range p {
			x.Set(i, j, rng.NormFloat64())
		}
		curves[i] = max(0, rng.NormFloat64()) // half of them have none
	}
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	phi, err := embed.New(t.Context(), k, setting.Features{Landmarks: setting.CountLandmarks, Count: 30}, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	trace, d := 0.0, phi.Dim()
	e, want := mat.NewDense(n, d, nil), mat.NewSymDense(d, nil)
	phi.Features(e, x)
	for i, h := range curves {
		want.SymRankOne(want, h, e.RowView(i))
		trace += h * mat.Dot(e.RowView(i), e.RowView(i))
	}
	rows := &Passing{X: x, Features: phi}
	gram := func(off float64) ([]float64, []float64) {
		out, err := rows.Pass(t.Context(), mat.NewDense(1, d, nil).RawMatrix(), 1, 1, off, func(g *polar.Glance) {
			for k := range g.Sizes {
				g.Columns.Data[k], g.Curves.Data[k] = 1, curves[g.First+k]
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.Grams[0].Data, out.Sums.Data
	}
	errorOf := func(got []float64) float64 {
		diff := mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				diff.SetSym(i, j, got[i*d+j]-want.At(i, j))
			}
		}
		return mat.Norm(diff, 2)
	}
	exact, sums := gram(0)
	if off := errorOf(exact); off > 1e-13*trace {
		t.Errorf("the Gram matrix of a pass is off by %g, of a trace of %g", off, trace)
	}
	off := 0x1p-23 * trace
	rough, same := gram(off)
	if got := errorOf(rough); !(got > 1e-12*trace && got < off) {
		t.Errorf("the rough Gram matrix is off by %g, asked for %g", got, off)
	}
	if !slices.Equal(sums, same) {
		t.Error("sums depend on the precision of Gram matrices")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if again, _ := gram(off); !slices.Equal(again, rough) {
		t.Error("bits depend on the number of processors")
	}
	// Curvatures that leave the range of single precision are not taken there.
	for i := range curves {
		curves[i] *= 1e80
	}
	if huge, _ := gram(off); math.IsInf(mat.Norm(mat.NewDense(d, d, huge), 2), 0) {
		t.Error("large curvatures overflow")
	}
}

// A constant feature under equal curvatures rounds the same way in each row. Its row is as near as the others all the same.
func TestAConstantFeatureIsNoWorse(t *testing.T) {
	const n, d = 1024, 40
	rng := rand.New(rand.NewPCG(7, 8))
	e, g := newGeneral(n, d), polar.Glance{Sizes: make([]float64, n), Curves: newGeneral(n, 1)}
	want, trace := mat.NewSymDense(d, nil), 0.0
	for i := range n {
		own := rowOf(e, i)
		for j := range own {
			own[j] = rng.NormFloat64() / d
		}
		own[d-1], g.Curves.Data[i] = 10.0/3, 5.1
		v := mat.NewVecDense(d, own)
		g.Sizes[i] = mat.Norm(v, 2)
		want.SymRankOne(want, 5.1, v)
		trace += 5.1 * g.Sizes[i] * g.Sizes[i]
	}
	gram := newGeneral(d, d)
	newSquares(n, d, 1).add(gram, e, &g, 0, math.Inf(1))
	for i := range d {
		for j := range i + 1 {
			if off := math.Abs(rowOf(gram, i)[j] - want.At(i, j)); off > singleUnit*trace {
				t.Fatalf("element %d, %d is off by %g units of the trace", i, j, off/trace/singleUnit)
			}
		}
	}
}
