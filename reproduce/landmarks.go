package reproduce

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/embed"
)

// A Loss is how far the bounds of the theorem on inexact embeddings are off with some landmarks.
type Loss struct {
	Landmarks int
	Epsilon   float64 // that f, g and S are approximable to
	Pairing   float64 // |⟨ι(f), ι*(g*)⟩ − ⟨f; g*⟩|, the largest over pairs with ‖f‖ = ‖g‖ = 1
	Linearity float64 // ‖ι(f + g) − ι(f) − ι(g)‖, the largest
}

// The space in which landmarks are counted: wide kernels in a plane, so that few landmarks come near all of it.
const (
	landmarkPoints = 240
	landmarkDims   = 2
	landmarkWidth  = 1
	landmarkPairs  = 12
	landmarkTerms  = 5 // k(·, x) that a function is a combination of
)

func landmarkCounts() []int { return []int{4, 6, 9, 13, 19, 28, 41, 60, 88, 129, 189} }

// Inexact measures the bounds of the theorem on inexact embeddings under Nyström's as its landmarks grow.
func Inexact(ctx context.Context, seed uint64) ([]Loss, error) {
	rng := rand.New(rand.NewPCG(seed, landmarksStream))
	s, err := newSpace(landmarkPoints, landmarkDims, landmarkWidth, rng)
	if err != nil {
		return nil, err
	}
	order := rng.Perm(s.points)
	var f, g [][]float64
	for range landmarkPairs {
		f, g = append(f, s.unit(rng)), append(g, s.unit(rng))
	}
	var out []Loss
	for _, count := range landmarkCounts() {
		z := mat.NewDense(count, landmarkDims, nil)
		for k, i := range order[:count] {
			z.SetRow(k, s.x.RawRowView(i))
		}
		features, err := embed.New(ctx, s.kernel, embed.Spec{Kind: embed.Nystrom, Landmarks: embed.Given, Given: z}, s.x, nil)
		if err != nil {
			return nil, err
		}
		phi := mat.NewDense(s.points, features.Dim(), nil)
		features.Features(phi, s.x)
		e, err := s.in(ctx, phi)
		if err != nil {
			return nil, err
		}
		loss, err := e.loss(ctx, f, g)
		if err != nil {
			return nil, err
		}
		loss.Landmarks = count
		out = append(out, *loss)
	}
	return out, nil
}

// unit draws a function of norm 1.
func (s *space) unit(rng *rand.Rand) []float64 {
	beta := make([]float64, s.points)
	for range landmarkTerms {
		beta[rng.IntN(s.points)] += rng.NormFloat64()
	}
	floats.Scale(1/s.norm(beta), beta)
	return beta
}

// loss measures all pairs.
func (e *embedding) loss(ctx context.Context, f, g [][]float64) (*Loss, error) {
	out := &Loss{Epsilon: e.lostOfS()}
	for k := range f {
		vf, err := e.of(ctx, f[k])
		if err != nil {
			return nil, err
		}
		alpha, _ := e.star(g[k])
		vg, _, err := e.iota(ctx, e.starred(alpha))
		if err != nil {
			return nil, err
		}
		sum := make([]float64, e.points)
		floats.AddTo(sum, f[k], g[k])
		vs, err := e.of(ctx, sum)
		if err != nil {
			return nil, err
		}
		out.Epsilon = max(out.Epsilon, e.lost(f[k]), e.lost(g[k]))
		out.Pairing = max(out.Pairing, math.Abs(floats.Dot(vf, e.starred(alpha))-e.pairing(f[k], alpha)))
		floats.Sub(vs, vf)
		floats.Sub(vs, vg)
		out.Linearity = max(out.Linearity, floats.Norm(vs, 2))
	}
	return out, nil
}

// lost is the norm of the part of Σ β_i k(·, x_i) outside the span of the landmarks.
func (e *embedding) lost(beta []float64) float64 {
	kept := floats.Norm(e.starred(beta), 2)
	return math.Sqrt(max(0, floats.Dot(beta, e.values(beta))-kept*kept))
}

// lostOfS bounds what is lost of any element of S. Elements are w/√n Σ_i b_i Σ_j a_ij z_ij with ‖b‖₂ ≤ 1, Σ_j |a_ij| ≤ 1, so by
// Cauchy and Schwarz no more than w (mean over i of max over j of ‖z_ij outside the span‖²)^½.
func (e *embedding) lostOfS() float64 {
	var sum float64
	for i := range e.points {
		worst := 0.0
		for k := i * theoryNeighbours; k < (i+1)*theoryNeighbours; k++ {
			a, b := e.first[k], e.second[k]
			whole := e.gram.At(a, a) + e.gram.At(b, b) - 2*e.gram.At(a, b)
			kept := floats.Norm(e.matrix.RawRowView(k), 2)
			worst = max(worst, whole-kept*kept)
		}
		sum += worst
	}
	return theoryWeight * math.Sqrt(sum/float64(e.points))
}

// Slope is the exponent p of the power εᵖ that fits best, where ε and the figure are above rounding.
func Slope(losses []Loss, of func(*Loss) float64) float64 {
	const rounding = 1e-7
	var x, y []float64
	for k := range losses {
		if v := of(&losses[k]); losses[k].Epsilon > rounding && v > 0 {
			x, y = append(x, math.Log(losses[k].Epsilon)), append(y, math.Log(v))
		}
	}
	if len(x) < 2 {
		return math.NaN()
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	return slope
}
