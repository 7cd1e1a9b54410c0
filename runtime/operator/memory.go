package operator

// RowBytes is the memory of a number of Ψ in both precisions.
const RowBytes = 12

// Bytes estimates the memory of the operator's numbers: Ψ in double and in single precision, and what S needs for a place and a
// number. Where S is repeated, products have numbers of S₀ alone.
func (a *Operator) Bytes() float64 {
	each := 64.0
	if a.repeated != nil {
		each = 24
	}
	return RowBytes*float64(a.psi.Rows)*float64(a.dim) + each*float64(len(a.entries))
}

// FactorBytes estimates the memory that factors take, without factoring anything. All functionals have a positive weight in it.
// A Gram matrix, its inverse and a copy of that in single precision are there at once.
func (a *Operator) FactorBytes() float64 {
	m, d := float64(a.labels), float64(a.dim)
	switch s := sharedBy(a); {
	case s.sparse != nil:
		return 8 * (4*d*d + float64(len(s.sparse.from))*d)
	case s.dense && decomposes(a):
		return 8 * (3*m*m + 4*d*d + m*d)
	case s.dense:
		return 8*(3*m*m+2*d*d) + 12*m*d*d
	}
	sum := 0.0
	for _, p := range a.Parts() {
		sum += oneFactor(p.Operator)
	}
	return sum
}

// sharedBy finds how labels are coupled where all functionals have the same weight.
func sharedBy(a *Operator) sharing {
	a.cache.sharing.Do(func() {
		if !sharesRows(a) {
			return
		}
		w := make([]float64, a.functionals)
		for i := range w {
			w[i] = 1
		}
		if c, _ := coupledBy(a, w); c != nil {
			sparse := eliminationOf(c)
			a.cache.shared = sharing{sparse, sparse == nil && a.labels*a.labels <= mostCoupled}
		}
	})
	return a.cache.shared
}

// decomposed is how many times as many multiplications an eigendecomposition takes as the cube of its order.
const decomposed = 9

// FactorShare implements polar.Structured. It returns about how many iterations a factor costs.
func (a *Operator) FactorShare() float64 {
	m, d := float64(a.labels), float64(a.dim)
	// Multiplications, by the way that Factor takes.
	made := 0.0
	switch s := sharedBy(a); {
	case s.sparse != nil:
		made = decomposed*d*d*d + s.sparse.work()*d
	case s.dense && decomposes(a):
		made = decomposed * (m*m*m + d*d*d)
	case s.dense:
		made = decomposed*m*m*m + m*d*d*d
	case len(a.Parts()) > 1:
		for _, p := range a.Parts() {
			dim := float64(p.Operator.labels) * float64(a.dim)
			made += dim * dim * (float64(active(p.Operator)) + dim)
		}
	default:
		return 0
	}
	return made / Work(a)
}

// active counts the functionals that are not zero.
func active(a *Operator) int {
	count := 0
	for i := range a.functionals {
		if a.start[i] < a.start[i+1] {
			count++
		}
	}
	return count
}

// oneFactor returns that of an operator whose labels are coupled.
func oneFactor(a *Operator) float64 {
	functionals := float64(active(a))
	dim, own := float64(a.labels)*float64(a.dim), float64(a.dim)*float64(a.dim)
	// A Gram matrix and its inverse are of double precision, and what solves keep of it is of single: 20 bytes for each
	// number. Conjugate gradients keep a block for each label, twice.
	switch wayFor(a, int(functionals)) {
	case wayZero:
		return 0
	case wayWoodbury:
		return 20 * functionals * functionals
	case wayDense:
		return 20 * dim * dim
	default:
		return 16 * float64(a.labels) * own
	}
}

// usualSteps is how many steps conjugate gradients usually take, for an estimate of their work.
const usualSteps = 20

// Work estimates the multiplications of an iteration: products with A and Aᵀ, and a solve with M. All functionals have a positive
// weight in it.
func Work(a *Operator) float64 {
	products := 2 * (float64(len(a.columns))*float64(a.dim) + float64(len(a.entries)))
	switch s := sharedBy(a); {
	case s.sparse != nil:
		return products + 2*float64(a.dim)*float64(a.labels*a.dim+len(s.sparse.from))
	case s.dense:
		return products + 2*float64(a.labels)*float64(a.dim)*float64(a.labels+a.dim)
	}
	sum := products
	for _, p := range a.Parts() {
		count, dim := active(p.Operator), float64(p.Operator.labels)*float64(a.dim)
		switch wayFor(p.Operator, count) {
		case wayZero:
		case wayWoodbury:
			sum += products + float64(count)*float64(count)
		case wayDense:
			sum += dim * dim
		case wayIterative:
			sum += usualSteps * (products + dim*float64(a.dim))
		}
	}
	return sum
}
