package report

import (
	"fmt"
	"io"
	"slices"
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
	format := strings.ToUpper(string(p.Format))
	if p.Commas {
		format += " with decimal commas"
	}
	fmt.Fprintf(&b, "%s: %s, %s, %s\n\n", p.File, format, Counted(p.Rows, "row"), Counted(len(p.Columns), "column"))
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

// notes returns findings as lines, those that say the same of several columns together.
func notes(findings []dataset.Finding) (lines []string) {
	columns, same := map[dataset.FindingKind][]string{}, map[string][]string{}
	for i := range findings {
		f := &findings[i]
		name := shortened(f.Column, widestName)
		columns[f.Kind], same[f.Text] = append(columns[f.Kind], name), append(same[f.Text], name)
	}
	for i := range findings {
		f := &findings[i]
		name, together, all := shortened(f.Column, widestName), inCommon[f.Kind], columns[f.Kind]
		switch {
		case f.Column == "":
			lines = append(lines, f.Text)
		case f.Kind == dataset.FindingCode && len(all) > 1:
			if name == all[0] {
				lines = append(lines, noteOfCodes(findings, all))
			}
		case together != "" && len(all) > mostNoted:
			if name == all[0] {
				lines = append(lines, Counted(len(all), "column")+", "+named(all)+": "+together)
			}
		case name == same[f.Text][0]:
			lines = append(lines, named(same[f.Text])+": "+f.Text)
		}
	}
	return lines
}

// named lists columns, the first ones of many.
func named(columns []string) string {
	const shown = 8
	list := strings.Join(columns[:min(len(columns), shown)], ", ")
	if len(columns) > shown {
		list += ", …"
	}
	return list
}

// noteOfCodes returns the line about all columns with codes of gaps, for which there is one item of a spec.
func noteOfCodes(findings []dataset.Finding, columns []string) string {
	var codes []float64
	for i := range findings {
		codes = append(codes, findings[i].Codes...)
	}
	slices.Sort(codes)
	var written []string
	for _, v := range slices.Compact(codes) {
		written = append(written, strconv.FormatFloat(v, 'f', -1, 64))
	}
	list, lie := strings.Join(written, ", "), "lie"
	if len(written) == 1 {
		lie += "s"
	}
	return fmt.Sprintf("%s: %s %s apart from the other numbers, as codes for gaps do; `gaps %s` reads them so", named(columns), list, lie, list)
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
	t := &grid{right: []bool{false, false, true, true, false}}
	for k, c := range p.Target.Classes {
		if k == mostClasses {
			t.add("", fmt.Sprintf("and %d more classes", len(p.Target.Classes)-k), "", "")
			break
		}
		positive := ""
		if len(p.Target.Classes) == 2 && c.Value == p.Target.Positive {
			positive = "the positive class"
		}
		t.add("      ", shortened(c.Value, widestName), Counted(c.Rows, "row"), fmt.Sprintf("%.1f %%", 100*float64(c.Rows)/float64(max(p.Rows, 1))), positive)
	}
	t.write(b)
}

// shortened cuts a text to a width on a terminal. Line breaks become blanks.
func shortened(text string, width int) string {
	return runewidth.Truncate(strings.Join(strings.Fields(text), " "), width, "…")
}
