package dataset_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// write puts a file into a folder of the test and returns its path.
func write(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func gzipped(content string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(content))
	_ = w.Close()
	return b.String()
}

// idx is an IDX array of bytes.
func idx(dims []int, data ...byte) string {
	b := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, uint32(d))
	}
	return string(append(b, data...))
}

func mustOpen(tb testing.TB, path string) *dataset.Table {
	tb.Helper()
	t, err := dataset.Open(context.Background(), path)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func mustPrepare(tb testing.TB, spec *setting.Data, data, test *dataset.Table) *dataset.Prepared {
	tb.Helper()
	p, err := dataset.Prepare(context.Background(), spec, data, test, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func target(task setting.Task, names ...string) setting.Target {
	return setting.Target{Task: task, Names: names}
}

// numbered is a CSV of n rows with columns id, area, region, price, class.
func numbered(n int, change func(i int, row []string)) string {
	var b strings.Builder
	b.WriteString("id,area,region,price,kind\n")
	for i := range n {
		row := []string{fmt.Sprintf("h%03d", i), strconv.Itoa(50 + i), []string{"north", "south"}[i%2], strconv.Itoa(1000 * (i + 3)), []string{"a", "b", "c"}[i%3]}
		if change != nil {
			change(i, row)
		}
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return b.String()
}

func set(at, field int, text string) func(int, []string) {
	return func(i int, row []string) {
		if i == at {
			row[field] = text
		}
	}
}

type badFile struct {
	name, file, content string
	spec                *setting.Data // nil: opening fails
	beside              map[string]string
}

func price() *setting.Data { return &setting.Data{Target: target(setting.Real, "price")} }

func kind() *setting.Data { return &setting.Data{Target: target(setting.Class, "kind")} }

func binaryKind(a, b string) *setting.Data {
	return &setting.Data{Target: setting.Target{Task: setting.Binary, Names: []string{"kind"}, Classes: [2]string{a, b}}}
}

func with(s *setting.Data, change func(*setting.Data)) *setting.Data {
	change(s)
	return s
}

var badText = []badFile{
	{name: "dollars in the target", file: "a.csv", content: "a,price\n" + strings.Repeat("1,$-5.5\n", 9), spec: price()},
	{name: "decimal commas", file: "a.csv", content: "a,price\n" + strings.Repeat("1,\"-5,25\"\n", 9), spec: price()},
	{name: "decimal commas, or not", file: "a.csv", content: "a;price\n" + strings.Repeat("1;-5,250\n", 9), spec: price()},
	{name: "commas between thousands", file: "a.csv", content: "a;price\n" + strings.Repeat("1;1,200,000\n", 9), spec: price()},
	{name: "blanks between columns", file: "a.csv", content: "a price\n" + strings.Repeat("1 2\n", 9), spec: price()},
}

var badSpecs = []badFile{
	{name: "missing target", file: "a.csv", content: numbered(9, nil), spec: &setting.Data{Target: target(setting.Real, "prize")}},
	{name: "missing target far off", file: "a.csv", content: numbered(9, nil), spec: &setting.Data{Target: target(setting.Real, "weight")}},
	{name: "missing column", file: "a.csv", content: numbered(9, nil), spec: with(price(), func(s *setting.Data) { s.Columns.Names = []string{"aera"} })},
	{name: "no column matches", file: "a.csv", content: numbered(9, nil), spec: with(price(), func(s *setting.Data) { s.Columns.Globs = []string{"areas_*"} })},
	{name: "target as feature", file: "a.csv", content: numbered(9, nil), spec: with(price(), func(s *setting.Data) { s.Columns.Names = []string{"price"} })},
	{name: "id as feature", file: "a.csv", content: numbered(9, nil), spec: with(price(), func(s *setting.Data) { s.Columns.Names = []string{"id"} })},
	{name: "no feature left", file: "a.csv", content: "id,y\n1,2\n2,3\n", spec: &setting.Data{Target: target(setting.Real, "y")}},
	{name: "unreadable number", file: "a.csv", content: numbered(9, set(4, 1, "fifty")), spec: price()},
	{name: "infinite feature", file: "a.csv", content: numbered(9, set(4, 1, "inf")), spec: price()},
	{name: "overflowing feature", file: "a.csv", content: numbered(9, set(4, 1, "1e400")), spec: price()},
	{name: "targets that underflow", file: "a.csv", content: numbered(9, func(i int, row []string) { row[3] = fmt.Sprintf("%de-161", i) }), spec: price()},
	{name: "gap", file: "a.csv", content: numbered(9, set(4, 1, "")), spec: price()},
	{name: "nan", file: "a.csv", content: numbered(9, func(i int, row []string) {
		if i > 6 {
			row[1] = "NaN"
		}
	}), spec: with(price(), func(s *setting.Data) { s.Split = setting.Split{Train: 8, Test: 1} })},
	{name: "only gaps", file: "a.csv", content: numbered(9, func(_ int, row []string) { row[1] = "" }), spec: with(price(), func(s *setting.Data) { s.Missing = setting.MissingMean })},
	{name: "all dropped", file: "a.csv", content: numbered(9, func(_ int, row []string) { row[1] = "" }), spec: with(price(), func(s *setting.Data) { s.Missing = setting.MissingDrop })},
	{name: "code of a gap", file: "a.csv", content: numbered(9, set(4, 1, "-7")), spec: with(price(), func(s *setting.Data) { s.Gaps = []float64{-7} })},
	{name: "codes of a sparse file", file: "a.svm", content: "1 1:1\n2 1:3\n", spec: with(price(), func(s *setting.Data) { s.Gaps = []float64{-7} })},
	{name: "no column of weights", file: "a.csv", content: numbered(9, nil), spec: with(price(), func(s *setting.Data) { s.Weight = "aera" })},
	{name: "negative weight", file: "a.csv", content: numbered(9, set(4, 1, "-2")), spec: with(price(), func(s *setting.Data) { s.Weight = "area" })},
	{name: "gap for a weight", file: "a.csv", content: numbered(9, set(4, 1, "")), spec: with(price(), func(s *setting.Data) { s.Weight = "area" })},
	{name: "word for a weight", file: "a.csv", content: numbered(9, set(4, 1, "often")), spec: with(price(), func(s *setting.Data) { s.Weight = "area" })},
	{name: "huge weight", file: "a.csv", content: numbered(9, set(4, 1, "1e13")), spec: with(price(), func(s *setting.Data) { s.Weight = "area" })},
	{name: "row of many cells", file: "a.csv", content: "a,b" + strings.Repeat(",a", 4e6) + "\n1,2\n", spec: price()},
	{name: "tiny weight", file: "a.csv", content: numbered(9, set(4, 1, "1e-13")), spec: with(price(), func(s *setting.Data) { s.Weight = "area" })},
	{name: "weights of 0", file: "a.csv", content: numbered(9, func(_ int, row []string) { row[1] = "0" }), spec: with(price(), func(s *setting.Data) { s.Weight = "area" })},
	{name: "target not a number", file: "a.csv", content: numbered(9, set(4, 3, "dear")), spec: with(price(), func(s *setting.Data) { s.Split = setting.Split{Train: 8, Test: 1} })},
	{name: "infinite target", file: "a.csv", content: numbered(9, set(4, 3, "-Infinity")), spec: with(price(), func(s *setting.Data) { s.Split = setting.Split{Train: 8, Test: 1} })},
	{name: "target too large", file: "a.csv", content: numbered(9, set(4, 3, "-1e155")), spec: price()},
	{name: "feature too large", file: "a.csv", content: numbered(9, set(4, 1, "2e155")), spec: price()},
	{name: "libsvm too large", file: "a.svm", content: "1 1:1\n2 1:1e101\n", spec: price()},
	{name: "gap in target", file: "a.csv", content: numbered(9, set(4, 3, "")), spec: with(price(), func(s *setting.Data) { s.Split = setting.Split{Train: 8, Test: 1} })},
	{name: "gap in class", file: "a.csv", content: numbered(9, set(4, 4, "")), spec: kind()},
	{name: "constant target", file: "a.csv", content: numbered(9, func(_ int, row []string) { row[3] = "5" }), spec: price()},
	{name: "one class", file: "a.csv", content: numbered(9, func(_ int, row []string) { row[4] = "a" }), spec: kind()},
	{name: "number as class", file: "a.csv", content: numbered(200, nil), spec: &setting.Data{Target: target(setting.Class, "price")}},
	{name: "unknown class", file: "a.csv", content: numbered(9, nil), spec: binaryKind("a", "B")},
	{name: "same class twice", file: "a.csv", content: numbered(9, nil), spec: binaryKind("4", "4.0")},
	{name: "all rows test", file: "a.csv", content: numbered(9, nil), spec: with(kind(), func(s *setting.Data) { s.Split = setting.Split{Test: 9} })},
	{name: "all rows train", file: "a.csv", content: numbered(9, nil), spec: with(kind(), func(s *setting.Data) { s.Split = setting.Split{Train: 9} })},
	{name: "all rows are the latest", file: "a.csv", content: numbered(9, nil), spec: with(price(), func(s *setting.Data) { s.Split = setting.Split{Test: 9, Time: "area"} })},
	{name: "more rows in time than there are", file: "a.csv", content: numbered(9, nil), spec: with(price(), func(s *setting.Data) { s.Split = setting.Split{Train: 7, Test: 3, Time: "area"} })},
	{name: "no column of times", file: "a.csv", content: numbered(9, nil), spec: with(price(), func(s *setting.Data) { s.Split.Time = "aera" })},
	{name: "numbers that read like shares", file: "a.csv", content: numbered(90, func(i int, row []string) { row[4] = []string{"a", "b"}[i/89] }), spec: with(kind(), func(s *setting.Data) { s.Split = setting.Split{Train: 2, Test: 20} })},
	{name: "too few rows", file: "a.csv", content: numbered(9, nil), spec: with(kind(), func(s *setting.Data) { s.Split = setting.Split{Train: 8, Test: 8} })},
	{name: "one row", file: "a.csv", content: numbered(1, nil), spec: price()},
	{name: "image of wrong size", file: "a.csv", content: numbered(9, nil), spec: with(price(), func(s *setting.Data) { s.Columns = setting.Columns{Height: 2, Width: 2} })},
	{name: "image of texts", file: "a.csv", content: numbered(9, nil), spec: with(price(), func(s *setting.Data) { s.Columns = setting.Columns{Height: 1, Width: 3} })},
	{name: "too many categories", file: "a.csv", content: numbered(80, func(i int, row []string) { row[2] = fmt.Sprintf("street %d", i) }), spec: price()},
	{name: "label not 0 or 1", file: "a.csv", content: "a,cat,dog\n1,0,1\n2,1,2\n3,0,0\n", spec: with(&setting.Data{Target: target(setting.Multilabel, "cat", "dog")}, func(s *setting.Data) { s.Split = setting.Split{Train: 2, Test: 1} })},
	{name: "labels of a csv", file: "a.csv", content: "a,cat\n1,0\n2,1\n", spec: &setting.Data{Target: setting.Target{Task: setting.Multilabel, AllLabels: true}}},
	{name: "labels file missing", file: "a.svm", content: "0,1 1:1\n2 1:2\n", spec: &setting.Data{Target: setting.Target{Task: setting.Multilabel, LabelsFile: "DIR/labels.txt"}}},
	{name: "labels file garbled", file: "a.svm", content: "0,1 1:1\n2 1:2\n", beside: map[string]string{"labels.txt": "0 cat\ndog\n"}, spec: &setting.Data{Target: setting.Target{Task: setting.Multilabel, LabelsFile: "DIR/labels.txt"}}},
	{name: "labels file doubled", file: "a.svm", content: "0,1 1:1\n2 1:2\n", beside: map[string]string{"labels.txt": "0 cat\n0 dog\n"}, spec: &setting.Data{Target: setting.Target{Task: setting.Multilabel, LabelsFile: "DIR/labels.txt"}}},
	{name: "label without a name", file: "a.svm", content: "0,1 1:1\n2 1:2\n", beside: map[string]string{"labels.txt": "0 cat\n1 dog\n"}, spec: &setting.Data{Target: setting.Target{Task: setting.Multilabel, LabelsFile: "DIR/labels.txt"}}},
	{name: "several labels as a class", file: "a.svm", content: "0 1:1\n1,2 1:2\n", spec: &setting.Data{Target: target(setting.Class, "label")}},
	{name: "type of another column", file: "a.csv", content: "a,b\n1,2\n3,4\n", spec: &setting.Data{Target: target(setting.Real, "b"), Types: []setting.ColumnType{{Column: "c"}}}},
	{name: "type no number", file: "a.csv", content: "a,b\n1,2\nx,4\n,5\n", spec: &setting.Data{Target: target(setting.Real, "b"), Types: []setting.ColumnType{{Column: "a", Low: 0, High: 9}}}},
	{name: "type out of bounds", file: "a.csv", content: "a,b\n1,2\n10,4\n11,5\n,6\n", spec: &setting.Data{Target: target(setting.Real, "b"), Types: []setting.ColumnType{{Column: "a", Low: 0, High: 9}}}},
	{name: "type no whole number", file: "a.csv", content: "a,b\n1,2\n1.5,4\n", spec: &setting.Data{Target: target(setting.Real, "b"), Types: []setting.ColumnType{{Column: "a", Whole: true, Low: 0, High: 9}}}},
	{name: "type no value", file: "a.csv", content: "a,b\nnorth,2\nNA,3\nsouth,4\n", spec: &setting.Data{Target: target(setting.Real, "b"), Types: []setting.ColumnType{setting.ListOf("a", []string{"north"}), setting.ListOf("b", []string{"2.0", "3"})}}},
	{name: "split by another column", file: "a.csv", content: "a,part\n1,train\n3,test\n", spec: &setting.Data{Target: target(setting.Real, "a"), Split: setting.Split{By: "prt"}}},
	{name: "split by other words", file: "a.csv", content: "a,b,part\n1,2,train\n3,4,\n5,6,tset\n", spec: &setting.Data{Target: target(setting.Real, "b"), Split: setting.Split{By: "part"}}},
	{name: "split without a test", file: "a.csv", content: "a,b,part\n1,2,train\n3,4,valid\n5,6,\n", spec: &setting.Data{Target: target(setting.Real, "b"), Split: setting.Split{By: "part"}}},
	{name: "libsvm without labels", file: "a.svm", content: " 1:1\n 1:2\n", spec: &setting.Data{Target: target(setting.Class, "label")}},
}

var badIDX = []badFile{
	{name: "idx labels of other length", file: "train-images-idx3-ubyte", content: idx([]int{2, 1, 1}, 1, 2), beside: map[string]string{"train-labels-idx1-ubyte": idx([]int{3}, 0, 1, 0)}},
	{name: "idx labels missing", file: "train-images-idx3-ubyte", content: idx([]int{2, 1, 1}, 1, 2), spec: &setting.Data{Target: target(setting.Class, "label")}},
	{name: "idx odd name", file: "digits", content: idx([]int{2, 1, 1}, 1, 2), spec: &setting.Data{Target: target(setting.Class, "label")}},
	{
		name: "idx other image", file: "train-images-idx3-ubyte", content: idx([]int{2, 1, 4}, 1, 2, 3, 4, 5, 6, 7, 8), beside: map[string]string{"train-labels-idx1-ubyte": idx([]int{2}, 0, 1)},
		spec: &setting.Data{Target: target(setting.Class, "label"), Columns: setting.Columns{Height: 2, Width: 2}},
	},
}

// Every way to be wrong ends in one error that names the file, the place, what is wrong and how to mend it.
func TestErrors(t *testing.T) {
	var out strings.Builder
	for _, group := range [][]badFile{badText, badSpecs, badIDX} {
		for _, c := range group {
			path := write(t, c.file, c.content)
			dir := filepath.Dir(path)
			for name, content := range c.beside {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			table, err := dataset.Open(context.Background(), path)
			if err == nil && c.spec != nil {
				spec := *c.spec
				spec.Target.LabelsFile = strings.Replace(spec.Target.LabelsFile, "DIR", dir, 1)
				_, err = dataset.Prepare(context.Background(), &spec, table, nil, 1)
			}
			var known *dataset.Error
			if !errors.As(err, &known) {
				t.Errorf("%s: %v is not an error for the user", c.name, err)
				continue
			}
			fmt.Fprintf(&out, "%s\n  [%s] %s\n", c.name, known.Code, strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
		}
	}
	golden(t, "errors.txt", out.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s: -want +got\n%s", path, diff)
	}
}

func TestFilesThatCannotBeOpened(t *testing.T) {
	path := write(t, "houses.csv", "a,b\n1,2\n")
	dir := filepath.Dir(path)
	for file, want := range map[string]string{
		"house.csv": `house.csv: there is no such file; did you mean "` + path + `"?`,
		"zoo.svm":   "zoo.svm: there is no such file",
		".":         ": this is a directory; name one data file in it",
	} {
		_, err := dataset.Open(context.Background(), filepath.Join(dir, file))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}

func TestCancelStopsReading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := dataset.Open(ctx, write(t, "a.csv", numbered(9, nil))); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
	table := mustOpen(t, write(t, "a.csv", numbered(9, nil)))
	if _, err := dataset.Prepare(ctx, price(), table, nil, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Prepare: %v", err)
	}
}
