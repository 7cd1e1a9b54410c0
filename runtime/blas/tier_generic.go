package blas

import "math"

// genericTier returns kernels written in Go. With fused set they give the same float64 bits as the assembly. Without
// it they are faster on a processor without FMA.
func genericTier(fused bool) *tier {
	t := &tier{
		name:   "generic",
		double: kernels[float64]{mr: 2, nr: 4, kc: blockK64, mc: 64, nc: 2048, packer: packer[float64]{packRows[float64], packColumns[float64]}, tile: tileOf(mulAdd2x4[float64], mulAddEdge[float64])},
		single: kernels[float32]{mr: 2, nr: 4, kc: blockK32, mc: 64, nc: 2048, packer: packer[float32]{packRows[float32], packColumns[float32]}, tile: tileOf(mulAdd2x4[float32], mulAddEdge[float32])},
	}
	t.exponentials = portable(math.Exp)
	t.doubles, t.singles = portableVectors(mulAdd[float64]), portableVectors(mulAdd[float32])
	if fused {
		t.exponentials = portable(expFused)
		t.doubles = portableVectors(math.FMA)
		t.double.tile = tileOf(fused2x4, fusedEdge)
	}
	return t
}

// mulAdd returns xy + z, rounded twice unless the compiler fuses.
func mulAdd[F float](x, y, z F) F { return x*y + z }

// Lengths of the blocks of k. All tiers share them, and so their bits.
const (
	blockK64 = 384
	blockK32 = 512
)

// sums computes Σₚ a[i,p] b[p,j] for a tile of rows × cols, at most 2 × 4.
type sums[F float] func(rows, cols, k int, a []F, ars, acs int, b []F, brs int, sum *[2][4]F)

// tileOf makes a tile kernel from the sums of full tiles and of those at the border.
func tileOf[F float](full, edge sums[F]) func(int, int, int, []F, int, int, []F, int, []F, int, F, bool) {
	return func(rows, cols, k int, a []F, ars, acs int, b []F, brs int, c []F, ldc int, alpha F, add bool) {
		var sum [2][4]F
		if rows == 2 && cols == 4 {
			full(rows, cols, k, a, ars, acs, b, brs, &sum)
		} else {
			edge(rows, cols, k, a, ars, acs, b, brs, &sum)
		}
		for i := range rows {
			row := c[i*ldc:][:cols]
			for j := range row {
				// The conversion rounds; without it the compiler might fuse the next addition.
				t := F(alpha * sum[i][j]) //nolint:unconvert // rounds, where the compiler might fuse
				if add {
					t += row[j]
				}
				row[j] = t
			}
		}
	}
}

// fused2x4 computes the sums of a full tile with fused multiply-adds, as the assembly does.
func fused2x4(_, _, k int, a []float64, ars, acs int, b []float64, brs int, sum *[2][4]float64) {
	var s00, s01, s02, s03, s10, s11, s12, s13 float64
	for p := range k {
		x, y := a[p*acs], a[p*acs+ars]
		v := b[p*brs:][:4]
		s00 = math.FMA(x, v[0], s00)
		s01 = math.FMA(x, v[1], s01)
		s02 = math.FMA(x, v[2], s02)
		s03 = math.FMA(x, v[3], s03)
		s10 = math.FMA(y, v[0], s10)
		s11 = math.FMA(y, v[1], s11)
		s12 = math.FMA(y, v[2], s12)
		s13 = math.FMA(y, v[3], s13)
	}
	*sum = [2][4]float64{{s00, s01, s02, s03}, {s10, s11, s12, s13}}
}

// mulAdd2x4 computes the sums of a full tile.
func mulAdd2x4[F float](_, _, k int, a []F, ars, acs int, b []F, brs int, sum *[2][4]F) {
	var s00, s01, s02, s03, s10, s11, s12, s13 F
	for p := range k {
		x, y := a[p*acs], a[p*acs+ars]
		v := b[p*brs:][:4]
		s00 += x * v[0]
		s01 += x * v[1]
		s02 += x * v[2]
		s03 += x * v[3]
		s10 += y * v[0]
		s11 += y * v[1]
		s12 += y * v[2]
		s13 += y * v[3]
	}
	*sum = [2][4]F{{s00, s01, s02, s03}, {s10, s11, s12, s13}}
}

// fusedEdge computes the sums of a tile at the border, in the same order as those of a full one.
func fusedEdge(rows, cols, k int, a []float64, ars, acs int, b []float64, brs int, sum *[2][4]float64) {
	for i := range rows {
		for j := range cols {
			s := 0.0
			for p := range k {
				s = math.FMA(a[i*ars+p*acs], b[p*brs+j], s)
			}
			sum[i][j] = s
		}
	}
}

// mulAddEdge computes the sums of a tile at the border.
func mulAddEdge[F float](rows, cols, k int, a []F, ars, acs int, b []F, brs int, sum *[2][4]F) {
	for i := range rows {
		for j := range cols {
			var s F
			for p := range k {
				s += a[i*ars+p*acs] * b[p*brs+j]
			}
			sum[i][j] = s
		}
	}
}
