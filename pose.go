package sipc

import (
	"context"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Posed is what a spec asks of the polar solver: the norm, and the rows to embed.
type Posed struct {
	Train, Test *dataset.Set
	Regularizer *regularizer.Regularizer
	Represent   *model.Representer  // features, operator and gauge, as Run would embed with
	Span        []*embed.SpanReport // how much of each invariance's functionals the features lose
}

// Pose does what Run does before it embeds: it reads and splits the data, grounds the invariances, every grid at its first
// value, and sets up features and operator. The spec has no errors. Of the options, Data, Test, Seed, Method, Gap and
// Progress count; methods that make no embeddings stand for embed. With atNodes a maximum over an interval is that over its nodes, which is a problem that others can be given too;
// else it is what Run makes of it, with as many nodes as the gap needs.
func Pose(ctx context.Context, spec *Spec, o RunOptions, atNodes bool) (*Posed, error) {
	if err := spec.Err(); err != nil {
		return nil, err
	}
	r := newRunner(ctx, spec, o)
	r.instance = spec.Plan.At(nil)
	for _, step := range []func() error{r.load, r.ground} {
		if err := step(); err != nil {
			return nil, r.explain(err)
		}
	}
	options := r.options(r.instance, r.prepared.Train)
	if options.Method = r.method; !options.Method.Embeds() {
		options.Method = setting.Embed
	}
	if atNodes {
		options.Ground = nil
	}
	out := &Posed{Train: r.prepared.Train, Test: r.prepared.Test, Regularizer: r.reg}
	var err error
	out.Represent, out.Span, err = model.Pose(ctx, out.Train, r.reg, options)
	return out, r.explain(err)
}
