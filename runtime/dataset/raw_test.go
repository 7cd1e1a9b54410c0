package dataset_test

import (
	"slices"
	"testing"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A prepared row reads as the file has it: numbers in its units, texts, gaps and texts that no training row has.
func TestCells(t *testing.T) {
	path := write(t, "data.csv", "age,town,price\n20,a,1\n40,b,2\n,a,3\n60,b,4\n")
	p, err := dataset.Prepare(t.Context(), &setting.Data{
		Target: setting.Target{Task: setting.Real, Names: []string{"price"}}, Standardize: true, Missing: setting.MissingMask,
		Split: setting.Split{Train: 4},
	}, mustOpen(t, path), mustOpen(t, path), 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range 4 {
		for _, c := range dataset.Cells(p.Preparation, p.Train.X.RawRowView(i)) {
			got = append(got, c.Column+"="+c.Value)
		}
	}
	want := []string{"age=20", "town=a", "age=40", "town=b", "age=gap", "town=a", "age=60", "town=b"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	x := slices.Clone(p.Train.X.RawRowView(0))
	for _, c := range dataset.GroupsOf(p.Preparation)[1].Columns {
		x[c] = 0
	}
	if c := dataset.Cells(p.Preparation, x)[1]; c.Value != "unseen" {
		t.Errorf("%v", c)
	}
}
