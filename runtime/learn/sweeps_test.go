package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

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
	}{{100, 1, 10, 1}, {100, 1, 200, 10}, {40, 5, 30, 0.1}, {40, 5, 300, 3}, {3, 60, 20, 1}, {200, 2, 5, 100}} {
		p := hingeProblem(c.n, c.m, c.dim, c.c, 7)
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
