package dual

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/risk"
)

// few is the number of operations that a bound takes beside its sums.
const few = 32

// lengths sets the lengths of the features, and the errors of scores.
func (s *Solver) lengths() {
	s.sizes, s.errors = make([]float64, s.n*s.m), make([]float64, s.n*s.m)
	for i := range s.n {
		length := s.bounds.Size(s.problem.Features.RawRowView(i))
		for k := i * s.m; k < (i+1)*s.m; k++ {
			s.sizes[k], s.errors[k] = length, gauge.Gamma(float64(s.d+few))*length
		}
	}
}

// upper returns at least P at t times the V of a place; scores are t times its scores.
func (w *work) upper(at *place, scores []float64, t float64) float64 {
	size, rho := w.solver.bounds.Size(at.point.Iota), 0.0
	if w.solver.problem.Gauge != nil {
		rho = w.solver.bounds.Rho(w.values(at), size)
	}
	w.data.sum(func(k int) float64 {
		i := w.data.rows[k]
		return w.data.loss.Most(i, w.data.row(scores, k), w.solver.errors[i*w.solver.m:(i+1)*w.solver.m], t*size)
	})
	return risk.Primal(w.solver.problem.Alpha, t*size, t*rho, risk.SumUp(w.data.part[:len(w.data.rows)]))
}

// lower returns at most the minimum; size is at least the norm of the computed Φᵀg.
func (d *sample) lower(g []float64, size float64) float64 {
	off := d.sum(func(k int) float64 {
		i, sum := d.rows[k], 0.0
		_, moved := d.loss.Conjugate(i, d.row(g, k))
		for y, v := range d.row(g, k) {
			sum += (moved + gauge.Gamma(float64(len(d.rows)+few))*math.Abs(v)) * d.solver.sizes[i*d.solver.m+y]
		}
		return sum
	})
	size += off / math.Sqrt(d.solver.problem.Alpha)
	d.sum(func(k int) float64 {
		most, _ := d.loss.Conjugate(d.rows[k], d.row(g, k))
		return most
	})
	size *= 1 + gauge.Gamma(float64(len(g)+few))
	return risk.Dual(1, size, 0, risk.SumUp(d.part[:len(d.rows)]))
}

// plain2 returns at least ‖a‖²/α, the squared dual norm without a gauge.
func (w *work) plain2(a []float64) float64 {
	return floats.Dot(a, a) / w.solver.problem.Alpha * (1 + gauge.Gamma(float64(len(a)+few)))
}
