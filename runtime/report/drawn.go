package report

import (
	"fmt"
	"strings"
)

// Drawn says over how many rows an invariance over a sample of rows is, and how strongly rows that the sample leaves out violate it.
type Drawn struct {
	Rows int `json:"rows"`
	Of   int `json:"of"`
	// Looked counts the others that were looked at; absent where none were.
	Looked int `json:"looked,omitempty"`
	// Value is what a mean, a sum or a norm comes to by these, for as many rows as the sample has.
	Value *Estimate `json:"value,omitempty"`
	// Beyond is the share of the others that violate a maximum more than any row of the sample.
	Beyond *Estimate `json:"beyond,omitempty"`
	Worst  Number    `json:"worst,omitempty"` // of a maximum: that of the row which violates it most, of those looked at
	Row    string    `json:"row,omitempty"`   // that row
}

// An Estimate is a number with its interval of 95 %, whose ends are equal where it is known.
type Estimate struct {
	Value Number `json:"value"`
	Low   Number `json:"low"`
	High  Number `json:"high"`
}

// text returns the estimate times a factor, with its interval.
func (e *Estimate) text(factor float64, unit string) string {
	s := fmt.Sprintf("%.3g%s", factor*float64(e.Value), unit)
	if e.Low < e.High {
		s += fmt.Sprintf(" (%.3g to %.3g)", factor*float64(e.Low), factor*float64(e.High))
	}
	return s
}

// Sentence says what is known of the rows that the sample leaves out, of which the certificate says nothing.
func (d *Drawn) Sentence(name string) string {
	own := fmt.Sprintf("%s is over %d of %d rows, and what is certified is of R with these", name, d.Rows, d.Of)
	looked := fmt.Sprintf("of the %d others", d.Of-d.Rows)
	if d.Looked < d.Of-d.Rows {
		looked = fmt.Sprintf("of %d %s", d.Looked, looked)
	}
	switch {
	case d.Beyond != nil:
		return fmt.Sprintf("%s; %s %s violate it more than any of them, row %s most, by %s", own, looked, d.Beyond.text(100, " %"), d.Row, valueText(d.Worst))
	case d.Value != nil:
		return fmt.Sprintf("%s; by %s it is %s", own, strings.TrimPrefix(looked, "of "), d.Value.text(1, ""))
	}
	return own + "; how strongly the others violate it is not known"
}
