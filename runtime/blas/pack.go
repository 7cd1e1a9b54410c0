package blas

// view is a matrix with any strides: element [i,j] is at i·rs + j·cs.
type view[F float] struct {
	data   []F
	rs, cs int
}

// viewOf is op(M) for a row-major M.
func viewOf[F float](data []F, ld int, trans bool) view[F] {
	if trans {
		return view[F]{data, 1, ld}
	}
	return view[F]{data, ld, 1}
}

func (v view[F]) at(i, j int) view[F] {
	return view[F]{v.data[i*v.rs+j*v.cs:], v.rs, v.cs}
}

func (v view[F]) t() view[F] { return view[F]{v.data, v.cs, v.rs} }

// pack copies the k × n matrix v to dst, row after row, width apart.
// Columns from n to width are left as they are.
func pack[F float](dst []F, width int, v view[F], k, n int) {
	if v.cs == 1 {
		for p := range k {
			copy(dst[p*width:][:n], v.data[p*v.rs:][:n])
		}
		return
	}
	j := 0
	for ; j+4 <= n; j += 4 {
		packFour(dst[j:], width, v.data[j*v.cs:], v.cs, v.rs, k)
	}
	for ; j < n; j++ {
		src := v.data[j*v.cs:]
		for p := range k {
			dst[p*width+j] = src[p*v.rs]
		}
	}
}

// packFour interleaves four columns that are cs apart, with rows rs apart.
func packFour[F float](dst []F, width int, src []F, cs, rs, k int) {
	if rs == 1 {
		a, b, c, d := src[:k], src[cs:][:k], src[2*cs:][:k], src[3*cs:][:k]
		for p := range k {
			q := dst[p*width:][:4]
			q[0], q[1], q[2], q[3] = a[p], b[p], c[p], d[p]
		}
		return
	}
	for p := range k {
		q := dst[p*width:][:4]
		s := src[p*rs:]
		q[0], q[1], q[2], q[3] = s[0], s[cs], s[2*cs], s[3*cs]
	}
}
