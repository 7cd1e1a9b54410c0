package transform

import (
	"context"
	"slices"

	"github.com/sipc-ml/sipc/plugins"
)

// A pointMap moves one point.
type pointMap interface {
	// at writes t(x) to out.
	at(x, out []float64)
	// velocity writes the derivative of t(x) along the map's parameter at the identity to out.
	velocity(x, out []float64)
	// uniform reports whether the velocity is the same at all points.
	uniform() bool
}

// apply returns the block of Σ c f(t(x), y). Terms at the same point share the new one.
func apply(ctx context.Context, data *plugins.Data, at *plugins.Block, t pointMap) (*plugins.Block, error) {
	out := copyTerms(at)
	index := newIndex(data, at)
	out.Points.Cols = data.Rows.Cols
	out.Points.Data = make([]float64, 0, min(len(at.Point), data.N()+at.Points.Rows)*data.Rows.Cols)
	for k, from := range at.Point {
		to, fresh := index.of(from)
		if fresh {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t.at(point(data, at, from), grow(&out.Points))
		}
		out.Point[k] = ^to
	}
	return out, nil
}

// differentiate returns the block of Σ c Df(x, y)[ẋ]. Terms at the same point share their tangent.
func differentiate(ctx context.Context, data *plugins.Data, at *plugins.Block, t pointMap) (*plugins.Block, error) {
	out := copyTerms(at)
	index := newIndex(data, at)
	out.Points = plugins.Matrix{Rows: at.Points.Rows, Cols: at.Points.Cols, Data: slices.Clone(at.Points.Data)}
	out.Tangents.Cols = data.Rows.Cols
	for k, from := range at.Point {
		// One tangent serves all points.
		if t.uniform() && k > 0 {
			out.Tangent[k] = 0
			continue
		}
		to, fresh := index.of(from)
		if fresh {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t.velocity(point(data, at, from), grow(&out.Tangents))
		}
		out.Tangent[k] = to
	}
	return out, nil
}

// copyTerms copies a block without its points and tangents.
func copyTerms(b *plugins.Block) *plugins.Block {
	return &plugins.Block{
		Start:   slices.Clone(b.Start),
		Coef:    slices.Clone(b.Coef),
		Point:   slices.Clone(b.Point),
		Tangent: slices.Clone(b.Tangent),
		Label:   slices.Clone(b.Label),
		Labels:  slices.Clone(b.Labels),
	}
}

// point returns the point that a term names: a row, or by complement a point of the block.
func point(data *plugins.Data, b *plugins.Block, i int32) []float64 {
	if i >= 0 {
		return data.Rows.Row(int(i))
	}
	return b.Points.Row(int(^i))
}

// grow adds a row of zeros and returns it.
func grow(m *plugins.Matrix) []float64 {
	m.Data = slices.Grow(m.Data, m.Cols)[:len(m.Data)+m.Cols]
	m.Rows++
	row := m.Row(m.Rows - 1)
	clear(row)
	return row
}

// An index numbers the points of a block in the order in which its terms name them first.
type index struct {
	// rows and points hold the number of a row or new point, −1 before it has one.
	rows, points []int32
	next         int32
}

// newIndex returns an index without numbers.
func newIndex(data *plugins.Data, b *plugins.Block) *index {
	return &index{rows: unnumbered(data.N()), points: unnumbered(b.Points.Rows)}
}

// unnumbered returns n times −1.
func unnumbered(n int) []int32 {
	return slices.Repeat([]int32{-1}, n)
}

// of returns the number of a point, and whether it is new.
func (x *index) of(point int32) (number int32, fresh bool) {
	numbers := x.rows
	if point < 0 {
		numbers, point = x.points, ^point
	}
	if numbers[point] < 0 {
		numbers[point] = x.next
		x.next++
		return numbers[point], true
	}
	return numbers[point], false
}
