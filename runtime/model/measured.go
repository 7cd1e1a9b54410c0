package model

import "math"

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
	// Uncounted says why no row could be counted; empty where rows were.
	Uncounted string
}

// Tested is the value of an invariance at the function that predicts, by rows on which nothing was fitted.
type Tested struct {
	Value   float64 // scaled as the values of the training rows are; NaN where it is not known
	Unknown string  // why it is not
	Sampled Sample
}

// finite reports whether the value is a number, or is known not to be.
func (t *Tested) finite() bool { return t == nil || t.Unknown != "" || isFinite(t.Value) }

// Elsewhere says what is known of an invariance by such rows.
type Elsewhere struct {
	Tested
	Broken *Broken // nil where the invariance is two-sided
}

// NoneThere says of an invariance that some rows hold no element of it.
const NoneThere = "none of its elements is among them"

// UnknownElsewhere returns an invariance of which nothing is known on some rows, and why.
func UnknownElsewhere(why string) *Elsewhere {
	return &Elsewhere{Tested: Tested{Value: math.NaN(), Unknown: why}, Broken: &Broken{Uncounted: why}}
}

// A Sample is how many elements of index sets were looked at, of how many; zero where all were.
type Sample struct {
	Elements, Of int
	Least        bool    // the largest elements alone count in every index set drawn from: the value of all is no smaller
	Error        float64 // the standard error of the estimate, scaled as it is; 0: nothing tells it
}

// isFinite reports whether v is a number, and not infinite.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
