package compiler

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// Free names of a body mean what they mean where the definition stands, whatever is bound around its calls.
func TestBodiesAreReadWhereTheyStand(t *testing.T) {
	for _, c := range []struct{ target, defs, call, body string }{
		{
			"m", "def below(a) = pos(f(a) - f(cat))", "rms over x of max over cat in {animal, dog} of below(cat)",
			"rms over x of max over c in {animal, dog} of pos(f(c) - f(cat))",
		},
		{"r", "let two = 2\ndef twice(e) = two * e", "rms over two in rows of twice(|f(two)|)", "rms over z in rows of 2 * |f(z)|"},
		{
			"r", "def near(z) = mean over y in rows of |f(y) - f(z)|", "rms over y in rows of near(y)",
			"rms over z in rows of mean over y in rows of |f(y) - f(z)|",
		},
		{"r", "def gap(a, b) = |f(a) - f(b)|", "rms over a in rows, b in rows of gap(b, a)", "rms over a in rows, b in rows of |f(b) - f(a)|"},
		{"r", "def level() = |f|", "rms over z in rows of level()", "rms over z in rows of |f(z)|"},
		{"r", "def weighed() = |age| * |f|", "rms over z in rows of weighed()", "rms over z in rows of |age(z)| * |f(z)|"},
		{"r", "def speed(c) = |d/dc f|", "rms over pairs(count = 4) of max over μ in [0, 1] of speed(μ)", "rms over pairs(count = 4) of max over μ in [0, 1] of |d/dμ f|"},
		{"r", "def inner(e) = max over z in rows of e\ndef outer(e) = inner(e)", "rms over z in rows of outer(|f(z)|)", "rms over y in rows of max over z in rows of |f(y)|"},
	} {
		var grounds []any
		for _, e := range []string{c.call, c.body} {
			var labels []string
			if c.target == "m" {
				labels = []string{"animal", "cat", "dog", "bird", "fish"}
			}
			source := hostileSettings[c.target] + c.defs + "\ninvariance i = " + e + "\n"
			reg, err := accepted(t, source, testOptions(testFiles)).At(nil).Ground(t.Context(), hostileData(labels))
			if err != nil {
				t.Fatalf("%s: %v", e, err)
			}
			grounds = append(grounds, []any{reg.Invariances[0].Kind, reg.Invariances[0].Smooth, reg.Invariances[0].Count, reg.Functionals})
		}
		if d := cmp.Diff(grounds[1], grounds[0]); d != "" {
			t.Errorf("%s\n%s is not %s: %s", c.defs, c.call, c.body, d)
		}
	}
}

// A definition sees nothing of its callers, its parameters are words of its own, and its arguments all stand for something.
func TestDefinitionsAreClosed(t *testing.T) {
	for source, want := range map[string]diag.Code{
		"def g(x) = |f|\ninvariance i = rms over x of g(x)":                                                                               codes.DuplicateName,
		"def g(pos) = |f|\ninvariance i = rms over x of g(x)":                                                                             codes.DuplicateName,
		"def g(max) = |f|\ninvariance i = rms over x of g(x)":                                                                             codes.DuplicateName,
		"def g(d) = |d/d(d) f|\ninvariance i = rms over x of g(age)":                                                                      codes.DuplicateName,
		"def g(a, a) = |f(a)|\ninvariance i = rms over x of g(x, x)":                                                                      codes.DuplicateName,
		"def g(t) = |f(t(x)) - f|\ninvariance i = rms over x of max over t in {move(age, 1)} of g(t)":                                     codes.UndefinedName,
		"def g() = |d/dλ f|\ninvariance i = rms over pairs of g()":                                                                        codes.UndefinedName,
		"def g() = λ * |f|\ninvariance i = rms over pairs of max over λ in [0, 1] of g()":                                                 codes.UndefinedName,
		"def g(a) = age(z) * |f(a)|\ninvariance i = rms over z in rows of g(z)":                                                           codes.UndefinedName,
		"def g(a) = mean over y in rows where age(y) > age(z) of f(y)\ninvariance i = rms over z in rows of |g(z)|":                       codes.UndefinedName,
		"def g() = |f(t) - f|\ninvariance i = rms over x of max over t in {move(age, 1)} of g()":                                          codes.UndefinedName,
		"def g(c) = rms over c in rows of |f(c)|\ninvariance i = g(age)":                                                                  codes.WrongBinder,
		"def g(λ) = rms over pairs of |d/dλ f|\ninvariance i = g(age)":                                                                    codes.WrongBinder,
		"def g(a) = |f|\ndef h(a) = g(a)\ninvariance i = rms over x of h(nothing)":                                                        codes.UndefinedName,
		"def g(a) = |f|\ninvariance i = rms over x of g({nothing})":                                                                       codes.UndefinedName,
		"def g(a) = |f|\ninvariance i = rms over x of g(f(nothing))":                                                                      codes.LabelRefused,
		"def g(a) = |f|\ninvariance i = rms over x of g(move(age))":                                                                       codes.MissingArgument,
		"def g(a) = |f|\ninvariance i = rms over x of g(pairs(cuont = 1n))":                                                               codes.UnknownArgument,
		"def g(a) = |f|\ninvariance i = rms over x of (g([0, 1]) + g(columns(age, area)) + g(columns(\"a*\")) + g(graph(\"edges.csv\")))": "accept",
		"def h(a) = age(a) > 5\ndef g(c) = age > 3\ninvariance i = rms over x where g(h(x)) of |f|":                                       "accept",
		"def h(a) = age(a) > 5\ndef g(c) = age > 3\ninvariance i = rms over x where g(h(z)) of |f|":                                       codes.WrongCondition,
		"def g(a) = |f|\ninvariance i = rms over x of g([0, nothing])":                                                                    codes.UndefinedName,
		"def g(a) = |f|\ninvariance i = rms over x of g(columns(age = 2))":                                                                codes.UnknownArgument,
		"def g(a) = |f|\ninvariance i = rms over x of g(graph(\"no.csv\"))":                                                               codes.UnreadableFile,
		"def g(c, a) = c * age(a) * |f(a)|\ninvariance i = rms over x of |f|":                                                             "accept",
		"def g(c, a) = weigh(a) * |f(a)|\ndef weight(a) = 1\ninvariance i = rms over x of |f|":                                            codes.UndefinedName,
		"def g(a) = |f|\ninvariance i = rms over x of (g(rows) + g(x) + g(2) + g(\"age\") + g(move(age, 1)) + g(pairs))":                  "accept",
	} {
		if got := hostile(t, source+"\n", "r"); got != string(want) {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}
