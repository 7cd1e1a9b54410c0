package dataset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

func TestHoldOutIsStratified(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", numbered(120, func(i int, row []string) { row[4] = []string{"rare", "a", "a", "a", "b", "b"}[i%6] })))
	p := mustPrepare(t, kind(), table, nil)
	count := func(s *dataset.Set) map[string]int {
		out := map[string]int{}
		for _, c := range s.Class {
			out[s.LabelNames[c]]++
		}
		return out
	}
	if diff := cmp.Diff(map[string]int{"rare": 5, "a": 15, "b": 10}, count(p.Test)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"rare": 15, "a": 45, "b": 30}, count(p.Train)); diff != "" {
		t.Error(diff)
	}
}

// Sets are disjoint, of the size asked for, the same for the same seed, and share test rows over sizes of training.
func TestSplitLaws(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", numbered(60, nil)))
	rapid.Check(t, func(t *rapid.T) {
		split := setting.Split{Train: float64(rapid.IntRange(0, 30).Draw(t, "train")), Test: float64(rapid.IntRange(0, 25).Draw(t, "test"))}
		seed := rapid.Uint64().Draw(t, "seed")
		prepare := func(split setting.Split) *dataset.Prepared {
			p, err := dataset.Prepare(context.Background(), &setting.Data{Target: target(setting.Real, "price"), Split: split}, table, nil, seed)
			if err != nil {
				t.Skip(err)
			}
			return p
		}
		p, again := prepare(split), prepare(split)
		if !slices.Equal(p.Train.Rows, again.Train.Rows) || !mat.Equal(p.Test.X, again.Test.X) {
			t.Fatal("the same seed drew other rows")
		}
		if (split.Train > 0 && float64(p.Train.Len()) != split.Train) || (split.Test > 0 && float64(p.Test.Len()) != split.Test) {
			t.Fatalf("%+v drew %d and %d", split, p.Train.Len(), p.Test.Len())
		}
		if split.Train == 0 != (split.Test == 0) && p.Train.Len()+p.Test.Len() != 60 {
			t.Fatalf("%+v leaves rows out", split)
		}
		for _, i := range p.Test.Rows {
			if slices.Contains(p.Train.Rows, i) {
				t.Fatalf("row %d is in both sets", i)
			}
		}
		if !slices.IsSorted(p.Train.Rows) || !slices.IsSorted(p.Test.Rows) {
			t.Fatal("rows are out of order")
		}
		if split.Train > 3 && split.Test > 0 {
			if less := prepare(setting.Split{Train: split.Train - 2, Test: split.Test}); !slices.Equal(less.Test.Rows, p.Test.Rows) {
				t.Fatal("fewer training rows changed the test")
			}
		}
	})
}

// Shares are drawn from each class by itself, one row of it at least; the default is a quarter for the test.
func TestShares(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", numbered(60, nil)))
	for _, c := range []struct {
		split       setting.Split
		train, test int // of each of three classes of 20
	}{
		{setting.Split{}, 15, 5},
		{setting.Split{Test: 0.25}, 15, 5},
		{setting.Split{Train: 0.75}, 15, 5},
		{setting.Split{Train: 0.7, Test: 0.3}, 14, 6},
		{setting.Split{Train: 0.5, Test: 0.25}, 10, 5},
		{setting.Split{Train: 0.001, Test: 0.999}, 1, 19},
		{setting.Split{Test: 0.001}, 19, 1},
	} {
		p := mustPrepare(t, with(kind(), func(s *setting.Data) { s.Split = c.split }), table, nil)
		for k := range 3 {
			n := func(s *dataset.Set) (n int) {
				for _, class := range s.Class {
					if class == k {
						n++
					}
				}
				return n
			}
			if n(p.Train) != c.train || n(p.Test) != c.test {
				t.Errorf("%+v: %d training and %d test rows of class %d, want %d and %d", c.split, n(p.Train), n(p.Test), k, c.train, c.test)
			}
		}
	}
	same := mustPrepare(t, kind(), table, nil)
	if p := mustPrepare(t, with(kind(), func(s *setting.Data) { s.Split.Test = 0.25 }), table, nil); !slices.Equal(p.Test.Rows, same.Test.Rows) {
		t.Error("a quarter is not what is held out without split")
	}
	other := mustOpen(t, write(t, "b.csv", numbered(30, nil)))
	p := mustPrepare(t, with(kind(), func(s *setting.Data) { s.Split = setting.Split{Train: 0.5, Test: 0.1} }), table, other)
	if p.Train.Len() != 30 || p.Test.Len() != 3 {
		t.Errorf("of two files: %d training and %d test rows", p.Train.Len(), p.Test.Len())
	}
}

// Columns may be left out by name or pattern, and one may name the rows, as the file writes it.
func TestIgnoredColumnsAndNamesOfRows(t *testing.T) {
	const content = "patient,w_1,w_2,age,y\n007,1,2,30,1\n012,3,1,40,2\n100,2,2,50,3\n12345678901234567890,1,1,60,4\n"
	spec := &setting.Data{Target: target(setting.Real, "y"), ID: "patient", Ignore: setting.Columns{Names: []string{"age"}, Globs: []string{"*_2"}}}
	table := mustOpen(t, write(t, "a.csv", content))
	p := mustPrepare(t, spec, table, mustOpen(t, write(t, "b.csv", content)))
	if diff := cmp.Diff([]string{"w_1"}, p.Train.Columns); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"007", "012", "100", "12345678901234567890"}, dataset.AllIDs(p.Test)); diff != "" {
		t.Error(diff)
	}
	s, err := p.Preparation.Apply(context.Background(), mustOpen(t, write(t, "c.csv", "w_1\n2\n3\n")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1", "2"}, dataset.AllIDs(s)); diff != "" || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], `no column "patient"`) {
		t.Error(diff, s.Warnings)
	}
	for want, change := range map[string]func(*setting.Data){
		`no column "patiemt" for ` + "`id`; did you mean \"patient\"?": func(s *setting.Data) { s.ID = "patiemt" },
		`no column "agee" for ` + "`ignore`; did you mean \"age\"?":    func(s *setting.Data) { s.Ignore.Names = []string{"agee"} },
		`no column matches "v_*" for ` + "`ignore`":                    func(s *setting.Data) { s.Ignore.Globs = []string{"v_*"} },
		"every feature is ignored":                                     func(s *setting.Data) { s.Ignore.Globs = []string{"w_*"} },
	} {
		wrong := *spec
		change(&wrong)
		if _, err := dataset.Prepare(context.Background(), &wrong, table, nil, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestSeedsDrawDifferently(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", numbered(60, nil)))
	draw := func(seed uint64) []int {
		p, err := dataset.Prepare(context.Background(), price(), table, nil, seed)
		if err != nil {
			t.Fatal(err)
		}
		return p.Train.Rows
	}
	if slices.Equal(draw(1), draw(2)) {
		t.Error("two seeds drew the same rows")
	}
}

func TestTestFile(t *testing.T) {
	data := mustOpen(t, write(t, "a.csv", numbered(30, nil)))
	test := mustOpen(t, write(t, "b.csv", numbered(20, func(i int, row []string) {
		if i == 0 {
			row[4] = "new"
		}
	})))
	p := mustPrepare(t, kind(), data, test)
	if p.Train.Len() != 30 || p.Test.Len() != 20 || p.Test.Class[0] != -1 {
		t.Errorf("%d and %d rows, class of the first %d", p.Train.Len(), p.Test.Len(), p.Test.Class[0])
	}
	if want := []string{"1 test row of a class that no training row has: always counted as wrong"}; !slices.Equal(p.Warnings, want) {
		t.Errorf("warnings %q", p.Warnings)
	}
	p = mustPrepare(t, with(kind(), func(s *setting.Data) { s.Split = setting.Split{Train: 12, Test: 5} }), data, test)
	if p.Train.Len() != 12 || p.Test.Len() != 5 {
		t.Errorf("%d and %d rows", p.Train.Len(), p.Test.Len())
	}
}

func TestBinaryKeepsTwoClasses(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", numbered(30, nil)))
	p := mustPrepare(t, binaryKind("c", "a"), table, nil)
	if p.Train.Len()+p.Test.Len() != 20 || !slices.Equal(p.Train.LabelNames, []string{"c", "a"}) {
		t.Errorf("%d rows of %q", p.Train.Len()+p.Test.Len(), p.Train.LabelNames)
	}
	raw, _ := p.Train.Column("kind")
	for r, sign := range p.Train.Signs() {
		if (sign > 0) != (raw.Texts[r] == "a") {
			t.Fatalf("row %d of class %s has sign %v", r, raw.Texts[r], sign)
		}
	}
}

func TestClassesAreOrdered(t *testing.T) {
	numeric := mustOpen(t, write(t, "a.csv", "x,y\n1,10\n2,9\n3,10.0\n4,9\n5,-1\n6,-1\n"))
	p := mustPrepare(t, &setting.Data{Target: target(setting.Class, "y")}, numeric, nil)
	if diff := cmp.Diff([]string{"-1", "9", "10"}, p.Train.LabelNames); diff != "" {
		t.Error(diff)
	}
	text := mustOpen(t, write(t, "a.csv", "x,y\n1,10\n2,b\n3,10\n4,b\n5,9\n6,9\n"))
	p = mustPrepare(t, &setting.Data{Target: target(setting.Class, "y")}, text, nil)
	if diff := cmp.Diff([]string{"10", "9", "b"}, p.Train.LabelNames); diff != "" {
		t.Error(diff)
	}
}

// raw = offset + scale · prepared · length, on every row and numeric column.
func TestPreparationIsUndone(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", numbered(40, nil)))
	for _, spec := range []setting.Data{{}, {Standardize: true}, {Scale: 255}, {Normalize: true}, {Standardize: true, Scale: 3, Normalize: true}} {
		spec.Target = target(setting.Class, "kind")
		p := mustPrepare(t, &spec, table, nil)
		for _, s := range []*dataset.Set{p.Train, p.Test} {
			for _, name := range []string{"area", "price"} {
				j := slices.Index(s.Columns, name)
				raw, _ := s.Column(name)
				for r := range s.Len() {
					v := s.X.At(r, j)
					if s.Lengths != nil {
						v *= s.Lengths[r]
					}
					if back := s.Offset[j] + s.Scale[j]*v; math.Abs(back-raw.Numbers[r]) > 1e-9*raw.Numbers[r] {
						t.Fatalf("%+v: %s comes back as %v, want %v", spec, name, back, raw.Numbers[r])
					}
				}
				if spec.Standardize && !spec.Normalize && s == p.Train {
					col := mat.Col(nil, j, s.X)
					if mean := mat.Sum(mat.NewVecDense(len(col), col)) / float64(len(col)); math.Abs(mean) > 1e-12 {
						t.Errorf("mean %v", mean)
					}
					if norm := mat.Norm(mat.NewVecDense(len(col), col), 2); math.Abs(norm*norm-float64(len(col))) > 1e-9 {
						t.Errorf("standard deviation² %v", norm*norm/float64(len(col)))
					}
				}
			}
			if spec.Normalize {
				if norm := mat.Norm(s.X.RowView(0), 2); math.Abs(norm-1) > 1e-12 {
					t.Errorf("length %v", norm)
				}
			}
		}
	}
}

func TestTextsBecomeIndicators(t *testing.T) {
	data := mustOpen(t, write(t, "a.csv", numbered(20, nil)))
	test := mustOpen(t, write(t, "b.csv", numbered(3, set(1, 2, "west"))))
	p := mustPrepare(t, price(), data, test)
	want := []string{"area", "region=north", "region=south", "kind=a", "kind=b", "kind=c"}
	if diff := cmp.Diff(want, p.Test.Columns); diff != "" {
		t.Error(diff)
	}
	for r, row := range [][]float64{{50, 1, 0, 1, 0, 0}, {51, 0, 0, 0, 1, 0}, {52, 1, 0, 0, 0, 1}} {
		if diff := cmp.Diff(row, p.Test.X.RawRowView(r)); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]string{"h000", "h001", "h002"}, dataset.AllIDs(p.Test)); diff != "" {
		t.Error(diff)
	}
}

func TestGaps(t *testing.T) {
	content := "x,y\n1,1\n,2\n3,3\n5,4\nNA,5\n7,6\n"
	table := mustOpen(t, write(t, "a.csv", content))
	for missing, want := range map[setting.Missing][][]float64{
		setting.MissingMean: {{1}, {4}, {3}, {5}, {4}, {7}},
		setting.MissingMask: {{1, 0}, {4, 1}, {3, 0}, {5, 0}, {4, 1}, {7, 0}},
		setting.MissingDrop: {{1}, {3}, {5}, {7}},
	} {
		p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y"), Missing: missing}, table, table)
		var got [][]float64
		for r := range p.Test.Len() {
			got = append(got, p.Test.X.RawRowView(r))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", missing, diff)
		}
		if missing == setting.MissingMask && !slices.Equal(p.Train.Columns, []string{"x", "missing(x)"}) {
			t.Errorf("columns %q", p.Train.Columns)
		}
	}
}

func TestColumnsArePicked(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", numbered(20, nil)))
	for want, columns := range map[string]setting.Columns{
		"[area region=north region=south kind=a kind=b kind=c]": {},
		"[area]":                           {Names: []string{"area"}},
		"[area region=north region=south]": {Names: []string{"region"}, Globs: []string{"ar*"}},
	} {
		p := mustPrepare(t, with(price(), func(s *setting.Data) { s.Columns = columns }), table, nil)
		if got := fmt.Sprint(p.Train.Columns); got != want {
			t.Errorf("%+v: %s, want %s", columns, got, want)
		}
	}
}

// A preparation that was stored and read again does to a table what the first did, whatever the order of its columns and
// whether the target is there.
func TestStoredPreparation(t *testing.T) {
	data := mustOpen(t, write(t, "a.csv", numbered(30, set(3, 1, ""))))
	spec := &setting.Data{Target: target(setting.Class, "kind"), Missing: setting.MissingMask, Standardize: true, Normalize: true, Split: setting.Split{Train: 29, Test: 1}}
	p, err := dataset.Prepare(context.Background(), spec, data, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p.Preparation)
	if err != nil {
		t.Fatal(err)
	}
	var stored dataset.Preparation
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	s, err := stored.Apply(context.Background(), data)
	if err != nil {
		t.Fatal(err)
	}
	for r, i := range p.Train.Rows {
		if !slices.Equal(p.Train.X.RawRowView(r), s.X.RawRowView(i)) || p.Train.Class[r] != s.Class[i] {
			t.Fatalf("row %d differs", i)
		}
	}
	other := mustOpen(t, write(t, "b.csv", "region,price,area\nsouth,4000,51\n"))
	if s, err = stored.Apply(context.Background(), other); err != nil {
		t.Fatal(err)
	}
	if s.HasTarget || s.ID(0) != "1" {
		t.Errorf("target %v, id %s", s.HasTarget, s.ID(0))
	}
	whole, _ := stored.Apply(context.Background(), data)
	if !slices.Equal(s.X.RawRowView(0), whole.X.RawRowView(1)) {
		t.Errorf("row %v, want %v", s.X.RawRowView(0), whole.X.RawRowView(1))
	}
}

func TestApplyRefusesOtherTables(t *testing.T) {
	p := mustPrepare(t, kind(), mustOpen(t, write(t, "a.csv", numbered(30, nil))), nil)
	for content, want := range map[string]string{
		"region,prize,area\nsouth,1,2\n":               `b.csv: there is no column "price" for the features; rename "prize" if it is that column, or add it: the features of training are columns of every further file`,
		"region,area,arena\nsouth,1,2\n":               `b.csv: there is no column "price" for the features; add it: the features of training are columns of every further file`,
		"region\nsouth\n":                              `b.csv: 2 columns of the features are missing: area, price; add them: the features of training are columns of every further file`,
		"region,price,area\nsouth,1,2\nsouth,,3\n":     "b.csv:3: column \"price\": row 2: the cell is empty; fill it in, or say what gaps get: `missing mean`, `missing mask` or `missing drop` in the spec, and train again",
		"region,price,area\nsouth,1,2\nsouth,True,3\n": `b.csv:3: column "price": "True" is not a number, but the column was numeric in training; write numbers as the training file does, such as 1 for true and 0 for false`,
		"region,price,area\nsouth,1,2\nsouth,x,3\n":    `b.csv:3: column "price": "x" is not a number, but the column was numeric in training; mend the cell`,
		"region,price,area\nsouth,1,2\nsouth,inf,3\n":  `b.csv:3: column "price": "inf" is not a finite number; replace it`,
	} {
		path := write(t, "b.csv", content)
		_, err := p.Preparation.Apply(context.Background(), mustOpen(t, path))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// LIBSVM files for training and test rarely have the same last feature: absent ones are zero, new ones are ignored.
func TestLIBSVMOfOtherWidth(t *testing.T) {
	data := mustOpen(t, write(t, "a.svm", "1 1:1 3:3\n2 2:2\n1 1:2\n2 3:1\n"))
	for content, want := range map[string][]float64{"1 1:5 2:6 3:7 9:8\n": {5, 6, 7}, "1 1:5\n": {5, 0, 0}} {
		p := mustPrepare(t, &setting.Data{Target: target(setting.Class, "label")}, data, mustOpen(t, write(t, "b.svm", content)))
		if diff := cmp.Diff(want, p.Test.X.RawRowView(0)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestPredictionWithForeignTargets(t *testing.T) {
	p := mustPrepare(t, kind(), mustOpen(t, write(t, "a.csv", numbered(30, nil))), nil)
	for cell, want := range map[string]string{
		"q": "the target is not compared: no row is of a class that was trained",
		"":  "",
	} {
		s, err := p.Preparation.Apply(context.Background(), mustOpen(t, write(t, "b.csv", numbered(3, func(_ int, row []string) { row[4] = cell }))))
		if err != nil {
			t.Fatal(err)
		}
		s.Warnings = slices.DeleteFunc(s.Warnings, func(w string) bool { return strings.HasPrefix(w, "column") })
		if s.HasTarget || strings.Join(s.Warnings, "") != want {
			t.Errorf("%q: target %v, warnings %q", cell, s.HasTarget, s.Warnings)
		}
	}
}

// A derivative along a column is per standard deviation of the numbers that are there, and per unit along what is 0 or 1, or constant.
// Subsets of the rows keep the unit.
func TestUnits(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", "size,flat,region,y\n1,2,north,1\n,2,south,2\n5,2,north,3\n3,2,south,4\n"))
	for _, standardize := range []bool{false, true} {
		spec := &setting.Data{Target: target(setting.Real, "y"), Missing: setting.MissingMask, Standardize: standardize}
		out := mustPrepare(t, spec, table, table)
		want := map[string]float64{"size": math.Sqrt(8.0 / 3), "flat": 1, "region=north": 1, "region=south": 1, "missing(size)": 1}
		for _, set := range []*dataset.Set{out.Train, out.Train.Subset([]int{0, 3})} {
			for j, name := range set.Columns {
				if math.Abs(set.Unit[j]-want[name]) > 1e-12 {
					t.Errorf("standardize %v: the unit of %s is %v, want %v", standardize, name, set.Unit[j], want[name])
				}
			}
		}
	}
}

// Where each row has a gap and some have it in the target, no way to fill gaps is enough.
func TestNoRowIsLeft(t *testing.T) {
	for content, want := range map[string]string{
		"u,v,y\n1,,1\n,2,3\n": "no row is left: each has a gap; say what gaps get by `missing mean`",
		"u,v,y\n1,2,\n,2,3\n": "no row is left: each has a gap; delete the rows that have no target, and say what other gaps get by `missing mean`",
	} {
		spec := &setting.Data{Target: target(setting.Real, "y"), Missing: setting.MissingDrop}
		_, err := dataset.Prepare(context.Background(), spec, mustOpen(t, write(t, "a.csv", content)), nil, 1)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A column says which rows are of which part. It is not a feature, and rows with a gap there take no part.
func TestSplitBy(t *testing.T) {
	const content = "a,part,y\n1,train,1\n2,valid,2\n3,,3\n4,test,4\n5,train,5\n6,NA,6\n"
	spec := &setting.Data{Target: target(setting.Real, "y"), Split: setting.Split{By: "part"}, Standardize: true}
	table := mustOpen(t, write(t, "a.csv", content))
	p := mustPrepare(t, spec, table, nil)
	for _, c := range []struct {
		set  *dataset.Set
		want []int
	}{{p.Train, []int{0, 4}}, {p.Valid, []int{1}}, {p.Test, []int{3}}} {
		if diff := cmp.Diff(c.want, c.set.Rows); diff != "" {
			t.Error(diff)
		}
	}
	if !slices.Equal(p.Train.Columns, []string{"a"}) || p.Valid.X.At(0, 0) != -0.5 || p.Valid.Real[0] != 2 {
		t.Errorf("columns %q, valid %v, %v", p.Train.Columns, p.Valid.X.At(0, 0), p.Valid.Real)
	}
	apart := mustPrepare(t, spec, table, mustOpen(t, write(t, "b.csv", "a,y\n7,7\n8,8\n")))
	if len(apart.Train.Rows) != 2 || apart.Test.Len() != 2 {
		t.Errorf("with a table of test rows: %v, %v", apart.Train.Rows, apart.Test.Rows)
	}
	if p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y")}, table, nil); p.Valid != nil {
		t.Error("there are valid rows without a split")
	}
}

// A test file of fewer rows than the split asks for is refused, with the part of the split that does so.
func TestFewTestRows(t *testing.T) {
	data, test := mustOpen(t, write(t, "a.csv", numbered(40, nil))), mustOpen(t, write(t, "b.csv", numbered(9, nil)))
	spec := with(price(), func(s *setting.Data) { s.Split = setting.Split{Train: 30, Test: 10} })
	_, err := dataset.Prepare(context.Background(), spec, data, test, 1)
	want := "b.csv: `split test = 10` needs 10 usable rows, but there are 9; take `test = 10` out of the split, so that all rows of this file test, or give more rows"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
	spec.Split.Test = 0
	if p := mustPrepare(t, spec, data, test); p.Test.Len() != 9 || p.Train.Len() != 30 {
		t.Errorf("%d training and %d test rows", p.Train.Len(), p.Test.Len())
	}
}
