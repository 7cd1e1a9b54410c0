package embed

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/kernel"
)

const (
	// spanSample is how many functionals are measured.
	spanSample = 2000
	// spanTerms is the number of terms above which a functional is skipped: the work grows with the pairs of its
	// terms.
	spanTerms = 3000
	// spanPairs bounds the pairs of terms, in all.
	spanPairs = 4 << 20
)

// A SpanReport says how much of the functionals a feature map loses. The representer z of a functional ℓ has ‖z‖² =
// ℓ⊗ℓ k, of which the map keeps ‖Tz‖². The share lost is |1 − ‖Tz‖²/‖z‖²|, at most 1. If T is a projection (Nyström),
// 1 − ‖Tz‖²/‖z‖² lies in [0, 1] anyway; random features may also add. It is 1 for functionals that the kernel does
// not bound.
type SpanReport struct {
	// Functionals is the number of functionals asked about.
	Functionals int
	// Sampled were measured. Of these Zero are zero and play no part in the rest. Skipped have too many terms.
	Sampled               int
	Zero                  int
	Skipped               int
	Median, Mean, Largest float64
	// Worst is the functional that loses most, −1 if there is none.
	Worst int
}

// Span measures the loss on the functionals first … first+count−1 of a block, or on a sample of 2000 of them drawn by
// the seed. It fails only if ctx ends.
func Span(ctx context.Context, m Map, points *Points, first, count int, seed uint64) (*SpanReport, error) {
	r := &SpanReport{Functionals: count, Worst: -1}
	order := rand.New(rand.NewPCG(seed, streamSpan)).Perm(count)
	order = order[:min(count, spanSample)]
	// In order, so that functionals of one invariance share batches of points.
	slices.Sort(order)
	s := &spanner{m: m, points: points}
	pairs := 0
	for k, i := range order {
		terms := s.terms(first + i)
		if len(terms) > spanTerms || pairs > spanPairs {
			r.Skipped++
		} else {
			pairs += len(terms) * len(terms)
			s.functionals, s.ends = append(s.functionals, first+i), append(s.ends, len(s.queue)+len(terms))
			s.queue = append(s.queue, terms...)
		}
		// Many functionals share a call for features, which costs as much as a matrix product.
		if len(s.queue) >= blockRows || k+1 == len(order) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s.flush(r)
		}
	}
	if len(s.shares) > 0 {
		r.Mean = floats.Sum(s.shares) / float64(len(s.shares))
		slices.Sort(s.shares)
		r.Median = s.shares[len(s.shares)/2]
	}
	return r, nil
}

// A spanner computes norms of representers, with the features of many functionals at once.
type spanner struct {
	m      Map
	points *Points
	// functionals wait in groups; queue has their terms, and ends where those of each end.
	functionals []int
	queue       []int32
	ends        []int
	shares      []float64
}

// flush measures the functionals that are waiting.
func (s *spanner) flush(r *SpanReport) {
	phi, start := s.features(), 0
	for k, i := range s.functionals {
		end := s.ends[k]
		r.Sampled++
		share, ok := 0.0, false
		if end > start {
			share, ok = s.lost(s.queue[start:end], phi[start:end])
		}
		start = end
		if !ok {
			r.Zero++
			continue
		}
		if r.Worst < 0 || share > r.Largest {
			r.Largest, r.Worst = share, i
		}
		s.shares = append(s.shares, share)
	}
	s.functionals, s.queue, s.ends = s.functionals[:0], s.queue[:0], s.ends[:0]
}

// terms returns the terms of functional i whose coefficients are not 0.
func (s *spanner) terms(i int) []int32 {
	b := s.points.Block
	out := make([]int32, 0, b.Start[i+1]-b.Start[i])
	for k := b.Start[i]; k < b.Start[i+1]; k++ {
		if b.Coef[k] != 0 {
			out = append(out, k)
		}
	}
	return out
}

// lost returns the share of the squared norm that the map loses of the functional with these terms and features. It
// reports false if the functional is zero to rounding.
func (s *spanner) lost(terms []int32, phi [][]float64) (float64, bool) {
	weights := s.weights(terms)
	exact, scale := s.norms(terms, weights)
	// A functional that is not bounded has no representer, so nothing of it is kept.
	if math.IsInf(scale, 0) || math.IsNaN(scale) {
		return 1, true
	}
	// ‖z‖² is the sum of scale and of products that cancel it.
	if exact <= 1e-12*scale {
		return 0, false
	}
	kept := 0.0
	for a := range terms {
		for b := range a + 1 {
			if w := weights.At(a, b); w != 0 {
				kept += twice(a, b) * w * floats.Dot(phi[a], phi[b])
			}
		}
	}
	return min(1, math.Abs(1-kept/exact)), true
}

// twice returns how often a pair of terms counts: two different ones stand for both orders.
func twice(a, b int) float64 {
	if a == b {
		return 1
	}
	return 2
}

// weights returns coef_a coef_b ⟨y_a, y_b⟩ for all pairs.
func (s *spanner) weights(terms []int32) *mat.SymDense {
	b := s.points.Block
	out := mat.NewSymDense(len(terms), nil)
	for i, k := range terms {
		for j := range i + 1 {
			l := terms[j]
			out.SetSym(i, j, b.Coef[k]*b.Coef[l]*labelProduct(b, b.Label[k], b.Label[l]))
		}
	}
	return out
}

// labelProduct returns ⟨y, y′⟩, and 1 if f is a function of x alone.
func labelProduct(b *plugins.Block, first, second int32) float64 {
	if first == plugins.NoLabel || second == plugins.NoLabel {
		return 1
	}
	y, z := &b.Labels[first], &b.Labels[second]
	sum := 0.0
	for i, j := 0, 0; i < len(y.Index) && j < len(z.Index); {
		switch {
		case y.Index[i] < z.Index[j]:
			i++
		case y.Index[i] > z.Index[j]:
			j++
		default:
			sum += y.Value[i] * z.Value[j]
			i, j = i+1, j+1
		}
	}
	return sum
}

// norms returns ‖z‖² by the kernel, and the sum of its terms' own squares as a scale to compare it with.
func (s *spanner) norms(terms []int32, weights *mat.SymDense) (exact, scale float64) {
	// Kernels compute pairs of one kind at once, with the higher order first.
	var places [kernel.MostOrder + 1][]int
	var arguments [kernel.MostOrder + 1]kernel.Argument
	for order := range places {
		var own []Atom
		for a, k := range terms {
			if atom := s.atom(k); atom.Order() == order {
				places[order], own = append(places[order], a), append(own, atom)
			}
		}
		arguments[order] = s.points.Argument(own)
		for lower := range order + 1 {
			rows, cols := places[order], places[lower]
			if len(rows) == 0 || len(cols) == 0 {
				continue
			}
			values := mat.NewDense(len(rows), len(cols), nil)
			s.m.Kernel().Derived(values, arguments[order], arguments[lower])
			for i, a := range rows {
				for k, b := range cols {
					w := weights.At(a, b)
					switch {
					case w == 0 || order == lower && b > a:
						continue
					case a == b:
						scale += w * values.At(i, k)
					}
					exact += twice(a, b) * (values.At(i, k) * w)
				}
			}
		}
	}
	return exact, scale
}

// atom returns what a term evaluates.
func (s *spanner) atom(term int32) Atom {
	b := s.points.Block
	return Atom{b.Point[term], b.Tangent[term]}
}

// features returns the features of the terms that are waiting. Terms of one atom share theirs.
func (s *spanner) features() [][]float64 {
	var atoms []Atom
	place, index := make([]int, len(s.queue)), map[Atom]int{}
	for i, k := range s.queue {
		a := s.atom(k)
		j, ok := index[a]
		if !ok {
			j, atoms = len(atoms), append(atoms, a)
			index[a] = j
		}
		place[i] = j
	}
	if len(atoms) == 0 {
		return nil
	}
	phi, out := s.points.Features(s.m, atoms), make([][]float64, len(place))
	for i, j := range place {
		out[i] = phi.RawRowView(j)
	}
	return out
}
