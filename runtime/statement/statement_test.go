package statement_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/statement"
)

// rising says that f rises in column 0 on a box of a number and a text with two categories.
func rising() statement.Statement {
	return statement.Statement{
		Name:  "rising",
		Terms: []statement.Term{{Coef: 1, Derive: []int{0}}},
		Region: []statement.Side{
			{Columns: []int{0}, Low: -1, High: 2},
			{Columns: []int{1, 2}, Low: 1, High: 0, Points: [][]float64{{0, 0}, {1, 0}, {0, 1}}},
		},
	}
}

func TestValidate(t *testing.T) {
	good := rising()
	if err := good.Validate(3, 1); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(s *statement.Statement){
		"no side has column 2":        func(s *statement.Statement) { s.Region[1] = statement.Side{Columns: []int{1}, Low: 0, High: 1} },
		"another side has":            func(s *statement.Statement) { s.Region[1].Columns[0] = 0 },
		"a point of 1 numbers":        func(s *statement.Statement) { s.Region[1].Points[2] = []float64{1} },
		"the value NaN":               func(s *statement.Statement) { s.Region[1].Points[2][0] = math.NaN() },
		"with 0 points":               func(s *statement.Statement) { s.Region[1].Points = nil },
		"from -Inf to 2":              func(s *statement.Statement) { s.Region[0].Low = math.Inf(-1) },
		"label 1 of 1":                func(s *statement.Statement) { s.Terms[0].Label = 1 },
		"3 derivatives":               func(s *statement.Statement) { s.Terms[0].Derive = []int{0, 0, 0} },
		"a derivative along column 3": func(s *statement.Statement) { s.Terms[0].Derive[0] = 3 },
		"becomes NaN":                 func(s *statement.Statement) { s.Terms[0].Move = []statement.Move{{Mul: math.NaN()}} },
		"column 0 is moved after":     func(s *statement.Statement) { s.Terms[0].Move = []statement.Move{{Column: 1}, {Column: 0}} },
		"constant +Inf":               func(s *statement.Statement) { s.Constant = math.Inf(1) },
	} {
		s := rising()
		spoil(&s)
		if err := s.Validate(3, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A point is in a region if each group of columns is within its interval, the others being 0, or at one of its points.
func TestHolds(t *testing.T) {
	s := rising()
	for _, c := range []struct {
		x    []float64
		want bool
	}{{[]float64{2, 1, 0}, true}, {[]float64{2, 0, 0}, true}, {[]float64{2.1, 1, 0}, false}, {[]float64{0, 1, 1}, false}, {[]float64{2 + 1e-12, 0, 1}, false}} {
		if got := s.Holds(c.x); got != c.want {
			t.Errorf("%v: %v", c.x, got)
		}
	}
	gap := statement.Statement{Terms: []statement.Term{{Coef: 1}}, Region: []statement.Side{{Columns: []int{0, 1}, Low: 0, High: 1, Points: [][]float64{{0.5, 1}}}}}
	if !gap.Holds([]float64{0.5, 1}) || !gap.Holds([]float64{0.7, 0}) || gap.Holds([]float64{0.7, 1}) {
		t.Error("a gap is a point beside the interval")
	}
}

func TestAtMovesCoordinates(t *testing.T) {
	term := statement.Term{Move: []statement.Move{{Column: 0, From: 1, Mul: 2, Add: 1}, {Column: 1, From: 0, Mul: 0.5}, {Column: 2, Add: 1}}}
	dst := make([]float64, 3)
	if term.At(dst, []float64{4, 3, 9}); !slices.Equal(dst, []float64{7, 2, 1}) {
		t.Errorf("%v", dst)
	}
}

// A statement speaks of rows outside of a side that no term looks at.
func TestHoldsLeavesOutSidesThatNothingLooksAt(t *testing.T) {
	put := func(to float64) []statement.Move { return []statement.Move{{Column: 1, From: 1, Add: to}} }
	s := statement.Statement{
		Name: "order", Terms: []statement.Term{{Coef: 1, Move: put(1)}, {Coef: -1, Move: put(0)}},
		Region: []statement.Side{{Columns: []int{0}, Low: 0, High: 2}, {Columns: []int{1}, Low: 1, High: 0, Points: [][]float64{{0}}}},
	}
	for _, c := range []struct {
		x    []float64
		want bool
	}{{[]float64{1, 0}, true}, {[]float64{1, 1}, true}, {[]float64{3, 1}, false}} {
		if got := s.Holds(c.x); got != c.want {
			t.Errorf("%v: %v, want %v", c.x, got, c.want)
		}
	}
	s.Terms[1].Move = nil
	if s.Holds([]float64{1, 1}) {
		t.Error("a side that a term looks at does not count")
	}
}
