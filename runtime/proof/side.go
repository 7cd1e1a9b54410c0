package proof

import (
	"math"
	"slices"
)

// A side is what some columns run through: pieces of an interval of the first, and points. Factors are polynomials on pieces.
type side struct {
	columns []int
	pieces  []piece
	rows    int // coefficients over all pieces
	key     string
}

// A piece is an interval, or a point (half = 0).
type piece struct {
	start, rows      int       // its coefficients
	low, high        float64   // the interval
	center, halfside float64   // it is within halfside of center
	point            []float64 // of all columns
}

// add appends a piece.
func (s *side) add(p piece) {
	p.start, p.rows = s.rows, 1
	if p.point == nil {
		p.rows = terms
	}
	s.rows += p.rows
	s.pieces = append(s.pieces, p)
}

// cut appends pieces that cover an interval.
func (s *side) cut(low, high float64, many int) {
	for i := range many {
		lo, hi := low, high
		if i > 0 {
			lo = s.pieces[len(s.pieces)-1].high
		}
		if i < many-1 {
			hi = min(max(low+(high-low)*float64(i+1)/float64(many), lo), high)
		}
		center := lo + (hi-lo)/2
		s.add(piece{low: lo, high: hi, center: center, halfside: up(math.Nextafter(max(hi-center, center-lo), math.Inf(1)))})
	}
}

// coordinate returns a column's value at a reference point τ of a piece.
func (s *side) coordinate(p *piece, tau float64, column int) ball {
	i := slices.Index(s.columns, column)
	switch {
	case p.point != nil:
		return exactly(p.point[i])
	case i > 0:
		return ball{}
	}
	return exactly(p.center).plus(exactly(p.halfside).times(exactly(tau)))
}

// set sets the columns of a side to those at a reference coordinate of a piece.
func (s *side) set(x []float64, where int, at float64) {
	q := &s.pieces[where]
	if q.point != nil {
		for i, col := range s.columns {
			x[col] = q.point[i]
		}
		return
	}
	for _, col := range s.columns {
		x[col] = 0
	}
	x[s.columns[0]] = min(max(q.center+q.halfside*(2*at-1), q.low), q.high)
}
