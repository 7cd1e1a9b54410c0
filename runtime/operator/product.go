package operator

import (
	"sync"

	"gonum.org/v1/gonum/blas"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	// batchNumbers is how many numbers stand between Ψ and S at a time, and twice as many in single precision.
	batchNumbers = 8 << 20
	// smallNumbers is the size of the rows of all labels up to which goroutines share out right-hand sides.
	smallNumbers = 4 << 20
	// smallRows is how many right-hand sides a goroutine then takes at a time, if there are enough.
	smallRows = 64
	// keptNumbers bounds the gathered rows that are kept.
	keptNumbers = 4 << 20
)

// An arithmetic holds an operator's numbers in one precision, and the memory of its products.
type arithmetic[T number] struct {
	*layout
	psi matrix[T]
	// rows are those of run k of label c. A run without data is gathered anew whenever it is needed.
	rows [][]matrix[T]
	// forward is S and backward Sᵀ, or S₀ and its transpose.
	forward, backward combination[T]
	buffers           sync.Pool // *[]T
}

// newArithmetic prepares products in one precision. It gathers scattered rows once, up to keptNumbers.
func newArithmetic[T number](a *layout, psi matrix[T], forward, backward []piece) *arithmetic[T] {
	n := &arithmetic[T]{layout: a, psi: psi, rows: make([][]matrix[T], a.labels)}
	if r := a.repeated; r != nil {
		n.forward, n.backward = newCombination[T](r.start, r.entries, nil), newCombination[T](r.turned, r.back, nil)
	} else {
		n.forward, n.backward = newCombination[T](a.start, a.entries, forward), newCombination[T](a.turned, a.back, backward)
	}
	kept := 0
	for c, runs := range a.runs {
		for _, r := range runs {
			var rows matrix[T]
			if kept += len(r.gather) * a.dim; r.gather == nil {
				rows = psi.span(int(r.row), int(r.row+r.count))
			} else if kept <= keptNumbers {
				rows = gatherOf(psi, r.gather)
			}
			n.rows[c] = append(n.rows[c], rows)
		}
	}
	return n
}

// gatherOf copies some rows of psi.
func gatherOf[T number](psi matrix[T], list []int32) matrix[T] {
	out := newMatrix[T](len(list), psi.Cols)
	for i, row := range list {
		copy(out.row(i), psi.row(int(row)))
	}
	return out
}

// lend returns memory for size numbers, to be put back into buffers.
func (n *arithmetic[T]) lend(size int) *[]T {
	buffer, _ := n.buffers.Get().(*[]T)
	if buffer == nil || cap(*buffer) < size {
		fresh := make([]T, size)
		buffer = &fresh
	}
	*buffer = (*buffer)[:size]
	return buffer
}

// apply sets dst (B×r) to V·Aᵀ: first the products of V with the rows of Ψ, then the combinations of S.
func (n *arithmetic[T]) apply(dst, v matrix[T]) {
	switch {
	case len(n.columns) == 0:
		dst.zero()
		return
	case n.repeated != nil:
		n.applyRows(dst, v)
		return
	}
	n.chunks(dst.Rows, func(lo, hi int, t matrix[T], alone bool) {
		out := dst.span(lo, hi)
		if n.identity {
			n.project(out, v.span(lo, hi))
			return
		}
		if n.diagonal {
			n.project(out, v.span(lo, hi))
			n.multiply(out, out, alone)
			return
		}
		n.project(t, v.span(lo, hi))
		if alone {
			n.forward.applyParallel(out, t)
		} else {
			n.forward.apply(out, t)
		}
	})
}

// applyT sets dst (B×(m·d)) to C·A: first the combinations of Sᵀ, then those of the rows of Ψ.
func (n *arithmetic[T]) applyT(dst, c matrix[T]) {
	switch {
	case len(n.columns) == 0:
		dst.zero()
		return
	case n.repeated != nil:
		n.applyRowsT(dst, c)
		return
	}
	n.chunks(dst.Rows, func(lo, hi int, t matrix[T], alone bool) {
		in := c.span(lo, hi)
		switch {
		case n.identity:
			t = in
		case n.diagonal:
			n.multiply(t, in, alone)
		case alone:
			n.backward.applyParallel(t, in)
		default:
			n.backward.apply(t, in)
		}
		n.lift(dst.span(lo, hi), t)
	})
}

// multiply sets dst, which may be src, to the products of a diagonal S and src. The numbers of S are
// those of the combination, in the order of functionals. It takes all processors where it runs alone.
func (n *arithmetic[T]) multiply(dst, src matrix[T], alone bool) {
	rows := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			out, in := dst.row(i), src.row(i)
			for j, x := range n.forward.value[:len(out)] {
				out[j] = x * in[j]
			}
		}
	}
	if !alone {
		rows(0, dst.Rows)
		return
	}
	parallel.For(dst.Rows, rowsAtOnce, rows)
}

// rowsAtOnce is how many rows a goroutine takes at a time.
const rowsAtOnce = 16

// each calls body with the products of each row of Ψ with all labels, and with room for its functionals.
func (n *arithmetic[T]) each(products matrix[T], body func(own, at []T, functionals []int32)) {
	r := n.repeated
	parallel.For(products.Rows, rowsAtOnce, func(lo, hi int) {
		own := make([]T, r.each)
		for i := lo; i < hi; i++ {
			body(own, products.row(i), r.functional[i*r.each:(i+1)*r.each])
		}
	})
}

// rowwise calls body with memory for the products of Ψ with all labels. A row has those of a row of Ψ.
func (n *arithmetic[T]) rowwise(b int, body func(i int, products matrix[T])) {
	buffer := n.lend(len(n.columns))
	defer n.buffers.Put(buffer)
	for i := range b {
		body(i, matrix[T]{Rows: n.psi.Rows, Cols: n.labels, Stride: n.labels, Data: *buffer})
	}
}

// applyRows sets dst (B×r) to V·Aᵀ where S is repeated.
func (n *arithmetic[T]) applyRows(dst, v matrix[T]) {
	n.rowwise(dst.Rows, func(i int, products matrix[T]) {
		// All labels of a row of Ψ stand side by side, so that S₀ reads memory in order.
		gemm(blas.NoTrans, blas.Trans, 1, n.psi, v.span(i, i+1).stacked(n.dim), 0, products)
		out := dst.row(i)
		n.each(products, func(own, at []T, functionals []int32) {
			n.forward.applyLoose(own, at, &piece{})
			for k, j := range functionals {
				out[j] = own[k]
			}
		})
	})
}

// applyRowsT sets dst (B×(m·d)) to C·A where S is repeated.
func (n *arithmetic[T]) applyRowsT(dst, c matrix[T]) {
	n.rowwise(dst.Rows, func(i int, products matrix[T]) {
		in := c.row(i)
		n.each(products, func(own, at []T, functionals []int32) {
			// Functionals of a row are apart, as those of R come before all scores.
			for k, j := range functionals {
				own[k] = in[j]
			}
			n.backward.applyLoose(at, own, &piece{})
		})
		gemm(blas.Trans, blas.NoTrans, 1, products, n.psi, 0, dst.span(i, i+1).stacked(n.dim))
	})
}

// chunks calls body with runs of right-hand sides and memory for their products with Ψ. If Ψ is small, goroutines
// share out the runs. If it is large, body runs alone and may itself use all processors. No bit depends on which.
func (n *arithmetic[T]) chunks(b int, body func(lo, hi int, t matrix[T], alone bool)) {
	width := len(n.columns)
	if n.identity {
		width = 0
	}
	stride := max(1, width)
	// An odd multiple of 16 numbers, so that the elements of a column do not all fall into the same sets of the
	// caches.
	if !n.uniform {
		stride = (width+15)/16*16 | 16
	}
	run := func(lo, hi int, alone bool) {
		buffer := n.lend((hi - lo) * stride)
		defer n.buffers.Put(buffer)
		body(lo, hi, matrix[T]{Rows: hi - lo, Cols: width, Stride: stride, Data: *buffer}, alone)
	}
	if small := len(n.columns) * n.dim; small <= smallNumbers {
		// The step depends on b alone. Were it to depend on the number of processors, so would the bits of the
		// results.
		step := smallRows
		if b < 2*smallRows {
			step = max(8, (b+1)/2)
		}
		parallel.For(b, step, func(lo, hi int) { run(lo, hi, false) })
		return
	}
	most := batchNumbers
	// T is single precision, of which twice as many numbers fit.
	if T(1)+0x1p-30 == 1 {
		most *= 2
	}
	// As few runs as memory allows, and these of equal length.
	steps := max(1, (b*width+most-1)/most)
	step := (b + steps - 1) / steps
	for lo := 0; lo < b; lo += step {
		run(lo, min(lo+step, b), true)
	}
}

// project sets t (B × columns) to the products of the vectors with the rows of Ψ that each label has. If all labels
// have all rows, the B·m vectors of d features make one product with Ψ. Otherwise every run of a label is a product.
func (n *arithmetic[T]) project(t, v matrix[T]) {
	if n.uniform && v.whole() && t.whole() {
		gemm(blas.NoTrans, blas.Trans, 1, v.stacked(n.dim), n.psi, 0, t.stacked(n.psi.Rows))
		return
	}
	for c := range n.labels {
		for k, r := range n.runs[c] {
			gemm(blas.NoTrans, blas.Trans, 1, v.cut(c*n.dim, n.dim), n.rowsOf(c, k), 0, t.cut(int(r.column), int(r.count)))
		}
	}
}

// lift sets the vectors v to the combinations of rows of Ψ whose coefficients t (B × columns) holds. It is the
// transpose of project.
func (n *arithmetic[T]) lift(v, t matrix[T]) {
	if n.uniform && v.whole() && t.whole() {
		gemm(blas.NoTrans, blas.NoTrans, 1, t.stacked(n.psi.Rows), n.psi, 0, v.stacked(n.dim))
		return
	}
	for c := range n.labels {
		part := v.cut(c*n.dim, n.dim)
		var beta T
		for k, r := range n.runs[c] {
			gemm(blas.NoTrans, blas.NoTrans, 1, t.cut(int(r.column), int(r.count)), n.rowsOf(c, k), beta, part)
			beta = 1
		}
		// No product has set the features of a label without rows.
		if len(n.runs[c]) == 0 {
			part.zero()
		}
	}
}

// rowsOf returns the rows of Ψ of run k of label c.
func (n *arithmetic[T]) rowsOf(c, k int) matrix[T] {
	if rows := n.rows[c][k]; rows.Data != nil {
		return rows
	}
	return gatherOf(n.psi, n.runs[c][k].gather)
}
