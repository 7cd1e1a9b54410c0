package report

import (
	"math"
	"testing"
)

// The line says what landmarks lose, and why there are no more.
func TestLandmarksSayWhy(t *testing.T) {
	for want, l := range map[string]Landmarks{
		"2250 of 2250 points: outside their span lie 0 % of the squared norm of rows and 0 % of that of R's functionals":                                       {Count: 2250, Points: 2250, Sampled: 2000},
		"1964 of 7000 points: outside their span lie 3.1 % of the squared norm of rows and 12 % of that of R's functionals; more would cost too much":          {Count: 1964, Points: 7000, RowsLost: 0.031, FunctionalsLost: 0.12, Sampled: 9, Costly: true},
		"1000 of 2000 points: outside their span lie 0.05 % of the squared norm of rows; more would gain little":                                               {Count: 1000, Points: 2000, RowsLost: 5e-4},
		"1000 of 2000 points: outside their span lie an unknown share of the squared norm of rows and 10 % of that of R's functionals; more would gain little": {Count: 1000, Points: 2000, RowsLost: Number(math.NaN()), FunctionalsLost: 0.1, Sampled: 1},
	} {
		if got := l.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
