package report

import (
	"math"
	"strconv"
	"strings"
)

// Bound writes a bound in a format of strconv, g or f, with so many digits. It rounds outwards, up if towards is 1 and down if it is −1, so that what is
// shown is a bound, too.
func Bound(v, towards float64, format byte, digits int) string {
	text, unit := strconv.FormatFloat(v, format, digits, 64), math.Pow10(-digits)
	near, err := strconv.ParseFloat(text, 64)
	if format == 'g' { // digits are those of the number, not those behind its point
		_, power, _ := strings.Cut(strconv.FormatFloat(near, 'e', digits-1, 64), "e")
		exponent, _ := strconv.Atoi(power) // 0 where v is no number
		unit = math.Pow10(exponent + 1 - digits)
	}
	// A unit may be less than the numbers around are apart, and is doubled then.
	for from := near; err == nil && v != 0 && !math.IsInf(v, 0) && towards*(near-v) < 0; unit *= 2 {
		text = strconv.FormatFloat(from+towards*unit, format, digits, 64)
		near, err = strconv.ParseFloat(text, 64)
	}
	return text
}

// The digits with which a terminal shows bounds.
const (
	marginDigits = 3
	pointDigits  = 4
	withinDigits = 2
)

// AtLeast writes a proven lower bound with three digits.
func AtLeast(v Number) string { return Bound(float64(v), -1, 'g', marginDigits) }
