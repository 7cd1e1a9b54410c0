package plugins_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
)

const rows, features, labels = 4, 3, 5

// sound draws a block that is valid for 4 rows, 3 features and 5 labels, with at least one of everything.
func sound(t *rapid.T) *plugins.Block {
	number := rapid.Float64Range(-1e3, 1e3)
	b := &plugins.Block{}
	for range rapid.IntRange(1, 3).Draw(t, "points") {
		b.Points.Append(rapid.SliceOfN(number, features, features).Draw(t, "point"))
	}
	for range rapid.IntRange(1, 3).Draw(t, "tangents") {
		b.Tangents.Append(rapid.SliceOfN(number, features, features).Draw(t, "tangent"))
	}
	for range rapid.IntRange(1, 3).Draw(t, "labels") {
		index := rapid.SliceOfNDistinct(rapid.Int32Range(0, labels-1), 1, 3, rapid.ID[int32]).Draw(t, "index")
		slices.Sort(index)
		b.Labels = append(b.Labels, plugins.Label{Index: index, Value: rapid.SliceOfN(number, len(index), len(index)).Draw(t, "value")})
	}
	for range rapid.IntRange(1, 4).Draw(t, "functionals") {
		for range rapid.IntRange(1, 3).Draw(t, "terms") {
			b.Term(number.Draw(t, "coef"),
				rapid.Int32Range(int32(-b.Points.Rows), rows-1).Draw(t, "at"),
				rapid.Int32Range(-1, int32(b.Tangents.Rows-1)).Draw(t, "along"),
				rapid.Int32Range(-1, int32(len(b.Labels)-1)).Draw(t, "of"))
		}
		b.End()
	}
	return b
}

func TestValidateAcceptsSoundBlocks(t *testing.T) {
	for _, b := range []*plugins.Block{{}, {Start: []int32{0}}, {Start: []int32{0, 0, 0}}} {
		if err := b.Validate(rows, features, labels); err != nil {
			t.Errorf("%+v: %v", b, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := sound(t)
		if err := b.Validate(rows, features, labels); err != nil {
			t.Fatal(err)
		}
	})
}

// Each way of spoiling a sound block is found.
func TestValidateRefusesEveryDefect(t *testing.T) {
	defects := []struct {
		want  string
		spoil func(*plugins.Block)
	}{
		{"coefficient 0 is NaN, in functional 0", func(b *plugins.Block) { b.Coef[0] = math.NaN() }},
		{"coefficient 0 is +Inf", func(b *plugins.Block) { b.Coef[0] = math.Inf(1) }},
		{"names point 4 of 4 rows", func(b *plugins.Block) { b.Point[0] = rows }},
		{"names point", func(b *plugins.Block) { b.Point[0] = ^int32(b.Points.Rows) }},
		{"names point", func(b *plugins.Block) { b.Point[0] = math.MinInt32 }},
		{"names tangent", func(b *plugins.Block) { b.Tangent[0] = int32(b.Tangents.Rows) }},
		{"names tangent -2", func(b *plugins.Block) { b.Tangent[0] = plugins.Twice(0) }},
		{"names label", func(b *plugins.Block) { b.Label[0] = int32(len(b.Labels)) }},
		{"names label -2", func(b *plugins.Block) { b.Label[0] = -2 }},
		{"row 0, column 2 of the points is -Inf", func(b *plugins.Block) { b.Points.Data[2] = math.Inf(-1) }},
		{"row 0, column 0 of the tangents is NaN", func(b *plugins.Block) { b.Tangents.Data[0] = math.NaN() }},
		{"label 0 is NaN at class", func(b *plugins.Block) { b.Labels[0].Value[0] = math.NaN() }},
		{"holds index 5", func(b *plugins.Block) { b.Labels[0].Index[0] = labels }},
		{"holds index -1", func(b *plugins.Block) { b.Labels[0].Index[0] = -1 }},
		{"indices must ascend", func(b *plugins.Block) { b.Labels[0] = plugins.Label{Index: []int32{1, 1}, Value: []float64{1, 2}} }},
		{"has 2 indices and 1 values", func(b *plugins.Block) { b.Labels[0] = plugins.Label{Index: []int32{1, 2}, Value: []float64{1}} }},
		{"coefficients but", func(b *plugins.Block) { b.Coef = b.Coef[1:] }},
		{"coefficients but", func(b *plugins.Block) { b.Tangent = append(b.Tangent, -1) }},
		{"starts run from", func(b *plugins.Block) { b.Start[len(b.Start)-1]++ }},
		{"starts run from", func(b *plugins.Block) { b.Start[0] = -1 }},
		{"lies before", func(b *plugins.Block) { b.Start = []int32{0, int32(len(b.Coef)) + 1, int32(len(b.Coef))} }},
		{"belong to no functional", func(b *plugins.Block) { b.Start = nil }},
		{"points are", func(b *plugins.Block) { b.Points.Data = b.Points.Data[1:] }},
		{"tangents are", func(b *plugins.Block) { b.Tangents.Cols++ }},
		{"points are", func(b *plugins.Block) { b.Points.Rows = -1 }},
		{"points are", func(b *plugins.Block) { *b = plugins.Block{Points: plugins.Matrix{Rows: 1, Cols: 9}} }},
	}
	for _, d := range defects {
		rapid.Check(t, func(rt *rapid.T) {
			b := sound(rt)
			d.spoil(b)
			err := b.Validate(rows, features, labels)
			if err == nil || !strings.Contains(err.Error(), d.want) {
				rt.Fatalf("error %v, want one that says %q", err, d.want)
			}
		})
	}
}

// What is not finite is found at its row, its column and its functional, whichever functionals are without terms.
func TestWhatIsNotFiniteIsFound(t *testing.T) {
	for want, spoil := range map[string]func(*plugins.Block){
		"coefficient 1 is NaN, in functional 2":                    func(b *plugins.Block) { b.Coef[1] = math.NaN() },
		"row 1, column 2 of the points is +Inf, in functional 3":   func(b *plugins.Block) { b.Points.Row(1)[2] = math.Inf(1) },
		"row 2, column 0 of the points is NaN, in no functional":   func(b *plugins.Block) { b.Points.Row(2)[0] = math.NaN() },
		"row 0, column 1 of the tangents is -Inf, in functional 2": func(b *plugins.Block) { b.Tangents.Row(0)[1] = math.Inf(-1) },
		"row 1, column 1 of the tangents is NaN, in no functional": func(b *plugins.Block) { b.Tangents.Row(1)[1] = math.NaN() },
		"label 1 is NaN at class 4":                                func(b *plugins.Block) { b.Labels[1].Value[0] = math.NaN() },
	} {
		b := &plugins.Block{Labels: []plugins.Label{{}, {Index: []int32{4}, Value: []float64{1}}}}
		for range 3 {
			b.Points.Append(make([]float64, features))
			b.Tangents.Append(make([]float64, features))
		}
		b.Term(1, 2, plugins.Evaluation, plugins.NoLabel)
		b.End()
		b.End() // without terms
		b.Term(1, ^int32(0), 0, plugins.NoLabel)
		b.End()
		b.Term(1, ^int32(1), plugins.Evaluation, 1)
		b.End()
		spoil(b)
		if err := b.Validate(rows, features, labels); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Any block whatsoever is either refused or can be walked without leaving a slice.
func TestValidateGuardsEveryIndex(t *testing.T) {
	small := rapid.Int32Range(-3, 5)
	rapid.Check(t, func(t *rapid.T) {
		b := &plugins.Block{
			Start:    rapid.SliceOfN(small, 0, 4).Draw(t, "start"),
			Coef:     rapid.SliceOfN(rapid.Float64(), 0, 3).Draw(t, "coef"),
			Point:    rapid.SliceOfN(small, 0, 3).Draw(t, "point"),
			Tangent:  rapid.SliceOfN(small, 0, 3).Draw(t, "tangent"),
			Label:    rapid.SliceOfN(small, 0, 3).Draw(t, "label"),
			Points:   plugins.Matrix{Rows: rapid.IntRange(-1, 2).Draw(t, "rows"), Cols: 3, Data: make([]float64, 3)},
			Tangents: plugins.Matrix{Rows: 1, Cols: 3, Data: make([]float64, 3)},
			Labels:   []plugins.Label{{Index: rapid.SliceOfN(small, 0, 3).Draw(t, "index"), Value: []float64{1}}},
		}
		if b.Validate(rows, features, labels) != nil {
			return
		}
		data := make([][]float64, rows)
		scores := make([]float64, labels)
		for i := range b.Len() {
			for k := b.Start[i]; k < b.Start[i+1]; k++ {
				_ = b.Coef[k]
				if p := b.Point[k]; p >= 0 {
					_ = data[p]
				} else {
					_ = b.Points.Row(int(^p))
				}
				if v := b.Tangent[k]; v != plugins.Evaluation {
					_ = b.Tangents.Row(int(v))
				}
				if l := b.Label[k]; l != plugins.NoLabel {
					for c, j := range b.Labels[l].Index {
						scores[j] += b.Labels[l].Value[c]
					}
				}
			}
		}
	})
}

func TestChunkValidate(t *testing.T) {
	schema := &plugins.DomainSchema{Name: "d", Binds: []plugins.Bind{
		{Name: "a", Kind: plugins.BindLabel}, {Name: "x", Kind: plugins.BindPoint}, {Name: "s", Kind: plugins.BindParameter},
	}}
	call := &plugins.DomainCall{Name: "d", Nodes: []float64{0, 1}, Derivative: true}
	block := func(functionals int) *plugins.Block { return &plugins.Block{Start: make([]int32, functionals+1)} }
	good := func() *plugins.Chunk {
		return &plugins.Chunk{
			Count: 3, Labels: [][]int32{{0, 1, 4}},
			Points: []*plugins.Block{block(6)}, Derivatives: []*plugins.Block{block(6)},
		}
	}
	tests := []struct {
		want  string
		spoil func(*plugins.Chunk)
	}{
		{"", func(*plugins.Chunk) {}},
		{"chunk of -1 elements", func(c *plugins.Chunk) { c.Count = -1 }},
		{"binds 0 labels, want 1", func(c *plugins.Chunk) { c.Labels = nil }},
		{"has 2 labels", func(c *plugins.Chunk) { c.Labels[0] = c.Labels[0][:2] }},
		{"binds label 5 of 5", func(c *plugins.Chunk) { c.Labels[0][1] = labels }},
		{"0 blocks of points, want 1", func(c *plugins.Chunk) { c.Points = nil }},
		{"3 functionals among its points, want 6", func(c *plugins.Chunk) { c.Points[0] = block(3) }},
		{"lacks a block of points", func(c *plugins.Chunk) { c.Points[0] = nil }},
		{"0 blocks of derivatives, want 1", func(c *plugins.Chunk) { c.Derivatives = nil }},
		{"derivatives: block: 1 coefficients", func(c *plugins.Chunk) { c.Derivatives[0].Coef = []float64{1} }},
	}
	for _, tt := range tests {
		c := good()
		tt.spoil(c)
		err := c.Validate(schema, call, rows, features, labels)
		if (err == nil) != (tt.want == "") || (err != nil && !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

func TestSchemaValidate(t *testing.T) {
	bind := []plugins.Bind{{Name: "x", Kind: plugins.BindPoint}}
	tests := []struct {
		want   string
		schema plugins.Schema
	}{
		{"", plugins.Schema{Name: "swaps", Maps: []plugins.MapSchema{{Name: "swap", Needs: plugins.Needs{Columns: plugins.AllColumns}}}}},
		{"", plugins.Schema{Name: "swaps", Maps: []plugins.MapSchema{{Name: "swap", Needs: plugins.Needs{Names: []string{"age"}}}}}},
		{"map swap sees no column that it could move", plugins.Schema{Name: "swaps", Maps: []plugins.MapSchema{{Name: "swap"}}}},
		{"an argument of swap names a column, which it does not see", plugins.Schema{Name: "swaps", Maps: []plugins.MapSchema{
			{Name: "swap", Args: []plugins.Arg{{Name: "a", Kind: plugins.KindColumn}}, Needs: plugins.Needs{Names: []string{"age"}}},
		}}},
		{"an argument of rows names a label, which it does not see", plugins.Schema{Name: "s", Domains: []plugins.DomainSchema{
			{Name: "rows", Binds: bind, Args: []plugins.Arg{{Name: "c", Kind: plugins.KindLabel}}},
		}}},
		{"not a name for a family", plugins.Schema{Name: "my swaps"}},
		{"not a name for a map", plugins.Schema{Name: "s", Maps: []plugins.MapSchema{{Name: "1swap"}}}},
		{"the name is taken", plugins.Schema{Name: "s", Maps: []plugins.MapSchema{{Name: "a"}}, Domains: []plugins.DomainSchema{{Name: "a", Binds: bind}}}},
		{"binds nothing", plugins.Schema{Name: "s", Domains: []plugins.DomainSchema{{Name: "a"}}}},
		{"a parameter moves a point", plugins.Schema{Name: "s", Domains: []plugins.DomainSchema{{Name: "a", Binds: []plugins.Bind{{Name: "t", Kind: plugins.BindParameter}}}}}},
		{"nothing to choose from", plugins.Schema{Name: "s", Maps: []plugins.MapSchema{{Name: "a", Args: []plugins.Arg{{Name: "c", Kind: plugins.KindChoice}}}}}},
		{"unknown kind 99", plugins.Schema{Name: "s", Maps: []plugins.MapSchema{{Name: "a", Args: []plugins.Arg{{Name: "c", Kind: 99}}}}}},
		{"or taken", plugins.Schema{Name: "s", Maps: []plugins.MapSchema{{Name: "a", Args: []plugins.Arg{{Name: "c"}, {Name: "c"}}}}}},
		{"definition d has 5000 bytes, and at most 4096 are read", plugins.Schema{Name: "s", Definitions: []plugins.Definition{{Name: "d", Source: strings.Repeat("(", 5000)}}}},
		{"has no source", plugins.Schema{Name: "s", Definitions: []plugins.Definition{{Name: "d"}}}},
	}
	for _, tt := range tests {
		err := tt.schema.Validate()
		if (err == nil) != (tt.want == "") || (err != nil && !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

func TestCountOr(t *testing.T) {
	for v, want := range map[float64]string{3: "", 0: "at least 1", 2.5: "whole", math.Inf(1): "at most", -1: "at least 1"} {
		n, err := plugins.CountOr([]plugins.Value{{Name: "count", Number: v}}, "count", 9)
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) || (err == nil && n != int(v)) {
			t.Errorf("count = %v: %d, %v", v, n, err)
		}
	}
	if n, err := plugins.CountOr(nil, "count", 9); n != 9 || err != nil {
		t.Errorf("no count: %d, %v; want the fallback", n, err)
	}
}
