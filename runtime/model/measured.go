package model

import (
	"cmp"
	"math"

	"github.com/sipc-ml/sipc/runtime/report"
)

// Tolerated bounds the violation of a one-sided part that still counts as kept, in standard deviations of the
// score. A slope counts per standard deviation of the columns that move, a second derivative per square of it. The
// part counts as if the largest factor before f were 1.
const Tolerated = 1e-3

// Measured says what an invariance comes to by some rows, at the function that predicts. Its value is scaled as that
// by the training rows is, so that both compare. One of which nothing is known has the value NaN, and says why.
type Measured struct {
	report.Tested
	// Broken counts the rows that break it, in the place of training rows. Nil means that there is nothing to count.
	Broken *report.Broken
}

// NoneThere says of an invariance that some rows hold no element of it.
const NoneThere = "none of its elements is among them"

// UnknownMeasure returns an invariance of which nothing is known on some rows, and why.
func UnknownMeasure(why string) *Measured {
	return &Measured{Tested: report.Tested{Value: report.Number(math.NaN()), Unknown: why}}
}

// BrokenWith returns the counts at training rows with those at test rows, where there are any to count.
func (m *Measured) BrokenWith(test *Measured) *report.Broken {
	if m.Broken == nil {
		return nil
	}
	out := *m.Broken
	if test.Broken != nil {
		out.Test = &test.Broken.Train
	} else {
		out.Untested = cmp.Or(test.Unknown, NoneThere)
	}
	return &out
}

// isFinite reports whether v is a number, and not infinite.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
