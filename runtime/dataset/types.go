package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// checkTypes returns an error for the first cell that is not what `types` declares of its column, nil where all are. It counts the
// others, and ignores gaps.
func checkTypes(t *Table, types []setting.ColumnType) error {
	var first *Error
	others := 0
	for i := range types {
		e, err := checkType(t, &types[i])
		switch {
		case err != nil:
			return err
		case e != nil && first == nil:
			first = e
		case e != nil:
			others++
		}
	}
	if first == nil {
		return nil
	}
	if others > 0 {
		first.Problem += fmt.Sprintf(" (%s such cells too)", further(others))
	}
	return first
}

// checkTypesHere refuses a cell of a further table that is not what the spec declares of its column. Columns that the table lacks are not checked.
func checkTypesHere(t *Table, types []setting.ColumnType) error {
	here := slices.DeleteFunc(slices.Clone(types), func(c setting.ColumnType) bool { return !has(t.index, c.Column) })
	return asked(ItemTypes, checkTypes(t, here))
}

// openTypes returns the types of columns, without their intervals where numbers outside get the nearest end.
func openTypes(types []setting.ColumnType, o setting.Outside) []setting.ColumnType {
	if o != setting.OutsideClip {
		return types
	}
	types = slices.Clone(types)
	for i := range types {
		types[i].Low, types[i].High = math.Inf(-1), math.Inf(1)
	}
	return types
}

// further returns "1 further column has", "2 further columns have".
func further(n int) string {
	if n == 1 {
		return "1 further column has"
	}
	return count(n, "further column") + " have"
}

// checkType returns what is wrong with the first cell of a column that is not of its type, nil where all are.
func checkType(t *Table, c *setting.ColumnType) (*Error, error) {
	raw, ok := t.Column(c.Column, rowNumbers(t.rows))
	if !ok {
		return nil, noColumn(t, ItemTypes, c.Column)
	}
	row, problem, more := -1, "", 0
	for i := range t.rows {
		what := mismatch(c, raw, i)
		switch {
		case what == "":
		case row < 0:
			row, problem = i, what
		default:
			more++
		}
	}
	if row < 0 {
		return nil, nil
	}
	mend := ""
	if raw.Texts != nil && len(c.Values.List) == 0 {
		mend = WhyText(raw.Texts[row], t.Writing)
	}
	problem = fmt.Sprintf("row %d: %s", row+1, problem)
	if more > 0 {
		problem += fmt.Sprintf(", and so in %s", count(more, "further row"))
	}
	return &Error{
		Code: CodeType, File: t.Path, Line: t.Line(row), Column: c.Column, Problem: problem, Item: ItemTypes,
		Mend: cmp.Or(mend, fmt.Sprintf("mend the cell, or what `types` says of the column, which is %s", c)),
	}, nil
}

// mismatch says why a cell is not of a type. It is empty where it is, and for gaps.
func mismatch(c *setting.ColumnType, raw Raw, row int) string {
	var cell string
	if raw.Texts != nil {
		cell = strings.TrimSpace(raw.Texts[row])
	} else if !math.IsNaN(raw.Numbers[row]) {
		cell = formatNumber(raw.Numbers[row])
	}
	v, isNumber := setting.Numeral(cell)
	_, kind := readNumber(cell)
	switch {
	case c.Text, kind == cellGap && !c.Among(cell):
	case len(c.Values.List) > 0:
		if !c.Among(cell) {
			return fmt.Sprintf("%q is not one of %s", cutShort(cell), cutShort(c.String()))
		}
	case !isNumber:
		return fmt.Sprintf("%q is not a number", cutShort(cell))
	case c.Whole && v != math.Trunc(v):
		return cell + " is not a whole number"
	case v < c.Low || v > c.High:
		return fmt.Sprintf("%s is outside [%g, %g]", cell, c.Low, c.High)
	}
	return ""
}
