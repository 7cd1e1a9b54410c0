package reproduce

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The statements that Lossless measures, in order.
const (
	pairingKept = iota
	normsEqual
	ballOnto
	dualBallOnto
	maximaEqual
	additive
	homogeneous
	everyFunctional
	representation
	reproducing
)

func statements() []Property {
	return []Property{
		{Name: "lemma 1", Statement: "⟨ι(f), ι*(g*)⟩ = ⟨f; g*⟩"},
		{Name: "lemma 2", Statement: "‖g‖ = ‖g*‖* = ‖ι*(g*)‖* = ‖ι(g)‖"},
		{Name: "lemma 3", Statement: "every v of the ball is ι(f), ‖f‖ ≤ 1"},
		{Name: "lemma 4", Statement: "every u of the dual ball is ι*(g*), ‖g*‖* ≤ 1"},
		{Name: "lemma 5", Statement: "max over v of ⟨v, ι*(g*)⟩ = max over f of ⟨f; g*⟩, attained at ι(g)/‖g‖ and g/‖g‖"},
		{Name: "theorem 5", Statement: "ι(f + g) = ι(f) + ι(g)"},
		{Name: "theorem 5", Statement: "ι(sf) = s ι(f)"},
		{Name: "theorem 3", Statement: "every functional F is in J(f) of one f: F(f) = ‖f‖² = ‖F‖*²"},
		{Name: "theorem 3", Statement: "F = [·, f], at the worst of all functions", Smooth: true},
		{Name: "theorem 3", Statement: "f(x) = [f, G(·, x)], at the worst f, at points of the space and others", Smooth: true},
	}
}

// Analyse measures what the paper's analysis says.
func Analyse(ctx context.Context, seed uint64) (*Theory, error) {
	started := time.Now()
	exact, err := Lossless(ctx, seed)
	if err != nil {
		return nil, err
	}
	losses, err := Inexact(ctx, seed)
	if err != nil {
		return nil, err
	}
	return &Theory{Seed: seed, Exact: *exact, Losses: losses, Seconds: time.Since(started).Seconds()}, nil
}

// An Exact is what was measured under an embedding that loses nothing.
type Exact struct {
	Properties []Property
	Asymmetry  [seminorms]float64 // of G: the largest |G(x, y) − G(y, x)|/√(G(x, x) G(y, y))
}

// Lossless measures the five properties of the paper's lemmas, the linearity of ι and Riesz' theorem with its kernel G, under an
// embedding that loses nothing. What is said of functions is computed from their coefficients; what is said of vectors, by the polar
// solver. Where both sides are maxima, the functions' is solved in coordinates of its own.
func Lossless(ctx context.Context, seed uint64) (*Exact, error) {
	out := &Exact{Properties: statements()}
	for r := range seminorm(seminorms) {
		rng := rand.New(rand.NewPCG(seed, theoryStream))
		s, err := newSpace(r, theoryPoints, theoryDims, 0.5, rng)
		if err != nil {
			return nil, err
		}
		one, other, err := s.roots(ctx)
		if err != nil {
			return nil, err
		}
		m := &lemmas{ctx: ctx, embedding: one, other: other, rng: rng, seminorm: r, out: out}
		for range theoryTrials {
			for _, step := range []func() error{m.functions, m.ball, m.dualBall, m.riesz, m.evaluations} {
				if err := step(); err != nil {
					return nil, err
				}
			}
		}
	}
	for k := range out.Properties {
		out.Properties[k].Trials /= seminorms
	}
	return out, nil
}

// lemmas measures one trial after the other.
type lemmas struct {
	ctx context.Context //nolint:containedctx // it lives for one call of Lossless
	*embedding
	other    *embedding
	rng      *rand.Rand
	seminorm seminorm
	out      *Exact
}

// saw keeps the largest deviation.
func (m *lemmas) saw(property int, deviation float64) {
	p := &m.out.Properties[property]
	p.Deviation[m.seminorm] = math.Max(p.Deviation[m.seminorm], math.Abs(deviation))
	p.Trials++
}

func (m *lemmas) draw(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = m.rng.NormFloat64()
	}
	return out
}

// distance returns ‖a − b‖/‖b‖.
func distance(a, b []float64) float64 { return floats.Distance(a, b, 2) / floats.Norm(b, 2) }

// functions measures what is said of two functions f and g: lemmas 1 and 2 and theorem 5.
func (m *lemmas) functions() error {
	f, g := m.draw(m.points), m.draw(m.points)
	vf, err := m.of(m.ctx, f)
	if err != nil {
		return err
	}
	alpha, c := m.star(g)
	starred := m.starred(alpha)
	vg, dual, err := m.iota(m.ctx, starred)
	if err != nil {
		return err
	}
	norm := m.norm(g)
	m.saw(pairingKept, (floats.Dot(vf, starred)-m.pairing(f, alpha))/(m.norm(f)*norm))
	for _, v := range []float64{math.Sqrt(m.pairing(g, alpha)), m.dualBound(alpha, c), dual, m.size(vg)} {
		m.saw(normsEqual, v/norm-1)
	}
	sum := make([]float64, m.points)
	floats.AddTo(sum, f, g)
	vs, err := m.of(m.ctx, sum)
	if err != nil {
		return err
	}
	floats.AddTo(sum, f, g)
	both := make([]float64, len(vf))
	floats.AddTo(both, vf, vg)
	m.saw(additive, distance(vs, both))
	factor := m.rng.NormFloat64()
	floats.ScaleTo(sum, factor, f)
	if vs, err = m.of(m.ctx, sum); err != nil {
		return err
	}
	floats.ScaleTo(both, factor, vf)
	m.saw(homogeneous, distance(vs, both))
	return nil
}

// ball measures lemma 3 at a vector of norm 1.
func (m *lemmas) ball() error {
	_, d := m.phi.Dims()
	v := m.draw(d)
	floats.Scale(1/m.size(v), v)
	f, err := m.function(v)
	if err != nil {
		return err
	}
	back, err := m.of(m.ctx, f)
	if err != nil {
		return err
	}
	m.saw(ballOnto, m.norm(f)-1)
	m.saw(ballOnto, distance(back, v))
	return nil
}

// dualBall measures lemmas 4 and 5 at a functional.
func (m *lemmas) dualBall() error {
	_, d := m.phi.Dims()
	u := m.draw(d)
	v, size, err := m.iota(m.ctx, u)
	if err != nil {
		return err
	}
	floats.Scale(1/size, u)
	alpha, err := m.function(u)
	if err != nil {
		return err
	}
	elsewhere, maximum, err := m.other.iota(m.ctx, m.other.starred(alpha))
	if err != nil {
		return err
	}
	m.saw(dualBallOnto, distance(m.starred(alpha), u))
	m.saw(dualBallOnto, maximum-1)
	m.saw(maximaEqual, floats.Dot(v, u)/size-maximum)
	here, there := product(m.phi, v), product(m.other.phi, elsewhere)
	floats.Scale(size, there)
	m.saw(maximaEqual, distance(there, here))
	return nil
}

// product returns the values at the points of the function that is v in the coordinates phi.
func product(phi mat.Matrix, v []float64) []float64 {
	var out mat.VecDense
	out.MulVec(phi, mat.NewVecDense(len(v), v))
	return out.RawVector().Data
}
