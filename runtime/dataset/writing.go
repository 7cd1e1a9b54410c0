package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// signsOf looks for these cells in some columns.
func signsOf(cols columns, counts func(name string) bool) (s signs) {
	for _, c := range cols {
		if !counts(c.name) {
			continue
		}
		own, _ := signsIn(c)
		for _, pair := range []struct{ to, from *cellIn }{{&s.comma, &own.comma}, {&s.point, &own.point}, {&s.either, &own.either}} {
			if !pair.to.found() {
				*pair.to = *pair.from
			}
		}
	}
	return s
}

// everyColumn counts each column.
func everyColumn(string) bool { return true }

// signsIn returns how the numbers of a column are written. It reports whether all of its cells are gaps or numbers by decimal commas. A column
// that holds anything besides numbers tells nothing.
func signsIn(c *column) (s signs, readable bool) {
	if !c.isText() {
		s.point = c.pointed
		if !s.point.found() {
			s.either = c.maybe
		}
		return s, !s.point.found()
	}
	if c.forceText {
		return s, false
	}
	found := texts{commas: true, points: true}
	for k, text := range c.texts {
		if !IsGap(text) && !found.look(k+1, text) {
			return signs{}, false
		}
	}
	switch {
	case found.commas && found.points:
		s.either = cellWith(c, found.either)
	case found.commas:
		s.comma = cellWith(c, found.comma)
	case found.points:
		s.point = cellWith(c, found.point)
	default:
		s.comma, s.point = cellWith(c, found.onlyComma), cellWith(c, found.onlyPoint)
	}
	return s, found.commas && !found.units
}

// texts are what those of a column tell of how numbers are written. Places count from 1; 0 means that there is no such text.
type texts struct {
	commas, points       bool // all are numbers by decimal commas, or points
	units                bool // some have a sign of money or percent
	comma, point, either int  // the first that has a decimal comma, or point, for sure, and the first that may have either
	onlyComma, onlyPoint int  // the first that is no number with points, or commas
}

// look notes the k-th text. It reports whether that is a number at all.
func (f *texts) look(k int, text string) bool {
	bare := withoutUnit(text)
	byComma, byPoint := commaNumber.MatchString(bare), isPointNumber(bare)
	hasComma, hasPoint := strings.Contains(bare, ","), strings.Contains(bare, ".")
	f.units, f.commas, f.points = f.units || bare != text, f.commas && byComma, f.points && byPoint
	for _, sign := range []struct {
		at *int
		is bool
	}{
		{&f.comma, !byPoint && hasComma}, {&f.point, !byComma && hasPoint}, {&f.either, byComma && byPoint && hasPoint}, {&f.onlyComma, !byPoint}, {&f.onlyPoint, !byComma},
	} {
		if sign.is && *sign.at == 0 {
			*sign.at = k
		}
	}
	return byComma || byPoint
}

// cellWith returns the first cell that holds the k-th text, from 1; no cell for 0.
func cellWith(c *column, k int) cellIn {
	if k == 0 {
		return cellIn{}
	}
	return cellIn{c.name, slices.Index(c.codes, int32(k-1)), c.texts[k-1]} //nolint:gosec // as many as a column has
}

// readCommas reads all columns by decimal commas whose cells are all numbers by them. It returns the first cells with points of columns in
// which no cell says that these stand between thousands.
func readCommas(cols columns) (thousands []cellIn) {
	for j, c := range cols {
		s, readable := signsIn(c)
		if !readable || !c.isText() && !s.either.found() {
			continue
		}
		if s.either.found() {
			thousands = append(thousands, s.either)
		}
		cols[j] = byCommas(c)
	}
	return thousands
}

// byCommas returns a column of numbers that are written with decimal commas as one of numbers.
func byCommas(c *column) *column {
	out := newColumn(c.name)
	for i := range max(len(c.codes), len(c.numbers)) {
		text := c.asWritten(i)
		if strings.ContainsAny(text, ",.") {
			text = strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1)
		}
		out.add(i, text)
	}
	out.broken, out.pointed, out.maybe = true, cellIn{}, cellIn{} // of the writing with commas, and not of this one
	if !c.isText() {
		out.gaps = c.gaps
	}
	return out
}

// readNumbers reads the numbers of a table that has just been opened, and notes how they and the dates are written. Decimal commas need a file with
// semicolons, a number that has one for sure, and no number that has a point for sure.
func readNumbers(t *Table, cols columns) {
	t.signs = signsOf(cols, everyColumn)
	comma, point := t.signs.comma.found(), t.signs.point.found()
	switch {
	case comma && !point && t.separator == ';':
		takeCommas(t, cols, true)
	case point && !comma:
		t.Writing.Decimal = DecimalPoint
	case !comma && t.signs.either.found():
		doubt(t, t.signs.either)
	}
	readCodes(cols)
	noteDates(t, cols)
}

// takeCommas reads the numbers of columns by decimal commas. With notes it tells of columns that nothing but the rest of the file tells to be
// written so.
func takeCommas(t *Table, cols columns, notes bool) {
	t.plain = slices.Clone(cols)
	thousands := readCommas(cols)
	t.commas, t.Writing.Decimal = true, DecimalComma
	for k := 0; notes && k < len(thousands); k++ {
		notef(t, "%s is read as %s, as other numbers of the file have decimal commas", thousands[k], strings.ReplaceAll(thousands[k].text, ".", ""))
	}
}

// doubt notes a cell whose point may be decimal or stand between thousands, if commas separate no cells.
func doubt(t *Table, c cellIn) {
	if t.separator == ';' {
		notef(t, "%s may be %s or %s, and no number of the file tells: it is read with a decimal point; write numbers without points between thousands",
			c, c.text, strings.ReplaceAll(c.text, ".", ""))
	}
}

// readAs returns the table with numbers and dates read as a training file writes them, where the table itself does not tell. The columns that
// count are those whose numbers matter. What the table says for sure is kept, with a warning where the training file differs. The table itself stays
// as it is. It returns an error if the table has both decimal commas and points.
func readAs(t *Table, w Writing, counts func(name string) bool) (*Table, error) {
	read, ok := t.cells.(columns)
	if !ok {
		return t, nil
	}
	sure := signsOf(t.plain, counts).comma
	if t.commas && w.Decimal == DecimalPoint && !sure.found() {
		return readAs(withPoints(t), w, counts)
	}
	out := *t
	out.readings = nil
	if t.commas && w.Decimal == "" {
		out.readings = slices.Clone(t.readings)
	}
	out.dated = w.Dates
	if !t.commas {
		s, may := signsOf(read, counts), takes(t, w.Decimal)
		comma, point := s.comma.found(), s.point.found()
		switch {
		case may && comma && point:
			return nil, mixed(t, s, w.Decimal)
		case !may || point || !comma && w.Decimal != DecimalComma:
			out.Writing.Decimal = pointsOf(t, s, w.Decimal, counts)
			tellPoints(&out, s, w.Decimal)
			return &out, nil
		}
		cols := slices.Clone(read)
		takeCommas(&out, cols, w.Decimal == "")
		readCodes(cols)
		out.cells, sure = cols, s.comma
	}
	if w.Decimal == DecimalPoint {
		notef(&out, "numbers are read with decimal commas, as %s has one; the training file has decimal points", sure)
	}
	return &out, nil
}

// withPoints returns a table that is read with decimal commas as one that is not. The table itself stays as it is.
func withPoints(t *Table) *Table {
	out := *t
	cols := slices.Clone(t.plain)
	readCodes(cols)
	out.cells, out.plain, out.commas, out.Writing.Decimal = cols, nil, false, ""
	return &out
}

// pointsOf returns how a table writes numbers that is not read with decimal commas. A file that cannot have these is taken as a table in memory
// is, whose numbers are not written at all. They count as written with points if some number has a fraction.
func pointsOf(t *Table, s signs, training Decimal, counts func(name string) bool) Decimal {
	if takes(t, DecimalComma) {
		if s.point.found() {
			return DecimalPoint
		}
		return training
	}
	for j, name := range t.names {
		c := t.cells.column(j)
		if c != nil && counts(name) && slices.ContainsFunc(c.numbers, func(v float64) bool { return v != math.Trunc(v) && !math.IsNaN(v) }) {
			return DecimalPoint
		}
	}
	return ""
}

// tellPoints tells what is worth saying of a table that is read with decimal points, beside a training file.
func tellPoints(t *Table, s signs, training Decimal) {
	switch {
	case s.point.found() && training == DecimalComma:
		notef(t, "numbers are read with decimal points, as %s has one; the training file has decimal commas", s.point)
	case s.either.found() && training == DecimalComma && t.separator == ',':
		notef(t, "%s is read as %s, as commas stand between cells; the training file has decimal commas, by which it is %s",
			s.either, s.either.text, strings.ReplaceAll(s.either.text, ".", ""))
	case training == "" && s.either.found() && !s.point.found() && !s.comma.found():
		doubt(t, s.either)
	}
}

// takes reports whether the numbers of a file may have decimal commas. They may where semicolons separate cells. Beside a training file that has
// them they may also where tabs do, or nothing.
func takes(t *Table, training Decimal) bool {
	return t.Format == CSV && (t.separator == ';' || t.separator != ',' && training == DecimalComma)
}

// notef notes how cells of the file are read.
func notef(t *Table, format string, args ...any) {
	t.readings = append(t.readings, t.Path+": "+fmt.Sprintf(format, args...))
}

// mixed returns the error of a table with decimal commas and points.
func mixed(t *Table, s signs, training Decimal) *Error {
	mend := "write all numbers of the file in one way; leave the column out by `ignore`, or declare it by `types " + columnText(s.point.column) + " : text`, if it holds no numbers"
	switch {
	case training == DecimalComma:
		mend = "write all numbers with decimal commas, as the training file does"
	case training == DecimalPoint:
		mend = "write all numbers with decimal points, as the training file does"
	case s.comma.column == s.point.column:
		mend = "write all numbers of the file in one way, or declare the column by `types " + columnText(s.point.column) + " : text`"
	}
	return &Error{
		Code: CodeNumber, File: t.Path, Line: t.Line(s.point.row), Problem: fmt.Sprintf("%s has a decimal comma, and %s a decimal point", s.comma, s.point), Mend: mend,
	}
}
