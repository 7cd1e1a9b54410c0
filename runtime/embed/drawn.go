package embed

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// soundPivots is the least pivot of a draw, as a share of its largest, whose factor is taken as it is. Rounding of features
// then stays some thousand times below what certificates ask for.
const soundPivots = 1e-6

// A drawn has the features of the candidates of a draw, or of all candidates where each is a landmark. With K(x, Z) = F_x L_Zᵀ, L_Z = F_Z of the chosen landmarks Z, the
// whitening matrix W = L_Z⁻ᵀ makes
//
//	φ(x)ᵀ = K(x, Z)W = F_x,
//
// the row of the factor that the draw has left. So nothing is computed anew at candidates, which are rows and points of R.
type drawn struct {
	places map[uint64][]int32 // of candidates, by the hash of a point
	from   *candidates
	factor blas64.General
}

// takeDraw sets the map to the landmarks of a draw, in their order, and keeps its factor. It reports false where the factor's pivots are
// too small for that.
func (m *nystrom) takeDraw(p *pivots) bool {
	n := len(p.chosen)
	triangle := p.factorRows(p.chosen)
	whiten := mat.NewDense(n, n, nil)
	largest := 0.0
	for i := range n {
		largest = max(largest, triangle.Data[i*n+i])
		for j := range i + 1 {
			whiten.Set(j, i, triangle.Data[i*n+j])
		}
	}
	for i := range n {
		if v := whiten.At(i, i); !(v > largest*math.Sqrt(soundPivots)) {
			return false
		}
	}
	raw := whiten.RawMatrix()
	if !lapack64.Trtri(blas64.Triangular{N: n, Stride: raw.Stride, Data: raw.Data, Uplo: blas.Upper, Diag: blas.NonUnit}) {
		return false
	}
	m.whiten, m.upper = whiten, true
	m.drawn = newDrawn(p.from, p.factor)
	return true
}

// newDrawn returns the features of candidates that are rows of a factor.
func newDrawn(of *candidates, factor blas64.General) *drawn {
	d := &drawn{places: make(map[uint64][]int32, len(of.ids)), from: of, factor: factor}
	for i, id := range of.ids {
		h := hashRow(of.points.At(id))
		d.places[h] = append(d.places[h], int32(i))
	}
	return d
}

// whole returns the candidates where all are landmarks, and nothing else is one. It returns nil where they are not, or a table of them is too large.
func (c *candidates) whole() *candidates {
	if n, _ := c.landmarks.Dims(); n < len(c.ids) || len(c.derived) > 0 || float64(n)*float64(n) > TableSize {
		return nil
	}
	return c
}

// turned returns the rows of F in the candidates' order, K = FFᵀ. Column i of the upper factor is that of candidate pivots[i].
func turned(u blas64.Triangular, pivots []int) blas64.General {
	out := blas64.General{Rows: len(pivots), Cols: u.N, Stride: u.N, Data: make([]float64, len(pivots)*u.N)}
	for j := range u.N {
		for i, p := range pivots[j:] {
			out.Data[p*u.N+j] = u.Data[j*u.Stride+j+i]
		}
	}
	return out
}

// find returns the place of a point among the candidates, −1 if it is none.
func (d *drawn) find(x []float64) int {
	for _, i := range d.places[hashRow(x)] {
		if slices.Equal(d.from.points.At(d.from.ids[i]), x) {
			return int(i)
		}
	}
	return -1
}

// fill sets the rows of dst at the points of x that are candidates. It returns those of the other points.
func (d *drawn) fill(dst, x *mat.Dense) (others []int) {
	n, _ := x.Dims()
	for i := range n {
		at := d.find(x.RawRowView(i))
		if at < 0 {
			others = append(others, i)
			continue
		}
		copy(dst.RawRowView(i), d.factor.Data[at*d.factor.Stride:])
	}
	return others
}

// ForgetThinned forgets where points were thinned out before the draw. These are many, so that memory counts for more than the time of a few.
func ForgetThinned(m Map) {
	if n, ok := m.(*nystrom); ok && n.drawn != nil && n.drawn.from.thinned {
		n.drawn = nil
	}
}

// Forget drops the features that a map has of the points which its landmarks were drawn from, and their memory. From then on all are
// computed. It must not run beside other methods of the map.
func Forget(m Map) {
	if n, ok := m.(*nystrom); ok {
		n.drawn = nil
	}
}
