package dataset_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

func all(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func column(t *testing.T, table *dataset.Table, name string) dataset.Raw {
	t.Helper()
	raw, ok := table.Column(name, all(table.Len()))
	if !ok {
		t.Fatalf("there is no column %s", name)
	}
	return raw
}

// The same table in every dress of CSV.
func TestCSVDresses(t *testing.T) {
	plain := "id,area,region\n007,1.5,north\n8,-2e3,\"a, b\"\n9,3,\"6\"\" nails\"\n"
	for name, content := range map[string]string{
		"a.csv":       plain,
		"bom.csv":     "\xef\xbb\xbf" + plain,
		"crlf.csv":    "id,area,region\r\n007,1.5,north\r\n8,-2e3,\"a, b\"\r\n9,3,\"6\"\" nails\"\r\n",
		"blank.csv":   "\n\nid,area,region\n007, 1.5 ,north\n\n8,-2e3,\"a, b\"\n9,3,\"6\"\" nails\"",
		"semi.csv":    "id;area;region\n007;1.5;north\n8;-2e3;a, b\n9;3;\"6\"\" nails\"\n",
		"a.tsv":       "id\tarea\tregion\n007\t1.5\tnorth\n8\t-2e3\ta, b\n9\t3\t\"6\"\" nails\"\n",
		"a.csv.gz":    gzipped(plain),
		"unnamed":     gzipped(plain),
		"quoted.data": "\"id\",\"area\",\"region\"\n007,1.5,north\n8,-2000,\"a, b\"\n9,3.0,\"6\"\" nails\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			table := mustOpen(t, write(t, name, content))
			if table.Format != dataset.CSV || !slices.Equal(table.ColumnNames(), []string{"id", "area", "region"}) {
				t.Errorf("format %s, columns %q", table.Format, table.ColumnNames())
			}
			if diff := cmp.Diff([]float64{1.5, -2000, 3}, column(t, table, "area").Numbers); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{"north", "a, b", `6" nails`}, column(t, table, "region").Texts); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{"007", "8", "9"}, column(t, table, "id").Texts); diff != "" {
				t.Error(diff)
			}
			sum := sha256.Sum256([]byte(content))
			if table.SHA256 != hex.EncodeToString(sum[:]) {
				t.Error("the digest is not that of the file's bytes")
			}
		})
	}
}

func TestColumnsThatBecomeText(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", "a,b,c\n1,NA,0x10\n,2,\n2.50,?,1_000\nx,3,7\n"))
	if diff := cmp.Diff([]string{"1", "", "2.5", "x"}, column(t, table, "a").Texts); diff != "" {
		t.Error(diff)
	}
	got := column(t, table, "b").Numbers
	if !math.IsNaN(got[0]) || got[1] != 2 || !math.IsNaN(got[2]) || got[3] != 3 {
		t.Errorf("gaps read as %v", got)
	}
	if diff := cmp.Diff([]string{"0x10", "", "1_000", "7"}, column(t, table, "c").Texts); diff != "" {
		t.Error(diff)
	}
	table = mustOpen(t, write(t, "a.csv", "a,b\nNA,1\n3,1\nyes,1\n"))
	if diff := cmp.Diff([]string{"NA", "3", "yes"}, column(t, table, "a").Texts); diff != "" {
		t.Error(diff)
	}
	if line := table.Line(2); line != 4 {
		t.Errorf("row 2 is on line %d, want 4", line)
	}
}

func TestLIBSVM(t *testing.T) {
	for name, content := range map[string]string{
		"a.svm":    "+1 1:0.5 4:2\n-1 # none\n\n1.0 3:-1 2:7 # late\n",
		"a.txt":    "# head\n+1 1:0.5 4:2\n-1\n1 3:-1 2:7",
		"a.svm.gz": gzipped("+1\t1:0.5 4:2 \r\n-1\r\n01 2:7 3:-1\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			table := mustOpen(t, write(t, name, content))
			if table.Format != dataset.LIBSVM || table.Len() != 3 || !slices.Equal(table.ColumnNames(), []string{"x1", "x2", "x3", "x4"}) {
				t.Fatalf("format %s, %d rows, columns %q", table.Format, table.Len(), table.ColumnNames())
			}
			for k, want := range [][]float64{{0.5, 0, 0}, {0, 0, 7}, {0, 0, -1}, {2, 0, 0}} {
				if diff := cmp.Diff(want, column(t, table, fmt.Sprintf("x%d", k+1)).Numbers); diff != "" {
					t.Errorf("x%d: %s", k+1, diff)
				}
			}
			if diff := cmp.Diff([]float64{1, -1, 1}, column(t, table, "label").Numbers); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMultilabelLIBSVM(t *testing.T) {
	path := write(t, "a.svm", "2,0 1:1\n 2:5\n10 1:2\n2 1:3\n")
	labels := filepath.Join(filepath.Dir(path), "labels.txt")
	for content, want := range map[string][]string{
		"0\tA/1\tfirst label\n2\tA/2\tsecond\n10\tB\tthird\n": {"A/1", "A/2", "B"},
		"10 B third\n2 A second label\n0 A first label\n":     {"first label", "second label", "third"},
		"0 A same\n2 A same\n10 A same\n":                     {"0", "2", "10"},
	} {
		if err := os.WriteFile(labels, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		spec := &setting.Data{Target: setting.Target{Task: setting.Multilabel, LabelsFile: labels}, Split: setting.Split{Train: 3, Test: 1}}
		p := mustPrepare(t, spec, mustOpen(t, path), nil)
		if diff := cmp.Diff(want, p.Train.LabelNames); diff != "" {
			t.Error(diff)
		}
	}
	spec := &setting.Data{Target: setting.Target{Task: setting.Multilabel, AllLabels: true}}
	p := mustPrepare(t, spec, mustOpen(t, path), nil)
	whole, err := p.Preparation.Apply(context.Background(), mustOpen(t, path))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"0", "2", "10"}, whole.LabelNames); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0}, whole.Multi.RawMatrix().Data); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"2,0", "", "10", "2"}, column(t, mustOpen(t, path), "label").Texts); diff != "" {
		t.Error(diff)
	}
}

// Images of another size are told by the sizes, smaller and larger alike: larger ones have all the columns, at other places.
func TestApplyRefusesOtherSizes(t *testing.T) {
	images := func(height, width int) *dataset.Table {
		data := make([]byte, 2*height*width)
		data[0] = 7
		path := write(t, "a-images-idx3-ubyte", idx([]int{2, height, width}, data...))
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "a-labels-idx1-ubyte"), []byte(idx([]int{2}, 4, 9)), 0o600); err != nil {
			t.Fatal(err)
		}
		return mustOpen(t, path)
	}
	p := mustPrepare(t, &setting.Data{Target: target(setting.Class, "label")}, images(3, 2), images(3, 2))
	for _, size := range [][2]int{{2, 2}, {2, 3}, {4, 4}} {
		_, err := p.Preparation.Apply(context.Background(), images(size[0], size[1]))
		want := fmt.Sprintf("the images are %d×%d, and those of training 3×2; bring them", size[0], size[1])
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", size, err, want)
		}
	}
}

func TestIDXPairs(t *testing.T) {
	images, labels := idx([]int{4, 1, 2}, 0, 255, 1, 2, 3, 4, 5, 6), idx([]int{4}, 9, 4, 4, 9)
	for _, c := range []struct{ images, labels, imageBytes, labelBytes string }{
		{"train-images-idx3-ubyte", "train-labels-idx1-ubyte", images, labels},
		{"t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz", gzipped(images), gzipped(labels)},
		{"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte", gzipped(images), labels},
		{"train-images.idx3-ubyte", "train-labels.idx1-ubyte", gzipped(images), gzipped(labels)},
	} {
		path := write(t, c.images, c.imageBytes)
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), c.labels), []byte(c.labelBytes), 0o600); err != nil {
			t.Fatal(err)
		}
		table := mustOpen(t, path)
		if table.Format != dataset.IDX || table.Height != 1 || table.Width != 2 || filepath.Base(table.LabelsPath) != c.labels {
			t.Errorf("%s: %s %d×%d, labels %s", c.images, table.Format, table.Height, table.Width, table.LabelsPath)
		}
		if diff := cmp.Diff([]float64{255, 2, 4, 6}, column(t, table, "pixel2").Numbers); diff != "" {
			t.Error(diff)
		}
		// The label has no name in the file: the spec may name it.
		spec := &setting.Data{Target: setting.Target{Task: setting.Binary, Names: []string{"digit"}, Classes: [2]string{"4", "9"}}, Scale: 255, Split: setting.Split{Train: 3, Test: 1}}
		s, err := mustPrepare(t, spec, table, nil).Preparation.Apply(context.Background(), table)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{1, 0, 0, 1}, s.Class); diff != "" {
			t.Error(diff)
		}
		if s.X.At(0, 1) != 1 || s.Height != 1 || s.Width != 2 {
			t.Errorf("pixel %v of a %d×%d image", s.X.At(0, 1), s.Height, s.Width)
		}
		for _, name := range []string{"digit", "label"} {
			if raw, ok := s.Column(name); !ok || !slices.Equal(raw.Numbers, []float64{9, 4, 4, 9}) {
				t.Errorf("column %s is %v", name, raw)
			}
		}
	}
}

// What is written as CSV is read back, whatever the numbers.
func TestNumbersComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Float64(), 1, 20).Draw(t, "numbers")
		var content strings.Builder
		content.WriteString("id,v\n")
		for i, v := range numbers {
			fmt.Fprintf(&content, "%d,%v\n", i, v)
		}
		if err := os.WriteFile(path, []byte(content.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := dataset.Open(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := table.Column("v", all(table.Len()))
		if !slices.Equal(raw.Numbers, numbers) {
			t.Fatalf("got %v, want %v", raw.Numbers, numbers)
		}
	})
}

// Whatever bytes a file holds, it opens or ends in an error for the user, and what opens can be prepared or refused.
func FuzzOpen(f *testing.F) {
	seeds := []string{numbered(5, nil), gzipped(numbered(3, nil)), idx([]int{2, 1, 2}, 1, 2, 3, 4), "a;b\n1;2\n", "\xef\xbb\xbfa\tb\n1\t?\n", "1,2 1:0.5 3:2\n 2:1\n"}
	for _, group := range [][]badFile{badText, badIDX} {
		for _, c := range group {
			seeds = append(seeds, c.content)
		}
	}
	for _, s := range seeds {
		for kind := range 3 {
			f.Add([]byte(s), []byte(idx([]int{2}, 0, 1)), kind)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content, labels []byte, kind int) {
		if err := os.WriteFile(filepath.Join(dir, "f-labels"), labels, 0o600); err != nil {
			t.Fatal(err)
		}
		name := []string{"f.csv", "f.svm", "f-images"}[((kind%3)+3)%3]
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := dataset.Open(context.Background(), path)
		if err != nil {
			requireKnown(t, err)
			return
		}
		if table.Len() < 1 || table.SHA256 == "" {
			t.Fatalf("a table of %d rows, digest %q", table.Len(), table.SHA256)
		}
		names := table.ColumnNames()
		if len(names) > 1000 {
			return
		}
		for _, name := range append([]string{"label"}, names[:min(8, len(names))]...) {
			for _, task := range []setting.Task{setting.Real, setting.Class, setting.Multilabel} {
				spec := &setting.Data{Target: target(task, name), Missing: setting.MissingMask, Standardize: true, Normalize: true}
				if _, err := dataset.Prepare(context.Background(), spec, table, nil, 1); err != nil {
					requireKnown(t, err)
				}
			}
		}
	})
}

func requireKnown(t *testing.T, err error) {
	t.Helper()
	var known *dataset.Error
	if !errors.As(err, &known) || known.Problem == "" || known.File == "" || known.Code == "" {
		t.Fatalf("%v is not an error for the user", err)
	}
}
