package dataset

import (
	"regexp"
	"strings"
)

// withoutUnit returns a text without signs of money and percent.
func withoutUnit(text string) string {
	if !strings.ContainsAny(text, units) {
		return text
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune(units, r) {
			return -1
		}
		return r
	}, text))
}

// units are signs that people write beside numbers.
const units = "$€£¥%"

// commaNumber matches a number as it is written with a decimal comma: 12, 1,5, 1.234,56 or 1,5E-3.
var commaNumber = regexp.MustCompile(`^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?([eE][+-]?\d+)?$`)

// groupedNumber matches a number with commas between thousands: 1,200 or 1,200.5.
var groupedNumber = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$`)

// isPointNumber reports whether a text is a number with a decimal point, or without decimals. Commas may stand between thousands.
func isPointNumber(text string) bool {
	_, kind := readNumber(text)
	return kind == cellNumber || groupedNumber.MatchString(text) && !strings.HasPrefix(strings.TrimLeft(text, "+-"), "0")
}

// isNumber reports whether a text reads as a finite number.
func isNumber(text string) bool {
	_, kind := readNumber(text)
	return kind == cellNumber
}
