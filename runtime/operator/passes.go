package operator

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// Passing are rows of points whose features are computed each time they pass by.
type Passing struct {
	X        *mat.Dense
	Features embed.Map // which end in a constant where there is a bias
	Of       *Operator // the functionals of Under
	// Progress, if not nil, is told how many rows have passed.
	Progress func(done, total int)
}

// Under implements polar.Rows.
func (p *Passing) Under(rows ...blas64.General) polar.Operator { return beneath(p.Of, rows...) }

// Some implements polar.Rows. Features of the rows are computed once more, as
// none of a pass are kept.
func (p *Passing) Some(ctx context.Context, index []int, dst blas64.General) error {
	// Rows are gathered first, as a kernel takes a matrix of them. A block is as
	// large as those of a pass, whose room is free again by now.
	_, cols := p.X.Dims()
	for lo := 0; lo < len(index); lo += evaluateRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		own := index[lo:min(lo+evaluateRows, len(index))]
		x, phi := mat.NewDense(len(own), cols, nil), mat.NewDense(len(own), p.Features.Dim(), nil)
		for k, i := range own {
			x.SetRow(k, p.X.RawRowView(i))
		}
		p.Features.Features(phi, x)
		for k := range own {
			copy(dst.Data[(lo+k)*dst.Stride:], phi.RawRowView(k))
		}
	}
	return nil
}

// Apart implements polar.Rows.
func (p *Passing) Apart() bool { return len(p.Of.Parts()) == p.Of.labels }

// Pass implements polar.Rows. Blocks are added in order, so that bits do not depend on the number of processors.
//
// A sum over rows is one of so many blocks, each of as many rows as a block has, and fewOperations more. Whatever the order within a block, it is off by
// so many units of the sum of magnitudes (Higham 2002, section 3.1).
//
// Roots of curvatures scale features, so that products of these have the curvatures.
func (p *Passing) Pass(ctx context.Context, v blas64.General, columns, curves int, see func(*polar.Glance)) (*polar.Passage, error) {
	n, cols := p.X.Dims()
	d, most := p.Features.Dim(), min(n, evaluateRows)
	out := &polar.Passage{Sums: newGeneral(columns, d), Share: shareOf(n/evaluateRows + most + fewOperations)}
	for range curves {
		out.Grams = append(out.Grams, newGeneral(d, d))
	}
	phi, scaled, curved := mat.NewDense(most, d, nil), newGeneral(most, d), []int(nil)
	g := polar.Glance{Scores: newGeneral(most, v.Rows), Sizes: make([]float64, most), Share: shareOf(d + fewOperations), Columns: newGeneral(most, columns), Curves: newGeneral(most, curves)}
	for ; g.First < n; g.First += evaluateRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := min(evaluateRows, n-g.First)
		part := phi.Slice(0, rows, 0, d).(*mat.Dense)                                     //nolint:forcetypeassert // a slice of a Dense is one
		p.Features.Features(part, p.X.Slice(g.First, g.First+rows, 0, cols).(*mat.Dense)) //nolint:forcetypeassert // as above
		raw := part.RawMatrix()
		g.Scores.Rows, g.Columns.Rows, g.Curves.Rows, g.Sizes = rows, rows, rows, g.Sizes[:rows]
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, raw, v, 0, g.Scores)
		for i := range rows {
			g.Sizes[i] = math.Sqrt(floats.Dot(rowOf(raw, i), rowOf(raw, i))) * (1 + g.Share)
		}
		see(&g)
		addProduct(out.Sums, g.Columns, raw, false)
		for k, gram := range out.Grams {
			// Rows without a curvature add nothing. Of losses with kinks these are
			// all but the few that lie at one.
			curved = curved[:0]
			for i := range rows {
				if rowOf(g.Curves, i)[k] > 0 {
					curved = append(curved, i)
				}
			}
			scaled.Rows = len(curved)
			parallel.For(len(curved), 16, func(from, to int) {
				for to, i := range curved[from:to] {
					floats.ScaleTo(rowOf(scaled, from+to), math.Sqrt(rowOf(g.Curves, i)[k]), rowOf(raw, i))
				}
			})
			addProduct(gram, scaled, scaled, true)
		}
		if p.Progress != nil {
			p.Progress(g.First+rows, n)
		}
	}
	for _, sums := range append(out.Grams, out.Sums) {
		if err := finiteRows(sums); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// shareOf bounds the relative error of a sum of products of so many operations.
func shareOf(n int) float64 { return float64(n) * unit / (1 - float64(n)*unit) }
