package dataset_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Files to train on.
const (
	byCommas = "a;b;y\n1,5;1.234,5;1\n2,5;999;2\n3;1.500;3\n"
	byPoints = "a;b;y\n1.5;1234.5;1\n2.5;999;2\n3;1500;3\n"
	byNone   = "a;b;y\n1;1234;1\n2;999;2\n3;1500;3\n"
)

// A batch is read as the training file writes numbers, if it does not tell itself.
func TestABatchIsReadAsTheTrainingFile(t *testing.T) {
	for name, c := range map[string]struct {
		train, batch string
		want         []float64 // of the columns a and b, row by row
		told         string    // a part of the one warning of how it is read; empty: there is none
	}{
		"thousands":                        {byCommas, "a;b\n1;1.234\n2;-12.000\n", []float64{1, 1234, 2, -12000}, ""},
		"a comma alone":                    {byCommas, "a;b\n1,5;7\n2;8\n", []float64{1.5, 7, 2, 8}, ""},
		"a comma that may be of thousands": {byCommas, "a;b\n1,200;7\n", []float64{1.2, 7}, ""},
		"tabs":                             {byCommas, "a\tb\n1,200\t1.234\n", []float64{1.2, 1234}, ""},
		"points for sure":                  {byCommas, "a;b\n1.5;1.234\n", []float64{1.5, 1.234}, `numbers are read with decimal points, as "1.5" in row 1 of column "a" has one; the training file has decimal commas`},
		"commas between cells":             {byCommas, "a,b\n1.5,1.234\n", []float64{1.5, 1.234}, `numbers are read with decimal points`},
		"thousands or decimals":            {byCommas, "a,b\n7,1.234\n", []float64{7, 1.234}, `"1.234" in row 1 of column "b" is read as 1.234, as commas stand between cells; the training file has decimal commas, by which it is 1234`},
		"a column that does not count":     {byCommas, "a;b;version\n1,5;1.234;1.5\n", []float64{1.5, 1234}, ""},
		"commas that do not count":         {byPoints, "a;b;version\n1;1.234;1,5\n", []float64{1, 1.234}, ""},
		"commas of which some count":       {byPoints, "version;a;b\n2,5;1,5;1.234\n", []float64{1.5, 1234}, `as "1,5" in row 1 of column "a" has one`},
		"no decimals":                      {byCommas, "a;b\n1;7\n", []float64{1, 7}, ""},
		"by points":                        {byPoints, "a;b\n1;1.234\n2;12.000\n", []float64{1, 1.234, 2, 12}, ""},
		"commas for sure":                  {byPoints, "a;b\n1,5;1.234\n", []float64{1.5, 1234}, `numbers are read with decimal commas, as "1,5" in row 1 of column "a" has one; the training file has decimal points`},
		"nothing tells":                    {byNone, "a;b\n1;1.234\n", []float64{1, 1.234}, `"1.234" in row 1 of column "b" may be 1.234 or 1234, and no number of the file tells: it is read with a decimal point`},
		"whole numbers":                    {byNone, "a;b\n1,5;1.234\n", []float64{1.5, 1234}, `"1.234" in row 1 of column "b" is read as 1234, as other numbers of the file have decimal commas`},
	} {
		t.Run(name, func(t *testing.T) {
			train, batch := mustOpen(t, write(t, "a.csv", c.train)), mustOpen(t, write(t, "b.csv", c.batch))
			spec := &setting.Data{Target: target(setting.Real, "y"), Split: setting.Split{Untested: true}}
			s, err := mustPrepare(t, spec, train, nil).Preparation.Apply(t.Context(), batch)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, s.X.RawMatrix().Data); diff != "" {
				t.Error(diff)
			}
			told := slices.DeleteFunc(slices.Clone(s.Warnings), func(w string) bool { return !strings.HasPrefix(w, batch.Path) })
			if c.told == "" && len(told) > 0 || c.told != "" && (len(told) != 1 || !strings.Contains(told[0], c.told)) {
				t.Errorf("warned %q, want %q", told, c.told)
			}
			// So are test rows.
			test := mustOpen(t, write(t, "c.csv", withTarget(c.batch)))
			p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y")}, train, test)
			if diff := cmp.Diff(c.want, p.Test.X.RawMatrix().Data); diff != "" {
				t.Error("test rows:", diff)
			}
			if c.told != "" && !strings.Contains(strings.Join(p.Warnings, "\n"), c.told) {
				t.Errorf("with test rows warned %q", p.Warnings)
			}
		})
	}
}

// withTarget adds a target to the lines of a table.
func withTarget(table string) string {
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	separator := strings.Trim(lines[0], "abversion")[:1]
	for i := range lines {
		lines[i] += separator + map[bool]string{true: "y", false: "7"}[i == 0]
	}
	return strings.Join(lines, "\n") + "\n"
}

// A file with decimal commas and points is refused, with a cell of each, unless the column of one of them does not count.
func TestPointsAndCommasInOneFile(t *testing.T) {
	mixed := "a;b;y\n1,5;7.25;1\n2,5;8;2\n3;9;3\n"
	table := mustOpen(t, write(t, "a.csv", mixed))
	for name, c := range map[string]struct {
		spec *setting.Data
		want string // in the error; empty: there is none
	}{
		"both count":         {&setting.Data{}, `a.csv:2: "1,5" in row 1 of column "a" has a decimal comma, and "7.25" in row 1 of column "b" a decimal point; write all numbers of the file in one way; leave the column out by ` + "`ignore`, or declare it by `types b : text`, if it holds no numbers"},
		"one is ignored":     {&setting.Data{Ignore: setting.Columns{Names: []string{"b"}}}, ""},
		"one is declared":    {&setting.Data{Types: typed(setting.ColumnType{Column: "b", Text: true})}, ""},
		"the other declared": {&setting.Data{Types: typed(setting.ColumnType{Column: "a", Text: true})}, ""},
	} {
		spec := *c.spec
		spec.Target, spec.Split = target(setting.Real, "y"), setting.Split{Untested: true}
		p, err := dataset.Prepare(t.Context(), &spec, table, nil, 1)
		switch {
		case c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case name == "one is ignored" || name == "one is declared":
			if got := p.Train.X.At(0, 0); got != 1.5 {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y"), Split: setting.Split{Untested: true}}, mustOpen(t, write(t, "b.csv", byCommas)), nil)
	_, err := p.Preparation.Apply(t.Context(), table)
	if want := `a decimal point; write all numbers with decimal commas, as the training file does`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	one := mustOpen(t, write(t, "c.csv", "a;y\n1,5;1\n2.5;2\n3;3\n"))
	if f := mustProfile(t, one).Findings; len(f) != 1 || f[0].Text != `"1,5" in row 1 has a decimal comma, and "2.5" in row 2 a decimal point; write all numbers of the file in one way` {
		t.Errorf("%+v", f)
	}
	if f := mustProfile(t, table).Findings; len(f) == 0 || f[0].Kind != dataset.FindingMixed || !strings.Contains(f[0].Text, `"7.25" in row 1 of column "b"`) {
		t.Errorf("%+v", f)
	}
}

// Advice about a cell is written as the file writes numbers, so that following it for one column does not change how others are read.
func TestAdviceKeepsTheCommas(t *testing.T) {
	table := mustOpen(t, write(t, "a.csv", "a;share;y\n1,5;0,4 %;1\n2,5;0,5 %;2\n3;0,6 %;3\n"))
	f := mustProfile(t, table).Findings
	if len(f) != 1 || f[0].Text != `the sign % stops "0,4 %" from being a number: write 0,4` {
		t.Errorf("%+v", f)
	}
	for text, want := range map[string]string{
		"1.234,5 €": `the sign € stops "1.234,5 €" from being a number: write 1234,5`, "1,200 €": `the sign € stops "1,200 €" from being a number: write 1,200`,
		"1,200,000": `commas between thousands stop "1,200,000" from being a number: write 1200000`,
		"1.5":       `"1.5" has a decimal point, and other numbers of the file decimal commas: write 1,5`, "much": "",
	} {
		if got := dataset.WhyText(text, table.Writing); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A table means the same written with points or with commas between thousands' points: the training file and a batch alike, whatever part of its
// rows the batch has.
func TestWritingsMeanTheSame(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		cells := rapid.SliceOfN(rapid.Int64Range(-9_999_999, 9_999_999), 6, 30).Draw(rt, "thousandths")
		digits := rapid.SampledFrom([]int{0, 1, 3}).Draw(rt, "digits")
		grouped := rapid.Bool().Draw(rt, "grouped")
		rows := len(cells) / 2
		text := func(writing func(v float64, digits int) string, from, to int, target bool) string {
			var b strings.Builder
			b.WriteString("a;b" + map[bool]string{true: ";y"}[target] + "\n")
			if target { // so that a file tells how it is written
				fmt.Fprintf(&b, "%s;1;%d\n", writing(0.5, 1), rows)
			}
			for i := from; i < to; i++ {
				fmt.Fprintf(&b, "%s;%s", writing(float64(cells[2*i])/1000, 3), writing(float64(cells[2*i+1]), digits))
				if target {
					fmt.Fprintf(&b, ";%d", i)
				}
				b.WriteString("\n")
			}
			return b.String()
		}
		points := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
		commas := func(v float64, digits int) string { return withCommas(v, digits, grouped) }
		from := rapid.IntRange(0, rows-1).Draw(rt, "from")
		to := rapid.IntRange(from+1, rows).Draw(rt, "to")
		var x [2][]float64
		for k, writing := range []func(float64, int) string{points, commas} {
			train, batch := filepath.Join(dir, "train.csv"), filepath.Join(dir, "batch.csv")
			for path, content := range map[string]string{train: text(writing, 0, rows, true), batch: text(writing, from, to, false)} {
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					rt.Fatal(err)
				}
			}
			p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y"), Standardize: true, Split: setting.Split{Untested: true}}, mustOpen(t, train), nil)
			s, err := p.Preparation.Apply(t.Context(), mustOpen(t, batch))
			if err != nil {
				rt.Fatal(err)
			}
			x[k] = s.X.RawMatrix().Data
		}
		if diff := cmp.Diff(x[0], x[1]); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// withCommas writes a number with a decimal comma, and points between thousands if it is to be grouped.
func withCommas(v float64, digits int, grouped bool) string {
	text := strconv.FormatFloat(math.Abs(v), 'f', digits, 64)
	whole, decimals, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; grouped && at > 0; at -= 3 {
		whole = whole[:at] + "." + whole[at:]
	}
	if v < 0 {
		whole = "-" + whole
	}
	if digits > 0 {
		whole += "," + decimals
	}
	return whole
}

// Whole numbers with leading zeros are codes, unless a type says otherwise. Further files follow the training file.
func TestLeadingZeros(t *testing.T) {
	const text = "zip,y\n01067,1\n10115,2\n01067,3\n80331,4\n"
	table := mustOpen(t, write(t, "a.csv", text))
	whole := setting.ColumnType{Column: "zip", Whole: true}
	for name, c := range map[string]struct {
		types []setting.ColumnType
		want  []string
		hints int
	}{
		"nothing is said": {nil, []string{"zip=01067", "zip=10115", "zip=80331"}, 1},
		"texts":           {typed(setting.ColumnType{Column: "zip", Text: true}), []string{"zip=01067", "zip=10115", "zip=80331"}, 0},
		"numbers":         {typed(whole), []string{"zip"}, 0},
		"listed texts":    {[]setting.ColumnType{setting.ListOf("zip", []string{"1067", "10115", "80331"})}, []string{"zip"}, 0},
	} {
		p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y"), Types: c.types}, table, table)
		if !slices.Equal(p.Train.Columns, c.want) || len(p.Hints) != c.hints {
			t.Errorf("%s: columns %q, hints %q", name, p.Train.Columns, p.Hints)
		}
		s, err := p.Preparation.Apply(t.Context(), mustOpen(t, write(t, "b.csv", "zip\n10115\n80331\n")))
		want := []float64{0, 1, 0, 0, 0, 1}
		if len(c.want) == 1 {
			want = []float64{10115, 80331}
		}
		if err != nil || !slices.Equal(s.X.RawMatrix().Data, want) {
			t.Errorf("%s: %v %v", name, s, err)
		}
	}
	// A column that was one of numbers stays so.
	p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y"), Weight: "w"}, mustOpen(t, write(t, "c.csv", "m,w,y\n1,01,1\n10,02,2\n11,01,3\n")), nil)
	s, err := p.Preparation.Apply(t.Context(), mustOpen(t, write(t, "d.csv", "m\n01\n12\n")))
	if err != nil || !slices.Equal(s.X.RawMatrix().Data, []float64{1, 12}) || len(p.Hints) > 0 {
		t.Errorf("%v %v, hints %q", s, err, p.Hints)
	}
	for cells, want := range map[string][]float64{"0\n1": {0, 1}, "0.5\n007": {0.5, 7}, "-01\n002": {-1, 2}, "00\n01": nil, "NA\n01": nil, "0\n10": {0, 10}, "1e3\n01": {1000, 1}} {
		table := mustOpen(t, write(t, "e.csv", "k,v\n"+strings.ReplaceAll(cells, "\n", ",1\n")+",1\n"))
		if diff := cmp.Diff(want, column(t, table, "k").Numbers, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%q: %s", cells, diff)
		}
	}
}

// Dates whose years are last are read where some date of the file tells days from months. Further files are read by the order of the training file.
func TestOrderOfDates(t *testing.T) {
	date := typed(setting.ColumnType{Column: "since", Date: true})
	spec := &setting.Data{Target: target(setting.Real, "y"), Types: date, Split: setting.Split{Untested: true}}
	year := func(text string) float64 {
		p := mustPrepare(t, spec, mustOpen(t, write(t, "iso.csv", "since,y\n"+text+",1\n2020-01-01,2\n")), nil)
		return p.Train.X.At(0, 0)
	}
	for name, c := range map[string]struct {
		train, batch string // cells of the column
		want         string // the date of the batch; empty: it is refused
		told         string
	}{
		"days first":             {"20.11.2019 03.04.2020", "05.06.2021", "2021-06-05", ""},
		"months first":           {"11/20/2019 03/04/2020", "05/06/2021", "2021-05-06", ""},
		"times of day":           {"20.11.2019T12:30 03.04.2020T00:00", "05.06.2021T06:00:00", "2021-06-05T06:00:00", ""},
		"short ones":             {"1-4-2020 31-1-2020", "5-6-2021", "2021-06-05", ""},
		"a batch that differs":   {"20.11.2019 03.04.2020", "11/20/2021", "2021-11-20", `dates are read with months first, as "11/20/2021" in row 1 of column "since" says; those of the training file begin with days`},
		"nothing tells":          {"2019-11-20 2020-04-03", "05.06.2021", "", `"05.06.2021" may begin with its day or its month, and no date of the file tells`},
		"the batch tells":        {"2019-11-20 2020-04-03", "25.06.2021", "2021-06-25", ""},
		"no date":                {"20.11.2019 03.04.2020", "45.06.2021", "", `"45.06.2021" is not a date`},
		"signs that are not one": {"20.11.2019 03.04.2020", "05.06-2021", "", `"05.06-2021" is not a date`},
	} {
		t.Run(name, func(t *testing.T) {
			var rows strings.Builder
			for i, cell := range strings.Fields(c.train) {
				fmt.Fprintf(&rows, "%s,%d\n", cell, i)
			}
			p := mustPrepare(t, spec, mustOpen(t, write(t, "a.csv", "since,y\n"+rows.String())), nil)
			s, err := p.Preparation.Apply(t.Context(), mustOpen(t, write(t, "b.csv", "since\n"+c.batch+"\n")))
			switch {
			case c.want == "":
				if err == nil || !strings.Contains(err.Error(), c.told) {
					t.Errorf("%v, want %s", err, c.told)
				}
			case err != nil:
				t.Error(err)
			case s.X.At(0, 0) != year(c.want):
				t.Errorf("read as %v, want %v", s.X.At(0, 0), year(c.want))
			case !strings.Contains(strings.Join(s.Warnings, "\n"), c.told):
				t.Errorf("warned %q", s.Warnings)
			}
		})
	}
	if _, err := dataset.Prepare(t.Context(), spec, mustOpen(t, write(t, "a.csv", "since,y\n03.04.2020,1\n05.06.2021,2\n")), nil, 1); err == nil || !strings.Contains(err.Error(), `row 1: "03.04.2020" may begin with its day or its month`) {
		t.Error(err)
	}
	// The profile knows them.
	p := mustProfile(t, mustOpen(t, write(t, "p.csv", "since,y\n20.11.2019,1\n03.04.2020,2\n01.12.2018,2\n")))
	if c := p.Columns[0]; c.Kind != dataset.KindDate || c.First != "01.12.2018" || c.Last != "03.04.2020" {
		t.Errorf("%+v", c)
	}
	p = mustProfile(t, mustOpen(t, write(t, "p.csv", "since,y\n02.11.2019,1\n03.04.2020,2\n01.12.2018,2\n")))
	if p.Columns[0].Kind != dataset.KindText || !strings.Contains(p.Findings[0].Text, "may be a date, and nobody can tell days from months: write dates as 2020-02-29; no date of the column has a day above 12") {
		t.Errorf("%+v %+v", p.Columns[0], p.Findings)
	}
}

// Texts that differ in capitals, blanks or a dot alone are named, with their rows.
func TestTextsThatAreNearlyTheSame(t *testing.T) {
	for texts, want := range map[string]string{
		"North north NORTH south North": `"North" (2 rows) and "NORTH" (1 row) differ in capitals alone; 1 further text is nearly the same as another; each is a category: write one of them in all rows if they mean the same`,
		"Inc. Inc Inc. other":           `"Inc." (2 rows) and "Inc" (1 row) differ in a dot at the end alone; each is a category: write one of them in all rows if they mean the same`,
		"a_b a__b b":                    `"a__b" (1 row) and "a_b" (1 row) differ in blanks alone; each is a category: write one of them in all rows if they mean the same`,
		"north south":                   "",
		"True TRUE false":               "",
	} {
		var rows strings.Builder
		rows.WriteString("c,y\n")
		for i, text := range strings.Fields(texts) {
			fmt.Fprintf(&rows, "%s,%d\n", strings.ReplaceAll(text, "_", " "), i)
		}
		got := ""
		for _, f := range mustProfile(t, mustOpen(t, write(t, "a.csv", rows.String()))).Findings {
			if f.Kind == dataset.FindingAlike {
				got = f.Text
			}
		}
		if want = strings.ReplaceAll(want, "_", " "); got != want {
			t.Errorf("%s: %s, want %s", texts, got, want)
		}
	}
}

// A declared text does not depend on what the other cells of its file tell of points.
func TestDeclaredTextsDependOnTheirCells(t *testing.T) {
	spec := &setting.Data{Target: target(setting.Real, "y"), Types: typed(setting.ColumnType{Column: "v", Text: true}), Split: setting.Split{Untested: true}}
	for _, other := range []string{"1.75", "1.750"} {
		p := mustPrepare(t, spec, mustOpen(t, write(t, "a.csv", "v;y\n1.200;1\n007;2\n"+other+";3\n")), nil)
		if want := []string{"v=007", "v=1.2", "v=1.75"}; !slices.Equal(p.Train.Columns, want) {
			t.Errorf("with %s: columns %q, want %q", other, p.Train.Columns, want)
		}
	}
}

// An error of a split names its column of times as a spec does.
func TestSplitNamesItsColumn(t *testing.T) {
	spec := &setting.Data{Target: target(setting.Real, "y"), Split: setting.Split{Time: "date of sale", Train: 5, Test: 1}}
	_, err := dataset.Prepare(t.Context(), spec, mustOpen(t, write(t, "a.csv", "a,date of sale,y\n1,2020-01-01,1\n2,2020-01-02,2\n3,2020-01-03,3\n")), nil, 1)
	if want := "`split time = \"date of sale\", train = 5, test = 1` asks for 6 rows"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// The dates of a column are read as its own cells tell, and as other columns do that write dates with the same sign.
func TestOrderOfDatesBySign(t *testing.T) {
	types := typed(setting.ColumnType{Column: "since", Date: true}, setting.ColumnType{Column: "born", Date: true})
	for name, c := range map[string]struct{ since, born, want string }{ // the two rows of each column
		"another sign":       {"03/04/2012 05/06/2013", "31.12.1980 01.02.1981", `column "since": row 1: "03/04/2012" may begin with its day or its month, and no date of the file tells`},
		"the same sign":      {"03.04.2012 05.06.2013", "31.12.1980 01.02.1981", ""},
		"each for itself":    {"03/04/2012 05/16/2013", "31.12.1980 01.02.1981", ""},
		"a word":             {"31.12.2012 unknown", "31.12.1980 01.02.1981", `column "since": row 2: "unknown" is not a date`},
		"a word and no day":  {"01.12.2012 unknown", "31.12.1980 01.02.1981", `column "since": row 2: "unknown" is not a date`},
		"days and months":    {"31.12.2012 12.31.2012", "31.12.1980 01.02.1981", `column "since": one of "31.12.2012" in row 1 and "12.31.2012" in row 2 begins with its day, and the other with its month`},
		"none but each sign": {"31.12.2012 12/31/2012", "31.12.1980 01.02.1981", ""},
	} {
		since, born := strings.Fields(c.since), strings.Fields(c.born)
		table := mustOpen(t, write(t, "a.csv", fmt.Sprintf("since,born,y\n%s,%s,1\n%s,%s,2\n", since[0], born[0], since[1], born[1])))
		_, err := dataset.Prepare(t.Context(), &setting.Data{Target: target(setting.Real, "y"), Types: types, Split: setting.Split{Untested: true}}, table, nil, 1)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	// A column that the model does not read as dates tells nothing of those that it does.
	spec := &setting.Data{Target: target(setting.Real, "y"), Types: types[:1], Split: setting.Split{Untested: true}}
	p := mustPrepare(t, spec, mustOpen(t, write(t, "a.csv", "since,y\n31.12.2011,1\n01.02.2012,2\n")), nil)
	s, err := p.Preparation.Apply(t.Context(), mustOpen(t, write(t, "b.csv", "since,exported\n03.04.2012,11/20/2021\n02.03.2012,11.20.2021\n")))
	if err != nil || s.X.At(0, 0) < 2012.25 || s.X.At(0, 0) > 2012.26 || slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, "dates are read") }) {
		t.Errorf("%v %v", s, err)
	}
}
