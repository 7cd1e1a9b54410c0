package risk

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Gap returns (upper − lower)/upper rounded up. It is +Inf as long as nothing is proved, and 0 if both are zero. It
// is NaN if the bounds contradict each other, which is impossible in exact arithmetic.
func Gap(lower, upper float64) float64 {
	switch {
	case lower == 0 && upper == 0:
		return 0
	case math.IsInf(lower, -1) || math.IsInf(upper, 1):
		return math.Inf(1)
	case !(upper >= lower):
		return math.NaN()
	}
	return (upper - lower) / math.Max(upper, math.SmallestNonzeroFloat64) * (1 + gamma(0))
}

// Excess bounds by how much P(V) lies above the minimum: +Inf if the bounds prove nothing.
func (r *Result) Excess() float64 {
	if !(r.Upper >= r.Lower) {
		return math.Inf(1)
	}
	return (r.Upper - r.Lower) * (1 + gamma(0))
}

// Primal returns at least ½(αv² + ρ²) + loss; no argument may be negative.
func Primal(alpha, v, rho, loss float64) float64 {
	return (alpha*v*v/2 + rho*rho/2 + loss) * (1 + gamma(0))
}

// Dual returns at most −q²/2α − ½ρ°² − conjugates.
func Dual(alpha, q, polar, conjugates float64) float64 {
	half := q*q/(2*alpha) + polar*polar/2
	return -(half + conjugates) - gamma(0)*(half+math.Abs(conjugates))
}

// SumUp returns at least the sum of x.
func SumUp(x []float64) float64 { return floats.Sum(x) + gamma(len(x))*floats.Norm(x, 1) }

// upper returns at least P(V), where values are the computed ÃV.
func (w *work) upper(v, values []float64) float64 {
	size, m := w.solver.measure.Size(v), w.solver.width
	rho := 0.0
	if w.solver.r > 0 {
		rho = w.solver.measure.Rho(values[:w.solver.r], size)
	}
	errs := w.solver.measure.Values()[w.solver.r:w.end]
	w.sumRows(values[w.solver.r:], func(i int, s []float64) float64 { return w.loss.Most(i, s, errs[i*m:(i+1)*m], size) })
	off, base := offOf(w)
	return Primal(w.solver.problem.Alpha+off, size, rho, SumUp(w.part)+base+w.aiming.most(values[w.end:], size))
}

// OffShare returns the part of a result's gap by which sums of squares may be off; more iterations take nothing of it.
func OffShare(s *Solver, q Request, r *Result) float64 {
	sq := s.problem.Squares
	if sq == nil || !(r.Upper > 0) {
		return 0
	}
	size := s.measure.Size(r.V)
	return (sq.Off*size*size + sq.Base) / (q.Learner.Strength * r.Upper)
}

// offOf returns what P may differ by from the one that is meant: ½off‖V‖² + base.
func offOf(w *work) (off, base float64) {
	off = w.solver.problem.Off
	if sq := w.solver.problem.Squares; sq != nil {
		weight := w.loss.Slope()
		off, base = off+weight*sq.Off, weight*sq.Base/2
	}
	return off, base
}

// conjugates returns at least the losses' conjugates at some g′ near g. Eᵀg′ is within moved of Eᵀg.
func (w *work) conjugates(g []float64) (most, moved float64) {
	clear(w.part)
	clear(w.moved)
	m, sizes := w.solver.width, w.solver.measure.Sizes()[w.solver.r:w.end]
	w.eachRow(g, func(i int, g []float64) {
		var off float64
		if w.part[i], off = w.loss.Conjugate(i, g); off > 0 {
			w.moved[i] = off * floats.Sum(sizes[i*m:(i+1)*m])
		}
	})
	return SumUp(w.part), SumUp(w.moved) * (1 + gamma(m))
}
