package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A FindingKind is a stable word for what a finding is about.
type FindingKind string

// The kinds of findings.
const (
	FindingEmpty      FindingKind = "empty"
	FindingConstant   FindingKind = "constant"
	FindingNames      FindingKind = "names rows"
	FindingUnique     FindingKind = "nearly unique"
	FindingNumbers    FindingKind = "mostly numbers"
	FindingDates      FindingKind = "dates"
	FindingCode       FindingKind = "code of gaps"
	FindingLarge      FindingKind = "too large"
	FindingGaps       FindingKind = "mostly gaps"
	FindingLeak       FindingKind = "tells the target"
	FindingDuplicates FindingKind = "duplicated rows"
	FindingRead       FindingKind = "read otherwise" // than it is written
	FindingCodes      FindingKind = "leading zeros"
	FindingMixed      FindingKind = "points and commas"
	FindingAlike      FindingKind = "nearly the same"
)

// A Finding is something about a file that its user should know, and what to do about it.
type Finding struct {
	Kind   FindingKind `json:"kind"`
	Column string      `json:"column,omitempty"` // empty where all are meant
	Text   string      `json:"text"`             // a sentence without full stop
	// Codes are numbers of a column that seem to stand for gaps.
	Codes []float64 `json:"codes,omitempty"`
}

// findings looks for what is odd about a column of a table.
func findings(t *Table, c *column, p *ColumnProfile) (out []Finding) {
	add := func(kind FindingKind, format string, args ...any) {
		out = append(out, Finding{Kind: kind, Column: p.Name, Text: fmt.Sprintf(format, args...)})
	}
	switch {
	case p.Kind == KindEmpty:
		add(FindingEmpty, "no row has a value; `ignore` leaves it out")
		return out
	case IsIdentifier(p.Name):
		return nil
	case p.Distinct == 1 && p.Gaps == 0:
		add(FindingConstant, "every row has the same value, %s; it tells nothing", p.Frequent[0].Value)
		return out
	case p.names:
		add(FindingNames, "each row has another value, as what names rows has; `id` says so, `ignore` leaves it out")
		return out
	}
	if 2*p.Gaps > t.rows {
		add(FindingGaps, "%d of %d rows have a gap", p.Gaps, t.rows)
	}
	if c.isText() {
		textFindings(t, c, p, add)
		return out
	}
	if c.infRow >= 0 {
		add(FindingLarge, "%q in row %d is no number that can be learnt from; mend it, or `ignore` the column", c.infText, c.infRow+1)
	}
	if codes := oddCodes(c.numbers); len(codes) > 0 {
		written := make([]string, len(codes))
		for k, v := range codes {
			written[k] = formatNumber(v)
		}
		text := "%s lies apart from the other numbers, as a code for a gap does; `gaps %s` reads it so"
		if len(codes) > 1 {
			text = "%s lie apart from the other numbers, as codes for gaps do; `gaps %s` reads them so"
		}
		add(FindingCode, text, strings.Join(written, ", "), strings.Join(written, ", "))
		out[len(out)-1].Codes = codes
	}
	return out
}

// textFindings looks for what is odd about a column of texts.
func textFindings(t *Table, c *column, p *ColumnProfile, add func(kind FindingKind, format string, args ...any)) {
	first, rows := "", t.rows
	if len(p.Frequent) > 0 {
		first = p.Frequent[0].Value
	}
	s, _ := signsIn(c)
	switch why := WhyText(first, t.Writing); {
	case c.isCode():
		add(FindingCodes, "%s", whyCode(c))
	case p.Kind == KindDate:
		add(FindingDates, "its texts are dates; `types %s : date` makes them numbers, years", columnText(p.Name))
	case s.comma.found() && s.point.found():
		add(FindingMixed, "%q in row %d has a decimal comma, and %q in row %d a decimal point; write all numbers of the file in one way", s.comma.text, s.comma.row+1, s.point.text, s.point.row+1)
	case why != "":
		add(FindingNumbers, "%s", why+unclearDates(c))
	case 2*c.numeric > rows:
		add(FindingNumbers, "%d of %d cells are numbers, but %q in row %d is not; mend it, or leave it empty", c.numeric, rows, c.text(max(c.oddRow, 0)), max(c.oddRow, 0)+1)
	case p.Distinct > max(20, rows/10) || rows >= fewTexts && 2*p.Distinct > rows:
		add(FindingUnique, "%d different texts in %d rows; `ignore` leaves it out, `columns text(…)` takes its words", p.Distinct, rows)
	}
	if why := whyAlike(c); why != "" {
		add(FindingAlike, "%s", why)
	}
}

// mixedFinding returns the finding about a file of which some columns have decimal commas, and others decimal points.
func mixedFinding(t *Table) (Finding, bool) {
	comma, point := t.signs.comma, t.signs.point
	if !comma.found() || !point.found() || comma.column == point.column {
		return Finding{}, false
	}
	return Finding{Kind: FindingMixed, Text: fmt.Sprintf("%s has a decimal comma, and %s a decimal point, so that commas are not read; write all numbers of the file in one way", comma, point)}, true
}

// usualCodes are numbers by which people mark gaps where no gap can be stored.
var usualCodes = []float64{-1, -7, -8, -9, -88, -99, -888, -999, -9999, -99999, -999999, 99, 999, 9999, 99999, 999999, 1e20}

// oddCodes returns numbers that seem to stand for gaps, ascending. A usual code at the end of a range is one if it lies farther from
// the others than they lie apart. A negative one is also if no other number is negative.
func oddCodes(numbers []float64) (codes []float64) {
	sorted := slices.DeleteFunc(slices.Clone(numbers), math.IsNaN)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	const fewest = 3 // other numbers
	for len(sorted) > fewest {
		low, next, high := sorted[0], sorted[1], sorted[len(sorted)-1]
		if !slices.Contains(usualCodes, low) || low > 0 || !(positiveBut(sorted) || next-low > high-next) {
			break
		}
		codes, sorted = append(codes, low), sorted[1:]
	}
	for len(sorted) > fewest {
		n := len(sorted)
		low, before, high := sorted[0], sorted[n-2], sorted[n-1]
		if !slices.Contains(usualCodes, high) || high < 0 || high-before <= before-low {
			break
		}
		codes, sorted = append(codes, high), sorted[:n-1]
	}
	slices.Sort(codes)
	return codes
}

// positiveBut reports whether all numbers of an ascending list that are not usual codes are at least 0, and most of them are no codes.
func positiveBut(sorted []float64) bool {
	negative := 0
	for _, v := range sorted {
		if v >= 0 {
			break
		}
		if !slices.Contains(usualCodes, v) {
			return false
		}
		negative++
	}
	return 2*negative < len(sorted)
}

// duplicated returns the finding about rows that are there twice.
func duplicated(p *Profile) (Finding, bool) {
	if p.Duplicates == 0 {
		return Finding{}, false
	}
	text := count(p.Duplicates, "row") + " equal an earlier one in all columns; where training and test share such rows, figures flatter"
	if p.Duplicates == 1 {
		text = strings.Replace(text, "equal", "equals", 1)
	}
	return Finding{Kind: FindingDuplicates, Text: text}, true
}

// enoughRows is how many rows it takes to say that a column tells the target.
const enoughRows = 20

// LeaksOf looks for columns of a table that tell the target of nearly every row by themselves. Such a column is often a consequence of the target,
// and will not be known when one predicts.
func LeaksOf(t *Table, p *Profile, target string) (out []Finding) {
	aim := columnFor(t, target)
	if aim == nil || t.rows < enoughRows {
		return nil
	}
	goal := p.Column(target)
	classes := aim.isText() || goal != nil && goal.Distinct <= mostFrequent
	for j := range p.Columns {
		c := &p.Columns[j]
		if c.Name == target || c.names || IsIdentifier(c.Name) || c.Distinct < 2 {
			continue
		}
		own := t.wholeColumn(j)
		told := ""
		switch {
		case !classes && !own.isText() && !aim.isText():
			if r := correlation(own.numbers, aim.numbers); math.Abs(r) > 0.999 {
				told = fmt.Sprintf("its correlation with %s is %.5f", target, r)
			}
		case classes:
			told = decided(own, aim, c.Distinct, target)
		}
		if told != "" {
			out = append(out, Finding{Kind: FindingLeak, Column: c.Name, Text: told + "; if it is known only after " + target + " is, `ignore` it"})
		}
	}
	return out
}

// columnFor returns the column of a name, or that of the labels which rows carry; nil if there is none.
func columnFor(t *Table, name string) *column {
	if j, ok := t.index[name]; ok {
		return t.wholeColumn(j)
	}
	if t.labels != nil && name == LabelName {
		return t.labels.column()
	}
	return nil
}

// decided says how a column decides the class of each row: by its values, or by a threshold between two classes. It is empty where it does not.
func decided(own, aim *column, distinct int, target string) string {
	const each = 5 // rows of a value on average
	if distinct*each <= len(own.codes)+len(own.numbers) {
		class, rows := map[string]string{}, 0
		for i := range max(len(own.codes), len(own.numbers)) {
			value, c := own.text(i), aim.text(i)
			if known, ok := class[value]; ok && known != c {
				return ""
			}
			class[value] = c
			rows++
		}
		return fmt.Sprintf("each of its values goes with one %s alone", target)
	}
	if own.isText() {
		return ""
	}
	low, high := map[string]float64{}, map[string]float64{}
	for i, v := range own.numbers {
		c := aim.text(i)
		if _, ok := low[c]; !ok {
			low[c], high[c] = math.Inf(1), math.Inf(-1)
		}
		if !math.IsNaN(v) {
			low[c], high[c] = min(low[c], v), max(high[c], v)
		}
	}
	if len(low) < 2 {
		return ""
	}
	classes := make([]string, 0, len(low))
	for c := range low {
		classes = append(classes, c)
	}
	slices.SortFunc(classes, func(a, b string) int { return cmp.Compare(low[a], low[b]) })
	for k, c := range classes[1:] {
		if !(high[classes[k]] < low[c]) {
			return ""
		}
	}
	return fmt.Sprintf("thresholds of it tell every %s apart", target)
}

// correlation returns that of two columns over the rows where both have a number, 0 where too few have.
func correlation(a, b []float64) float64 {
	var n, meanA, meanB, squareA, squareB, both float64
	for i := range a {
		if math.IsNaN(a[i]) || math.IsNaN(b[i]) {
			continue
		}
		n++
		da, db := a[i]-meanA, b[i]-meanB
		meanA += da / n
		meanB += db / n
		squareA += da * (a[i] - meanA)
		squareB += db * (b[i] - meanB)
		both += da * (b[i] - meanB)
	}
	if n < enoughRows || squareA == 0 || squareB == 0 {
		return 0
	}
	return both / math.Sqrt(squareA*squareB)
}
