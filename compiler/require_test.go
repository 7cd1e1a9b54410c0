package compiler

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// derived is ∂^α f at a point with a label.
func (p *probe) derived(label int, along []int, x []float64) float64 {
	unit := func(j int, by float64, k int) []float64 {
		v := make([]float64, len(x))
		v[j]++
		v[k] += by
		return v
	}
	switch len(along) {
	case 0:
		return p.q(label, x)
	case 1:
		return p.dq(label, x, unit(along[0], 0, along[0]))
	}
	return (p.ddq(label, unit(along[0], 1, along[1])) - p.ddq(label, unit(along[0], -1, along[1]))) / 4
}

// stated is g(x) of a statement at a probe.
func (p *probe) stated(s *statement.Statement, x []float64) float64 {
	g, at := s.Constant, make([]float64, len(x))
	for i := range s.Terms {
		t := &s.Terms[i]
		t.At(at, x)
		g += t.Coef * p.derived(t.Label, t.Derive, at)
	}
	return g
}

// pointOf is the only point of a region of points.
func pointOf(t *testing.T, s *statement.Statement, p int) []float64 {
	t.Helper()
	x := make([]float64, p)
	for _, side := range s.Region {
		if side.Moves() || len(side.Points) != 1 {
			t.Fatalf("%s is about more than one point: %+v", s.Text, side)
		}
		for k, c := range side.Columns {
			x[c] = side.Points[0][k]
		}
	}
	return x
}

// required are the statements of a spec on data.
func required(t *testing.T, spec string, data *ground.Data) []statement.Statement {
	t.Helper()
	all, err := Require(t.Context(), accepted(t, spec, testOptions(nil)).At(nil), data)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What a statement says at a row is what the functional of an invariance with the same expression says there.
func TestStatementsAreTheFunctionalsOfInvariances(t *testing.T) {
	labels := []string{"animal", "cat", "dog"}
	for _, c := range []struct{ target, body string }{
		{"price : real", "f(x)"},
		{"price : real", "d/d(area) f"},
		{"price : real", "d/d(area, unit = raw) f - 2 * d/d(age, unit = raw) f"},
		{"price : real", "d/d(age) (d/d(age) f)"},
		{"price : real", "d/d(area) d/d(age, unit = raw) f"},
		{"price : real", "d/d(area, unit = raw) d/d(area, unit = raw) f"},
		{"price : real", "f(put(age, 4)(x)) - f(x)"},
		{"price : real", "f(move(area, 3)(swap(age, rooms)(x))) - f(swap(age, rooms)(x))"},
		{"price : real", "d/d(area) f(put(age, 4)(x)) - d/d(area) f(x)"},
		{"price : real", "f(x) - mean over z in rows of f(z)"},
		{"animal, cat, dog : multilabel", "f(x, animal) - f(x, cat) / 3"},
		{"animal, cat, dog : multilabel", "f(x) - sum over y in labels where y != cat of d/d(area) f(x, y)"},
	} {
		var names []string
		if strings.HasPrefix(c.target, "animal") {
			names = labels
		}
		head := "data { target " + c.target + " }\nkernel gaussian(width = 1)\nfeatures exact\n"
		invariance := accepted(t, head+"invariance i = max over x of |"+c.body+"|\n", testOptions(nil)).At(nil)
		requirement := accepted(t, head+"require r = "+c.body+" >= 1.5 over x in rows\n", testOptions(nil)).At(nil)
		rapid.Check(t, func(r *rapid.T) {
			next := func() float64 { return float64(rapid.IntRange(-16, 16).Draw(r, "number")) / 8 }
			data := &ground.Data{Data: testData(4, names, next), Unit: []float64{1.5, 0.25, 3}}
			f := newProbe(len(names), 3, next)
			reg, err := invariance.Ground(t.Context(), data)
			if err != nil {
				r.Fatal(err)
			}
			want := f.values(data.Data, reg.Functionals)
			all, err := Require(t.Context(), requirement, data)
			if err != nil {
				r.Fatal(err)
			}
			if len(all) != len(want) {
				r.Skip("two rows are equal")
			}
			for i := range all {
				if got := f.stated(&all[i], pointOf(t, &all[i], 3)); math.Abs(got-want[i]+1.5) > 1e-6*(1+math.Abs(want[i])) {
					r.Fatalf("%s at row %d: %v, want %v", c.body, i, got, want[i]-1.5)
				}
			}
		})
	}
}

// A slope in the unit of the file is the limit of differences of f at rows of the file.
func TestSlopesOfStatementsByDifferences(t *testing.T) {
	v := 0.0
	next := func() float64 { v += 0.37; return math.Mod(v, 2) - 1 }
	data := &ground.Data{Data: testData(1, nil, next), Unit: []float64{1.5, 0.25, 3}}
	f := newProbe(0, 3, next)
	at := func(area, age float64) float64 { // in the units of the file
		x := slices.Clone(data.Rows.Row(0))
		x[0], x[1] = (area-1)/2, (age-2)/0.5
		return f.q(0, x)
	}
	const h = 1e-4
	area, age := 1+2*data.Rows.Row(0)[0], 2+0.5*data.Rows.Row(0)[1]
	for body, want := range map[string]float64{
		"d/d(area, unit = raw) f": (at(area+h, age) - at(area-h, age)) / (2 * h),
		"d/d(area) f":             1.5 * (at(area+h, age) - at(area-h, age)) / (2 * h),

		"d/d(age, unit = raw) d/d(age, unit = raw) f":   (at(area, age+h) - 2*at(area, age) + at(area, age-h)) / (h * h),
		"d/d(age, unit = raw) d/d(area, unit = raw) f":  (at(area+h, age+h) - at(area+h, age-h) - at(area-h, age+h) + at(area-h, age-h)) / (4 * h * h),
		"f(move(area, 3)(put(age, 7)(x))) - f":          at(area+3, 7) - at(area, age),
		"d/d(area, unit = raw) f(swap(area, age)(x))":   (at(age+h, area) - at(age-h, area)) / (2 * h),
		"d/d(area, unit = raw) f(put(age, 1)(x)) - 2*f": (at(area+h, 1)-at(area-h, 1))/(2*h) - 2*at(area, age),
	} {
		s := required(t, "data { target price : real }\nkernel gaussian(width = 1)\nfeatures exact\nrequire r = "+body+" >= 0 over x in rows\n", data)
		if got := f.stated(&s[0], pointOf(t, &s[0], 3)); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("%s is %v, want %v", body, got, want)
		}
	}
}

// town is a table as preparation leaves it: a number with a gap that is marked, one that is constant, and a column of texts.
func town() *ground.Data {
	data := &ground.Data{
		Data: &plugins.Data{
			Columns: []string{"age", "rent", "missing(age)", "town=a", "town=b", "flat"},
			Rows: plugins.Matrix{Rows: 3, Cols: 6, Data: []float64{
				1, 2, 0, 1, 0, 5,
				3, 1, 0, 0, 1, 5,
				2, 4, 1, 0, 1, 5,
			}},
			Offset: []float64{10, 100, 0, 0, 0, 0}, Scale: []float64{2, 50, 1, 1, 1, 1},
		},
		Unit: []float64{2, 50, 1, 1, 1, 1}, RowID: func(i int) string { return []string{"r1", "r2", "r3"}[i] },
	}
	data.Column = func(name string) ([]float64, []string, bool) {
		switch name {
		case "age", "rent", "flat":
			return []float64{12, 16, math.NaN()}, nil, true
		case "town":
			return nil, []string{"a", "b", "b"}, true
		}
		return nil, nil, false
	}
	return data
}

// shownRegion writes the sides of a region, by the first column of each.
func shownRegion(s *statement.Statement, columns []string) string {
	parts := make([]string, len(s.Region))
	for i, side := range s.Region {
		parts[i] = columns[side.Columns[0]]
		if side.Moves() {
			parts[i] += fmt.Sprintf(" [%.4g, %.4g]", side.Low, side.High)
		}
		for _, p := range side.Points {
			parts[i] += fmt.Sprintf(" %.4g", p)
		}
	}
	return strings.Join(parts, "; ")
}

func TestRegions(t *testing.T) {
	const gap = " [2 1]"
	const towns = "; town=a [0 0] [1 0] [0 1]; flat [5]"
	for _, c := range []struct{ types, require, want string }{
		{"", "f >= 0 over x in box", "age [1, 3]" + gap + "; rent [1, 4]" + towns},
		{"", "d/d(rent) f >= 0 over x in box", "age [1, 3]" + gap + "; rent [1, 4]" + towns},
		{"", "d/d(age) f >= 0 over x in box", "age [1, 3]; rent [1, 4]" + towns},
		{"", "f >= 0 over x in box(age = [10, 30])", "age [0, 10]; rent [1, 4]" + towns},
		{"", "f >= 0 over x in box(age = {10, 30}, town = {\"b\"})", "age [0 0] [10 0]; rent [1, 4]; town=a [0 1]; flat [5]"},
		{"", "f >= 0 over x in box(\"rent\" = [-100, 200])", "age [1, 3]" + gap + "; rent [-4, 2]" + towns},
		{"types age : integer [10, 12], rent : real [0, 200], town : {a, b}", "f >= 0 over x in box", "age [0 0] [0.5 0] [1 0]" + gap + "; rent [-2, 2]" + towns},
		{"types age : integer [10, 12], rent : real [0, 200]", "d/d(age) f >= 0 over x in box", "age [0, 1]; rent [-2, 2]" + towns},
		{"types age : integer, rent : {100, 150}", "f >= 0 over x in box(age = [9.5, 12])", "age [0 0] [0.5 0] [1 0]; rent [0] [1]" + towns},
		{"types age : integer, rent : {100, 150}", "d/d(rent) f >= 0 over x in box(age = [10, 99999])", "age [0, 4.999e+04]; rent [0, 1]" + towns},
		// What no term looks at is fixed.
		{"", "f(put(town, \"b\")(x)) >= f(put(town, \"a\")(x)) over x in box", "age [1, 3]" + gap + "; rent [1, 4]; town=a [0 0]; flat [5]"},
		{"", "d/d(rent) f(put(age, 10)(x)) >= 0 over x in box", "age [1 0]; rent [1, 4]" + towns},
		{"", "f(put(age, 0)(put(rent, 0)(x))) == 0 over x in box(town = {\"a\"})", "age [1 0]; rent [1]; town=a [1 0]; flat [5]"},
	} {
		data := town()
		spec := "data { target price : real"
		if c.types != "" {
			spec += "; " + c.types + ", flat : real"
			if !strings.Contains(c.types, "town") {
				spec += ", town : {a, b}"
			}
		}
		all := required(t, spec+" }\nkernel gaussian(width = 1)\nfeatures exact\nrequire r = "+c.require+"\n", data)
		if got := shownRegion(&all[0], data.Columns); got != c.want {
			t.Errorf("%s, %s:\n%s, want\n%s", c.types, c.require, got, c.want)
		}
	}
}

// Beside rows each row is a statement, and equal ones come once.
func TestSweeps(t *testing.T) {
	data := town()
	const head = "data { target price : real }\nkernel gaussian(width = 1)\nfeatures exact\n"
	var got []string
	show := func(spec string) {
		got = nil
		for _, s := range required(t, head+spec+"\n", data) {
			got = append(got, s.Text+" at "+shownRegion(&s, data.Columns))
		}
	}
	show(`require r = d/d(rent) f >= 0 over x in box(rent = [0, 200], others = rows) where town == "b"`)
	want := []string{
		"r: d/d(rent) f >= 0, x = row r2 at age [3 0]; rent [-2, 2]; town=a [0 1]; flat [5]",
		"r: d/d(rent) f >= 0, x = row r3 at age [2 1]; rent [-2, 2]; town=a [0 1]; flat [5]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	show(`require r = d/d(age) f >= 0 over x in box(age = {10}, rent = {0}, others = rows)`)
	if len(got) != 2 { // of the rows in town a, and of those in town b
		t.Errorf("%d sweeps: %s", len(got), strings.Join(got, "\n"))
	}
	show(`require r = 0 <= d/d(c) f(x) <= 2 over x in box(others = box), c in columns(age, rent)`)
	if len(got) != 4 || !strings.HasPrefix(got[1], "r: d/d(c) f(x) <= 2, c = age at ") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	show(`require r = |d/d(rent) f| + |f| <= 1 over x in box`)
	if len(got) != 4 || !strings.Contains(got[0], "(d/d(rent) f(x) + f(x) − 1 <= 0) at ") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	show(`require r = |mean over x where town == "a" of f - mean over x where town == "b" of f| <= 0.5`)
	if len(got) != 2 {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	show("require r = f == 0 over x in rows")
	if len(got) != 6 || !strings.HasPrefix(got[1], "r: f == 0, x = row r1 (f(x) >= 0) at ") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// The rows of a file are prepared by whoever has files.
func TestSweepsOfAFile(t *testing.T) {
	data := town()
	const spec = "data { target price : real }\nkernel gaussian(width = 1)\nfeatures exact\nrequire r = f >= 0 over x in rows(\"applicants.csv\")\n"
	in := accepted(t, spec, testOptions(nil)).At(nil)
	if _, err := Require(t.Context(), in, data); err == nil || !strings.Contains(err.Error(), "applicants.csv") {
		t.Errorf("%v", err)
	}
	rows := plugins.Matrix{Rows: 2, Cols: 6, Data: []float64{0, 0, 0, 0, 0, 5, 1, 1, 1, 1, 0, 5}}
	data.File = func(_ context.Context, name string) (plugins.Matrix, []string, error) {
		if name != "applicants.csv" {
			t.Errorf("%s", name)
		}
		return rows, []string{"a1", "a2"}, nil
	}
	all, err := Require(t.Context(), in, data)
	if err != nil || len(all) != 2 || all[1].Text != "r: f >= 0, x = row a2" || !slices.Equal(pointOf(t, &all[1], 6), rows.Row(1)) {
		t.Errorf("%v %+v", err, all)
	}
}

func TestRequirementsThatDataRefuse(t *testing.T) {
	const head = "data { target price : real }\nkernel gaussian(width = 1)\nfeatures exact\nrequire r = "
	for spec, want := range map[string]string{
		"f == 0 over x in box":                              `E418 f == 0: == is required at more than finitely many points: age runs through an interval`,
		`f >= 0 over x in box(town = {"c"})`:                `E554 "c": No training row has "c" as its town`,
		`f >= 0 over x in box(town = [0, 1])`:               `E554 town: town holds texts, and an interval is one of numbers`,
		`f >= 0 over x in box(age = {"old"})`:               `E554 "old": age holds numbers, and "old" is a text`,
		`d/d("town=a") f >= 0 over x in box`:                `E417 "town=a": a statement is differentiated along town=a, which marks a text or a gap`,
		`f(x) - f(z) >= 1 over x in rows, z in rows`:        `E411 f(x) - f(z) >= 1: f(x) - f(z) >= 1 never holds, x = row r1, z = row r1`,
		`d/d(aeg) f >= 0 over x in box`:                     `E551 aeg: no feature of the data is called aeg`,
		`f >= 0 over x in box(aeg = [0, 1])`:                `E551 aeg: no feature of the data is called aeg`,
		`f(x) >= age(x) / (age(x) - age(x)) over x in rows`: `E562 age(x) / (age(x) - age(x)): the factor age(x) / (age(x) - age(x)) is not a finite number in row r1`,
	} {
		_, err := Require(t.Context(), accepted(t, head+spec+"\n", testOptions(nil)).At(nil), town())
		var list diag.List
		if !errors.As(err, &list) || len(list) != 1 {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		at := list[0].Subject
		if got := string(list[0].Code) + " " + (head + spec)[at.Start.Offset:at.End.Offset] + ": " + list[0].Summary; got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}

// A mean over more rows than are grounded without a look at the context has a term for each.
func TestAMeanOverManyRowsIsRequired(t *testing.T) {
	const n = 5000
	data := &ground.Data{Data: &plugins.Data{Columns: []string{"a"}}, Unit: []float64{1}}
	data.Offset, data.Scale = []float64{0}, []float64{1}
	for i := range n {
		data.Rows.Append([]float64{float64(i)})
	}
	all := required(t, "data { target price : real }\nkernel gaussian(width = 1)\nfeatures exact\nrequire r = mean over x of f >= 0\n", data)
	if len(all) != 1 || len(all[0].Terms) != n || all[0].Terms[n-1].Coef != 1.0/n {
		t.Errorf("%d statements, the first of %d terms", len(all), len(all[0].Terms))
	}
}

// applicants are rows of numbers and a text, with classes or labels where names are given.
func applicants(labels ...string) *ground.Data {
	columns := []string{"income", "debt", "reviews", "rating", "strike", "town=a", "town=b", "dose"}
	data := &ground.Data{Data: &plugins.Data{Columns: columns, LabelNames: labels}, Unit: []float64{2, 3, 1, 1, 1, 1, 1, 1}}
	data.Offset, data.Scale = make([]float64, 8), []float64{2, 3, 1, 1, 1, 1, 1, 1}
	for i := range 4 {
		v := float64(i)
		data.Rows.Append([]float64{v, 3 - v, v / 2, 1 + v, 2 * v, float64(i % 2), float64(1 - i%2), v * v})
		if len(labels) > 0 {
			data.Labels = append(data.Labels, plugins.Label{Index: []int32{int32(i % len(labels))}, Value: []float64{1}})
		}
	}
	data.Column = func(name string) ([]float64, []string, bool) {
		if name == "town" {
			return nil, []string{"b", "a", "b", "a"}, true
		}
		return []float64{0, 1, 2, 3}, nil, slices.Contains(columns, name) && !strings.Contains(name, "=")
	}
	return data
}

// termText writes a term: its coefficient, derivatives, label, and what moves the point.
func termText(s *statement.Statement, columns []string) string {
	var parts []string
	for _, t := range s.Terms {
		var part strings.Builder
		fmt.Fprintf(&part, "%+.4g f%d", t.Coef, t.Label)
		for _, c := range t.Derive {
			part.WriteString("'" + columns[c])
		}
		for _, m := range t.Move {
			if m.Mul == 0 {
				fmt.Fprintf(&part, " %s:=%.4g", columns[m.Column], m.Add)
			} else {
				fmt.Fprintf(&part, " %s:=%.4g*%s%+.4g", columns[m.Column], m.Mul, columns[m.From], m.Add)
			}
		}
		parts = append(parts, part.String())
	}
	if s.Constant != 0 {
		parts = append(parts, fmt.Sprintf("%+.4g", s.Constant))
	}
	return strings.Join(parts, ", ")
}

// What people require comes to the statements that say it.
func TestWhatPeopleRequire(t *testing.T) {
	for _, c := range []struct{ require, want string }{
		{"d/d(income) f >= 0 over x in box", "+1 f0'income"},
		{"d/d(c) f >= 0 over x in box, c in columns(income, reviews)", "+1 f0'income; +1 f0'reviews"},
		{"d/d(strike) (d/d(strike) f) >= 0 over x in box", "+1 f0'strike'strike"},
		{"d/d(income) (d/d(income) f) <= 0 over x in box", "-1 f0'income'income"},
		{"-1 <= d/d(debt, unit = raw) f <= 0 over x in box", "+0.3333 f0'debt, +1; -0.3333 f0'debt"},
		{"d/d(debt, unit = raw) f <= d/d(income, unit = raw) f over x in box", "-0.3333 f0'debt, +0.5 f0'income"},
		{"d/d(reviews) d/d(rating) f >= 0 over x in box", "+1 f0'reviews'rating"},
		{
			`f(put(town, "b")(x)) >= f(put(town, "a")(x)) over x in box`,
			"-1 f0 town=a:=1 town=b:=0, +1 f0 town=a:=0 town=b:=1",
		},
		{"0 <= f <= 1 over x in box", "+1 f0; -1 f0, +1"},
		{"|f(swap(income, debt)(x)) - f(x)| <= 0.5 over x in box", "-1 f0 income:=1.5*debt+0 debt:=0.6667*income+0, +1 f0, +0.5; +1 f0 income:=1.5*debt+0 debt:=0.6667*income+0, -1 f0, +0.5"},
		{"f == 0 over x in box(income = {0}, debt = {0}, others = rows) where dose == 0", "-1 f0; +1 f0"},
		{"f(put(dose, 0)(put(income, 4)(x))) == 1 over x in box(dose = {1}, debt = {0}, reviews = {0}, rating = {0}, strike = {0}, town = {\"a\"})", "-1 f0 income:=2 dose:=0, +1; +1 f0 income:=2 dose:=0, -1"},
		{"max {f, 2 * f - 1, 0.5} <= 1 over x in box", "-1 f0, +1; -2 f0, +2"},
	} {
		data := applicants()
		all := required(t, "data { target price : real }\nkernel gaussian(width = 1)\nfeatures exact\nrequire r = "+c.require+"\n", data)
		var got []string
		for i := range all {
			got = append(got, termText(&all[i], data.Columns))
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.require, got, c.want)
		}
	}
	for _, c := range []struct{ target, require, want string }{
		{"loan : class", `d/d(income) f(x, good) >= d/d(income) f(x, y) over x in box, y in labels where y != good`, "-1 f0'income, +1 f2'income; -1 f1'income, +1 f2'income"},
		{"loan : class", "f(x, good) >= f(x, bad) over x in rows(\"others.csv\")", "-1 f0, +1 f2; -1 f0, +1 f2"},
		{"bad, fair, good : multilabel", "f(x, good) >= f(x, fair) over x in box", "-1 f1, +1 f2"},
		{"bad, fair, good : multilabel", "max over y in {fair, good} of f(x, y) <= f(x, bad) over x in box", "-1 f1, +1 f0; -1 f2, +1 f0"},
		{"bad, fair, good : multilabel", "f(a, good) == f(b, good) over (a, b) in graph(\"edges.csv\") where a != b", "-1 f2, +1 f2 income:=1 debt:=2 reviews:=0.5 rating:=2 strike:=2 town=a:=1 town=b:=0 dose:=1; +1 f2, -1 f2 income:=1 debt:=2 reviews:=0.5 rating:=2 strike:=2 town=a:=1 town=b:=0 dose:=1"},
	} {
		data := applicants("bad", "fair", "good")
		data.File = func(context.Context, string) (plugins.Matrix, []string, error) {
			return plugins.Matrix{Rows: 2, Cols: 8, Data: append(make([]float64, 8), data.Rows.Row(1)...)}, []string{"1", "2"}, nil
		}
		spec := "data { target " + c.target + " }\nkernel gaussian(width = 1)\nfeatures exact\nrequire r = " + c.require + "\n"
		all, err := Require(t.Context(), accepted(t, spec, testOptions(testFiles)).At(nil), data)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range all {
			got = append(got, termText(&all[i], data.Columns))
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.require, got, c.want)
		}
	}
}

// Groups say which features a column became, where names alone would mislead: a column of the file is called missing(age), and another one
// town=a.
func TestRegionsOfMisleadingNames(t *testing.T) {
	data := &ground.Data{
		Data: &plugins.Data{
			Columns: []string{"age", "missing(age)", "town=a", "town=b", "town=a"},
			Rows:    plugins.Matrix{Rows: 2, Cols: 5, Data: []float64{1, 0, 1, 0, 5, 3, 7, 0, 1, 6}},
		},
		Groups: []setting.Group{
			{Name: "age", Columns: []int{0}, Low: 1, High: 3},
			{Name: "missing(age)", Columns: []int{1}, High: 7},
			{Name: "town", Columns: []int{2, 3}, Text: true},
			{Name: "town=a", Columns: []int{4}, Low: 5, High: 6},
		},
		Unit: []float64{1, 1, 1, 1, 1}, RowID: func(i int) string { return []string{"r1", "r2"}[i] },
	}
	spec := "data { target price : real }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\nrequire r = f >= 0 over x in box\n"
	s := required(t, spec, data)
	want := "age [1, 3]; missing(age) [0, 7]; town=a [0 0] [1 0] [0 1]; town=a [5, 6]"
	if got := shownRegion(&s[0], data.Columns); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Statements that differ in their rows are of one family, and those of other columns, labels or members are not.
func TestFamiliesOfStatements(t *testing.T) {
	head := "data { target price : real }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\n"
	for spec, want := range map[string][]int{
		"require r = f >= 0 over x in rows":                                   {0, 0, 0},
		"require r = d/d(c) f >= 0 over x in box, c in columns(age, rent)":    {0, 1},
		"require r = |f| <= 9 over x in box":                                  {0, 1},
		"require r = 0 <= f(x) <= 9 over x in rows":                           {0, 1, 0, 1, 0, 1},
		"require r = d/d(c) f >= 0 over x in rows, c in columns(age, rent)":   {0, 1, 0, 1, 0, 1},
		"require r = f >= 0 over x in box(age = [10, 30], others = rows)":     {0, 0, 0},
		"require r = f(x) - f(z) <= 9 over x in rows, z in rows where x != z": {0, 0, 0, 0, 0, 0},
	} {
		var got []int
		for _, s := range required(t, head+spec+"\n", town()) {
			got = append(got, s.Family)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", spec, got, want)
		}
	}
}
