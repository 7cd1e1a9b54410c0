package dataset_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

const genes = `% two trees
@RELATION 'yeast genes'

@ATTRIBUTE 'heat shock'  numeric
@attribute kind {low, 'very high'}
@ATTRIBUTE class  hierarchical 02/01/05,01,01/03,02

@DATA
0.5,low,01/03@02
?,'very high',02/01/05

{0 -1e-3, 2 01}
{1 'very high'}
`

func open(t *testing.T, name, content string) *dataset.Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := dataset.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestARFFReadsHierarchies(t *testing.T) {
	table := open(t, "genes.txt", strings.ReplaceAll(genes, "\n", "\r\n"))
	spec := &dataset.Spec{Target: dataset.Target{Task: dataset.Multilabel, AllLabels: true}, Missing: dataset.MissingMean}
	p, err := dataset.Prepare(context.Background(), spec, table, table, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Train
	wantLabels := []string{"02", "02/01", "02/01/05", "01", "01/03"}
	if diff := cmp.Diff(wantLabels, s.LabelNames); diff != "" {
		t.Error("labels, as the header declares them:", diff)
	}
	want := [][]float64{{1, 0, 0, 1, 1}, {1, 1, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 0}}
	for i, row := range want {
		if diff := cmp.Diff(row, s.Multi.RawRowView(i)); diff != "" {
			t.Errorf("labels of row %d with all above them: %s", i, diff)
		}
	}
	child, parent := s.Taxonomy()
	if diff := cmp.Diff([][]int32{{1, 2, 4}, {0, 1, 3}}, [][]int32{child, parent}); diff != "" {
		t.Error("taxonomy:", diff)
	}
	if diff := cmp.Diff([]string{"heat shock", "kind=low", "kind=very high"}, s.Columns); diff != "" {
		t.Error("columns:", diff)
	}
	mean := (0.5 - 1e-3 + 0) / 3
	for i, row := range [][]float64{{0.5, 1, 0}, {mean, 0, 1}, {-1e-3, 1, 0}, {0, 0, 1}} {
		if diff := cmp.Diff(row, s.X.RawRowView(i)); diff != "" {
			t.Errorf("features of row %d: %s", i, diff)
		}
	}
}

func TestTaxonomyPassesOverLabelsThatAreNotTargets(t *testing.T) {
	table := open(t, "genes.arff", genes)
	spec := &dataset.Spec{
		Target:  dataset.Target{Task: dataset.Multilabel, Names: []string{"02/01/05", "01", "02"}},
		Missing: dataset.MissingMean,
	}
	p, err := dataset.Prepare(context.Background(), spec, table, table, 1)
	if err != nil {
		t.Fatal(err)
	}
	child, parent := p.Train.Taxonomy()
	if diff := cmp.Diff([][]int32{{0}, {2}}, [][]int32{child, parent}); diff != "" {
		t.Error(diff)
	}
}

// Labels in columns of 0 and 1, as flat multilabel ARFF files have them.
func TestARFFWithoutAHierarchyIsATable(t *testing.T) {
	table := open(t, "flat.arff", "@relation r\n@attribute a real\n@attribute y {0,1}\n@data\n1.5,0\n2,1\n")
	spec := &dataset.Spec{Target: dataset.Target{Task: dataset.Multilabel, Globs: []string{"y"}}}
	p, err := dataset.Prepare(context.Background(), spec, table, table, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Train.Multi.At(1, 0); got != 1 || p.Train.Multi.At(0, 0) != 0 {
		t.Error("labels of the column y are not read")
	}
	if child, _ := p.Train.Taxonomy(); child != nil {
		t.Error("there is no hierarchy, but a taxonomy came")
	}
}

func FuzzARFF(f *testing.F) {
	f.Add(genes)
	f.Add("@attribute a numeric\n@data\n{0 1}\n")
	f.Add("@relation r\n@attribute 'a\\'b' {x, \"y,z\"}\n@data\n'x'\n\"y,z\"\n")
	f.Fuzz(func(t *testing.T, content string) {
		path := filepath.Join(t.TempDir(), "f.arff")
		if err := os.WriteFile(path, []byte("@relation r\n"+content), 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := dataset.Open(context.Background(), path)
		if err != nil {
			return
		}
		spec := &dataset.Spec{Target: dataset.Target{Task: dataset.Multilabel, AllLabels: true}, Missing: dataset.MissingMean}
		if p, err := dataset.Prepare(context.Background(), spec, table, table, 1); err == nil {
			child, parent := p.Train.Taxonomy()
			for k, c := range child {
				if !strings.HasPrefix(p.Train.LabelNames[c], p.Train.LabelNames[parent[k]]+"/") {
					t.Errorf("%s does not lie under %s", p.Train.LabelNames[c], p.Train.LabelNames[parent[k]])
				}
			}
		}
	})
}
