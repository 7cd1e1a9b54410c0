package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// hingeProblem draws rows of m groups with noisy signs.
func hingeProblem(n, m, dim int, c float64, seed uint64) *hinge {
	rng := rand.New(rand.NewPCG(seed, 2))
	p := &hinge{rows: &rows{n: n * m, dim: dim, group: m, x64: make([]float64, n*m*dim)}, c: c}
	for i := range n * m {
		row := p.rows.x64[i*dim : (i+1)*dim]
		for k := range row {
			row[k] = rng.NormFloat64()/math.Sqrt(float64(dim)) + 0.05
		}
		sign := -1.0
		if row[0]+row[1]+0.1*rng.NormFloat64() > 0.2*float64(i%m) {
			sign = 1
		}
		p.sign = append(p.sign, sign)
		p.target = p.sign
	}
	return p
}

// Pairs on the Gram matrix and sweeps over the rows find the same minimum, and each proves it.
func TestPairsAndSweepsAgree(t *testing.T) {
	for _, c := range []struct {
		n, m, dim int
		c         float64
		squared   bool
	}{
		{100, 1, 10, 1, false},
		{100, 1, 200, 10, false},
		{40, 5, 30, 0.1, false},
		{40, 5, 300, 3, false},
		{3, 60, 20, 1, false},
		{200, 2, 5, 100, false},
		{100, 1, 10, 1, true},
		{40, 5, 300, 3, true},
		{3, 60, 20, 100, true},
		{200, 2, 5, 0.01, true},
	} {
		p := hingeProblem(c.n, c.m, c.dim, c.c, 7)
		p.squared = c.squared
		l := &setting.Learner{Gap: 1e-6, MaxSweeps: 5000}
		gram, err := p.rows.gramMatrix(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := p.solvePairs(context.Background(), gram, l)
		if err != nil {
			t.Fatal(err)
		}
		sweeps, err := p.solveSweeps(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]*hingeSolution{"pairs": pairs, "sweeps": sweeps} {
			if s.relativeGap() > l.Gap {
				t.Errorf("%+v: %s end at a gap of %.2g after %d", c, name, s.relativeGap(), s.iterations)
			}
			scores := make([]float64, p.rows.n)
			p.rows.times(s.w, scores)
			if value, _ := p.primal(scores, sumSquares(s.w)); math.Abs(value-s.upper) > 1e-9*value {
				t.Errorf("%+v: %s state %.12g, their weights reach %.12g", c, name, s.upper, value)
			}
		}
		if math.Abs(pairs.upper-sweeps.upper) > 2e-6*pairs.upper {
			t.Errorf("%+v: pairs %.10g, sweeps %.10g", c, pairs.upper, sweeps.upper)
		}
		t.Logf("%+v: pairs %d, sweeps %d", c, pairs.iterations, sweeps.iterations)
	}
}

// No bias has less loss than the one that is found, whatever the signs and weights.
func TestBiasesAreBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "rows")
		p := &hinge{rows: &rows{n: n, group: 1}, c: 1, squared: rapid.Bool().Draw(t, "squared")}
		for range n {
			p.sign = append(p.sign, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "sign"))
			p.weight = append(p.weight, rapid.SampledFrom([]float64{0.5, 1, 1, 3}).Draw(t, "weight"))
		}
		p.target = p.sign
		scores := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-4, 4).Draw(t, "half")) / 2 }), n, n).Draw(t, "scores")
		best, bias := p.primal(scores, 0)
		for b := -8.0; b <= 8; b += 1.0 / 16 {
			loss := 0.0
			for i, s := range scores {
				short := math.Max(0, 1-p.sign[i]*(s+b))
				if p.squared {
					short *= short
				}
				loss += p.weight[i] * short
			}
			if loss < best-1e-12 {
				t.Fatalf("the bias %v has the loss %v, and %v has %v", bias, best, b, loss)
			}
		}
	})
}

// Residuals that moves keep are those that a refresh makes anew.
func TestMovesKeepResiduals(t *testing.T) {
	for _, squared := range []bool{false, true} {
		p := hingeProblem(30, 2, 5, 1, 3)
		p.squared = squared
		gram, err := p.rows.gramMatrix(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a := p.newPairAscent(gram)
		for range 40 {
			a.step()
		}
		kept := slices.Clone(a.residual)
		a.refresh()
		for k, v := range a.residual {
			if math.Abs(v-kept[k]) > 1e-9 {
				t.Errorf("residual %d is %v and kept as %v, squared %v", k, v, kept[k], squared)
			}
		}
	}
}
