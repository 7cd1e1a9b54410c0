package dataset_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Columns in memory are prepared as those of a file with the same cells.
func TestColumnsInMemoryAreThoseOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	const text = "id,area,region,y\n7,1.5,north,a\n8,,south,b\n9,-3,north,a\n10,2e10,,b\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := dataset.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	table, err := dataset.FromColumns("X", []dataset.Column{
		{Name: "id", Numbers: []float64{7, 8, 9, 10}},
		{Name: " area", Numbers: []float64{1.5, math.NaN(), -3, 2e10}},
		{Name: "region", Texts: []string{"north", "south", " north", ""}},
		{Name: "y", Texts: []string{"a", "b", "a", "b"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	spec := &setting.Data{
		Target: setting.Target{Task: setting.Class, Names: []string{"y"}}, Missing: setting.MissingMask, Standardize: true, Split: setting.Split{Untested: true},
	}
	want, err := dataset.Prepare(t.Context(), spec, file, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := dataset.Prepare(t.Context(), spec, table, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Preparation, want.Preparation) {
		t.Errorf("prepared by %+v, want %+v", got.Preparation, want.Preparation)
	}
	if !reflect.DeepEqual(got.Train.X, want.Train.X) || !reflect.DeepEqual(dataset.AllIDs(got.Train), dataset.AllIDs(want.Train)) || !reflect.DeepEqual(got.Train.Class, want.Train.Class) {
		t.Errorf("rows %v of %v, want %v of %v", got.Train.X, dataset.AllIDs(got.Train), want.Train.X, dataset.AllIDs(want.Train))
	}
	if got.Train.Len() != 4 || got.Test.Len() != 0 {
		t.Errorf("%d training rows, %d test rows", got.Train.Len(), got.Test.Len())
	}
}

// A digest tells tables apart that differ in a name, a kind or a cell.
func TestDigestsOfColumns(t *testing.T) {
	seen := map[string]bool{}
	for _, columns := range [][]dataset.Column{
		{{Name: "a", Numbers: []float64{1, 2}}},
		{{Name: "b", Numbers: []float64{1, 2}}},
		{{Name: "a", Numbers: []float64{1, 3}}},
		{{Name: "a", Texts: []string{"1", "2"}}},
		{{Name: "a", Texts: []string{"12", ""}}},
		{{Name: "a", Numbers: []float64{1, 2}}, {Name: "b", Numbers: []float64{1, 2}}},
	} {
		table, err := dataset.FromColumns("X", columns)
		if err != nil {
			t.Fatal(err)
		}
		if seen[table.SHA256] {
			t.Errorf("%+v has the digest of another table", columns)
		}
		seen[table.SHA256] = true
	}
}

// A column that cannot be used is named with what is wrong.
func TestColumnsThatCannotBeUsed(t *testing.T) {
	one := []float64{1, 2}
	for want, columns := range map[string][]dataset.Column{
		"X: there are no rows":                            nil,
		"X: column 2 has no name":                         {{Name: "a", Numbers: one}, {Name: " ", Numbers: one}},
		`X: columns 1 and 2 are both called "a"`:          {{Name: "a", Numbers: one}, {Name: " a", Numbers: one}},
		`X: column "b": 1 cell, but the first column has`: {{Name: "a", Numbers: one}, {Name: "b", Texts: []string{"x"}}},
		`X: column "t": row 2: "\xff" is not UTF-8 text`:  {{Name: "t", Texts: []string{"x", "\xff"}}},
		`X: column "t": row 1: the cell has 2 MiB`:        {{Name: "t", Texts: []string{strings.Repeat("x", 2<<20), "y"}}},
	} {
		if _, err := dataset.FromColumns("X", columns); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
