package compiler

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const worstSpec = "invariance i = rms over x of max over t in orbit {move(area, [-2, 6]), put(age, [0, 1])} of |f(t(x)) - f(x)|\nregularize 1 * i\n"

// A maximum over an orbit begins with the corners of each row, and needs a method that searches.
func TestWorstBeginsWithCorners(t *testing.T) {
	points, reg := movedPoints(t, worstSpec, 3, nil)
	if inv := &reg.Invariances[0]; inv.Count != 12 || len(points) != 12 {
		t.Fatalf("%d functionals with %d moved points, want 12", inv.Count, len(points))
	}
	for f, moved := range points {
		row, corner := f/4, f%4
		area, age := 1+2*float64(3*row+1)+[]float64{-2, 6}[corner&1], float64(corner>>1)
		if math.Abs(moved[0]-area) > 1e-9 || math.Abs(moved[1]-age) > 1e-9 {
			t.Errorf("functional %d is at %v, want area %v and age %v", f, moved, area, age)
		}
	}
	in := accepted(t, orbitHead+worstSpec, testOptions(nil)).At(nil)
	if in.Method != setting.Risk || !strings.Contains(in.Reason, "worst moves") || !Searched(in, "i") || !slices.Equal(SearchedInR(in), []string{"i"}) {
		t.Errorf("method %s, as %s", in.Method, in.Reason)
	}
	if ex := in.Explain(nil).Shown(); !strings.Contains(ex, "takes the worst move of orbit {move(area, [-2, 6]), put(age, [0, 1])} for each row, which is searched between fits") {
		t.Errorf("explained as\n%s", ex)
	}
	if copies, _ := in.Copies(); len(copies) != 24 || copies[0].Orbit == "" {
		t.Errorf("%d copies of rows, want 24 that are drawn", len(copies))
	}
}

// Rows may have different numbers of members. Where a row has none, its functionals are zero, and no place of a maximum is left out.
func TestWorstMembers(t *testing.T) {
	_, reg := movedPoints(t, worstSpec, 3, nil)
	maxima, ok := reg.Invariances[0].Members.(regularizer.Maxima)
	if !ok {
		t.Fatal("the members tell nothing of maxima")
	}
	orbits := maxima.Orbits()
	if len(orbits) != 1 || orbits[0].Dimension != 2 || fmt.Sprint(orbits[0].Members[2]) != "[0 0 1 0 0 1 1 1]" {
		t.Fatalf("orbits %+v", orbits)
	}
	sample := Sample{Members: map[string]Members{orbits[0].Key: {{0.5, 0.5, 0.25, 1}, nil, {1, 0}}}}
	points, reg := movedPoints(t, worstSpec, 3, func(g *Ground) { g.Sample = sample })
	want := [][]float64{{1 + 2*1 + 2, 0.5}, {1 + 2*1, 1}, {1 + 2*7 + 6, 0}}
	if len(points) != len(want) {
		t.Fatalf("moved points %v, want %v", points, want)
	}
	for i, w := range want {
		if math.Abs(points[i][0]-w[0]) > 1e-9 || math.Abs(points[i][1]-w[1]) > 1e-9 {
			t.Errorf("point %d is %v, want %v", i, points[i], w)
		}
	}
	b := reg.Functionals
	if b.Len() != 6 || b.Start[2] != b.Start[4] || b.Start[5] != b.Start[6] {
		t.Errorf("terms begin at %v", b.Start)
	}
	maxima, _ = reg.Invariances[0].Members.(regularizer.Maxima)
	got := maxima.Maxima([]float64{3, -5, 0, 0, -2, 0})
	if fmt.Sprintf("%v %v %v", got[0].Values, got[1].Values, got[2].Values) != "[3 5] [] [2]" || got[1].Element != 1 || got[2].Orbit != orbits[0].Key {
		t.Errorf("maxima %+v", got)
	}
	if v, want := reg.Invariances[0].Gauge.Value([]float64{3, -5, 0, 0, -2, 0}), math.Sqrt(29.0/3); math.Abs(v-want) > 1e-12 {
		t.Errorf("the value is %v, want %v", v, want)
	}
	if text := reg.Invariances[0].Members.At(1).Bindings[1].Value; text != "move(area, 0), then put(age, 1)" {
		t.Errorf("a member is called %q", text)
	}
}

// A place of a maximum is one of each combination of what is bound around it. What else the maximum is taken over counts by its largest.
func TestWorstPlaces(t *testing.T) {
	for body, want := range map[string]struct{ places, members int }{
		"rms over x of max over t in orbit {move(age, [0, 1])} of |f(t(x)) - f|":                                                                  {2, 2},
		"max over x, t in orbit {move(age, [0, 1])} of |f(t(x)) - f|":                                                                             {2, 2},
		"rms over x, z in rows of max over t in orbit {move(age, [0, 1])} of |f(t(x)) - f(z)|":                                                    {4, 2},
		"rms over x of max over t in orbit {move(age, [0, 1])}, z in rows of |f(t(x)) - f(z)|":                                                    {2, 2},
		"rms over x of max over t in orbit {move(age, [0, 1])} of hypot(|f(t(x)) - f(x)|, |f(t(x))|)":                                             {2, 2},
		"hypot(rms over x of max over t in orbit {move(age, [0, 1])} of |f(t(x)) - f|, rms over x of |d/d(age) f|)":                               {2, 2},
		"rms over x of mean over s in orbit(moves = 3) {move(age, [0, 1])} of max over t in orbit {move(area, [0, 1])} of pos(f(s(t(x))) - f(x))": {6, 2},
	} {
		_, reg := movedPoints(t, "invariance i = "+body+"\n", 2, nil)
		inv := &reg.Invariances[0]
		values := make([]float64, inv.Count)
		for i := range values {
			values[i] = float64(i + 1)
		}
		maxima, _ := inv.Members.(regularizer.Maxima)
		got := maxima.Maxima(values)
		if len(got) != want.places || len(got[0].Values) != want.members {
			t.Errorf("%s has %d places with %d members, want %v", body, len(got), len(got[0].Values), want)
		}
		if got[0].Element != 0 || got[len(got)-1].Element != 1 {
			t.Errorf("%s is of elements %d to %d", body, got[0].Element, got[len(got)-1].Element)
		}
	}
}
