package embed

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
)

// Extended returns a Nyström map with further landmarks, whitened anew: a basis of the span of all. It returns an error for another kind of
// map, and ctx's when ctx ends.
func Extended(ctx context.Context, m Map, further []kernel.Argument) (Map, error) {
	old, ok := m.(*nystrom)
	if !ok {
		return nil, errors.New("features: landmarks can be added to nystrom features alone")
	}
	out := &nystrom{kernel: old.kernel}
	for order := range kernel.MostOrder + 1 {
		all := kernel.Argument{Order: order}
		for _, marks := range append(append([]kernel.Argument(nil), old.marks...), further...) {
			if marks.Order == order {
				all.Points, all.Along = stacked(all.Points, marks.Points), stacked(all.Along, marks.Along)
			}
		}
		if all.Points != nil {
			out.marks = append(out.marks, all)
		}
	}
	if err := out.whitenSpan(ctx, nil); err != nil {
		return nil, err
	}
	return out, nil
}

// stacked returns the rows of a, then those of b; nil stands for no rows.
func stacked(a, b *mat.Dense) *mat.Dense {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	var out mat.Dense
	out.Stack(a, b)
	return &out
}
