package compiler

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A p-norm lies between the largest value and √[p]{n} times it, for every size of values and every p of the language.
func TestNormsOfAnySize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := math.Pow(10, rapid.Float64Range(0, 6).Draw(t, "log p"))
		size := math.Pow(10, rapid.Float64Range(-150, 150).Draw(t, "log size"))
		v := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 6).Draw(t, "values")
		var top float64
		for i := range v {
			v[i] *= size
			top = max(top, math.Abs(v[i]))
		}
		got := pNorm(v, p, false)
		if most := top * math.Pow(float64(len(v)), 1/p); got < top*(1-1e-9) || got > most*(1+1e-9) {
			t.Errorf("norm(%v) of %v is %v; want from %v to %v", p, v, got, top, most)
		}
	})
}

// Bounds of a quotient hold its values, at ends that are −0 too.
func TestBoundsOfQuotients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]float64{math.Copysign(0, -1), 0, 0.5, 1, 3})
		lo, hi := end.Draw(t, "lo"), end.Draw(t, "hi")
		if lo > hi {
			lo, hi = hi, lo
		}
		b := bounds{lo, hi}
		x := lo + rapid.Float64Range(0, 1).Draw(t, "share")*(hi-lo)
		if rapid.Bool().Draw(t, "negative") {
			b, x = bounds{-hi, -lo}, -x
		}
		if inv := b.inverse(); x != 0 && (1/x < inv.lo-1e-9 || 1/x > inv.hi+1e-9) {
			t.Errorf("1/%v is not between %v and %v", x, inv.lo, inv.hi)
		}
	})
}
