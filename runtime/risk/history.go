package risk

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	// leastHastened is how many functionals make a history worth its memory. Fewer take little time, and more than mostHastened too much memory.
	leastHastened, mostHastened = 1 << 16, 1 << 22
	// Steps are hastened from hastenFrom on, by up to remembered steps before.
	hastenFrom = 10
	remembered = 5
	// leastTwo differences of steps say more than the last step alone.
	leastTwo = 2
	// mostGrown is how much longer a squared step may be than the last one where a point was hastened.
	mostGrown = 4
	// ridge of the mean squared difference keeps the coefficients small.
	ridge = 1e-8 * remembered
)

// A history hastens a fixed-point iteration z ← z + g(z) (Anderson 1965; Walker and Ni 2011). With Δz and Δg the differences of the last points
// and of their steps,
//
//	z ← z + g − Σ_k γ_k (Δz_k + Δg_k),   γ = argmin ‖g − Σ_k γ_k Δg_k‖² + a ridge.
//
// Squared losses are left out, as what V comes next does not depend on their z.
// A point whose step is much longer than the one before is given up for the plain one. Bounds hold at any point.
type history struct {
	metric            []float64
	last, step, plain []float64   // a point, its step, and where that led
	moves, steps      [][]float64 // differences Δz + Δg and Δg, of which the newest takes the place of the oldest
	gram              *mat.SymDense
	along             []float64 // ⟨Δg_k, g⟩
	size              float64   // of the step
	made, level       int
	begun, hastened   bool
}

// newHistory returns an empty history of so many numbers in a metric.
func newHistory(metric []float64) *history {
	n := len(metric)
	h := &history{metric: metric, last: make([]float64, n), step: make([]float64, n), plain: make([]float64, n), gram: mat.NewSymDense(remembered, nil), along: make([]float64, remembered)}
	for range remembered {
		h.moves, h.steps = append(h.moves, make([]float64, n)), append(h.steps, make([]float64, n))
	}
	return h
}

// HistoryNumbers returns how many numbers a history of so many functionals and scores holds.
func HistoryNumbers(count int) int {
	if count < leastHastened || count > mostHastened {
		return 0
	}
	return (3 + 2*remembered) * count
}

// forget begins anew, as another step size makes other steps.
func (h *history) forget() { h.made, h.begun, h.hastened = 0, false, false }

// next moves z by its step, hastened.
func (h *history) next(z, step []float64) {
	size := h.inner(step, step)
	if h.hastened && size > mostGrown*h.size {
		copy(z, h.plain)
		h.forget()
		return
	}
	copy(h.last, z)
	floats.Add(z, step)
	if h.begun {
		h.remember(z, step)
	}
	copy(h.plain, z)
	copy(h.step, step)
	h.size, h.begun = size, true
	c := h.coefficients()
	h.hastened = len(c) > 0
	parallel.For(len(z), addedAtOnce, func(lo, hi int) {
		for k, c := range c {
			floats.AddScaled(z[lo:hi], -c, h.moves[k][lo:hi])
		}
	})
}

// addedAtOnce is how many numbers are added to while they are in the nearest cache.
const addedAtOnce = 1 << 11

// remember keeps the differences of a step, and of where it leads, to the last ones.
func (h *history) remember(plain, step []float64) {
	k := h.made % remembered
	h.made++
	floats.SubTo(h.moves[k], plain, h.plain)
	floats.SubTo(h.steps[k], step, h.step)
	for q := range min(h.made, remembered) {
		sum := h.inner(h.steps[k], h.steps[q])
		h.gram.SetSym(k, q, sum)
		h.along[q] += sum // as g has grown by the new difference
	}
	h.along[k] = h.inner(h.steps[k], step)
}

// coefficients returns the γ, none where too little is known.
func (h *history) coefficients() []float64 {
	n := min(h.made, remembered)
	if n < leastTwo {
		return nil
	}
	gram, right, out := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	gram.CopySym(h.gram)
	added := ridge * mat.Trace(gram) / float64(n)
	for k := range n {
		gram.SetSym(k, k, gram.At(k, k)+added)
		right.SetVec(k, h.along[k])
	}
	var c mat.Cholesky
	if !c.Factorize(gram) || c.SolveVecTo(out, right) != nil {
		return nil
	}
	return out.RawVector().Data
}

// inner returns an inner product in the metric.
func (h *history) inner(x, y []float64) (sum float64) {
	for j, m := range h.metric {
		sum += m * x[j] * y[j]
	}
	return sum
}
