package operator

import "fmt"

const (
	bytesOfDouble, bytesOfSingle = 8, 4
	// defaultMost is the memory that Ψ may take unless less or more is asked for.
	defaultMost = 12 << 30
)

// Bytes returns the memory of the operator's numbers in bytes: in double precision, and in single once that is asked
// for.
func (a *Operator) Bytes() (double, single int) {
	// S and Sᵀ, each entry with a place and a number, and the copy by pieces.
	rows, entries := a.psi.Rows*a.dim, 2*len(a.entries)
	return bytesOfDouble*(rows+3*entries) + a.gathered(bytesOfDouble), bytesOfSingle*(rows+2*entries) + a.gathered(bytesOfSingle)
}

// gathered returns the bytes of rows that are kept a second time for the labels that use them.
func (a *layout) gathered(bytes int) int {
	kept, sum := 0, 0
	for _, runs := range a.runs {
		for _, r := range runs {
			if kept += len(r.gather) * a.dim; r.gather != nil && kept <= keptNumbers {
				sum += len(r.gather) * a.dim
			}
		}
	}
	return bytes * sum
}

// FactorBytes estimates the memory that factors for w will need, in bytes, without factoring anything. It returns
// what they share, what each keeps in double and in single precision, and what making one needs besides.
func (a *Operator) FactorBytes(w []float64) (shared, double, single, work int, err error) {
	if err := checkWeights(a, 1, w); err != nil {
		return 0, 0, 0, 0, err
	}
	n := needOf(a, w)
	return n.shared, n.double, n.single, n.work, nil
}

// A need is memory in bytes.
type need struct{ shared, double, single, work int }

// add adds the need of another component. Components are factored one after another, so the largest work counts.
func (n *need) add(m need) {
	n.shared, n.double, n.single, n.work = n.shared+m.shared, n.double+m.double, n.single+m.single, max(n.work, m.work)
}

// needOf chooses as newPlan does.
func needOf(a *Operator, w []float64) need {
	if hasKronecker(a, w) {
		return kroneckerNeed(a)
	}
	var sum need
	for _, part := range a.cache.components(a) {
		if len(part.labels) == a.labels {
			return oneNeed(a, w)
		}
		sum.add(oneNeed(part.operator, part.pick(w)))
	}
	return sum
}

// square returns the need of a factor with an n×n matrix. It is made in double precision whatever is kept.
func square(n int) need {
	return need{double: bytesOfDouble * n * n, single: bytesOfSingle * n * n, work: bytesOfDouble * n * n}
}

// kroneckerNeed returns the need of a kroneckerPlan.
func kroneckerNeed(a *Operator) need {
	d := a.dim
	if decomposes(a) {
		// Divisors stay in double precision in either case.
		divisors := bytesOfDouble * a.labels * d
		return need{
			shared: bytesOfDouble * d * d, double: divisors, single: bytesOfSingle*d*d + divisors,
			work: bytesOfDouble * 3 * d * d,
		}
	}
	n := square(d)
	return need{shared: bytesOfDouble * d * d, double: a.labels * n.double, single: a.labels * n.single, work: n.work}
}

// oneNeed returns the need of onePlan's plan.
func oneNeed(a *Operator, w []float64) need {
	dim, active := a.labels*a.dim, activeRows(a, w)
	switch wayFor(a, active) {
	case wayZero:
		return need{}
	case wayWoodbury:
		n := square(active)
		// The Gram matrix is kept beside the factor, in double precision.
		n.shared = n.double
		return n
	case wayDense:
		n := square(dim)
		if dim <= mostCached {
			n.shared = n.double
		}
		return n
	default: // wayIterative
		n := square(a.dim)
		own := a.labels * n.double
		return need{shared: own, double: own, single: own, work: n.work}
	}
}

// checkMost returns an error if rows of Ψ would take more memory than is allowed.
func (o *Options) checkMost(rows, dim int) error {
	most := o.MostBytes
	if most == 0 {
		most = defaultMost
	}
	// By division, as the product might overflow.
	if rows <= most/(bytesOfDouble*max(1, dim)) {
		return nil
	}
	const gib = 1 << 30
	return fmt.Errorf("operator: %d rows of %d features need %.1f GiB, and %.1f are allowed; use fewer functionals or landmarks",
		rows, dim, float64(rows)*float64(dim)*bytesOfDouble/gib, float64(most)/gib)
}
