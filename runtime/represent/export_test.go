package represent

import (
	"context"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// Undivided returns a copy of r that embeds without reductions.
func Undivided(ctx context.Context, r *Representer) (*Representer, error) {
	whole, err := polar.New(ctx, r.Problem(), r.Settings())
	if err != nil {
		return nil, err
	}
	out := *r
	out.Support, out.supports, out.whole = nil, nil, whole
	return &out, nil
}
