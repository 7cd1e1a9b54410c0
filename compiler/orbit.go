package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// Sample says which moves of orbits are drawn.
type Sample = ground.Sample

// OverOrbit returns how many moves of an orbit are drawn for each element of an invariance or a measure: of several orbits
// the most, and 0 where there is none. Squares reports whether its square is a mean over the moves, so that the mean of samples of any size is
// what the orbit itself would give.
func (in *Instance) OverOrbit(name string) (moves int, squares bool) {
	for _, t := range slices.Concat(in.Regularized, in.measures()) {
		if t.Inv.Name != name || t.Inv.Form == nil {
			continue
		}
		for f := range t.Inv.Form.All() {
			moves = max(moves, movesOf(f.Quant))
			if f.Linear != nil {
				moves = max(moves, movesWithin(f.Linear))
			}
		}
		return moves, moves > 0 && meansOfSquares(t.Inv.Form)
	}
	return 0, false
}

// movesOf returns how many moves of an orbit a quantifier ranges over, 0 where it ranges over none.
func movesOf(q *tree.Quantifier) int {
	moves := 0
	if q != nil {
		for _, a := range q.Axes {
			if a.Orbit != nil {
				moves = max(moves, a.Orbit.Moves)
			}
		}
	}
	return moves
}

// movesWithin returns how many moves a mean within a linear expression ranges over.
func movesWithin(linear *tree.Node) int {
	moves := 0
	for n := range linear.All() {
		moves = max(moves, movesOf(n.Quant))
	}
	return moves
}

// meansOfSquares reports whether the square of a form is linear in the means over orbits: what stands around these is made of roots of sums
// or means of squares.
func meansOfSquares(f *tree.Form) bool {
	if f.Linear != nil {
		return movesWithin(f.Linear) == 0
	}
	if f.Op == gauge.Norm && f.P == 2 {
		return !slices.ContainsFunc(f.Kids, func(k *tree.Form) bool { return !meansOfSquares(k) })
	}
	for k := range f.All() {
		if movesOf(k.Quant) > 0 || k.Linear != nil && movesWithin(k.Linear) > 0 {
			return false
		}
	}
	return true
}
