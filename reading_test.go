package sipc

import (
	"testing"

	"github.com/sipc-ml/sipc/dsl"
)

// What is read aloud means what is written: signs, brackets and the order of names stay.
func TestExpressionsInWords(t *testing.T) {
	for text, want := range map[string]string{
		"max over x of pos(-d/d(area) f)":                                 "the largest, over the rows x, of how much f falls as area grows",
		"norm(3) over x of |d/d(age) f|":                                  "the 3-norm, over the rows x, of how much f changes along age",
		"rms over x of max over t in {rotate(10deg)} of |f(t(x)) - f(x)|": "the root mean square, over the rows x, of the largest, over t in {rotate(10deg)}, of the difference between f(t(x)) and f(x)",
		"rms over x of implies(cat, animal)":                              "the root mean square, over the rows x, of how far the score of cat is above that of animal, which it implies",
		"rms over x of |d/d(a) d/d(b) f|":                                 "the root mean square, over the rows x, of how much the effect of b on f changes with a",
		"rms over x of pos(d/d(a) d/d(a) f(k))":                           "the root mean square, over the rows x, of how much f(k) bends upwards along a",
		"rms over x of pos(-(a - 10) * d/d(a) f)":                         "the root mean square, over the rows x, of how far -(a - 10) times the slope of f along a is above 0",
		"rms over x of pos(-f)":                                           "the root mean square, over the rows x, of how far f is below 0",
		"rms over x where a < 3 of |f - (g(a) - f)|":                      "the root mean square, over the rows x where a < 3, of the difference between f and g(a) less f",
		"top(5) over (a, b) in graph(\"e.csv\") of gap(a, b)":             "the sum of the 5 largest, over all (a, b) in graph(\"e.csv\"), of gap(a, b)",
		"max {level(a), convex(b)}":                                       "the largest of how much f changes along a; how much f bends downwards along b",
		"twin(gender)":                                                    "twin(gender)",
	} {
		file, found := dsl.Parse("a.inv", []byte("invariance a = "+text+"\n"))
		if len(found) > 0 || len(file.Decls) != 1 {
			t.Fatalf("%s: %v", text, found)
		}
		inv, ok := file.Decls[0].(*dsl.Invariance)
		if !ok {
			t.Fatalf("%s is no invariance", text)
		}
		if got := read(inv.Body); got != want {
			t.Errorf("%s\nis read %s\nwant    %s", text, got, want)
		}
	}
}
