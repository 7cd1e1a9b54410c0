package polar

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	// Beyond these, α and the squares that it is added to leave the range of floating point on the way.
	leastAlpha = 1e-60
	mostAlpha  = 1e60
	// leastNormal is the least number of full precision.
	leastNormal = 0x1p-1022
)

// Rescaled returns the problem in other units if α is extreme: J = 4^k (α/4^k ‖V‖² + ρ(AV/2^k)²). [Result.Rescale]
// turns results back by the exponent k. Powers of two do not round. It changes only operators that are plain
// matrices.
func (p Problem) Rescaled() (out Problem, k int) {
	plain, ok := p.A.(*Dense)
	if !ok || (p.Alpha >= leastAlpha && p.Alpha <= mostAlpha) {
		return p, 0
	}
	_, e := math.Frexp(p.Alpha)
	k = e / 2
	var a mat.Dense
	a.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, -k) }, plain.a)
	p.Alpha, p.A = math.Ldexp(p.Alpha, -2*k), &Dense{a: &a}
	return p, k
}

// Rescale turns results of a problem from Rescaled into those of the problem that it was made of. ι and ⟨a, ι⟩ go
// with 1/J and so with 4^−k, multipliers with 2^−k. What leaves the range of floating point on the way is no longer converged.
func (r *Result) Rescale(k int) {
	if k == 0 {
		return
	}
	scale := func(x []float64, exponent int) {
		for i, v := range x {
			x[i] = math.Ldexp(v, exponent)
		}
	}
	for i := range r.Gap {
		scale(r.Iota.RawRowView(i), -2*k)
		if r.Multipliers != nil {
			scale(r.Multipliers.RawRowView(i), -k)
		}
	}
	scale(r.Norm2, -2*k)
	scale(r.Value, 2*k)
	for i, status := range r.Status {
		if status == Converged && !inRange(r.Iota.RawRowView(i), r.Norm2[i], r.Value[i]) {
			r.Status[i] = OutOfRange
		}
	}
}

// inRange reports whether an embedding, ⟨a, ι⟩ and the value are numbers of full precision.
func inRange(v []float64, norm2, value float64) bool {
	most := 0.0
	for _, x := range v {
		if math.IsNaN(x) {
			return false
		}
		most = max(most, math.Abs(x))
	}
	for _, x := range []float64{most, norm2, value} {
		if !(x >= leastNormal && x <= math.MaxFloat64) {
			return false
		}
	}
	return true
}
