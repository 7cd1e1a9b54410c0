package main

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/transform"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
)

// heldOut are the digits on which no model was fitted, and the family that turns them.
type heldOut struct {
	set    *dataset.Set
	family plugins.Session
}

// openHeldOut reads the digits of the given identifiers from a data file, prepared as a model wants them.
func openHeldOut(ctx context.Context, m *model.Model, data string, ids []string) (*heldOut, error) {
	table, err := dataset.Open(ctx, data)
	if err != nil {
		return nil, err
	}
	set, err := m.About.Preparation.Apply(ctx, table)
	if err != nil {
		return nil, err
	}
	var held []int
	for i, id := range dataset.AllIDs(set) {
		if slices.Contains(ids, id) {
			held = append(held, i)
		}
	}
	h := &heldOut{set: set.Subset(held)}
	x := mat.DenseCopyOf(h.set.X).RawMatrix()
	h.family, err = transform.New().Open(ctx, &plugins.Data{
		Rows: plugins.Matrix{Rows: x.Rows, Cols: x.Cols, Data: x.Data}, Columns: h.set.Columns,
		Offset: h.set.Offset, Scale: h.set.Scale, Height: h.set.Height, Width: h.set.Width,
	})
	return h, err
}

// all returns the positions of all digits.
func (h *heldOut) all() []int {
	rows := make([]int, h.set.Len())
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// turned returns some digits, turned by degrees.
func (h *heldOut) turned(ctx context.Context, rows []int, degrees int) (*mat.Dense, error) {
	at := &plugins.Block{}
	for _, i := range rows {
		at.Term(1, int32(i), plugins.Evaluation, plugins.NoLabel)
		at.End()
	}
	moved, err := h.family.Map(ctx, &plugins.MapCall{
		Name: "rotate", At: at,
		Args: []plugins.Value{{Name: "angle", Kind: plugins.KindAngle, Number: float64(degrees) * math.Pi / 180}},
	})
	if err != nil {
		return nil, err
	}
	x := mat.NewDense(len(rows), moved.Points.Cols, nil)
	for i, p := range moved.Point {
		x.SetRow(i, moved.Points.Row(int(^p)))
	}
	return x, nil
}

// scores returns what a contender says of some digits, turned: a row for each digit, a column for each angle.
func (h *heldOut) scores(ctx context.Context, c *fitted, rows, degrees []int) (*mat.Dense, error) {
	n := len(rows)
	all := mat.NewDense(n*len(degrees), len(h.set.Columns), nil)
	for k, a := range degrees {
		x, err := h.turned(ctx, rows, a)
		if err != nil {
			return nil, err
		}
		for i := range n {
			all.SetRow(k*n+i, x.RawRowView(i))
		}
	}
	f, err := c.scores(ctx, all)
	if err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(mat.NewDense(len(degrees), n, mat.Col(nil, 0, f)).T()), nil
}

// pixels returns the raw values of an image that is prepared, the largest value of a byte being 1.
func (h *heldOut) pixels(x []float64) []float64 {
	out := make([]float64, len(x))
	for j, v := range x {
		out[j] = (h.set.Offset[j] + h.set.Scale[j]*v) / math.MaxUint8
	}
	return out
}
