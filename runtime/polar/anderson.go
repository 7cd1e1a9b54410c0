package polar

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// An anderson accelerates one fixed-point iteration z ← z + f(z) (Anderson's mixing, type II): of the last steps it takes the
// combination whose residual f is least in the norm Σ_j w_j f_j². A step after which the residual has grown is taken back.
type anderson struct {
	memory      int
	n           int       // steps kept
	next        int       // the oldest, to be overwritten
	df, dg      []float64 // memory×r: differences of f and of g = z + f
	f, g        []float64 // the last ones
	have        bool      // f and g are set
	gram        []float64 // memory×memory: ⟨df_i, df_j⟩
	accelerated bool      // the last step was a combination
	norm        float64   // ‖f‖ before it
}

// growth is how far a combination may raise the residual before it is taken back.
const growth = 2

func newAnderson(memory, r int) *anderson {
	buf := make([]float64, (2*memory+2)*r)
	return &anderson{
		memory: memory,
		df:     buf[:memory*r], dg: buf[memory*r : 2*memory*r], f: buf[2*memory*r : (2*memory+1)*r], g: buf[(2*memory+1)*r:],
		gram: make([]float64, memory*memory),
	}
}

func (a *anderson) reset() { a.n, a.next, a.have, a.accelerated = 0, 0, false, false }

// step replaces z by the next iterate, f being the residual at z and norm = √Σ w f².
func (a *anderson) step(z, f, w []float64, norm float64) {
	if a.accelerated && !(norm <= growth*a.norm) {
		copy(z, a.g)
		a.reset()
		return
	}
	r := len(z)
	if a.have {
		df, dg := a.df[a.next*r:(a.next+1)*r], a.dg[a.next*r:(a.next+1)*r]
		for i, x := range f {
			df[i] = x - a.f[i]
			dg[i] = z[i] + x - a.g[i]
		}
		a.file(a.next, w)
		a.next = (a.next + 1) % a.memory
		a.n = min(a.n+1, a.memory)
	}
	for i, x := range f {
		a.f[i] = x
		a.g[i] = z[i] + x
	}
	a.have, a.norm = true, norm
	copy(z, a.g)
	gamma, ok := a.combination(w)
	a.accelerated = ok
	if !ok {
		return
	}
	for j, c := range gamma {
		for i, x := range a.dg[j*r : (j+1)*r] {
			z[i] -= c * x
		}
	}
}

// file updates the Gram matrix with step j.
func (a *anderson) file(j int, w []float64) {
	r := len(w)
	x := a.df[j*r : (j+1)*r]
	for k := range a.memory {
		if k >= a.n && k != j {
			continue
		}
		y := a.df[k*r : (k+1)*r]
		sum := 0.0
		for i, v := range x {
			sum += w[i] * v * y[i]
		}
		a.gram[j*a.memory+k], a.gram[k*a.memory+j] = sum, sum
	}
}

// combination solves the least-squares problem for the weights of the steps.
func (a *anderson) combination(w []float64) ([]float64, bool) {
	if a.n == 0 {
		return nil, false
	}
	n, r := a.n, len(w)
	rhs := mat.NewVecDense(n, nil)
	sym := mat.NewSymDense(n, nil)
	trace := 0.0
	for j := range n {
		sum := 0.0
		for i, x := range a.df[j*r : (j+1)*r] {
			sum += w[i] * x * a.f[i]
		}
		rhs.SetVec(j, sum)
		for k := range j + 1 {
			sym.SetSym(j, k, a.gram[j*a.memory+k])
		}
		trace += a.gram[j*a.memory+j]
	}
	if !(trace > 0) || math.IsInf(trace, 0) {
		return nil, false
	}
	for j := range n {
		sym.SetSym(j, j, sym.At(j, j)+1e-10*trace)
	}
	var chol mat.Cholesky
	if !chol.Factorize(sym) {
		return nil, false
	}
	var gamma mat.VecDense
	if err := chol.SolveVecTo(&gamma, rhs); err != nil {
		if badlyConditioned := mat.Condition(0); !errors.As(err, &badlyConditioned) {
			return nil, false
		}
	}
	return gamma.RawVector().Data, true
}
