package transform_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/transform"
)

func args(pairs ...any) []plugins.Value {
	var out []plugins.Value
	for i := 0; i < len(pairs); i += 2 {
		v := plugins.Value{Name: pairs[i].(string)}
		switch x := pairs[i+1].(type) {
		case float64:
			v.Number = x
		case int:
			v.Index = x
		}
		out = append(out, v)
	}
	return out
}

// images is data of smooth blobs that vanish at the border.
func images(h, w, n int) *plugins.Data {
	d := &plugins.Data{Rows: plugins.Matrix{Rows: n, Cols: h * w}, Height: h, Width: w}
	for i := range n {
		for r := range h {
			for c := range w {
				u, v := (float64(c)-float64(w-1)/2)/float64(w), (float64(r)-float64(h-1)/2)/float64(h)
				blob := math.Exp(-40 * ((u-0.1)*(u-0.1) + (v+0.05*float64(i))*(v+0.05*float64(i))))
				d.Rows.Data = append(d.Rows.Data, blob*(1+math.Sin(6*u+float64(i))*math.Cos(5*v)))
			}
		}
	}
	return d
}

// moved is t(x) for every row.
func moved(tb testing.TB, data *plugins.Data, name string, a []plugins.Value) [][]float64 {
	tb.Helper()
	b := answer(tb, data, &plugins.MapCall{Name: name, Args: a, At: familytest.Evaluations(data)})
	out := make([][]float64, data.N())
	for i := range out {
		out[i] = familytest.Point(b, data, i)
	}
	return out
}

func answer(tb testing.TB, data *plugins.Data, call *plugins.MapCall) *plugins.Block {
	tb.Helper()
	b, err := familytest.Map(context.Background(), tb, transform.New(), data, call)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// velocities is ẋ for every row.
func velocities(tb testing.TB, data *plugins.Data, name string, a []plugins.Value) [][]float64 {
	tb.Helper()
	b := answer(tb, data, &plugins.MapCall{Name: name, Args: a, At: familytest.Evaluations(data), Derivative: true})
	out := make([][]float64, data.N())
	for i := range out {
		if got := familytest.Point(b, data, i); largestDifference(got, data.Rows.Row(i)) != 0 {
			tb.Errorf("the derivative of row %d is not taken at the row", i)
		}
		out[i] = b.Tangents.Row(int(b.Tangent[i]))
	}
	return out
}

func largestDifference(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

func TestSchema(t *testing.T) {
	schema, err := transform.New().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(); err != nil {
		t.Error(err)
	}
}

// One bright pixel shows which way each map moves.
func TestDirections(t *testing.T) {
	const size = 5
	tests := []struct {
		name     string
		args     []plugins.Value
		from, to [2]int // row, column
	}{
		{"shift", args("dx", 1.0), [2]int{2, 2}, [2]int{2, 3}},
		{"shift", args("dy", 2.0), [2]int{2, 2}, [2]int{4, 2}},
		{"shift", args("dx", -2.0, "dy", -1.0), [2]int{2, 2}, [2]int{1, 0}},
		{"rotate", args("angle", math.Pi/2), [2]int{2, 4}, [2]int{0, 2}}, // from the right to the top
		{"rotate", args("angle", -math.Pi/2), [2]int{2, 4}, [2]int{4, 2}},
		{"scale", args("factor", 1.0), [2]int{2, 3}, [2]int{2, 4}},
		{"shear", args("x", 1.0), [2]int{3, 2}, [2]int{3, 3}}, // below the centre to the right
		{"shear", args("y", 1.0), [2]int{2, 3}, [2]int{3, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := &plugins.Data{Rows: plugins.Matrix{Rows: 1, Cols: size * size, Data: make([]float64, size*size)}, Height: size, Width: size}
			data.Rows.Data[tt.from[0]*size+tt.from[1]] = 1
			got := moved(t, data, tt.name, tt.args)[0]
			if v := got[tt.to[0]*size+tt.to[1]]; math.Abs(v-1) > 1e-12 {
				t.Errorf("%s%v moves the pixel at %v elsewhere than to %v: %v", tt.name, tt.args, tt.from, tt.to, got)
			}
		})
	}
}

// The directions in which the derivatives are tested; each map's parameter runs along these arguments.
var motions = []struct {
	name string
	at   func(s float64) []plugins.Value
}{
	{"rotate", func(s float64) []plugins.Value { return args("angle", s) }},
	{"rotate", func(s float64) []plugins.Value { return args("angle", -s) }},
	{"scale", func(s float64) []plugins.Value { return args("factor", s) }},
	{"scale", func(s float64) []plugins.Value { return args("factor", -s) }},
	{"shift", func(s float64) []plugins.Value { return args("dx", s) }},
	{"shift", func(s float64) []plugins.Value { return args("dx", 0.6*s, "dy", -0.8*s) }},
	{"shear", func(s float64) []plugins.Value { return args("x", s) }},
	{"shear", func(s float64) []plugins.Value { return args("x", 0.8*s, "y", 0.6*s) }},
}

// Derivatives agree with central differences of the map itself, with and without a preparation of the features.
func TestDerivativeIsThatOfTheMap(t *testing.T) {
	plain := images(20, 24, 2)
	prepared := images(20, 24, 2)
	for j := range prepared.Rows.Cols {
		prepared.Offset = append(prepared.Offset, 0.2*math.Sin(float64(j)))
		prepared.Scale = append(prepared.Scale, 1+0.5*math.Cos(float64(j)))
		for i := range prepared.N() {
			row := prepared.Rows.Row(i)
			row[j] = (row[j] - prepared.Offset[j]) / prepared.Scale[j]
		}
	}
	const h = 1e-4
	for _, m := range motions {
		for _, data := range []*plugins.Data{plain, prepared} {
			// The size of the arguments does not matter, their direction does.
			got := velocities(t, data, m.name, m.at(0.3))
			forward, back := moved(t, data, m.name, m.at(h)), moved(t, data, m.name, m.at(-h))
			for i := range got {
				want := make([]float64, len(got[i]))
				for q := range want {
					want[q] = (forward[i][q] - back[i][q]) / (2 * h)
				}
				if d := largestDifference(got[i], want); d > 2e-3 {
					t.Errorf("%s%v: derivative is off by %v", m.name, m.at(1), d)
				}
			}
		}
	}
}

// On a smooth image the derivative is that of the image as a function of the plane.
func TestDerivativeOfSmoothImage(t *testing.T) {
	const size = 81
	data := &plugins.Data{Rows: plugins.Matrix{Rows: 1, Cols: size * size}, Height: size, Width: size}
	want := make([]float64, 0, size*size)
	for r := range size {
		for c := range size {
			u, v := float64(c-size/2), float64(r-size/2)
			g := math.Exp(-((u-6)*(u-6) + v*v) / 200)
			data.Rows.Data = append(data.Rows.Data, g)
			gu, gv := -(u-6)/100*g, -v/100*g
			want = append(want, -(gu*v - gv*u)) // rotation: velocity (v, −u)
		}
	}
	got := velocities(t, data, "rotate", args("angle", 1.0))[0]
	for q := range got { // at the border the image breaks off
		if r, c := q/size, q%size; r == 0 || r == size-1 || c == 0 || c == size-1 {
			got[q], want[q] = 0, 0
		}
	}
	if d := largestDifference(got, want); d > 5e-3*slices.Max(want) {
		t.Errorf("derivative is off by %v of %v", d, slices.Max(want))
	}
}

func TestGroupLaws(t *testing.T) {
	data := images(41, 41, 1)
	x := data.Rows.Row(0)
	for q := range x { // a margin, so that nothing leaves the image
		if r, c := q/41, q%41; min(r, c, 40-r, 40-c) < 4 {
			x[q] = 0
		}
	}
	for k := -2; k <= 2; k++ {
		if d := largestDifference(moved(t, data, "rotate", args("angle", 2*math.Pi*float64(k)))[0], x); d > 1e-12 {
			t.Errorf("rotating by %d·2π changes the image by %v", k, d)
		}
	}
	for _, name := range []string{"shift", "shear"} {
		if d := largestDifference(moved(t, data, name, nil)[0], x); d != 0 {
			t.Errorf("%s without arguments changes the image by %v", name, d)
		}
	}
	if d := largestDifference(moved(t, data, "scale", args("factor", 0.0))[0], x); d != 0 {
		t.Errorf("scaling by nothing changes the image by %v", d)
	}
	then := func(a, b []plugins.Value, name string) []float64 {
		step := *data
		step.Rows = plugins.Matrix{Rows: 1, Cols: len(x), Data: moved(t, data, name, a)[0]}
		return moved(t, &step, name, b)[0]
	}
	laws := []struct {
		name           string
		first, second  []plugins.Value
		whole          []plugins.Value
		largestAllowed float64
	}{
		{"rotate", args("angle", 0.4), args("angle", 0.7), args("angle", 1.1), 0.04},
		{"rotate", args("angle", math.Pi/2), args("angle", math.Pi/2), args("angle", math.Pi), 1e-12},
		{"shift", args("dx", 2.0, "dy", -1.0), args("dx", -3.0, "dy", 4.0), args("dx", -1.0, "dy", 3.0), 0},
		{"shift", args("dx", 0.5), args("dx", 0.25), args("dx", 0.75), 0.02},
		{"scale", args("factor", 0.25), args("factor", -0.2), args("factor", 0.0), 0.04},
		{"shear", args("x", 0.1), args("x", 0.2), args("x", 0.3), 0.02},
		{"shear", args("y", 0.1), args("y", -0.1), args("y", 0.0), 0.03},
	}
	for _, l := range laws {
		if d := largestDifference(then(l.first, l.second, l.name), moved(t, data, l.name, l.whole)[0]); d > l.largestAllowed {
			t.Errorf("%s %v then %v differs from %v by %v", l.name, l.first, l.second, l.whole, d)
		}
	}
}

// Functionals of several terms, at rows and new points, map term by term; labels pass through.
func TestTermByTerm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := familytest.Table(5, 12, 3, rapid.Uint64().Draw(rt, "data"))
		data.Height, data.Width = 3, 4
		at := &plugins.Block{Labels: data.Labels, Points: familytest.Table(3, 12, 0, 9).Rows}
		for range rapid.IntRange(0, 6).Draw(rt, "functionals") {
			for range rapid.IntRange(0, 3).Draw(rt, "terms") {
				at.Term(rapid.Float64Range(-2, 2).Draw(rt, "coef"), int32(rapid.IntRange(-3, 4).Draw(rt, "point")),
					plugins.Evaluation, int32(rapid.IntRange(-1, 4).Draw(rt, "label")))
			}
			at.End()
		}
		f := familytest.NewFunction(12, 3, 4)
		m := rapid.SampledFrom([]string{"rotate", "move"}).Draw(rt, "map")
		a := map[string][]plugins.Value{"rotate": args("angle", 0.3), "move": args("column", 2, "amount", 0.3)}[m]
		values := f.Values(answer(t, data, &plugins.MapCall{Name: m, Args: a, At: at}), data)
		slopes := f.Values(answer(t, data, &plugins.MapCall{Name: m, Args: a, At: at, Derivative: true}), data)
		for i := range at.Len() {
			value, slope := 0.0, 0.0
			for k := at.Start[i]; k < at.Start[i+1]; k++ {
				one := &plugins.Data{Rows: plugins.Matrix{Rows: 1, Cols: 12, Data: familytest.Point(at, data, int(k))}, Height: 3, Width: 4}
				var y *plugins.Label
				if at.Label[k] >= 0 {
					y = &at.Labels[at.Label[k]]
				}
				value += at.Coef[k] * f.At(moved(t, one, m, a)[0], y)
				slope += at.Coef[k] * f.Along(one.Rows.Data, y, velocities(t, one, m, a)[0])
			}
			if math.Abs(values[i]-value) > 1e-12 || math.Abs(slopes[i]-slope) > 1e-12 {
				rt.Fatalf("functional %d is %v with slope %v, its terms give %v and %v", i, values[i], slopes[i], value, slope)
			}
		}
	})
}

func TestMove(t *testing.T) {
	data := familytest.Table(3, 4, 0, 1)
	data.Offset, data.Scale = []float64{1, 2, 3, 4}, []float64{1, 2, 4, 8}
	got := moved(t, data, "move", args("column", 2, "amount", 0.5))
	for i, x := range got {
		want := slices.Clone(data.Rows.Row(i))
		want[2] += 0.125
		if !slices.Equal(x, want) {
			t.Errorf("row %d moves to %v, want %v", i, x, want)
		}
	}
	for i, v := range velocities(t, data, "move", args("column", 2, "amount", 0.5)) {
		if !slices.Equal(v, []float64{0, 0, 0.25, 0}) {
			t.Errorf("row %d moves at %v", i, v)
		}
	}
}

// Values are put and exchanged in raw units, feature by feature. A feature without a partner becomes 0.
func TestPutAndSwap(t *testing.T) {
	data := &plugins.Data{
		Rows: plugins.Matrix{Rows: 1, Cols: 4, Data: []float64{1, 2, 3, 4}}, Offset: []float64{1, 2, 3, 4}, Scale: []float64{1, 2, 4, 8},
	}
	for _, tt := range []struct {
		name string
		args []plugins.Value
		want []float64
	}{
		{"put", args("column", 1, "value", 4.0, "column", 3, "value", 0.0), []float64{1, 1, 3, -0.5}},
		{"swap", args("a", 0, "b", 1), []float64{5, 0, 3, 4}}, // 2 and 6 change places
		{"swap", args("a", 2, "b", 3, "a", 1), []float64{1, -1, 8.25, 1.375}},
		{"swap", args("b", 1), []float64{1, -1, 3, 4}},
	} {
		if got := moved(t, data, tt.name, tt.args)[0]; !slices.Equal(got, tt.want) {
			t.Errorf("%s %v gives %v, want %v", tt.name, tt.args, got, tt.want)
		}
	}
}

// A derivative needs no amount: without one it is that of the smallest step forward.
func TestDerivativeWithoutAmount(t *testing.T) {
	img, table := images(6, 6, 1), familytest.Table(1, 4, 0, 1)
	for _, tt := range []struct {
		name       string
		data       *plugins.Data
		with, none []plugins.Value
	}{
		{"rotate", img, args("angle", 0.2), nil},
		{"scale", img, args("factor", 0.2), nil},
		{"move", table, args("column", 1, "amount", 0.2), args("column", 1)},
	} {
		with, none := velocities(t, tt.data, tt.name, tt.with)[0], velocities(t, tt.data, tt.name, tt.none)[0]
		if !slices.Equal(with, none) {
			t.Errorf("%s: %v without an amount, %v with one", tt.name, none, with)
		}
	}
}

func TestErrors(t *testing.T) {
	table, img := familytest.Table(2, 6, 0, 1), images(4, 4, 2)
	wrong := images(4, 4, 1)
	wrong.Height = 5
	slope := &plugins.Block{Tangents: plugins.Matrix{Rows: 1, Cols: 16, Data: make([]float64, 16)}}
	slope.Term(1, 0, 0, plugins.NoLabel)
	slope.End()
	beyond := &plugins.Block{}
	beyond.Term(1, 99, plugins.Evaluation, plugins.NoLabel)
	beyond.End()
	tests := []struct {
		name string
		data *plugins.Data
		call plugins.MapCall
		want string
	}{
		{"table", table, plugins.MapCall{Name: "rotate", Args: args("angle", 1.0)}, "the features are a table"},
		{"size", wrong, plugins.MapCall{Name: "shift", Args: args("dx", 1.0)}, "an image of 5×4 has 20 pixels, but there are 16 features"},
		{"no angle", img, plugins.MapCall{Name: "rotate"}, "by which angle"},
		{"NaN", img, plugins.MapCall{Name: "rotate", Args: args("angle", math.NaN())}, "angle is NaN"},
		{"vanish", img, plugins.MapCall{Name: "scale", Args: args("factor", -1.0)}, "factor is -1"},
		{"flat", img, plugins.MapCall{Name: "shear", Args: args("x", 2.0, "y", 0.5)}, "press the image flat"},
		{"no direction", img, plugins.MapCall{Name: "shift", Derivative: true}, "no derivative"},
		{"no column", table, plugins.MapCall{Name: "move"}, "which column"},
		{"nothing put", table, plugins.MapCall{Name: "put"}, "which value"},
		{"nothing swapped", table, plugins.MapCall{Name: "swap"}, "which columns"},
		{"value", table, plugins.MapCall{Name: "put", Args: args("column", 1, "value", math.Inf(1))}, "value is +Inf"},
		{"column", table, plugins.MapCall{Name: "move", Args: args("column", 6, "amount", 1.0)}, "column 6 of 6 features"},
		{"unknown", img, plugins.MapCall{Name: "warp"}, "no such map"},
		{"derivatives", img, plugins.MapCall{Name: "shift", Args: args("dx", 1.0), At: slope}, "not on its derivatives"},
		{"bad block", img, plugins.MapCall{Name: "shift", Args: args("dx", 1.0), At: beyond}, "point 99"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.call.At == nil {
				tt.call.At = familytest.Evaluations(tt.data)
			}
			_, err := familytest.Map(t.Context(), t, transform.New(), tt.data, &tt.call)
			if err == nil || !strings.HasPrefix(err.Error(), tt.call.Name+": ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one of %s that says %q", err, tt.call.Name, tt.want)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	data := images(10, 10, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	call := &plugins.MapCall{Name: "shift", Args: args("dx", 1.0), At: familytest.Evaluations(data)}
	if _, err := familytest.Map(ctx, t, transform.New(), data, call); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func BenchmarkRotate(b *testing.B) {
	data := images(28, 28, 1000)
	call := &plugins.MapCall{Name: "rotate", Args: args("angle", 0.2), At: familytest.Evaluations(data)}
	b.SetBytes(1000 * 784 * 8)
	for b.Loop() {
		answer(b, data, call)
	}
}
