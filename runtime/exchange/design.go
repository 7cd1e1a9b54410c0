package exchange

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"

	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// mostCorners bounds the corners of a box that are looked at. Of more, some are drawn.
const mostCorners = 32

// first returns the moves of an orbit that are looked at first: its members, the corners of its box, and a design. Each element has an offset of
// its own in the design (Cranley and Patterson 1976).
func (s *Search) first(o *regularizer.Orbit) [][]float64 {
	corners, design := s.corners(o.Dimension), s.halton(o.Dimension)
	out := make([][]float64, len(o.Members))
	for e := range out {
		out[e] = append(append([]float64(nil), o.Members[e]...), corners...)
		r := rand.New(rand.NewPCG(s.Seed, uint64(e))) //nolint:gosec // equal seeds must give equal results
		r.Uint64()
		offset := make([]float64, o.Dimension)
		for k := range offset {
			offset[k] = r.Float64()
		}
		for i, v := range design {
			if v += offset[i%o.Dimension]; v >= 1 {
				v--
			}
			out[e] = append(out[e], v)
		}
	}
	return out
}

// corners returns the corners of a box, one after another.
func (s *Search) corners(dimension int) []float64 {
	r := rand.New(rand.NewPCG(s.Seed, 1<<63)) //nolint:gosec // as above
	count, all := mostCorners, 1<<min(dimension, 30) <= mostCorners
	if all {
		count = 1 << dimension
	}
	var out []float64
	for i := range count {
		for k := range dimension {
			if bit := i >> k & 1; all {
				out = append(out, float64(bit))
			} else {
				out = append(out, float64(r.IntN(2)))
			}
		}
	}
	return out
}

// halton returns the points of a scrambled Halton sequence in a box, one after another.
func (s *Search) halton(dimension int) []float64 {
	if s.Design == 0 {
		return nil
	}
	out := mat.NewDense(s.Design, dimension, nil)
	source := rand.NewPCG(s.Seed, 1<<62) //nolint:gosec // as above
	samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(dimension, nil), Src: source}.Sample(out)
	return out.RawMatrix().Data
}
