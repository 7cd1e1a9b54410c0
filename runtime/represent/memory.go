package represent

import (
	"fmt"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// Needs estimates the memory that embedding so many rows takes, before anything is factored. It leaves out what is done with
// embeddings.
func (r *Representer) Needs(rows int) []limits.Need {
	d := r.Features.Dim()
	// Features of rows are mapped a block at a time, from values at landmarks.
	needs := []limits.Need{{
		Bytes: 8*float64(d)*float64(min(rows, BlockRows)) + embed.BlockBytes(d, rows), What: fmt.Sprintf("%d features", d), Mend: "use fewer landmarks",
	}}
	if !r.Regularized() {
		return needs
	}
	// Iterations work on batches of right-hand sides, whose number has a bound, so that rows beyond it cost nothing more.
	functionals, dim := r.Operator.Dims()
	// What couples labels is named with them, as fewer labels cost less then.
	coupled := fmt.Sprintf("the coupling of %d functionals and %d features", functionals, d)
	if r.Labels > 1 {
		coupled += fmt.Sprintf(" × %d labels", r.Labels)
	}
	needs = append(needs,
		limits.Need{Bytes: r.Operator.Bytes(), What: fmt.Sprintf("the %d functionals in %d features", functionals, d), Mend: "use fewer functionals, by a sample, or fewer landmarks"},
		limits.Need{Bytes: r.Operator.FactorBytes(), What: coupled, Mend: "use fewer labels or landmarks"})
	batch := limits.Need{What: fmt.Sprintf("iterations on vectors of %d numbers and %d functionals", dim, functionals), Mend: "use fewer labels, landmarks or functionals"}
	if !closed(r) {
		batch.Bytes = polar.BatchBytes(functionals, dim, rows*r.PerRow())
	} else {
		// The closed form takes a block of right-hand sides at a time. There are these, their solutions, what is
		// between, and multipliers twice.
		batch.Bytes = 8 * float64(min(rows*r.PerRow(), BlockRows)) * float64(4*dim+2*functionals)
	}
	return append(needs, batch)
}
