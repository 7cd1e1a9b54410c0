package compiler

import (
	"testing"
)

func TestByRowLabels(t *testing.T) {
	const head = "kernel linear\nfeatures exact\n"
	const animals = "data { target animal, cat, dog : multilabel }\n" + head
	const digits = "data { target digit : class }\n" + head
	const houses = "data { target price : real }\n" + head
	const signs = "data { target sign : binary(a, b) }\n" + head
	for _, c := range []struct {
		spec string
		want bool
	}{
		{animals + "invariance i = rms over x of hypot(implies(cat, animal), excludes(cat, dog))", false},
		{animals + "invariance i = rms over x of max over a in labels of |f(x, a)|", false},
		{animals + "invariance i = rms over x of |f|", true}, // at the row's own labels
		{animals + "invariance i = rms over x where cat == 1 of implies(dog, animal)", true},
		{animals + "invariance i = rms over x where area > 1 of implies(dog, animal)", false},
		{"data { target columns(\"ca*\") : multilabel }\n" + head + "invariance i = rms over x where not (area > 1 or cat == 1) of implies(car, cat)", true},
		{digits + "invariance i = rms over pairs of max over λ in [0, 1] of |d/dλ f|", true},
		{digits + "invariance i = rms over pairs of max over λ in [0, 1] of |d/dλ f(cat)|", true}, // the family is shown them
		{digits + "invariance i = rms over x of max over t in {move(area, 1)} of |f(t(x), cat) - f(x, cat)|", false},
		{digits + "invariance i = rms over x of |d/d(area) f(x)|", true},
		{digits + "invariance i = rms over x of |d/d(area) f(x)|\nregularize 0 * i", false},
		{digits + "invariance i = rms over x of |d/d(area) f(x)|\nmethod plain", false},
		{signs + "invariance i = rms over pairs of max over λ in [0, 1] of |d/dλ f|", false}, // f is a function of x alone
		{signs + "invariance i = rms over x where sign == \"a\" of |f|", true},
		{houses + "invariance i = rms over x of |d/d(area) f|", false},
		{houses + "invariance i = max over x where 3 < price of pos(f)", true},
		{houses + "invariance i = max over x of |age| * pos(f)", false},
		{houses + "invariance i = max over x of |age + price| * pos(f)", true},
		{houses + "invariance i = max over x where label == 2 of pos(f)", true}, // of a file whose target has no name
	} {
		if got := accepted(t, c.spec+"\n", testOptions(nil)).At(nil).ByRowLabels(); got != c.want {
			t.Errorf("%v, want %v:\n%s", got, c.want, c.spec)
		}
	}
}
