package risk

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// terms are ½ρ² and the losses, as [polar.Terms].
type terms struct {
	work *work
	loss bending
	// weight is W of losses.
	weight float64
	// u and t are those of the last proximal point, and tau is the step of losses there.
	u, t []float64
	tau  float64
	// d and low are the d and r of Bend for all scores.
	d, low []float64
}

// newTerms allocates terms for a request.
func newTerms(w *work, loss bending, weight float64) *terms {
	scores := w.end - w.solver.r
	return &terms{work: w, loss: loss, weight: weight, d: make([]float64, scores), low: make([]float64, scores)}
}

// Move implements polar.Terms.
func (f *terms) Move(t, u []float64, beta float64) float64 {
	f.u, f.t, f.tau = u, t, 1/(beta*f.weight)
	f.work.proximal(t, u, 1/beta, f.tau)
	rho := 0.0
	if f.work.solver.r > 0 {
		rho = f.work.solver.problem.Gauge.Value(t[:f.work.solver.r])
	}
	return rho*rho/2 + f.work.sumRows(t[f.work.solver.r:], f.loss.Value) + f.work.aiming.short(t[f.work.end:])
}

// Active implements polar.Terms.
func (f *terms) Active(dst []int) []int {
	if f.work.solver.r > 0 {
		dst = f.work.solver.prox.Active(dst)
	}
	clear(f.d)
	clear(f.low)
	m := f.work.solver.width
	f.work.eachRow(f.d, func(i int, d []float64) {
		lo, hi := f.work.solver.r+i*m, f.work.solver.r+(i+1)*m
		f.loss.Bend(i, d, f.low[i*m:(i+1)*m], f.u[lo:hi], f.t[lo:hi], f.tau)
	})
	for k, d := range f.d {
		if d != 0 {
			dst = append(dst, f.work.solver.r+k)
		}
	}
	return f.work.aiming.kinked(dst, f.u[f.work.end:], f.tau, f.work.end)
}

// Respond implements polar.Terms.
func (f *terms) Respond(dst, du *mat.Dense, rows []int, beta float64) {
	own := 0
	for own < len(rows) && rows[own] < f.work.solver.r {
		own++
	}
	_, cols := du.Dims()
	if own > 0 {
		f.work.solver.prox.Response(top(dst, own, cols), top(du, own, cols), rows[:own], 1/beta)
	}
	end := len(rows) // of the scores; a cut is at its kink, where it stays
	for end > own && rows[end-1] >= f.work.end {
		end--
		copy(dst.RawRowView(end), du.RawRowView(end))
	}
	along := make([]float64, cols) // rᵀdu of one row
	for lo := own; lo < end; {
		hi := lo
		clear(along)
		for i := f.rowOf(rows[lo]); hi < end && f.rowOf(rows[hi]) == i; hi++ {
			blas64.Axpy(f.low[rows[hi]-f.work.solver.r], vector(du.RawRowView(hi)), vector(along))
		}
		for ; lo < hi; lo++ {
			at, to := rows[lo]-f.work.solver.r, dst.RawRowView(lo)
			for k, v := range du.RawRowView(lo) {
				to[k] = f.d[at]*v - f.low[at]*along[k]
			}
		}
	}
}

// rowOf returns the row of a score, its own or a copy's.
func (f *terms) rowOf(functional int) int {
	return (functional - f.work.solver.r) / f.work.solver.width
}

// top returns the first rows of a matrix, in the same memory.
func top(m *mat.Dense, rows, cols int) *mat.Dense {
	raw := m.RawMatrix()
	return mat.NewDense(rows, cols, raw.Data[:rows*raw.Stride])
}
