package polar

import "github.com/sipc-ml/sipc/runtime/gauge"

const (
	// finishOrder bounds the order of the finish's linear systems, finishNumbers the numbers of the active rows of A.
	finishOrder   = 2500
	finishNumbers = 16 << 20
	// finishTotal is how many numbers all steps at one time may take, so that memory does not grow with the processors.
	finishTotal = 96 << 20
)

// Work counts multiplications. Those of a Newton step are divided into products of matrices and products with
// vectors. An iteration of the alternating directions, or of a descent, is counted whole.
type Work struct{ Matrices, Vectors, Iteration float64 }

// WorkOf returns the work if moved functionals are active: a Cholesky factorization of the smaller order, and the
// product before it.
func WorkOf(functionals, dim, moved int) Work {
	r, d, m := float64(functionals), float64(dim), float64(moved)
	order := min(m, d)
	return Work{Matrices: order*m*d + order*order*order/3, Vectors: 6 * r * d, Iteration: 2*r*d + d*d}
}

// evaluationsEach is how often a proximal map evaluates each node of the gauge. Sweeps take 3 to 10, and searches many more.
const evaluationsEach = 5

// Work returns about how many multiplications so many iterations usually take: their products, and evaluationsEach evaluations of
// each node of the gauge.
func (p *Problem) Work(iterations int) float64 {
	if p.A == nil {
		return 0
	}
	r, dim := p.A.Dims()
	each := WorkOf(r, dim, 0).Iteration
	if p.Gauge != nil {
		each += evaluationsEach * gauge.Work(p.Gauge)
	}
	return float64(iterations) * each
}

// Moved counts the functionals that a proximal map moves, which are the active ones.
func Moved(z, t []float64) int {
	count := 0
	for j, v := range t {
		if z[j] != v {
			count++
		}
	}
	return count
}
