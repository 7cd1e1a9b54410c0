package report

import (
	"math"
	"strconv"
)

// Bound writes a bound in a format of strconv, g or f, with so many digits. It rounds outwards, up if towards is 1 and down if it is −1, so that what is
// shown is a bound, too.
func Bound(v, towards float64, format byte, digits int) string {
	text := strconv.FormatFloat(v, format, digits, 64)
	near, err := strconv.ParseFloat(text, 64)
	if v == 0 || err != nil || math.IsNaN(v) || math.IsInf(v, 0) || towards*(near-v) >= 0 {
		return text
	}
	unit := math.Pow10(-digits)
	if format == 'g' { // digits are those of the number, not those behind its point
		unit = math.Pow10(int(math.Floor(math.Log10(math.Abs(near)))) + 1 - digits)
	}
	return strconv.FormatFloat(near+towards*unit, format, digits, 64)
}

// The digits with which a terminal shows bounds.
const (
	marginDigits = 3
	pointDigits  = 4
	withinDigits = 2
)

// AtLeast writes a proven lower bound with three digits.
func AtLeast(v Number) string { return Bound(float64(v), -1, 'g', marginDigits) }
