package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel finds the levels of as many groups as a vector has lanes, one group a lane. Then it clips them, one group
// after the other.
type kernel struct {
	name         string
	wide, single bool
	size, lanes  int
	vec, index   func() reg.VecVirtual

	keep, zero, kappa, one reg.VecVirtual
}

func (k *kernel) write() {
	kind := "float64"
	if k.single {
		kind = "float32"
	}
	TEXT(k.name, NOSPLIT, fmt.Sprintf("func(m int, t, u *%s, at *int32, keep, kappa %s, level, scratch *%s)", kind, kind, kind))
	Pragma("noescape")
	Doc(k.name + " is the assembly of levels; scratch holds m vectors.")
	k.keep, k.zero, k.one = k.vec(), k.vec(), k.vec()
	k.broadcast(param("keep"), k.keep)
	k.pick(func() { VXORPD(k.zero, k.zero, k.zero) }, func() { VXORPS(k.zero, k.zero, k.zero) })
	k.kappa = k.vec()
	k.broadcast(param("kappa"), k.kappa)
	k.ones()
	s := k.gather()
	k.climb(s)
	level := Load(Param("level"), GP64())
	k.store(s, Mem{Base: level})
	k.clip(level)
	VZEROUPPER()
	RET()
}

func param(name string) Op {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

func (k *kernel) pick(double, single func()) {
	if k.single {
		single()
		return
	}
	double()
}

func (k *kernel) broadcast(from Op, v reg.VecVirtual) {
	k.pick(func() { VBROADCASTSD(from, v) }, func() { VBROADCASTSS(from, v) })
}

// ones sets every lane of one to 1.
func (k *kernel) ones() {
	bits := GP64()
	x := XMM()
	if k.single {
		MOVQ(U32(0x3f800000), bits)
	} else {
		MOVQ(U64(0x3ff0000000000000), bits)
	}
	VMOVQ(bits, x)
	k.pick(func() { VBROADCASTSD(x, k.one) }, func() { VBROADCASTSS(x, k.one) })
}

func (k *kernel) add(a Op, b, dst reg.VecVirtual) {
	k.pick(func() { VADDPD(a, b, dst) }, func() { VADDPS(a, b, dst) })
}

func (k *kernel) div(a, b, dst reg.VecVirtual) { // dst = b / a
	k.pick(func() { VDIVPD(a, b, dst) }, func() { VDIVPS(a, b, dst) })
}

func (k *kernel) max(a, b, dst reg.VecVirtual) {
	k.pick(func() { VMAXPD(a, b, dst) }, func() { VMAXPS(a, b, dst) })
}

func (k *kernel) and(a, b, dst reg.VecVirtual) {
	k.pick(func() { VANDPD(a, b, dst) }, func() { VANDPS(a, b, dst) })
}

func (k *kernel) store(v reg.VecVirtual, m Mem) {
	k.pick(func() { VMOVUPD(v, m) }, func() { VMOVUPS(v, m) })
}

func (k *kernel) load(m Mem, v reg.VecVirtual) {
	k.pick(func() { VMOVUPD(m, v) }, func() { VMOVUPS(m, v) })
}

func (k *kernel) clear(v reg.VecVirtual) {
	k.pick(func() { VXORPD(v, v, v) }, func() { VXORPS(v, v, v) })
}

// gather turns the groups into lanes, and returns the first lower bounds of the levels. They follow from the largest element
// alone, and from all together.
func (k *kernel) gather() reg.VecVirtual {
	at, u, scratch, m := Load(Param("at"), GP64()), Load(Param("u"), GP64()), Load(Param("scratch"), GP64()), Load(Param("m"), GP64())
	index := k.index()
	switch {
	case k.wide && !k.single, !k.wide && k.single:
		VMOVDQU(Mem{Base: at}, index)
	case k.wide:
		VMOVDQU32(Mem{Base: at}, index)
	default:
		VMOVDQU(Mem{Base: at}, index)
	}
	sum, top, count, v := k.vec(), k.vec(), k.vec(), k.vec()
	k.clear(sum)
	k.clear(top)
	k.pick(func() { VMOVAPD(k.kappa, count) }, func() { VMOVAPS(k.kappa, count) })
	Label("gather")
	k.gatherLanes(u, index, v)
	k.and(k.keep, v, v)
	k.max(v, k.zero, v) // of two operands the first here wins where one is NaN
	k.store(v, Mem{Base: scratch})
	k.add(v, sum, sum)
	k.max(v, top, top)
	k.add(k.one, count, count)
	ADDQ(U8(k.size), u)
	ADDQ(U8(k.size*k.lanes), scratch)
	DECQ(m)
	JNZ(LabelRef("gather"))
	k.div(count, sum, sum)
	k.add(k.one, k.kappa, count)
	k.div(count, top, top)
	k.max(sum, top, top)
	return top
}

func (k *kernel) gatherLanes(u reg.Register, index, v reg.VecVirtual) {
	from := Mem{Base: u, Index: index, Scale: uint8(k.size)} //nolint:gosec // 4 or 8
	if k.wide {
		mask := K()
		k.clear(v)
		KXNORW(mask, mask, mask)
		k.pick(func() { VGATHERDPD(from, mask, v) }, func() { VGATHERDPS(from, mask, v) })
		return
	}
	mask := k.vec()
	k.clear(v)
	VPCMPEQD(mask, mask, mask)
	k.pick(func() { VGATHERDPD(mask, from, v) }, func() { VGATHERDPS(mask, from, v) })
}

// climb writes Newton's iteration from below in all lanes until none rises.
func (k *kernel) climb(s reg.VecVirtual) {
	sum, count, v := k.vec(), k.vec(), k.vec()
	scratch, m := GP64(), GP64()
	Label("climb")
	Load(Param("scratch"), scratch)
	Load(Param("m"), m)
	k.clear(sum)
	k.pick(func() { VMOVAPD(k.kappa, count) }, func() { VMOVAPS(k.kappa, count) })
	Label("add")
	k.load(Mem{Base: scratch}, v)
	k.addWhereAtLeast(v, s, sum, count)
	ADDQ(U8(k.size*k.lanes), scratch)
	DECQ(m)
	JNZ(LabelRef("add"))
	k.div(count, sum, sum)
	k.testAbove(sum, s)
	k.max(s, sum, s)
	JNZ(LabelRef("climb"))
}

// Predicates of comparisons: quiet, false for NaN.
const (
	atLeast = 0x1d
	above   = 0x1e
)

func (k *kernel) addWhereAtLeast(v, s, sum, count reg.VecVirtual) {
	if k.wide {
		mask := K()
		k.pick(func() {
			VCMPPD(U8(atLeast), s, v, mask)
			VADDPD(v, sum, mask, sum)
			VADDPD(k.one, count, mask, count)
		}, func() {
			VCMPPS(U8(atLeast), s, v, mask)
			VADDPS(v, sum, mask, sum)
			VADDPS(k.one, count, mask, count)
		})
		return
	}
	mask := k.vec()
	k.pick(func() { VCMPPD(U8(atLeast), s, v, mask) }, func() { VCMPPS(U8(atLeast), s, v, mask) })
	k.and(mask, v, v)
	k.add(v, sum, sum)
	k.and(k.one, mask, mask)
	k.add(mask, count, count)
}

// testAbove clears the zero flag where some lane of a is above that of b. What follows must leave the flags alone.
func (k *kernel) testAbove(a, b reg.VecVirtual) {
	bits := GP32()
	if k.wide {
		mask := K()
		k.pick(func() { VCMPPD(U8(above), b, a, mask) }, func() { VCMPPS(U8(above), b, a, mask) })
		KMOVW(mask, bits)
	} else {
		mask := k.vec()
		k.pick(func() {
			VCMPPD(U8(above), b, a, mask)
			VMOVMSKPD(mask, bits)
		}, func() {
			VCMPPS(U8(above), b, a, mask)
			VMOVMSKPS(mask, bits)
		})
	}
	TESTL(bits, bits)
}

// clip sets t to min(u, level), with the sign of u where keep takes it away.
func (k *kernel) clip(level reg.Register) {
	at, lanes := Load(Param("at"), GP64()), GP64()
	MOVQ(U32(k.lanes), lanes)
	s := k.vec()
	t, u, left := GP64(), GP64(), GP64()
	offset := GP64()
	Label("clip")
	k.broadcast(Mem{Base: level}, s)
	MOVLQSX(Mem{Base: at}, offset)
	Load(Param("t"), t)
	Load(Param("u"), u)
	LEAQ(Mem{Base: t, Index: offset, Scale: uint8(k.size)}, t) //nolint:gosec // 4 or 8
	LEAQ(Mem{Base: u, Index: offset, Scale: uint8(k.size)}, u) //nolint:gosec // 4 or 8
	Load(Param("m"), left)
	k.clipGroup(t, u, left, s)
	ADDQ(U8(4), at)
	ADDQ(U8(k.size), level)
	DECQ(lanes)
	JNZ(LabelRef("clip"))
}

func (k *kernel) clipGroup(t, u, left reg.GPVirtual, s reg.VecVirtual) {
	Label("vector")
	CMPQ(left, U8(k.lanes))
	JL(LabelRef("rest"))
	v := k.vec()
	k.load(Mem{Base: u}, v)
	k.store(k.clipped(v, s), Mem{Base: t})
	ADDQ(U8(k.size*k.lanes), t)
	ADDQ(U8(k.size*k.lanes), u)
	SUBQ(U8(k.lanes), left)
	JMP(LabelRef("vector"))
	Label("rest")
	TESTQ(left, left)
	JZ(LabelRef("next"))
	if k.wide {
		k.restMasked(t, u, left, s)
	} else {
		k.restOneByOne(t, u, left, s)
	}
	Label("next")
}

func (k *kernel) restMasked(t, u, left reg.GPVirtual, s reg.VecVirtual) {
	bits, mask, v := GP64(), K(), k.vec()
	MOVQ(I32(-1), bits)
	BZHIQ(left, bits, bits)
	KMOVW(bits.As32(), mask)
	k.pick(func() {
		VMOVUPD_Z(Mem{Base: u}, mask, v)
		VMOVUPD(k.clipped(v, s), mask, Mem{Base: t})
	}, func() {
		VMOVUPS_Z(Mem{Base: u}, mask, v)
		VMOVUPS(k.clipped(v, s), mask, Mem{Base: t})
	})
}

func (k *kernel) restOneByOne(t, u, left reg.GPVirtual, s reg.VecVirtual) {
	Label("one")
	v := k.vec()
	k.pick(func() { VMOVSD(Mem{Base: u}, v.AsX()) }, func() { VMOVSS(Mem{Base: u}, v.AsX()) })
	c := k.clipped(v, s)
	k.pick(func() { VMOVSD(c.AsX(), Mem{Base: t}) }, func() { VMOVSS(c.AsX(), Mem{Base: t}) })
	ADDQ(U8(k.size), t)
	ADDQ(U8(k.size), u)
	DECQ(left)
	JNZ(LabelRef("one"))
}

func (k *kernel) clipped(v, s reg.VecVirtual) reg.VecVirtual {
	out, sign := k.vec(), k.vec()
	k.and(k.keep, v, out)
	k.pick(func() {
		VMINPD(s, out, out)
		VANDNPD(v, k.keep, sign)
		VORPD(sign, out, out)
	}, func() {
		VMINPS(s, out, out)
		VANDNPS(v, k.keep, sign)
		VORPS(sign, out, out)
	})
	return out
}
