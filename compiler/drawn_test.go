package compiler

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// The head of specs that draw rows.
const drawnHead = "data { target price : real; columns area, age, rooms }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\n"

// drawnOf returns the rows that a sample draws.
func drawnOf(t *testing.T, args string, n int, change func(*Ground)) []int32 {
	t.Helper()
	data := &Ground{Data: testData(n, nil, rand.New(rand.NewPCG(1, 1)).NormFloat64), Seed: 3}
	if change != nil {
		change(data)
	}
	reg, err := accepted(t, drawnHead+"invariance i = max over x in sample("+args+") of |f|\nregularize i\n", testOptions(nil)).At(nil).Ground(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	rows := reg.Functionals.Point
	if !slices.IsSorted(rows) || len(slices.Compact(slices.Clone(rows))) != len(rows) || reg.Rows != n {
		t.Fatalf("rows %v of %d, and R says %d", rows, n, reg.Rows)
	}
	return rows
}

// A sample has the rows of its seed, those of smaller ones among them. Rest may take all.
func TestDrawnRows(t *testing.T) {
	own := drawnOf(t, "40", 100, nil)
	for args, want := range map[string]bool{"40": true, "0.4n": true, "40, seed = 3": true, "40, seed = 4": false} {
		if got := slices.Equal(own, drawnOf(t, args, 100, nil)); got != want {
			t.Errorf("sample(%s) equals sample(40): %v", args, got)
		}
	}
	if slices.Equal(own, drawnOf(t, "40", 100, func(g *Ground) { g.Seed = 4 })) {
		t.Error("another seed draws the same rows")
	}
	for _, i := range drawnOf(t, "15", 100, nil) {
		if !slices.Contains(own, i) {
			t.Errorf("row %d of the smaller sample is not in the larger one", i)
		}
	}
	if all := drawnOf(t, "1000", 100, nil); len(own) != 40 || len(all) != 100 {
		t.Errorf("%d rows of 40, %d of 1000 where there are 100", len(own), len(all))
	}
	if all := drawnOf(t, "15", 100, func(g *Ground) { g.Rest = -1 }); len(all) != 100 {
		t.Errorf("%d rows where all are asked for", len(all))
	}
}

// Others are rows that no sample of R holds, and no sample of the measure itself. Samples of all rows hold none apart.
func TestHeldRows(t *testing.T) {
	const samples = "invariance a = max over x in sample(20) of |f|\ninvariance b = rms over x in sample(40) of |f|\ninvariance c = rms over x of |f(x) - mean over z in sample(9, seed = 4) of f(z)|\n" +
		"invariance e = rms over x in sample(100) of |f|\nmeasure m = max over x in sample(50) of |f|\nregularize a, b, c, e\n"
	data := &Ground{Data: testData(100, nil, rand.New(rand.NewPCG(1, 1)).NormFloat64), Seed: 3}
	in := accepted(t, drawnHead+samples, testOptions(nil)).At(nil)
	for name, args := range map[string][]string{"a": {"40", "9, seed = 4"}, "e": {"40", "9, seed = 4"}, "m": {"50", "9, seed = 4"}} {
		want := make([]bool, 100)
		for _, a := range args {
			for _, i := range drawnOf(t, a, 100, nil) {
				want[i] = true
			}
		}
		held, others := HeldRows(in, name, data)
		if !slices.Equal(held, want) {
			t.Errorf("%s: held are %v, not %v", name, held, want)
		}
		isHeld := func(i int32) bool { return held[i] }
		for rest := range 70 {
			rows := drawnOf(t, "20", 100, func(g *Ground) { g.Rest, g.Held = rest+1, held })
			if len(rows) != min(rest+1, others) || slices.ContainsFunc(rows, isHeld) {
				t.Fatalf("%s: of %d others %v are drawn", name, others, rows)
			}
		}
	}
}

// A sample of all rows is all rows, moves of orbits included.
func TestDrawnWhole(t *testing.T) {
	const spec = "invariance i = rms over %s of max over t in orbit(moves = 3) {move(area, [-2, 6])} of |f(t(x)) - f(x)|\n"
	all, _ := movedPoints(t, fmt.Sprintf(spec, "x"), 9, nil)
	drawn, reg := movedPoints(t, fmt.Sprintf(spec, "x in sample(9)"), 9, nil)
	if fmt.Sprint(all) != fmt.Sprint(drawn) || reg.Invariances[0].Gauge.Repeat != 9 {
		t.Errorf("%v\n%v", all, drawn)
	}
}

// Whatever stands over a sample has the value that it has over all rows under the condition that they are those of the sample.
func TestDrawnAsCondition(t *testing.T) {
	own := drawnOf(t, "7", 20, nil)
	for _, c := range [][2]string{
		{"rms over z in sample(7) of |f(z)|", "rms over z in rows where member(z) == 1 of |f(z)|"},
		{"norm(3) over sample(7) of |f|", "norm(3) over x where member == 1 of |f|"},
		{"max over z in sample(7), t in {move(age, 1), move(area, -1)} of |f(t(z)) - f(z)|", "max over z in rows, t in {move(age, 1), move(area, -1)} where member(z) == 1 of |f(t(z)) - f(z)|"},
		{"mean over z in sample(7) where area(z) > 0 of |f(z)|", "mean over z in rows where area(z) > 0 and member(z) == 1 of |f(z)|"},
		{"|mean over z in sample(7) of area(z) * f(z)|", "|mean over z in rows where member(z) == 1 of area(z) * f(z)|"},
		{"rms over x of |f(x) - mean over z in sample(7) where area(z) > area(x) of f(z)|", "rms over x of |f(x) - mean over z in rows where area(z) > area(x) and member(z) == 1 of f(z)|"},
		{"sum over z in sample(7) of max over c in columns(area, age) of |d/d(c) f(z)|", "sum over z in rows where member(z) == 1 of max over c in columns(area, age) of |d/d(c) f(z)|"},
		{"rms over z in rows, x in sample(7) where z != x of |f(x) - f(z)|", "rms over z in rows, x where z != x and member(x) == 1 of |f(x) - f(z)|"},
	} {
		for _, weighed := range []bool{false, true} {
			random := rand.New(rand.NewPCG(2, 2))
			data := &Ground{Data: testData(20, nil, random.NormFloat64), Seed: 3}
			member, area := make([]float64, 20), make([]float64, 20)
			for i := range member {
				area[i] = data.Rows.Row(i)[0]
				if slices.Contains(own, int32(i)) {
					member[i] = 1
				}
				if weighed {
					data.Weight = append(data.Weight, 0.5+random.Float64())
				}
			}
			data.Column = func(name string) ([]float64, []string, bool) {
				return map[string][]float64{"member": member, "area": area}[name], nil, true
			}
			plan := accepted(t, drawnHead+"invariance a = "+c[0]+"\ninvariance b = "+c[1]+"\nregularize a, b\n", testOptions(nil))
			got := grounded(t, plan, data, newProbe(0, 3, random.NormFloat64))
			if math.Abs(got["a"]-got["b"]) > 1e-12*got["b"] || got["b"] == 0 {
				t.Errorf("%s is %v, and %s is %v", c[0], got["a"], c[1], got["b"])
			}
		}
	}
}

// A condition that no drawn row satisfies is told with the values of these rows, and not with those of all.
func TestEmptySample(t *testing.T) {
	data := &Ground{Data: testData(20, nil, rand.New(rand.NewPCG(1, 1)).NormFloat64), Seed: 3}
	data.Column = func(string) ([]float64, []string, bool) {
		floor := make([]float64, 20)
		for i := range floor {
			floor[i] = float64(i)
		}
		return floor, nil, true
	}
	own := drawnOf(t, "2", 20, nil)
	want := fmt.Sprintf("In the rows of sample(2) floor is %d, %d.", own[0], own[1])
	for _, inv := range []string{
		"rms over x in sample(2) where floor > 100 of |f|",
		"rms over x in sample(2) where 2 * floor(x) > 100 of |f|",
		"rms over x of |f(x) - mean over z in sample(2) where floor(z) > floor(x) + 100 of f(z)|",
	} {
		_, err := accepted(t, drawnHead+"invariance i = "+inv+"\n", testOptions(nil)).At(nil).Ground(t.Context(), data)
		var list diag.List
		if !errors.As(err, &list) || list[0].Code != codes.EmptyIndexSet || list[0].Detail != want || list[0].Mend != "If other rows satisfy it, draw more of them." {
			t.Errorf("%s: %v", inv, err)
		}
	}
}
