package dataset_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// coded is a table whose numbers -7 and -8 are no numbers; that of the target is one.
const coded = "id,x,z,y\n-7,1,1,-7\n2,,2,2\n3,-7,3,3\n4,-8,4,4\n5,-7,5,5\n6,7,6,6\n"

// Codes count as gaps: they enter no mean, get what `missing` says, and have a mask each.
func TestCodesOfGaps(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", coded))
	for missing, want := range map[setting.Missing]struct {
		columns []string
		rows    [][]float64
	}{
		setting.MissingMean: {[]string{"x", "z"}, [][]float64{{1, 1}, {4, 2}, {4, 3}, {4, 4}, {4, 5}, {7, 6}}},
		setting.MissingDrop: {[]string{"x", "z"}, [][]float64{{1, 1}, {7, 6}}},
		setting.MissingMask: {
			[]string{"x", "z", "missing(x)", "missing(x = -8)", "missing(x = -7)"},
			[][]float64{{1, 1, 0, 0, 0}, {4, 2, 1, 0, 0}, {4, 3, 0, 0, 1}, {4, 4, 0, 1, 0}, {4, 5, 0, 0, 1}, {7, 6, 0, 0, 0}},
		},
	} {
		p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y"), Missing: missing, Gaps: []float64{-7, -8, -9}}, table, table)
		for _, s := range []*dataset.Set{p.Train, p.Test} {
			var got [][]float64
			for r := range s.Len() {
				got = append(got, s.X.RawRowView(r))
			}
			if diff := cmp.Diff(want.rows, got); diff != "" {
				t.Errorf("%s: %s", missing, diff)
			}
		}
		if !slices.Equal(p.Train.Columns, want.columns) {
			t.Errorf("%s: columns %q", missing, p.Train.Columns)
		}
		// Groups know the range of numbers and each kind of gap of the rows, so that nobody needs the rows for them.
		if g := dataset.GroupsOf(p.Preparation)[0]; missing == setting.MissingMask && (g.Low != 1 || g.High != 7 || !cmp.Equal(g.Gaps, [][]float64{{4, 1, 0, 0}, {4, 0, 1, 0}, {4, 0, 0, 1}})) {
			t.Errorf("from %v to %v with the gaps %v", g.Low, g.High, g.Gaps)
		}
		if bare := dataset.Rowless(p.Preparation); bare.Len() != 0 || !cmp.Equal(bare.Columns, p.Train.Columns) || !cmp.Equal(bare.Offset, p.Train.Offset) || !cmp.Equal(bare.Groups, p.Train.Groups) {
			t.Errorf("without rows %+v", bare)
		}
		if p.Train.Real[0] != -7 || p.Train.ID(0) != "-7" {
			t.Errorf("the target became %v, the name %q", p.Train.Real[0], p.Train.ID(0))
		}
		if raw, _ := p.Train.Column("x"); missing != setting.MissingDrop && !math.IsNaN(raw.Numbers[3]) {
			t.Errorf("conditions see %v", raw.Numbers)
		}
		if !strings.Contains(strings.Join(p.Warnings, "\n"), "no column of features holds -9, which `gaps` calls a gap") {
			t.Errorf("warnings %q", p.Warnings)
		}
	}
	if raw := column(t, table, "x"); raw.Numbers[3] != -8 {
		t.Errorf("the table itself became %v", raw.Numbers)
	}
}

// A stored preparation reads the codes of further files, and bounds of types let them pass.
func TestCodesOfFurtherFiles(t *testing.T) {
	bounded := setting.ColumnType{Column: "x", Low: 0, High: 10}
	spec := &setting.Data{Target: target(setting.Real, "y"), Missing: setting.MissingMask, Gaps: []float64{-7, -8}, Types: []setting.ColumnType{bounded}}
	table := mustOpen(t, write(t, "a.csv", coded))
	p := mustPrepare(t, spec, table, table)
	if err := p.Preparation.Check(); err != nil {
		t.Fatal(err)
	}
	more := mustOpen(t, write(t, "b.csv", "x,z\n-8,-7\n2,1\n"))
	for _, apply := range []func() (*dataset.Set, error){
		func() (*dataset.Set, error) { return p.Preparation.Apply(t.Context(), more) },
		func() (*dataset.Set, error) {
			return p.Preparation.ApplyUntold(t.Context(), more, p.Train, spec)
		},
	} {
		s, err := apply()
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(s.X.RawRowView(0), s.X.RawRowView(1)); got != "[4 3.5 0 1 0] [2 1 0 0 0]" {
			t.Errorf("rows %s", got)
		}
	}
	p.Preparation.Features[0].Codes = []float64{-5}
	if p.Preparation.Check() == nil {
		t.Error("a mask of no code passes")
	}
}

// Codes and empty cells are gaps alike: without masks a table with one prepares as with the other.
func TestCodesAreGaps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cells := []string{"x,y\n1,1\n4,2\n"}
		for i := range rapid.IntRange(2, 20).Draw(rt, "rows") {
			cell := rapid.SampledFrom([]string{"GAP", "2", "3", "5.5"}).Draw(rt, "cell")
			cells = append(cells, fmt.Sprintf("%s,%d\n", cell, i))
		}
		missing := rapid.SampledFrom([]setting.Missing{setting.MissingMean, setting.MissingDrop}).Draw(rt, "missing")
		var x [2]*dataset.Prepared
		for k, gap := range []string{"", "-99.5"} {
			table := mustOpen(t, write(t, fmt.Sprintf("%d.csv", k), strings.ReplaceAll(strings.Join(cells, ""), "GAP", gap)))
			spec := &setting.Data{Target: target(setting.Real, "y"), Missing: missing, Standardize: true, Gaps: []float64{-99.5}}
			x[k] = mustPrepare(t, spec, table, table)
		}
		if diff := cmp.Diff(x[0].Train.X.RawMatrix().Data, x[1].Train.X.RawMatrix().Data); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// A code of gaps is a gap also among numbers that are read as codes. Declared texts keep it.
func TestGapsAmongLeadingZeros(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", "month,y\n01,1\n99,2\n01,3\n12,4\n"))
	spec := &setting.Data{Target: target(setting.Real, "y"), Gaps: []float64{99, 7}, Missing: setting.MissingFrequent, Split: setting.Split{Untested: true}}
	p := mustPrepare(t, spec, table, nil)
	if want := []string{"month=01", "month=12"}; !slices.Equal(p.Train.Columns, want) || !slices.Equal(p.Train.X.RawMatrix().Data, []float64{1, 0, 1, 0, 1, 0, 0, 1}) {
		t.Errorf("columns %q, %v", p.Train.Columns, p.Train.X.RawMatrix().Data)
	}
	if want := []string{"no column of features holds 7, which `gaps` calls a gap"}; !slices.Equal(p.Warnings, want) {
		t.Errorf("warned %q", p.Warnings)
	}
	for _, batch := range []string{"month\n99\n12\n", "month\n99\n012\n12\n"} { // whose numbers are numbers, and codes
		s, err := p.Preparation.Apply(t.Context(), mustOpen(t, write(t, "b.csv", batch)))
		if err != nil || s.X.At(0, 0) != 1 {
			t.Errorf("%q: %v %v", batch, s, err)
		}
	}
	spec.Types = typed(setting.ColumnType{Column: "month", Text: true})
	if p, want := mustPrepare(t, spec, table, nil), []string{"month=01", "month=12", "month=99"}; !slices.Equal(p.Train.Columns, want) {
		t.Errorf("columns %q, want %q", p.Train.Columns, want)
	}
}
