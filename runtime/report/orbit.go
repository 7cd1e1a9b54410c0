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

// Searched says which members stand for a maximum over an orbit, and what another search found after the fit.
type Searched struct {
	// Fits is how many fits there were, with members added between them. It is 0 of a function that R took no part in, and of a measure.
	Fits     int `json:"fits,omitempty"`
	Elements int `json:"elements,omitempty"` // such as rows, that have members of their own
	Members  int `json:"members,omitempty"`  // of all of them
	Active   int `json:"active,omitempty"`   // of these, members that attained the maximum of a fit
	// Moves is how many moves of each element the search after the fit began with, beside the corners.
	Moves int `json:"moves"`
	// Value is that of the invariance with the worst moves of that search besides.
	Value Number `json:"value"`
	Worst Number `json:"worst"` // the largest part of it
	Move  string `json:"move"`  // where that is
}

// Excess returns by what share the search after the fit exceeds the value of the fit.
func (s *Searched) Excess(value Number) float64 { return float64(s.Value)/float64(value) - 1 }

// Sentence says what is known of the maximum, given its value.
func (s *Searched) Sentence(value Number) string {
	return strings.TrimSpace(s.members() + s.search(value))
}

// members says which members the fit had. It is empty where there was none.
func (s *Searched) members() string {
	if s.Fits == 0 {
		return ""
	}
	return fmt.Sprintf("The fit has %s, %.3g for each of %s on average, found in %s; %d of them were ever active. What is certified is of these. ",
		Counted(s.Members, "member"), float64(s.Members)/float64(max(1, s.Elements)), Counted(s.Elements, "element"), Counted(s.Fits, "fit"), s.Active)
}

// search says what the search after the fit found.
func (s *Searched) search(value Number) string {
	found := fmt.Sprintf("A search from %s of each element found this value", Counted(s.Moves, "move"))
	if s.Fits > 0 {
		found = fmt.Sprintf("Another search, from %s of each element, comes to %s where the fit has %s (%+.1f %%)", Counted(s.Moves, "other move"), valueText(s.Value), valueText(value), 100*s.Excess(value))
	}
	return fmt.Sprintf("%s; the largest part is %s, at %s. Nothing proves that no move is worse.", found, valueText(s.Worst), s.Move)
}

// orbitLines says of each invariance over an orbit what it is over all of it, and of a sample of rows what others come to. The fit and its certificate
// are of the sample, or of members.
func (r *Report) orbitLines(b *strings.Builder) {
	for _, s := range append(append([]Summand(nil), r.Regularizer...), r.Measures...) {
		if w := s.Searched; w != nil {
			for i, text := range []string{w.members(), w.search(s.Value)} {
				if text != "" {
					fmt.Fprintf(b, "%-14s%s: %s\n", []string{"orbit", "worst moves"}[i], s.Name, strings.TrimSpace(text))
				}
			}
		}
		if s.Drawn != nil {
			fmt.Fprintf(b, "sample        %s\n", s.Drawn.Sentence(s.Name))
		}
		if o := s.Orbit; o != nil {
			fmt.Fprintf(b, "orbit         %s is of %s drawn for each element, and what is certified is of these; over the orbit it is %s ± %s (standard error) by %s that the fit did not see\n",
				s.Name, Counted(o.Moves, "move"), valueText(o.Value), short(o.Error), Counted(o.Fresh, "move"))
		}
	}
}
