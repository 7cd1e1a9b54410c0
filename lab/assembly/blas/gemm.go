package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// target describes one instruction set and element type.
type target struct {
	name    string // prefix of the kernels' names
	elem    string // Go type of an element
	size    int    // bytes of an element
	lanes   int    // elements of a vector
	rows    []int  // heights of the register tile; the first is the tile's full height
	wide    bool   // AVX-512: mask registers, 32 vectors
	masks   Mem    // AVX2: lanes ones, then lanes zeros
	newVec  func() reg.VecVirtual
	bcast   func(ops ...Op)
	load    func(ops ...Op)
	fma     func(ops ...Op)
	mul     func(ops ...Op)
	add     func(ops ...Op)
	xor     func(ops ...Op)
	loadZ   func(m, k, v Op) // AVX-512 masked load
	storeK  func(v, k, m Op) // AVX-512 masked store
	loadM   func(m, mask, v Op)
	storeM  func(v, mask, m Op)
	fmaCast func(m, b, acc Op) // AVX-512 multiply by a broadcast element
}

func mov(f func(...Op)) func(a, b, c Op) { return func(a, b, c Op) { f(a, b, c) } }

var avx512Double = target{
	name: "dgemm512", elem: "float64", size: 8, lanes: 8, rows: []int{8, 4, 2, 1}, wide: true,
	newVec: ZMM, bcast: VBROADCASTSD, load: VMOVUPD, fma: VFMADD231PD, mul: VMULPD, add: VADDPD, xor: VPXORQ,
	loadZ: VMOVUPD_Z, storeK: mov(VMOVUPD), fmaCast: mov(VFMADD231PD_BCST),
}

var avx512Single = target{
	name: "sgemm512", elem: "float32", size: 4, lanes: 16, rows: []int{8, 4, 2, 1}, wide: true,
	newVec: ZMM, bcast: VBROADCASTSS, load: VMOVUPS, fma: VFMADD231PS, mul: VMULPS, add: VADDPS, xor: VPXORQ,
	loadZ: VMOVUPS_Z, storeK: mov(VMOVUPS), fmaCast: mov(VFMADD231PS_BCST),
}

var avx2Double = target{
	name: "dgemm256", elem: "float64", size: 8, lanes: 4, rows: []int{4, 2, 1},
	newVec: YMM, bcast: VBROADCASTSD, load: VMOVUPD, fma: VFMADD231PD, mul: VMULPD, add: VADDPD, xor: vxorpd,
	loadM: VMASKMOVPD, storeM: VMASKMOVPD,
}

var avx2Single = target{
	name: "sgemm256", elem: "float32", size: 4, lanes: 8, rows: []int{4, 2, 1},
	newVec: YMM, bcast: VBROADCASTSS, load: VMOVUPS, fma: VFMADD231PS, mul: VMULPS, add: VADDPS, xor: vxorpd,
	loadM: VMASKMOVPS, storeM: VMASKMOVPS,
}

func vxorpd(ops ...Op) { VXORPD(ops[0], ops[1], ops[2]) }

// vectors is the full width of a register tile in vectors.
const vectors = 3

// gemmFamily writes every height and width of register tile that t needs.
// All but the plain full tile mask their last vector.
func gemmFamily(t target) {
	if !t.wide {
		t.masks = maskTable(t)
	}
	gemmKernel(t, t.rows[0], vectors, false)
	for _, rows := range t.rows {
		for nv := vectors; nv >= 1; nv-- {
			gemmKernel(t, rows, nv, true)
		}
	}
	rowsKernel(t)
}

// maskTable writes lanes elements of ones followed by lanes of zeros.
func maskTable(t target) Mem {
	m := GLOBL(t.name+"mask", RODATA|NOPTR)
	for i := range t.lanes * t.size / 8 {
		DATA(8*i, U64(^uint64(0)))
	}
	for i := range t.lanes * t.size / 8 {
		DATA(t.lanes*t.size+8*i, U64(0))
	}
	return m
}

// tile is the state of one kernel while it is written.
type tile struct {
	target
	nrows, nv       int
	masked          bool
	k, a, a4        reg.Register
	rs, rs3, cs     reg.Register
	b, brs, c, ldc  reg.Register
	maskK, maskAddr Op
	acc             [][]reg.VecVirtual
}

// gemmKernel writes a kernel which computes, for a tile of rows × nv vectors,
//
//	c = alpha·Σₚ a[:,p] b[p,:]   (+ c if acc ≠ 0)
//
// with a[i,p] at a + i·ars + p·acs, b[p,j] at b + p·brs + j and strides counted
// in elements. The sum over p is one chain of fused multiply-adds per element,
// in order. So the bits of an element do not depend on the tile it falls in.
func gemmKernel(t target, rows, nv int, masked bool) {
	name := fmt.Sprintf("%s%dx%d", t.name, rows, nv)
	if masked {
		name += "tail"
	}
	TEXT(name, NOSPLIT, fmt.Sprintf(
		"func(k int, a *%[1]s, ars, acs int, b *%[1]s, brs int, c *%[1]s, ldc int, alpha %[1]s, acc, tail int)", t.elem))
	Pragma("noescape")
	w := &tile{target: t, nrows: rows, nv: nv, masked: masked}
	w.arguments()
	w.zero()
	if rows == t.rows[0] {
		w.prefetch()
	}
	w.sum()
	w.write()
	if w.wide || w.size == 8 || w.lanes == 8 {
		VZEROUPPER()
	}
	RET()
}

func (w *tile) stride(param string) reg.Register {
	r := Load(Param(param), GP64())
	SHLQ(U8(map[int]uint8{4: 2, 8: 3}[w.size]), r)
	return r
}

func (w *tile) arguments() {
	w.k = Load(Param("k"), GP64())
	w.a = Load(Param("a"), GP64())
	w.rs, w.cs = w.stride("ars"), w.stride("acs")
	w.b, w.brs = Load(Param("b"), GP64()), w.stride("brs")
	w.c, w.ldc = Load(Param("c"), GP64()), w.stride("ldc")
	if w.nrows > 3 {
		w.rs3 = GP64()
		LEAQ(Mem{Base: w.rs, Index: w.rs, Scale: 2}, w.rs3)
	}
	if w.nrows > 4 {
		w.a4 = GP64()
		LEAQ(Mem{Base: w.a, Index: w.rs, Scale: 4}, w.a4)
	}
	if w.masked {
		w.tailMask()
	}
}

func (w *tile) tailMask() {
	tail := Load(Param("tail"), GP64())
	bits := GP64()
	if w.wide {
		MOVQ(I32(-1), bits)
		BZHIQ(tail, bits, bits)
		k := K()
		KMOVW(bits.As32(), k)
		w.maskK = k
		return
	}
	// The mask starts tail elements before the end of the ones.
	LEAQ(w.masks.Offset(w.lanes*w.size), bits)
	SHLQ(U8(map[int]uint8{4: 2, 8: 3}[w.size]), tail)
	SUBQ(tail, bits)
	w.maskAddr = Mem{Base: bits}
}

func (w *tile) zero() {
	w.acc = make([][]reg.VecVirtual, w.nrows)
	for i := range w.acc {
		w.acc[i] = make([]reg.VecVirtual, w.nv)
		for v := range w.acc[i] {
			w.acc[i][v] = w.newVec()
			w.xor(w.acc[i][v], w.acc[i][v], w.acc[i][v])
		}
	}
}

// prefetch asks for the lines of C that the tile covers while the sum runs.
func (w *tile) prefetch() {
	const line = 64
	row := GP64()
	MOVQ(w.c, row)
	for i := range w.nrows {
		for at := 0; at < w.nv*w.lanes*w.size; at += line {
			PREFETCHT0(Mem{Base: row}.Offset(at))
		}
		if i < w.nrows-1 {
			ADDQ(w.ldc, row)
		}
	}
}

// element addresses a[i,p] for the current p.
func (w *tile) element(i int) Mem {
	base := w.a
	if i >= 4 {
		base, i = w.a4, i-4
	}
	switch i {
	case 1:
		return Mem{Base: base, Index: w.rs, Scale: 1}
	case 2:
		return Mem{Base: base, Index: w.rs, Scale: 2}
	case 3:
		return Mem{Base: base, Index: w.rs3, Scale: 1}
	}
	return Mem{Base: base}
}

func (w *tile) sum() {
	name := "sum"
	TESTQ(w.k, w.k)
	JZ(LabelRef("write"))
	Label(name)
	b := make([]reg.VecVirtual, w.nv)
	one := w.newVec() // mask of the tail, then each element of a in turn
	for v := range b {
		b[v] = w.newVec()
		src := Mem{Base: w.b}.Offset(v * w.lanes * w.size)
		switch {
		case !w.masked || v < w.nv-1:
			w.load(src, b[v])
		case w.wide:
			w.loadZ(src, w.maskK, b[v])
		default:
			w.load(w.maskAddr, one)
			w.loadM(src, one, b[v])
		}
	}
	ADDQ(w.brs, w.b)
	for i := range w.nrows {
		if w.wide && w.nv == 1 {
			w.fmaCast(w.element(i), b[0], w.acc[i][0])
			continue
		}
		w.bcast(w.element(i), one)
		for v := range b {
			w.fma(one, b[v], w.acc[i][v])
		}
	}
	ADDQ(w.cs, w.a)
	if w.nrows > 4 {
		ADDQ(w.cs, w.a4)
	}
	DECQ(w.k)
	JNZ(LabelRef(name))
}

func (w *tile) write() {
	Label("write")
	alpha := w.newVec()
	addr, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	w.bcast(addr.Addr, alpha)
	for i := range w.acc {
		for v := range w.acc[i] {
			w.mul(alpha, w.acc[i][v], w.acc[i][v])
		}
	}
	acc := Load(Param("acc"), GP64())
	mask := w.newVec()
	if w.masked && !w.wide {
		w.load(w.maskAddr, mask)
	}
	TESTQ(acc, acc)
	JZ(LabelRef("store"))
	w.rowsOfC(mask, true)
	JMP(LabelRef("done"))
	Label("store")
	w.c = Load(Param("c"), GP64())
	w.rowsOfC(mask, false)
	Label("done")
}

// rowsOfC writes the tile to c, adding to what is there if add is set.
func (w *tile) rowsOfC(mask reg.VecVirtual, add bool) {
	for i := range w.acc {
		for v := range w.acc[i] {
			dst := Mem{Base: w.c}.Offset(v * w.lanes * w.size)
			x := w.acc[i][v]
			if w.masked && v == w.nv-1 {
				w.tailOfC(dst, x, mask, add)
				continue
			}
			if add {
				w.add(dst, x, x)
			}
			w.load(x, dst)
		}
		if i < w.nrows-1 {
			ADDQ(w.ldc, w.c)
		}
	}
}

func (w *tile) tailOfC(dst Mem, x reg.VecVirtual, mask reg.VecVirtual, add bool) {
	old := w.newVec()
	switch {
	case w.wide && add:
		w.loadZ(dst, w.maskK, old)
		w.add(old, x, x)
	case add:
		w.loadM(dst, mask, old)
		w.add(old, x, x)
	}
	if w.wide {
		w.storeK(x, w.maskK, dst)
		return
	}
	w.storeM(x, mask, dst)
}
