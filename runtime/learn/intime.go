package learn

import (
	"cmp"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Folds in time are blocks that follow each other. Each is predicted from what was before it, as the test rows will be. So they come from the
// later half of the examples, and what is learnt from grows from fold to fold:
//
//	| earlier half | 1 | 2 | 3 | 4 | 5 |   fold 3 is learnt from the earlier half, 1 and 2

// ErrNotLater reports that examples cannot be put into folds by their times.
var ErrNotLater = errors.New("no training row is later than rows whose targets differ, so that no number can be chosen in time; " +
	"write numbers in place of grids, or split the rows otherwise")

// foldsInTime returns at most k folds in time. Examples of one time stay together, in the later fold. Each has earlier examples whose targets differ.
func foldsInTime(t *Targets, k int) ([][]int, error) {
	order := make([]int, t.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Time[a], t.Time[b]) })
	least := 1 + slices.IndexFunc(order, func(i int) bool { return differ(t, i, order[0]) })
	if least == 0 {
		return nil, ErrNotLater
	}
	var cuts []int
	for j := range k {
		at := cutAt(t, order, least, len(order)/2+j*(len(order)-len(order)/2)/k)
		if at < len(order) && !slices.Contains(cuts, at) {
			cuts = append(cuts, at)
		}
	}
	if len(cuts) == 0 {
		return nil, ErrNotLater
	}
	folds := make([][]int, len(cuts))
	for j, at := range append(cuts, len(order))[1:] {
		folds[j] = slices.Sorted(slices.Values(order[cuts[j]:at]))
	}
	return folds, nil
}

// cutAt returns the last position from least to one at which a time begins in an order. Where none is there, it returns the first behind it.
func cutAt(t *Targets, order []int, least, at int) int {
	begins := func(k int) bool { return k == len(order) || t.Time[order[k-1]] < t.Time[order[k]] }
	for back := at; back >= least; back-- {
		if begins(back) {
			return back
		}
	}
	for at = max(at, least); !begins(at); {
		at++
	}
	return at
}

// differ reports whether the targets of two examples differ, so that there is something to learn.
func differ(t *Targets, i, j int) bool {
	switch t.Task {
	case setting.Binary, setting.Class:
		return t.Class[i] != t.Class[j]
	case setting.Multilabel:
		return !mat.Equal(t.Multi.RowView(i), t.Multi.RowView(j))
	default:
		return t.Real[i] != t.Real[j]
	}
}

// Rest returns the examples from which those of a fold are predicted, in ascending order. They are all others, and of examples with times those that are
// earlier than each of the fold.
func (t *Targets) Rest(held []int) []int {
	if t.Time == nil || len(held) == 0 {
		return Complement(t.Len(), held)
	}
	first := t.Time[held[0]]
	for _, i := range held {
		first = min(first, t.Time[i])
	}
	var out []int
	for i, at := range t.Time {
		if at < first {
			out = append(out, i)
		}
	}
	return out
}
