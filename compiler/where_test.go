package compiler

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// A condition of pairs of rows lets through exactly those of which it is true: arithmetic, sets, points, and conditions with a name.
func TestConditionsOfPairs(t *testing.T) {
	area := []float64{1, 4, 4, 7, 9}
	age := []float64{20, 23, math.NaN(), 31, 24}
	region := []string{"north", "south", "north", "west", "south"}
	data := &ground.Data{
		Data: &plugins.Data{Columns: []string{"area"}, Offset: []float64{0}, Scale: []float64{1}},
		Column: func(name string) ([]float64, []string, bool) {
			switch name {
			case "area", "living area", "rooms":
				return area, nil, true
			case "age":
				return age, nil, true
			}
			return nil, region, name == "region"
		},
	}
	for i := range area {
		data.Rows.Append([]float64{area[i]})
	}
	data.RowID = func(i int) string { return string(rune('a' + i)) }
	const lets = "data { target price : real }\nkernel gaussian\nfeatures nystrom\nlet lots = 4\nlet cold = {\"north\", \"west\"}\nlet middle = [20, 24]\nlet young = age < 25\nlet mild = young and not region in {\"west\"}\n" +
		"def near(a, b, by) = |age(a) - age(b)| < by\ndef alike(a, b) = near(a, b, 5) and region(a) == region(b)\n" +
		"let low = 20\nlet band = [low, 23]\ndef within(low, s) = age(low) in s\ndef rooms(a) = age(a) + 1\ndef many(rooms, low) = rooms(low) > 4\ndef never(c) = not c\n"
	for where, holds := range map[string]func(x, z int) bool{
		"z != x":                                             func(x, z int) bool { return z != x },
		"x == z":                                             func(x, z int) bool { return z == x },
		"|age(x) - age(z)| < 5":                              func(x, z int) bool { return math.Abs(age[x]-age[z]) < 5 },
		"near(x, z, lots) and x != z":                        func(x, z int) bool { return math.Abs(age[x]-age[z]) < 4 && x != z },
		"near(a = z, b = x, by = 5)":                         func(x, z int) bool { return math.Abs(age[x]-age[z]) < 5 },
		"alike(x, z)":                                        func(x, z int) bool { return math.Abs(age[x]-age[z]) < 5 && region[x] == region[z] },
		`region(x) in {"north", "west"}`:                     func(x, _ int) bool { return region[x] != "south" },
		"region(x) in cold and age(z) in middle":             func(x, z int) bool { return region[x] != "south" && age[z] >= 20 && age[z] <= 24 },
		`not (region(x) in {"north"} or age(z) > 25)`:        func(x, z int) bool { return region[x] != "north" && !(age[z] > 25) },
		"age(x) in [20, 24] and area(z) in {1, 9}":           func(x, z int) bool { return age[x] >= 20 && age[x] <= 24 && (area[z] == 1 || area[z] == 9) },
		`"living area"(x) - "living area"(z) > 2 * lots - 5`: func(x, z int) bool { return area[x]-area[z] > 3 },
		`max {area(x), area(z)} / 2 >= sqrt(area(x)) + 1`:    func(x, z int) bool { return max(area[x], area[z])/2 >= math.Sqrt(area[x])+1 },
		// A set means what it means where it was written, whatever is called alike where it is used.
		"within(x, band)":               func(x, _ int) bool { return age[x] >= 20 && age[x] <= 23 },
		"within(x, [low, low + 3])":     func(x, _ int) bool { return age[x] >= 20 && age[x] <= 23 },
		"within(x, {low, age(z)})":      func(x, z int) bool { return age[x] == 20 || age[x] == age[z] },
		"within(low = z, s = {31, 24})": func(_, z int) bool { return age[z] == 31 || age[z] == 24 },
		// A definition is meant before a column of its name, and what a definition binds before that.
		"rooms(x) == 21":      func(x, _ int) bool { return age[x] == 20 },
		`"rooms"(x) == 4`:     func(x, _ int) bool { return area[x] == 4 },
		"rooms(z) in {21, 5}": func(_, z int) bool { return age[z] == 20 },
		"many(area, x)":       func(x, _ int) bool { return area[x] > 4 },
		// The call of a definition in an argument of its own is no circle.
		"never(never(near(x, z, 5)))":  func(x, z int) bool { return math.Abs(age[x]-age[z]) < 5 },
		"-area(x) + 3 != -area(z) + 3": func(x, z int) bool { return area[x] != area[z] },
		"1 / (area(x) - 4) < 1":        func(x, _ int) bool { return area[x] != 4 && 1/(area[x]-4) < 1 },
	} {
		plan, list := check(t, lets+"invariance i = sum over x, z in rows where "+where+" of |f(x) + 2 * f(z)|", testOptions(nil))
		if list.HasErrors() {
			t.Errorf("%s: %v", where, list)
			continue
		}
		r, err := plan.At(nil).Ground(t.Context(), data)
		_ = plan.Close()
		want := 0
		for x := range area {
			for z := range area {
				if holds(x, z) {
					want++
				}
			}
		}
		if err != nil || r.Invariances[0].Count != want {
			t.Errorf("%s: %v, %d pairs, want %d", where, err, r.Invariances[0].Count, want)
		}
	}
	for where, want := range map[string]int{"mild": 3, "young": 3, "not mild": 2, "mild or area > 5 and young": 3} {
		plan, list := check(t, lets+"invariance i = sum over x where "+where+" of |f|", testOptions(nil))
		if list.HasErrors() {
			t.Errorf("%s: %v", where, list)
			continue
		}
		r, err := plan.At(nil).Ground(t.Context(), data)
		if err != nil || r.Invariances[0].Count != want {
			t.Errorf("%s: %v, %d rows, want %d", where, err, r.Invariances[0].Count, want)
		}
		_ = plan.Close()
	}
}

// What a condition is calculated from is known: it decides whether folds have an R of their own, and which texts stand as numbers.
func TestConditionsKnowTheirColumns(t *testing.T) {
	plan, list := check(t, "data { target price : real }\nkernel gaussian\nfeatures nystrom\ninvariance i = rms over x where |price - 3| < age of |f|", testOptions(nil))
	defer func() { _ = plan.Close() }()
	if got := plan.first.Invariances[0].Root.Quant.Where.Compared(); list.HasErrors() || !slices.Equal(got, []string{"price", "age"}) {
		t.Errorf("%v, %q", list, got)
	}
	if !plan.At(nil).ByRowLabels() {
		t.Error("the target is calculated with, and folds have no R of their own")
	}
}

// Texts that no row has are warned of where they stand: the first of a column one by one, and all others together. Texts of rows that R does not
// see are no slips, and the empty text is not offered.
func TestMissingTextsAreCounted(t *testing.T) {
	data := &Ground{Data: &plugins.Data{Columns: []string{"area"}, Rows: plugins.Matrix{Rows: 4, Cols: 1, Data: []float64{1, 2, 3, 4}}}}
	data.Column = func(name string) ([]float64, []string, bool) {
		return nil, []string{"", "north", "south", "north"}, name == "region" || name == "side"
	}
	data.Elsewhere = func(name string) []string { return map[string][]string{"region": {"east", "north"}}[name] }
	for set, want := range map[string][]string{
		`region in {"north", "east", "south", ""}`:         nil,
		`region in {"north", "nroth"} or side == "nroth"`:  {`No row has "nroth" as its region Did you mean north?`, `No row has "nroth" as its side Did you mean north?`},
		`region in {"far", "north", "far"} or side != "s"`: {`No row has "far" as its region Available: east, north, south.`, `No row has "s" as its side Available: north, south.`},
		`region in {"north", "t1", "t2", "t3", "t4", "t5", "t6", "t7"}`: {
			"t1", "t2", "t3", "t4", "t5", "No row has any of 2 further texts as its region",
		},
		`region in {"north"` + many(3000) + `}`: {"1000", "1001", "1002", "1003", "1004", "No row has any of 2995 further texts as its region"},
	} {
		var got []string
		data.Warn = func(d *diag.Diagnostic) {
			if d.Code != codes.TextNotInData || d.Subject.IsZero() {
				t.Errorf("%s: %v", set, d)
			}
			got = append(got, strings.TrimSpace(d.Summary+" "+d.Mend))
		}
		plan := accepted(t, "data { target price : real }\nkernel gaussian\nfeatures nystrom\ninvariance i = rms over x where "+set+" of |f|\n", testOptions(nil))
		if _, err := plan.At(nil).Ground(t.Context(), data); err != nil {
			t.Error(err)
		}
		_ = plan.Close()
		if len(got) != len(want) {
			t.Errorf("%.60s: %q, want %q", set, got, want)
			continue
		}
		for i := range want {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("%.60s: %q, want %q", set, got[i], want[i])
			}
		}
	}
}

// many returns further members of a set, all different.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", \"%d\"", 1000+i)
	}
	return b.String()
}
