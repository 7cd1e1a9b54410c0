package dataset_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// A glance shows names and texts of a table, and of an ARFF file what it declares. A row with a fault ends it.
func TestLook(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    dataset.Glance
	}{
		"a.csv":  {"id,area,region\n01,1,north\n02,2,south\n03,broken\n04,3,west\n", dataset.Glance{Columns: []string{"id", "area", "region"}, Texts: map[string][]string{"id": {"01", "02"}, "region": {"north", "south"}}}},
		"b.arff": {"@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c {0,1}\n@data\n1,x,0\n", dataset.Glance{Columns: []string{"a", "b", "c"}, Texts: map[string][]string{"b": {"x", "y"}}, Whole: true}},
		"d.csv":  {"area,region\n1,north\n2,south\n", dataset.Glance{Columns: []string{"area", "region"}, Texts: map[string][]string{"region": {"north", "south"}}, Whole: true}},
		"c.svm":  {"1 1:2\n", dataset.Glance{}},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := dataset.Look(t.Context(), path)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}
