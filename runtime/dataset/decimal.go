package dataset

import (
	"fmt"
	"maps"
	"slices"
)

// A Decimal is the sign before the decimals of numbers.
type Decimal string

// The decimal signs.
const (
	DecimalPoint Decimal = "point"
	DecimalComma Decimal = "comma"
)

// A Writing says how a file writes what may be read in two ways. An empty field means that nothing in the file tells.
type Writing struct {
	Decimal Decimal   `json:"decimal,omitempty"`
	Dates   DateOrder `json:"dates,omitempty"`
}

// check returns an error for a writing that was read from elsewhere, if it is none.
func (w Writing) check() error {
	if !slices.Contains([]Decimal{"", DecimalPoint, DecimalComma}, w.Decimal) || !slices.Contains([]DateOrder{"", DayFirst, MonthFirst}, w.Dates) {
		return fmt.Errorf("numbers with a decimal %q and dates with the %q first", w.Decimal, w.Dates)
	}
	return nil
}

// A DateOrder says what dates such as 20.11.2019 begin with.
type DateOrder string

// The orders.
const (
	DayFirst   DateOrder = "day"
	MonthFirst DateOrder = "month"
)

// A cellIn is a cell of a column; the zero value means no cell.
type cellIn struct {
	column string
	row    int
	text   string
}

// String returns the cell and its place: "1,5" in row 3 of column "b".
func (c cellIn) String() string {
	return fmt.Sprintf("%q in row %d of column %q", c.text, c.row+1, c.column)
}

// found reports whether there is a cell.
func (c cellIn) found() bool { return c.text != "" }

// signs are the first cells of a table that tell how its numbers are written.
type signs struct {
	comma, point cellIn // a number that has a decimal comma, or point, for sure
	either       cellIn // a number whose point may be decimal or stand between thousands: 1.234
}

// An ordered cell is a date that tells its order for sure.
type ordered struct {
	order DateOrder
	cell  cellIn
}

// orders are the first dates that tell their order, by the signs between day, month and year. Dates that contradict each other have the order "".
type orders map[byte]ordered

// sole returns the order that all dates have, and the first cell that tells it by its place. The order is empty if none tells one, or some tell either.
func (o orders) sole() ordered {
	var told ordered
	for _, sign := range slices.Sorted(maps.Keys(o)) {
		if told.order != "" && o[sign].order != told.order || o[sign].order == "" {
			return ordered{}
		}
		if told.order == "" {
			told = o[sign]
		}
	}
	return told
}
