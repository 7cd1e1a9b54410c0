package page

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A bound that is shown is a bound, and next to the number.
func TestBoundsAreRoundedOutwards(t *testing.T) {
	for _, c := range []struct {
		v         float64
		low, high string
	}{
		{0.0443694, "0.0443", "0.0444"},
		{0.25, "0.2500", "0.2500"},
		{-0.0443694, "−0.0444", "−0.0443"},
		{0.00012345, "0.000123", "0.000124"},
		{123456, "123456", "123456"},
		{1234.5, "1234", "1235"},
		{1234567, "1.23e+06", "1.24e+06"},
		{9.99996, "9.9999", "10.0000"},
		{0, "0.0000", "0.0000"},
		{math.NaN(), undefined, undefined},
	} {
		if low, high := atLeast(c.v), atMost(c.v); low != c.low || high != c.high {
			t.Errorf("%v: %s and %s, want %s and %s", c.v, low, high, c.low, c.high)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e9, 1e9).Draw(t, "v")
		low, high := read(t, atLeast(v)), read(t, atMost(v))
		if low > v || v > high || high-low > 0.011*math.Abs(v) && high-low > 1.1e-4 {
			t.Errorf("%v lies not between %v and %v, or these are far apart", v, low, high)
		}
	})
}

// read returns the number that a page shows.
func read(t *rapid.T, text string) float64 {
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, "−", "-"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
