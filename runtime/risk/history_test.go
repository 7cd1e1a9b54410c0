package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// A linear iteration in fewer dimensions than steps are remembered arrives after a few steps, where plain steps crawl.
func TestHistoryOfALinearIteration(t *testing.T) {
	const n = 4
	rng := rand.New(rand.NewPCG(3, 4))
	metric, mean := make([]float64, n), make([]float64, n)
	for j := range n {
		metric[j], mean[j] = math.Exp(rng.NormFloat64()), rng.NormFloat64()
	}
	step := func(z []float64) []float64 {
		g := make([]float64, n)
		for j := range g {
			g[j] = math.Pow(0.1, float64(j)) * (mean[j] - z[j])
		}
		return g
	}
	z, plain, h := make([]float64, n), make([]float64, n), newHistory(metric)
	for range 20 {
		h.next(z, step(z))
		floats.Add(plain, step(plain))
	}
	if d, far := floats.Distance(z, mean, 2), floats.Distance(plain, mean, 2); d > 1e-3*far {
		t.Errorf("hastened it is %v away, plain %v", d, far)
	}
}

// A hastened point is given up for the plain one where its step is much longer.
func TestHistoryGivesUp(t *testing.T) {
	z, h := make([]float64, 2), newHistory([]float64{1, 1})
	for _, step := range [][]float64{{1, 0}, {0.5, 0.1}, {0.3, 0}} {
		h.next(z, step)
	}
	if !h.hastened {
		t.Fatal("three steps hasten nothing")
	}
	want := slices.Clone(h.plain)
	if h.next(z, []float64{5, 5}); !slices.Equal(z, want) || h.hastened {
		t.Errorf("it went on to %v, the plain step led to %v", z, want)
	}
}

// Hastened iterations come to the same minimum.
func TestHastened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawProblem(t, 12, 2, 3)
		var results []*Result
		for _, hastened := range []bool{false, true} {
			s, err := New(p, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			l, err := s.lossOf(&q)
			if err != nil {
				t.Fatal(err)
			}
			q.Gap, q.Limit = 1e-4, 3000
			w := newWork(s, l, &q)
			if hastened {
				w.past = newHistory(s.metric)
			}
			if err := w.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			results = append(results, w.out)
		}
		plain, fast := results[0], results[1]
		if plain.Converged && !fast.Converged {
			t.Fatalf("a gap of %v after %d iterations, plain %v after %d", fast.Gap, fast.Iterations, plain.Gap, plain.Iterations)
		}
		if fast.Lower > plain.Upper*(1+1e-9) || plain.Lower > fast.Upper*(1+1e-9) {
			t.Errorf("bounds %v and %v, plain %v and %v", fast.Lower, fast.Upper, plain.Lower, plain.Upper)
		}
	})
}
