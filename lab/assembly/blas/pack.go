package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packFamily writes the kernels that copy A and B into panels. They move bytes,
// so both element types share them, and need AVX2 only.
func packFamily() {
	for _, bytes := range []int{192, 96, 64, 32, 16} {
		copyKernel(bytes)
	}
	transposeKernel("transpose4x64", 4, 8, YMM, transpose4x64)
	transposeKernel("transpose8x32", 8, 4, YMM, transpose8x32)
	transposeKernel("transpose4x32", 4, 4, XMM, transpose4x32)
}

// copyKernel writes a kernel that copies k rows of a fixed number of bytes,
// srcStride bytes apart, to rows that are dstStride bytes apart.
func copyKernel(bytes int) {
	TEXT(fmt.Sprintf("copy%d", bytes), NOSPLIT, "func(k int, src *byte, srcStride int, dst *byte, dstStride int)")
	Pragma("noescape")
	k, src, from, dst, to := packArguments()
	// Ask for rows well ahead: strides are too long for the hardware to see.
	const log2Ahead = 3
	far := GP64()
	MOVQ(from, far)
	SHLQ(U8(log2Ahead), far)
	ADDQ(src, far)
	Label("row")
	for at := 0; at < bytes; at += 64 {
		PREFETCHT0(Mem{Base: far}.Offset(at))
	}
	ADDQ(from, far)
	for at := 0; at < bytes; at += 32 {
		if bytes < 32 {
			x := XMM()
			VMOVUPS(Mem{Base: src}.Offset(at), x)
			VMOVUPS(x, Mem{Base: dst}.Offset(at))
			continue
		}
		y := YMM()
		VMOVUPS(Mem{Base: src}.Offset(at), y)
		VMOVUPS(y, Mem{Base: dst}.Offset(at))
	}
	ADDQ(from, src)
	ADDQ(to, dst)
	DECQ(k)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

func packArguments() (k, src, from, dst, to reg.Register) {
	return Load(Param("k"), GP64()), Load(Param("src"), GP64()), Load(Param("srcStride"), GP64()),
		Load(Param("dst"), GP64()), Load(Param("dstStride"), GP64())
}

// transposeKernel writes a kernel that interleaves n vectors, srcStride bytes
// apart, of k elements each. Element p of vector i goes to element i of row p.
// Rows are dstStride bytes apart. k is a positive multiple of n.
func transposeKernel[V reg.Register](name string, n, size int, newVec func() V, shuffle func(in []Op, out func() Op) []Op) {
	TEXT(name, NOSPLIT, "func(k int, src *byte, srcStride int, dst *byte, dstStride int)")
	Pragma("noescape")
	k, src, from, dst, to := packArguments()
	from3 := GP64()
	LEAQ(Mem{Base: from, Index: from, Scale: 2}, from3)
	src4 := GP64()
	if n > 4 {
		LEAQ(Mem{Base: src, Index: from, Scale: 4}, src4)
	}
	Label("square")
	in := make([]Op, n)
	for i := range in {
		base := src
		if i >= 4 {
			base = src4
		}
		at := [4]Mem{{Base: base}, {Base: base, Index: from, Scale: 1}, {Base: base, Index: from, Scale: 2}, {Base: base, Index: from3, Scale: 1}}
		in[i] = newVec()
		VMOVUPS(at[i%4], in[i])
	}
	for _, x := range shuffle(in, func() Op { return newVec() }) {
		VMOVUPS(x, Mem{Base: dst})
		ADDQ(to, dst)
	}
	ADDQ(U8(n*size), src)
	if n > 4 {
		ADDQ(U8(n*size), src4)
	}
	SUBQ(U8(n), k)
	JNZ(LabelRef("square"))
	VZEROUPPER()
	RET()
}

func transpose4x64(in []Op, out func() Op) []Op {
	lo, hi := make([]Op, 2), make([]Op, 2)
	for i := range lo {
		lo[i], hi[i] = out(), out()
		VUNPCKLPD(in[2*i+1], in[2*i], lo[i])
		VUNPCKHPD(in[2*i+1], in[2*i], hi[i])
	}
	o := []Op{out(), out(), out(), out()}
	VPERM2F128(U8(0x20), lo[1], lo[0], o[0])
	VPERM2F128(U8(0x20), hi[1], hi[0], o[1])
	VPERM2F128(U8(0x31), lo[1], lo[0], o[2])
	VPERM2F128(U8(0x31), hi[1], hi[0], o[3])
	return o
}

// transpose4x32 also works on the two halves of 256-bit vectors apart.
func transpose4x32(in []Op, out func() Op) []Op {
	lo, hi := make([]Op, 2), make([]Op, 2)
	for i := range lo {
		lo[i], hi[i] = out(), out()
		VUNPCKLPS(in[2*i+1], in[2*i], lo[i])
		VUNPCKHPS(in[2*i+1], in[2*i], hi[i])
	}
	o := []Op{out(), out(), out(), out()}
	VSHUFPS(U8(0x44), lo[1], lo[0], o[0])
	VSHUFPS(U8(0xee), lo[1], lo[0], o[1])
	VSHUFPS(U8(0x44), hi[1], hi[0], o[2])
	VSHUFPS(U8(0xee), hi[1], hi[0], o[3])
	return o
}

func transpose8x32(in []Op, out func() Op) []Op {
	first, second := transpose4x32(in[:4], out), transpose4x32(in[4:], out)
	o := make([]Op, 8)
	for i := range first {
		o[i], o[i+4] = out(), out()
		VPERM2F128(U8(0x20), second[i], first[i], o[i])
		VPERM2F128(U8(0x31), second[i], first[i], o[i+4])
	}
	return o
}
