package compiler

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
)

// A statement over columns has the functionals of one statement for each column, in the order of the list.
func TestColumnsAreBound(t *testing.T) {
	data := &plugins.Data{
		Columns: []string{"area", "age", "a still", "rooms", "region=a", "missing(age)"},
		Rows:    plugins.Matrix{Rows: 2, Cols: 6, Data: []float64{1, 2, 0, 4, 1, 0, 5, 6, 0, 8, 0, 1}},
	}
	g := &ground.Data{Data: data, Unit: []float64{2, 3, 1, 4, 1, 1}, Constant: func(j int) bool { return j == 2 }}
	for set, want := range map[string][]string{
		"columns(age, area)":          {"age 3", "area 2"},
		`columns("a*")`:               {"area 2", "age 3"},
		`columns("a*", age, "rooms")`: {"area 2", "age 3", "rooms 4"},
		`columns("*=*")`:              {"region=a 1"},
		`columns("*")`:                {"area 2", "age 3", "rooms 4"},
	} {
		spec := "data { target price : real }\nkernel gaussian(width = 1)\nfeatures exact\ninvariance i = max over c in " + set + ", x of pos(-d/d(c) f)\n"
		r, err := accepted(t, spec, testOptions(nil)).At(nil).Ground(t.Context(), g)
		if err != nil {
			t.Error(set, err)
			continue
		}
		var got []string
		b := r.Functionals
		for i := 0; i < b.Len(); i += data.N() { // at the first row
			along := b.Tangents.Row(int(b.Tangent[b.Start[i]]))
			for j, v := range along {
				if v != 0 {
					got = append(got, fmt.Sprintf("%s %g", data.Columns[j], v))
				}
			}
			member := r.Invariances[0].Members.At(i)
			if part := "pos(-d/d(" + member.Bindings[0].Value + ") f)"; member.Part != part {
				t.Errorf("%s: functional %d stands for %s, want %s", set, i, member.Part, part)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", set, d)
		}
	}
	spec := "data { target price : real }\nkernel gaussian(width = 1)\nfeatures exact\ninvariance i = rms over x, c in columns(\"z*\") of |d/d(c) f|\n"
	_, err := accepted(t, spec, testOptions(nil)).At(nil).Ground(t.Context(), g)
	var list diag.List
	if !errors.As(err, &list) || list[0].Code != codes.EmptyIndexSet {
		t.Errorf("no column begins with z: %v", err)
	}
}

// A set of too many columns is refused before the directions along them are made, which are as many numbers as the square.
func TestDirectionsAreCountedBeforeTheyAreMade(t *testing.T) {
	const columns = 20_000
	data := &plugins.Data{Rows: plugins.Matrix{Rows: 1, Cols: columns, Data: make([]float64, columns)}}
	for j := range columns {
		data.Columns = append(data.Columns, fmt.Sprintf("c%d", j))
	}
	plan := accepted(t, "data { target price : real }\nkernel gaussian(width = 1)\nfeatures exact\ninvariance i = max over x, c in columns(\"*\") of |d/d(c) f|\n", testOptions(nil))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := plan.At(nil).Ground(limits.WithMemory(t.Context(), 1<<30), &ground.Data{Data: data})
	runtime.ReadMemStats(&after)
	var list diag.List
	if !errors.As(err, &list) || list[0].Code != codes.TooLarge {
		t.Errorf("%d columns: %v", columns, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
		t.Errorf("the refusal took %d MiB", took>>20)
	}
}
