package compiler

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// The name of a set, of a graph or of another index set stands wherever the set itself may.
func TestLetsNameSets(t *testing.T) {
	for _, c := range []struct{ target, lets, with, without string }{
		{"m", "let pets = {cat, dog}", "rms over x of max over c in pets of |f(c)|", "rms over x of max over c in {cat, dog} of |f(c)|"},
		{"m", "let all = labels", "rms over x of max over c in all of |f(c)|", "rms over x of max over labels of |f(label)|"},
		{
			"r", "let older = move(age, 1)\nlet same = older\nlet both = {same, move(age, -1)}", "rms over x of max over t in both of |f(t(x)) - f(x)|",
			"rms over x of max over t in {move(age, 1), move(age, -1)} of |f(t(x)) - f(x)|",
		},
		{
			"r", "let moves = {move(age, 1)}\ndef calm(T) = max over t in T of |d/dt f|", "rms over x of calm(moves)",
			"rms over x of max over t in {move(age, 1)} of |d/dt f|",
		},
		{"r", "let drawn = pairs(count = 4)\nlet half = [0, 0.5]", "rms over drawn of max over λ in half of |d/dλ f|", "rms over pairs(count = 4) of max over λ in [0, 0.5] of |d/dλ f|"},
		{"r", "let streets = graph(\"edges.csv\")\nlet again = streets", "rms over (a, b) in again of |f(a) - f(b)|", "rms over (a, b) in graph(\"edges.csv\") of |f(a) - f(b)|"},
		{"r", "let rising = columns(age, income)", "rms over x of max over c in rising of pos(-d/d(c) f)", "rms over x of max over c in columns(age, income) of pos(-d/d(c) f)"},
		{"r", "let z = rows", "rms over z of |f|", "rms over x of |f|"},
	} {
		var grounds []any
		for _, source := range []string{c.lets + "\ninvariance i = " + c.with, "invariance i = " + c.without} {
			var labels []string
			if c.target == "m" {
				labels = []string{"animal", "cat", "dog", "bird", "fish"}
			}
			reg, err := accepted(t, hostileSettings[c.target]+source+"\n", testOptions(testFiles)).At(nil).Ground(t.Context(), hostileData(labels))
			if err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			grounds = append(grounds, []any{reg.Invariances[0].Kind, reg.Invariances[0].Smooth, reg.Invariances[0].Count, reg.Functionals})
		}
		if d := cmp.Diff(grounds[1], grounds[0]); d != "" {
			t.Errorf("%s\n%s is not %s: %s", c.lets, c.with, c.without, d)
		}
	}
}

// A name that holds something else is refused once, where it stands.
func TestLetsAreUsedForWhatTheyHold(t *testing.T) {
	for source, want := range map[string]diag.Code{
		"let number = 2\ninvariance i = rms over x of max over t in number of |f|":               codes.UnknownDomain,
		"let t = move(age, 1)\ninvariance i = rms over x of max over u in t of |f(u(x))|":        codes.UnknownDomain,
		"let s = {move(age, 1)}\ninvariance i = rms over x of s * |f|":                           codes.WrongType,
		"let s = {move(age, 1)}\ninvariance i = rms over x of |f(s(x))|":                         codes.UnknownMap,
		"let g = graph(\"edges.csv\")\ninvariance i = rms over x of |f(g(x))|":                   codes.UnknownMap,
		"let g = graph(\"nowhere.csv\")":                                                         codes.UnreadableFile,
		"let s = {move(aeg)}":                                                                    codes.MissingArgument,
		"let a = b\nlet b = a\ninvariance i = rms over x of max over t in a of |f(t(x)) - f(x)|": codes.Recursive,
		"let c = columns(age)\ninvariance i = rms over x of |f|":                                 "accept",
		"evaluate under moves":                codes.UndefinedName,
		"let moves = 2\nevaluate under moves": codes.WrongType,
		"let moves = {move(age, 1)}\nevaluate under mvoes\ninvariance i = rms over x of |f|":        codes.UndefinedName,
		"let mvoes = {move(age, 1)}\ninvariance i = rms over x of max over t in moves of |f(t(x))|": codes.UnknownDomain,
	} {
		if got := hostile(t, source+"\n", "r"); got != string(want) {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

// The name of a let stands wherever its value may, also through another let.
func TestLetsNameLets(t *testing.T) {
	const lets = "let a = \"s\"\nlet b = a\nlet one = {\"s\", \"t\"}\nlet two = one\nlet old = age > 3\nlet aged = old\nlet half = 0.5\nlet part = half\n"
	for _, body := range []string{
		"rms over x where region == b of |f|", "rms over x where region in two of |f|", "rms over x where region in {b} of |f|", "rms over x where aged of |f|",
		"rms over x of |f(put(region, b)) - f|", "rms over x of part * |f|", "rms over x of |f|",
	} {
		_, list := check(t, hostileSettings["r"]+lets+"invariance i = "+body+"\n", testOptions(nil))
		if list.HasErrors() {
			t.Errorf("%s: %v", body, list)
		}
	}
	at := strings.Index(lets, "b = a")
	for body, want := range map[string]string{
		"rms over x of b * |f|":              "b is a text",
		"rms over x of two * |f|":            `two is the set {"s", "t"}`,
		"rms over x where age < aged of |f|": "aged is a condition",
	} {
		_, list := check(t, hostileSettings["r"]+lets+"invariance i = "+body+"\n", testOptions(nil))
		if len(list) != 1 || !strings.Contains(list[0].Summary, want) || list[0].Subject.Start.Offset < at {
			t.Errorf("%s: %v, want %s", body, list, want)
		}
	}
}

// What a let compares are columns, whether the let is used, unused, or made of others; what it adds up are numbers alone.
func TestLetsOfConditionsHoldColumns(t *testing.T) {
	const lets = "let young = age < 2\nlet grown = not young and (age + 1 <= 60)\nlet cold = (region in {\"north\"} or age == 3)\nlet near = |age - 2| < 1\n"
	for _, body := range []string{"|f|", "pos(d/d(age) f)"} {
		for _, where := range []string{"", " where young", " where grown and not cold", " where near or cold"} {
			_, list := check(t, hostileSettings["r"]+lets+"invariance i = rms over x"+where+" of "+body+"\n", testOptions(nil))
			if list.HasErrors() {
				t.Errorf("%s of %s: %v", where, body, list)
			}
		}
	}
	if got := hostile(t, "let older = age + 2\ninvariance i = rms over x of |f|\n", "r"); got != string(codes.UndefinedName) {
		t.Errorf("a sum of a column: %s", got)
	}
}

// What stands in the place of a condition is called what it is.
func TestWhatIsNoCondition(t *testing.T) {
	const declared = "let warm = 3\nlet name = \"s\"\ndef old(a) = |f(a)|\ninvariance risk = rms over x of |f|\n"
	for where, want := range map[string]string{
		"warm": "warm is 3, and not a condition", "name": `name is "s", and not a condition`, "old(x)": "old(x) is an expression, and not a condition",
		"risk": "risk is an invariance, and not a condition", "f > 0": "A condition cannot depend on f", "increasing(age)": "increasing(age) is an expression, and not a condition",
		`region in ["a", "b"]`: `["a", "b"] is an interval, and texts have no order`, "warm > 2": "neither side is a column",
	} {
		_, list := check(t, hostileSettings["r"]+declared+"invariance i = rms over x where "+where+" of |f|\n", testOptions(nil))
		if len(list) == 0 || list[0].Summary != want {
			t.Errorf("%s: %v, want %s", where, list, want)
		}
	}
	_, list := check(t, hostileSettings["r"]+"invariance i = rms over w in {\"north\", \"south\"} of |f|\n", testOptions(nil))
	if len(list) != 1 || !strings.Contains(list[0].Mend, `where COLUMN == "north"`) {
		t.Error(list)
	}
}

// Lets in a circle are said to be in one where a set is wanted, and nothing else is said of them.
func TestSetsInACircle(t *testing.T) {
	for _, use := range []string{"invariance i = rms over x where age in a of |f|", "invariance i = rms over x of |f|\nexpect rmse in a"} {
		if list := all(t, hostileSettings["r"]+"let a = b\nlet b = a\n"+use+"\n"); len(list) != 1 || list[0].Code != codes.Recursive {
			t.Errorf("%s: %v", use, list)
		}
	}
}

// A let that does not parse is one error, wherever its name stands.
func TestFaultyLetsAreOneError(t *testing.T) {
	for _, use := range []string{
		"invariance i = rms over x where region in cold of |f|", "invariance i = rms over x where cold of |f|", "invariance i = rms over x where region == cold of |f|",
		"invariance i = rms over x where cold(x) == 1 of |f|", "invariance i = rms over x of |f|\nexpect rmse in cold", "invariance i = rms over x of |f|\nexpect rmse < cold",
	} {
		if list := all(t, hostileSettings["r"]+"let cold = {\"north\", \n"+use+"\n"); len(list) != 1 {
			t.Errorf("%s: %v", use, list)
		}
	}
}
