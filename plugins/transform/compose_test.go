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

// composed answers a call of compositions on data of which the family sees all.
func composed(ctx context.Context, tb testing.TB, data *plugins.Data, call *plugins.MoveCall) (*plugins.Block, error) {
	tb.Helper()
	s, err := transform.New().Open(ctx, data)
	if err != nil {
		tb.Fatal(err)
	}
	return plugins.Move(ctx, s, call)
}

// angles is a call that turns every row by an angle of its own, between two.
func angles(data *plugins.Data, low, high float64) *plugins.MoveCall {
	call := &plugins.MoveCall{At: familytest.Evaluations(data), Steps: []plugins.MoveStep{
		{Name: "rotate", Args: args("angle", low), Free: []plugins.FreeAmount{{Low: low, High: high}}},
	}}
	call.Amounts = plugins.Matrix{Rows: data.N(), Cols: 1}
	for i := range data.N() {
		call.Which = append(call.Which, int32(i))
		call.Amounts.Data = append(call.Amounts.Data, float64(i)/float64(data.N()))
	}
	return call
}

// One step is the map itself, number by number, whatever the preparation.
func TestOneStepIsTheMap(t *testing.T) {
	plain, prepared := images(9, 11, 7), images(9, 11, 7)
	for j := range prepared.Rows.Cols {
		prepared.Offset = append(prepared.Offset, 0.2*math.Sin(float64(j)))
		prepared.Scale = append(prepared.Scale, 1+0.5*math.Cos(float64(j)))
	}
	for _, data := range []*plugins.Data{plain, prepared} {
		b, err := composed(t.Context(), t, data, angles(data, -0.4, 0.9))
		if err != nil {
			t.Fatal(err)
		}
		for i := range data.N() {
			angle := -0.4 + float64(float64(i)/float64(data.N())*(0.9+0.4))
			if want := moved(t, data, "rotate", args("angle", angle))[i]; !slices.Equal(familytest.Point(b, data, i), want) {
				t.Errorf("row %d, turned by %v, is off by %v", i, angle, largestDifference(familytest.Point(b, data, i), want))
			}
		}
	}
}

// Steps compose from the first to the last, and an image is resampled once: a turn and its inverse leave it as it is.
func TestStepsCompose(t *testing.T) {
	data := images(21, 21, 2)
	for q := range data.Rows.Data { // a margin, so that nothing leaves the image
		if r, c := q%441/21-10, q%441%21-10; r*r+c*c > 25 {
			data.Rows.Data[q] = 0
		}
	}
	step := func(name string, a ...any) plugins.MoveStep { return plugins.MoveStep{Name: name, Args: args(a...)} }
	at := func(steps ...plugins.MoveStep) *plugins.MoveCall {
		return &plugins.MoveCall{At: familytest.Evaluations(data), Steps: steps, Which: make([]int32, data.N()), Amounts: plugins.Matrix{Rows: 1}}
	}
	back, err := composed(t.Context(), t, data, at(step("rotate", "angle", 0.3), step("scale", "factor", 0.25), step("scale", "factor", -0.2), step("rotate", "angle", -0.3)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range data.N() {
		if d := largestDifference(familytest.Point(back, data, i), data.Rows.Row(i)); d > 1e-12 {
			t.Errorf("there and back again changes row %d by %v", i, d)
		}
	}
	// A shift by whole pixels interpolates nothing, so that it can be done by itself before or behind a turn.
	for _, first := range []bool{true, false} {
		steps := []plugins.MoveStep{step("rotate", "angle", 0.7), step("shift", "dx", 3.0, "dy", -2.0)}
		names, amounts := []string{"rotate", "shift"}, [][]plugins.Value{args("angle", 0.7), args("dx", 3.0, "dy", -2.0)}
		if first {
			slices.Reverse(steps)
			slices.Reverse(names)
			slices.Reverse(amounts)
		}
		got, err := composed(t.Context(), t, data, at(steps...))
		if err != nil {
			t.Fatal(err)
		}
		between := *data
		between.Rows = plugins.Matrix{Rows: data.N(), Cols: data.Rows.Cols, Data: slices.Concat(moved(t, data, names[0], amounts[0])...)}
		for i, want := range moved(t, &between, names[1], amounts[1]) {
			if d := largestDifference(familytest.Point(got, data, i), want); d > 1e-9 {
				t.Errorf("%v differs from one after the other by %v", names, d)
			}
		}
	}
}

// Maps of a table follow each other, and what Map answers for each row of amounts is what Move answers for all.
func TestMoveIsMapForEach(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := familytest.Table(5, 12, 3, rapid.Uint64().Draw(rt, "data"))
		data.Height, data.Width = 3, 4
		at := &plugins.Block{Labels: data.Labels, Points: familytest.Table(3, 12, 0, 9).Rows, Start: []int32{0}}
		call := &plugins.MoveCall{At: at, Amounts: plugins.Matrix{Rows: 4, Cols: 2, Data: []float64{0, 1, 0.25, 0.5, 0.75, 0.125, 0.5, 0}}}
		for range rapid.IntRange(1, 6).Draw(rt, "functionals") {
			for range rapid.IntRange(0, 3).Draw(rt, "terms") {
				at.Term(rapid.Float64Range(-2, 2).Draw(rt, "coef"), int32(rapid.IntRange(-3, 4).Draw(rt, "point")),
					plugins.Evaluation, int32(rapid.IntRange(-1, 2).Draw(rt, "label")))
			}
			at.End()
			call.Which = append(call.Which, int32(rapid.IntRange(0, 3).Draw(rt, "row")))
		}
		call.Steps = []plugins.MoveStep{
			{Name: "move", Args: args("column", 2, "amount", 0.0), Free: []plugins.FreeAmount{{Arg: 1, Amount: 1, Low: -3, High: 5}}},
			{Name: "swap", Args: args("a", 1, "b", 2)},
			{Name: "put", Args: args("column", 4, "value", 0.0), Free: []plugins.FreeAmount{{Arg: 1, Low: 1, High: 2}}},
		}
		s, err := transform.New().Open(context.Background(), data)
		if err != nil {
			rt.Fatal(err)
		}
		all, err := plugins.Move(context.Background(), s, call)
		if err != nil {
			rt.Fatal(err)
		}
		one, err := plugins.Move(context.Background(), struct{ plugins.Session }{s}, call) // which is no Mover
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(all.Start, one.Start) || !slices.Equal(all.Coef, one.Coef) {
			rt.Fatalf("%v and %v, %v and %v", all.Start, one.Start, all.Coef, one.Coef)
		}
		for k := range all.Coef {
			if d := largestDifference(familytest.Point(all, data, k), familytest.Point(one, data, k)); d > 1e-12 {
				rt.Fatalf("term %d differs by %v", k, d)
			}
			if (all.Label[k] < 0) != (one.Label[k] < 0) || all.Label[k] >= 0 && !slices.Equal(all.Labels[all.Label[k]].Index, one.Labels[one.Label[k]].Index) {
				rt.Fatalf("term %d has another label", k)
			}
		}
	})
}

// A family that does not see all of the data composes maps of what it sees.
func TestMoveOfAView(t *testing.T) {
	data := familytest.Table(6, 5, 3, 4)
	s, err := plugins.Open(t.Context(), transform.New(), data, plugins.Needs{Names: []string{data.Columns[1], data.Columns[3]}})
	if err != nil {
		t.Fatal(err)
	}
	call := &plugins.MoveCall{At: familytest.Evaluations(data), Which: []int32{0, 1, 0, 1, 0, 1}, Amounts: plugins.Matrix{Rows: 2, Cols: 1, Data: []float64{0, 1}}}
	column := plugins.Value{Name: "column", Kind: plugins.KindColumn, Text: data.Columns[3], Index: 3}
	call.Steps = []plugins.MoveStep{{Name: "move", Args: []plugins.Value{column, {Name: "amount"}}, Free: []plugins.FreeAmount{{Arg: 1, Low: 1, High: 2}}}}
	b, err := plugins.Move(t.Context(), s, call)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data.N() {
		want := slices.Clone(data.Rows.Row(i))
		want[3] += float64(1 + i%2)
		if d := largestDifference(familytest.Point(b, data, i), want); d > 1e-12 || !slices.Equal(b.Labels[b.Label[i]].Index, data.Labels[i].Index) {
			t.Errorf("row %d moves to %v, want %v", i, familytest.Point(b, data, i), want)
		}
	}
}

func TestMoveErrors(t *testing.T) {
	img, table := images(4, 4, 3), familytest.Table(3, 6, 0, 1)
	for name, c := range map[string]struct {
		data   *plugins.Data
		change func(c *plugins.MoveCall)
		want   string
	}{
		"no steps":    {img, func(c *plugins.MoveCall) { c.Steps = nil }, "no steps"},
		"no block":    {img, func(c *plugins.MoveCall) { c.At = nil }, "no functionals"},
		"rows":        {img, func(c *plugins.MoveCall) { c.Which[0] = 3 }, "row 3 of 3"},
		"few rows":    {img, func(c *plugins.MoveCall) { c.Which = c.Which[1:] }, "3 functionals are moved by 2 rows"},
		"amount":      {img, func(c *plugins.MoveCall) { c.Steps[0].Free[0].Amount = 1 }, "amount 1 of 1"},
		"unknown":     {img, func(c *plugins.MoveCall) { c.Steps[0].Name = "warp" }, `no map "warp"`},
		"table":       {table, func(*plugins.MoveCall) {}, "rotate: it moves images"},
		"out of hand": {img, func(c *plugins.MoveCall) { c.Steps[0].Free[0].High = math.Inf(1) }, "rotate: angle is"},
		"shrinks":     {img, func(c *plugins.MoveCall) { c.Steps[0] = plugins.MoveStep{Name: "scale", Args: args("factor", -1.0)} }, "scale: factor is -1"},
		"column": {table, func(c *plugins.MoveCall) {
			c.Steps[0] = plugins.MoveStep{Name: "move", Args: args("column", 9, "amount", 1.0)}
		}, "move: column 9 of 6"},
	} {
		call := angles(c.data, 0, 1)
		c.change(call)
		if _, err := composed(t.Context(), t, c.data, call); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := composed(ctx, t, img, angles(img, 0, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// BenchmarkCompose moves 1,000 images by 24 moves of three steps each.
func BenchmarkCompose(b *testing.B) {
	data := images(28, 28, 1000)
	call := angles(data, -0.25, 0.25)
	call.Steps = append(call.Steps,
		plugins.MoveStep{Name: "scale", Args: args("factor", 0.0), Free: []plugins.FreeAmount{{Low: -0.1, High: 0.1}}},
		plugins.MoveStep{Name: "shift", Args: args("dx", 0.0, "dy", 0.0), Free: []plugins.FreeAmount{{Low: -2, High: 2}, {Arg: 1, Low: -2, High: 2}}},
	)
	for b.Loop() {
		for range 24 {
			if _, err := composed(b.Context(), b, data, call); err != nil {
				b.Fatal(err)
			}
		}
	}
}
