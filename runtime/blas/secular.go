package blas

import "math"

// secular finds the eigenvalues and the eigenvectors, a vector a row, of D + ρ z zᵀ on the kept rows. It returns nil
// if no row is kept.
func (m *merging) secular() (roots []float64, vectors *buffer[float64]) {
	k := len(m.kept)
	if k == 0 {
		return nil, nil
	}
	s := secular{d: make([]float64, k), z: make([]float64, k), rho: m.rho}
	for p, i := range m.kept {
		s.d[p], s.z[p] = m.d[m.lo+i], m.z[i]
	}
	roots, vectors = make([]float64, k), getBuffer[float64](k*k)
	const perTask = 16
	tasks := (k + perTask - 1) / perTask
	each := func(body func(i int)) {
		parallel(workers(64*k*k), tasks, func(next func() int) {
			for t := next(); t < tasks; t = next() {
				for i := t * perTask; i < min((t+1)*perTask, k); i++ {
					body(i)
				}
			}
		})
	}
	each(func(i int) { roots[i] = s.root(i, vectors.data[i*k:][:k]) })
	// Gu and Eisenstat: the z for which the computed roots are exact. Vectors from it are orthogonal, however close
	// roots are.
	exact := make([]float64, k)
	each(func(i int) { exact[i] = s.weight(i, vectors.data) })
	each(func(i int) {
		row, sum := vectors.data[i*k:][:k], 0.0
		for j, gap := range row {
			row[j] = exact[j] / gap
			sum += row[j] * row[j]
		}
		scaleRow(row, 1/math.Sqrt(sum), false)
	})
	return roots, vectors
}

// secular is the equation f(λ) = 1 + ρ Σ zⱼ²/(dⱼ − λ) = 0 with ascending d, z without zeros and ρ > 0. Its roots are
// the eigenvalues of D + ρ z zᵀ: one between any two neighbours, and one beyond.
type secular struct {
	d, z []float64
	rho  float64
}

// weight returns the z_i for which the roots found are exact (Löwner), given the gaps dᵢ − λⱼ in row j. With it the
// vectors are orthogonal to working precision.
func (s *secular) weight(i int, gaps []float64) float64 {
	k := len(s.d)
	w := -gaps[i*k+i]
	for j, d := range s.d {
		if j != i {
			w *= gaps[j*k+i] / (s.d[i] - d)
		}
	}
	// Only the square is determined; the sign is that of the given z.
	return math.Copysign(math.Sqrt(math.Abs(w)), s.z[i])
}

// root finds the root i and writes dⱼ − λ to gaps, each to full precision. To this end it keeps λ as its distance
// from the nearer pole.
func (s *secular) root(i int, gaps []float64) float64 {
	k := len(s.d)
	origin, lo := i, 0.0
	var hi float64
	if i == k-1 {
		sum := 0.0
		for _, z := range s.z {
			sum += z * z
		}
		// The last root is at most ρ‖z‖² beyond the last pole.
		hi = s.rho * sum
		hi += 4 * 0x1p-53 * hi
	} else {
		hi = (s.d[i+1] - s.d[i]) / 2
		s.shift(gaps, i)
		if f, _ := s.value(i, gaps, hi); f.total() < 0 { // the root is in the upper half
			origin, lo, hi = i+1, -hi, 0
		}
	}
	s.shift(gaps, origin)
	mu := s.search(i, gaps, lo, hi)
	for j := range gaps {
		gaps[j] -= mu
	}
	return s.d[origin] + mu
}

// shift writes dⱼ − d_origin.
func (s *secular) shift(gaps []float64, origin int) {
	at := s.d[origin]
	for j, d := range s.d {
		gaps[j] = d - at
	}
}

// secularValue is f in two parts, of the poles up to i and of those beyond.
type secularValue struct {
	below, above           float64
	slopeBelow, slopeAbove float64
}

// total returns f.
func (f secularValue) total() float64 { return 1 + f.below + f.above }

// value returns f at μ, and a bound of its rounding error over the precision.
func (s *secular) value(i int, shifted []float64, mu float64) (f secularValue, size float64) {
	// The last root has its own pole above, as every other root has the next.
	split := min(i+1, len(shifted)-1)
	for j, z := range s.z[:split] {
		t := z / (shifted[j] - mu)
		f.below += z * t
		f.slopeBelow += t * t
	}
	for j, z := range s.z[split:] {
		t := z / (shifted[split+j] - mu)
		f.above += z * t
		f.slopeAbove += t * t
	}
	f.below, f.above = f.below*s.rho, f.above*s.rho
	f.slopeBelow, f.slopeAbove = f.slopeBelow*s.rho, f.slopeAbove*s.rho
	return f, 1 + math.Abs(f.below) + math.Abs(f.above)
}

// search finds the root in (lo, hi), where f rises from below zero to above it, by Li's middle way (LAPACK working
// note 89). It models f by c + a/(δ − μ) + b/(δ' − μ) with the poles on both sides, and goes to the zero of the
// model. If that leaves the bracket, it goes to the middle instead.
func (s *secular) search(i int, shifted []float64, lo, hi float64) float64 {
	const eps = 0x1p-53
	k := len(s.d)
	below, above := min(i, k-2), min(i+1, k-1)
	mu := (lo + hi) / 2
	for range 200 {
		f, size := s.value(i, shifted, mu)
		total := f.total()
		// The value is within its rounding error of zero.
		if math.Abs(total) <= 4*eps*size {
			return mu
		}
		if total < 0 {
			lo = mu
		} else {
			hi = mu
		}
		next := (lo + hi) / 2
		if below >= 0 {
			next = mu + f.step(total, shifted[below]-mu, shifted[above]-mu, i == k-1)
		}
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if next == mu || next == lo || next == hi {
			return mu
		}
		mu = next
	}
	return mu
}

// step returns how far it is to where the model of f vanishes; x and y are the distances of the poles.
func (f secularValue) step(total, x, y float64, last bool) float64 {
	c := total - x*f.slopeBelow - y*f.slopeAbove
	a := (x+y)*total - x*y*(f.slopeBelow+f.slopeAbove)
	b := x * y * total
	root := math.Sqrt(math.Abs(a*a - 4*b*c))
	var eta float64
	switch {
	case last && a >= 0:
		eta = (a + root) / (2 * c)
	case last:
		eta = 2 * b / (a - root)
	case a <= 0:
		eta = (a - root) / (2 * c)
	default:
		eta = 2 * b / (a + root)
	}
	// f rises, so the root is on the other side: Newton's step instead.
	if !(total*eta < 0) {
		eta = -total / (f.slopeBelow + f.slopeAbove)
	}
	return eta
}
