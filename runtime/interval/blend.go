package interval

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/operator"
)

// A blend makes functionals that are linear combinations of functionals of several blocks over the same rows. Errors
// of interpolation are such combinations, E_k = ℓ_k − Σ_j L_kj ℓ_j. Points, tangents and labels are taken over as
// they are needed, each once.
type blend struct {
	out   *plugins.Block
	moved map[place]int32
}

// A place is a point, tangent or label of one of the blocks.
type place struct {
	block *plugins.Block
	what  int // see take
	index int32
}

// What a place is of.
const (
	aPoint = iota
	aTangent
	aLabel
)

// newBlend returns a blend without functionals.
func newBlend() *blend {
	return &blend{out: &plugins.Block{Start: []int32{0}}, moved: map[place]int32{}}
}

// add adds factor times functional i of a block to the functional under construction.
func (b *blend) add(from *plugins.Block, i int, factor float64) {
	if factor == 0 {
		return
	}
	for k := from.Start[i]; k < from.Start[i+1]; k++ {
		point, tangent, label := from.Point[k], from.Tangent[k], from.Label[k]
		// Other points are training rows, which all blocks share.
		if point < 0 {
			point = b.take(place{from, aPoint, point}, func() int32 { return ^int32(b.out.Points.Append(from.Points.Row(int(^point)))) })
		}
		if order, row := plugins.OrderOf(tangent); order > 0 {
			if tangent = b.take(place{from, aTangent, row}, func() int32 { return int32(b.out.Tangents.Append(from.Tangents.Row(int(row)))) }); order > 1 {
				tangent = plugins.Twice(tangent)
			}
		}
		if label != plugins.NoLabel {
			label = b.take(place{from, aLabel, label}, func() int32 {
				b.out.Labels = append(b.out.Labels, from.Labels[label])
				return int32(len(b.out.Labels) - 1)
			})
		}
		// Equal terms are not merged, as sums over them are the same.
		b.out.Term(factor*from.Coef[k], point, tangent, label)
	}
}

// take returns the row of the new block that holds a point, tangent or label, and copies it there the first time.
func (b *blend) take(p place, copied func() int32) int32 {
	to, ok := b.moved[p]
	if !ok {
		to = copied()
		b.moved[p] = to
	}
	return to
}

// rows returns the functionals as vectors of feature space, one a row.
func (b *blend) rows(ctx context.Context, x *mat.Dense, features embed.Map, labels int) (blas64.General, error) {
	op, err := operator.Build(ctx, b.out, x, features, labels)
	if err != nil {
		return blas64.General{}, err
	}
	r, dim := op.Dims()
	// Row i of I A is the functional i itself.
	unit := mat.NewDense(r, r, nil)
	for i := range r {
		unit.Set(i, i, 1)
	}
	out := mat.NewDense(r, dim, nil)
	op.ApplyT(out, unit)
	return out.RawMatrix(), nil
}
