package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/draws"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/plugins"
)

// Sample says which moves of orbits are drawn.
type Sample = draws.Sample

// OrbitArgs returns the arguments of an orbit.
func OrbitArgs() []plugins.Arg { return slices.Clone(tree.OrbitArgs) }

// OverOrbit returns how many moves of an orbit are drawn for each element of an invariance or a measure. Of several orbits it returns
// the most, and 0 where there is none. Squares reports whether its square is a mean over the moves. Samples of any size then have the mean that the
// orbit itself would give.
func OverOrbit(in *Instance, name string) (moves int, squares bool) {
	for _, t := range slices.Concat(in.Regularized, in.measures()) {
		if t.Inv.Name == name && t.Inv.Form != nil {
			for _, o := range t.Inv.Form.Orbits() {
				moves = max(moves, o.Moves)
			}
			return moves, moves > 0 && t.Inv.Form.MeansOfSquares()
		}
	}
	return 0, false
}
