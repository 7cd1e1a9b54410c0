package reproduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Property is a statement of the paper's analysis, and how far from it we are under each seminorm.
type Property struct {
	Name      string
	Statement string
	Smooth    bool               // whether it is said of differentiable norms alone
	Deviation [seminorms]float64 // the largest, relative
	Trials    int                // under each
}

// theoryLimit is what a property may deviate by under a lossless embedding.
const theoryLimit = 1e-8

// The size of the spaces in which the theory is measured.
const (
	theoryPoints     = 60
	theoryDims       = 5
	theoryNeighbours = 4
	theoryWeight     = 2
	theoryTrials     = 20
	theoryGap        = 1e-16
	theoryStream     = 0x7468656f7279
	landmarksStream  = 0x6c616e646d61726b
)

// A seminorm is an R of how much f differs between a point and its neighbours. Norms over points are those of means.
type seminorm int

// The seminorms of the theory.
const (
	smooth    seminorm = iota // norm(3) over i of the rms over j of |f(x_i) − f(x_j)|, whose square is differentiable and not quadratic
	kinked                    // rms over i of the max over j of |f(x_i) − f(x_j)|, whose square is not differentiable
	seminorms = iota
)

// String returns the seminorm in words.
func (s seminorm) String() string {
	return fmt.Sprintf([...]string{
		"%d · norm(3) over points of the rms difference to %d neighbours", "%d · rms over points of the largest difference to %d neighbours",
	}[s], theoryWeight, theoryNeighbours)
}

// gauge returns the seminorm as a gauge of the differences, those of a point together.
func (s seminorm) gauge(points int) *gauge.Node {
	inner := gauge.Repeat(theoryNeighbours, gauge.MaxOf(gauge.Leaf(gauge.Abs)))
	p, w := 2.0, float64(theoryWeight)
	if s == smooth {
		inner = gauge.Repeat(theoryNeighbours, gauge.Hypot(gauge.Leaf(gauge.Abs)))
		p, w = 3, w/math.Sqrt(theoryNeighbours)
	}
	return gauge.Scaled(gauge.Repeat(points, gauge.NormOf(p, inner)), w*math.Pow(float64(points), -1/p))
}

// A space is the span of k(·, x_i) over some points, normed by ‖f‖² + R(f)². Its functions are Σ β_i k(·, x_i), and known by their
// coefficients β alone. It uses no feature map, so that embeddings can be checked against it.
type space struct {
	x         *mat.Dense
	kernel    *kernel.Function
	gram      *mat.Dense
	first     []int // of each functional's pair of points
	second    []int
	gauge     *gauge.Node
	points, r int
}

// newSpace draws points of a normal distribution; width is a multiple of their median distance.
func newSpace(r seminorm, points, dims int, width float64, rng *rand.Rand) (*space, error) {
	s := &space{x: mat.NewDense(points, dims, nil), points: points, r: points * theoryNeighbours, gauge: r.gauge(points)}
	s.x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, s.x)
	median, err := kernel.MedianDistance(s.x, 0)
	if err != nil {
		return nil, err
	}
	if s.kernel, err = kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: width * median}); err != nil {
		return nil, err
	}
	s.gram = mat.NewDense(points, points, nil)
	s.kernel.Matrix(s.gram, s.x, s.x)
	for i := range points {
		for _, j := range s.nearest(i) {
			s.first, s.second = append(s.first, i), append(s.second, j)
		}
	}
	return s, s.gauge.Validate()
}

// nearest returns the points with the largest kernel values with point i, without itself.
func (s *space) nearest(i int) []int {
	values, order := make([]float64, s.points), make([]int, s.points)
	for j, v := range s.gram.RawRowView(i) {
		values[j] = -v
	}
	values[i] = math.Inf(1)
	floats.Argsort(values, order)
	return order[:theoryNeighbours]
}

// functionals returns the values of A at a function's values.
func (s *space) functionals(values []float64) []float64 {
	t := make([]float64, s.r)
	for k := range t {
		t[k] = values[s.first[k]] - values[s.second[k]]
	}
	return t
}

// transposed returns the coefficients of Aᵀc.
func (s *space) transposed(c []float64) []float64 {
	out := make([]float64, s.points)
	for k, v := range c {
		out[s.first[k]] += v
		out[s.second[k]] -= v
	}
	return out
}

// values returns f(x_i).
func (s *space) values(beta []float64) []float64 {
	var out mat.VecDense
	out.MulVec(s.gram, mat.NewVecDense(s.points, beta))
	return out.RawVector().Data
}

// norm returns ‖f‖_B.
func (s *space) norm(beta []float64) float64 {
	values := s.values(beta)
	return math.Hypot(math.Sqrt(max(0, floats.Dot(beta, values))), s.gauge.Value(s.functionals(values)))
}

// star returns f* = Σ α_i G*_{x_i}, α of f + ½∇R², and the multipliers c with α = β + Aᵀc.
func (s *space) star(beta []float64) (alpha, c []float64) {
	t := s.functionals(s.values(beta))
	c = make([]float64, s.r)
	s.gauge.Subgradient(c, t)
	floats.Scale(s.gauge.Value(t), c)
	alpha = s.transposed(c)
	floats.Add(alpha, beta)
	return alpha, c
}

// dualBound returns a proven upper bound of ‖f*‖_{B*}, attained where c is optimal: √(‖a − Aᵀc‖² + ρ°(c)²).
func (s *space) dualBound(alpha, c []float64) float64 {
	rest := s.transposed(c)
	floats.SubTo(rest, alpha, rest)
	return math.Hypot(math.Sqrt(max(0, floats.Dot(rest, s.values(rest)))), s.gauge.Polar(c))
}

// pairing returns ⟨f; g*⟩ = Σ α_i f(x_i).
func (s *space) pairing(beta, alpha []float64) float64 { return floats.Dot(alpha, s.values(beta)) }

// An embedding is the space in Euclidean coordinates: row i of phi is φ(x_i).
type embedding struct {
	*space
	phi    *mat.Dense
	solver *polar.Solver
	matrix *mat.Dense // A
}

// in returns the space under the coordinates phi (points×d).
func (s *space) in(ctx context.Context, phi *mat.Dense) (*embedding, error) {
	_, d := phi.Dims()
	e := &embedding{space: s, phi: phi, matrix: mat.NewDense(s.r, d, nil)}
	for k := range s.r {
		floats.SubTo(e.matrix.RawRowView(k), phi.RawRowView(s.first[k]), phi.RawRowView(s.second[k]))
	}
	a, err := polar.NewDense(e.matrix)
	if err != nil {
		return nil, err
	}
	e.solver, err = polar.New(ctx, polar.Problem{Alpha: 1, A: a, Gauge: s.gauge}, polar.Settings{Gap: theoryGap, Double: true, MaxIterations: 20000})
	return e, err
}

// starred returns ι*(g*) = Σ α_i φ(x_i).
func (e *embedding) starred(alpha []float64) []float64 {
	var out mat.VecDense
	out.MulVec(e.phi.T(), mat.NewVecDense(e.points, alpha))
	return out.RawVector().Data
}

// iota returns the embedding of the function whose star is u, and ‖u‖ in the dual norm.
func (e *embedding) iota(ctx context.Context, u []float64) (v []float64, norm float64, err error) {
	r, err := e.solver.Solve(ctx, mat.NewDense(1, len(u), append([]float64(nil), u...)))
	if err != nil {
		return nil, 0, err
	}
	return r.Iota.RawRowView(0), math.Sqrt(r.Norm2[0]), nil
}

// of returns ι(f).
func (e *embedding) of(ctx context.Context, beta []float64) ([]float64, error) {
	alpha, _ := e.star(beta)
	v, _, err := e.iota(ctx, e.starred(alpha))
	return v, err
}

// size returns the norm of a vector in the ball's gauge, √(‖v‖² + ρ(Av)²).
func (e *embedding) size(v []float64) float64 {
	var t mat.VecDense
	t.MulVec(e.matrix, mat.NewVecDense(len(v), v))
	return math.Hypot(floats.Norm(v, 2), e.gauge.Value(t.RawVector().Data))
}

// function returns the coefficients of the function that becomes v.
func (e *embedding) function(v []float64) ([]float64, error) {
	var out mat.VecDense
	if err := out.SolveVec(e.phi.T(), mat.NewVecDense(len(v), v)); err != nil {
		return nil, fmt.Errorf("the embedding is not onto: %w", err)
	}
	return out.RawVector().Data, nil
}

// roots returns two lossless embeddings of a space, K = ΦΦᵀ: by Cholesky's factor, and by eigenvectors.
func (s *space) roots(ctx context.Context) (cholesky, eigen *embedding, err error) {
	sym := mat.NewSymDense(s.points, nil)
	for i := range s.points {
		for j := range i + 1 {
			sym.SetSym(i, j, s.gram.At(i, j))
		}
	}
	var c mat.Cholesky
	if !c.Factorize(sym) {
		return nil, nil, fmt.Errorf("the kernel matrix of %d points is singular", s.points)
	}
	var l mat.TriDense
	c.LTo(&l)
	if cholesky, err = s.in(ctx, mat.DenseCopyOf(&l)); err != nil {
		return nil, nil, err
	}
	var e mat.EigenSym
	if !e.Factorize(sym, true) {
		return nil, nil, fmt.Errorf("the kernel matrix of %d points has no eigenvectors", s.points)
	}
	var q mat.Dense
	e.VectorsTo(&q)
	q.Apply(func(_, j int, v float64) float64 { return v * math.Sqrt(max(0, e.Values(nil)[j])) }, &q)
	eigen, err = s.in(ctx, &q)
	return cholesky, eigen, err
}
