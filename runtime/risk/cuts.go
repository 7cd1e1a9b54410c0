package risk

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// Cuts are functionals b_k of V that are to be at least l_k. A fit aims at l_k + ε_k, with a margin ε_k ≥ 0, so that
// what is a little off still keeps l_k. To P(V) it adds
//
//	Σ_k κ_k max(0, l_k + ε_k − ⟨b_k, V⟩),
//
// which has the minimum of the constrained problem once κ_k is above the multiplier of the constraint. κ_k grows until
// it is. The multipliers h_k lie in [−κ_k, 0]. By them, and without the margins,
//
//	min {P(V) : ⟨b_k, V⟩ ≥ l_k} ≥ D(c, g, h) = −‖Aᵀc + Eᵀg + Bᵀh‖²/2α − ½ρ°(c)² − Σ_i loss_i*(g_i) − Σ_k h_k l_k,
//
// so the price of the margins is a part of the gap.
type Cuts struct {
	Rows          *mat.Dense // B, k × the dimension of the operator
	Least, Margin []float64
}

// len returns the number of cuts; nil has none.
func (c *Cuts) len() int {
	if c == nil {
		return 0
	}
	return len(c.Least)
}

// check refuses cuts that do not fit the operator.
func (c *Cuts) check(dim int) error {
	k, d := c.Rows.Dims()
	if k != len(c.Least) || k != len(c.Margin) || d != dim {
		return fmt.Errorf("risk: %d cuts in %d dimensions with %d bounds and %d margins, for an operator of %d dimensions", k, d, len(c.Least), len(c.Margin), dim)
	}
	for i, e := range c.Margin {
		if !(e >= 0) || math.IsInf(e, 0) || math.IsNaN(c.Least[i]) || math.IsInf(c.Least[i], 0) {
			return fmt.Errorf("risk: cut %d is at least %v with the margin %v", i, c.Least[i], e)
		}
	}
	return nil
}

// aim returns l_k + ε_k.
func (c *Cuts) aim(k int) float64 { return c.Least[k] + c.Margin[k] }

// The penalty of a cut is at first firstPenalty times the size of a multiplier that takes V as far as P(0) lets it go. It
// grows by harder, at most mostHarder times, as long as multipliers reach it.
const (
	firstPenalty = 10
	harder       = 10
	mostHarder   = 6
	// reached is the share of its penalty from which a multiplier counts as there.
	reached = 0.99
	// A row of a cut counts as at least leastRow of the longest row of all. Far from all landmarks, rows are so short that
	// a penalty by their lengths would be infinite.
	leastRow = 1e-9
)

// An aiming is the penalty of cuts in one request. All its vectors begin with the first cut. The zero value has none.
type aiming struct {
	cuts    *Cuts
	penalty []float64 // κ
	metric  []float64 // W, relative to that of scores
	// errs and sizes are bounds of the errors of values for ‖V‖ = 1, and of the lengths of rows.
	errs, sizes []float64
}

// newAiming sets the first penalties. P(0) is zero, and end is where cuts begin in the measure and the metric.
func newAiming(c *Cuts, m *polar.Measure, metric []float64, end int, alpha, zero float64) aiming {
	if c == nil {
		return aiming{}
	}
	a := aiming{cuts: c, penalty: make([]float64, c.len()), metric: metric[end:], errs: m.Values()[end:], sizes: m.Sizes()[end:]}
	least := max(leastRow*floats.Max(m.Sizes()), math.SmallestNonzeroFloat64)
	for k, size := range a.sizes {
		a.penalty[k] = firstPenalty * math.Sqrt(2*alpha*zero) / max(size, least)
	}
	return a
}

// enter sets z of the cuts from first on at V: they have no multiplier yet.
func (a *aiming) enter(z, v []float64, first int) {
	for k := first; k < len(a.penalty); k++ {
		z[k] = math.Max(floats.Dot(a.cuts.Rows.RawRowView(k), v), a.cuts.aim(k))
	}
}

// lift moves values towards their aims, by at most the step τ times the penalty.
func (a *aiming) lift(u []float64, tau float64) {
	for k, most := range a.penalty {
		u[k] += min(max(a.cuts.aim(k)-u[k], 0), tau*most/a.metric[k])
	}
}

// kinked appends the cuts whose proximal point is the aim itself, counted from end.
func (a *aiming) kinked(dst []int, u []float64, tau float64, end int) []int {
	for k, most := range a.penalty {
		if far := a.cuts.aim(k) - u[k]; far > 0 && far < tau*most/a.metric[k] {
			dst = append(dst, end+k)
		}
	}
	return dst
}

// short returns what cuts that are missed add to P.
func (a *aiming) short(values []float64) (sum float64) {
	for k, most := range a.penalty {
		sum += most * math.Max(0, a.cuts.aim(k)-values[k])
	}
	return sum
}

// most returns at least what short does for exact values, with ‖V‖ ≤ size.
func (a *aiming) most(values []float64, size float64) (sum float64) {
	for k, most := range a.penalty {
		sum += most * math.Max(0, a.cuts.aim(k)-values[k]+a.errs[k]*size)
	}
	return sum * (1 + gamma(len(a.penalty)))
}

// clip moves multipliers into [−κ, 0].
func (a *aiming) clip(h []float64) {
	for k, most := range a.penalty {
		h[k] = min(max(h[k], -most), 0)
	}
}

// conjugates returns at least Σ h(l + ε) and Σ hl.
func (a *aiming) conjugates(h []float64) (aims, leasts float64) {
	size := 0.0
	for k := range a.penalty {
		aims += h[k] * a.cuts.aim(k)
		leasts += h[k] * a.cuts.Least[k]
		size += math.Abs(h[k]) * (math.Abs(a.cuts.Least[k]) + a.cuts.Margin[k])
	}
	off := gamma(len(a.penalty)) * size
	return aims + off, leasts + off
}

// raise raises the penalties that multipliers reach, and reports whether there are any.
func (a *aiming) raise(h []float64) (raised bool) {
	for k, v := range h {
		if v < -reached*a.penalty[k] {
			a.penalty[k] *= harder
			raised = true
		}
	}
	return raised
}
