package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// strideBytes is what one round of a loop over vectors takes: four wide vectors
// or eight narrow ones. A sum has as many partial sums as fit in it on every
// processor, and so the same bits.
const strideBytes = 256

// wideBytes is the width of a wide vector.
const wideBytes = 64

// loop describes the vectors of one instruction set.
type loop struct {
	suffix string
	newVec func() reg.VecVirtual
	bytes  int
}

// elemOps are the instructions for one element type.
type elemOps struct {
	prefix, elem string
	size         int
	load, fma    func(ops ...Op)
	add          func(ops ...Op)
	broadcast    func(ops ...Op)

	loadOne, fmaOne func(ops ...Op) // of one element
}

// vectorFamily writes the kernels on vectors of n ≥ 0 elements.
func vectorFamily() {
	double := elemOps{
		prefix: "d", elem: "float64", size: 8, load: VMOVUPD, fma: VFMADD231PD, add: VADDPD, broadcast: VBROADCASTSD,
		loadOne: VMOVSD, fmaOne: VFMADD231SD,
	}
	single := elemOps{
		prefix: "s", elem: "float32", size: 4, load: VMOVUPS, fma: VFMADD231PS, add: VADDPS, broadcast: VBROADCASTSS,
		loadOne: VMOVSS, fmaOne: VFMADD231SS,
	}
	for _, l := range []loop{{"512", ZMM, 64}, {"256", YMM, 32}} {
		for _, e := range []elemOps{double, single} {
			l.dot(e)
			l.axpy(e)
		}
	}
}

func (l loop) count() int { return strideBytes / l.bytes }

// repeat runs body on as many bytes at a time as long as there are so many.
func repeat(name string, n reg.Register, bytes, size int, body func(), pointers ...reg.Register) {
	Label(name)
	CMPQ(n, U32(uint32(bytes/size)))
	JLT(LabelRef("after" + name))
	body()
	for _, p := range pointers {
		ADDQ(I32(int32(bytes)), p)
	}
	SUBQ(I32(int32(bytes/size)), n)
	JMP(LabelRef(name))
	Label("after" + name)
}

// dot writes a kernel that adds up partial sums. In rounds, each vector of a
// round has its own. A wide vector that is left goes to the first of them.
// Single elements are added to the sum of all in turn.
func (l loop) dot(e elemOps) {
	TEXT(e.prefix+"dot"+l.suffix, NOSPLIT, "func(n int, x, y *"+e.elem+") "+e.elem)
	Pragma("noescape")
	n, x, y := Load(Param("n"), GP64()), Load(Param("x"), GP64()), Load(Param("y"), GP64())
	sums := make([]reg.VecVirtual, l.count())
	for i := range sums {
		sums[i] = l.newVec()
		if l.bytes == 64 {
			VPXORQ(sums[i], sums[i], sums[i])
		} else {
			VXORPD(sums[i], sums[i], sums[i])
		}
	}
	products := func(count int) func() {
		return func() {
			for i := range count {
				v := l.newVec()
				e.load(Mem{Base: x}.Offset(i*l.bytes), v)
				e.fma(Mem{Base: y}.Offset(i*l.bytes), v, sums[i])
			}
		}
	}
	repeat("rounds", n, strideBytes, e.size, products(l.count()), x, y)
	repeat("wides", n, wideBytes, e.size, products(wideBytes/l.bytes), x, y)
	sum := l.fold(e, sums)
	repeat("ones", n, e.size, e.size, func() {
		v := XMM()
		e.loadOne(Mem{Base: x}, v)
		e.fmaOne(Mem{Base: y}, v, sum)
	}, x, y)
	VZEROUPPER()
	Store(sum, ReturnIndex(0))
	RET()
}

// fold adds up vectors, halves upon halves, down to one element.
func (l loop) fold(e elemOps, sums []reg.VecVirtual) reg.VecVirtual {
	for h := len(sums) / 2; h > 0; h /= 2 {
		for i := range h {
			e.add(sums[i+h], sums[i], sums[i])
		}
	}
	low := sums[0].AsY()
	if l.bytes == 64 {
		high := YMM()
		VEXTRACTF64X4(U8(1), sums[0], high)
		e.add(high, low, low)
	}
	half := XMM()
	VEXTRACTF128(U8(1), low, half)
	x := XMM()
	e.add(half, sums[0].AsX(), x)
	VPERMILPD(U8(1), x, half) // the upper 64 bits
	e.add(half, x, x)
	if e.size == 4 {
		VMOVSHDUP(x, half)
		VADDSS(half, x, x)
	}
	return x
}

// axpy adds alpha x to y.
func (l loop) axpy(e elemOps) {
	TEXT(e.prefix+"axpy"+l.suffix, NOSPLIT, "func(n int, alpha "+e.elem+", x, y *"+e.elem+")")
	Pragma("noescape")
	n, x, y := Load(Param("n"), GP64()), Load(Param("x"), GP64()), Load(Param("y"), GP64())
	alpha := l.parameter("alpha", e.broadcast)
	sums := func(count int) func() {
		return func() {
			for i := range count {
				v := l.newVec()
				e.load(Mem{Base: y}.Offset(i*l.bytes), v)
				e.fma(Mem{Base: x}.Offset(i*l.bytes), alpha, v)
				e.load(v, Mem{Base: y}.Offset(i*l.bytes))
			}
		}
	}
	repeat("rounds", n, strideBytes, e.size, sums(l.count()), x, y)
	repeat("wides", n, wideBytes, e.size, sums(wideBytes/l.bytes), x, y)
	repeat("ones", n, e.size, e.size, func() {
		v := XMM()
		e.loadOne(Mem{Base: y}, v)
		e.fmaOne(Mem{Base: x}, alpha.AsX(), v)
		e.loadOne(v, Mem{Base: y})
	}, x, y)
	VZEROUPPER()
	RET()
}

func (l loop) parameter(name string, broadcast func(ops ...Op)) reg.VecVirtual {
	addr, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := l.newVec()
	broadcast(addr.Addr, v)
	return v
}
