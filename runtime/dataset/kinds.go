package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// withTypes returns the table with columns as they are declared: dates as numbers, texts as texts, and codes as numbers where these are
// declared. The table itself stays as it is. Columns that it lacks are left to others.
func withTypes(t *Table, types []setting.ColumnType) (*Table, error) {
	read, ok := t.cells.(columns)
	if !ok {
		return t, nil
	}
	var typed columns
	beside := declaredDates(t, types)
	for i := range types {
		c := &types[i]
		j, here := t.index[c.Column]
		number := here && read[j].isCode() && !c.Date && !c.Texts()
		if !here || !c.Date && !c.Text && !number {
			continue
		}
		if typed == nil {
			typed = slices.Clone(read)
		}
		if c.Text {
			declared := *typed[j].asTexts()
			declared.leading = cellIn{} // declared words are no codes, which `gaps` could name
			typed[j] = &declared
			continue
		}
		if number {
			typed[j] = asNumbers(typed[j])
			continue
		}
		var err error
		if typed[j], err = asDates(t, typed[j], beside); err != nil {
			return nil, err
		}
	}
	if typed == nil {
		return t, nil
	}
	out := *t
	out.cells = typed
	orderDates(&out, beside)
	return &out, nil
}

// asDates returns a column of dates as one of numbers: years with the share of them that has passed. Numbers are years already, or
// dates of eight digits. Beside it other columns of dates may tell the order.
func asDates(t *Table, c *column, beside orders) (*column, error) {
	if err := contraryDates(t, c); err != nil {
		return nil, err
	}
	reader := datesOf(t, c, beside)
	out := &column{name: c.name, oddRow: -1, infRow: -1, numbers: make([]float64, 0, t.rows)}
	for i := range t.rows {
		if c.isGap(i) {
			out.numbers = append(out.numbers, math.NaN())
			continue
		}
		text := c.text(i)
		year, ok := yearOf(text, reader.order(text))
		if !ok {
			return nil, &Error{
				Code: CodeType, File: t.Path, Line: t.Line(i), Column: c.name, Item: ItemTypes, Problem: fmt.Sprintf("row %d: %s", i+1, notDate(text)),
				Mend: "write dates as 2020-02-29 or 2020-02-29T12:30:00, or give the column another type",
			}
		}
		out.numeric++
		out.numbers = append(out.numbers, year)
	}
	return out, nil
}

// notDate says why a text is not read as a date.
func notDate(text string) string {
	if d, ok := readReversed(text); ok && d.order() == "" {
		return fmt.Sprintf("%q may begin with its day or its month, and no date of the file tells", cutShort(text))
	}
	return fmt.Sprintf("%q is not a date", cutShort(text))
}

// yearOf reads a date as a year with the share of it that has passed. A number of at most four digits is a year.
func yearOf(text string, order DateOrder) (year float64, ok bool) {
	const years = 10_000
	if v, kind := readNumber(text); kind == cellNumber && v >= 0 && v < years {
		return v, true
	}
	t, ok := parseDate(text, order)
	return decimalYear(t), ok
}

// timesOf returns the cells of a column of dates, or of numbers that rise with time, as numbers in order. It returns an error for a cell
// that is neither.
func timesOf(t *Table, name string, rows []int) ([]float64, error) {
	c := columnFor(t, name)
	if c == nil {
		return nil, noColumn(t, ItemSplit, name)
	}
	times, reader := make([]float64, len(rows)), datesOf(t, c, nil)
	for r, i := range rows {
		ok := !c.isGap(i)
		switch {
		case ok && c.isText():
			times[r], ok = yearOf(c.text(i), reader.order(c.text(i)))
		case ok:
			times[r] = c.numbers[i]
		}
		if !ok {
			return nil, &Error{
				Code: CodeType, File: t.Path, Line: t.Line(i), Column: name, Item: ItemSplit, Problem: fmt.Sprintf("row %d: %s is neither a date nor a number", i+1, shownText(c.text(i))),
				Mend: "write dates as 2020-02-29, or split the rows by another column",
			}
		}
	}
	return times, nil
}

// splitByTime puts the latest rows into the test. Rows of one time stay together: those at the border are later ones.
func splitByTime(t *Table, rows []int, split setting.Split, apart bool) (train, test []int, err error) {
	times, err := timesOf(t, split.Time, rows)
	if err != nil {
		return nil, nil, err
	}
	order := rowNumbers(len(rows))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	if !apart && len(rows) < max(int(split.Train), 1)+max(int(split.Test), 1) {
		return nil, nil, tooManyAsked(t.Path, split, len(rows))
	}
	if !apart {
		at := max(len(order)-rowsOf(split.Test, len(rows)), 0)
		for at > 0 && at < len(order) && times[order[at-1]] == times[order[at]] {
			at--
		}
		test, order = sorted(rows, order[at:]), order[:at]
	}
	if n := split.Train; n > 0 {
		order = order[max(0, len(order)-rowsOf(n, len(rows))):]
	}
	train = sorted(rows, order)
	if len(train) == 0 || len(test) == 0 && !apart {
		return nil, nil, &Error{
			Code: CodeRows, File: t.Path, Column: split.Time, Item: ItemSplit, Problem: fmt.Sprintf("the rows have too few times to split %s by", count(len(rows), "row")),
			Mend: "split by a column of more times, or at random",
		}
	}
	return train, test, nil
}

// notLater returns those of some rows that are as early as the latest of others, by a column of times. Rows without a time are left out.
func notLater(t *Table, name string, rows, others []int) ([]int, error) {
	times, err := timesOf(t, name, others)
	if err != nil || len(times) == 0 {
		return nil, err
	}
	latest, out := slices.Max(times), []int(nil)
	for _, i := range rows {
		if at, err := timesOf(t, name, []int{i}); err == nil && at[0] <= latest {
			out = append(out, i)
		}
	}
	return out, nil
}

// rowsOf returns a number or a share of so many rows, a quarter where nothing is said.
func rowsOf(number float64, rows int) int {
	switch {
	case number == 0:
		number = holdOut
	case number >= 1:
		return min(int(number), rows)
	}
	return max(1, int(math.Round(number*float64(rows))))
}

// sorted returns the rows at some positions, ascending.
func sorted(rows, positions []int) []int {
	out := chosen(rows, positions)
	slices.Sort(out)
	return out
}

// Balance weighs the rows of a set so that those of each class have the same weight in sum. All of them together keep what they had.
func Balance(s *Set) {
	if s.Class == nil {
		return
	}
	sums := make([]float64, len(s.LabelNames))
	held := 0
	for i, c := range s.Class {
		if w := weightOf(s.Weight, i); c >= 0 && w > 0 {
			if sums[c] == 0 {
				held++
			}
			sums[c] += w
		}
	}
	weight := make([]float64, s.Len())
	for i, c := range s.Class {
		if c >= 0 && sums[c] > 0 {
			weight[i] = weightOf(s.Weight, i) * s.Total() / (float64(held) * sums[c])
		}
	}
	s.Weight = weight
}

// filling returns what a gap gets in a column of that mean.
func filling(m setting.Missing, mean float64, x []float64) float64 {
	switch m {
	case setting.MissingMedian, setting.MissingMaskMedian:
		return median(x)
	case setting.MissingFrequent, setting.MissingMaskFrequent:
		return mode(x)
	case setting.MissingError, setting.MissingMean, setting.MissingMask, setting.MissingDrop:
	}
	return mean
}

// median returns the median of numbers, gaps left out.
func median(x []float64) float64 {
	numbers := slices.DeleteFunc(slices.Clone(x), math.IsNaN)
	slices.Sort(numbers)
	return quantile(numbers, 1.0/2)
}

// mode returns the number that most rows have, the least of several; gaps are left out.
func mode(x []float64) float64 {
	counts := map[float64]int{}
	best := math.NaN()
	for _, v := range x {
		if math.IsNaN(v) {
			continue
		}
		counts[v]++
		if m := counts[v]; math.IsNaN(best) || m > counts[best] || m == counts[best] && v < best {
			best = v
		}
	}
	return best
}
