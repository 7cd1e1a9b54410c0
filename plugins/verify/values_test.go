package verify

import (
	"math"
	"slices"
	"testing"

	"github.com/sipc-ml/sipc/plugins"
	"pgregory.net/rapid"
)

func chosen(t *testing.T, args []plugins.Arg) []float64 {
	t.Helper()
	values, _, ok := (&suite{notes: lines{most: 1}, untried: lines{most: 1}}).someArgs("of", args, true)
	if !ok {
		t.Fatal("none are chosen")
	}
	var out []float64
	for _, v := range values {
		out = append(out, v.Number)
	}
	return out
}

// No two numbers of a call are the same: they ascend, within their bounds.
func TestNumbersAscend(t *testing.T) {
	number := func(least, most float64, text string) plugins.Arg {
		return plugins.Arg{Kind: plugins.KindNumber, Min: least, Max: most, Default: text}
	}
	count := plugins.Arg{Kind: plugins.KindCount, Min: 1, Max: 1000}
	angle := plugins.Arg{Kind: plugins.KindAngle}
	free, unit := number(0, 0, ""), number(0, 1, "")
	const deg = math.Pi / 180
	for name, c := range map[string]struct {
		args []plugins.Arg
		want []float64
	}{
		"alone":                 {[]plugins.Arg{free}, []float64{0.5}},
		"three":                 {[]plugins.Arg{free, free, free}, []float64{0.5, 1, 1.5}},
		"kinds apart":           {[]plugins.Arg{count, free, angle, count, free, angle}, []float64{3, 0.5, 10 * deg, 4, 1, 20 * deg}},
		"whole":                 {[]plugins.Arg{number(0, 9, ""), number(0, 9, "")}, []float64{1, 2}},
		"a share":               {[]plugins.Arg{unit}, []float64{1}},
		"two shares":            {[]plugins.Arg{unit, unit}, []float64{0.5, 0.75}},
		"little room":           {[]plugins.Arg{number(-0.25, 0.25, ""), number(-0.25, 0.25, "")}, []float64{0, 0.125}},
		"after a default":       {[]plugins.Arg{number(0, 0, "2"), free}, []float64{2, 2.5}},
		"before a default":      {[]plugins.Arg{free, number(0, 0, "0.5")}, []float64{0.25, 0.5}},
		"above a lower default": {[]plugins.Arg{number(0, 0, "1e-6"), free}, []float64{1e-6, 0.500001}},
	} {
		got := chosen(t, c.args)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestNumbersDiffer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		least := rapid.Float64Range(-100, 100).Draw(rt, "least")
		a := plugins.Arg{Kind: plugins.KindNumber, Min: least, Max: least + rapid.Float64Range(0.01, 100).Draw(rt, "width")}
		args := slices.Repeat([]plugins.Arg{a}, rapid.IntRange(1, 5).Draw(rt, "arguments"))
		got := chosen(t, args)
		for i, x := range got {
			if x < a.Min || x > a.Max || (i > 0 && x <= got[i-1]) {
				rt.Fatalf("between %g and %g: %v", a.Min, a.Max, got)
			}
		}
	})
}
