package reproduce

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Loss is how far the bounds of the theorem on inexact embeddings are off with some landmarks, over f and g with ‖f‖ = ‖g‖ = 1 that are
// ε-approximable.
type Loss struct {
	Landmarks int
	Epsilon   float64 // that all of S is approximable to
	Pairing   Extent  // |⟨ι(f), ι*(g*)⟩ − ⟨f; g*⟩|
	Linearity Extent  // ‖ι(f + g) − ι(f) − ι(g)‖
}

// An Extent is the largest of a deviation that was found.
type Extent struct {
	Random float64 // over pairs that are drawn
	Worst  float64 // by search
}

// The space in which landmarks are counted: wide kernels in a plane, so that few landmarks come near all of it.
const (
	landmarkPoints = 80
	landmarkDims   = 2
	landmarkWidth  = 1
	landmarkPairs  = 12
	landmarkTerms  = 5 // k(·, x) that a function is a combination of
)

func landmarkCounts() []int { return []int{4, 6, 9, 13, 19, 28, 41} }

// Inexact measures the bounds of the theorem on inexact embeddings under Nyström's as its landmarks grow. It takes the smooth seminorm, as the
// theorem is of differentiable norms.
func Inexact(ctx context.Context, seed uint64) ([]Loss, error) {
	rng := rand.New(rand.NewPCG(seed, landmarksStream))
	s, err := newSpace(smooth, landmarkPoints, landmarkDims, landmarkWidth, rng)
	if err != nil {
		return nil, err
	}
	order := rng.Perm(s.points)
	var f, g [][]float64
	for range landmarkPairs {
		f, g = append(f, s.combination(rng)), append(g, s.combination(rng))
	}
	counts := landmarkCounts()
	out := make([]Loss, len(counts))
	group, ctx := errgroup.WithContext(ctx)
	for k, count := range counts {
		group.Go(func() (err error) {
			e, err := s.nystrom(ctx, order[:count])
			if err != nil {
				return err
			}
			out[k], err = e.loss(ctx, f, g)
			out[k].Landmarks = count
			return err
		})
	}
	return out, group.Wait()
}

// nystrom returns the space under the embedding of these landmarks.
func (s *space) nystrom(ctx context.Context, landmarks []int) (*embedding, error) {
	z := mat.NewDense(len(landmarks), landmarkDims, nil)
	for k, i := range landmarks {
		z.SetRow(k, s.x.RawRowView(i))
	}
	features, err := embed.New(ctx, s.kernel, setting.Features{Landmarks: setting.RowLandmarks}, z, nil)
	if err != nil {
		return nil, err
	}
	phi := mat.NewDense(s.points, features.Dim(), nil)
	features.Features(phi, s.x)
	return s.in(ctx, phi)
}

// combination draws a function.
func (s *space) combination(rng *rand.Rand) []float64 {
	beta := make([]float64, s.points)
	for range landmarkTerms {
		beta[rng.IntN(s.points)] += rng.NormFloat64()
	}
	return beta
}

// A pair holds f and g, and what a deviation is at them.
type pair struct {
	f, g  *seen
	value float64
}

// loss measures all pairs, and searches from the worst of them.
func (e *embedding) loss(ctx context.Context, f, g [][]float64) (out Loss, err error) {
	s, err := e.search(ctx)
	if err != nil {
		return out, err
	}
	drawn := make([]pair, len(f))
	for k := range drawn {
		drawn[k] = pair{f: s.within(product(s.basis.T(), f[k])), g: s.within(product(s.basis.T(), g[k]))}
	}
	out.Epsilon = s.epsilon
	if out.Pairing, err = s.extent((*search).pairing, drawn); err != nil {
		return out, err
	}
	out.Linearity, err = s.extent((*search).linearity, drawn)
	return out, err
}

// extent measures a deviation at pairs, and searches from the worst of them.
func (s *search) extent(of bound, drawn []pair) (out Extent, err error) {
	drawn = slices.Clone(drawn)
	for k := range drawn {
		p := &drawn[k]
		at, err := of(s, p.f, p.g)
		if err != nil {
			return out, err
		}
		if p.value = at.value; p.value < 0 {
			p.f, p.value = s.see(plus(p.f.f, -2, p.f.f)), -p.value
		}
		out.Random = max(out.Random, p.value)
	}
	slices.SortFunc(drawn, func(a, b pair) int { return cmp.Compare(b.value, a.value) })
	for _, p := range drawn[:searchStarts] {
		at, err := s.climb(of, p.f, p.g)
		if err != nil {
			return out, err
		}
		out.Worst = max(out.Worst, at.value)
	}
	return out, nil
}

// Slope returns the exponent p of the power εᵖ that fits best, where ε and the figure are above rounding.
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
