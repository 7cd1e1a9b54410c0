package dataset_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Rows with weights are prepared as so many equal ones are, and rows with the weight 0 are not there.
func TestWeightsPrepareAsRepeatedRows(t *testing.T) {
	const weights = "a,b,y,w\n1,x,1,2\n5,z,2,0\n2,x,3,1\n4,v,4,3\n,x,5,1\n"
	const repeated = "a,b,y,w\n1,x,1,1\n1,x,1,1\n2,x,3,1\n4,v,4,1\n4,v,4,1\n4,v,4,1\n,x,5,1\n"
	spec := &setting.Data{Target: target(setting.Real, "y"), Missing: setting.MissingMean, Standardize: true, Weight: "w"}
	one, two := mustOpen(t, write(t, "a.csv", weights)), mustOpen(t, write(t, "b.csv", repeated))
	p, q := mustPrepare(t, spec, one, one), mustPrepare(t, spec, two, two)
	if fmt.Sprint(p.Train.Columns) != "[a b=v b=x]" || fmt.Sprint(p.Train.Weight) != "[2 1 3 1]" || p.Train.Total() != 7 || fmt.Sprint(p.Train.Rows) != "[0 2 3 4]" {
		t.Fatalf("columns %q, weights %v, rows %v", p.Train.Columns, p.Train.Weight, p.Train.Rows)
	}
	for k, i := range []int{0, 2, 3, 6} {
		if !slices.EqualFunc(p.Train.X.RawRowView(k), q.Train.X.RawRowView(i), func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("row %d is %v, and repeated %v", k, p.Train.X.RawRowView(k), q.Train.X.RawRowView(i))
		}
	}
	if !slices.EqualFunc(p.Train.Unit, q.Train.Unit, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("units %v and %v", p.Train.Unit, q.Train.Unit)
	}
	if sub := p.Train.Subset([]int{2, 0}); fmt.Sprint(sub.Weight) != "[3 2]" {
		t.Errorf("a subset has the weights %v", sub.Weight)
	}
}

// A further file needs no weights. Where it has them, they are of its rows, and bad ones leave its target out.
func TestWeightsOfFurtherFiles(t *testing.T) {
	spec := &setting.Data{Target: target(setting.Real, "y"), Weight: "w"}
	table := mustOpen(t, write(t, "a.csv", "a,y,w\n1,1,2\n5,2,1\n2,3,1\n"))
	p := mustPrepare(t, spec, table, table)
	for content, want := range map[string]string{
		"a,y\n1,2\n":       "[] true",
		"a,y,w\n1,2,0.5\n": "[0.5] true",
		"a,y,w\n1,2,-1\n":  "[] false",
	} {
		s, err := p.Preparation.Apply(t.Context(), mustOpen(t, write(t, "b.csv", content)))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(s.Weight, s.HasTarget); got != want {
			t.Errorf("%q: %s, want %s; %q", content, got, want, s.Warnings)
		}
	}
}
