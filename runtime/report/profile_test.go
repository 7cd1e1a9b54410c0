package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/report"
)

// Notes that say the same of several columns are one line, which names them.
func TestNotesOfColumns(t *testing.T) {
	code := func(column string, codes ...float64) dataset.Finding {
		return dataset.Finding{Kind: dataset.FindingCode, Column: column, Text: fmt.Sprint(codes, " alone"), Codes: codes}
	}
	names := func(column string) dataset.Finding {
		return dataset.Finding{Kind: dataset.FindingNames, Column: column, Text: "names rows"}
	}
	many := []dataset.Finding{{Kind: dataset.FindingDuplicates, Text: "2 rows are there twice"}}
	for k := range 9 {
		many = append(many, dataset.Finding{Kind: dataset.FindingConstant, Column: fmt.Sprint("c", k), Text: fmt.Sprint("is always ", k)})
	}
	for name, c := range map[string]struct {
		findings []dataset.Finding
		want     []string
	}{
		"one code":      {[]dataset.Finding{code("debt", -999)}, []string{"debt: [-999] alone"}},
		"several codes": {[]dataset.Finding{code("debt", -999), names("who"), code("age", -999, -7)}, []string{"debt, age: -999, -7 lie apart from the other numbers, as codes for gaps do; `gaps -999, -7` reads them so", "who: names rows"}},
		"the same":      {[]dataset.Finding{names("a"), names("b")}, []string{"a, b: names rows"}},
		"many":          {many, []string{"2 rows are there twice", "9 columns, c0, c1, c2, c3, c4, c5, c6, c7, …: every row has the same value"}},
	} {
		var b strings.Builder
		if err := report.WriteProfile(&b, &dataset.Profile{File: "a.csv", Format: dataset.CSV, Commas: name == "many", Findings: c.findings}); err != nil {
			t.Fatal(err)
		}
		var notes []string
		for line := range strings.Lines(b.String()) {
			if note, ok := strings.CutPrefix(strings.TrimSpace(line), "note: "); ok {
				notes = append(notes, note)
			}
		}
		if diff := cmp.Diff(c.want, notes); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if strings.HasPrefix(b.String(), "a.csv: CSV with decimal commas, ") != (name == "many") {
			t.Error(b.String())
		}
	}
}
