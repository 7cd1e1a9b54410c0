package compiler

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

const standardSpec = "data { target price : real }\nkernel gaussian(width = 1)\nfeatures exact\n"

func TestStandardLibraryHasNoFaults(t *testing.T) {
	file, list := dsl.Parse(tree.StandardName, names.StandardSource)
	if len(list) > 0 || len(file.Decls) == 0 {
		t.Fatal(list)
	}
	for _, d := range file.Decls {
		if _, ok := d.(*dsl.Def); !ok {
			t.Errorf("%T is not a definition", d)
		}
	}
}

// A statement of the library is the expression that its documentation gives.
func TestStandardStatementsAreTheirBodies(t *testing.T) {
	for call, body := range map[string]string{
		"increasing(area)": "rms over x of pos(-d/d(area) f)",
		"decreasing(area)": "rms over x of pos(d/d(area) f)",
		"convex(area)":     "rms over x of pos(-d/d(area) d/d(area) f)",
		"concave(area)":    "rms over x of pos(d/d(area) d/d(area) f)",
		"smooth(area)":     "rms over x of |d/d(area) f|",
		"parity(area)":     "|mean over x where area == 1 of f - mean over x where area == 0 of f|",
		`parity_between(region, "north", "south")`: `|mean over x where region == "north" of f - mean over x where region == "south" of f|`,
	} {
		var grounds []any
		for _, e := range []string{call, body} {
			data := testData(5, nil, func() float64 { return 1 })
			column := func(name string) ([]float64, []string, bool) {
				if name == "region" {
					return nil, []string{"north", "south", "north", "south", "north"}, true
				}
				return []float64{0, 1, 0, 1, 1}, nil, true
			}
			plan := accepted(t, standardSpec+"invariance i = "+e+"\n", testOptions(nil))
			reg, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: data, Column: column})
			if err != nil {
				t.Fatalf("%s: %v", e, err)
			}
			grounds = append(grounds, []any{reg.Invariances[0].Kind, reg.Invariances[0].Smooth, reg.Invariances[0].Count, reg.Functionals})
		}
		if d := cmp.Diff(grounds[1], grounds[0]); d != "" {
			t.Errorf("%s is not %s: %s", call, body, d)
		}
	}
}

func TestStandardLibraryGivesWay(t *testing.T) {
	plan := accepted(t, standardSpec+"def smooth(c) = max over x of |d/d(c) f|\ninvariance i = smooth(area)\n", testOptions(nil))
	if text := plan.Explain().Shown(); strings.Contains(text, "rms") {
		t.Errorf("the library's smooth stands before the spec's:\n%s", text)
	}
}

func TestStandardLibraryIsNamedInErrors(t *testing.T) {
	_, list := check(t, strings.Replace(standardSpec, "real }", "real; columns area, age }", 1)+"invariance i = increasing(aera)\n", testOptions(nil))
	if len(list) != 1 || list[0].Code != codes.UnknownColumn {
		t.Fatal(list)
	}
	if !strings.Contains(list[0].Mend, "area") {
		t.Error(list[0])
	}
	for statement, kernel := range map[string]string{"increasing(area)": "laplacian(width = 1)", "convex(area)": "linear"} {
		_, list = check(t, strings.Replace(standardSpec, "gaussian(width = 1)", kernel, 1)+"invariance i = "+statement+"\n", testOptions(nil))
		if len(list) != 1 || list[0].Subject.Start.Line != 4 {
			t.Errorf("%s under %s: %v, not in the spec", statement, kernel, list)
		}
	}
	_, list = check(t, standardSpec+"invariance i = rms over x of increasing(c = \"area\", d = 1)\n", testOptions(nil))
	if len(list) == 0 {
		t.Error("an argument that increasing does not have was accepted")
	}
}

// Parity of a column of texts names the statement that takes two of them.
func TestParityOfTextsNamesParityBetween(t *testing.T) {
	plan := accepted(t, standardSpec+"invariance i = parity(region)\n", testOptions(nil))
	column := func(string) ([]float64, []string, bool) {
		return nil, []string{"south", "", "north", "south", "west"}, true
	}
	_, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: testData(5, nil, func() float64 { return 1 }), Column: column})
	var list diag.List
	if !errors.As(err, &list) || list[0].Code != codes.Incomparable || !strings.Contains(list[0].Mend, `parity_between(region, "north", "south")`) {
		t.Error(err)
	}
	plan = accepted(t, standardSpec+"invariance i = rms over x where region == 1 of |f|\n", testOptions(nil))
	_, err = plan.At(nil).Ground(t.Context(), &ground.Data{Data: testData(5, nil, func() float64 { return 1 }), Column: column})
	if !errors.As(err, &list) || strings.Contains(list[0].Mend, "parity") {
		t.Error(err)
	}
}

// Parity of a column of two numbers that are not 0 and 1 names the column, its values and the statement that takes them.
func TestParityOfOtherNumbersNamesParityBetween(t *testing.T) {
	column := func(string) ([]float64, []string, bool) { return []float64{2, 1, math.NaN(), 2, 1}, nil, true }
	for statement, want := range map[string][2]string{
		"parity(sex)":                       {"no element satisfies sex == 0", "parity compares the rows with 1 and those with 0; of other values name both groups: parity_between(sex, 1, 2)."},
		"parity_between(sex, 1, 3)":         {"no element satisfies sex == 3", codes.GeneralMends[codes.EmptyIndexSet]},
		"rms over x where sex == 7 of |f|":  {"no element satisfies sex == 7", codes.GeneralMends[codes.EmptyIndexSet]},
		"rms over x where sex < 0.5 of |f|": {"no element satisfies sex < 0.5", codes.GeneralMends[codes.EmptyIndexSet]},
	} {
		plan := accepted(t, standardSpec+"invariance i = "+statement+"\n", testOptions(nil))
		_, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: testData(5, nil, func() float64 { return 1 }), Column: column})
		var list diag.List
		if !errors.As(err, &list) || list[0].Code != codes.EmptyIndexSet || list[0].Summary != want[0] || list[0].Mend != want[1] {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// Every statement of the library says what it means.
func TestStandardDefinitionsAreDocumented(t *testing.T) {
	docs := map[string]string{}
	for _, d := range names.Standard() {
		docs[d.Name] = d.Doc
		if !strings.HasPrefix(d.Source, "def "+d.Name+"(") {
			t.Errorf("%+v", d)
		}
	}
	if !strings.HasPrefix(docs["increasing"], "f does not fall") || docs["decreasing"] != docs["increasing"] || !strings.HasPrefix(docs["parity"], "f is the same in the mean") {
		t.Error(docs)
	}
}
