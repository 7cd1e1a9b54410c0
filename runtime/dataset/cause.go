package dataset

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// WhyText says what stops a text from being a number: a sign of money or percent, a decimal comma or commas between thousands. It names the number
// to write, as the file writes others. So it does of a date in another order.
// It is empty where the text is not a number without them either.
func WhyText(cell string, as Writing) string {
	why := whyPoints(cell)
	if as.Decimal == DecimalComma {
		why = whyCommas(cell)
	}
	if why == "" {
		why = whyDate(cell)
	}
	return why
}

// whyPoints says so in a file of decimal points.
func whyPoints(cell string) string {
	bare := withoutUnit(cell)
	point, whole := strings.Replace(bare, ",", ".", 1), strings.ReplaceAll(bare, ",", "")
	unclear := betweenThousands.MatchString(bare)
	plain := whole
	switch {
	case pointsBetween.MatchString(bare):
		plain = strings.Replace(strings.ReplaceAll(bare, ".", ""), ",", ".", 1)
	case !unclear && isNumber(point):
		plain = point
	}
	switch {
	case bare != cell && isNumber(plain):
		return fmt.Sprintf("the sign %c stops %q from being a number: write %s", unitOf(cell), cell, plain)
	case unclear:
		return fmt.Sprintf("%q may be %s or %s: write numbers with a point, and nothing between thousands", cell, whole, point)
	case pointsBetween.MatchString(bare):
		return fmt.Sprintf("%q has points between thousands and a decimal comma: write %s", cell, plain)
	case point != cell && isNumber(point):
		return fmt.Sprintf("%q has a decimal comma: write numbers with a point, %s", cell, point)
	case whole != cell && isNumber(whole):
		return fmt.Sprintf("commas between thousands stop %q from being a number: write %s", cell, whole)
	case manyPoints.MatchString(bare):
		return fmt.Sprintf("points between thousands stop %q from being a number: write %s", cell, strings.ReplaceAll(bare, ".", ""))
	}
	return ""
}

// whyCommas says so in a file of decimal commas. A number with a point alone would make the commas of all others uncertain.
func whyCommas(cell string) string {
	bare := withoutUnit(cell)
	whole := strings.ReplaceAll(bare, ",", "")
	switch {
	case bare != cell && commaNumber.MatchString(bare):
		return fmt.Sprintf("the sign %c stops %q from being a number: write %s", unitOf(cell), cell, strings.ReplaceAll(bare, ".", ""))
	case groupedNumber.MatchString(bare) && isNumber(whole):
		return fmt.Sprintf("commas between thousands stop %q from being a number: write %s", cell, strings.ReplaceAll(whole, ".", ","))
	case strings.Contains(bare, ".") && isNumber(bare) && !commaNumber.MatchString(bare):
		return fmt.Sprintf("%q has a decimal point, and other numbers of the file decimal commas: write %s", cell, strings.Replace(bare, ".", ",", 1))
	}
	return ""
}

// whyDate says why a text is not read as a date, if its day or month comes first.
func whyDate(cell string) string {
	if !otherDate.MatchString(cell) {
		return ""
	}
	if d, ok := readReversed(cell); ok && d.order() == "" {
		return fmt.Sprintf("%q may be a date, and nobody can tell days from months: write dates as 2020-02-29", cell)
	}
	return fmt.Sprintf("%q may be a date: write dates as 2020-02-29", cell)
}

// unitOf returns the first sign of money or percent in a text.
func unitOf(cell string) rune {
	sign, _ := utf8.DecodeRuneInString(cell[max(0, strings.IndexAny(cell, units)):])
	return sign
}

// betweenThousands matches a number whose comma may be decimal or stand between thousands: 1,200.
var betweenThousands = regexp.MustCompile(`^[+-]?[1-9]\d{0,2},\d{3}$`)

// pointsBetween matches a number with points between thousands and a decimal comma: 1.234,5.
var pointsBetween = regexp.MustCompile(`^[+-]?\d{1,3}(\.\d{3})+,\d+$`)

// manyPoints matches a number with several points between thousands: 1.234.567.
var manyPoints = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(\.\d{3}){2,}$`)

// otherDate matches a date that begins with a day or a month.
var otherDate = regexp.MustCompile(`^\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})$`)
