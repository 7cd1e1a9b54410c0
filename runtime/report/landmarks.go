package report

import (
	"fmt"
	"strings"
)

// Landmarks say how many landmarks were drawn of many points, and why so many.
type Landmarks struct {
	Count  int `json:"count"`
	Points int `json:"points"` // training rows, and points at which R looks, each once
	// RowsLost is the share of the squared norm Σ k(x, x) of the training rows outside the landmarks' span. FunctionalsLost is that of
	// Sampled functionals of R without derivatives, of all together.
	RowsLost        Number `json:"rows_lost"`
	FunctionalsLost Number `json:"functionals_lost"`
	Sampled         int    `json:"sampled"`
	Costly          bool   `json:"costly"` // more would lose less, and cost too much
}

// Text says how many there are, and why.
func (l *Landmarks) Text() string {
	text := fmt.Sprintf("%d of %d points: outside their span lie %s of the squared norm of rows", l.Count, l.Points, percent(l.RowsLost))
	if l.Sampled > 0 {
		text += fmt.Sprintf(" and %s of that of R's functionals", percent(l.FunctionalsLost))
	}
	switch {
	case l.Costly:
		text += "; more would cost too much"
	case l.Count < l.Points:
		text += "; more would gain little"
	}
	return text
}

// landmarksLine writes how many landmarks were drawn; nothing where there was nothing to choose.
func (r *Report) landmarksLine(b *strings.Builder) {
	if r.Landmarks != nil {
		fmt.Fprintf(b, "landmarks     %s\n", r.Landmarks.Text())
	}
}
