package reproduce

import (
	"math"
	"os"
	"testing"

	"github.com/sipc-ml/sipc/runtime/blas"
)

func TestMain(m *testing.M) {
	if err := blas.Select(""); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestLossless(t *testing.T) {
	properties, err := Lossless(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range properties {
		if !(p.Deviation <= theoryLimit) || p.Trials < theoryTrials {
			t.Errorf("%s (%s) deviates by %g, more than %g", p.Name, p.Statement, p.Deviation, theoryLimit)
		}
	}
}

// The bounds of the theorem hold with a constant, and both figures vanish as landmarks grow.
func TestInexact(t *testing.T) {
	losses, err := Inexact(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range losses {
		if root := math.Sqrt(l.Epsilon); l.Pairing > root || l.Linearity > root {
			t.Errorf("%d landmarks: %g and %g, √ε = %g", l.Landmarks, l.Pairing, l.Linearity, root)
		}
	}
	first, last := losses[0], losses[len(losses)-1]
	if last.Epsilon > first.Epsilon/100 || last.Pairing > first.Pairing/1e3 || last.Linearity > first.Linearity/1e3 {
		t.Errorf("from %+v to %+v", first, last)
	}
	for name, of := range map[string]func(*Loss) float64{
		"pairing": func(l *Loss) float64 { return l.Pairing }, "linearity": func(l *Loss) float64 { return l.Linearity },
	} {
		if p := Slope(losses, of); !(p >= 0.5) {
			t.Errorf("%s falls as ε to the %g", name, p)
		}
	}
}
