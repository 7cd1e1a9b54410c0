package embed

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// sequences are the probabilities of all ordered draws of count of n indices, given the weights after each beginning.
func sequences(n, count int, weights func(chosen []int) []float64) map[string]float64 {
	out := map[string]float64{}
	var walk func(chosen []int, p float64)
	walk = func(chosen []int, p float64) {
		if len(chosen) == count {
			out[fmt.Sprint(chosen)] += p
			return
		}
		w, sum := weights(chosen), 0.0
		for _, v := range w {
			sum += v
		}
		for i := range n {
			if w[i] > 1e-12 {
				walk(append(append([]int(nil), chosen...), i), p*w[i]/sum)
			}
		}
	}
	walk(nil, 1)
	return out
}

func checkLaw(t *testing.T, want map[string]float64, draw func(seed uint64) []int) {
	t.Helper()
	const draws = 6000
	got := map[string]float64{}
	for seed := range uint64(draws) {
		got[fmt.Sprint(draw(seed))] += 1.0 / draws
	}
	for key := range got {
		if want[key] == 0 {
			t.Errorf("%s was drawn, which cannot be", key)
		}
	}
	for key, p := range want {
		if math.Abs(got[key]-p) > 5*math.Sqrt(p*(1-p)/draws) {
			t.Errorf("%s: drawn with frequency %.4f, want %.4f", key, got[key], p)
		}
	}
}

var lawPoints = mat.NewDense(5, 1, []float64{0, 0.4, 1, 1.1, 3})

func TestPivotsFollowTheLawOfOneAtATime(t *testing.T) {
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	gram := mat.NewDense(5, 5, nil)
	k.Matrix(gram, lawPoints, lawPoints)
	want := sequences(5, 3, func(chosen []int) []float64 {
		residual := mat.DenseCopyOf(gram)
		for _, i := range chosen { // one step of Cholesky
			column := mat.Col(nil, i, residual)
			for a := range 5 {
				for b := range 5 {
					residual.Set(a, b, residual.At(a, b)-column[a]*column[b]/column[i])
				}
			}
		}
		w := make([]float64, 5)
		for i := range w {
			w[i] = max(0, residual.At(i, i))
		}
		return w
	})
	c := &candidates{points: NewPoints(lawPoints, &plugins.Block{}), ids: []int32{0, 1, 2, 3, 4}, rows: 5}
	checkLaw(t, want, func(seed uint64) []int {
		p, err := drawPivots(context.Background(), k, c, 3, 0, seed)
		if err != nil {
			t.Fatal(err)
		}
		return p.chosen
	})
}

func TestSeedsFollowTheLawOfOneAtATime(t *testing.T) {
	want := sequences(5, 3, func(chosen []int) []float64 {
		w := make([]float64, 5)
		for i := range w {
			w[i] = 1
			for n, j := range chosen {
				d := lawPoints.At(i, 0) - lawPoints.At(j, 0)
				if n == 0 || d*d < w[i] {
					w[i] = d * d
				}
			}
		}
		return w
	})
	checkLaw(t, want, func(seed uint64) []int {
		centres, err := spreadSeeds(context.Background(), lawPoints, 3, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var out []int
		for k := range 3 {
			for i := range 5 {
				if lawPoints.At(i, 0) == centres.At(k, 0) {
					out = append(out, i)
				}
			}
		}
		return out
	})
}

func TestFactorAndResidualMakeTheKernel(t *testing.T) {
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 1))
	x := mat.NewDense(400, 6, nil)
	for i := range 400 {
		for j := range 6 {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	c := &candidates{points: NewPoints(x, &plugins.Block{}), rows: 150}
	for i := range 400 {
		c.ids = append(c.ids, int32(i))
	}
	p, err := drawPivots(context.Background(), k, c, 200, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.chosen) != 200 {
		t.Errorf("%d pivots", len(p.chosen))
	}
	for i, r := range p.residual {
		f := p.factor.Data[i*p.factor.Stride : i*p.factor.Stride+200]
		sum := r
		for _, v := range f {
			sum += v * v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("the factor and residual of candidate %d make %g, want k(x, x) = 1", i, sum)
		}
	}
}

func TestSubspaceIterationFindsTheLeadingTrace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	const d, rank = 600, 60
	s := mat.NewDense(d, d, nil)
	basis := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			basis.Set(i, j, rng.NormFloat64())
		}
	}
	orthonormalize(basis)
	want := 0.0
	var scaled mat.Dense
	scaled.CloneFrom(basis)
	for j := range d {
		value := math.Pow(float64(1+j), -2)
		if j < rank {
			want += value
		}
		for i := range d {
			scaled.Set(i, j, scaled.At(i, j)*value)
		}
	}
	s.Mul(&scaled, basis.T())
	lead, err := leadingVectors(context.Background(), s, rank)
	if err != nil {
		t.Fatal(err)
	}
	var image, small, gram mat.Dense
	gram.Mul(lead.T(), lead)
	image.Mul(s, lead)
	small.Mul(lead.T(), &image)
	for i := range rank {
		for j := range rank {
			one := 0.0
			if i == j {
				one = 1
			}
			if math.Abs(gram.At(i, j)-one) > 1e-12 {
				t.Fatalf("not orthonormal: %g at (%d, %d)", gram.At(i, j), i, j)
			}
		}
	}
	if got := mat.Trace(&small); math.Abs(got-want) > 5e-6*want {
		t.Errorf("the trace is %.10g, want %.10g", got, want)
	}
}

// A draw that goes on begins as one that does not.
func TestLongerDrawsBeginAlike(t *testing.T) {
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 1))
	x := mat.NewDense(300, 6, nil)
	for i := range 300 {
		for j := range 6 {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	points := NewPoints(x, &plugins.Block{})
	canon := points.Canon()
	ids, rows, _ := points.atoms(canon)
	drawn := map[int][]int{}
	for _, most := range []int{0, 200} {
		p, err := drawPivots(t.Context(), k, &candidates{points: points, canon: canon, ids: ids, rows: rows}, 90, most, 7)
		if err != nil {
			t.Fatal(err)
		}
		drawn[most] = p.chosen
	}
	if len(drawn[0]) != 90 || len(drawn[200]) != 200 || !slices.Equal(drawn[0], drawn[200][:90]) {
		t.Errorf("%d and %d pivots, which differ from the beginning on", len(drawn[0]), len(drawn[200]))
	}
}

// Rows of few small numbers, whose bits are mostly 0, are spread over a table: a place of it is that of few of them.
func TestRowsOfSmallNumbersAreSpread(t *testing.T) {
	for _, columns := range []int{1, 2, 3, 4, 6} {
		places, most := map[uint64]int{}, 0
		for i := range 4096 {
			row := make([]float64, columns)
			for j := range row {
				row[j] = float64(i >> (3 * j) % 8)
			}
			row[0] = float64(i) // so that no two are equal
			place := hashRow(row) % 4096
			places[place]++
			most = max(most, places[place])
		}
		if most > 16 {
			t.Errorf("%d of 4096 rows of %d columns have one place", most, columns)
		}
	}
}
