package sipc

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
)

// augmented returns training rows with a copy of each under each of some transformations behind them. Only the rows at hand are
// seen: copies of a fold's rows know nothing of those held out. Moves of an orbit follow from the seed.
func augmented(ctx context.Context, maps []compiler.Transform, train *dataset.Set, seed uint64) (*dataset.Set, error) {
	n, p := train.X.Dims()
	// The copies stand for themselves first, and then behind the rows.
	need := limits.Need{
		Bytes: 16 * float64(n) * float64(p) * float64(1+len(maps)), Mend: "list fewer transformations in `augment` or `learn under`",
		What: fmt.Sprintf("copies of %d rows of %d columns under %d transformations", n, p, len(maps)),
	}
	if err := limits.Check(ctx, []limits.Need{{Bytes: limits.Taken(ctx), What: "the program and its data", Mend: "draw fewer rows by `split`"}, need}); err != nil {
		return nil, err
	}
	data, copies := familyData(train), make([]*mat.Dense, len(maps))
	for k, t := range maps {
		moved, err := t.Apply(ctx, data, seed)
		if err != nil {
			return nil, err
		}
		copies[k] = dense(moved)
	}
	return train.WithCopies(copies), nil
}
