package curve

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// beyond is the factor by which Remainder enlarges the errors that it sees.
const beyond = 2

// finePerHalf is how many places between two nodes Remainder evaluates.
const finePerHalf = 16

// A Remainder estimates how far functions with values in a Euclidean space are from the polynomials through their
// values at N nodes. It uses their errors E_k at the n places half way between the nodes. It is immutable.
//
// The coefficients c_m, n < m ≤ 2n, of a function Σ c_m cos mθ make the error
//
//	E(θ) = sin nθ · s(θ),   s(θ) = −2 Σ_i c_{n+i} sin iθ,   i = 1 … n,
//
// and s is determined by its n values there, where sin nθ is ±1. The estimate is twice the largest ‖E(θ)‖ on a fine
// grid. The factor allows for what the grid misses, and for the coefficients beyond 2n. It is enough if these sum to
// no more than those between n and 2n. They do even if they decay like m⁻², as for a function with a kink.
type Remainder struct {
	nodes  int
	matrix blas64.General // fine × n: E(θ) from the E_k
}

// NewRemainder prepares for n ≥ 2 nodes.
func NewRemainder(n int) *Remainder {
	degree := n - 1
	fine := finePerHalf * degree
	// The coefficients of s from the E_k, and sin nθ·sin mθ at the fine places. Their product is the matrix: sums over m for
	// each place and each k would take as many sines as it takes multiplications.
	coefficients, sines := general(degree, degree), general(fine, degree)
	for m := range degree {
		for k := range degree {
			at := math.Pi * (float64(k) + 0.5) / float64(degree)
			value := 2 / float64(degree) * half(m+1, degree) * math.Sin(float64(m+1)*at)
			if k%2 == 1 {
				value = -value
			}
			coefficients.Data[m*degree+k] = value
		}
	}
	for j := range fine {
		theta := math.Pi * (float64(j) + 0.5) / float64(fine)
		outer := math.Sin(float64(degree) * theta)
		for m := range degree {
			sines.Data[j*degree+m] = outer * math.Sin(float64(m+1)*theta)
		}
	}
	r := &Remainder{nodes: n, matrix: general(fine, degree)}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, sines, coefficients, 0, r.matrix)
	return r
}

// Halfway returns the matrix (n−1)×n whose row k takes values at the n nodes to the value of the polynomial at
// Halfway(n)[k].
func (r *Remainder) Halfway() blas64.General {
	degree := r.nodes - 1
	out, waves := general(degree, r.nodes), general(degree, r.nodes)
	for k := range degree {
		for m := range r.nodes {
			waves.Data[k*r.nodes+m] = math.Cos(math.Pi * float64(m) * (float64(k) + 0.5) / float64(degree))
		}
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, waves, coefficientsOf(r.nodes), 0, out)
	return out
}

// coefficientsOf returns the matrix n×n whose row j takes the value at node j to the coefficients c_m.
func coefficientsOf(n int) blas64.General {
	degree, out := n-1, general(n, n)
	waves := around(degree)
	for j := range n {
		for m := range n {
			out.Data[j*n+m] = 2 / float64(degree) * half(j, degree) * half(m, degree) * waves[j*m%(2*degree)]
		}
	}
	return out
}

// Bound returns the estimate of ‖E‖ anywhere, from the Gram matrix ⟨E_k, E_l⟩ (n−1 × n−1).
func (r *Remainder) Bound(gram blas64.General) float64 {
	b := r.matrix
	out := general(b.Rows, b.Cols)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, b, gram, 0, out)
	most := 0.0
	for j := range b.Rows {
		sum := 0.0
		for k, x := range b.Data[j*b.Stride : j*b.Stride+b.Cols] {
			sum += x * out.Data[j*out.Stride+k]
		}
		most = max(most, sum)
	}
	return beyond * math.Sqrt(most)
}
