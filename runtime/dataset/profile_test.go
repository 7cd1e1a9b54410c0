package dataset_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

func mustProfile(tb testing.TB, table *dataset.Table) *dataset.Profile {
	tb.Helper()
	p, err := dataset.ProfileOf(tb.Context(), table)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// A profile says of each column what it holds, gaps left out.
func TestProfile(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,area,rooms,flag,region,built,empty,same\n")
	for i := range 21 {
		area := fmt.Sprint(float64(i) / 2)
		if i == 20 {
			area = "NA"
		}
		fmt.Fprintf(&b, "%03d,%s,%d,%s,%s,20%02d-03-01,,7\n", i, area, i%4, []string{"No", "yes"}[i%2], []string{"north", "", "south"}[i%3], i)
	}
	p := mustProfile(t, mustOpen(t, write(t, "a.csv", strings.ReplaceAll(b.String(), "yes", "Yes"))))
	var kinds, gaps, distinct []any
	for i := range p.Columns {
		c := &p.Columns[i]
		kinds, gaps, distinct = append(kinds, c.Kind), append(gaps, c.Gaps), append(distinct, c.Distinct)
	}
	for what, c := range map[string]struct{ got, want []any }{
		"kinds": {kinds, []any{
			dataset.KindText, dataset.KindReal, dataset.KindInteger, dataset.KindBoolean, dataset.KindText, dataset.KindDate, dataset.KindEmpty, dataset.KindInteger,
		}},
		"gaps":     {gaps, []any{0, 1, 0, 0, 7, 0, 21, 0}},
		"distinct": {distinct, []any{21, 20, 4, 2, 2, 21, 0, 1}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	want := &dataset.NumberProfile{Low: 0, Quarter: 2.375, Median: 4.75, Upper: 7.125, High: 9.5, Mean: 4.75, Deviation: math.Sqrt(399.0/12) / 2}
	if diff := cmp.Diff(want, p.Column("area").Numbers, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })); diff != "" {
		t.Error(diff)
	}
	if c := p.Column("built"); c.First != "2000-03-01" || c.Last != "2020-03-01" {
		t.Errorf("dates from %s to %s", c.First, c.Last)
	}
	if diff := cmp.Diff([]dataset.ValueCount{{Value: "north", Rows: 7}, {Value: "south", Rows: 7}}, p.Column("region").Frequent); diff != "" {
		t.Error(diff)
	}
}

// What is odd about a file is found, and nothing else.
func TestFindings(t *testing.T) {
	table := func(head string, row func(i int) string) *dataset.Table {
		var b strings.Builder
		b.WriteString(head + "\n")
		for i := range 40 {
			b.WriteString(row(i) + "\n")
		}
		return mustOpen(t, write(t, "a.csv", b.String()))
	}
	wave := func(i int) float64 { return math.Sin(float64(i * i)) }
	for name, c := range map[string]struct {
		table *dataset.Table
		want  []string
	}{
		"nothing":   {table("id,a,y", func(i int) string { return fmt.Sprintf("%d,%v,%v", i, wave(i), wave(i+3)) }), nil},
		"constant":  {table("a,y", func(i int) string { return fmt.Sprintf("3,%v", wave(i)) }), []string{"constant a"}},
		"counted":   {table("k,a,y", func(i int) string { return fmt.Sprintf("%d,%v,%v", i+7, wave(i), wave(i+3)) }), []string{"names rows k"}},
		"names":     {table("who,a,y", func(i int) string { return fmt.Sprintf("p%d,%v,%v", i, wave(i), wave(i+3)) }), []string{"names rows who"}},
		"sentences": {table("s,a,y", func(i int) string { return fmt.Sprintf("the row %d,%v,%v", i, wave(i), wave(i+3)) }), []string{"nearly unique s"}},
		"commas":    {table("c;a;y", func(i int) string { return fmt.Sprintf("1,%d;%v;%v", i, wave(i), wave(i+3)) }), []string{"points and commas", "mostly numbers c"}},
		"one word among numbers": {table("c,a,y", func(i int) string {
			return fmt.Sprintf("%s,%v,%v", []string{"7.5", "8", "9", "none"}[i%4], wave(i), wave(i+3))
		}), []string{"mostly numbers c"}},
		"codes with leading zeros": {table("zip,a,y", func(i int) string {
			return fmt.Sprintf("%05d,%v,%v", 1067*(1+i%20), wave(i), wave(i+3))
		}), []string{"leading zeros zip"}},
		"nearly the same": {table("c,a,y", func(i int) string {
			return fmt.Sprintf("%s,%v,%v", []string{"North", "south", "NORTH", "north."}[i%4], wave(i), wave(i+3))
		}), []string{"nearly the same c"}},
		"codes": {table("d,a,y", func(i int) string {
			return fmt.Sprintf("%d,%v,%v", []int{-9, -7, i, 2 * i, 3 * i}[i%5], wave(i), wave(i+3))
		}), []string{"code of gaps d [-9 -7]"}},
		"a large code": {table("d,a,y", func(i int) string {
			return fmt.Sprintf("%d,%v,%v", []int{9999, i, 2 * i}[i%3], wave(i), wave(i+3))
		}), []string{"code of gaps d [9999]"}},
		"no code, as others are negative": {table("d,a,y", func(i int) string {
			return fmt.Sprintf("%d,%v,%v", []int{-9, -5, i, 2 * i}[i%4], wave(i), wave(i+3))
		}), nil},
		"twice": {table("a,y", func(i int) string { return fmt.Sprintf("%v,%v", wave(i%38), wave(i%38+3)) }), []string{"duplicated rows"}},
		"leak":  {table("a,b,y", func(i int) string { return fmt.Sprintf("%v,%v,%v", wave(i), 3-2*wave(i+3), wave(i+3)) }), []string{"tells the target b"}},
		"a class by a threshold": {table("a,b,y", func(i int) string {
			return fmt.Sprintf("%v,%v,%d", wave(i), wave(i+3), map[bool]int{true: 1}[wave(i+3) > 0.25])
		}), []string{"tells the target b"}},
		"a class by a word": {table("a,b,y", func(i int) string {
			return fmt.Sprintf("%v,%s,%s", wave(i), []string{"left", "stays", "gone"}[i%3], []string{"yes", "no", "yes"}[i%3])
		}), []string{"tells the target b"}},
		"mostly gaps": {table("g,a,y", func(i int) string {
			return fmt.Sprintf("%s,%v,%v", []string{"", "", fmt.Sprint(wave(i + 5))}[i%3], wave(i), wave(i+3))
		}), []string{"mostly gaps g"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustProfile(t, c.table)
			p.Findings = append(p.Findings, dataset.LeaksOf(c.table, p, "y")...)
			var got []string
			for _, f := range p.Findings {
				text := strings.TrimSpace(string(f.Kind) + " " + f.Column)
				if len(f.Codes) > 0 {
					text += fmt.Sprint(" ", f.Codes)
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\n%+v", diff, p.Findings)
			}
		})
	}
}

// Names that stand twice are told apart, in one walk over the header however many there are.
func TestNamesThatStandTwice(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", ",a,b,a,a_2,a\n1,2,3,4,5,6\n"))
	if diff := cmp.Diff([]string{"id", "a", "b", "a_3", "a_2", "a_4"}, table.ColumnNames()); diff != "" {
		t.Error(diff)
	}
	many := mustOpen(t, write(t, "a.csv", strings.Repeat("a,", 50_000)+"b\n"+strings.Repeat("1,", 50_000)+"2\n"))
	if names := many.ColumnNames(); names[49_999] != "a_50000" {
		t.Error(names[49_999])
	}
}
