package bench

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// papers writes a folder of citations: two triangles, each with one training row, joined by nothing.
func papers(t *testing.T, edges string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"cora-split.csv":    "row,part\n0,train\n1,valid\n2,test\n3,train\n4,valid\n5,test\n",
		"cora-edges.csv.gz": edges,
		"cora.libsvm.gz":    "b 1:1\nb 2:1 3:2\nb 3:1\na 1:1\na 2:1\na\n",
	} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if z := gzip.NewWriter(f); strings.HasSuffix(name, ".gz") {
			_, err = z.Write([]byte(content))
			if err == nil {
				err = z.Close()
			}
		} else {
			_, err = f.WriteString(content)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Labels spread to all rows that are joined with them, and the table has the words of each row.
func TestCitations(t *testing.T) {
	dir := t.TempDir()
	g, err := ReadCitations(papers(t, "from,to\n0,1\n1,2\n0,2\n3,4\n4,5\n"), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, accuracy := g.Propagate(); accuracy != 1 {
		t.Errorf("labels spread to %g of the test rows", accuracy)
	}
	got, err := os.ReadFile(filepath.Join(dir, "papers.csv"))
	if want := "id,part,topic,w1,w2,w3\n0,train,topic b,1,0,0\n1,valid,topic b,0,1,2\n"; err != nil || !strings.HasPrefix(string(got), want) {
		t.Errorf("error %v, table\n%s", err, got)
	}
	if got, err = os.ReadFile(filepath.Join(dir, "edges.csv")); err != nil || !strings.HasPrefix(string(got), "0,1\n1,2\n") {
		t.Errorf("error %v, edges\n%s", err, got)
	}
}

// Without an edge nothing spreads beyond the training rows, and an edge to no row is refused with its line.
func TestCitationsThatEndNowhere(t *testing.T) {
	if _, err := ReadCitations(papers(t, "from,to\n0,1\n5,6\n"), t.TempDir()); err == nil || !strings.Contains(err.Error(), "cora-edges.csv.gz:3: 5,6 is not an edge between two of 6 rows") {
		t.Errorf("got %v", err)
	}
	g, err := ReadCitations(papers(t, "from,to\n0,3\n"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, accuracy := g.Propagate(); accuracy == 1 {
		t.Error("labels spread without an edge")
	}
}
