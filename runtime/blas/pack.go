package blas

// view is a matrix with one stride of 1: element [i,j] is at i·rs + j·cs. Transposing it swaps the strides.
type view[F float] struct {
	data   []F
	rs, cs int
}

// viewOf returns op(M) for a row-major M.
func viewOf[F float](data []F, ld int, trans bool) view[F] {
	if trans {
		return view[F]{data, 1, ld}
	}
	return view[F]{data, ld, 1}
}

// at returns the view from element [i,j] on.
func (v view[F]) at(i, j int) view[F] {
	return view[F]{v.data[i*v.rs+j*v.cs:], v.rs, v.cs}
}

// t returns the transpose.
func (v view[F]) t() view[F] { return view[F]{v.data, v.cs, v.rs} }

// packer copies matrices to panels.
type packer[F float] struct {
	// rows copies k rows of n elements, srcStride apart, to rows width apart.
	rows func(dst []F, width int, src []F, srcStride, k, n int)
	// columns interleaves n vectors of k elements, srcStride apart: element p
	// of vector j goes to dst[p·width+j].
	columns func(dst []F, width int, src []F, srcStride, k, n int)
}

// pack copies the k × n matrix v to dst, row after row, width apart. It leaves columns from n to width as they are.
func (t packer[F]) pack(dst []F, width int, v view[F], k, n int) {
	if v.cs == 1 {
		t.rows(dst, width, v.data, v.rs, k, n)
		return
	}
	t.columns(dst, width, v.data, v.cs, k, n)
}

// packRows copies rows one by one.
func packRows[F float](dst []F, width int, src []F, srcStride, k, n int) {
	for p := range k {
		copy(dst[p*width:][:n], src[p*srcStride:][:n])
	}
}

// packColumns interleaves vectors, four at a time.
func packColumns[F float](dst []F, width int, src []F, srcStride, k, n int) {
	j := 0
	for ; j+4 <= n; j += 4 {
		packFour(dst[j:], width, src[j*srcStride:], srcStride, k)
	}
	for ; j < n; j++ {
		for p, x := range src[j*srcStride:][:k] {
			dst[p*width+j] = x
		}
	}
}

// packFour interleaves four vectors, so that writes are adjacent.
func packFour[F float](dst []F, width int, src []F, srcStride, k int) {
	a, b, c, d := src[:k], src[srcStride:][:k], src[2*srcStride:][:k], src[3*srcStride:][:k]
	for p := range k {
		q := dst[p*width:][:4]
		q[0], q[1], q[2], q[3] = a[p], b[p], c[p], d[p]
	}
}
