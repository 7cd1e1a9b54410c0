package dataset

import (
	"strings"
	"time"
)

// dateForms are the forms of a date that are read. Days and months in another order are not, as nobody can tell 03/04 from 04/03.
var dateForms = []string{
	"2006-01-02", "2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04",
	"2006/01/02", "2006-01", "20060102",
}

// parseDate reads a date, with or without a time of day. Without a zone the time is that of Greenwich.
func parseDate(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if len(text) < len("2006-01") || text[0] < '0' || text[0] > '9' {
		return time.Time{}, false
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// isDate reports whether a text is a date, and not a number.
func isDate(text string) bool {
	if _, kind := readNumber(text); kind == cellNumber {
		return false
	}
	_, ok := parseDate(text)
	return ok
}

// decimalYear returns the year of a moment with the share of it that has passed: 2020.5 is the middle of 2020.
func decimalYear(t time.Time) float64 {
	begin := time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	end := time.Date(t.Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
	return float64(t.Year()) + t.Sub(begin).Seconds()/end.Sub(begin).Seconds()
}
