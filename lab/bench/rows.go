package bench

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
)

// streamRHS is the stream of random numbers that right-hand sides are drawn from.
const streamRHS uint64 = 0x62656e6368

// A rowSource makes right-hand sides φ(x)yᵀ: of every row one, each with a label drawn for it, then of every row another.
type rowSource struct {
	x        rows
	features embed.Map
	labels   int
	first    []int // of every row
}

func newRowSource(x *mat.Dense, features embed.Map, labels int, seed uint64) *rowSource {
	s := &rowSource{x: keepRows(x), features: features, labels: labels}
	rng := rand.New(rand.NewPCG(seed, streamRHS))
	for range s.x.count {
		s.first = append(s.first, rng.IntN(labels))
	}
	return s
}

// next hands out right-hand sides lo … hi−1.
func (s *rowSource) next(lo, hi int) (*mat.Dense, error) {
	d, n := s.features.Dim(), s.x.count
	x, phi := mat.NewDense(hi-lo, s.x.columns, nil), mat.NewDense(hi-lo, d, nil)
	for k := lo; k < hi; k++ {
		s.x.row(x.RawRowView(k-lo), k%n)
	}
	s.features.Features(phi, x)
	out := mat.NewDense(hi-lo, s.labels*d, nil)
	for k := lo; k < hi; k++ {
		label := (s.first[k%n] + k/n) % s.labels
		copy(out.RawRowView(k - lo)[label*d:(label+1)*d], phi.RawRowView(k-lo))
	}
	return out, nil
}

// rows are rows of data that take little of the memory that is measured: pixels are kept as bytes.
type rows struct {
	count, columns int
	pixels         []uint8
	numbers        *mat.Dense // where there are no pixels
}

func keepRows(x *mat.Dense) rows {
	n, p := x.Dims()
	r := rows{count: n, columns: p, pixels: make([]uint8, 0, n*p)}
	for i := range n {
		for _, v := range x.RawRowView(i) {
			if v != float64(uint8(v)) {
				r.pixels, r.numbers = nil, x
				return r
			}
			r.pixels = append(r.pixels, uint8(v))
		}
	}
	return r
}

func (r *rows) row(dst []float64, i int) {
	if r.numbers != nil {
		copy(dst, r.numbers.RawRowView(i))
		return
	}
	for j, v := range r.pixels[i*r.columns : (i+1)*r.columns] {
		dst[j] = float64(v)
	}
}
