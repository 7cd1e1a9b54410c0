package setting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A ColumnType says what a column of the file may hold. Gaps are always allowed: Missing says what they get.
type ColumnType struct {
	Column    string
	Whole     bool    // its numbers have no fraction
	Date      bool    // its cells are dates, and become numbers: years
	Text      bool    // its cells are texts, also those that look like numbers
	Low, High float64 // between which its numbers lie; infinite where nothing is said, and of texts
	Values    Values  // of which its cells are; none for numbers within bounds
}

// Values are those that a column lists, in the order written. The zero value has none.
type Values struct {
	List    []string
	texts   bool
	text    map[string]bool
	numbers map[float64]bool
}

// ListOf returns the type of a column that holds the values listed.
func ListOf(column string, list []string) ColumnType {
	v := Values{List: list, text: map[string]bool{}, numbers: map[float64]bool{}}
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range list {
		number, isNumber := Numeral(s)
		v.text[s], v.texts = true, v.texts || !isNumber
		if isNumber {
			v.numbers[number] = true
			low, high = min(low, number), max(high, number)
		}
	}
	if v.texts {
		low, high = math.Inf(-1), math.Inf(1)
	}
	return ColumnType{Column: column, Low: low, High: high, Values: v}
}

// Equal reports whether two lists are the same.
func (v Values) Equal(other Values) bool { return slices.Equal(v.List, other.List) }

// Texts reports whether the column is one of texts: it is declared so, or some value is not a number.
func (c *ColumnType) Texts() bool { return c.Text || c.Values.texts }

// Among reports whether a text is one of the values. Numbers are compared as numbers: 4.0 is 4. In a column of texts they are
// compared letter by letter, as all texts are.
func (c *ColumnType) Among(text string) bool {
	number, isNumber := Numeral(text)
	return c.Text || c.Values.text[text] || !c.Texts() && isNumber && c.Values.numbers[number]
}

// Allows reports whether a column may hold a text that is not a gap.
func (c *ColumnType) Allows(text string) bool {
	number, isNumber := Numeral(text)
	if c.Text || len(c.Values.List) > 0 {
		return c.Among(text)
	}
	return isNumber && c.Low <= number && number <= c.High && (!c.Whole || number == math.Trunc(number))
}

// String returns the type as the language writes it.
func (c *ColumnType) String() string {
	if len(c.Values.List) > 0 {
		shown := make([]string, len(c.Values.List))
		for i, v := range c.Values.List {
			if shown[i] = v; c.Texts() {
				shown[i] = strconv.Quote(v)
			}
		}
		return "{" + strings.Join(shown, ", ") + "}"
	}
	word := "real"
	switch {
	case c.Text:
		return "text"
	case c.Date:
		word = "date"
	case c.Whole:
		word = "integer"
	}
	if math.IsInf(c.Low, 0) {
		return word
	}
	return fmt.Sprintf("%s [%g, %g]", word, c.Low, c.High)
}

// storedType holds a type as a model file does. JSON has no infinite numbers, so Bounds is nil where nothing is said.
type storedType struct {
	Column string    `json:"column"`
	Whole  bool      `json:"whole,omitempty"`
	Date   bool      `json:"date,omitempty"`
	Text   bool      `json:"text,omitempty"`
	Bounds []float64 `json:"bounds,omitempty"`
	Values []string  `json:"values,omitempty"`
}

// MarshalJSON writes the type for a model file.
func (c *ColumnType) MarshalJSON() ([]byte, error) {
	s := storedType{Column: c.Column, Whole: c.Whole, Date: c.Date, Text: c.Text, Values: c.Values.List}
	if len(s.Values) == 0 && !math.IsInf(c.Low, 0) {
		s.Bounds = []float64{c.Low, c.High}
	}
	return json.Marshal(&s)
}

// UnmarshalJSON reads it. Unknown fields are refused, as in all of a model file.
func (c *ColumnType) UnmarshalJSON(data []byte) error {
	var s storedType
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return err
	}
	*c = ColumnType{Column: s.Column, Whole: s.Whole, Date: s.Date, Text: s.Text, Low: math.Inf(-1), High: math.Inf(1)}
	switch {
	case len(s.Values) > 0:
		*c = ListOf(s.Column, s.Values)
	case len(s.Bounds) == 2:
		c.Low, c.High = s.Bounds[0], s.Bounds[1]
	case len(s.Bounds) > 0:
		return fmt.Errorf("the type of column %q has %d bounds", s.Column, len(s.Bounds))
	}
	return nil
}

// Numeral reads a decimal number, as cells of a file are read.
func Numeral(text string) (v float64, ok bool) {
	if text == "" || !strings.ContainsAny(text[:1], "0123456789+-.") || strings.ContainsAny(text, "xX_") {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}
