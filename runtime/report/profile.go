package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// Bounds of what a table of columns shows.
const (
	widestName  = 28
	widestText  = 18
	mostValues  = 4
	mostClasses = 12
)

// WriteProfile writes what a data file holds for a reader at a terminal, a line for each column.
func WriteProfile(w io.Writer, p *dataset.Profile) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %s\n\n", p.File, strings.ToUpper(string(p.Format)), countOf(p.Rows, "row"), countOf(len(p.Columns), "column"))
	profileTable(&b, p)
	targetLines(&b, p)
	if len(p.Findings) > 0 {
		b.WriteString("\n")
	}
	for _, line := range notes(p.Findings) {
		fmt.Fprintf(&b, "note: %s\n", line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// inCommon says what more than mostNoted columns have in common that a finding is about. Where nothing stands, each is spoken of.
var inCommon = map[dataset.FindingKind]string{
	dataset.FindingEmpty: "no row has a value", dataset.FindingConstant: "every row has the same value", dataset.FindingGaps: "most rows have a gap",
	dataset.FindingNames: "each row has another value, as what names rows has", dataset.FindingUnique: "nearly every row has another text",
	dataset.FindingDates: "texts that are dates; `types NAME : date` makes them numbers", dataset.FindingLeak: "each tells the target by itself",
	dataset.FindingNumbers: "texts that are nearly numbers; --json has each",
}

// mostNoted is how many columns of one finding are spoken of one by one.
const mostNoted = 3

// notes returns findings as lines, those of many columns together.
func notes(findings []dataset.Finding) (lines []string) {
	columns := map[dataset.FindingKind][]string{}
	for i := range findings {
		columns[findings[i].Kind] = append(columns[findings[i].Kind], shortened(findings[i].Column, widestName))
	}
	for i := range findings {
		f := &findings[i]
		together, all := inCommon[f.Kind], columns[f.Kind]
		switch {
		case f.Column == "":
			lines = append(lines, f.Text)
		case together == "" || len(all) <= mostNoted:
			lines = append(lines, shortened(f.Column, widestName)+": "+f.Text)
		case all[0] == shortened(f.Column, widestName):
			const shown = 8
			line := countOf(len(all), "column") + ", " + strings.Join(all[:min(len(all), shown)], ", ")
			if len(all) > shown {
				line += ", …"
			}
			lines = append(lines, line+": "+together)
		}
	}
	return lines
}

// profileTable writes the columns: numbers with their quantiles, others with the values that most rows have.
func profileTable(b *strings.Builder, p *dataset.Profile) {
	t := &grid{right: []bool{false, false, true, true, true, true, true, true, true, false}}
	t.add("column", "type", "gaps", "distinct", "low", "quarter", "median", "3 quarters", "high", "most frequent")
	for i := range p.Columns {
		c := &p.Columns[i]
		cells := []string{shortened(c.Name, widestName), string(c.Kind), strconv.Itoa(c.Gaps), strconv.Itoa(c.Distinct)}
		if n := c.Numbers; n != nil && c.Kind != dataset.KindBoolean {
			for _, v := range []float64{n.Low, n.Quarter, n.Median, n.Upper, n.High} {
				cells = append(cells, brief(v))
			}
		} else {
			cells = append(cells, "", "", "", "", "")
		}
		t.add(append(cells, mostOften(c))...)
	}
	t.write(b)
}

// brief returns a number with few digits.
func brief(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// mostOften returns the values that most rows have, or the first and the last date.
func mostOften(c *dataset.ColumnProfile) string {
	if c.First != "" {
		return c.First + " to " + c.Last
	}
	if c.NamesRows() {
		return ""
	}
	var values []string
	for k, v := range c.Frequent {
		if k == mostValues {
			values = append(values, "…")
			break
		}
		values = append(values, fmt.Sprintf("%s (%d)", shortened(v.Value, widestText), v.Rows))
	}
	return strings.Join(values, ", ")
}

// targetLines writes what the target would be, and its classes.
func targetLines(b *strings.Builder, p *dataset.Profile) {
	if p.Target == nil {
		return
	}
	fmt.Fprintf(b, "\ntarget  %s : %s", p.Target.Name, p.Target.Task)
	if p.Target.Why != "" {
		fmt.Fprintf(b, "  (a guess: %s; --target takes another)", p.Target.Why)
	}
	b.WriteString("\n")
	t := &grid{right: []bool{false, false, true, true}}
	for k, c := range p.Target.Classes {
		if k == mostClasses {
			t.add("", fmt.Sprintf("and %d more classes", len(p.Target.Classes)-k), "", "")
			break
		}
		t.add("      ", shortened(c.Value, widestName), countOf(c.Rows, "row"), fmt.Sprintf("%.1f %%", 100*float64(c.Rows)/float64(max(p.Rows, 1))))
	}
	t.write(b)
}

// shortened cuts a text to a width on a terminal. Line breaks become blanks.
func shortened(text string, width int) string {
	return runewidth.Truncate(strings.Join(strings.Fields(text), " "), width, "…")
}

// countOf returns "1 row", "2 rows".
func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
