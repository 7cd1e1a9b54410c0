package reproduce

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// riesz measures at a drawn functional F that there is an f with F(f) = ‖f‖² = ‖F‖*², and that F = [·, f].
func (m *lemmas) riesz() error {
	alpha := m.draw(m.points)
	r, err := m.represent(m.starred(alpha))
	if err != nil {
		return err
	}
	m.saw(everyFunctional, m.norm(r.beta)/r.norm-1)
	m.saw(everyFunctional, m.pairing(r.beta, alpha)/(r.norm*r.norm)-1)
	m.saw(representation, r.deviation)
	return nil
}

// evaluations measures the reproducing identity, and how symmetric G is, at a point of the space and at one between them.
func (m *lemmas) evaluations() error {
	i, between := m.rng.IntN(m.points), mat.NewDense(1, theoryDims, m.draw(theoryDims))
	here, err := m.represent(m.phi.RawRowView(i))
	if err != nil {
		return err
	}
	k := mat.NewDense(1, m.points, nil)
	m.kernel.Matrix(k, between, m.x)
	var u mat.VecDense
	if err := u.SolveVec(m.phi, k.RowView(0)); err != nil {
		return fmt.Errorf("the embedding is not onto: %w", err)
	}
	there, err := m.represent(u.RawVector().Data)
	if err != nil {
		return err
	}
	f := m.draw(m.points)
	value := floats.Dot(k.RawRowView(0), f)
	m.saw(reproducing, here.deviation)
	m.saw(reproducing, there.deviation)
	m.saw(reproducing, (value-m.pairing(f, there.star))/(m.norm(f)*there.norm))
	apart := floats.Dot(k.RawRowView(0), here.beta) - m.values(there.beta)[i]
	m.out.Asymmetry[m.seminorm] = max(m.out.Asymmetry[m.seminorm], math.Abs(apart)/(here.norm*there.norm))
	return nil
}

// A representer is the f of a functional F.
type representer struct {
	beta []float64
	star []float64 // the coefficients of [·, f]
	norm float64   // ‖F‖*
	// deviation is the largest |F(h) − [h, f]| over all h, relative to ‖h‖ ‖F‖*: the dual norm of a difference.
	deviation float64
}

// represent finds the function of the functional that is u in the coordinates of the embedding. That of an evaluation at x is G(·, x).
func (m *lemmas) represent(u []float64) (*representer, error) {
	v, norm, err := m.iota(m.ctx, u)
	if err != nil {
		return nil, err
	}
	r := &representer{norm: norm}
	if r.beta, err = m.function(v); err != nil {
		return nil, err
	}
	r.star, _ = m.star(r.beta)
	rest := m.starred(r.star)
	floats.Sub(rest, u)
	_, off, err := m.iota(m.ctx, rest)
	r.deviation = off / norm
	return r, err
}
