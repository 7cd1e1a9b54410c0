package boxes

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// A box holds the rows that it is of, and a grid over it has all its corners.
func TestBox(t *testing.T) {
	rows := Table{{1, 5, 9}, {3, 4, -9}, {2, 7, 0}}
	b := Of(rows, 2)
	if b[0] != [2]float64{1, 3} || b[1] != [2]float64{4, 7} {
		t.Errorf("the box is %v", b)
	}
	places := b.Places(3)
	want := Table{{1, 4}, {1, 5.5}, {1, 7}, {2, 4}, {2, 5.5}, {2, 7}, {3, 4}, {3, 5.5}, {3, 7}}
	if !slices.EqualFunc(places, want, slices.Equal) {
		t.Errorf("places are %v", places)
	}
	for _, row := range slices.Concat(rows, places) {
		if !b.Holds(row) {
			t.Errorf("%v is outside", row)
		}
	}
	for _, row := range (Table{{0.9, 5}, {2, 7.1}}) {
		if b.Holds(row) {
			t.Errorf("%v is inside", row)
		}
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := (Table{{1, 2.5}, {3}}).Write(path, []string{"a", "y"}); err != nil {
		t.Fatal(err)
	}
	if got := pagetest.Read(t, path); got != "a,y\n1,2.5\n3,0\n" {
		t.Errorf("the file is %q", got)
	}
}
