package blas

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// region is the part of C that a product writes.
type region uint8

const (
	whole region = iota
	upper        // on and above the diagonal
	lower        // on and below the diagonal
)

// product is one call C ← α A B + β C with op already applied to A and B.
type product[F float] struct {
	*kernels[F]
	m, n, k int
	alpha   F
	a, b    view[F]
	// add says whether the first block of k adds to C.
	add  bool
	c    []F
	ldc  int
	part region
	// then, if not nil, is called for every rectangle of C once it is final.
	then func(i, j, rows, cols int)
}

// Amounts of work, in multiplications, up to which simpler ways are faster.
const (
	fewForPacking  = 1 << 15 // below this, A and B are read where they are
	fewForParallel = 1 << 21 // below this, one goroutine does it all
)

// run computes the product. It applies beta first, unless it is 0 or 1.
func (g *product[F]) run(beta F) {
	if g.m == 0 || g.n == 0 {
		return
	}
	g.add = beta != 0
	if beta != 1 && (beta != 0 || g.alpha == 0 || g.k == 0) {
		g.scale(beta)
	}
	if g.alpha == 0 || g.k == 0 {
		// C is final without a product.
		if g.then != nil {
			g.then(0, 0, g.m, g.n)
		}
		return
	}
	g.compute()
}

// compute chooses how to compute a product whose sizes and alpha are not zero.
func (g *product[F]) compute() {
	work := g.m * g.n * g.k
	many := workers(work)
	switch flat := g.m <= flatRows || g.n <= flatPanels*g.nr; {
	case work >= fewForParallel && g.turns():
		shared := *g
		shared.turned(many)
	case work >= fewForParallel && g.passes():
		shared := *g
		shared.passed(many)
	// Small or flat, and not worth goroutines.
	case many == 1 && (flat || work <= fewForPacking):
		g.direct()
	case flat:
		// A copy escapes to the heap, so that g itself stays on the stack of small products.
		shared := *g
		shared.directParallel(many)
	case many == 1:
		g.packedAlone()
	default:
		shared := *g
		shared.packed(many)
	}
}

// Up to so many rows of C, or panels of columns, A is read where it is. It is not read often enough to pay for
// packing, and goroutines need not wait for each other between blocks of k.
const (
	flatRows   = 256
	flatPanels = 2
)

// scale sets C to beta C; for beta = 0 it overwrites NaN as well.
func (g *product[F]) scale(beta F) {
	for i := range g.m {
		from, to := g.part.columns(i, g.n)
		row := g.c[i*g.ldc:][from:to]
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}

// columns returns the columns of row i that r holds.
func (r region) columns(i, n int) (from, to int) {
	switch r {
	case upper:
		return min(i, n), n
	case lower:
		return 0, min(i+1, n)
	}
	return 0, n
}

// blockOf returns the length of the blocks of k: equal, and at most kc. It depends on k alone, and with it the order
// of every sum.
func (g *product[F]) blockOf() int {
	blocks := (g.k + g.kc - 1) / g.kc
	return (g.k + blocks - 1) / blocks
}

// direct computes products so small or so flat that packing all does not pay. It packs B one panel at a time, or not
// at all.
func (g *product[F]) direct() {
	var buf *buffer[F]
	if g.packsPanels() {
		buf = getBuffer[F](g.blockOf() * g.nr)
		defer buf.free()
	}
	for j := 0; j < g.n; j += g.nr {
		g.strip(0, g.m, j, min(j+g.nr, g.n), buf)
	}
}

// packsPanels reports whether direct products copy panels of B: columns are not contiguous, or they are read several
// times.
func (g *product[F]) packsPanels() bool { return g.b.cs != 1 || g.m > 2*g.mr }

// directParallel does what direct does on many goroutines. Each task is some rows of a strip of panels.
func (g *product[F]) directParallel(many int) {
	panels, high := g.panels(g.n), 1
	// Too few panels for all: their rows are divided as well.
	if panels < 4*many {
		high = max(1, min(4*many/panels, g.m/minHigh))
	}
	wide := max(1, min(mostStrip, panels/(4*many)))
	rows, across := roundUp((g.m+high-1)/high, g.mr), (panels+wide-1)/wide
	parallel(many, across*high, func(next func() int) {
		buf := getBuffer[F](g.blockOf() * g.nr)
		defer buf.free()
		for t := next(); t < across*high; t = next() {
			if i, j := t/across*rows, t%across*wide*g.nr; i < g.m {
				g.strip(i, min(i+rows, g.m), j, min(j+wide*g.nr, g.n), buf)
			}
		}
	})
}

// mostStrip is how many panels a strip has at most.
const mostStrip = 8

// strip computes rows top … end−1 of columns j … to−1 of C. Blocks of k come first, as panels beside each other share lines of B.
func (g *product[F]) strip(top, end, j, to int, buf *buffer[F]) {
	kb := g.blockOf()
	for p := 0; p < g.k; p += kb {
		k := min(kb, g.k-p)
		for v := j; v < to; v += g.nr {
			cols := min(g.nr, to-v)
			panel, brs := g.b.at(p, v).data, g.b.rs
			if g.packsPanels() {
				g.pack(buf.data, g.nr, g.b.at(p, v), k, cols)
				panel, brs = buf.data, g.nr
			}
			for i := top; i < end; i += g.mr {
				g.write(i, v, min(g.mr, end-i), cols, k, g.a.at(i, p), panel, brs, g.add || p > 0)
			}
		}
	}
	if g.then != nil {
		g.then(top, j, end-top, to-j)
	}
}

// turns reports whether the product of the transposed factors takes less: B has long columns, and C a few rows, which one panel holds. In single precision it
// took a quarter more.
func (g *product[F]) turns() bool {
	_, double := any(F(0)).(float64)
	return double && g.part == whole && g.b.cs != 1 && g.m <= g.nr && g.n > turnedHigh
}

// turnedHigh is how many columns of C a task has whose factors are transposed.
const turnedHigh = 128

// turned computes Cᵀ = α Bᵀ Aᵀ and turns it. The factor B is read once and where it is. No bit changes, as no sum does.
func (g *product[F]) turned(many int) {
	kb := g.blockOf()
	a := getBuffer[F](g.k * g.nr)
	defer a.free()
	for p := 0; p < g.k; p += kb {
		g.pack(a.data[p*g.nr:], g.nr, g.a.at(0, p).t(), min(kb, g.k-p), g.m)
	}
	tasks := (g.n + turnedHigh - 1) / turnedHigh
	parallel(many, tasks, func(next func() int) {
		room := getBuffer[F](turnedHigh * g.nr)
		defer room.free()
		for t := next(); t < tasks; t = next() {
			g.turnedRows(t*turnedHigh, min((t+1)*turnedHigh, g.n), a.data, room.data)
		}
	})
}

// turnedRows computes columns lo … hi−1 of C in the room, as rows, from the packed factor A.
func (g *product[F]) turnedRows(lo, hi int, a, room []F) {
	if g.add {
		g.pack(room, g.nr, view[F]{g.c[lo:], g.ldc, 1}.t(), hi-lo, g.m)
	}
	kb := g.blockOf()
	for i := lo; i < hi; i += g.mr {
		for p := 0; p < g.k; p += kb {
			b := g.b.at(p, i).t()
			g.tile(min(g.mr, hi-i), g.m, min(kb, g.k-p), b.data, b.rs, b.cs, a[p*g.nr:], g.nr, room[(i-lo)*g.nr:], g.nr, g.alpha, g.add || p > 0)
		}
	}
	for r := range g.m {
		for i, row := lo, g.c[r*g.ldc:]; i < hi; i++ {
			row[i] = room[(i-lo)*g.nr+r]
		}
	}
	if g.then != nil {
		g.then(0, lo, g.m, hi-lo)
	}
}

// packed computes large products in blocks that stay in the caches. Goroutines pack a block of B together and then
// multiply by it.
func (g *product[F]) packed(many int) {
	kb, nc := g.blockOf(), g.widthOf()
	b := getBuffer[F](kb * nc)
	defer b.free()
	for j := 0; j < g.n; j += nc {
		cols := min(nc, g.n-j)
		for p := 0; p < g.k; p += kb {
			k := min(kb, g.k-p)
			parallel(many, g.panels(cols), func(next func() int) { g.packB(b.data, p, j, k, cols, next) })
			// All of B's block must be packed before any task reads it, hence two rounds of goroutines.
			cut := g.cut(cols, many)
			parallel(many, cut.tasks, func(next func() int) { g.multiply(b.data, p, j, k, cut, next) })
		}
	}
}

// packedAlone does what packed does on one goroutine. It allocates nothing, since small products are many.
func (g *product[F]) packedAlone() {
	kb, nc := g.blockOf(), g.widthOf()
	b := getBuffer[F](kb * nc)
	defer b.free()
	for j := 0; j < g.n; j += nc {
		cols := min(nc, g.n-j)
		for p := 0; p < g.k; p += kb {
			k, t := min(kb, g.k-p), -1
			next := func() int { t++; return t }
			g.packB(b.data, p, j, k, cols, next)
			t = -1
			g.multiply(b.data, p, j, k, g.cut(cols, 1), next)
		}
	}
}

// widthOf returns how many columns of B are packed at a time.
func (g *product[F]) widthOf() int { return min(g.nc, roundUp(g.n, g.nr)) }

// panels returns how many panels so many columns make.
func (g *product[F]) panels(cols int) int { return (cols + g.nr - 1) / g.nr }

// packB copies panels of nr columns, each k × nr.
func (g *product[F]) packB(dst []F, p, j, k, cols int, next func() int) {
	for t := next(); t < g.panels(cols); t = next() {
		from := t * g.nr
		g.pack(dst[from*k:], g.nr, g.b.at(p, j+from), k, min(g.nr, cols-from))
	}
}

// cutting is how the rows and some columns of C are cut into tasks.
type cutting struct {
	cols, mc, wide, across, tasks int
}

// cut cuts C into tasks for many goroutines. No bit depends on the cuts, as each element is one sum.
func (g *product[F]) cut(cols, many int) cutting {
	mc, wide := g.chunks(cols, many)
	across := (cols + wide - 1) / wide
	return cutting{cols, mc, wide, across, (g.m + mc - 1) / mc * across}
}

// multiply adds the product of a block of columns of A and the packed panels.
func (g *product[F]) multiply(b []F, p, j, k int, cut cutting, next func() int) {
	buf := getBuffer[F](cut.mc * k)
	defer buf.free()
	last := -1
	for turn := next(); turn < cut.tasks; turn = next() {
		t := turn
		if g.part == lower {
			// The longest rows first, so that all goroutines finish together.
			t = cut.tasks - 1 - turn
		}
		i := t / cut.across * cut.mc
		rows := min(cut.mc, g.m-i)
		from := t % cut.across * cut.wide
		to := min(from+cut.wide, cut.cols)
		if g.part.misses(i, j+from, rows, to-from) {
			continue
		}
		// Consecutive tasks of one goroutine often share their rows of A.
		if i != last {
			g.packA(buf.data, i, p, rows, k)
			last = i
		}
		if g.then == nil || p+k < g.k {
			g.block(buf.data, b, i, j, rows, k, from, to, g.add || p > 0)
			continue
		}
		for v := from; v < to; v += finishWide * g.nr {
			end := min(v+finishWide*g.nr, to)
			g.block(buf.data, b, i, j, rows, k, v, end, g.add || p > 0)
			if !g.part.misses(i, j+v, rows, end-v) {
				g.then(i, j+v, rows, end-v)
			}
		}
	}
}

// finishWide is how many panels of columns are multiplied before then is called: few enough to be in the second cache
// still.
const finishWide = 8

// chunks returns the size of tasks for many workers. They are high rather than wide, because each reads all its
// columns of B from far caches.
func (g *product[F]) chunks(cols, many int) (mc, wide int) {
	high := (g.m + g.mc - 1) / g.mc
	if many > 1 && high < many && g.m >= 2*minHigh {
		high = min(many, g.m/minHigh)
	}
	mc, wide = roundUp((g.m+high-1)/high, g.mr), cols
	if many == 1 {
		return mc, wide
	}
	const each = 4 // tasks per worker, so that all finish together
	across := (each*many + high - 1) / high
	return mc, min(cols, max(roundUp(cols/across, g.nr), minWide*g.nr))
}

// The least size of a task, in rows and in panels of columns.
const (
	minHigh = 96
	minWide = 8
)

// packA copies panels of mr rows, each k × mr.
func (g *product[F]) packA(dst []F, i, p, rows, k int) {
	for from := 0; from < rows; from += g.mr {
		g.pack(dst[from*k:], g.mr, g.a.at(i+from, p).t(), k, min(g.mr, rows-from))
	}
}

// block multiplies packed rows by the packed columns from … to.
func (g *product[F]) block(a, b []F, i, j, rows, k, from, to int, add bool) {
	for v := from; v < to; v += g.nr {
		cols := min(g.nr, to-v)
		for u := 0; u < rows; u += g.mr {
			g.write(i+u, j+v, min(g.mr, rows-u), cols, k, view[F]{a[u*k:], 1, g.mr}, b[v*k:], g.nr, add)
		}
	}
}

// misses reports whether the block of C at i, j lies outside r.
func (r region) misses(i, j, rows, cols int) bool {
	return r == upper && j+cols <= i || r == lower && i+rows <= j
}

// cuts reports whether the block of C at i, j is partly outside r.
func (r region) cuts(i, j, rows, cols int) bool {
	return r == upper && j < i+rows-1 || r == lower && i < j+cols-1
}

// write computes one register tile of C. A tile across the diagonal of a triangle goes through a buffer.
func (g *product[F]) write(i, j, rows, cols, k int, a view[F], b []F, brs int, add bool) {
	if g.part.misses(i, j, rows, cols) {
		return
	}
	if !g.part.cuts(i, j, rows, cols) {
		g.tile(rows, cols, k, a.data, a.rs, a.cs, b, brs, g.c[i*g.ldc+j:], g.ldc, g.alpha, add)
		return
	}
	buf := getBuffer[F](g.mr * g.nr)
	defer buf.free()
	// The buffer holds α A B, which is added below where the triangle has elements.
	g.tile(rows, cols, k, a.data, a.rs, a.cs, b, brs, buf.data, g.nr, g.alpha, false)
	for r := range rows {
		from, to := g.part.columns(i+r, g.n)
		from, to = max(from, j), min(to, j+cols)
		for q := from; q < to; q++ {
			x := buf.data[r*g.nr+q-j]
			if add {
				x += g.c[(i+r)*g.ldc+q]
			}
			g.c[(i+r)*g.ldc+q] = x
		}
	}
}

// roundUp returns the least multiple of to that is at least n.
func roundUp(n, to int) int { return (n + to - 1) / to * to }

// workers returns how many goroutines share the work. Each gets at least half of what one goroutine does alone.
func workers(work int) int {
	if work < fewForParallel {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), work/(fewForParallel/2))
}

// parallel runs body on many goroutines; next hands out the tasks in turn.
func parallel(many, tasks int, body func(next func() int)) {
	if many = min(many, tasks); many <= 1 {
		t := -1
		body(func() int { t++; return t })
		return
	}
	var count atomic.Int64
	next := func() int { return int(count.Add(1)) - 1 }
	var wg sync.WaitGroup
	for range many - 1 {
		wg.Go(func() { body(next) })
	}
	body(next)
	wg.Wait()
}
