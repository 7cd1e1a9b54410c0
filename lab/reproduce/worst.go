package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// How far the search for the worst f and g goes.
const (
	searchStarts = 3 // the worst of the random pairs
	searchRounds = 25
	searchGap    = 3e-13
	sharp        = 1e8   // β of the envelopes that give derivatives
	firstStep    = 0.5   // of the functions' norm
	bendStep     = 1e-5  // of differences of gradients
	lostBelow    = 1e-13 // what is left out of the space, squared
	shareError   = 1e-12
	boundary     = 1e-9 // how near to ε a loss has reached it
)

// A search climbs to the f and g at which an embedding deviates most. Its functions are vectors in an orthonormal basis, of the span of the
// landmarks first and then of the rest: T keeps the first coordinates. With N = ½‖·‖² + ½R², a_f = ∇N(f) and the derivative X of ι at
// Ta_f, the deviations' gradients are
//
//	⟨ι(f), Ta_g⟩ − ⟨f, a_g⟩:          ∇²N(f) T*X(Ta_f)Ta_g − a_g along f,   ∇²N(g) (T*ι(f) − f) along g
//	‖ι(f + g) − ι(f) − ι(g)‖ = ‖d‖:   ∇²N(f + g) T*X(Ta_{f+g})d/‖d‖ − ∇²N(f) T*X(Ta_f)d/‖d‖ along f, and so for g.
type search struct {
	*embedding
	ctx       context.Context //nolint:containedctx // it lives for one call of loss
	basis     *mat.Dense      // row i is k(·, x_i)
	epsilon   float64         // what all elements of S are approximable to, and f and g are to be
	exact     *polar.Solver
	followers [3]*polar.Follower // at the embeddings of f, g and f + g
}

// search prepares one.
func (e *embedding) search(ctx context.Context) (*search, error) {
	s := &search{embedding: e, ctx: ctx}
	var err error
	if s.basis, err = e.completed(); err != nil {
		return nil, err
	}
	s.epsilon = s.lostOfS()
	a, err := polar.NewDense(e.matrix)
	if err != nil {
		return nil, err
	}
	problem := polar.Problem{Alpha: 1, A: a, Gauge: e.gauge}
	s.exact, err = polar.New(ctx, problem, polar.Settings{Gap: searchGap, Double: true, Multipliers: true})
	for k := range s.followers {
		if err == nil {
			s.followers[k], err = polar.NewFollower(ctx, problem, 0)
		}
	}
	return s, err
}

// completed returns the features of the points, and in further columns those of what they lose: K − ΦΦᵀ in its eigenvectors.
func (e *embedding) completed() (*mat.Dense, error) {
	rest := mat.NewSymDense(e.points, nil)
	for i := range e.points {
		for j := range i + 1 {
			rest.SetSym(i, j, e.gram.At(i, j)-floats.Dot(e.phi.RawRowView(i), e.phi.RawRowView(j)))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(rest, true) {
		return nil, fmt.Errorf("what the landmarks lose of %d points has no eigenvectors", e.points)
	}
	var q mat.Dense
	eigen.VectorsTo(&q)
	values := eigen.Values(nil)
	first := 0
	for first < e.points && values[first] < lostBelow {
		first++
	}
	_, d := e.phi.Dims()
	out := mat.NewDense(e.points, d+e.points-first, nil)
	for i := range e.points {
		row := out.RawRowView(i)
		copy(row, e.phi.RawRowView(i))
		for j := first; j < e.points; j++ {
			row[d+j-first] = q.At(i, j) * math.Sqrt(values[j])
		}
	}
	return out, nil
}

// lostOfS bounds what is lost of any element of S, Σ c_k z_k with ρ°(c) ≤ 1: by ρ of what is lost of each z_k, as gauges are monotone.
func (s *search) lostOfS() float64 {
	_, d := s.phi.Dims()
	lost := make([]float64, s.r)
	for k := range lost {
		lost[k] = floats.Distance(s.basis.RawRowView(s.first[k])[d:], s.basis.RawRowView(s.second[k])[d:], 2)
	}
	return s.gauge.Value(lost)
}

// A seen function is one with what is known of it.
type seen struct {
	f           []float64
	kept, lost  []float64 // its coordinates in the span of the landmarks, and outside
	differences []float64 // the values of the functionals
	star        []float64 // a_f, which is f*
}

// see computes what is known of a function.
func (s *search) see(f []float64) *seen {
	_, d := s.phi.Dims()
	t := s.differences(f)
	return &seen{f: f, kept: f[:d], lost: f[d:], differences: t, star: plus(f, 1, s.slope(t))}
}

// plus returns f + c·g.
func plus(f []float64, c float64, g []float64) []float64 {
	return floats.AddScaledTo(make([]float64, len(f)), f, c, g)
}

// differences returns the values of the functionals at a function.
func (s *search) differences(f []float64) []float64 { return s.functionals(product(s.basis, f)) }

// slope returns ½∇R² at a function with these differences.
func (s *search) slope(differences []float64) []float64 {
	c := make([]float64, s.r)
	s.gauge.Subgradient(c, differences)
	floats.Scale(s.gauge.Value(differences), c)
	var out mat.VecDense
	out.MulVec(s.basis.T(), mat.NewVecDense(s.points, s.transposed(c)))
	return out.RawVector().Data
}

// bent returns ∇²N(f)e, by a difference of gradients.
func (s *search) bent(f *seen, e []float64) []float64 {
	along := s.differences(e)
	size := floats.Norm(along, 2)
	if size == 0 {
		return e
	}
	step := bendStep * floats.Norm(f.differences, 2) / size
	there := plus(s.slope(plus(f.differences, step, along)), -1, s.slope(plus(f.differences, -step, along)))
	return plus(e, 1/(2*step), there)
}

// lifted returns T*v.
func (s *search) lifted(v []float64) []float64 {
	_, n := s.basis.Dims()
	return append(slices.Clone(v), make([]float64, n-len(v))...)
}

// within brings a function to norm 1 and a loss of ε at most, by less of what is lost and then less of all.
func (s *search) within(f []float64) *seen {
	whole := s.see(f)
	inside := s.lifted(whole.kept)
	from, lost := s.differences(inside), floats.Norm(whole.lost, 2)
	outside := plus(whole.differences, -1, from)
	size := func(share float64) float64 {
		return math.Hypot(math.Hypot(floats.Norm(whole.kept, 2), share*lost), s.gauge.Value(plus(from, share, outside)))
	}
	low, high := 0.0, 1.0
	if lost <= s.epsilon*size(1) {
		low = 1
	}
	for high-low > shareError {
		if share := (low + high) / 2; share*lost > s.epsilon*size(share) {
			high = share
		} else {
			low = share
		}
	}
	out := plus(inside, low, plus(f, -1, inside))
	floats.Scale(1/size(low), out)
	return s.see(out)
}

// tangent turns the gradient of a deviation D at a function that within returned into that of f ↦ D(within(f)).
func (s *search) tangent(f *seen, gradient []float64) []float64 {
	d, lost := len(f.kept), floats.Norm(f.lost, 2)
	if lost >= s.epsilon*(1-boundary) {
		along := plus(gradient, -floats.Dot(gradient[:d], f.kept)/floats.Dot(f.star[:d], f.kept), f.star)
		if outward := floats.Dot(along[d:], f.lost); outward > 0 {
			floats.AddScaled(along[d:], -outward/(lost*lost), f.lost)
			return along
		}
	}
	return plus(gradient, -floats.Dot(gradient, f.f), f.star)
}

// A deviation is how far a bound is off at f and g, with its gradients.
type deviation struct {
	value  float64
	df, dg []float64
}

// A bound measures the deviation at f and g.
type bound func(s *search, f, g *seen) (*deviation, error)

// embed returns ι of f, g or f + g.
func (s *search) embed(which int, f *seen) ([]float64, error) {
	r, err := s.exact.Solve(s.ctx, mat.NewDense(1, len(f.kept), f.star[:len(f.kept)]))
	if err != nil {
		return nil, err
	}
	s.followers[which].Place(s.ctx, r.Iota.RawRowView(0))
	s.followers[which].Soften(sharp, r.Multipliers.RawRowView(0))
	return r.Iota.RawRowView(0), nil
}

// differentiated returns T*Xr for the derivative X of the last embedding of f, g or f + g.
func (s *search) differentiated(which int, r []float64) ([]float64, error) {
	dst := mat.NewDense(1, len(r), nil)
	err := s.followers[which].Differentiate(s.ctx, dst, mat.NewDense(1, len(r), r))
	return s.lifted(dst.RawRowView(0)), err
}

// pairing measures ⟨ι(f), ι*(g*)⟩ − ⟨f; g*⟩.
func (s *search) pairing(f, g *seen) (*deviation, error) {
	v, err := s.embed(0, f)
	if err != nil {
		return nil, err
	}
	off := plus(s.lifted(v), -1, f.f)
	through, err := s.differentiated(0, g.star[:len(g.kept)])
	return &deviation{
		value: floats.Dot(off, g.star),
		df:    plus(s.bent(f, through), -1, g.star), dg: s.bent(g, off),
	}, err
}

// linearity measures ‖ι(f + g) − ι(f) − ι(g)‖.
func (s *search) linearity(f, g *seen) (*deviation, error) {
	three := [...]*seen{f, g, s.see(plus(f.f, 1, g.f))}
	off := make([]float64, len(f.kept))
	for k, sign := range []float64{-1, -1, 1} {
		v, err := s.embed(k, three[k])
		if err != nil {
			return nil, err
		}
		floats.AddScaled(off, sign, v)
	}
	out := &deviation{value: floats.Norm(off, 2)}
	if out.value > 0 {
		floats.Scale(1/out.value, off)
	}
	var along [3][]float64
	for k, f := range three {
		through, err := s.differentiated(k, off)
		if err != nil {
			return nil, err
		}
		along[k] = s.bent(f, through)
	}
	out.df, out.dg = plus(along[2], -1, along[0]), plus(along[2], -1, along[1])
	return out, nil
}

// A stand is where a search is.
type stand struct {
	f, g   *seen
	value  float64
	df, dg []float64 // the gradients of what within makes of f and g
}

// stand measures at f and g.
func (s *search) stand(of bound, f, g *seen) (*stand, error) {
	d, err := of(s, f, g)
	if err != nil {
		return nil, err
	}
	return &stand{f: f, g: g, value: d.value, df: s.tangent(f, d.df), dg: s.tangent(g, d.dg)}, nil
}

// climb goes from f and g along the gradients as long as the deviation grows, by steps of Barzilai and Borwein.
func (s *search) climb(of bound, f, g *seen) (*stand, error) {
	now, err := s.stand(of, f, g)
	if err != nil {
		return nil, err
	}
	step := firstStep / math.Hypot(floats.Norm(now.df, 2), floats.Norm(now.dg, 2))
	for range searchRounds {
		next, err := s.stand(of, s.within(plus(now.f.f, step, now.df)), s.within(plus(now.g.f, step, now.dg)))
		if err != nil {
			return nil, err
		}
		if !(next.value > now.value) {
			step /= 4
			continue
		}
		step = next.step(now, step)
		now = next
	}
	return now, nil
}

// step returns that of Barzilai and Borwein after a step from before, ten times as long as that at most.
func (s *stand) step(before *stand, last float64) float64 {
	df, dg := plus(s.f.f, -1, before.f.f), plus(s.g.f, -1, before.g.f)
	way := floats.Dot(df, df) + floats.Dot(dg, dg)
	turn := floats.Dot(df, before.df) - floats.Dot(df, s.df) + floats.Dot(dg, before.dg) - floats.Dot(dg, s.dg)
	if turn <= 0 {
		return 4 * last
	}
	return min(10*last, way/turn)
}
