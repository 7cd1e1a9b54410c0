package bench

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// What is proved of random specs is not broken.
func TestProvedStatementsAreNotBroken(t *testing.T) {
	if err := blas.Use(); err != nil {
		t.Fatal(err)
	}
	counts := map[string]*Attacked{}
	for seed := range uint64(6) {
		if err := Attack(t.Context(), seed, time.Minute, t.TempDir(), counts); err != nil {
			t.Fatal(err)
		}
	}
	proved := 0
	for kind, c := range counts {
		if proved += c.Proved; c.Broken > 0 {
			t.Errorf("%s: %v", kind, c.Examples)
		}
	}
	if proved == 0 {
		t.Error("nothing is proved")
	}
}

// A claim that the predictions of a model break is seen, also where few points break it.
func TestAttacksFindWhatIsBroken(t *testing.T) {
	if err := blas.Use(); err != nil {
		t.Fatal(err)
	}
	a := newArena(rand.New(rand.NewPCG(3, 71)))
	for a.labels != nil {
		a = newArena(a.rng)
	}
	dir := t.TempDir()
	c := a.bounds("", func(s [][]float64, k int) float64 { return s[k][0] })
	c.text = "f(x) <= 1e9 over x in box"
	out, err := a.fit(t.Context(), c, dir)
	if err != nil {
		t.Fatal(err)
	}
	most := math.Inf(-1)
	c.slack = func(s [][]float64, _ place, _ float64) float64 { most = math.Max(most, s[0][0]); return -s[0][0] }
	look := func() (bool, error) {
		d := &descent{arena: a, claim: c, model: out.Model, path: filepath.Join(dir, "points.csv")}
		return d.breaks(t.Context())
	}
	if _, err := look(); err != nil {
		t.Fatal(err)
	}
	for above, want := range map[float64]bool{1e-4: false, -1e-4: true} {
		bound := most + above*math.Abs(most)
		c.slack = func(s [][]float64, _ place, _ float64) float64 { return bound - s[0][0] }
		if got, err := look(); got != want || err != nil {
			t.Errorf("a bound that is %v of the largest value above it is broken: %v, %v", above, got, err)
		}
	}
}
