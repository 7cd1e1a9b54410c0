package blas

import "golang.org/x/sys/cpu"

// tiers lists what this processor can run, the fastest first.
func tiers() []*tier {
	var list []*tier
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasBMI2 {
		list = append(list, avx512Tier())
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2 {
		list = append(list, avx2Tier())
	}
	return append(list, genericTier(cpu.X86.HasFMA))
}

// avx512Tier returns the kernels of vectors of 64 bytes. A tile of 8 × 3 vectors takes 24 of the 32 registers.
func avx512Tier() *tier {
	double := microkernels[float64]{
		lanes: 8, height: 8, full: dgemm5128x3,
		tail: [][3]microkernel[float64]{
			{dgemm5121x1tail, dgemm5121x2tail, dgemm5121x3tail},
			{dgemm5122x1tail, dgemm5122x2tail, dgemm5122x3tail},
			{dgemm5124x1tail, dgemm5124x2tail, dgemm5124x3tail},
			{dgemm5128x1tail, dgemm5128x2tail, dgemm5128x3tail},
		},
	}
	single := microkernels[float32]{
		lanes: 16, height: 8, full: sgemm5128x3,
		tail: [][3]microkernel[float32]{
			{sgemm5121x1tail, sgemm5121x2tail, sgemm5121x3tail},
			{sgemm5122x1tail, sgemm5122x2tail, sgemm5122x3tail},
			{sgemm5124x1tail, sgemm5124x2tail, sgemm5124x3tail},
			{sgemm5128x1tail, sgemm5128x2tail, sgemm5128x3tail},
		},
	}
	return &tier{
		name: "avx512", exponentials: avx512Exponentials(),
		doubles: assembled(ddot512, daxpy512), singles: assembled(sdot512, saxpy512),
		double: kernels[float64]{mr: 8, nr: 24, kc: blockK64, mc: 192, nc: 4080, packer: vectorPacker[float64](), fourRows: dgemm512rows, columnsAtOnce: 16, tile: double.tile},
		single: kernels[float32]{mr: 8, nr: 48, kc: blockK32, mc: 192, nc: 4080, packer: vectorPacker[float32](), fourRows: sgemm512rows, columnsAtOnce: 32, tile: single.tile},
	}
}

// avx2Tier returns the kernels of vectors of 32 bytes. A tile of 4 × 3 vectors takes 12 of the 16 registers.
func avx2Tier() *tier {
	double := microkernels[float64]{
		lanes: 4, height: 4, full: dgemm2564x3,
		tail: [][3]microkernel[float64]{
			{dgemm2561x1tail, dgemm2561x2tail, dgemm2561x3tail},
			{dgemm2562x1tail, dgemm2562x2tail, dgemm2562x3tail},
			{dgemm2564x1tail, dgemm2564x2tail, dgemm2564x3tail},
		},
	}
	single := microkernels[float32]{
		lanes: 8, height: 4, full: sgemm2564x3,
		tail: [][3]microkernel[float32]{
			{sgemm2561x1tail, sgemm2561x2tail, sgemm2561x3tail},
			{sgemm2562x1tail, sgemm2562x2tail, sgemm2562x3tail},
			{sgemm2564x1tail, sgemm2564x2tail, sgemm2564x3tail},
		},
	}
	return &tier{
		name: "avx2", exponentials: avx2Exponentials(),
		doubles: assembled(ddot256, daxpy256), singles: assembled(sdot256, saxpy256),
		double: kernels[float64]{mr: 4, nr: 12, kc: blockK64, mc: 192, nc: 4080, packer: vectorPacker[float64](), fourRows: dgemm256rows, columnsAtOnce: 8, tile: double.tile},
		single: kernels[float32]{mr: 4, nr: 24, kc: blockK32, mc: 192, nc: 4080, packer: vectorPacker[float32](), fourRows: sgemm256rows, columnsAtOnce: 16, tile: single.tile},
	}
}

// microkernel is an assembly kernel for one height and one width in vectors, the last of which holds tail elements.
type microkernel[F float] func(k int, a *F, ars, acs int, b *F, brs int, c *F, ldc int, alpha F, acc, tail int)

// microkernels are the assembly kernels of a tier for one element type.
type microkernels[F float] struct {
	lanes, height int
	full          microkernel[F]
	// tail is by log₂ of the height, then by vectors − 1.
	tail [][3]microkernel[F]
}

// tile cuts rows into heights that there is a kernel for. Callers must make sure that the slices hold all elements
// that the strides lead to.
func (m *microkernels[F]) tile(rows, cols, k int, a []F, ars, acs int, b []F, brs int, c []F, ldc int, alpha F, add bool) {
	acc := 0
	if add {
		acc = 1
	}
	if rows == m.height && cols == 3*m.lanes {
		m.full(k, &a[0], ars, acs, &b[0], brs, &c[0], ldc, alpha, acc, m.lanes)
		return
	}
	vectors := (cols + m.lanes - 1) / m.lanes
	tail := cols - (vectors-1)*m.lanes
	for level := len(m.tail) - 1; level >= 0; level-- {
		height := 1 << level
		if rows < height {
			continue
		}
		m.tail[level][vectors-1](k, &a[0], ars, acs, &b[0], brs, &c[0], ldc, alpha, acc, tail)
		if rows -= height; rows == 0 {
			return
		}
		a, c = a[height*ars:], c[height*ldc:]
	}
}
