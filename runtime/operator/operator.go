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
// where every Ψ_c is a choice of rows of one matrix Ψ and S holds at most one number for each functional and label. Logic
// on n rows keeps n rows, however many labels and rules there are; a mixed pair keeps one row for each of its two labels.
package operator

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	shortRun     = 32      // runs of fewer rows are gathered before they are multiplied
	gatherRows   = 256     // rows gathered at a time
	flightNumber = 8 << 20 // numbers in flight between Ψ and S
)

// An Operator is A. It is immutable but for a cache, and its methods may be called from several goroutines.
type Operator struct {
	functionals, labels, dim int            // r, m, d
	psi                      blas64.General // Ψ, q×d
	columns                  []column       // of S, label by label
	first                    []int32        // the columns of label c are first[c] … first[c+1]−1
	runs                     [][]run        // of label c
	start                    []int32        // the numbers of functional i are start[i] … start[i+1]−1 …
	entries                  []entry        // … of S, labels ascending
	turned                   []int32        // the numbers of column j are turned[j] … turned[j+1]−1 …
	back                     []entry        // … of Sᵀ, At being the functional, ascending
	uniform                  bool           // every label has every row, in order
	identity                 bool           // S = I

	flight sync.Pool // *[]float64
	cache  cache
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
}

// of is row i of S.
func (a *Operator) of(i int) []entry { return a.entries[a.start[i]:a.start[i+1]] }

// Apply sets dst (B×r) to V·Aᵀ, V being B×(m·d).
func (a *Operator) Apply(dst, v *mat.Dense) {
	b, _ := dst.Dims()
	a.check("Apply", dst, v)
	if len(a.columns) == 0 {
		dst.Zero()
		return
	}
	a.chunks(b, func(lo, hi int, flight []float64) {
		out := rowsOf(dst, lo, hi)
		t := blas64.General{Rows: hi - lo, Cols: len(a.columns), Stride: len(a.columns), Data: flight}
		if a.identity {
			t = out
		}
		a.project(t, rowsOf(v, lo, hi))
		if !a.identity {
			a.combine(out, t, a.start, a.entries)
		}
	})
}

// ApplyT sets dst (B×(m·d)) to C·A, C being B×r.
func (a *Operator) ApplyT(dst, c *mat.Dense) {
	b, _ := dst.Dims()
	a.check("ApplyT", c, dst)
	if len(a.columns) == 0 {
		dst.Zero()
		return
	}
	a.chunks(b, func(lo, hi int, flight []float64) {
		in := rowsOf(c, lo, hi)
		t := blas64.General{Rows: hi - lo, Cols: len(a.columns), Stride: len(a.columns), Data: flight}
		if a.identity {
			t = in
		} else {
			a.combine(t, in, a.turned, a.back)
		}
		a.lift(rowsOf(dst, lo, hi), t)
	})
}

func (a *Operator) check(what string, values, vectors *mat.Dense) {
	b, r := values.Dims()
	n, dim := vectors.Dims()
	if wr, wd := a.Dims(); b != n || r != wr || dim != wd {
		panic(fmt.Sprintf("operator: %s of %d×%d and %d×%d, want %d columns and %d", what, b, r, n, dim, wr, wd)) //nolint:forbidigo // the caller's mistake, as everywhere in gonum
	}
}

// chunks calls body with runs of right-hand sides and room for their products with Ψ.
func (a *Operator) chunks(b int, body func(lo, hi int, flight []float64)) {
	step := b
	size := 0
	if !a.identity {
		step = min(b, max(1, flightNumber/len(a.columns)))
		size = step * len(a.columns)
	}
	buffer, _ := a.flight.Get().(*[]float64)
	if buffer == nil || cap(*buffer) < size {
		fresh := make([]float64, size)
		buffer = &fresh
	}
	defer a.flight.Put(buffer)
	for lo := 0; lo < b; lo += step {
		hi := min(lo+step, b)
		body(lo, hi, (*buffer)[:size])
	}
}

// combine sets every row of out to the combinations of the same row of in that a sparse matrix lists.
func (a *Operator) combine(out, in blas64.General, start []int32, list []entry) {
	const columns = 4096
	parts := (out.Cols + columns - 1) / columns
	parallel.For(out.Rows*parts, 1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			o, x := rowOf(out, k/parts), rowOf(in, k/parts)
			for j := k % parts * columns; j < min(out.Cols, (k%parts+1)*columns); j++ {
				sum := 0.0
				for _, e := range list[start[j]:start[j+1]] {
					sum += e.value * x[e.at]
				}
				o[j] = sum
			}
		}
	})
}

// project sets t (B × columns) to the products of the vectors with the rows of Ψ that each label has.
func (a *Operator) project(t, v blas64.General) {
	if a.uniform && v.Stride == v.Cols && t.Stride == t.Cols {
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, a.stacked(v, a.dim), a.psi, 0, a.stacked(t, a.psi.Rows))
		return
	}
	for c := range a.labels {
		for _, r := range a.runs[c] {
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, columnsOf(v, c*a.dim, a.dim), a.rowsOf(r), 0, columnsOf(t, int(r.column), int(r.count)))
		}
	}
}

// lift sets the vectors v to the combinations of rows of Ψ whose coefficients t (B × columns) holds.
func (a *Operator) lift(v, t blas64.General) {
	if a.uniform && v.Stride == v.Cols && t.Stride == t.Cols {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a.stacked(t, a.psi.Rows), a.psi, 0, a.stacked(v, a.dim))
		return
	}
	for c := range a.labels {
		part := columnsOf(v, c*a.dim, a.dim)
		beta := 0.0
		for _, r := range a.runs[c] {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, columnsOf(t, int(r.column), int(r.count)), a.rowsOf(r), beta, part)
			beta = 1
		}
		if len(a.runs[c]) == 0 {
			for i := range part.Rows {
				clear(rowOf(part, i))
			}
		}
	}
}

// stacked views rows of m·size numbers as m rows of size numbers each.
func (a *Operator) stacked(g blas64.General, size int) blas64.General {
	return blas64.General{Rows: g.Rows * a.labels, Cols: size, Stride: size, Data: g.Data}
}

// rowsOf are the rows of Ψ of a run.
func (a *Operator) rowsOf(r run) blas64.General {
	if r.gather == nil {
		return blas64.General{Rows: int(r.count), Cols: a.dim, Stride: a.psi.Stride, Data: a.psi.Data[int(r.row)*a.psi.Stride:]}
	}
	out := newGeneral(int(r.count), a.dim)
	for i, row := range r.gather {
		copy(rowOf(out, i), rowOf(a.psi, int(row)))
	}
	return out
}

func newGeneral(r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: max(1, c), Data: make([]float64, r*c)}
}

func rowOf(g blas64.General, i int) []float64 { return g.Data[i*g.Stride : i*g.Stride+g.Cols] }

// rowsOf is rows lo … hi−1 of m.
func rowsOf(m *mat.Dense, lo, hi int) blas64.General {
	raw := m.RawMatrix()
	raw.Rows, raw.Data = hi-lo, raw.Data[lo*raw.Stride:(hi-1)*raw.Stride+raw.Cols]
	return raw
}

// columnsOf is count columns of g from lo on.
func columnsOf(g blas64.General, lo, count int) blas64.General {
	g.Data, g.Cols = g.Data[lo:], count
	return g
}

// view is rows i … k−1 and columns j … l−1 of m, sharing memory.
func view(m *mat.Dense, i, k, j, l int) *mat.Dense {
	return m.Slice(i, k, j, l).(*mat.Dense) //nolint:forcetypeassert // so gonum documents it
}
