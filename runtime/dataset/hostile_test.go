package dataset_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// packedTimes is a gzipped text that ends in so many copies of a piece.
func packedTimes(t *testing.T, head, piece string, times int) string {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(w, head)
	for range times {
		if _, err := io.WriteString(w, piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A small file may unpack to any number of bytes. No more of them are read than a row, a cell or a table has.
func TestPackedFilesAreBounded(t *testing.T) {
	zeros := strings.Repeat("0", 1<<20)
	for _, c := range []struct{ name, file, content, want string }{
		{"a long row", "a.csv.gz", packedTimes(t, "y,a,b\np,1,", zeros, 65), "a.csv.gz:2: the row has more than the 64 MiB that are read of one; break the row into several lines"},
		{"an open quote", "a.csv.gz", packedTimes(t, "y,a\np,1\nq,\"", zeros[:1<<20-1]+"\n", 65), "a.csv.gz:3: the row has more than the 64 MiB that are read of one; close the double quote that is open there"},
		{"a long row of LIBSVM", "a.svm.gz", packedTimes(t, "1 1:2\n1 1:2", strings.Repeat(" ", 1<<20), 65), "a.svm.gz:2: the row has more than the 64 MiB that are read of one; break the row into several lines"},
		{"a long row of ARFF", "a.arff.gz", packedTimes(t, "@relation r\n@attribute a numeric\n@data\n", zeros, 65), "a.arff.gz:4: the row has more than the 64 MiB that are read of one; break the row into several lines"},
		{"a long cell", "a.csv", "a,b\n1,x\n1," + zeros + "y\n", `a.csv:3: column "b": the cell has more than the 1 MiB that are read of one; shorten it, or leave the column out of the file`},
		{"a long cell of ARFF", "a.arff", "@relation r\n@attribute b string\n@data\n" + zeros + "y\n", `a.arff:4: column "b": the cell has more than the 1 MiB that are read of one; shorten it, or leave the column out of the file`},
		{"blank lines", "a.csv.gz", packedTimes(t, "a,b\n1,2\n", strings.Repeat("\n", 1<<20), 48), "a.csv.gz:50000001: the file has more than the 5e+07 lines that are read; draw fewer rows, and write those to a file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.file, c.content)
			_, err := dataset.Open(context.Background(), path)
			var known *dataset.Error
			if !errors.As(err, &known) || strings.ReplaceAll(err.Error(), filepath.Dir(path)+string(filepath.Separator), "") != c.want {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

// Lines may end in CR alone. Nothing else changes, also not the texts in double quotes that hold one.
func TestLinesEndInReturns(t *testing.T) {
	for file, text := range map[string]string{
		"a.csv":  "x1,label\n1.5,1\n-2,0\n",
		"a.svm":  "1 1:1.5\n0 1:-2\n",
		"a.arff": "@relation r\n@attribute x1 numeric\n@attribute label {0,1}\n@data\n1.5,1\n{0 -2}\n",
		"b.csv":  "x1,label,\"two\nlines\"\n1.5,1,x\n-2,0,y",
	} {
		table := mustOpen(t, write(t, file, strings.ReplaceAll(text, "\n", "\r")))
		if got := [][]float64{column(t, table, "x1").Numbers, column(t, table, "label").Numbers}; !slices.Equal(got[0], []float64{1.5, -2}) || !slices.Equal(got[1], []float64{1, 0}) {
			t.Errorf("%s: %v", file, got)
		}
		if table.Line(1) != table.Line(0)+1 {
			t.Errorf("%s: rows on lines %d and %d", file, table.Line(0), table.Line(1))
		}
	}
	table := mustOpen(t, write(t, "a.csv", "a,b\n1,\"x\ry\"\n"))
	if diff := cmp.Diff([]string{"x\ry"}, column(t, table, "b").Texts); diff != "" {
		t.Error(diff)
	}
	labels := write(t, "labels.txt", "0 cat\r1 dog\r")
	if _, names, err := dataset.LabelNames(labels); err != nil || !slices.Equal(names, []string{"cat", "dog"}) {
		t.Errorf("labels %q, %v", names, err)
	}
}

// What is read otherwise than a file should hold it gets one warning, however often it occurs.
func TestWarningsOfFiles(t *testing.T) {
	const arff = "@relation r\n@attribute a {x,y}\n@attribute b {0,1}\n@attribute v numeric\n@attribute w numeric\n@data\n"
	for name, c := range map[string]struct {
		file, text string
		want       []string
	}{
		"as declared": {"a.arff", arff + "x,1,1,3\ny,0.0,2,4\n?,?,3,5\n", nil},
		"not declared": {
			"a.arff", arff + "x,1,1,3\nz,2,2,4\nu,0,3,5\n",
			[]string{`a.arff:8: column "a" holds "z", a value that is not declared; it is read as one (so in 2 columns)`},
		},
		"bare rows": {
			"a.arff", arff + "{}\n{ }\n{2 7,3 5}\n",
			[]string{"a.arff:7: the row {} names no value; each is 0, or the first that is declared (so in 2 rows)"},
		},
		"ids": {
			"a.csv", "id,v,w\np,1,3\nq,2,4\np,3,5\np,4,6\n",
			[]string{`a.csv:4: the row is called "p", as is that of line 2, and 1 further row like it; the edges of a graph mean the first row of a name`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			table := mustOpen(t, write(t, c.file, c.text))
			spec := &setting.Data{Target: target(setting.Real, "w"), Missing: setting.MissingMean}
			p := mustPrepare(t, spec, table, mustOpen(t, table.Path))
			s, err := p.Preparation.Apply(context.Background(), table)
			if err != nil {
				t.Fatal(err)
			}
			for what, all := range map[string][]string{"training": p.Warnings, "a model": s.Warnings} {
				var told []string
				for _, w := range all {
					if w = strings.ReplaceAll(w, filepath.Dir(table.Path)+string(filepath.Separator), ""); strings.HasPrefix(w, c.file+":") && !slices.Contains(told, w) && !strings.Contains(w, "row 1") {
						told = append(told, w)
					}
				}
				if diff := cmp.Diff(c.want, told); diff != "" {
					t.Errorf("%s: %s", what, diff)
				}
			}
		})
	}
}

// A sparse file of many attributes is read in one walk over its declarations, and one over each row.
func TestWideARFF(t *testing.T) {
	const attributes, rows = 100_000, 12
	path := filepath.Join(t.TempDir(), "wide.arff")
	var b bytes.Buffer
	b.WriteString("@relation t\n")
	for i := range attributes {
		fmt.Fprintf(&b, "@attribute a%d numeric\n", i)
	}
	b.WriteString("@attribute y {p,q}\n@data\n")
	for i := range rows {
		fmt.Fprintf(&b, "{%d 1,%d %c}\n", i, attributes, "pq"[i%2])
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var table *dataset.Table
	// A few allocations for each attribute, and none for its cells: any that grew with their square would take minutes.
	if n := testing.AllocsPerRun(1, func() { table = mustOpen(t, path) }); n > 20*attributes {
		t.Errorf("%.0f allocations for %d attributes", n, attributes)
	}
	if table.Len() != rows || len(table.ColumnNames()) != attributes+1 || !slices.Equal(column(t, table, "a7").Numbers, []float64{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}) {
		t.Errorf("%d rows of %d columns", table.Len(), len(table.ColumnNames()))
	}
}

// A table is read no further than it may take memory, and an array is not begun.
func TestTablesAreBoundedByMemory(t *testing.T) {
	ctx := limits.WithMemory(context.Background(), 1<<20)
	for _, c := range []struct{ file, content, want string }{
		{"a.csv", "a,b,c\n" + strings.Repeat("1,2,3\n", 70_000), "a.csv: the first 32768 rows take the 1 MiB of memory that may be taken, and there are more"},
		{"a.svm", strings.Repeat("1 1:2 2:3\n", 70_000), "a.svm: the first 16384 rows take the 1 MiB"},
		{"a.arff", "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c numeric\n@data\n" + strings.Repeat("1,2,3\n", 70_000), "a.arff: the first 32768 rows take the 1 MiB"},
		{"images", idx([]int{2048, 1024}), "images: the header announces 2 MiB, and 1 MiB of memory may be taken"},
	} {
		path := write(t, c.file, c.content)
		if _, err := dataset.Open(ctx, path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--max-memory") {
			t.Errorf("%s: %v", c.file, err)
		}
	}
}
