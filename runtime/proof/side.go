package proof

import (
	"math"
	"slices"
)

// A Side is the range of some columns: pieces of an interval of the first, and points. Factors are polynomials on pieces.
type Side struct {
	Columns []int
	Pieces  []Piece
	Rows    int // coefficients over all pieces
	key     string
}

// A Piece is an interval, or a point (half = 0).
type Piece struct {
	Start, Rows      int       // its coefficients
	Low, High        float64   // the interval
	center, halfside float64   // it is within halfside of center
	Point            []float64 // of all columns
}

// add appends a piece.
func (s *Side) add(p Piece) {
	p.Start, p.Rows = s.Rows, 1
	if p.Point == nil {
		p.Rows = Terms
	}
	s.Rows += p.Rows
	s.Pieces = append(s.Pieces, p)
}

// cut appends pieces that cover an interval.
func (s *Side) cut(low, high float64, many int) {
	for i := range many {
		lo, hi := low, high
		if i > 0 {
			lo = s.Pieces[len(s.Pieces)-1].High
		}
		if i < many-1 {
			hi = min(max(low+(high-low)*float64(i+1)/float64(many), lo), high)
		}
		center := lo + (hi-lo)/2
		s.add(Piece{Low: lo, High: hi, center: center, halfside: up(math.Nextafter(max(hi-center, center-lo), math.Inf(1)))})
	}
}

// coordinate returns a column's value at a reference point τ of a piece.
func (s *Side) coordinate(p *Piece, tau float64, column int) ball {
	i := slices.Index(s.Columns, column)
	switch {
	case p.Point != nil:
		return exactly(p.Point[i])
	case i > 0:
		return ball{}
	}
	return exactly(p.center).plus(exactly(p.halfside).times(exactly(tau)))
}

// Set sets the columns of a side to those at a reference coordinate of a piece.
func (s *Side) Set(x []float64, where int, at float64) {
	q := &s.Pieces[where]
	if q.Point != nil {
		for i, col := range s.Columns {
			x[col] = q.Point[i]
		}
		return
	}
	for _, col := range s.Columns {
		x[col] = 0
	}
	x[s.Columns[0]] = min(max(q.center+q.halfside*(2*at-1), q.Low), q.High)
}
