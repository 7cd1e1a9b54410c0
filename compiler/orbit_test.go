package compiler

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// How specs of orbits begin.
const orbitHead = "data { target price : real; columns area, age, rooms }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\n"

// movedPoints grounds a spec of one invariance |f(t(x)) - f(x)| on a table of testData, and returns the moved point of each functional, in
// raw units.
func movedPoints(t *testing.T, spec string, n int, change func(*Ground)) ([][]float64, *regularizer.Regularizer) {
	t.Helper()
	i := 0.0
	data := &Ground{Data: testData(n, nil, func() float64 { i++; return i })}
	if change != nil {
		change(data)
	}
	reg, err := accepted(t, orbitHead+spec, testOptions(map[string]string{"edges.csv": "1,2\n2,3\n3,1\n"})).At(nil).Ground(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	b := reg.Functionals
	var out [][]float64
	for f := range b.Len() {
		for k := b.Start[f]; k < b.Start[f+1]; k++ {
			if b.Point[k] >= 0 {
				continue
			}
			raw := slices.Clone(b.Points.Row(int(^b.Point[k])))
			for j := range raw {
				raw[j] = data.Offset[j] + data.Scale[j]*raw[j]
			}
			out = append(out, raw)
		}
	}
	return out, reg
}

// Every row has draws of its own within the intervals, and more moves begin with the same ones.
func TestOrbitDraws(t *testing.T) {
	const spec = "invariance i = rms over x of rms over t in orbit(moves = %d) {move(area, [-2, 6]), move(age, 1)} of |f(t(x)) - f(x)|\n"
	few, reg := movedPoints(t, fmt.Sprintf(spec, 3), 50, nil)
	if inv := &reg.Invariances[0]; inv.Count != 150 || !inv.Smooth {
		t.Fatalf("%d functionals, smooth %v", inv.Count, inv.Smooth)
	}
	many, _ := movedPoints(t, fmt.Sprintf(spec, 40), 50, nil)
	var sum float64
	seen := map[float64]bool{}
	for f, moved := range many {
		row := f / 40
		amount, age := moved[0]-(1+2*float64(3*row+1)), moved[1]-(2+0.5*float64(3*row+2))
		if amount < -2-1e-9 || amount > 6+1e-9 || math.Abs(age-1) > 1e-9 || seen[amount] {
			t.Fatalf("move %d of row %d is by %v and %v", f%40, row, amount, age)
		}
		seen[amount] = true
		sum += amount / float64(len(many))
		if f%40 < 3 && !slices.Equal(moved, few[3*row+f%40]) {
			t.Fatalf("move %d of row %d depends on how many there are", f%40, row)
		}
	}
	if math.Abs(sum-2) > 3*8/math.Sqrt(12*2000) {
		t.Errorf("the mean amount is %v, want 2", sum)
	}
}

// The seed of the run and that of the orbit decide the draws, and so does the number of a fresh sample. Equal orbits draw alike.
func TestOrbitSeeds(t *testing.T) {
	const spec = "invariance i = rms over x of rms over t in orbit(%s) {move(area, [-2, 6])} of |f(t(x)) - f(x)|\n"
	draws := func(args string, change func(*Ground)) string {
		points, _ := movedPoints(t, fmt.Sprintf(spec, args), 4, change)
		return fmt.Sprint(points)
	}
	base := draws("moves = 2", nil)
	if draws("moves = 2", nil) != base || draws("2", nil) != base {
		t.Error("the same orbit draws other moves")
	}
	others := []string{
		draws("moves = 2", func(g *Ground) { g.Seed = 1 }), draws("moves = 2, seed = 7", nil),
		draws("moves = 2", func(g *Ground) { g.Sample.Fresh = 1 }), draws("moves = 2", func(g *Ground) { g.Sample.Fresh = 2 }),
	}
	for i, other := range others {
		if other == base || slices.Contains(others[:i], other) {
			t.Errorf("draw %d is one of those before", i)
		}
	}
	if draws("moves = 2, seed = 7", func(g *Ground) { g.Seed = 1 }) != others[1] {
		t.Error("an orbit with a seed of its own depends on the run's")
	}
	if one := draws("moves = 2", func(g *Ground) { g.Sample.Moves = 1 }); !strings.HasPrefix(base, strings.TrimSuffix(one, "]")[:20]) {
		t.Errorf("one move is %s, of two %s", one, base)
	}
}

// Both ends of an edge are moved by one t, and so is a point that is moved twice.
func TestOrbitIsOneMove(t *testing.T) {
	points, _ := movedPoints(t, `invariance i = rms over (a, b) in graph("edges.csv"), t in orbit(moves = 5) {move(area, [0, 1])} of |f(t(a)) - f(t(b))|`+"\n", 3, nil)
	if len(points) != 30 {
		t.Fatalf("%d moved points", len(points))
	}
	ends := [][2]float64{{0, 1}, {1, 2}, {2, 0}}
	for i := 0; i < len(points); i += 2 {
		e := ends[i/10]
		a, b := points[i][0]-(1+2*(3*e[0]+1)), points[i+1][0]-(1+2*(3*e[1]+1))
		if math.Abs(a-b) > 1e-9 || a < 0 || a > 1 {
			t.Errorf("edge %d is moved by %v and %v", i/10, a, b)
		}
	}
	once, _ := movedPoints(t, "invariance i = rms over x, t in orbit(moves = 5) {move(area, [0, 1])} of |f(t(x)) - f|\n", 3, nil)
	twice, _ := movedPoints(t, "invariance i = rms over x, t in orbit(moves = 5) {move(area, [0, 1])} of |f(t(t(x))) - f|\n", 3, nil)
	for f := range once {
		x := 1 + 2*float64(3*(f/5)+1)
		if math.Abs(2*(once[f][0]-x)-(twice[f][0]-x)) > 1e-9 {
			t.Errorf("moved once by %v, twice by %v", once[f][0]-x, twice[f][0]-x)
		}
	}
}

// Amounts may come through lets, definitions and their parameters.
func TestOrbitThroughNames(t *testing.T) {
	want, _ := movedPoints(t, "invariance i = rms over x of rms over t in orbit(moves = 3) {move(area, [-2, 6]), put(age, [1, 2])} of |f(t(x)) - f(x)|\n", 4, nil)
	for _, spec := range []string{
		"let o = orbit(moves = 3) {move(area, [-2, 6]), put(age, [1, 2])}\ninvariance i = rms over x of rms over t in o of |f(t(x)) - f(x)|\n",
		"let few = 3\nlet low = -2\nlet r = [low, 2 * 3]\nlet grown = move(area, r)\ninvariance i = rms over x of rms over t in orbit(moves = few) {grown, put(age, [1, 2])} of |f(t(x)) - f(x)|\n",
		"def steady(o) = rms over x of rms over t in o of |f(t(x)) - f(x)|\ninvariance i = steady(orbit(moves = 3) {move(area, [-2, 6]), put(age, [1, 2])})\n",
		"def steady(c, r, low) = rms over x of rms over t in orbit(moves = 3) {move(c, r), put(age, [low, 2])} of |f(t(x)) - f(x)|\n" +
			"def both(a) = steady(area, [-2, a], 1)\ninvariance i = both(6)\n",
	} {
		if got, _ := movedPoints(t, spec, 4, nil); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s moves to %v, want %v", spec, got, want)
		}
	}
}

// A member of an orbit is called by its amounts.
func TestOrbitMembers(t *testing.T) {
	points, reg := movedPoints(t, "invariance i = rms over x of rms over t in orbit(moves = 2) {move(area, [-2, 6]), move(age, 1)} of |f(t(x)) - f(x)|\n", 3, nil)
	members := reg.Invariances[0].Members
	for f, moved := range points {
		m := members.At(f)
		var amount, age float64
		if _, err := fmt.Sscanf(m.Bindings[1].Value, "move(area, %g), then move(age, %g)", &amount, &age); err != nil {
			t.Fatal(m.Bindings[1].Value, err)
		}
		if want := moved[0] - (1 + 2*float64(3*(f/2)+1)); math.Abs(amount-want) > 1e-3*math.Abs(want) || age != 1 || m.Bindings[0].Rows[0] != int32(f/2) {
			t.Errorf("functional %d is at %v, moved by %v", f, m.Bindings, want)
		}
		if m.Part != "|f(t(x)) - f(x)|" || members.Group(f) != members.Group(0) {
			t.Errorf("functional %d is %s in group %d", f, m.Part, members.Group(f))
		}
	}
}

// An explanation says what sample stands for an orbit.
func TestOrbitExplained(t *testing.T) {
	ex := accepted(t, orbitHead+"invariance i = rms over x of rms over t in orbit {move(area, [-2, 6])} of |f(t(x)) - f(x)|\n", testOptions(nil)).Explain()
	if want := "takes 24 moves of orbit {move(area, [-2, 6])} for each row, which a sample stands for"; !strings.Contains(ex.Shown(), want) {
		t.Errorf("%s\nlacks %q", ex.Shown(), want)
	}
}

// A family that answers one amount at a time is asked for each move by itself.
func TestOrbitOfAFamilyThatMovesOneByOne(t *testing.T) {
	spec := "use fake\ninvariance i = rms over x of rms over t in orbit(moves = 3) {move(area, [-2, 6]), double()} of |f(t(x)) - f(x)|\n"
	points, _ := movedPoints(t, spec, 4, nil)
	once, _ := movedPoints(t, "invariance i = rms over x of rms over t in orbit(moves = 3) {move(area, [-2, 6])} of |f(t(x)) - f(x)|\n", 4, nil)
	if len(points) != 12 || len(once) != 12 {
		t.Fatalf("%d and %d moved points", len(points), len(once))
	}
	for f := range points {
		if row := float64(f / 3); points[f][2] != 3+4*2*(3*row+3) {
			t.Errorf("rooms of functional %d are %v", f, points[f][2])
		}
	}
}

// Test rows and copies are moved by the seed, each row by moves of its own.
func TestOrbitMovesRows(t *testing.T) {
	plan := accepted(t, "data { target price : real }\nkernel linear\nfeatures exact\nlet o = orbit(moves = 3) {move(age, [0, 1])}\nevaluate under o\naugment o\n", testOptions(nil))
	in := plan.At(nil)
	under, copies := in.Transforms(), in.Augmentations()
	if len(under) != 3 || len(copies) != 3 || under[0].Orbit != "orbit(moves = 3) {move(age, [0, 1])}" {
		t.Fatalf("%d and %d moves of %q", len(under), len(copies), under[0].Orbit)
	}
	data := testData(2, nil, func() float64 { return 1 })
	moved := func(tr Transform, seed uint64) plugins.Matrix {
		m, err := tr.Apply(t.Context(), data, seed)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first := moved(under[0], 5)
	if first.Data[1] == first.Data[4] || first.Data[0] != 1 || first.Data[1] < 1 || first.Data[1] > 3 {
		t.Errorf("rows are moved to %v", first.Data)
	}
	if !slices.Equal(first.Data, moved(copies[0], 5).Data) || slices.Equal(first.Data, moved(under[0], 6).Data) || slices.Equal(first.Data, moved(under[1], 5).Data) {
		t.Error("the seed and the number of the move do not decide where rows go")
	}
	if ex := in.Explain(nil); len(ex.Under) != 1 || len(ex.Augment) != 1 || ex.Under[0] != under[0].Orbit {
		t.Errorf("explained as %q and %q", ex.Under, ex.Augment)
	}
}

// Rows may be copied by an orbit that an invariance names.
func TestOrbitCopies(t *testing.T) {
	in := accepted(t, orbitHead+"invariance i = rms over x of rms over t in orbit(moves = 4) {move(area, [-2, 6])} of |f(t(x)) - f(x)|\n", testOptions(nil)).At(nil)
	copies, without := in.Copies()
	if len(copies) != 4 || len(without) != 0 || copies[3].Orbit != "orbit(moves = 4) {move(area, [-2, 6])}" {
		t.Errorf("%d copies, %v", len(copies), without)
	}
}

// The square of an invariance is a mean over the moves where roots of means or sums of squares stand around them.
func TestOverOrbit(t *testing.T) {
	for body, want := range map[string]string{
		"rms over x of rms over t in orbit(moves = 5) {move(age, [0, 1])} of |f(t(x)) - f|":              "5 true",
		"norm(2) over x of rms over t in orbit {move(age, [0, 1])} of |f(t(x)) - f|":                     "24 true",
		"max over x of rms over t in orbit {move(age, [0, 1])} of |f(t(x)) - f|":                         "24 false",
		"rms over x of mean over t in orbit {move(age, [0, 1])} of |f(t(x)) - f|":                        "24 false",
		"rms over x of |mean over t in orbit {move(age, [0, 1])} of f(t(x)) - f|":                        "24 false",
		"rms over x of max over t in {move(age, 1), move(age, -1)} of |f(t(x)) - f|":                     "0 false",
		"rms over x, t in orbit {move(age, [0, 1])} of max {|f(t(x)) - f|, |f(t(x))|}":                   "24 true",
		"hypot(rms over x, t in orbit {move(age, [0, 1])} of |f(t(x)) - f|, max over x of |d/d(age) f|)": "24 true",
	} {
		moves, squares := OverOrbit(accepted(t, orbitHead+"invariance i = "+body+"\n", testOptions(nil)).At(nil), "i")
		if got := fmt.Sprint(moves, squares); got != want {
			t.Errorf("%s is %s, want %s", body, got, want)
		}
	}
}

// What a message about an orbit says to write compiles.
func TestMendsOfOrbits(t *testing.T) {
	const head = "data { target digit : binary(4, 9); columns image(28, 28) }\nkernel gaussian(width = median)\nfeatures nystrom(landmarks = all)\n"
	for _, c := range []struct{ faulty, part, write string }{
		{"augment rotate([-15deg, 15deg])", "rotate([-15deg, 15deg])", "orbit {rotate([-15deg, 15deg])}"},
		{"augment t in orbit {scale([0, 0.1])}", "t in orbit {scale([0, 0.1])}", "orbit {scale([0, 0.1])}"},
		{"augment t in {scale([0, 0.1])}", "t in {scale([0, 0.1])}", "orbit {scale([0, 0.1])}"},
		{"augment {scale([0, 0.1])}", "{scale([0, 0.1])}", "orbit {scale([0, 0.1])}"},
		{"evaluate under {scale([0, 0.1])}", "{scale([0, 0.1])}", "orbit {scale([0, 0.1])}"},
		{"learn svm under t in {scale(0.1)}", "t in {scale(0.1)}", "{scale(0.1)}"},
		{"learn svm under {shift(dx = [-2, 2], dy = 1)}", "{shift(dx = [-2, 2], dy = 1)}", "{shift(dx = -2, dy = 1), shift(dx = 2, dy = 1)}"},
		{"augment orbit {scale([0.9, 1.1])}", "scale([0.9, 1.1])", "scale([-0.1, 0.1])"},
		{"augment {scale(1.1)}", "scale(1.1)", "scale(0.1)"},
		{"learn svm(loss = grid(hinge, squared))", "grid(hinge, squared)", "squared"},
		{"augment orbit(moves = 2.5) {scale([0, 0.1])}", "2.5", "2"},
		{"invariance i = rms over x of rms over t in scale([0, 0.1]) of |f(t(x)) - f(x)|", "scale([0, 0.1])", "orbit {scale([0, 0.1])}"},
	} {
		list := all(t, head+c.faulty)
		if len(list) != 1 || !strings.Contains(list[0].Mend+list[0].Summary, c.write) {
			t.Errorf("%s: %v", c.faulty, list)
		}
		if list := all(t, head+strings.Replace(c.faulty, c.part, c.write, 1)); len(list) > 0 {
			t.Errorf("%s, mended: %v", c.faulty, list)
		}
	}
}
