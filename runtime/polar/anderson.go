package polar

import (
	"math"
)

// An anderson accelerates one fixed-point iteration z ← z + f(z) by Anderson's mixing of type II (Anderson 1965;
// Walker and Ni 2011). With g = z + f and the differences ΔF, ΔG over the last steps, it takes
//
//	z ← g − ΔG γ,   γ = argmin ‖√w(f − ΔF γ)‖.
//
// If f were affine, g − ΔG γ would be the image of the combination with the least residual. A step after which the
// residual has grown is taken back.
type anderson[T precision] struct {
	arith       arithmetic[T]
	r           int
	n           int  // steps kept
	next        int  // the oldest, to be overwritten
	df, dg      []T  // memory×r: differences of √w f and of g = z + f
	f, g        []T  // the last ones
	have        bool // f and g are set
	accelerated bool // the last step was a combination
	norm        float64
	gram        [memory][memory]float64 // ⟨df_i, df_j⟩
	along       [memory]float64         // ⟨df_i, √w f⟩
}

// memory is how many differences the acceleration keeps.
const memory = 5

// growth is how far a combination may raise the residual before it is taken back.
const growth = 2

// ridge keeps the least squares solvable when differences are nearly dependent. It is a share of the trace.
const ridge = 1e-10

// newAnderson allocates memory for differences of r numbers each.
func newAnderson[T precision](arith arithmetic[T], r int) *anderson[T] {
	buf := make([]T, (2*memory+2)*r)
	return &anderson[T]{
		arith: arith, r: r,
		df: buf[:memory*r], dg: buf[memory*r : 2*memory*r], f: buf[2*memory*r : (2*memory+1)*r], g: buf[(2*memory+1)*r:],
	}
}

// reset forgets all differences.
func (a *anderson[T]) reset() { a.n, a.next, a.have, a.accelerated = 0, 0, false, false }

// step replaces z by the next iterate. f is the residual at z, root has the square roots of w, and norm = √Σ w f². It
// overwrites f.
func (a *anderson[T]) step(z, f, root []T, norm float64) {
	// Written so that a NaN is taken back, too. a.g is where the plain iteration would have gone.
	if a.accelerated && !(norm <= growth*a.norm) {
		copy(z, a.g)
		a.reset()
		return
	}
	for i, x := range f {
		g := z[i] + x
		z[i], f[i] = g, root[i]*x // z holds g from here on
	}
	if a.have {
		a.file(z, f)
	}
	copy(a.f, f)
	copy(a.g, z)
	a.have, a.norm = true, norm
	gamma, ok := a.combination()
	a.accelerated = ok
	if !ok {
		return
	}
	for j := range a.n {
		a.arith.axpy(-gamma[j], a.dg[j*a.r:(j+1)*a.r], z)
	}
}

// file puts the last difference in the place of the oldest and updates the inner products: O(memory·r) instead of
// O(memory²·r).
func (a *anderson[T]) file(g, f []T) {
	df, dg := a.df[a.next*a.r:(a.next+1)*a.r], a.dg[a.next*a.r:(a.next+1)*a.r]
	for i, x := range f {
		df[i] = x - a.f[i]
		dg[i] = g[i] - a.g[i]
	}
	at := a.next
	a.next = (a.next + 1) % memory
	a.n = min(a.n+1, memory)
	for k := range a.n {
		sum := a.arith.dot(df, a.df[k*a.r:(k+1)*a.r])
		a.gram[at][k], a.gram[k][at] = sum, sum
		a.along[k] += sum // ⟨df_k, f⟩ grows by ⟨df_k, df⟩
	}
	a.along[at] = a.arith.dot(df, f)
}

// combination returns the weights γ of the differences from the normal equations, by Cholesky's factorization. It
// reports false if the differences are zero or not finite.
func (a *anderson[T]) combination() (gamma [memory]float64, ok bool) {
	trace := 0.0
	for j := range a.n {
		trace += a.gram[j][j]
	}
	if !(trace > 0) || math.IsInf(trace, 0) {
		return gamma, false
	}
	var l [memory][memory]float64
	for i := range a.n {
		for j := range i + 1 {
			sum := a.gram[i][j]
			if i == j {
				sum += ridge * trace
			}
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i > j {
				l[i][j] = sum / l[j][j]
				continue
			}
			if !(sum > 0) {
				return gamma, false
			}
			l[i][i] = math.Sqrt(sum)
		}
	}
	for i := range a.n {
		gamma[i] = a.along[i]
		for k := range i {
			gamma[i] -= l[i][k] * gamma[k]
		}
		gamma[i] /= l[i][i]
	}
	for i := a.n - 1; i >= 0; i-- {
		for k := i + 1; k < a.n; k++ {
			gamma[i] -= l[k][i] * gamma[k]
		}
		gamma[i] /= l[i][i]
	}
	return gamma, true
}
