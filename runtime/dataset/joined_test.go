package dataset_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const partlyLabelled = "id,area,region,price\na,1,north,10\nb,2,south,\nc,3,north,30\nd,4,south,40\ne,5,north,\n"

// unlabelled prepares partly labelled rows and test rows.
func unlabelled(t *testing.T, spec *setting.Data) *dataset.Prepared {
	t.Helper()
	return mustPrepare(t, spec, mustOpen(t, write(t, "a.csv", partlyLabelled)), mustOpen(t, write(t, "test.csv", "id,area,region,price\nf,6,north,60\ng,7,south,70\n")))
}

// add adds the rows of a table to those without a label.
func add(t *testing.T, p *dataset.Prepared, table *dataset.Table) {
	t.Helper()
	s, err := p.Preparation.ApplyUntold(t.Context(), table, p.Train, &setting.Data{})
	if err != nil {
		t.Fatal(err)
	}
	p.Unlabelled, p.Warnings = append(p.Unlabelled, s), append(p.Warnings, s.Warnings...)
}

// R sees the training rows first. Of the rest it sees features and columns, and no target.
func TestRowsWithoutLabelsKeepTheirTargets(t *testing.T) {
	p := unlabelled(t, &setting.Data{Target: target(setting.Real, "price"), Unlabelled: setting.Unlabelled{Rows: true, Test: true}})
	add(t, p, mustOpen(t, write(t, "more.csv", "price,region,area\n90,south,8\n")))
	seen := p.Train.With(p.Unlabelled...)
	ids := strings.Join(dataset.AllIDs(seen), " ")
	if got, _, _ := strings.Cut(ids, " /"); got != "a c d f g b e" || !strings.HasSuffix(ids, "more.csv:1") {
		t.Errorf("R sees %s", ids)
	}
	area, _ := seen.Column("area")
	if diff := cmp.Diff([]float64{1, 3, 4, 6, 7, 2, 5, 8}, area.Numbers); diff != "" {
		t.Error(diff)
	}
	region, _ := seen.Column("region")
	if diff := cmp.Diff([]string{"north", "north", "south", "north", "south", "south", "north", "south"}, region.Texts); diff != "" {
		t.Error(diff)
	}
	price, _ := seen.Column("price")
	for i, want := range []float64{10, 30, 40} {
		if price.Numbers[i] != want || seen.Real[i] != want {
			t.Errorf("row %d has the target %g and %g, want %g", i, price.Numbers[i], seen.Real[i], want)
		}
	}
	for i := 3; i < seen.Len(); i++ {
		if !math.IsNaN(price.Numbers[i]) || !math.IsNaN(seen.Real[i]) {
			t.Errorf("row %s tells its target: %g, %g", seen.ID(i), price.Numbers[i], seen.Real[i])
		}
	}
	if rows, _ := seen.X.Dims(); rows != 8 || p.Train.Len() != 3 {
		t.Errorf("R sees %d rows of which %d are for training", rows, p.Train.Len())
	}
	for k, i := range []int{0, 3} { // the training row a, and f of the test
		if want := []*dataset.Set{p.Train, p.Test}[k].X.RawRowView(0); !cmp.Equal(want, seen.X.RawRowView(i)) {
			t.Errorf("row %s is prepared as %v, want %v", seen.ID(i), seen.X.RawRowView(i), want)
		}
	}
}

// Classes of rows without a label are none, and split draws among the others.
func TestSplitDrawsAmongLabelledRows(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", numbered(60, func(i int, row []string) {
		row[4] = []string{"a", "b", "", "NA"}[i%4]
	})))
	spec := &setting.Data{Target: target(setting.Class, "kind"), Unlabelled: setting.Unlabelled{Rows: true}, Missing: setting.MissingMean}
	p := mustPrepare(t, spec, table, nil)
	seen := p.Train.With(p.Unlabelled...)
	if p.Train.Len()+p.Test.Len() != 30 || seen.Len() != p.Train.Len()+30 {
		t.Errorf("%d training, %d test rows, R sees %d", p.Train.Len(), p.Test.Len(), seen.Len())
	}
	for i, c := range seen.Class {
		if labelled := i < p.Train.Len(); labelled != (c >= 0) || labelled != (dataset.ClassName(seen, i) != "") {
			t.Errorf("row %d of %d training rows has the class %d, %q", i, p.Train.Len(), c, dataset.ClassName(seen, i))
		}
	}
	if cmp.Diff(p.Train.LabelNames, []string{"a", "b"}) != "" {
		t.Errorf("classes %v", p.Train.LabelNames)
	}
}

// A file that lacks a feature is refused where the spec names it; one that lacks another column gets a warning.
func TestFileOfRowsWithoutLabels(t *testing.T) {
	spec := &setting.Data{Target: target(setting.Real, "price"), Columns: setting.Columns{Names: []string{"area"}}, Unlabelled: setting.Unlabelled{Rows: true, File: "more.csv"}}
	p := unlabelled(t, spec)
	add(t, p, mustOpen(t, write(t, "more.csv", "area\n8\n")))
	if all := strings.Join(p.Warnings, "\n"); !strings.Contains(all, "has no column region: conditions on it hold for none of its rows") {
		t.Errorf("warnings: %s", all)
	}
	seen := p.Train.With(p.Unlabelled...)
	spec.Split.By = "region"
	if s, err := p.Preparation.ApplyUntold(t.Context(), mustOpen(t, write(t, "more.csv", "area\n8\n")), p.Train, spec); err != nil || strings.Contains(strings.Join(s.Warnings, "\n"), "region") {
		t.Errorf("the column that splits the rows: %v, %v", s.Warnings, err)
	}
	spec.Split.By = ""
	if region, ok := seen.Column("region"); !ok || region.Texts[seen.Len()-1] != "" {
		t.Errorf("a column that a file lacks is %v", region.Texts)
	}
	_, err := p.Preparation.ApplyUntold(t.Context(), mustOpen(t, write(t, "other.csv", "region\nnorth\n")), p.Train, spec)
	if e, ok := errors.AsType[*dataset.Error](err); !ok || e.Item != dataset.ItemUnlabelled || e.Name != "area" {
		t.Errorf("got %v", err)
	}
}

// The column that splits the rows may call some unlabelled. Their targets are not looked at, and valid rows are seen as test rows are.
func TestColumnCallsRowsUnlabelled(t *testing.T) {
	const rows = "id,area,price,part\na,1,10,train\nb,2,20,unlabelled\nc,3,30,train\nd,4,40,valid\ne,5,50,test\nf,6,60,\n"
	spec := &setting.Data{Target: target(setting.Real, "price"), Split: setting.Split{By: "part"}}
	table := mustOpen(t, write(t, "a.csv", rows))
	if _, err := dataset.Prepare(t.Context(), spec, table, nil, 1); err == nil || !strings.Contains(err.Error(), "unlabelled") {
		t.Errorf("without the item: %v", err)
	}
	spec.Unlabelled = setting.Unlabelled{Rows: true, Test: true}
	p := mustPrepare(t, spec, table, nil)
	seen := p.Train.With(p.Unlabelled...)
	if got := strings.Join(dataset.AllIDs(seen), " "); got != "a c e d b" {
		t.Errorf("R sees %s", got)
	}
	for i := 2; i < seen.Len(); i++ {
		if !math.IsNaN(seen.Real[i]) {
			t.Errorf("row %s tells its target", seen.ID(i))
		}
	}
}
