package model

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/report"
)

// Tolerated is what a one-sided part may be violated by and still count as kept, in standard deviations of the
// score. A slope counts per standard deviation of the columns that move, a second derivative per square of it. The
// part counts as if the largest factor before f were 1.
const Tolerated = 1e-3

// Broken says at how many rows the function that predicts breaks a one-sided statement.
type Broken struct {
	Words  string // what is the case at such a row: "the score falls with bmi"
	Rows   int    // that the statement is about: each is part of one of its elements
	Broken int
	Among  int // all rows of the data
	Over   report.Over
	// Uncounted says why no row could be counted; empty where rows were.
	Uncounted string
}

// Report returns counts at training rows, and at test rows unless test is nil, as a report has them. Nil means that there is
// nothing to count.
func (b *Broken) Report(test *Broken) *report.Broken {
	if b == nil {
		return nil
	}
	out := &report.Broken{Statement: b.Words, Over: b.Over, Train: b.count()}
	switch {
	case test == nil:
	case test.Uncounted != "":
		out.Untested = test.Uncounted
	default:
		count := test.count()
		out.Test = &count
	}
	return out
}

// count returns how many rows break a statement. Among stands only where the statement is about some of the rows.
func (b *Broken) count() report.Count {
	out := report.Count{Broken: b.Broken, Rows: b.Rows}
	if b.Among > b.Rows {
		out.Among = b.Among
	}
	return out
}

// Elsewhere says what is known of an invariance by such rows.
//
// Its value is scaled as the values of the training rows are, so that both compare. An invariance of which nothing is
// known has the value NaN, and says why.
type Elsewhere struct {
	report.Tested
	Broken *Broken // nil where the invariance is two-sided
}

// NoneThere says of an invariance that some rows hold no element of it.
const NoneThere = "none of its elements is among them"

// UnknownElsewhere returns an invariance of which nothing is known on some rows, and why.
func UnknownElsewhere(why string) *Elsewhere {
	return &Elsewhere{Tested: report.Tested{Value: report.Number(math.NaN()), Unknown: why}, Broken: &Broken{Uncounted: why}}
}

// isFinite reports whether v is a number, and not infinite.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
