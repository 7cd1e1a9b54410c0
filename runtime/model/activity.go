package model

import (
	"slices"

	"github.com/sipc-ml/sipc/runtime/active"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// An activity is an active set of R in use: see package active.
type activity struct {
	set      *active.Set
	reg      *regularizer.Regularizer // of the functionals at hand, while the problem is set up with them
	from     []int                    // which they were among those before; −1 stands for none
	strength float64                  // s², as means in place of maxima gave it
	known    *operator.Operator       // has rows of Ψ while another one is made
	last     *active.Look
	rounds   int
}

// atHand returns R as far as its functionals are at hand: all of it without an active set.
func atHand(a *activity, all *regularizer.Regularizer) *regularizer.Regularizer {
	if a != nil {
		return a.reg
	}
	return all
}

// knownRows returns the operator whose rows of Ψ are at hand. It also says which of its functionals each of R's is, and each of so many scores behind them. It
// returns nil where nothing is at hand.
func knownRows(a *activity, scores int) (known *operator.Operator, from []int) {
	if a == nil || a.known == nil {
		return nil, nil
	}
	count, _ := a.known.Dims()
	from = slices.Clone(a.from)
	for k := range scores {
		from = append(from, count-scores+k)
	}
	return a.known, from
}

// toldOf returns what a report says of an active set; nil of none.
func toldOf(a *activity) *report.Active {
	if a == nil {
		return nil
	}
	l := a.last
	return &report.Active{Functionals: l.Of, Held: l.Chosen - l.Added, Evaluated: l.Evaluated, Screened: l.Of - l.Chosen + l.Added - l.Evaluated, Rounds: a.rounds}
}
