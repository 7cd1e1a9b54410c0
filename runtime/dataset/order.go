package dataset

import "cmp"

// datesOf returns the order of the dates whose years are last, and the first cell that tells it. The order is empty if no cell tells one, or some
// tell either.
func datesOf(cols columns) (DateOrder, cellIn) {
	found := map[DateOrder]cellIn{}
	for _, c := range cols {
		order, cell := orderOf(c)
		if _, known := found[order]; order != "" && !known {
			found[order] = cell
		}
	}
	if len(found) != 1 {
		return "", cellIn{}
	}
	for order, cell := range found {
		return order, cell
	}
	return "", cellIn{}
}

// orderOf returns the order of a column of dates whose years are last, and the first cell that tells it.
func orderOf(c *column) (order DateOrder, cell cellIn) {
	if !c.isText() || c.forceText && IsIdentifier(c.name) {
		return "", cellIn{}
	}
	for k, text := range c.texts {
		if IsGap(text) {
			continue
		}
		d, ok := readReversed(text)
		own := d.order()
		if !ok || own != "" && order != "" && own != order {
			return "", cellIn{}
		}
		if order = cmp.Or(order, own); own != "" && !cell.found() {
			cell = cellWith(c, k+1)
		}
	}
	return order, cell
}

// orderDates takes the order of dates of a training file where the table tells none. It warns where both differ.
func orderDates(t *Table, training DateOrder) {
	words := map[DateOrder]string{DayFirst: "days", MonthFirst: "months"}
	switch own := t.Writing.Dates; {
	case own == "":
		t.Writing.Dates = training
	case training != "" && training != own:
		notef(t, "dates are read with %s first, as %s says; those of the training file begin with %s", words[own], t.dated, words[training])
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
