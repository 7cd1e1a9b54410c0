package blas

import "unsafe"

// A C of so many rows is computed while the rows of B pass, of so many columns at least. Its strip of mostPassed bytes stays in the nearest cache.
const (
	leastPassedRows, mostPassedRows = 3, 32
	leastPassedColumns              = 128
	mostPassed                      = 24 << 10
)

// deep is how many rows of B pass at once.
const deep = 4

// passes reports whether C has few rows, and B long ones, which are read as they lie. Panels would read a line or two of each.
func (g *product[F]) passes() bool {
	return g.fourRows != nil && g.part == whole && g.alpha == 1 && g.b.cs == 1 && g.n >= leastPassedColumns &&
		g.m >= leastPassedRows && g.m <= mostPassedRows && g.then == nil
}

// passed computes strips of C, each in one pass over the rows of B. Bits are those of panels, as each element is the same sum.
func (g *product[F]) passed(many int) {
	var x F
	wide := mostPassed / (g.m * int(unsafe.Sizeof(x))) / g.columnsAtOnce * g.columnsAtOnce
	wide = min(max(wide, g.columnsAtOnce), roundUp((g.n+many-1)/many, g.columnsAtOnce))
	strips := (g.n + wide - 1) / wide
	parallel(many, strips, func(next func() int) {
		room := getBuffer[F]((g.m+deep)*wide + deep*g.m)
		defer room.free()
		for t := next(); t < strips; t = next() {
			pass(g, t*wide, min((t+1)*wide, g.n), wide, room.data)
		}
	})
}

// pass computes columns lo … hi−1 of C, block of k after block. The room holds sums and last rows, of so many columns, and factors.
func pass[F float](g *product[F], lo, hi, wide int, room []F) {
	kb, cols := g.blockOf(), (hi-lo)/g.columnsAtOnce*g.columnsAtOnce
	sums, last, taken := room[:g.m*wide], room[g.m*wide:(g.m+deep)*wide], room[(g.m+deep)*wide:]
	for p := 0; p < g.k; p += kb {
		k, add := min(kb, g.k-p), g.add || p > 0
		for v := lo + cols; v < hi; v += g.nr {
			for i := 0; i < g.m; i += g.mr {
				g.write(i, v, min(g.mr, g.m-i), min(g.nr, hi-v), k, g.a.at(i, p), g.b.at(p, v).data, g.b.rs, add)
			}
		}
		if cols == 0 {
			continue
		}
		clear(sums)
		for q := 0; q < k; q += deep {
			b, stride := g.b.at(p+q, lo).data, g.b.rs
			if q+deep > k { // zeros behind the last ones
				clear(taken)
				clear(last)
				packRows(last, wide, b, stride, k-q, cols)
				b, stride = last, wide
			}
			g.pack(taken, deep, g.a.at(0, p+q), g.m, min(deep, k-q))
			_ = b[(deep-1)*stride+cols-1] // the assembly checks no bounds
			g.fourRows(cols, g.m, &taken[0], &b[0], stride, &sums[0], wide)
		}
		for i := range g.m {
			store(g.c[i*g.ldc+lo:][:cols], sums[i*wide:], add)
		}
	}
}

// store writes sums to a row of C, or adds them.
func store[F float](row, sums []F, add bool) {
	if !add {
		copy(row, sums)
		return
	}
	for j := range row {
		row[j] += sums[j]
	}
}
