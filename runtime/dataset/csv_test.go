package dataset_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A writing is a way to write a table as text.
type writing struct {
	separator, newline, mark string // between cells and behind lines; UTF-8, UTF-16LE or UTF-16BE with their marks, or none
	quotesAll, commas        bool   // every cell is in quotes; numbers have decimal commas
	open                     bool   // the last line does not end
	packed                   bool
}

// cells writes cells, of which float64 are numbers, nil are gaps, and all else are texts.
func (w writing) cells(rows [][]any) string {
	var b strings.Builder
	for i, row := range rows {
		for j, cell := range row {
			text := fmt.Sprint(cell)
			v, number := cell.(float64)
			if number {
				if text = strconv.FormatFloat(v, 'f', -1, 64); w.commas {
					text = strings.Replace(text, ".", ",", 1)
				}
			}
			if cell == nil {
				text = ""
			}
			if w.quotesAll && cell != nil || !number && strings.ContainsAny(text, "\",;\t\n") {
				text = `"` + strings.ReplaceAll(strings.ReplaceAll(text, `"`, `""`), "\n", w.newline) + `"`
			}
			if j > 0 {
				b.WriteString(w.separator)
			}
			b.WriteString(text)
		}
		if !w.open || i+1 < len(rows) {
			b.WriteString(w.newline)
		}
	}
	return w.encoded(b.String())
}

// encoded returns the bytes of a text.
func (w writing) encoded(text string) string {
	switch w.mark {
	case "UTF-8":
		text = "\xef\xbb\xbf" + text
	case "UTF-16LE", "UTF-16BE":
		var b []byte
		for _, unit := range utf16.Encode([]rune("\uFEFF" + text)) {
			pair := []byte{byte(unit), byte(unit >> 8)}
			if w.mark == "UTF-16BE" {
				pair[0], pair[1] = pair[1], pair[0]
			}
			b = append(b, pair...)
		}
		text = string(b)
	}
	if w.packed {
		text = gzipped(text)
	}
	return text
}

// contents returns all columns of a file by their names.
func contents(t *testing.T, path string) map[string]dataset.Raw {
	t.Helper()
	table := mustOpen(t, path)
	out := map[string]dataset.Raw{}
	for _, name := range table.ColumnNames() {
		out[name] = column(t, table, name)
	}
	return out
}

// A table is read the same however it is written.
func TestWritings(t *testing.T) {
	rows := [][]any{
		{"name, first", "größe", "a;b", "note \"x\"", "λ 🙂"},
		{"Müller, Anna", 1.5, 3.0, "two\nlines", "x"},
		{`the "old" one`, 0.25, -4.0, "a\tb", "y; z"},
		{"plain", nil, 12345.678, "", "🙂"},
		{"last", -0.125, 7.0, "c,d", "x"},
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	try := func(w writing) map[string]dataset.Raw {
		if err := os.WriteFile(path, []byte(w.cells(rows)), 0o600); err != nil {
			t.Fatal(err)
		}
		return contents(t, path)
	}
	want := try(writing{separator: ",", newline: "\n"})
	if len(want) != 5 || want["größe"].Numbers == nil || want["a;b"].Numbers[2] != 12345.678 || want[`note "x"`].Texts[0] != "two\nlines" {
		t.Fatal(want)
	}
	tried := 0
	for _, separator := range []string{",", ";", "\t"} {
		for _, newline := range []string{"\n", "\r\n", "\r"} {
			for _, mark := range []string{"", "UTF-8", "UTF-16LE", "UTF-16BE"} {
				for k := range 16 {
					w := writing{separator, newline, mark, k&1 > 0, k&2 > 0 && separator == ";", k&4 > 0, k&8 > 0}
					if diff := cmp.Diff(want, try(w), cmpopts.EquateNaNs()); diff != "" {
						t.Fatalf("%+v: %s", w, diff)
					}
					tried++
				}
			}
		}
	}
	if tried != 576 {
		t.Error(tried)
	}
}

// So is every table, whatever its cells hold.
func TestWritingsOfAnyCells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	word := rapid.StringMatching(`[a-zäλ"]([a-z ,;"\n]{0,6}[a-zäλ"])?`)
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.Bool(), 1, 5).Draw(t, "numbers")
		rows := [][]any{{}}
		for j := range kinds {
			rows[0] = append(rows[0], fmt.Sprint(rapid.StringMatching(`[a-z,;"\n]{0,5}`).Draw(t, "name"), "x", j))
		}
		for i := range rapid.IntRange(1, 9).Draw(t, "rows") {
			row := make([]any, 0, len(kinds))
			for _, number := range kinds {
				switch {
				case !number:
					row = append(row, "w"+word.Draw(t, "text"))
				case i > 0 && rapid.IntRange(0, 5).Draw(t, "gap") == 0:
					row = append(row, nil)
				default:
					row = append(row, float64(rapid.IntRange(-1<<20, 1<<20).Draw(t, "number"))/8+0.0625)
				}
			}
			rows = append(rows, row)
		}
		w := writing{
			rapid.SampledFrom([]string{",", ";", "\t"}).Draw(t, "separator"), rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "newline"),
			rapid.SampledFrom([]string{"", "UTF-8", "UTF-16LE", "UTF-16BE"}).Draw(t, "mark"), rapid.Bool().Draw(t, "quotes"), false, rapid.Bool().Draw(t, "open"), rapid.Bool().Draw(t, "packed"),
		}
		w.commas = w.separator == ";" && rapid.Bool().Draw(t, "commas")
		var read [2]map[string]dataset.Raw
		for k, w := range []writing{{separator: ",", newline: "\n"}, w} {
			if len(kinds) == 1 {
				w.separator, w.commas = ",", false // a header of one name has none
			}
			if err := os.WriteFile(path, []byte(w.cells(rows)), 0o600); err != nil {
				t.Fatal(err)
			}
			table, err := dataset.Open(context.Background(), path)
			if err != nil {
				t.Fatalf("%+v: %v", w, err)
			}
			read[k] = map[string]dataset.Raw{}
			for _, name := range table.ColumnNames() {
				raw, _ := table.Column(name, allRows(table))
				read[k][name] = raw
			}
		}
		if diff := cmp.Diff(read[0], read[1], cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("%+v: %s", w, diff)
		}
	})
}

func allRows(table *dataset.Table) []int {
	rows := make([]int, table.Len())
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// Decimal commas are read where cells are separated by semicolons and a comma cannot be anything else.
func TestDecimalCommas(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []float64 // of the column v; nil where it stays one of texts
	}{
		"fractions":                        {"v;w\n1,5;a\n-2,25;b\n3;c\n", []float64{1.5, -2.25, 3}},
		"thousands with points":            {"v;w\n1.234,5;a\n-12.345.678,25;b\n0,5;c\n", []float64{1234.5, -12345678.25, 0.5}},
		"exponents":                        {"v;w\n1,5E-3;a\n2,5e+2;b\n", []float64{0.0015, 250}},
		"gaps":                             {"v;w\nNA;a\n;b\n1,5;c\n", []float64{math.NaN(), math.NaN(), 1.5}},
		"another column decides":           {"v;w\n1,200;0,5\n12,345;2\n", []float64{1.2, 12.345}},
		"a leading zero":                   {"v;w\n0,125;a\n", []float64{0.125}},
		"maybe thousands":                  {"v;w\n1,200;a\n12,345;b\n", nil},
		"thousands":                        {"v;w\n1,200,000;a\n0,5;b\n", nil},
		"a point elsewhere":                {"v;w\n1,5;2.5\n2,5;3.5\n", nil},
		"a point beside":                   {"v;w\n1,5;a\n2.5;b\n", nil},
		"points that may be of thousands":  {"v;w\n1.000;a\n2,5;b\n", []float64{1000, 2.5}},
		"a point last":                     {"v;w\n2,5;a\n1.000;b\n", []float64{2.5, 1000}},
		"points between thousands alone":   {"v;w\n1.230;0,5\n12.000;2\n7;1\nNA;3\n", []float64{1230, 12000, 7, math.NaN()}},
		"points that another column tells": {"v;w\n1.230.000;0,4 %\n999.999;2,5 %\n", []float64{1230000, 999999}},
		"codes":                            {"v;w\n0125;0,5\n1.125;2\n", []float64{125, 1125}},
		"a word":                           {"v;w\n1,5;a\nmuch;b\n", nil},
		"commas between cells":             {"v,w\n\"1,5\",a\n\"2,5\",b\n", nil},
		"tabs":                             {"v\tw\n1,5\ta\n2,5\tb\n", nil},
		"a list":                           {"v;w\n1,2;a\n1,2,3;b\n", nil},
		"groups of two":                    {"v;w\n1.23,5;a\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			table := mustOpen(t, write(t, "a.csv", c.text))
			if diff := cmp.Diff(c.want, column(t, table, "v").Numbers, cmpopts.EquateNaNs()); diff != "" {
				t.Error(diff)
			}
			p, err := dataset.ProfileOf(context.Background(), table)
			if err != nil || p.Commas != (c.want != nil) {
				t.Error(err, p.Commas)
			}
		})
	}
	table := mustOpen(t, write(t, "a.csv", "id;v\n1,5;2,5\n2,5;1,0\n"))
	if diff := cmp.Diff([]string{"1,5", "2,5"}, column(t, table, "id").Texts); diff != "" {
		t.Error("names of rows keep their commas:", diff)
	}
}

// What stops a text from being a number is said, with the number that is meant.
func TestWhyTextsAreNoNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"12,5 %": `the sign % stops "12,5 %" from being a number: write 12.5`, "$1,200": `the sign $ stops "$1,200" from being a number: write 1200`,
		"1,200": `"1,200" may be 1200 or 1.200: write numbers with a point, and nothing between thousands`, "1,5": `"1,5" has a decimal comma: write numbers with a point, 1.5`,
		"1,200,000": `commas between thousands stop "1,200,000" from being a number: write 1200000`, "much": "", "1.5": "",
		"1.234,5": `"1.234,5" has points between thousands and a decimal comma: write 1234.5`, "1.234,5 €": `the sign € stops "1.234,5 €" from being a number: write 1234.5`, "% of all": "",
	} {
		if got := dataset.WhyText(text, dataset.Writing{}); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// Columns at the end that have neither a name nor a value, as spreadsheets write them, are left out.
func TestBlankColumnsAtTheEnd(t *testing.T) {
	path := write(t, "a.csv", "a;b; ;\n1;2;;\n3;4; ;\n5;6\n")
	table := mustOpen(t, path)
	want := map[string]dataset.Raw{"a": {Numbers: []float64{1, 3, 5}}, "b": {Numbers: []float64{2, 4, 6}}}
	if diff := cmp.Diff(want, contents(t, path)); diff != "" {
		t.Error(diff)
	}
	p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "b"), Split: setting.Split{Train: 2, Test: 1}}, table, nil)
	if diff := cmp.Diff([]string{path + ":1: 2 columns at the end without a name: left out, as no row holds a value there"}, p.Warnings); diff != "" {
		t.Error(diff)
	}
	if glance, err := dataset.Look(context.Background(), path); err != nil || !glance.Whole || len(glance.Columns) != 2 {
		t.Errorf("%+v, %v", glance, err)
	}
}
