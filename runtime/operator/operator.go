// Package operator holds A: the functionals of a block in feature space, as a structured matrix.
//
// A function of the space is V ∈ ℝᵈˣᵐ, f(x, y) = φ(x)ᵀ V y, laid out label by label: v[c·d+j] = V[j, c], m = 1 for a
// function of x alone. Every functional of a block is then a sum over labels c of ⟨row, V e_c⟩ with
//
//	row_{i,c} = Σ_k coef_k y_k[c] φ(x_k)   or   coef_k y_k[c] Dφ(x_k)[ẋ_k].
//
// Rows that are multiples of each other are stored once, whatever functionals and labels they serve:
//
//	A = S·blockdiag_c(Ψ_c)
//
// where every Ψ_c is a choice of rows of one matrix Ψ and S is sparse. Logic on n rows keeps n rows, however many
// labels and rules there are. A mixed pair keeps one row for each of its two labels.
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
// Evaluations at the rows of data may be too many to be kept, as a risk asks for all of them. Where it has their squares alone, a root of their
// moments is what A keeps (Sums). So functionals of R stand above some hundred rows, however many rows of data there are.
//
// Products with A are one matrix product for each label and, with S, short runs and small matrix products, in either
// precision.
//
// Solves with M = αI + AᵀWA choose among four ways by structure and size; see [Operator.Factor]. Both products and
// solves share out their work by sizes alone, so that results have the same bits on any number of processors.
package operator

import (
	"fmt"
	"math"
	"slices"
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

// An Operator is the matrix A. Apart from caches it is immutable, and several goroutines may call its methods at
// once.
type Operator struct {
	layout
	// psi is Ψ, q×d, row-major without gaps.
	psi blas64.General // Ψ, q×d
	// psi32 returns Ψ in single precision, converted on the first call. Restricted operators share it.
	psi32 func() matrix[float32]
	// errors are the e_j of polar.Approximation; nil means that A is exact.
	errors []float64
	// off bounds, for each form, what functionals leave out that stand for the squares of others; see [Roots.Off].
	off []float64

	// double and single return the numbers of A in a precision, made on the first call.
	double func() *arithmetic[float64]
	single func() *arithmetic[float32]
	cache  cache
}

// A layout says where the numbers of an operator stand. It is independent of precision. S and Sᵀ are both stored by
// rows (compressed sparse rows), so that products with either read memory in order.
type layout struct {
	// functionals, labels and dim are r, m and d.
	functionals, labels, dim int
	// columns are those of S, label by label. Those of label c are first[c] … first[c+1]−1.
	columns []column
	first   []int32
	// runs divide the columns of each label into blocks that are multiplied at once.
	runs [][]run
	// Row i of S has the entries start[i] … start[i+1]−1, columns ascending.
	start   []int32
	entries []entry
	// Where S is repeated, Sᵀ is not kept.
	repeated *repeated
	// Row j of Sᵀ has the entries turned[j] … turned[j+1]−1 of back, their places being functionals, ascending.
	turned []int32
	back   []entry
	// uniform says that every label has every row, in order.
	uniform bool
	// diagonal says that every functional is a multiple of a row of its own, in order. So are those of
	// one label among maxima over labels, whose rows were divided by their first weights. Values are
	// then products with Ψ, times a number each, and need no room for what S gathers.
	diagonal bool
	// identity says that S = I, so that values are products with Ψ alone.
	identity bool
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

// Dims returns the number r of functionals and the dimension m·d.
func (a *Operator) Dims() (r, dim int) { return a.functionals, a.labels * a.dim }

// StoredRows returns the number of rows of Ψ.
func (a *Operator) StoredRows() int { return a.psi.Rows }

// Errors returns for every functional j a bound of ‖a_j − a′_j‖, the distance of the row a′_j in use from the
// functional as it was given. nil means that all rows are exact.
func (a *Operator) Errors() []float64 { return a.errors }

// Rounding implements polar.Rounded: it bounds the rounding errors of the products with Ψ and of the sums that S
// makes of them. Sizes are s_j = Σ_k |S_jk|‖ψ_k‖. Apply adds d products and then the entries of a row of S. ApplyT
// adds the entries of a column and then the columns of a label.
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
	turned := a.turned
	if a.repeated != nil {
		turned = a.repeated.turned
	}
	for j := 1; j < len(turned); j++ {
		meet = max(meet, int(turned[j]-turned[j-1]))
	}
	for c := range a.labels {
		wide = max(wide, int(a.first[c+1]-a.first[c]))
	}
	return sizes, a.dim + most, meet + wide
}

// finish sets up Sᵀ, or S₀, and the flags that follow from the columns and entries.
func (a *Operator) finish() {
	// Both flags let products run on Ψ as a whole.
	a.uniform = len(a.columns) == a.labels*a.psi.Rows && len(a.columns) > 0
	for j, c := range a.columns {
		a.uniform = a.uniform && int(c.label)*a.psi.Rows+int(c.row) == j
	}
	a.diagonal = a.functionals == len(a.entries) && a.functionals == len(a.columns)
	a.identity = a.diagonal
	for i, e := range a.entries {
		a.diagonal = a.diagonal && int(e.at) == i && int(a.start[i]) == i
		a.identity = a.identity && a.diagonal && e.value == 1
	}
	if a.repeated = repeatedOf(&a.layout); a.repeated == nil {
		a.turned, a.back = transposed(&a.layout, len(a.columns))
	}
	a.prepare()
}

// A repeated S is the same for every row of Ψ: S = I ⊗ S₀, up to the order of functionals. Scores of all labels and implications among them at all
// rows are of that kind. Products then read S₀ alone, and the labels of one row.
type repeated struct {
	// functional is the number of functional k at row i, at place i·each + k. They ascend for each row.
	functional []int32
	each       int
	// start and entries are S₀, of labels and places of functionals, and turned and back its transpose.
	start, turned []int32
	entries, back []entry
}

// repeatedOf finds that S is repeated, for many labels, or returns nil.
func repeatedOf(a *layout) *repeated {
	if !a.uniform || a.labels < leastEliminated || a.functionals%(len(a.columns)/a.labels) != 0 {
		return nil
	}
	rows := len(a.columns) / a.labels
	r := &repeated{functional: make([]int32, a.functionals), each: a.functionals / rows}
	next := make([]int, rows)
	for i := range a.functionals {
		es := a.of(i)
		if len(es) == 0 {
			return nil
		}
		// Functionals come in ascending order, and so they do for each row.
		row := int(a.columns[es[0].at].row)
		if next[row] == r.each {
			return nil
		}
		r.functional[row*r.each+next[row]] = int32(i)
		next[row]++
	}
	// The first row says what S₀ is, if there is one.
	one := &layout{functionals: r.each, start: []int32{0}}
	for k := range r.each {
		for _, e := range a.of(int(r.functional[k])) {
			one.entries = append(one.entries, entry{a.columns[e.at].label, e.value})
		}
		one.start = append(one.start, int32(len(one.entries)))
	}
	// Equal lists with equal numbers make equal products, to the last bit.
	for j, i := range r.functional {
		if !alike(a, one, int(i), j/r.each, j%r.each) {
			return nil
		}
	}
	r.start, r.entries = one.start, one.entries
	r.turned, r.back = transposed(one, a.labels)
	return r
}

// alike reports whether a functional is that of S₀ at a row.
func alike(a, one *layout, functional, row, at int) bool {
	return slices.EqualFunc(a.of(functional), one.of(at), func(s, t entry) bool {
		c := a.columns[s.at]
		return int(c.row) == row && c.label == t.at && s.value == t.value
	})
}

// transposed returns Sᵀ by rows, of so many columns.
func transposed(a *layout, columns int) (turned []int32, back []entry) {
	turned = make([]int32, columns+1)
	for _, e := range a.entries {
		turned[e.at+1]++
	}
	for j := range columns {
		turned[j+1] += turned[j]
	}
	back = make([]entry, len(a.entries))
	next := append([]int32(nil), turned...)
	for i := range a.functionals {
		for _, e := range a.of(i) {
			back[next[e.at]] = entry{at: int32(i), value: e.value}
			next[e.at]++
		}
	}
	return turned, back
}

// prepare says how the numbers of each precision are made when they are first needed. Both precisions share the
// pieces, which depend on places alone.
func (a *Operator) prepare() {
	pieces := sync.OnceValue(func() [2][]piece {
		if a.repeated != nil {
			return [2][]piece{} // not needed
		}
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

// ForgetSingle lets go of the numbers of an operator in single precision, until they are asked for.
func ForgetSingle(a *Operator) {
	a.psi32 = nil
	a.prepare()
}

// of returns row i of S.
func (a *layout) of(i int) []entry { return a.entries[a.start[i]:a.start[i+1]] }

// Apply sets dst (B×r) to V·Aᵀ, where V is B×(m·d). Like its siblings it panics if the shapes do not fit, as gonum
// does.
func (a *Operator) Apply(dst, v *mat.Dense) {
	to, from := denseMatrix(dst), denseMatrix(v)
	check(a, "Apply", to, from)
	a.double().apply(to, from)
}

// ApplyT sets dst (B×(m·d)) to C·A, where C is B×r.
func (a *Operator) ApplyT(dst, c *mat.Dense) {
	to, from := denseMatrix(dst), denseMatrix(c)
	check(a, "ApplyT", from, to)
	a.double().applyT(to, from)
}

// Apply32 computes Apply in single precision. The first call makes a copy of A in it.
func (a *Operator) Apply32(dst, v blas32.General) {
	check(a, "Apply32", singleMatrix(dst), singleMatrix(v))
	a.single().apply(singleMatrix(dst), singleMatrix(v))
}

// ApplyT32 computes ApplyT in single precision. The first call makes a copy of A in it.
func (a *Operator) ApplyT32(dst, c blas32.General) {
	check(a, "ApplyT32", singleMatrix(c), singleMatrix(dst))
	a.single().applyT(singleMatrix(dst), singleMatrix(c))
}

// check panics if the shapes do not fit A.
func check[T number](a *Operator, what string, values, vectors matrix[T]) {
	if r, dim := a.Dims(); values.Rows != vectors.Rows || r != values.Cols || dim != vectors.Cols {
		panic(fmt.Sprintf("operator: %s of %d×%d and %d×%d, want %d columns and %d", //nolint:forbidigo // the caller's mistake, as everywhere in gonum
			what, values.Rows, values.Cols, vectors.Rows, vectors.Cols, r, dim))
	}
}

// Rows sets row k of dst (len(index)×(m·d)) to row index[k] of A, written out in full.
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

// newGeneral returns an r×c matrix of zeros.
func newGeneral(r, c int) blas64.General { return blas64.General(newMatrix[float64](r, c)) }

// rowOf returns row i, in the same memory.
func rowOf(g blas64.General, i int) []float64 { return g.Data[i*g.Stride : i*g.Stride+g.Cols] }

// columnsOf returns count columns of g from lo on, in the same memory.
func columnsOf(g blas64.General, lo, count int) blas64.General {
	g.Data, g.Cols = g.Data[lo:], count
	return g
}
