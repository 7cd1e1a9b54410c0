package operator

import (
	"context"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

// A Form is Σ_i Weights[i] t_i² over the functionals First, First+1, … of a block.
type Form struct {
	First   int
	Weights []float64
}

// An Asked has functionals of which nothing is asked but some forms. The rows are those that they look at.
type Asked struct {
	Block *plugins.Block
	Rows  *mat.Dense
	Forms []Form
	// Of is how many there are, whose forms are added up. Each has about as many functionals, so that the first tells whether few can stand for all.
	Of int
}

// Squared returns an operator in which few functionals stand for all that are asked, one after another. Forms must treat all labels
// alike, so that each is a sum over labels,
//
//	Σ_i w_i t_i² = Σ_y V_yᵀGV_y,   G = ΨᵀDΨ = LLᵀ.
//
// Functional (k·m + y)·d + j is row j of Lᵀ at label y, of the k-th form and of weight 1. Behind them are the functionals of another block, as
// BuildWith has them. Rows of Ψ are computed some at a time, added to G and forgotten, so that memory does not grow with their number.
//
// Functionals may be asked in parts, made one after another. A part has the weights that it adds to a form, and is let go before the next.
//
// It returns nil where labels differ or are coupled, and where no fewer rows would be stored. [Roots.Off] bounds what rounding makes of forms.
func Squared(ctx context.Context, asked iter.Seq2[*Asked, error], behind *plugins.Block, rows *mat.Dense, features embed.Map, m int, o Options) (*Operator, error) {
	d := features.Dim()
	if d > mostDense {
		return nil, nil //nolint:nilnil // nil says that functionals stay as they are
	}
	var grams []blas64.General
	sums := evaluateRows // one block's, to whose sum other blocks are added
	for part, err := range asked {
		more := 0
		if err == nil {
			grams, more, err = addGrams(ctx, grams, part, features, m)
		}
		if grams == nil || err != nil {
			return nil, err
		}
		sums += more
	}
	roots, off := newGeneral(len(grams)*d, d), make([]float64, len(grams))
	for k, g := range grams {
		e, err := rootOf(ctx, roots, k*d, g, m, sums)
		if err != nil || math.IsInf(e, 1) { // a G that has no root is left to the functionals
			return nil, err
		}
		off[k] = e
	}
	a, err := BuildWith(ctx, behind, rows, features, m, o)
	if err != nil {
		return nil, err
	}
	return onTop(roots, off, a), nil
}

// addGrams adds what is asked to the lower triangle of G for each form, and returns nil where Squared does. Behind an element are so many more sums of
// blocks of rows.
func addGrams(ctx context.Context, grams []blas64.General, q *Asked, features embed.Map, m int) (added []blas64.General, sums int, err error) {
	// A row of Ψ has as many functionals as there are labels, or labels are not alike. So these rows are few.
	if len(q.Forms) == 0 || q.Block.Len()*q.Of <= len(q.Forms)*features.Dim()*m {
		return nil, 0, nil
	}
	var s *source
	var a *Operator
	var weights [][]float64
	if ended := parallel.Await(ctx, func() {
		if s, err = newSource(q.Block, q.Rows, m); err == nil {
			a = s.operator(features.Dim())
			weights = alikeForms(a, q)
		}
	}); ended != nil {
		return nil, 0, ended
	}
	if weights == nil || err != nil {
		return nil, 0, err
	}
	s.features = features
	for len(grams) < len(q.Forms) {
		grams = append(grams, newGeneral(a.dim, a.dim))
	}
	part, scaled := newGeneral(min(evaluateRows, a.psi.Rows), a.dim), newGeneral(min(evaluateRows, a.psi.Rows), a.dim)
	for lo := 0; lo < a.psi.Rows; lo += evaluateRows {
		part.Rows = min(evaluateRows, a.psi.Rows-lo)
		clear(part.Data)
		if err := s.matrix(ctx, part, s.order[lo:lo+part.Rows]); err != nil {
			return nil, 0, err
		}
		for k, g := range grams {
			addSquares(g, part, weights[k][lo:lo+part.Rows], scaled)
		}
	}
	most := 0 // functionals of a row at a label
	for j := range a.columns {
		most = max(most, int(a.turned[j+1]-a.turned[j]))
	}
	return grams, a.psi.Rows/evaluateRows + most + 1, nil
}

// alikeForms returns the weights that each form gives to the rows of Ψ at every label; nil where labels differ, or rows are few.
func alikeForms(a *Operator, q *Asked) (weights [][]float64) {
	if a.psi.Rows*q.Of <= len(q.Forms)*a.dim || a.labels > 1 && !sharesRows(a) {
		return nil
	}
	for _, f := range q.Forms {
		w := make([]float64, a.functionals)
		copy(w[f.First:], f.Weights)
		d, alike := alikeBy(a, w)
		if !alike {
			return nil
		}
		weights = append(weights, d)
	}
	return weights
}

// addSquares adds Σ_i w_i ψ_iψ_iᵀ over the rows ψ_i of a part to the lower triangle of g. It overwrites scaled.
func addSquares(g, part blas64.General, w []float64, scaled blas64.General) {
	scaled.Rows = 0
	for i, v := range w {
		if v > 0 {
			floats.ScaleTo(rowOf(scaled, scaled.Rows), math.Sqrt(v), rowOf(part, i))
			scaled.Rows++
		}
	}
	if scaled.Rows > 0 {
		addProduct(g, scaled, scaled, true)
	}
}

const (
	unit = 0x1p-53 // of rounding
	// The diagonal of a G is raised by a share before its root is taken. It is so many units for each operation at first, and mostRaised at most.
	raisedUnits, raisedMore, mostRaised = 4, 16, 1e-7
	// fewOperations are those that follow the sums.
	fewOperations = 32
)

// rootOf sets rows at … at+d−1 of roots to Lᵀ with LLᵀ ≈ G, whose lower triangle is given as a sum of so many operations. For m labels it returns e with
//
//	|Σ_i w_i t_i² − Σ_y ‖LᵀV_y‖²| ≤ e‖V‖²   for every V,
//
// and infinity where there is no root. Rounding may leave G indefinite, so that its diagonal is raised by a small share s. A sum of n operations is off
// by γ_n times that of magnitudes (Higham 2002, sections 3.5 and 10.1). The latter is at most tr G ‖v‖². Hence
// e = (γ_n + γ_{d+1} + 2(m + 1)a) tr G + s max_j G_jj, with a = alikeShare. Where labels count as alike, each row ψ of weight D leaves out E, an m×m matrix.
// Its elements are at most (2 + a)aD: C may differ by a from a multiple of I, and rows from C by as much. Hence tᵀEt ≤ m(2 + a)aD‖ψ‖²‖V‖².
func rootOf(ctx context.Context, roots blas64.General, at int, g blas64.General, m, sums int) (float64, error) {
	trace, most := 0.0, 0.0
	for j := range g.Rows {
		v := g.Data[j*g.Stride+j]
		trace, most = trace+v, max(most, v)
	}
	n := float64(sums + g.Rows + fewOperations)
	for share := raisedUnits * unit * n; share <= mostRaised; share *= raisedMore {
		l, found := copyOf(g), false
		for j := range l.Rows {
			if v := &l.Data[j*l.Stride+j]; *v > 0 {
				*v *= 1 + share
			} else {
				*v = 1 // of a feature that no functional sees
			}
		}
		if err := parallel.Await(ctx, func() {
			_, found = lapack64.Potrf(blas64.Symmetric{N: l.Rows, Stride: l.Stride, Data: l.Data, Uplo: blas.Lower})
		}); err != nil {
			return 0, err
		}
		if !found { // a larger share may do
			continue
		}
		for j := range l.Rows {
			if g.Data[j*g.Stride+j] > 0 {
				for i := j; i < l.Rows; i++ {
					roots.Data[(at+j)*roots.Stride+i] = l.Data[i*l.Stride+j]
				}
			}
		}
		return ((n*unit/(1-n*unit)+2*float64(m+1)*alikeShare)*trace + share*most) * (1 + n*unit), nil
	}
	return math.Inf(1), nil
}

// onTop returns an operator whose first functionals are rows at each label, in groups of d rows: label by label within a group. Those of a come behind them.
func onTop(rows blas64.General, off []float64, a *Operator) *Operator {
	d, count, m := a.dim, rows.Rows, a.labels
	out := &Operator{
		layout: layout{functionals: count*m + a.functionals, labels: m, dim: d, start: []int32{0}}, off: off,
		psi: blas64.General{Rows: count + a.psi.Rows, Cols: d, Stride: d, Data: append(rows.Data, a.psi.Data...)},
	}
	var pairs []column
	for c := range m {
		for k := range count {
			pairs = append(pairs, column{int32(c), int32(k)})
		}
	}
	for _, c := range a.columns {
		pairs = append(pairs, column{c.label, c.row + int32(count)})
	}
	out.layColumns(pairs)
	// Columns may stand in another order than the pairs, as short runs are gathered.
	place := make(map[column]int32, len(out.columns))
	for j, c := range out.columns {
		place[c] = int32(j)
	}
	for first := 0; first < count; first += d {
		for c := range m {
			for k := first; k < first+d; k++ {
				out.entries = append(out.entries, entry{at: place[column{int32(c), int32(k)}], value: 1})
				out.start = append(out.start, int32(len(out.entries)))
			}
		}
	}
	for i := range a.functionals {
		for _, e := range a.of(i) {
			c := a.columns[e.at]
			out.entries = append(out.entries, entry{at: place[column{c.label, c.row + int32(count)}], value: e.value})
		}
		out.start = append(out.start, int32(len(out.entries)))
	}
	out.finish()
	return out
}

// Squares returns how many functionals of an operator stand for the squares of others. They are the first.
func (r Roots) Squares() int { return len(r.of.off) * r.of.labels * r.of.dim }

// Off returns at least the error of Σ_j w_j t_j² for ‖V‖ = 1, where functionals stand for the squares of others. It is 0 where none do.
func (r Roots) Off(w []float64) float64 {
	sum, each := 0.0, r.of.labels*r.of.dim
	for k, e := range r.of.off {
		sum += slices.Max(w[k*each:(k+1)*each]) * e
	}
	return sum * (1 + float64(len(r.of.off)+fewOperations)*unit)
}
