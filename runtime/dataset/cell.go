package dataset

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/internal/limits"
)

// isDigits reports whether a cell is a number of digits alone.
func isDigits(cell string) bool {
	return !strings.ContainsFunc(cell, func(r rune) bool { return r < '0' || r > '9' })
}

// A cellKind says how a cell reads.
type cellKind int

const (
	cellNumber cellKind = iota
	cellInfinite
	cellGap
	cellText
)

// tooLarge says why a number that was read is refused, and what to do about it.
func tooLarge(text string, v float64) (problem, mend string) {
	if math.IsInf(v, 0) && !strings.ContainsAny(text, "0123456789") {
		return fmt.Sprintf("%q is not a finite number", text), "replace it"
	}
	return fmt.Sprintf("%q is too large: numbers beyond 1e100 overflow when they are squared", text), "write the column in a larger unit, or replace the number"
}

// GapWords are read as gaps, in capitals and small letters, as empty cells are.
var GapWords = []string{"na", "n/a", "nan", "null", "?"}

// IsGap reports whether a cell of texts is empty or has one of these words.
func IsGap(cell string) bool {
	_, kind := readNumber(cell)
	return kind == cellGap
}

// readNumber reads a trimmed cell; v is NaN for gaps and texts.
func readNumber(cell string) (v float64, kind cellKind) {
	if cell == "" {
		return math.NaN(), cellGap
	}
	if first := cell[0]; (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.' {
		return readDecimal(cell)
	}
	switch lower := strings.ToLower(cell); {
	case slices.Contains(GapWords, lower):
		return math.NaN(), cellGap
	case lower == "inf" || lower == "infinity":
		return math.Inf(1), cellInfinite
	}
	return math.NaN(), cellText
}

// readDecimal reads a cell that begins like a number. Hexadecimal numbers and digit separators are texts.
func readDecimal(cell string) (float64, cellKind) {
	if strings.ContainsAny(cell, "xX_") {
		return math.NaN(), cellText
	}
	v, err := strconv.ParseFloat(cell, 64)
	switch {
	case math.Abs(v) > limits.LargestNumber:
		return v, cellInfinite
	case err != nil:
		return math.NaN(), cellText
	case math.IsNaN(v):
		return v, cellGap
	}
	return v, cellNumber
}

// formatNumber returns the shortest text that reads back as the number, without an exponent for moderate integers.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// cutShort returns a text, or the beginning of a long one.
func cutShort(s string) string {
	if len(s) <= mostShown {
		return s
	}
	return strings.ToValidUTF8(s[:mostShown], "") + "…"
}

// short returns a number as a sentence shows it.
func short(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return formatNumber(v)
	}
	return fmt.Sprintf("%.4g", v)
}

// mostShown is how many bytes of a class an error shows.
const mostShown = 60

// plainName matches names that stand in a spec without quotes, apart from words of the language.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// columnText returns a column as an item of a spec names it, in quotes where its name is no plain word.
func columnText(name string) string {
	if plainName.MatchString(name) && !slices.Contains([]string{"over", "of", "in", "where", "and", "or", "not"}, name) {
		return name
	}
	return strconv.Quote(name)
}
