package compiler

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler/codes"
)

const twoInvariances = "invariance a = rms over x of |f(cat)|\ninvariance b = rms over x of |f(dog)|\nregularize "

// auto is a factor of a weight, whose values are a grid that says that it is one.
func TestAutoIsAFactor(t *testing.T) {
	for _, c := range []struct {
		weights string
		names   []string
		at      []float64 // the weights where every auto is 0.03
	}{
		{"auto * a + b", []string{"factor of a"}, []float64{0.03, 1}},
		{"auto * (a + 2 * b)", []string{"factor of (a + 2 * b)"}, []float64{0.03, 0.06}},
		{"auto * a + auto * b", []string{"factor of a", "factor of b"}, []float64{0.03, 0.03}},
		{"2 * auto * a + b / 4", []string{"factor of a"}, []float64{0.06, 0.25}},
		{"a * (auto / 2) + b * auto", []string{"factor of a", "factor of b"}, []float64{0.015, 0.03}},
		{"0.5 * (auto * a) + b", []string{"factor of a"}, []float64{0.015, 1}},
		{"auto", []string{"factor of every invariance"}, []float64{0.03, 0.03}},
		{"grid(1, 2) * (auto * a + b)", []string{"factor of (auto * a + b)", "factor of a"}, []float64{0.03, 1}},
	} {
		plan := accepted(t, withDefaults(twoInvariances+c.weights), testOptions(nil))
		var names []string
		choice := make([]int, len(plan.Grid))
		for g, grid := range plan.Grid {
			names = append(names, grid.Name)
			if grid.Auto != (grid.Values[0] == 1 && len(grid.Values) == 9) || grid.LearnerOnly {
				t.Errorf("%s: %+v", c.weights, grid)
			}
			for k, v := range grid.Values {
				if grid.Auto && v == 0.03 {
					choice[g] = k
				}
			}
		}
		if d := cmp.Diff(c.names, names); d != "" {
			t.Errorf("%s: %s", c.weights, d)
		}
		var weights []float64
		for _, term := range plan.At(choice).Regularized {
			weights = append(weights, term.Weight)
		}
		if d := cmp.Diff(c.at, weights); d != "" {
			t.Errorf("%s: %s", c.weights, d)
		}
	}
}

// Elsewhere auto is refused once, where it stands.
func TestAutoElsewhere(t *testing.T) {
	for src, want := range map[string]string{
		"regularize auto * (auto * a + b)":                "auto is twice a factor of the same weight",
		"regularize auto * auto * a, b":                   "auto is twice a factor of the same weight",
		"regularize (1 + auto) * a, b":                    "auto stands for a weight, and here is none",
		"regularize a / auto, b":                          "auto stands for a weight, and here is none",
		"let w = auto\nregularize w * a + b":              "auto stands for a weight, and here is none",
		"regularize grid(1, auto) * a, b":                 "auto stands for a weight, and here is none",
		"learn svm(C = auto)":                             "auto stands for a weight, and here is none",
		"seed auto":                                       "auto stands for a weight, and here is none",
		"invariance c = rms over x of auto * |f(animal)|": "auto stands for a weight, and here is none",
	} {
		_, list := check(t, withDefaults(strings.TrimSuffix(twoInvariances, "regularize ")+src), testOptions(nil))
		if len(list) != 1 || list[0].Code != codes.WrongGrid || list[0].Summary != want {
			t.Errorf("%s: %v", src, list)
		}
	}
	for src, code := range map[string]string{
		"regularize -auto * a + b": "E412", "regularize -auto": "E318", "regularize 2 * auto": "E318", "regularize 2": "E318", "regularize a, auto": "E318", "let auto = 1": "E202",
	} {
		_, list := check(t, withDefaults(strings.TrimSuffix(twoInvariances, "regularize ")+src), testOptions(nil))
		if len(list) != 1 || string(list[0].Code) != code {
			t.Errorf("%s: %v", src, list)
		}
	}
}

// An explanation says which weights are yet to be chosen, and no longer once they are.
func TestAutoIsExplained(t *testing.T) {
	plan := accepted(t, withDefaults(twoInvariances+"2 * auto * a + 3 * b"), testOptions(nil))
	for _, c := range []struct {
		in   *Instance
		want []string
	}{
		{plan.At(nil), []string{"a  smooth seminorm, weight 2·auto\n", "b  smooth seminorm, weight 3\n", "R² = (2·auto·a)² + (3·b)²\n"}},
		{plan.At([]int{8}), []string{"a  smooth seminorm, weight 60\n", "R² = (60·a)² + (3·b)²\n"}},
	} {
		text := c.in.Explain(nil).Shown()
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}

// auto alone weighs every invariance that is declared, of which there may be none. A measure is none.
func TestOneWeightForAll(t *testing.T) {
	const measured = "\nmeasure m = rms over x of |f(animal)|"
	for src, want := range map[string]int{
		twoInvariances + "auto": 2, twoInvariances + "0": 0, twoInvariances + "auto" + measured: 2, "regularize auto": 0, "regularize auto" + measured: 0,
	} {
		plan := accepted(t, withDefaults(src), testOptions(nil))
		terms := plan.At(make([]int, len(plan.Grid))).Regularized
		if len(terms) != want || len(plan.Grid) != min(want, 1) {
			t.Errorf("%s: %d terms, %d grids", src, len(terms), len(plan.Grid))
		}
		if want > 0 && (plan.Grid[0].Written[2] != "0.01 * a, 0.01 * b" || plan.Grid[0].Texts[2] != "0.01") {
			t.Errorf("%s: written as %q, shown as %q", src, plan.Grid[0].Written, plan.Grid[0].Texts)
		}
		for _, term := range terms {
			if term.Weight != 1 || !term.Auto {
				t.Errorf("%s: the weight %v of %s", src, term.Weight, term.Inv.Name)
			}
		}
	}
}

// Each wrong spelling of regularize auto has one error, which says how it is written.
func TestWrongAutosSayHowToMendThem(t *testing.T) {
	const alone = "regularize auto, which weighs every invariance"
	for _, c := range []struct{ weights, mend, code string }{
		{"automatic", alone, "E209"},
		{"Auto", alone, "E209"},
		{"AUTO", alone, "E209"},
		{"auot", alone, "E209"},
		{"all", alone, "E209"},
		{"auto * all", alone, "E209"},
		{"2 * all", "2 * a, 2 * b", "E209"},
		{"none", "regularize 0", "E209"},
		{"c", "Available: a, b", "E209"},
		{"auto, a", "auto * a, auto * b", "E318"},
		{"a, auto", alone + ", or a weight for each: auto * a, auto * b", "E318"},
		{"auto, auto", alone, "E318"},
		{"auto + a", alone, "E318"},
		{"a - auto", alone, "E318"},
		{"auto * 3", "auto * 3 * a, auto * 3 * b", "E318"},
		{"3 * auto", "3 * auto * a, 3 * auto * b", "E318"},
		{"auto / 2", "auto / 2 * a", "E318"},
		{"-auto", alone, "E318"},
		{"(auto)", alone, "E318"},
		{`"auto"`, alone, "E318"},
		{"{auto}", alone, "E318"},
		{"auto()", alone, "E318"},
		{"auto(0, 1)", alone, "E318"},
		{"auto * auto", alone, "E318"},
		{"auto(a)", "auto * a", "E318"},
		{"auto * {a, b}", "auto * a, auto * b", "E318"},
		{"[a, b]", "a, b", "E318"},
		{"auto * (a, b)", "auto * a, auto * b", "E112"},
		{"automatic * a", "auto", "E201"},
		{"AUTO * a", "auto", "E201"},
		{"auto\nregularize auto", "Keep one of them", "E202"},
		{"auto a", "auto * a", "E112"},
		{"auto: a, b", "auto * NAME", "E112"},
		{"auto of a", "auto * NAME", "E112"},
		{"auto all", "regularize auto", "E112"},
		{"with auto", "regularize auto", "E112"},
		{": auto", "Remove the `:`", "E112"},
		{"= auto", "Remove the `=`", "E116"},
		{"a = auto", "auto * a", "E116"},
		{"a: 2", "2 * a", "E112"},
		{"a and b", "comma", "E112"},
		{"auto over a", "auto * NAME", "E121"},
	} {
		list := all(t, withDefaults(twoInvariances+c.weights))
		if len(list) != 1 || string(list[0].Code) != c.code || !strings.Contains(list[0].Mend, c.mend) {
			t.Errorf("%s: %v", c.weights, list)
			if len(list) > 0 {
				t.Log(list[0].Mend)
			}
		}
	}
}
