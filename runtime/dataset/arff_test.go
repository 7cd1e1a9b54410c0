package dataset_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
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
	spec := &setting.Data{Target: setting.Target{Task: setting.Multilabel, AllLabels: true}, Missing: setting.MissingMean}
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
	spec := &setting.Data{
		Target:  setting.Target{Task: setting.Multilabel, Names: []string{"02/01/05", "01", "02"}},
		Missing: setting.MissingMean,
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

const ontology = `@relation genes
@attribute a numeric
@attribute class hierarchical root/GO1, GO1/GO2,GO1/GO3,GO2/GO4,GO3/GO4,root/GO5,GO5/GO4
@data
1,GO4
2,GO3@GO5
3,?
`

// The Gene Ontology is a graph: its classes are pairs parent/child, rows name nodes, and the top is not a label.
func TestARFFReadsGraphs(t *testing.T) {
	table := open(t, "go.arff", ontology)
	all := &setting.Data{Target: setting.Target{Task: setting.Multilabel, AllLabels: true}}
	p, err := dataset.Prepare(context.Background(), all, table, table, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"GO1", "GO2", "GO3", "GO4", "GO5"}, p.Train.LabelNames); diff != "" {
		t.Error("labels:", diff)
	}
	for i, row := range [][]float64{{1, 1, 1, 1, 1}, {1, 0, 1, 0, 1}, {0, 0, 0, 0, 0}} {
		if diff := cmp.Diff(row, p.Train.Multi.RawRowView(i)); diff != "" {
			t.Errorf("labels of row %d with all above them: %s", i, diff)
		}
	}
	child, parent := p.Train.Taxonomy()
	if diff := cmp.Diff([][]int32{{1, 2, 3, 3, 3}, {0, 0, 1, 2, 4}}, [][]int32{child, parent}); diff != "" {
		t.Error("taxonomy:", diff)
	}
	some := &setting.Data{Target: setting.Target{Task: setting.Multilabel, Names: []string{"GO4", "GO1", "GO5"}}}
	if p, err = dataset.Prepare(context.Background(), some, table, table, 1); err != nil {
		t.Fatal(err)
	}
	child, parent = p.Train.Taxonomy()
	if diff := cmp.Diff([][]int32{{0, 0}, {1, 2}}, [][]int32{child, parent}); diff != "" {
		t.Error("GO2 and GO3 are passed over, GO1 counts once:", diff)
	}
}

// The tops of the Gene Ontology are roots, and a label called root where it lies above others; those of a tree of functions are none.
func TestRoots(t *testing.T) {
	for classes, want := range map[string][]string{
		"root/GO0003674,GO0003674/GO1,root/GO0008150,GO0008150/GO2,root/GO0005575": {"GO0003674", "GO0008150", "GO0005575"},
		"root/GO:0008150,GO:0008150/GO:2":                                          {"GO:0008150"},
		"root,root/a,root/a/b":                                                     {"root"},
		"01,01/05,02":                                                              nil,
		"root,leaf":                                                                nil,
	} {
		table := open(t, "a.arff", "@relation r\n@attribute a numeric\n@attribute class hierarchical "+classes+"\n@data\n1,?\n2,"+lastClass(classes)+"\n")
		spec := &setting.Data{Target: setting.Target{Task: setting.Multilabel, AllLabels: true}}
		p, err := dataset.Prepare(context.Background(), spec, table, table, 1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Test.RootNames()); diff != "" {
			t.Errorf("%s: %s", classes, diff)
		}
	}
}

// lastClass is the last class of a list, as rows name it.
func lastClass(classes string) string {
	last := classes[strings.LastIndex(classes, ",")+1:]
	if strings.HasPrefix(classes, "root/") {
		_, last, _ = strings.Cut(last, "/")
	}
	return last
}

func TestClassesThatAreNeitherTreeNorGraph(t *testing.T) {
	for classes, want := range map[string]string{
		"a/b,b/c":              `"b" stands both before and behind a slash`,
		"root/a,a/b,b/c,c/a":   "go in a circle: a/b/c/a",
		"root/a,a/b,b/b":       "go in a circle: b/b",
		"root/a,a//b":          `"a//b" is not a path`,
		"root/a,a/b,\t,root/c": `"" is not a path`,
	} {
		path := filepath.Join(t.TempDir(), "bad.arff")
		text := "@relation r\n@attribute class hierarchical " + classes + "\n@attribute a numeric\n@data\n?,1\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := dataset.Open(context.Background(), path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "bad.arff:2") {
			t.Errorf("%s: %v; want %q on line 2", classes, err, want)
		}
	}
}

// A file may be as deep as it likes: paths have a bound, and graphs are walked without a call for each level.
func TestDeepHierarchies(t *testing.T) {
	arff := func(classes, rows string) string {
		return "@relation r\n@attribute a numeric\n@attribute class hierarchical " + classes + "\n@data\n" + rows
	}
	const levels = 100000
	var chain strings.Builder
	chain.WriteString("root/n0")
	for k := 1; k < levels; k++ {
		fmt.Fprintf(&chain, ",n%d/n%d", k-1, k)
	}
	circle := chain.String() + fmt.Sprintf(",n%d/n0", levels-1)
	for name, c := range map[string]struct{ classes, rows, want string }{
		"a path of a million":  {"a" + strings.Repeat("/a", 1000000), "1,?\n", "…\" is a path of 1000001 levels, and there may be 256"},
		"a path with a hole":   {"a//" + strings.Repeat("b", 1000), "1,?\n", "bbb…\" is not a path of classes"},
		"a circle":             {circle, "1,?\n", "n1/n2/"},
		"a class not declared": {"a,a/b", "1," + strings.Repeat("c", 1000) + "\n", "ccc…\" is not declared"},
	} {
		path := filepath.Join(t.TempDir(), "deep.arff")
		if err := os.WriteFile(path, []byte(arff(c.classes, c.rows)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := dataset.Open(context.Background(), path)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 500 {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
	deepest := "a" + strings.Repeat("/a", 255)
	spec := &setting.Data{Target: setting.Target{Task: setting.Multilabel, AllLabels: true}}
	for name, c := range map[string]struct {
		text   string
		levels int
	}{
		"path":  {arff(deepest, "1,?\n2,"+deepest+"\n"), 256},
		"chain": {arff(chain.String(), fmt.Sprintf("1,?\n2,n%d\n", levels-1)), levels},
	} {
		p, err := dataset.Prepare(context.Background(), spec, open(t, name+".arff", c.text), open(t, name+".arff", c.text), 1)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, v := range p.Train.Multi.RawRowView(1) {
			sum += v
		}
		if int(sum) != c.levels || len(p.Train.LabelNames) != c.levels {
			t.Errorf("%s: the row has %g of %d labels, want %d", name, sum, len(p.Train.LabelNames), c.levels)
		}
	}
}

// Names such as root and slashes say by themselves nothing about graphs: these are trees.
func TestPathsStayPaths(t *testing.T) {
	for classes, want := range map[string][]string{
		"animal/cat,animal/dog": {"animal", "animal/cat", "animal/dog"},
		"root,root/a,root/b":    {"root", "root/a", "root/b"},
		"000/00,000,001/00,001": {"000", "000/00", "001", "001/00"},
		"root/a/b,root/c":       {"root", "root/a", "root/a/b", "root/c"},
		"one":                   {"one"},
	} {
		table := open(t, "tree.arff", "@relation r\n@attribute a numeric\n@attribute class hierarchical "+classes+"\n@data\n1,?\n2,"+want[len(want)-1]+"\n")
		spec := &setting.Data{Target: setting.Target{Task: setting.Multilabel, AllLabels: true}}
		p, err := dataset.Prepare(context.Background(), spec, table, table, 1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Train.LabelNames); diff != "" {
			t.Errorf("%s: %s", classes, diff)
		}
	}
}

// Labels in columns of 0 and 1, as flat multilabel ARFF files have them.
func TestARFFWithoutAHierarchyIsATable(t *testing.T) {
	table := open(t, "flat.arff", "@relation r\n@attribute a real\n@attribute y {0,1}\n@data\n1.5,0\n2,1\n")
	spec := &setting.Data{Target: setting.Target{Task: setting.Multilabel, Globs: []string{"y"}}}
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

// Files as they were published: words of which the first rows have none, a chromosome that is a number or a word, an attribute
// declared twice, numbers that stand for names, comments behind rows, and a graph as the Gene Ontology has it.
const (
	spores = `@RELATION 'spo0.names'

@ATTRIBUTE t0_g/r_ratio                            numeric
@ATTRIBUTE failed_pcr                              {1,2,3,4,5}
@ATTRIBUTE blast_homology_within_genome            {no,yes}
@ATTRIBUTE class                                   hierarchical 01,01/05,02

@DATA
0.84,?,?,01/05@02
1.56,?,?,01
?,?,no,02
0.94,1,yes,01/05
`
	sequences = `@RELATION 'seq0.names'
@ATTRIBUTE strand                                  {w,c}
@ATTRIBUTE position                                {1,2,3,4,5,6,7,8}
@ATTRIBUTE chromosome                              {1,2,3,16,mit}
@ATTRIBUTE class                                   hierarchical 01,01/05,02
@DATA
w,2,16,01/05	% YAL001C
c,?,2,01
?,8,16,02  % YAL002W
w,1,3,01/05
c,1,mit,01/05
`
	chips = `@RELATION 'cechdeeigagasp0.names'
@ATTRIBUTE 0point02%_MMS                           numeric
@ATTRIBUTE chip_affymetrix_chip                    {A,B,C,D,A-D}
@ATTRIBUTE MMS_time_=_0                            numeric
@ATTRIBUTE MMS_time_=_0                            numeric
@ATTRIBUTE 0point02%_MMS                           {no,yes}
@ATTRIBUTE class                                   hierarchical root/GO0003674,GO0003674/GO0003774,GO0003774/GO0000146,root/GO0008150,GO0008150/GO0000146
@DATA
0.1,A-D,3,5,?,GO0000146
0.2,?,4,6,yes,GO0003774@GO0008150
`
)

func TestARFFAsPublished(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		columns  []string
		first    []float64
		warnings []string
	}{
		"words behind gaps": {
			spores,
			[]string{"t0_g/r_ratio", "failed_pcr", "blast_homology_within_genome=?", "blast_homology_within_genome=no", "blast_homology_within_genome=yes"},
			[]float64{0.84, 1, 1, 0, 0},
			nil,
		},
		"numbers and a word": {
			sequences,
			[]string{"strand=?", "strand=c", "strand=w", "position", "chromosome=16", "chromosome=2", "chromosome=3", "chromosome=mit"},
			[]float64{0, 0, 1, 2, 1, 0, 0, 0},
			nil,
		},
		"a name twice": {
			chips,
			[]string{
				"0point02%_MMS", "chip_affymetrix_chip=?", "chip_affymetrix_chip=A-D", "MMS_time_=_0", "MMS_time_=_0_2", "0point02%_MMS_2=?", "0point02%_MMS_2=yes",
			},
			[]float64{0.1, 0, 1, 3, 5, 1, 0},
			[]string{
				`a.arff:5: the attribute "MMS_time_=_0" is declared twice, first on line 4; this one is called "MMS_time_=_0_2"`,
				`a.arff:6: the attribute "0point02%_MMS" is declared twice, first on line 2; this one is called "0point02%_MMS_2"`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			table := open(t, "a.arff", c.text)
			spec := &setting.Data{Target: setting.Target{Task: setting.Multilabel, AllLabels: true}, Missing: setting.MissingMean}
			p, err := dataset.Prepare(context.Background(), spec, table, open(t, "test.arff", c.text), 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.columns, p.Train.Columns); diff != "" {
				t.Error("columns:", diff)
			}
			if diff := cmp.Diff(c.first, p.Train.X.RawRowView(0)); diff != "" {
				t.Error("first row:", diff)
			}
			var warnings []string
			for _, w := range p.Warnings {
				if strings.Contains(w, "declared twice") {
					warnings = append(warnings, strings.TrimPrefix(w, filepath.Dir(table.Path)+string(filepath.Separator)))
				}
			}
			if diff := cmp.Diff(c.warnings, warnings); diff != "" {
				t.Error("warnings:", diff)
			}
		})
	}
}

func FuzzARFF(f *testing.F) {
	f.Add(genes)
	f.Add(ontology)
	f.Add(strings.TrimPrefix(spores, "@RELATION 'spo0.names'"))
	f.Add(strings.TrimPrefix(sequences, "@RELATION 'seq0.names'"))
	f.Add(strings.TrimPrefix(chips, "@RELATION 'cechdeeigagasp0.names'"))
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
		spec := &setting.Data{Target: setting.Target{Task: setting.Multilabel, AllLabels: true}, Missing: setting.MissingMean}
		if p, err := dataset.Prepare(context.Background(), spec, table, table, 1); err == nil {
			child, parent := p.Train.Taxonomy()
			for i := range p.Train.Rows {
				for k, c := range child {
					if p.Train.Multi.At(i, int(c)) > p.Train.Multi.At(i, int(parent[k])) {
						t.Errorf("row %d has %s without %s", i, p.Train.LabelNames[c], p.Train.LabelNames[parent[k]])
					}
				}
			}
		}
	})
}
