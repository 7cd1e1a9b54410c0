package compiler

import (
	"context"

	"github.com/sipc-ml/sipc/plugins"
)

// Transforms are what `evaluate under` lists, in its order.
func (in *Instance) Transforms() []Transform {
	out := make([]Transform, len(in.under))
	for i, m := range in.under {
		out[i] = Transform{Text: m.Text, Apply: func(ctx context.Context, data *plugins.Data) (plugins.Matrix, error) {
			return in.problem().Move(ctx, m, data)
		}}
	}
	return out
}
