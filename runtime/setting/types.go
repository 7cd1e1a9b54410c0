package setting

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A ColumnType says what a column of the file may hold. Gaps are always allowed: Missing says what they get.
type ColumnType struct {
	Column    string
	Whole     bool     // its numbers have no fraction
	Low, High float64  // between which its numbers lie
	Values    []string // of which its cells are; nil for numbers within bounds
}

// Texts reports whether the column is one of texts: some value is not a number.
func (c *ColumnType) Texts() bool {
	return slices.ContainsFunc(c.Values, func(v string) bool { _, isNumber := Numeral(v); return !isNumber })
}

// Among reports whether a text is one of the values. Numbers are compared as numbers: 4.0 is 4.
func (c *ColumnType) Among(text string) bool {
	number, isNumber := Numeral(text)
	return slices.ContainsFunc(c.Values, func(v string) bool {
		other, alike := Numeral(v)
		return v == text || isNumber && alike && other == number
	})
}

// Range returns the least and the greatest number that the type allows. They are infinite where it says nothing, and of texts.
func (c *ColumnType) Range() (low, high float64) {
	if len(c.Values) == 0 {
		return c.Low, c.High
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range c.Values {
		number, isNumber := Numeral(v)
		if !isNumber {
			return math.Inf(-1), math.Inf(1)
		}
		low, high = min(low, number), max(high, number)
	}
	return low, high
}

// String returns the type as the language writes it.
func (c *ColumnType) String() string {
	if len(c.Values) > 0 {
		shown := make([]string, len(c.Values))
		for i, v := range c.Values {
			if shown[i] = v; c.Texts() {
				shown[i] = strconv.Quote(v)
			}
		}
		return "{" + strings.Join(shown, ", ") + "}"
	}
	word := "real"
	if c.Whole {
		word = "integer"
	}
	if math.IsInf(c.Low, 0) {
		return word
	}
	return fmt.Sprintf("%s [%g, %g]", word, c.Low, c.High)
}

// Numeral reads a decimal number, as cells of a file are read.
func Numeral(text string) (v float64, ok bool) {
	if text == "" || !strings.ContainsAny(text[:1], "0123456789+-.") || strings.ContainsAny(text, "xX_") {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}
