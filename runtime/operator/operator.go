// Package operator holds A: the functionals of a block in feature space, as a structured matrix.
//
// A function of the space is V ∈ ℝᵈˣᵐ, f(x, y) = φ(x)ᵀ V y, laid out label by label: v[c·d+j] = V[j, c], m = 1 for a function
// of x alone. Every functional of a block is then a sum over labels c of ⟨row, V e_c⟩ with
//
//	row_{i,c} = Σ_k coef_k y_k[c] φ(x_k)   or   coef_k y_k[c] Dφ(x_k)[ẋ_k].
//
// Rows that are multiples of each other are stored once, whatever functionals and labels they serve:
//
//	A = S·blockdiag_c(Ψ_c)
//
// where every Ψ_c is a choice of rows of one matrix Ψ and S is sparse. Logic on n rows keeps n rows, however many labels
// and rules there are. A mixed pair keeps one row for each of its two labels.
//
// Functionals along a smooth curve span far fewer dimensions than there are functionals. BuildWith may keep a few of
// their rows, B, and write the others as combinations of these. This is an interpolative decomposition,
//
//	rows of a group ≈ L·B,   ‖a_j − a′_j‖ ≤ e_j,
//
// where L goes into S. Certificates add the e_j (Errors), which include a bound of their rounding. B is found by
// Gram-Schmidt with pivots (Businger and Golub 1965), for some groups at a time, so that memory grows with the rows
// kept.
//
// Products with A are one matrix product for each label and, with S, short runs and small matrix products, in either precision.
package operator

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/polar"
)

const (
	shortRun   = 32  // runs of fewer rows are gathered before they are multiplied
	gatherRows = 256 // rows gathered at a time
)

var (
	_ polar.SingleOperator = (*Operator)(nil)
	_ polar.Approximation  = (*Operator)(nil)
	_ polar.Rounded        = (*Operator)(nil)
)

// An Operator is A. It is immutable but for caches, and its methods may be called from several goroutines.
type Operator struct {
	layout
	psi    blas64.General // Ψ, q×d
	psi32  func() matrix[float32]
	errors []float64 // e_j of polar.Approximation; nil where A is exact

	double func() *arithmetic[float64]
	single func() *arithmetic[float32]
	cache  cache
}

// A layout says where the numbers of an operator stand.
type layout struct {
	functionals, labels, dim int      // r, m, d
	columns                  []column // of S, label by label
	first                    []int32  // the columns of label c are first[c] … first[c+1]−1
	runs                     [][]run  // of label c
	start                    []int32  // the numbers of functional i are start[i] … start[i+1]−1 …
	entries                  []entry  // … of S, columns ascending
	turned                   []int32  // the numbers of column j are turned[j] … turned[j+1]−1 …
	back                     []entry  // … of Sᵀ, At being the functional, ascending
	uniform                  bool     // every label has every row, in order
	identity                 bool     // S = I
}

// A column of S belongs to a label and a row of Ψ.
type column struct{ label, row int32 }

// An entry is a number of S.
type entry struct {
	at    int32 // column
	value float64
}

// A run is columns of one label that are multiplied at once.
type run struct {
	column, count int32
	row           int32   // the first of consecutive rows of Ψ, or
	gather        []int32 // the rows, where they are not consecutive
}

// Dims are the number r of functionals and the dimension m·d.
func (a *Operator) Dims() (r, dim int) { return a.functionals, a.labels * a.dim }

// StoredRows is the number of rows of Ψ.
func (a *Operator) StoredRows() int { return a.psi.Rows }

// Errors bound, for every functional j, the distance ‖a_j − a′_j‖ of the row a′_j at hand from that of the functional as it
// was given. They are nil where nothing was left out.
func (a *Operator) Errors() []float64 { return a.errors }

// Rounding returns that of the products with Ψ and of the sums that S makes of them.
func (a *Operator) Rounding() (sizes []float64, apply, applyT int) {
	rows := make([]float64, a.psi.Rows)
	for q := range rows {
		rows[q] = floats.Norm(rowOf(a.psi, q), 2)
	}
	sizes = make([]float64, a.functionals)
	most, meet, wide := 0, 0, 0
	for i := range sizes {
		for _, e := range a.of(i) {
			sizes[i] += math.Abs(e.value) * rows[a.columns[e.at].row]
		}
		most = max(most, len(a.of(i)))
	}
	for j := range a.columns {
		meet = max(meet, int(a.turned[j+1]-a.turned[j]))
	}
	for c := range a.labels {
		wide = max(wide, int(a.first[c+1]-a.first[c]))
	}
	return sizes, a.dim + most, meet + wide
}

// finish sets up what follows from the columns and entries.
func (a *Operator) finish() {
	a.turned = make([]int32, len(a.columns)+1)
	for _, e := range a.entries {
		a.turned[e.at+1]++
	}
	for j := range a.columns {
		a.turned[j+1] += a.turned[j]
	}
	a.back = make([]entry, len(a.entries))
	next := append([]int32(nil), a.turned...)
	for i := range a.functionals {
		for _, e := range a.of(i) {
			a.back[next[e.at]] = entry{at: int32(i), value: e.value}
			next[e.at]++
		}
	}
	a.uniform = len(a.columns) == a.labels*a.psi.Rows && len(a.columns) > 0
	for j, c := range a.columns {
		a.uniform = a.uniform && int(c.label)*a.psi.Rows+int(c.row) == j
	}
	a.identity = a.functionals == len(a.entries) && a.functionals == len(a.columns)
	for i, e := range a.entries {
		a.identity = a.identity && e == entry{at: int32(i), value: 1} && int(a.start[i]) == i
	}
	a.prepare()
}

// prepare says how the numbers of each precision are made when they are first needed.
func (a *Operator) prepare() {
	pieces := sync.OnceValue(func() [2][]piece {
		return [2][]piece{piecesOf(a.start, a.entries), piecesOf(a.turned, a.back)}
	})
	if a.psi32 == nil {
		a.psi32 = sync.OnceValue(func() matrix[float32] { return convert[float32](matrix[float64](a.psi)) })
	}
	a.double = sync.OnceValue(func() *arithmetic[float64] {
		return newArithmetic(&a.layout, matrix[float64](a.psi), pieces()[0], pieces()[1])
	})
	a.single = sync.OnceValue(func() *arithmetic[float32] {
		return newArithmetic(&a.layout, a.psi32(), pieces()[0], pieces()[1])
	})
}

// of is row i of S.
func (a *layout) of(i int) []entry { return a.entries[a.start[i]:a.start[i+1]] }

// Apply sets dst (B×r) to V·Aᵀ, V being B×(m·d).
func (a *Operator) Apply(dst, v *mat.Dense) {
	to, from := denseMatrix(dst), denseMatrix(v)
	check(a, "Apply", to, from)
	a.double().apply(to, from)
}

// ApplyT sets dst (B×(m·d)) to C·A, C being B×r.
func (a *Operator) ApplyT(dst, c *mat.Dense) {
	to, from := denseMatrix(dst), denseMatrix(c)
	check(a, "ApplyT", from, to)
	a.double().applyT(to, from)
}

// Apply32 is Apply in single precision. The first call makes a copy of A in it.
func (a *Operator) Apply32(dst, v blas32.General) {
	check(a, "Apply32", singleMatrix(dst), singleMatrix(v))
	a.single().apply(singleMatrix(dst), singleMatrix(v))
}

// ApplyT32 is ApplyT in single precision. The first call makes a copy of A in it.
func (a *Operator) ApplyT32(dst, c blas32.General) {
	check(a, "ApplyT32", singleMatrix(c), singleMatrix(dst))
	a.single().applyT(singleMatrix(dst), singleMatrix(c))
}

func check[T number](a *Operator, what string, values, vectors matrix[T]) {
	if r, dim := a.Dims(); values.Rows != vectors.Rows || r != values.Cols || dim != vectors.Cols {
		panic(fmt.Sprintf("operator: %s of %d×%d and %d×%d, want %d columns and %d", //nolint:forbidigo // the caller's mistake, as everywhere in gonum
			what, values.Rows, values.Cols, vectors.Rows, vectors.Cols, r, dim))
	}
}

// Rows sets row k of dst (len(index)×(m·d)) to row index[k] of A.
func (a *Operator) Rows(dst *mat.Dense, index []int) {
	parallel.For(len(index), 16, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			row := dst.RawRowView(k)
			clear(row)
			for _, e := range a.of(index[k]) {
				c := a.columns[e.at]
				floats.AddScaled(row[int(c.label)*a.dim:(int(c.label)+1)*a.dim], e.value, rowOf(a.psi, int(c.row)))
			}
		}
	})
}

func newGeneral(r, c int) blas64.General { return blas64.General(newMatrix[float64](r, c)) }

func rowOf(g blas64.General, i int) []float64 { return g.Data[i*g.Stride : i*g.Stride+g.Cols] }

// columnsOf is count columns of g from lo on.
func columnsOf(g blas64.General, lo, count int) blas64.General {
	g.Data, g.Cols = g.Data[lo:], count
	return g
}
