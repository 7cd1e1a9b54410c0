package dataset

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dateForms are the forms of a date that are read in any file.
var dateForms = []string{
	"2006-01-02", "2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04",
	"2006/01/02", "2006-01", "20060102",
}

// yearLast matches a date that ends with its year, with or without a time of day behind it.
var yearLast = regexp.MustCompile(`^(\d{1,2})([./-])(\d{1,2})([./-])(\d{4})([ T]\d\d:\d\d.*)?$`)

// A reversed date begins with a day or a month.
type reversed struct {
	first, second int
	sign          byte   // between the parts
	year, rest    string // rest is the time of day
}

// readReversed reads a date whose year is last.
func readReversed(text string) (d reversed, ok bool) {
	if len(text) < len("1.1.2006") || text[0] < '0' || text[0] > '9' {
		return d, false
	}
	m := yearLast.FindStringSubmatch(text)
	if len(m) == 0 || m[2] != m[4] {
		return d, false
	}
	d.first, _ = strconv.Atoi(m[1])
	d.second, _ = strconv.Atoi(m[3])
	d.sign, d.year, d.rest = m[2][0], m[5], m[6]
	const months, days = 12, 31
	least, most := min(d.first, d.second), max(d.first, d.second)
	return d, least >= 1 && least <= months && most <= days
}

// order returns the order that the date has for sure, "" where day and month may change places.
func (d reversed) order() DateOrder {
	const months = 12
	switch {
	case d.first > months:
		return DayFirst
	case d.second > months:
		return MonthFirst
	}
	return ""
}

// plain returns the date with its year first.
func (d reversed) plain(order DateOrder) string {
	day, month := d.first, d.second
	if order == MonthFirst {
		day, month = month, day
	}
	return fmt.Sprintf("%s-%02d-%02d%s", d.year, month, day, d.rest)
}

// parseDate reads a date, with or without a time of day. Without a zone the time is that of Greenwich. The order says what dates begin with whose
// year is last; if it is empty, they are not read.
func parseDate(text string, order DateOrder) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if len(text) < len("2006-01") || text[0] < '0' || text[0] > '9' {
		return time.Time{}, false
	}
	if order != "" {
		if d, ok := readReversed(text); ok {
			text = d.plain(order)
		}
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// dateOf reads a text as a date, unless it is a number.
func dateOf(text string, order DateOrder) (time.Time, bool) {
	if isNumber(text) {
		return time.Time{}, false
	}
	return parseDate(text, order)
}

// decimalYear returns the year of a moment with the share of it that has passed: 2020.5 is the middle of 2020.
func decimalYear(t time.Time) float64 {
	begin := time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	end := time.Date(t.Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
	return float64(t.Year()) + t.Sub(begin).Seconds()/end.Sub(begin).Seconds()
}
