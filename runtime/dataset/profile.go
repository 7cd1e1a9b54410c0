package dataset

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Kind is the sort of values that a column holds.
type Kind string

// The kinds. A column without a value is empty.
const (
	KindReal    Kind = "real"
	KindInteger Kind = "integer"
	KindBoolean Kind = "boolean" // 0 and 1, false and true, or no and yes
	KindDate    Kind = "date"    // texts that `types NAME : date` makes numbers
	KindText    Kind = "text"
	KindEmpty   Kind = "empty"
)

// A Profile says what a data file holds.
type Profile struct {
	File       string          `json:"file"`
	Format     Format          `json:"format"`
	SHA256     string          `json:"sha256"`
	Rows       int             `json:"rows"`
	Commas     bool            `json:"decimal_commas,omitempty"`
	Duplicates int             `json:"duplicated_rows"`  // rows that equal an earlier one in all columns but those that name rows
	Labels     bool            `json:"labels,omitempty"` // the rows carry labels beside the columns
	Columns    []ColumnProfile `json:"columns"`
	Target     *TargetProfile  `json:"target,omitempty"`
	Findings   []Finding       `json:"findings,omitempty"`
}

// A ColumnProfile says what a column holds.
type ColumnProfile struct {
	Name     string         `json:"name"`
	Kind     Kind           `json:"kind"`
	Gaps     int            `json:"gaps"`
	Distinct int            `json:"distinct"`           // values, gaps left out
	Numbers  *NumberProfile `json:"numbers,omitempty"`  // of a column of numbers; nil of others
	First    string         `json:"first,omitempty"`    // the earliest and the latest date of a column of dates
	Last     string         `json:"last,omitempty"`     //
	Frequent []ValueCount   `json:"frequent,omitempty"` // the values that most rows have, most frequent first; of real numbers none

	names bool // it seems to name the rows
}

// A NumberProfile summarizes numbers, gaps left out.
type NumberProfile struct {
	Low       float64 `json:"low"`
	Quarter   float64 `json:"quarter"` // the quantile of a quarter
	Median    float64 `json:"median"`
	Upper     float64 `json:"three_quarters"`
	High      float64 `json:"high"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // the standard deviation
}

// A ValueCount is a value and how many rows have it.
type ValueCount struct {
	Value string `json:"value"`
	Rows  int    `json:"rows"`
}

// A TargetProfile says what a target would be.
type TargetProfile struct {
	Name string       `json:"name"`
	Task setting.Task `json:"task"`
	Why  string       `json:"why,omitempty"` // why it was guessed; empty where it was named
	// Classes with their rows, most frequent first; none of a target of numbers.
	Classes []ValueCount `json:"classes,omitempty"`
	// Positive is the class of which scores above 0 are, as a draft has it; empty where there are not two.
	Positive string `json:"positive,omitempty"`
}

// mostFrequent is how many values of a column a profile counts.
const mostFrequent = 10

// ProfileOf looks at every column of a table over all rows. It knows no target. Its only error is that of ctx.
func ProfileOf(ctx context.Context, t *Table) (*Profile, error) {
	p := &Profile{File: t.Path, Format: t.Format, SHA256: t.SHA256, Rows: t.rows, Commas: t.commas, Labels: t.labels != nil, Columns: make([]ColumnProfile, 0, len(t.names))}
	for _, text := range t.warnings {
		p.Findings = append(p.Findings, Finding{Kind: FindingRead, Text: text})
	}
	for _, text := range t.readings {
		p.Findings = append(p.Findings, Finding{Kind: FindingRead, Text: text})
	}
	if f, ok := mixedFinding(t); ok {
		p.Findings = append(p.Findings, f)
	}
	for j, name := range t.names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := t.wholeColumn(j)
		column := c.profile(t)
		column.Name = name
		p.Columns = append(p.Columns, column)
		p.Findings = append(p.Findings, findings(t, c, &column)...)
	}
	var err error
	if p.Duplicates, err = duplicates(ctx, t, p.Columns); err != nil {
		return nil, err
	}
	if f, ok := duplicated(p); ok {
		p.Findings = append(p.Findings, f)
	}
	return p, nil
}

// Column returns the profile of a column, nil if there is no such column.
func (p *Profile) Column(name string) *ColumnProfile {
	if at := slices.IndexFunc(p.Columns, func(c ColumnProfile) bool { return c.Name == name }); at >= 0 {
		return &p.Columns[at]
	}
	return nil
}

// CountsOf returns the values of a column, or of the labels that rows carry, with their rows. The values that most rows have come first.
func CountsOf(t *Table, name string) []ValueCount {
	c := columnFor(t, name)
	if c == nil {
		return nil
	}
	counts := map[string]int{}
	for i := range t.rows {
		if !c.isGap(i) {
			counts[c.text(i)]++
		}
	}
	values := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	out := make([]ValueCount, len(values))
	for k, v := range values {
		out[k] = ValueCount{v, counts[v]}
	}
	return out
}

// NamesRows reports whether a column seems to name the rows: each row has another value, a whole number or one word.
func (c *ColumnProfile) NamesRows() bool { return c.names }

// profile summarizes a column of a table.
func (c *column) profile(t *Table) ColumnProfile {
	if c.isText() {
		return c.profileTexts(t)
	}
	p := ColumnProfile{Kind: KindInteger}
	numbers := slices.DeleteFunc(slices.Clone(c.numbers), math.IsNaN)
	p.Gaps = len(c.numbers) - len(numbers)
	numbers = slices.DeleteFunc(numbers, func(v float64) bool { return math.IsInf(v, 0) })
	if len(numbers) == 0 {
		p.Kind = KindEmpty
		return p
	}
	slices.Sort(numbers)
	counts := map[float64]int{}
	for i, v := range numbers {
		if i == 0 || v != numbers[i-1] {
			p.Distinct++
		}
		if v != math.Trunc(v) {
			p.Kind = KindReal
		}
		if p.Distinct <= mostFrequent*mostFrequent {
			counts[v]++
		}
	}
	mean, deviation, _ := moments(numbers, nil)
	p.Numbers = &NumberProfile{
		Low: numbers[0], Quarter: quantile(numbers, 1.0/4), Median: quantile(numbers, 1.0/2), Upper: quantile(numbers, 3.0/4), High: numbers[len(numbers)-1],
		Mean: mean, Deviation: deviation,
	}
	if p.Distinct == 2 && numbers[0] == 0 && p.Numbers.High == 1 {
		p.Kind = KindBoolean
	}
	if p.Distinct <= mostFrequent {
		p.Frequent = frequent(counts, formatNumber)
	}
	p.names = c.counts()
	return p
}

// profileTexts summarizes a column of texts of a table.
func (c *column) profileTexts(t *Table) ColumnProfile {
	p := ColumnProfile{Kind: KindText}
	rows := make([]int, len(c.texts))
	for _, code := range c.codes {
		rows[code]++
	}
	counts := map[string]int{}
	var dates span
	reader := datesOf(t, c, nil)
	for code, text := range c.texts {
		if _, kind := readNumber(text); kind == cellGap {
			p.Gaps += rows[code]
			continue
		}
		counts[text] = rows[code]
		dates.add(text, reader.order(text))
	}
	p.Distinct = len(counts)
	switch {
	case p.Distinct == 0:
		p.Kind = KindEmpty
	case dates.n == p.Distinct:
		p.Kind, p.First, p.Last = KindDate, dates.first, dates.last
	case p.Distinct == 2 && twoWords(counts):
		p.Kind = KindBoolean
	}
	p.Frequent = frequent(counts, func(text string) string { return text })
	p.names = p.Distinct == len(c.codes) && p.Kind == KindText && (isIdentifierLike(c.name) || len(c.codes) >= fewTexts && WhyText(c.texts[0], t.Writing) == "" && !slices.ContainsFunc(c.texts, hasBlank))
	return p
}

// A span is that of some dates: how many there are, and the first and the last, as they are written.
type span struct {
	n           int
	begin, end  time.Time
	first, last string
}

// add adds a text, if it is a date.
func (s *span) add(text string, order DateOrder) {
	at, ok := dateOf(text, order)
	if !ok {
		return
	}
	if s.n++; s.n == 1 || at.Before(s.begin) {
		s.begin, s.first = at, text
	}
	if s.n == 1 || at.After(s.end) {
		s.end, s.last = at, text
	}
}

// hasBlank reports whether a text has several words.
func hasBlank(text string) bool { return strings.ContainsAny(text, " \t\n") }

// twoWords reports whether two texts are false and true, or no and yes.
func twoWords(counts map[string]int) bool {
	var words []string
	for text := range counts {
		words = append(words, strings.ToLower(text))
	}
	slices.Sort(words)
	return slices.ContainsFunc([][]string{{"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}}, func(pair []string) bool { return slices.Equal(pair, words) })
}

// counts reports whether whole numbers seem to count or name the rows. They all differ, and they rise by one from row to row or the column
// is called so.
func (c *column) counts() bool {
	if len(c.numbers) < fewTexts {
		return false
	}
	rising, seen := true, make(map[float64]bool, len(c.numbers))
	for i, v := range c.numbers {
		if math.IsNaN(v) || v != math.Trunc(v) || seen[v] {
			return false
		}
		seen[v] = true
		rising = rising && v == c.numbers[0]+float64(i)
	}
	return rising || isIdentifierLike(c.name)
}

// isIdentifierLike reports whether a name is one by which people call what names rows: id, patient_id, customerID, index.
func isIdentifierLike(name string) bool {
	lower := strings.ToLower(name)
	words := strings.FieldsFunc(lower, func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' })
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return slices.Contains([]string{"id", "ids", "uuid", "guid", "index", "key", "rownames", "identifier"}, last) || strings.HasSuffix(name, "ID") || strings.HasSuffix(name, "Id")
}

// quantile returns a quantile of ascending numbers, between two of them by a straight line.
func quantile(sorted []float64, level float64) float64 {
	at := level * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := at - float64(low)
	return (1-part)*sorted[low] + part*sorted[low+1]
}

// frequent returns the values that most rows have, the lesser of two that equally many have first.
func frequent[V cmp.Ordered](counts map[V]int, text func(V) string) []ValueCount {
	values := slices.SortedFunc(maps.Keys(counts), func(a, b V) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	out := make([]ValueCount, 0, mostFrequent)
	for _, v := range values[:min(len(values), mostFrequent)] {
		out = append(out, ValueCount{text(v), counts[v]})
	}
	return out
}

// rowsAtOnce is how many rows are compared before one looks at the context again.
const rowsAtOnce = 256

// duplicates counts the rows that equal an earlier one in all columns but those that name rows. It compares digests of 128 bits.
func duplicates(ctx context.Context, t *Table, columns []ColumnProfile) (n int, err error) {
	var numbers, at []int
	var texts []*column
	for j := range columns {
		c := t.cells.column(j)
		switch {
		case columns[j].names || IsIdentifier(columns[j].Name):
		case c != nil && c.isText():
			texts = append(texts, c)
		default:
			numbers, at = append(numbers, j), append(at, len(at))
		}
	}
	if len(numbers)+len(texts) == 0 {
		return 0, nil
	}
	seen, cells := make(map[[16]byte]bool, t.rows), make([]float64, rowsAtOnce*len(numbers))
	row := make([]byte, 0, 8*(len(numbers)+len(texts)))
	for first := 0; first < t.rows; first += rowsAtOnce {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		rows := make([]int, min(rowsAtOnce, t.rows-first))
		for r := range rows {
			rows[r] = first + r
		}
		clear(cells)
		t.cells.fill(rows, numbers, at, cells, len(numbers))
		for r, i := range rows {
			row = row[:0]
			for _, v := range cells[r*len(numbers) : (r+1)*len(numbers)] {
				row = binary.LittleEndian.AppendUint64(row, math.Float64bits(v))
			}
			for _, c := range texts {
				row = binary.LittleEndian.AppendUint32(row, uint32(c.codes[i]))
			}
			if t.labels != nil {
				row = append(row, t.labels.text(i)...)
			}
			digest := digestOf(row)
			if seen[digest] {
				n++
			}
			seen[digest] = true
		}
	}
	return n, nil
}

// digestOf returns a digest of a row's cells.
func digestOf(row []byte) [16]byte {
	h := fnv.New128a()
	_, _ = h.Write(row)
	return [16]byte(h.Sum(nil))
}
