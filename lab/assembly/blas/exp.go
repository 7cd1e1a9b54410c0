package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// coefficients of the polynomial that stands for exp on [−ln2/2, ln2/2]; the
// portable exponential in package blas has the same ones.
var coefficients = [12]float64{
	1, 1, 0x1.0000000000011p-1, 0x1.555555555555ap-3, 0x1.555555554f067p-5, 0x1.111111110f205p-7,
	0x1.6c16c1881156bp-10, 0x1.a01a01b150ad2p-13, 0x1.a01991731e6fap-16, 0x1.71ddf5514be0cp-19,
	0x1.28b43a93fe57ap-22, 0x1.af635e4f6b5eep-26,
}

const (
	log2e   = 0x1.71547652b82fep+0
	ln2High = 0x1.62e42fefa39efp-1
	ln2Low  = 0x1.abc9e3b39803fp-56
	highest = 710  // exp overflows before
	lowest  = -746 // exp has rounded to zero before
)

// constants are what the exponential keeps in memory, eight of each, in order.
var constants = append(coefficients[:], log2e, ln2High, ln2Low, highest, lowest, 0)

const (
	atLog2e = len(coefficients) + iota
	atLn2High
	atLn2Low
	atHighest
	atLowest
	atZero
)

// expFamily writes the exponential, the Gaussian and sums of Gaussians for both vector widths.
func expFamily() {
	table := GLOBL("expconstants", RODATA|NOPTR)
	for i, c := range constants {
		for lane := range 8 {
			DATA(64*i+8*lane, U64(math.Float64bits(c)))
		}
	}
	wide := exponential{newVec: ZMM, lanes: 8, wide: true, table: table}
	narrow := exponential{newVec: YMM, lanes: 4, table: table}
	wide.exp("exp512")
	wide.gaussian("gaussian512")
	wide.addGaussian("addgaussian512")
	narrow.exp("exp256")
	narrow.gaussian("gaussian256")
	narrow.addGaussian("addgaussian256")
}

type exponential struct {
	newVec func() reg.VecVirtual
	lanes  int
	wide   bool
	table  Mem
}

func (e exponential) constant(i int) Mem { return e.table.Offset(64 * i) }

// exp writes a kernel for n elements, n being a positive multiple of lanes.
func (e exponential) exp(name string) {
	TEXT(name, NOSPLIT, "func(n int, dst, src *float64)")
	Pragma("noescape")
	n, dst, src := Load(Param("n"), GP64()), Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	Label("vector")
	x := e.newVec()
	VMOVUPD(Mem{Base: src}, x)
	VMOVUPD(e.of(x), Mem{Base: dst})
	e.next(n, dst, src)
}

// gaussian writes a kernel for exp(min(0, scale·src + (offset + shift))).
func (e exponential) gaussian(name string) {
	TEXT(name, NOSPLIT, "func(n int, dst, src *float64, scale, shift float64, offset *float64)")
	Pragma("noescape")
	n, dst, src := Load(Param("n"), GP64()), Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	offset := Load(Param("offset"), GP64())
	scale, shift := e.broadcast("scale"), e.broadcast("shift")
	Label("vector")
	x := e.newVec()
	VADDPD(Mem{Base: offset}, shift, x)
	VFMADD231PD(Mem{Base: src}, scale, x)
	zero := e.newVec()
	VMOVUPD(e.constant(atZero), zero)
	VMINPD(x, zero, x) // NaN stays: of two operands, the first here wins
	VMOVUPD(e.of(x), Mem{Base: dst})
	e.next(n, dst, src, offset)
}

// addGaussian writes a kernel for g = exp(scale·(at − src)²), which is added to sums, and g² to squares. Products and sums are rounded each by itself, as those of the
// portable functions are.
func (e exponential) addGaussian(name string) {
	TEXT(name, NOSPLIT, "func(n int, sums, squares, src *float64, at, scale float64)")
	Pragma("noescape")
	n, sums, squares := Load(Param("n"), GP64()), Load(Param("sums"), GP64()), Load(Param("squares"), GP64())
	src := Load(Param("src"), GP64())
	at, scale := e.broadcast("at"), e.broadcast("scale")
	Label("vector")
	x := e.newVec()
	VSUBPD(Mem{Base: src}, at, x)
	VMULPD(x, x, x)
	VMULPD(scale, x, x)
	g, total := e.of(x), e.newVec()
	VADDPD(Mem{Base: sums}, g, total)
	VMOVUPD(total, Mem{Base: sums})
	VMULPD(g, g, g)
	VADDPD(Mem{Base: squares}, g, g)
	VMOVUPD(g, Mem{Base: squares})
	e.next(n, sums, squares, src)
}

func (e exponential) broadcast(param string) reg.VecVirtual {
	addr, err := Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	v := e.newVec()
	VBROADCASTSD(addr.Addr, v)
	return v
}

func (e exponential) next(n reg.Register, pointers ...reg.Register) {
	for _, p := range pointers {
		ADDQ(U8(8*e.lanes), p)
	}
	SUBQ(U8(e.lanes), n)
	JNZ(LabelRef("vector"))
	VZEROUPPER()
	RET()
}

// of computes exp(x) = 2ⁿ exp(r) with x = n ln2 + r.
func (e exponential) of(x reg.VecVirtual) reg.VecVirtual {
	clamp := e.newVec()
	VMOVUPD(e.constant(atHighest), clamp)
	VMINPD(x, clamp, x)
	VMOVUPD(e.constant(atLowest), clamp)
	VMAXPD(x, clamp, x)
	n := e.newVec()
	VMULPD(e.constant(atLog2e), x, n)
	if e.wide {
		VRNDSCALEPD(U8(0), n, n)
	} else {
		VROUNDPD(U8(0), n, n)
	}
	VFNMADD231PD(e.constant(atLn2High), n, x)
	VFNMADD231PD(e.constant(atLn2Low), n, x)
	p := e.newVec()
	VMOVUPD(e.constant(len(coefficients)-1), p)
	for i := len(coefficients) - 2; i >= 0; i-- {
		VFMADD213PD(e.constant(i), x, p)
	}
	if e.wide {
		VSCALEFPD(n, p, p)
		return p
	}
	// Two steps, so that neither power of two leaves the range of normal numbers.
	whole, half := XMM(), XMM()
	VCVTPD2DQY(n, whole)
	VPSRAD(U8(1), whole, half)
	VPSUBD(half, whole, whole)
	e.scale(p, half)
	e.scale(p, whole)
	return p
}

// scale multiplies p by 2ⁿ.
func (e exponential) scale(p, n reg.VecVirtual) {
	power, one := YMM(), YMM()
	VPMOVSXDQ(n, power)
	VPSLLQ(U8(52), power, power)
	VMOVUPD(e.constant(0), one)
	VPADDQ(one, power, power) // the bits of 1.0 hold the exponent's bias
	VMULPD(power, p, p)
}
