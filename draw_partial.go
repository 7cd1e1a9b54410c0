package sipc

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/picture"
	"github.com/sipc-ml/sipc/runtime/report"
)

const (
	partialRows   = 200 // over which partial dependence is a mean
	partialPoints = 80  // about, of a curve
	// Methods that embed each point cost much more.
	partialRowsEmbedded   = 20
	partialPointsEmbedded = 20
)

// drawPartial draws partial dependence: the mean of f over rows whose column is set to a number.
func (a *album) drawPartial(ctx context.Context, o DrawOptions) error {
	m := a.model
	if o.Against != nil {
		return errors.New("--against draws functions of additive and pairwise kernels alone")
	}
	p, points := newPartial(ctx, m, a.rows)
	center, err := p.means(func([]float64) {})
	if err != nil {
		return err
	}
	functions := functionsOf(m, p.free(), false)
	s := picture.Section{Title: "Partial dependence", Texts: []string{"Beneath a curve the grey parts show where rows are. Levels of gaps stand beside it, and beneath them the share of rows that have the gap."}}
	for _, c := range a.columns {
		c.points = points
		h := picture.Heading{Title: c.name, Note: "partial dependence: the mean over rows, less the mean of f", Of: effect(m)}
		image, err := c.draw(h, functions, p.of(c, center))
		if err != nil {
			return err
		}
		s.Images = append(s.Images, a.add("curve", h.Title, image))
	}
	t := &report.Components{Rows: rowsIn(p.rows.X), Of: a.rows.Of, Data: o.Data}
	a.page = picture.Page{Title: "Partial dependence of f", Sections: []picture.Section{{
		Texts: []string{
			"These pictures are no whole description of the model: its kernel lets all columns act together, and a mean hides that. The kernels additive and pairwise make models that are their pictures.",
			fmt.Sprintf("Means are over %s.", rowsText(t)),
		},
		Formulas: []string{"PD_j(v) = mean over the rows r of f(r with column j set to v) − mean over the rows of f(r)"},
	}, s}}
	if len(m.Requirements) > 0 {
		a.page.Sections = append(a.page.Sections, requiredSection(m))
	}
	return nil
}

// fewer returns at most so many of the rows, at equal steps.
func fewer(r *model.Rows, most int) *model.Rows {
	n, p := r.X.Dims()
	if n <= most {
		return r
	}
	out := &model.Rows{X: mat.NewDense(most, p, nil), Of: r.Of}
	for k := range most {
		out.X.SetRow(k, r.X.RawRowView(k*n/most))
		if r.Weight != nil {
			out.Weight = append(out.Weight, r.Weight[k*n/most])
		}
	}
	return out
}

// A partial takes means of f over rows.
type partial struct {
	ctx   context.Context //nolint:containedctx // it lives for one call of Draw
	model *model.Model
	rows  *model.Rows
}

// newPartial returns what takes means over some of the rows, and about how many points a curve is to have.
func newPartial(ctx context.Context, m *model.Model, rows *model.Rows) (p *partial, points int) {
	most, points := partialRows, partialPoints
	if m.Represent.Method.Embeds() && m.Represent.Regularized() {
		most, points = partialRowsEmbedded, partialPointsEmbedded
	}
	return &partial{ctx: ctx, model: m, rows: fewer(rows, most)}, points
}

// free reports whether the function without what is required stands beside f.
func (p *partial) free() bool { return p.model.Twin != nil && model.Landmarks(p.model) != nil }

// means returns the weighted means of f, and of its twin, over rows that are changed.
func (p *partial) means(change func(row []float64)) ([]float64, error) {
	x := mat.DenseCopyOf(p.rows.X)
	n := rowsIn(x)
	for i := range n {
		change(x.RawRowView(i))
	}
	scores, _, err := p.model.Scores(p.ctx, x, nil, nil)
	if err != nil {
		return nil, err
	}
	if p.free() {
		var both mat.Dense
		both.Augment(scores, p.twin(x))
		scores = &both
	}
	_, m := scores.Dims()
	out, total := make([]float64, m), 0.0
	for i := range n {
		w := 1.0
		if p.rows.Weight != nil {
			w = p.rows.Weight[i]
		}
		total += w
		for y, v := range scores.RawRowView(i) {
			out[y] += w * v
		}
	}
	for y := range out {
		out[y] /= total
	}
	return out, nil
}

// twin returns the values of the twin at rows.
func (p *partial) twin(x *mat.Dense) *mat.Dense {
	t := p.model.Twin
	marks, m := t.Coefficients.Dims()
	out := mat.NewDense(rowsIn(x), m, nil)
	first := 0
	for _, mark := range model.Landmarks(p.model) {
		size := rowsIn(mark.Points)
		k := mat.NewDense(rowsIn(x), size, nil)
		p.model.Represent.Features.Kernel().Derived(k, kernel.At(x), mark)
		var part mat.Dense
		part.Mul(k, t.Coefficients.Slice(first, min(first+size, marks), 0, m))
		out.Add(out, &part)
		first += size
	}
	for i := range rowsIn(x) {
		for y := range m {
			out.Set(i, y, out.At(i, y)+t.Bias[y])
		}
	}
	return out
}

// of returns the partial dependence on a column, less a center.
func (p *partial) of(c *drawnColumn, center []float64) shape {
	return func(at *mat.Dense) (*mat.Dense, error) {
		out := mat.NewDense(rowsIn(at), len(center), nil)
		for i := range rowsIn(at) {
			means, err := p.means(func(row []float64) {
				for _, j := range c.columns {
					row[j] = at.At(i, j)
				}
			})
			if err != nil {
				return nil, err
			}
			for y, v := range means {
				out.Set(i, y, v-center[y])
			}
		}
		return out, nil
	}
}
