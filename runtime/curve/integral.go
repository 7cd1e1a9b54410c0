package curve

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// leastSteps is the least number of intervals between fine angles for norms.
const leastSteps = 512

// An Integral compares norms (∫|p|^P dλ)^{1/P} of polynomials given at N nodes with those by the rule of Clenshaw and
// Curtis. It also compares densities over the interval with multipliers at the nodes. It is immutable.
//
// Norms bounds from above. Between fine angles h apart |p| is at most the line between its values and h²/8·Σ m²|c_m|
// more. The P-th power of a line is at most the line between the powers. For P = 2 it is exact if both signs count.
//
// Multipliers c_k at the nodes become a density γ. For P = 2 that is the polynomial with γ(λ_k) = c_k/w_k. For other
// P it is c_k/w_k on the k-th of consecutive cells of lengths w_k. Its dual norm is that of c at the nodes, whatever
// P is. ∫γp is then a sum over the values at the nodes again.
type Integral struct {
	table    *Table
	p        float64
	oneSided bool
	weights  []float64
	// hats are the integrals over λ of the hat functions at the fine angles.
	hats []float64
	// products are ∫ L_j L_k, used if P = 2 and both signs count.
	products blas64.General
	// cells are used otherwise; row k has ∫ over the k-th cell of L_j.
	cells blas64.General
}

// NewIntegral prepares for n ≥ 2 nodes.
func NewIntegral(n int, p float64, oneSided bool) *Integral {
	in := &Integral{p: p, oneSided: oneSided, weights: Weights(n)}
	in.table = newTable(n, max(leastSteps, 8*n))
	fine := in.table.fine
	h := math.Pi / float64(fine)
	in.hats = make([]float64, fine+1)
	for j := range in.hats {
		in.hats[j] = math.Sin(h*float64(j)) * (1 - math.Cos(h)) / h
	}
	in.hats[0] = (1 - math.Sin(h)/h) / 2
	in.hats[fine] = in.hats[0]
	if in.square() {
		in.multiply(n)
	} else {
		in.divide(n)
	}
	return in
}

// square reports whether norms are roots of quadratic forms.
func (in *Integral) square() bool { return in.p == 2 && !in.oneSided }

// multiply sets products: 2n − 1 nodes integrate squares of polynomials of degree n − 1 exactly.
func (in *Integral) multiply(n int) {
	in.products = general(n, n)
	at, weights := in.basisAt(n, 2*n-1), Weights(2*n-1)
	for f, w := range weights {
		for j := range n {
			for k := range n {
				in.products.Data[j*n+k] += w * at.Data[f*n+j] * at.Data[f*n+k]
			}
		}
	}
}

// basisAt returns the polynomials L_j of n nodes at others, one of these a row.
func (in *Integral) basisAt(n, others int) blas64.General {
	out := general(others, n)
	for f := range others {
		for j := range n {
			for m := range n {
				out.Data[f*n+j] += in.coefficient(j, m) * math.Cos(math.Pi*float64(m)*float64(f)/float64(others-1))
			}
		}
	}
	return out
}

// coefficient returns c_m of L_j.
func (in *Integral) coefficient(j, m int) float64 {
	return in.table.matrix.Data[j*in.table.matrix.Cols+in.table.fine+1+m]
}

// divide sets cells.
func (in *Integral) divide(n int) {
	in.cells = general(n, n)
	end, angle := 0.0, 0.0
	for k, w := range in.weights {
		end += w
		next := math.Acos(max(-1, 1-2*end))
		if k == n-1 {
			next = math.Pi
		}
		for m := range n {
			wave := under(m, next) - under(m, angle)
			for j := range n {
				in.cells.Data[k*n+j] += in.coefficient(j, m) * wave
			}
		}
		angle = next
	}
}

// under returns ∫ cos(mθ) dλ from 0, up to a constant. dλ = ½ sin θ dθ, and the product of the two is a difference of
// sines.
func under(m int, theta float64) float64 {
	if m == 1 {
		return -math.Cos(2*theta) / 8
	}
	k := float64(m)
	return (math.Cos((k-1)*theta)/(k-1) - math.Cos((k+1)*theta)/(k+1)) / 4
}

// general returns a matrix of zeros.
func general(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

// Size returns how many numbers Norms needs as scratch for so many curves.
func (in *Integral) Size(curves int) int { return in.table.Size(curves) }

// AtNodes returns the norm by the rule of Clenshaw and Curtis.
func (in *Integral) AtNodes(values []float64) float64 { return in.norm(values, in.weights) }

// norm returns (Σ w_k |v_k|^P)^{1/P}, scaled by the largest value, so that no power overflows.
func (in *Integral) norm(values, weights []float64) float64 {
	most := 0.0
	for _, v := range values {
		most = max(most, in.part(v))
	}
	if most == 0 {
		return 0
	}
	sum := 0.0
	for k, v := range values {
		sum += weights[k] * math.Pow(in.part(v)/most, in.p)
	}
	return most * math.Pow(sum, 1/in.p)
}

// part returns |v| or [v]₊.
func (in *Integral) part(v float64) float64 {
	if in.oneSided {
		return max(v, 0)
	}
	return math.Abs(v)
}

// Norms sets dst[i] to a bound from above of the norm of the polynomial that has row i of values (len(dst)×N) at the
// nodes. scratch has Size(len(dst)) numbers.
func (in *Integral) Norms(dst []float64, values blas64.General, scratch []float64) {
	n := in.table.nodes
	if in.square() {
		for i := range dst {
			row := values.Data[i*values.Stride : i*values.Stride+n]
			dst[i] = math.Sqrt(max(0, in.form(row)))
		}
		return
	}
	cols := in.table.matrix.Cols
	out := blas64.General{Rows: len(dst), Cols: cols, Stride: cols, Data: scratch[:in.table.Size(len(dst))]}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, values, in.table.matrix, 0, out)
	h := math.Pi / float64(in.table.fine)
	for i := range dst {
		row := out.Data[i*cols : (i+1)*cols]
		k2, _ := derivatives(row[in.table.fine+1:])
		dst[i] = in.norm(row[:in.table.fine+1], in.hats)
		if dst[i] > 0 || !in.oneSided {
			dst[i] += h * h / 8 * k2
			// Negative at all fine angles: it may be positive between them.
		} else {
			dst[i] = max(0, h*h/8*k2+largestOf(row[:in.table.fine+1]))
		}
	}
}

// largestOf returns the largest element.
func largestOf(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	return top
}

// form returns ∫p².
func (in *Integral) form(values []float64) float64 {
	sum := 0.0
	for j, x := range values {
		row := in.products.Data[j*len(values) : (j+1)*len(values)]
		part := 0.0
		for k, y := range values {
			part += row[k] * y
		}
		sum += x * part
	}
	return sum
}

// Density sets dst to the coefficients of the sum over values at the nodes that equals ∫γp. γ is the density that
// multipliers c stand for. It returns the ratio of its dual norm to that of c at the nodes, and a bound of its mass
// ∫|γ|.
func (in *Integral) Density(dst, c []float64) (factor, mass float64) {
	clear(dst)
	if !in.square() {
		for k, x := range c {
			mass += math.Abs(x)
			for j, v := range in.cells.Data[k*len(c) : (k+1)*len(c)] {
				dst[j] += x / in.weights[k] * v
			}
		}
		return 1, mass
	}
	nodes, all := 0.0, 0.0
	for k, x := range c {
		nodes += x * x / in.weights[k]
		for j, v := range in.products.Data[k*len(c) : (k+1)*len(c)] {
			dst[j] += x / in.weights[k] * v
		}
	}
	for j, v := range dst {
		all += v * c[j] / in.weights[j]
	}
	if nodes == 0 {
		return 1, 0
	}
	// By Cauchy and Schwarz ∫|γ| is at most (∫γ²)^½ on an interval of length 1.
	return math.Sqrt(max(0, all) / nodes), math.Sqrt(max(0, all))
}
