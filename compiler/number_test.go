package compiler

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
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
		got := tree.PNorm(v, p, false)
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
		b := tree.Bounds{Lo: lo, Hi: hi}
		x := lo + rapid.Float64Range(0, 1).Draw(t, "share")*(hi-lo)
		if rapid.Bool().Draw(t, "negative") {
			b, x = tree.Bounds{Lo: -hi, Hi: -lo}, -x
		}
		if inv := b.Inverse(); x != 0 && (1/x < inv.Lo-1e-9 || 1/x > inv.Hi+1e-9) {
			t.Errorf("1/%v is not between %v and %v", x, inv.Lo, inv.Hi)
		}
	})
}

// Functionals and columns that nearly have one name are not taken for each other.
func TestNamesOfNumbersAreTheirOwn(t *testing.T) {
	for body, same := range map[string]bool{
		"rms over pairs(count = 2) of |f(x(0.123451)) - f(x(0.123451))|":          true,
		"rms over pairs(count = 2) of |f(x(0.123451)) - f(x(0.123452))|":          false,
		`rms over x of |"b·a" * "c·d" * f - "c·d" * "b·a" * f|`:                   true,
		`rms over x of |"b·a" * "c·d" * f - "c·a" * "b·d" * f|`:                   false,
		`rms over x of |max {"a" * 1, "b" * 1} * f - max {"b" * 1, "a" * 1} * f|`: false,
		`rms over x of max {"b·a" * "c·d" * f, -("c·a" * "b·d") * f, |2*f|}`:      false,
	} {
		_, list := check(t, withDefaults("invariance i = "+body+"\n"), testOptions(nil))
		if found := list.HasErrors() && list[0].Code == codes.AlwaysZero; found != same || !same && list.HasErrors() {
			t.Errorf("%s: %v", body, list)
		}
	}
}

// Along a path a factor is judged by bounds. It is said that these are bounds, and how a factor is written that has the right ones.
func TestFactorsAlongPaths(t *testing.T) {
	const price = "data { target price : real }\nkernel linear\nfeatures exact\ninvariance i = rms over z in rows of max over (x, λ) in pairs(count = 2) of "
	for _, c := range []struct {
		body    string
		code    diag.Code
		summary string
	}{
		{"area(z) * (λ - λ * λ) * |f(x)|", codes.NegativeFactorInData, "the factor area(z) * (λ - λ * λ) may be negative along the path in row 1"},
		{"area(z) * (0.5 - λ) * |f(x)|", codes.NegativeFactorInData, "may be negative along the path"},
		{"area(z) * (λ - 0.5) * |f(x)|", codes.NegativeFactorInData, "the factor area(z) * (λ - 0.5) is -1.5 in row 1"},
		{"(λ - λ * λ) * |f(x)|", codes.NegativeFactor, "multiplied by λ - λ * λ, of which it is only known that it is at least -1"},
		{"area(z) * λ * (1 - λ) * |f(x)|", "", ""},
		{"|area(z) * (λ - λ * λ) * f(x)|", "", ""},
	} {
		plan, list := check(t, price+c.body+"\n", testOptions(nil))
		if plan != nil && !list.HasErrors() {
			data := testData(5, nil, func() float64 { return 1 })
			if _, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: data, Column: testColumn(data)}); !errors.As(err, &list) && err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case c.code == "" && list.HasErrors():
			t.Errorf("%s: %v", c.body, list)
		case c.code != "" && (len(list) != 1 || list[0].Code != c.code || !strings.Contains(list[0].Summary, c.summary)):
			t.Errorf("%s: %v, want %q", c.body, list, c.summary)
		case strings.Contains(c.summary, "known") && !strings.Contains(list[0].Mend, "λ * (1 - λ)"):
			t.Errorf("%s: %s", c.body, list[0].Mend)
		}
	}
}

// A column whose name is near an aggregation is a column at a point. So is one that has the name of a word or is near a declared name, where
// it is in quotes or has a type.
func TestColumnsNamedLikeWords(t *testing.T) {
	const head = "data { target price : real%s }\nkernel gaussian(width = 1)\nfeatures nystrom\nlet sought = 2\n"
	for _, e := range []string{"|north(x) * f|", "|men(x) * f|", "|\"max\"(x) * f|", "|\"f\"(x) * f|", "|\"sougt\"(x) * f|", "|\"sougt\" * f|"} {
		accepted(t, fmt.Sprintf(head, "")+"invariance i = sought * rms over x of "+e, testOptions(nil))
	}
	for _, e := range []string{"|sougt(x) * f|", "|sougt * f|"} {
		accepted(t, fmt.Sprintf(head, "; types sougt : real")+"invariance i = sought * rms over x of "+e, testOptions(nil))
	}
}
