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
	// Progress, if not nil, is told how many rows have passed: those that were kept first, and 0 where none were.
	Progress func(done, total int)
	// Keeping says where passes are kept; nil keeps none.
	Keeping *Keeping
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
// Gram matrices of a block are in single precision where that is precise enough, and their sum in double precision always is. Single
// precision may have other bits on other tiers of processors.
func (p *Passing) Pass(ctx context.Context, v blas64.General, columns, curves int, off float64, see func(*polar.Glance)) (*polar.Passage, error) {
	n, cols := p.X.Dims()
	d, most := p.Features.Dim(), min(n, evaluateRows)
	out := &polar.Passage{Sums: newGeneral(columns, d), Share: shareOf(n/evaluateRows + most + fewOperations)}
	for range curves {
		out.Grams = append(out.Grams, newGeneral(d, d))
	}
	phi, squares := mat.NewDense(most, d, nil), newSquares(most, d, curves)
	g := &polar.Glance{Scores: newGeneral(most, v.Rows), Sizes: make([]float64, most), Share: shareOf(d + fewOperations), Columns: newGeneral(most, columns), Curves: newGeneral(most, curves)}
	kept := p.keep(v, g, out, off)
	if err := kept.replay(g, see); err != nil {
		return nil, err
	}
	if p.Progress != nil {
		p.Progress(g.First, n)
	}
	for g.First < n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := showing(g, n)
		part := phi.Slice(0, rows, 0, d).(*mat.Dense)                                     //nolint:forcetypeassert // a slice of a Dense is one
		p.Features.Features(part, p.X.Slice(g.First, g.First+rows, 0, cols).(*mat.Dense)) //nolint:forcetypeassert // as above
		raw := part.RawMatrix()
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, raw, v, 0, g.Scores)
		for i := range rows {
			g.Sizes[i] = math.Sqrt(floats.Dot(rowOf(raw, i), rowOf(raw, i))) * (1 + g.Share)
		}
		see(g)
		addProduct(out.Sums, g.Columns, raw, false)
		for k, gram := range out.Grams {
			squares.add(gram, raw, g, k, off*float64(rows)/float64(n))
		}
		if err := kept.glanced(g); err != nil {
			return nil, err
		}
		if g.First += rows; p.Progress != nil {
			p.Progress(g.First, n)
		}
	}
	for _, sums := range append(out.Grams, out.Sums) {
		if err := finiteRows(sums); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// showing sets a glance to as many rows as come next of n, and returns how many there are.
func showing(g *polar.Glance, n int) int {
	rows := min(evaluateRows, n-g.First)
	g.Scores.Rows, g.Columns.Rows, g.Curves.Rows, g.Sizes = rows, rows, rows, g.Sizes[:rows]
	return rows
}

// squares has room for the rows of a block that have curvatures, times the roots of these, so that products of rows have the curvatures.
type squares struct {
	curved []int // those rows
	double matrix[float64]
	single matrix[float32]
	block  matrix[float32] // their Gram matrix, in single precision
	last   []float64       // curvatures times the last feature
}

// newSquares returns room for so many rows of d features, where there are curves.
func newSquares(rows, d, curves int) *squares {
	if curves == 0 {
		return &squares{}
	}
	return &squares{double: newMatrix[float64](rows, d), single: newMatrix[float32](rows, d), block: newMatrix[float32](d, d), last: make([]float64, rows)}
}

// singleUnit is that of rounding in single precision.
const singleUnit = 0x1p-24

// add adds Σ_i h_ik e_ie_iᵀ over the rows of a block to the lower triangle of a Gram matrix. Rows without a curvature add nothing. Of losses with
// kinks these are all but the few that lie at one.
//
// Errors of a block in single precision are random, and about a unit of its trace where they all add up. Only those of a constant, the last feature under equal
// curvatures, are not. So the last row is in double precision.
func (s *squares) add(gram, e blas64.General, g *polar.Glance, k int, off float64) {
	s.curved = s.curved[:0]
	trace := 0.0
	for i := range e.Rows {
		if h := rowOf(g.Curves, i)[k]; h > 0 {
			s.curved = append(s.curved, i)
			trace += h * g.Sizes[i] * g.Sizes[i]
		}
	}
	if len(s.curved) == 0 {
		return
	}
	if singleUnit*trace > off {
		s.double.Rows = len(s.curved)
		weigh(s.double, e, s.curved, g.Curves, k)
		lowerProduct(matrix[float64](gram), s.double, s.double, 1)
		return
	}
	s.single.Rows = len(s.curved)
	weigh(s.single, e, s.curved, g.Curves, k)
	lowerProduct(s.block, s.single, s.single, 0)
	last := e.Cols - 1
	for i := range e.Rows {
		s.last[i] = rowOf(g.Curves, i)[k] * rowOf(e, i)[last]
	}
	own := blas64.Vector{N: e.Cols, Inc: 1, Data: rowOf(gram, last)}
	blas64.Gemv(blas.Trans, 1, e, blas64.Vector{N: e.Rows, Inc: 1, Data: s.last}, 1, own)
	parallel.For(last, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := rowOf(gram, i)[:i+1]
			for j, v := range s.block.row(i)[:i+1] {
				to[j] += float64(v)
			}
		}
	})
}

// weigh sets the rows of dst to some rows of e times the roots of their curvatures.
func weigh[T number](dst matrix[T], e blas64.General, rows []int, curves blas64.General, k int) {
	parallel.For(len(rows), 16, func(lo, hi int) {
		for to, i := range rows[lo:hi] {
			root, own := math.Sqrt(rowOf(curves, i)[k]), dst.row(lo+to)
			for j, v := range rowOf(e, i) {
				own[j] = T(root * v)
			}
		}
	})
}

// shareOf bounds the relative error of a sum of products of so many operations.
func shareOf(n int) float64 { return float64(n) * unit / (1 - float64(n)*unit) }
