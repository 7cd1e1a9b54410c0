package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// TestRowsInFiles prepares the same rows in memory and in temporary files, of each format that is read cell by cell.
func TestRowsInFiles(t *testing.T) {
	var csv, arff, sparse strings.Builder
	csv.WriteString("a,b,c,y\n")
	arff.WriteString("@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c {u,v}\n@attribute y {no,yes}\n@data\n")
	for i := range 50 {
		line := fmt.Sprintf("%g,%d,%c,%s\n", float64(i)/7, i%5, "uv"[i%2], []string{"no", "yes"}[i/25])
		csv.WriteString(line)
		arff.WriteString(line)
		fmt.Fprintf(&sparse, "%d 1:%g 2:%d\n", 2*(i/25)-1, float64(i)/7, i%5)
	}
	for name, content := range map[string]string{"rows.csv": csv.String(), "rows.arff": arff.String(), "rows.svm": sparse.String()} {
		spec, second := &setting.Data{Target: setting.Target{Task: setting.Binary, Names: []string{"y"}, Classes: [2]string{"no", "yes"}}, Standardize: true}, "b"
		if name == "rows.svm" {
			spec.Target.Names, spec.Target.Classes, second = []string{"label"}, [2]string{"-1", "1"}, "x2"
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var sets []*Set
		for _, least := range []int{limits.PagedRows, 10} {
			table, err := open(t.Context(), path, least)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Prepare(t.Context(), spec, table, nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			sets = append(sets, p.Train)
		}
		if !slices.Equal(sets[0].X.RawMatrix().Data, sets[1].X.RawMatrix().Data) || !slices.Equal(sets[0].Class, sets[1].Class) {
			t.Errorf("%s: rows in files are others than in memory", name)
		}
		b, _ := sets[0].Column(second)
		if in, _ := sets[1].Column(second); !slices.Equal(in.Numbers, b.Numbers) {
			t.Errorf("%s: a column in a file is another one than in memory", name)
		}
	}
}
