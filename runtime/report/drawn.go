package report

import "fmt"

// Drawn says over how many rows an invariance over a sample of rows is, and how strongly others violate it, which no sample of R holds.
type Drawn struct {
	Rows int `json:"rows"`
	Of   int `json:"of"`
	// Variable stands for the rows drawn where others stand for all, as z in over x, z in sample(100); absent elsewhere.
	Variable string `json:"variable,omitempty"`
	// Others counts the rows that no sample of R holds, nor that of the measure.
	Others int `json:"others"`
	// Looked counts the others that were looked at, and Concerned those of which the invariance speaks; absent where nothing is told of them.
	Looked    int `json:"looked,omitempty"`
	Concerned int `json:"concerned,omitempty"`
	// Value is what a mean, a sum or a norm comes to by these, for as many rows as the sample has.
	Value *Estimate `json:"value,omitempty"`
	// Beyond is the share of the others that violate a maximum more than any row of the sample.
	Beyond *Estimate `json:"beyond,omitempty"`
	Worst  Number    `json:"worst,omitempty"` // of a maximum: that of the row which violates it most, of those looked at
	Row    string    `json:"row,omitempty"`   // that row
	// AtLeast says that a search of moves found the violations, so that true ones may be larger. Only low ends bound them.
	AtLeast bool `json:"at_least,omitempty"`
}

// An Estimate is a number with its interval of 95 %, whose ends are equal where it is known.
type Estimate struct {
	Value Number `json:"value"`
	Low   Number `json:"low"`
	High  Number `json:"high"`
}

// text returns the estimate times a factor, with its interval, or the low end of that where it alone bounds.
func (e *Estimate) text(factor float64, unit string, atLeast bool) string {
	if atLeast {
		return fmt.Sprintf("at least %.3g%s", factor*float64(e.Low), unit)
	}
	s := fmt.Sprintf("%.3g%s", factor*float64(e.Value), unit)
	if e.Low < e.High {
		s += fmt.Sprintf(" (%.3g to %.3g)", factor*float64(e.Low), factor*float64(e.High))
	}
	return s
}

// Sentence says what is known of the rows that no sample holds, of which the certificate says nothing.
func (d *Drawn) Sentence(name string) string {
	own := fmt.Sprintf("%s is over %d of %d rows", name, d.Rows, d.Of)
	if d.Variable != "" {
		own = fmt.Sprintf("%s draws %s alone, %d of %d rows", name, d.Variable, d.Rows, d.Of)
	}
	own += ", and what is certified is of R with these"
	others := fmt.Sprintf("the %d others", d.Others)
	if d.Others < d.Of-d.Rows {
		others += " that no sample holds"
	}
	if d.Looked < d.Others {
		others = fmt.Sprintf("%d of %s", d.Looked, others)
	}
	if d.Concerned < d.Looked {
		others = fmt.Sprintf("the %d that it concerns among %s", d.Concerned, others)
	}
	switch found := map[bool]string{true: "found at "}[d.AtLeast]; {
	case d.Beyond != nil:
		return fmt.Sprintf("%s; of %s %s violate it more than %sany row of the sample, row %s most, by %s", own, others, d.Beyond.text(100, " %", d.AtLeast), found, d.Row, valueText(d.Worst))
	case d.Value != nil:
		return fmt.Sprintf("%s; by %s it is %s", own, others, d.Value.text(1, "", d.AtLeast))
	case d.Others == 0:
		return own + "; samples hold all rows, so that none tells how strongly others violate it"
	}
	return own + "; how strongly the others violate it is not known"
}
