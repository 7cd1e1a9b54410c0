package report

import (
	"fmt"
	"strings"
)

// OverOrbit has the value of an invariance over an orbit at the function that predicts, by moves that the fit did not see.
type OverOrbit struct {
	Moves int    `json:"moves"` // of the fit, for each row or other element
	Value Number `json:"value"`
	Error Number `json:"error"` // the standard error of the value
	Fresh int    `json:"fresh"` // moves that the value is from
}

// orbitLines says of each invariance over an orbit what it is over all of it, as the fit and its certificate are of a sample.
func (r *Report) orbitLines(b *strings.Builder) {
	for _, s := range append(append([]Summand(nil), r.Regularizer...), r.Measures...) {
		if o := s.Orbit; o != nil {
			fmt.Fprintf(b, "orbit         %s is of %s drawn for each element, and what is certified is of these; over the orbit it is %s ± %s (standard error) by %s that the fit did not see\n",
				s.Name, Counted(o.Moves, "move"), valueText(o.Value), short(o.Error), Counted(o.Fresh, "move"))
		}
	}
}
