package dataset_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

func typed(columns ...setting.ColumnType) []setting.ColumnType {
	for i := range columns {
		columns[i].Low, columns[i].High = math.Inf(-1), math.Inf(1)
	}
	return columns
}

// Dates become years with the share of them that has passed, in rows of a model too.
func TestDates(t *testing.T) {
	text := "built,y\n2019-01-01,1\n2020-01-01,2\n2020-07-02,3\n2021-07-02T12:00:00,4\n2022,5\n20230101,6\n,7\n2024-01-01 06:00:00+06:00,8\n"
	table := mustOpen(t, write(t, "a.csv", text))
	spec := &setting.Data{Target: target(setting.Real, "y"), Types: typed(setting.ColumnType{Column: "built", Date: true}), Missing: setting.MissingMedian}
	p := mustPrepare(t, spec, table, table)
	raw, _ := p.Train.Column("built")
	want := []float64{2019, 2020, 2020.5, 2021.5, 2022, 2023, math.NaN(), 2024}
	if diff := cmp.Diff(want, raw.Numbers, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	if got := p.Preparation.Features[0].Fill; got != 2021.5 {
		t.Errorf("a gap gets %v", got)
	}
	s, err := p.Preparation.Apply(context.Background(), mustOpen(t, write(t, "b.csv", "built\n2020-01-01\n")))
	if err != nil || s.X.At(0, 0) != 2020 {
		t.Errorf("%v %v", s, err)
	}
	_, err = p.Preparation.Apply(context.Background(), mustOpen(t, write(t, "b.csv", "built\n03/04/2020\n")))
	if err == nil || !strings.Contains(err.Error(), `b.csv:2: column "built": row 1: "03/04/2020" may begin with its day or its month, and no date of the file tells; write dates as 2020-02-29`) {
		t.Error(err)
	}
}

// A column that is declared as texts has a category for each, also of numbers.
func TestDeclaredTexts(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", "zip,y\n01234,1\n1234,2\n01234,3\n99,4\n"))
	p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y"), Types: typed(setting.ColumnType{Column: "zip", Text: true})}, table, table)
	if diff := cmp.Diff([]string{"zip=01234", "zip=1234", "zip=99"}, p.Train.Columns); diff != "" {
		t.Error(diff)
	}
}

// Each treatment of gaps puts its value there, and marks say where they were.
func TestTreatmentsOfGaps(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", "a,region,y\n1,north,1\n1,south,2\n,,3\n4,south,4\n10,NA,5\n"))
	for treatment, want := range map[setting.Missing][]float64{
		setting.MissingMean: {4, 0}, setting.MissingMedian: {2.5, 0}, setting.MissingFrequent: {1, 1},
		setting.MissingMask: {4, 0, 1}, setting.MissingMaskMedian: {2.5, 0, 1}, setting.MissingMaskFrequent: {1, 0, 1},
	} {
		p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y"), Missing: treatment}, table, table)
		at := func(name string) float64 { return p.Train.X.At(2, slices.Index(p.Train.Columns, name)) }
		got := []float64{at("a"), at("region=south")}
		if slices.Contains(p.Train.Columns, "missing(a)") {
			got = append(got, at("missing(a)"))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", treatment, diff)
		}
		if err := p.Preparation.Check(); err != nil {
			t.Error(err)
		}
		// What fills gaps is that of the training rows, and no gap is unseen.
		s, err := p.Preparation.Apply(context.Background(), mustOpen(t, write(t, "b.csv", "a,region\n,\n100,north\n")))
		if err != nil || s.X.At(0, 0) != want[0] || len(s.Unseen) != 1 {
			t.Errorf("%s: %v %v", treatment, err, s.Unseen)
		}
	}
}

// Under time the test rows are the latest, and all others train, with their times.
func TestSplitByTime(t *testing.T) {
	var b strings.Builder
	b.WriteString("when,x,y\n")
	for i := range 40 {
		fmt.Fprintf(&b, "20%02d-06-01,%d,%d\n", 10+(i*7%40)/2, i, i*i%11)
	}
	table := mustOpen(t, write(t, "a.csv", b.String()))
	spec := &setting.Data{Target: target(setting.Real, "y"), Ignore: setting.Columns{Names: []string{"when"}}, Split: setting.Split{Time: "when", Test: 0.25}}
	p := mustPrepare(t, spec, table, nil)
	times := func(s *dataset.Set) (low, high string) {
		raw, _ := s.Column("when")
		return slices.Min(raw.Texts), slices.Max(raw.Texts)
	}
	_, last := times(p.Train)
	first, _ := times(p.Test)
	if last >= first || p.Train.Len() != 30 || p.Test.Len() != 10 || p.Valid != nil {
		t.Errorf("%d rows to %s, %d from %s, and %v", p.Train.Len(), last, p.Test.Len(), first, p.Valid)
	}
	raw, _ := p.Train.Column("when")
	for i, text := range raw.Texts {
		if year := text[:4]; fmt.Sprint(math.Floor(p.Train.Times[i])) != year {
			t.Errorf("the time of %s is %v", text, p.Train.Times[i])
		}
	}
	// Rows without a target that a fold sees are not later than its own.
	spec.Unlabelled.Rows = true
	gap := mustOpen(t, write(t, "a.csv", "when,x,y\n2010,1,1\n2011,2,\n2012,3,3\n2013,4,4\n2014,5,\n2015,6,6\n,7,\n"))
	spec.Split.Drawn = &setting.Drawn{Train: []int{0, 2}, Test: []int{3}}
	if p := mustPrepare(t, spec, gap, nil); len(p.Unlabelled) != 1 || p.Unlabelled[0].Len() != 1 || p.Unlabelled[0].Rows[0] != 1 {
		t.Errorf("a fold sees the unlabelled rows %v", p.Unlabelled)
	}
	spec.Unlabelled.Rows, spec.Split.Drawn = false, nil
	same := mustOpen(t, write(t, "a.csv", "when,x,y\n"+strings.Repeat("2020,1,2\n", 9)))
	if _, err := dataset.Prepare(context.Background(), spec, same, nil, 1); err == nil || !strings.Contains(err.Error(), "the rows have too few times to split 9 rows by") {
		t.Error(err)
	}
	odd := mustOpen(t, write(t, "a.csv", "when,x,y\n2020,1,2\nlater,2,3\n"))
	if _, err := dataset.Prepare(context.Background(), spec, odd, nil, 1); err == nil || !strings.Contains(err.Error(), `column "when": row 2: "later" is neither a date nor a number`) {
		t.Error(err)
	}
}

// Balanced classes weigh alike in sum, and the training rows what they had together. Test rows keep their weights.
func TestBalancedClasses(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", "x,w,kind\n1,1,a\n2,1,a\n3,2,a\n4,4,b\n5,2,b\n6,1,c\n"))
	for _, weight := range []string{"", "w"} {
		p := mustPrepare(t, &setting.Data{Target: target(setting.Class, "kind"), Weight: weight, Balanced: true}, table, table)
		sums := make([]float64, 3)
		for i, c := range p.Train.Class {
			sums[c] += p.Train.Weight[i]
		}
		each := p.Test.Total() / 3
		if diff := cmp.Diff([]float64{each, each, each}, sums, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Error(diff)
		}
		if p.Test.Weight == nil != (weight == "") {
			t.Error("the test rows are weighed otherwise")
		}
	}
}

// A column of dates that no type makes numbers is named, and so is what makes them numbers. Numbers that make 100 may be meant as shares.
func TestWarningsOfTimesAndShares(t *testing.T) {
	var b strings.Builder
	b.WriteString("date of sale,y\n")
	for i := range 400 {
		fmt.Fprintf(&b, "2020-%02d-%02d,%d\n", 1+i%12, 1+i%28, i)
	}
	table := mustOpen(t, write(t, "a.csv", b.String()))
	spec := &setting.Data{Target: target(setting.Real, "y"), Split: setting.Split{Time: "date of sale", Test: 0.25}}
	const mend = "its texts are dates: `types \"date of sale\" : date` makes them one number, years, and `ignore \"date of sale\"` leaves it out"
	if p := mustPrepare(t, spec, table, nil); !strings.Contains(strings.Join(p.Warnings, "\n"), mend) {
		t.Errorf("%q", p.Warnings)
	}
	spec.Types = typed(setting.ColumnType{Column: "date of sale", Date: true})
	if p := mustPrepare(t, spec, table, nil); len(p.Warnings) > 0 {
		t.Errorf("a column of dates is warned of: %q", p.Warnings)
	}
	for split, hints := range map[setting.Split]int{{Train: 80, Test: 20}: 1, {Train: 80, Test: 40}: 0, {Train: 300, Test: 100}: 0, {Train: 0.8, Test: 0.2}: 0} {
		spec.Split = split
		if p := mustPrepare(t, spec, table, nil); len(p.Hints) != hints {
			t.Errorf("%+v: %q", split, p.Hints)
		}
	}
}
