package blas

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// Dtrsm solves op(A) X = α B (left) or X op(A) = α B (right) for a triangular A, and writes X to B, which is m × n.
// It does not look for zeros on the diagonal.
func (impl Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	triangular(&impl.tier().double, true, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrmm computes B ← α op(A) B (left) or B ← α B op(A) (right) for a triangular A; B is m × n.
func (impl Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	triangular(&impl.tier().double, false, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// triangle is a triangular matrix T that is applied, or whose inverse is applied, to a matrix X in place.
type triangle struct {
	*kernels[float64]
	inverse bool
	lower   bool
	// unit says that the diagonal is all ones and not stored.
	unit bool
	// right means X T instead of T X.
	right bool
}

// triangular checks the arguments, scales B and applies the triangle.
func triangular(on *kernels[float64], inverse bool, s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	checkTranspose(tA)
	left, part := leftOf(s), partOf(ul)
	trans := tA != blas.NoTrans
	order := n
	if left {
		order = m
	}
	checkOperand("A", false, order, order, a, lda, m > 0 && n > 0)
	checkOperand("B", false, m, n, b, ldb, true)
	t := triangle{kernels: on, inverse: inverse, lower: (part == lower) != trans, unit: unitOf(d), right: !left}
	if m == 0 || n == 0 {
		return
	}
	if alpha != 1 {
		g := product[float64]{m: m, n: n, c: b, ldc: ldb}
		// α is applied first, since both products and solves are linear.
		g.scale(alpha)
	}
	if alpha == 0 {
		return
	}
	// others counts the rows or columns of B that are independent of each other.
	others := m
	if left {
		others = n
	}
	t.apply(order, others, viewOf(a, lda, trans), b, ldb)
}

const (
	blockOfTriangle = 192 // larger triangles are halved, and products run in parallel
	stripOfOthers   = 240 // a small triangle is applied to strips of this width
	tinyTriangle    = 16  // below this, rows are eliminated one by one
)

// apply halves T and leaves the square block to the matrix product. Of the two parts of X, the product reads the
// "source" and changes the "sink".
func (t *triangle) apply(order, others int, a view[float64], x []float64, ld int) {
	if order <= blockOfTriangle {
		t.strips(order, others, a, x, ld)
		return
	}
	h := roundUp(order/2, blockOfTriangle/2)
	at := h * ld
	if t.right {
		// Few rows may hold less than h*ld elements.
		at = h
	}
	second := x[at:]
	first := func() { t.apply(h, others, a, x, ld) }
	last := func() { t.apply(order-h, others, a.at(h, h), second, ld) }
	// T X with a lower T, and X T with an upper one, take from the first part.
	forward := t.lower != t.right
	square := func() {
		switch {
		case forward && t.right:
			t.update(others, order-h, h, viewOf(x, ld, false), a.at(0, h), second, ld)
		case forward:
			t.update(order-h, others, h, a.at(h, 0), viewOf(x, ld, false), second, ld)
		case t.right:
			t.update(others, h, order-h, viewOf(second, ld, false), a.at(h, 0), x, ld)
		default:
			t.update(h, others, order-h, a.at(0, h), viewOf(second, ld, false), x, ld)
		}
	}
	// The inverse finishes the source before it is used, T itself the sink.
	if forward == t.inverse {
		first()
		square()
		last()
		return
	}
	last()
	square()
	first()
}

// sign returns the factor of what the square block adds.
func (t *triangle) sign() float64 {
	if t.inverse {
		return -1
	}
	return 1
}

// update adds ± A B to C.
func (t *triangle) update(m, n, k int, a, b view[float64], c []float64, ld int) {
	g := product[float64]{kernels: t.kernels, m: m, n: n, k: k, alpha: t.sign(), a: a, b: b, c: c, ldc: ld}
	g.run(1)
}

// strips applies a small T to X in strips that fit the caches. For X T it turns the strip over and applies Tᵀ from
// the left.
func (t *triangle) strips(order, others int, a view[float64], x []float64, ld int) {
	count := (others + stripOfOthers - 1) / stripOfOthers
	left := *t
	if t.right {
		left.right, left.lower, a = false, !t.lower, a.t()
	}
	// Strips are independent of each other.
	if many := workers(order * order / 2 * others); many > 1 && count > 1 {
		shared, right := left, t.right
		parallel(many, count, func(next func() int) { shared.someStrips(right, order, others, a, x, ld, next) })
		return
	}
	i := -1
	left.someStrips(t.right, order, others, a, x, ld, func() int { i++; return i })
}

// someStrips applies T to the strips that next hands out.
func (t *triangle) someStrips(right bool, order, others int, a view[float64], x []float64, ld int, next func() int) {
	var buf *buffer[float64]
	if right {
		buf = getBuffer[float64](order * min(stripOfOthers, others))
		defer buf.free()
	}
	for from := next() * stripOfOthers; from < others; from = next() * stripOfOthers {
		n := min(stripOfOthers, others-from)
		if !right {
			t.strip(order, n, a, x[from:], ld)
			continue
		}
		rows := x[from*ld:]
		t.columns(buf.data, n, rows, ld, order, n)
		t.strip(order, n, a, buf.data, n)
		t.columns(rows, ld, buf.data, n, n, order)
	}
}

// strip computes T X or T⁻¹ X on one goroutine, by halves down to a few rows.
func (t *triangle) strip(order, n int, a view[float64], x []float64, ld int) {
	if order <= tinyTriangle {
		for j := 0; j < n; j += t.nr {
			t.tiny(order, min(t.nr, n-j), a, x[j:], ld)
		}
		return
	}
	h := roundUp(order/2, tinyTriangle/2)
	below := x[h*ld:]
	first := func() { t.strip(h, n, a, x, ld) }
	last := func() { t.strip(order-h, n, a.at(h, h), below, ld) }
	square := func() {
		if t.lower {
			t.block(order-h, n, h, a.at(h, 0), x, below, ld)
			return
		}
		t.block(h, n, order-h, a.at(0, h), below, x, ld)
	}
	if t.lower == t.inverse {
		first()
		square()
		last()
		return
	}
	last()
	square()
	first()
}

// block adds ± A X to Y, all within a strip, without packing.
func (t *triangle) block(m, n, k int, a view[float64], x, y []float64, ld int) {
	g := product[float64]{kernels: t.kernels, m: m, n: n, k: k, alpha: t.sign(), a: a, b: viewOf(x, ld, false), c: y, ldc: ld, add: true}
	g.direct()
}

// tiny works row by row on one panel of columns.
func (t *triangle) tiny(order, cols int, a view[float64], x []float64, ld int) {
	for s := range order {
		// Rows that a row needs must be done already (inverse) or still untouched (T itself).
		i := s
		if t.lower != t.inverse {
			i = order - 1 - s
		}
		row := x[i*ld:][:cols]
		if !t.inverse && !t.unit {
			scaleRow(row, a.data[i*a.rs+i*a.cs], false)
		}
		from, to := 0, i
		if !t.lower {
			from, to = i+1, order
		}
		if from < to {
			v := a.at(i, from)
			t.tile(1, cols, to-from, v.data, v.rs, v.cs, x[from*ld:], ld, x[i*ld:], ld, t.sign(), true)
		}
		if t.inverse && !t.unit {
			scaleRow(row, a.data[i*a.rs+i*a.cs], true)
		}
	}
}

// scaleRow multiplies or divides a row by d. It multiplies by 1/d unless that overflows.
func scaleRow(row []float64, d float64, divide bool) {
	if divide {
		r := 1 / d
		if math.IsInf(r, 0) {
			for j := range row {
				row[j] /= d
			}
			return
		}
		d = r
	}
	for j := range row {
		row[j] *= d
	}
}
