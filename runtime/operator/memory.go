package operator

// coupledNumbers is how many numbers the couplings of labels may have that are compared for a forecast.
const coupledNumbers = 1 << 22

// RowBytes is what a number of Ψ takes in both precisions.
const RowBytes = 12

// Bytes estimates the memory of the operator's numbers: Ψ in double and in single precision, and what S needs for a place and a
// number.
func (a *Operator) Bytes() float64 {
	return RowBytes*float64(a.psi.Rows)*float64(a.dim) + 64*float64(len(a.entries))
}

// FactorBytes estimates the memory that factors take, without factoring anything. All functionals have a positive weight in it.
// A Gram matrix, its inverse and a copy of that in single precision are there at once.
func (a *Operator) FactorBytes() float64 {
	m, d := float64(a.labels), float64(a.dim)
	if a.labels > 1 && a.uniform && a.labels*a.labels <= coupledNumbers {
		w := make([]float64, a.functionals)
		for i := range w {
			w[i] = 1
		}
		if c, _ := coupledBy(a, w); c != nil && decomposes(a) {
			return 8 * (3*m*m + 4*d*d + m*d)
		} else if c != nil {
			return 8*(3*m*m+2*d*d) + 12*m*d*d
		}
	}
	parts := a.Parts()
	if len(parts) == 1 && len(parts[0].Labels) == a.labels {
		return oneFactor(a)
	}
	sum := 0.0
	for _, p := range parts {
		sum += oneFactor(p.Operator)
	}
	return sum
}

// oneFactor returns that of an operator whose labels are coupled.
func oneFactor(a *Operator) float64 {
	active := 0.0
	for i := range a.functionals {
		if a.start[i] < a.start[i+1] {
			active++
		}
	}
	dim, own := float64(a.labels)*float64(a.dim), float64(a.dim)*float64(a.dim)
	// A Gram matrix and its inverse are of double precision, and what solves keep of it is of single: 20 bytes for each
	// number. Conjugate gradients keep a block for each label, twice.
	switch wayFor(a, int(active)) {
	case wayZero:
		return 0
	case wayWoodbury:
		return 20 * active * active
	case wayDense:
		return 20 * dim * dim
	default:
		return 16 * float64(a.labels) * own
	}
}
