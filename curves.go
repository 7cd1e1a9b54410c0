package sipc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
)

// A Curve holds functions of one column, at numbers and at categories or gaps.
type Curve struct {
	Column string `json:"column"`
	// Partial says that the curve is a mean of f over rows, as f is no sum of curves; else it is a part of f.
	Partial   bool     `json:"partial"`
	Of        string   `json:"of"`        // what the curve is the effect on
	Functions []string `json:"functions"` // names; those without what is required come after all others
	// At are numbers in units of the data, and Levels names of categories or of gaps. A column of texts has no numbers.
	At     []float64 `json:"-"`
	Levels []string  `json:"levels"`
	// Values are those of each function: first at the numbers, then at the levels.
	Values [][]float64 `json:"-"`
}

// CurveOptions say which rows means are over, and how finely curves are told. The zero value will do.
type CurveOptions struct {
	Rows   *dataset.Table // nil stands for the training rows that the model keeps
	Points int            // of a curve, about; 0 stands for as many as pictures have
}

// Curves returns a curve for each column of a model, as Draw draws them. They are parts of f if it is a sum over columns and pairs, and partial
// dependence otherwise. It returns an error for models of too many columns, or of texts taken as words.
func Curves(ctx context.Context, m *model.Model, o CurveOptions) ([]Curve, error) {
	rows := m.Rows
	if o.Rows != nil {
		set, err := rowsFor(ctx, m, o.Rows, false)
		if err != nil {
			return nil, err
		}
		rows = model.Spread(set)
	}
	if rows == nil {
		return nil, errors.New("the model keeps no training rows, as they have too many columns; give rows")
	}
	columns, err := drawnColumns(m, rows)
	if err != nil {
		return nil, err
	}
	a := &album{model: m, rows: rows, columns: columns}
	s, err := takeApart(ctx, m, rows, "", nil)
	switch {
	case errors.Is(err, errNoSum):
		return a.partialCurves(ctx, o)
	case err != nil:
		return nil, err
	}
	return a.partsOf(ctx, s, o)
}

// partsOf returns the curves of a sum, in the order of the columns.
func (a *album) partsOf(ctx context.Context, s *sum, o CurveOptions) ([]Curve, error) {
	var out []Curve
	names := namesOf(a.model, s.free != nil)
	components := a.model.Represent.Features.Kernel().Parts().Components
	for j := range components {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := a.column(&components[j]).curve(names, s.curve(j), o.Points)
		if err != nil {
			return nil, err
		}
		c.Of = effect(a.model)
		out = append(out, c)
	}
	return out, nil
}

// partialCurves returns the partial dependence of f on each column.
func (a *album) partialCurves(ctx context.Context, o CurveOptions) ([]Curve, error) {
	p, points := newPartial(ctx, a.model, a.rows)
	center, err := p.means(func([]float64) {})
	if err != nil {
		return nil, err
	}
	names := namesOf(a.model, p.free())
	var out []Curve
	for _, column := range a.columns {
		column.points = points
		c, err := column.curve(names, p.of(column, center), o.Points)
		if err != nil {
			return nil, err
		}
		c.Of, c.Partial = effect(a.model), true
		out = append(out, c)
	}
	return out, nil
}

// curve returns functions of the column; points that are 0 leave their number to the column.
func (c *drawnColumn) curve(names []string, of shape, points int) (Curve, error) {
	out := Curve{Column: c.name, Functions: names, Levels: slices.Clone(c.levels)}
	if !c.feature.Text {
		if points == 0 {
			points = c.points
		}
		out.At = c.grid(points)
	}
	values, err := of(c.at(out.At))
	if err != nil {
		return out, err
	}
	_, m := values.Dims()
	for y := range m {
		out.Values = append(out.Values, mat.Col(nil, y, values))
	}
	return out, nil
}

// namesOf returns the names of the functions of a picture.
func namesOf(m *model.Model, free bool) []string {
	var out []string
	for _, f := range functionsOf(m, free, false) {
		out = append(out, f.Name)
	}
	return out
}

// drawnColumns returns the columns of a model as pictures have them, with the density of rows.
func drawnColumns(m *model.Model, rows *model.Rows) ([]*drawnColumn, error) {
	p := m.About.Preparation
	if n := len(p.Features); n > mostDrawn {
		return nil, fmt.Errorf("the model has %d columns, and at most %d are drawn", n, mostDrawn)
	}
	var out []*drawnColumn
	for g := range p.Features {
		if len(p.Features[g].Weights) > 0 {
			return nil, fmt.Errorf("column %s holds texts of which words are the features, and a word each is not drawn", p.Features[g].Name)
		}
		out = append(out, newDrawnColumn(p, g, rows))
	}
	return out, nil
}
