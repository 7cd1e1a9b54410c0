package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// deep is how many rows of B a pass over C takes.
const deep = 4

// rowsKernel writes a kernel for a C of m rows, which stays in the nearest cache while rows of B pass once:
//
//	c[i,j] += a[i,0] b[0,j] + … + a[i,3] b[3,j],
//
// a fused multiply-add after the other, so that bits are those of a register tile. a[i,p] is at a + 4i + p, b[p,j] at b + p·brs + j and c[i,j] at
// c + i·ldc + j. Of j there are n, a positive multiple of two vectors.
func rowsKernel(t target) {
	TEXT(t.name+"rows", NOSPLIT, "func(n, m int, a, b *"+t.elem+", brs int, c *"+t.elem+", ldc int)")
	Pragma("noescape")
	w := &tile{target: t}
	n, m := Load(Param("n"), GP64()), Load(Param("m"), GP64())
	a, b, brs := Load(Param("a"), GP64()), Load(Param("b"), GP64()), w.stride("brs")
	brs3 := GP64()
	LEAQ(Mem{Base: brs, Index: brs, Scale: 2}, brs3)
	c, ldc := Load(Param("c"), GP64()), w.stride("ldc")
	ahead := GP64() // the next rows, whose lines are asked for
	LEAQ(Mem{Base: b, Index: brs, Scale: deep}, ahead)
	Label("columns")
	var from [deep][2]reg.VecVirtual
	for p, row := range []Mem{{Base: b}, {Base: b, Index: brs, Scale: 1}, {Base: b, Index: brs, Scale: 2}, {Base: b, Index: brs3, Scale: 1}} {
		for v := range from[p] {
			from[p][v] = t.newVec()
			t.load(row.Offset(v*t.lanes*t.size), from[p][v])
		}
	}
	for _, row := range []Mem{{Base: ahead}, {Base: ahead, Index: brs, Scale: 1}, {Base: ahead, Index: brs, Scale: 2}, {Base: ahead, Index: brs3, Scale: 1}} {
		for at := 0; at < 2*t.lanes*t.size; at += 64 {
			PREFETCHT0(row.Offset(at))
		}
	}
	eachRow(t, m, a, c, ldc, from)
	for _, p := range []reg.Register{b, ahead, c} {
		ADDQ(I32(2*t.lanes*t.size), p)
	}
	SUBQ(U8(2*t.lanes), n)
	JNZ(LabelRef("columns"))
	VZEROUPPER()
	RET()
}

// eachRow adds the products of rows of B to two vectors of each row of C.
func eachRow(t target, m, a, c, ldc reg.Register, from [deep][2]reg.VecVirtual) {
	left, factor, to := GP64(), GP64(), GP64()
	MOVQ(m, left)
	MOVQ(a, factor)
	MOVQ(c, to)
	Label("rows")
	sum := [2]reg.VecVirtual{t.newVec(), t.newVec()}
	one := t.newVec()
	for v := range sum {
		t.load(Mem{Base: to}.Offset(v*t.lanes*t.size), sum[v])
	}
	for p := range from {
		t.bcast(Mem{Base: factor}.Offset(p*t.size), one)
		for v := range sum {
			t.fma(one, from[p][v], sum[v])
		}
	}
	for v := range sum {
		t.load(sum[v], Mem{Base: to}.Offset(v*t.lanes*t.size))
	}
	ADDQ(U8(deep*t.size), factor)
	ADDQ(ldc, to)
	DECQ(left)
	JNZ(LabelRef("rows"))
}
