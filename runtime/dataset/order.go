package dataset

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// ordersOf returns what the dates of a column tell, of those whose years are last. Other texts tell nothing. It returns two cells that contradict
// each other, if there are such.
func ordersOf(c *column) (found orders, contrary [2]cellIn) {
	if c == nil || !c.isText() || c.forceText && IsIdentifier(c.name) {
		return nil, contrary
	}
	found = orders{}
	for k, text := range c.texts {
		d, ok := readReversed(text)
		own := d.order()
		if !ok || own == "" {
			continue
		}
		switch first, known := found[d.sign]; {
		case !known:
			found[d.sign] = ordered{own, cellWith(c, k+1)}
		case first.order != own && first.order != "":
			contrary = [2]cellIn{first.cell, cellWith(c, k+1)}
			found[d.sign] = ordered{}
		}
	}
	return found, contrary
}

// ordersIn returns what the dates of several columns tell. Columns that hold other texts beside dates tell nothing, unless they are declared.
func ordersIn(cols columns, declared bool) orders {
	found := orders{}
	for _, c := range cols {
		own, _ := ordersOf(c)
		if len(own) == 0 || !declared && !onlyReversed(c) {
			continue
		}
		for sign, told := range own {
			if first, known := found[sign]; !known {
				found[sign] = told
			} else if first.order != told.order {
				found[sign] = ordered{}
			}
		}
	}
	return found
}

// onlyReversed reports whether a column of texts holds nothing but gaps and dates whose years are last.
func onlyReversed(c *column) bool {
	return !slices.ContainsFunc(c.texts, func(text string) bool {
		_, ok := readReversed(text)
		return !ok && !IsGap(text)
	})
}

// noteDates notes what the dates of a table tell that has just been opened.
func noteDates(t *Table, cols columns) {
	t.orders = ordersIn(cols, false)
	t.Writing.Dates = t.orders.sole().order
}

// A dateReader knows the orders of the dates of a column.
type dateReader struct {
	own, beside orders    // of the column, and of others of its kind in the file
	training    DateOrder // of the training file of a further table; empty where nothing is known
}

// datesOf returns the reader of a column of dates. Its own cells count first, those of the columns beside it next, and then the training file. Where
// there is none, all columns of the file count.
func datesOf(t *Table, c *column, beside orders) *dateReader {
	r := &dateReader{beside: orders{}, training: t.dated}
	r.own, _ = ordersOf(c)
	if t.dated == "" {
		maps.Copy(r.beside, t.orders)
	}
	maps.Copy(r.beside, beside)
	return r
}

// order returns the order in which a text is read, if it is a date whose year is last; empty where nothing tells.
func (r *dateReader) order(text string) DateOrder {
	d, ok := readReversed(text)
	if !ok {
		return ""
	}
	if own, told := r.own[d.sign]; told {
		return own.order
	}
	if beside, told := r.beside[d.sign]; told {
		return beside.order
	}
	return r.training
}

// declaredDates returns what the columns tell that are declared to hold dates.
func declaredDates(t *Table, types []setting.ColumnType) orders {
	var dates columns
	for i := range types {
		if c := t.columnOf(types[i].Column); c != nil && types[i].Date {
			dates = append(dates, c)
		}
	}
	return ordersIn(dates, true)
}

// orderDates notes the order of the columns that are declared to hold dates, where they tell one. It warns where a training file has another one.
func orderDates(t *Table, declared orders) {
	words := map[DateOrder]string{DayFirst: "days", MonthFirst: "months"}
	told := declared.sole()
	if told.order == "" {
		return
	}
	t.Writing.Dates = told.order
	if t.dated != "" && t.dated != told.order {
		t.readings = slices.Clip(t.readings)
		notef(t, "dates are read with %s first, as %s says; those of the training file begin with %s", words[told.order], told.cell, words[t.dated])
	}
}

// contraryDates returns the error of a column of dates of which some begin with days and some with months; nil if there are none.
func contraryDates(t *Table, c *column) error {
	_, cells := ordersOf(c)
	if !cells[0].found() {
		return nil
	}
	return &Error{
		Code: CodeType, File: t.Path, Line: t.Line(cells[1].row), Column: c.name, Item: ItemTypes,
		Problem: fmt.Sprintf("one of %q in row %d and %q in row %d begins with its day, and the other with its month", cells[0].text, cells[0].row+1, cells[1].text, cells[1].row+1),
		Mend:    "write all dates of the column in one order, or as 2020-02-29",
	}
}

// unclearDates says that no cell of a column tells which order its dates have; empty where there are no dates, or some tell.
func unclearDates(c *column) string {
	for _, text := range c.texts {
		if d, ok := readReversed(text); !IsGap(text) && (!ok || d.order() != "") {
			return ""
		}
	}
	return "; no date of the column has a day above 12, which would tell"
}
