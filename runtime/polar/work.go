package polar

// Limits of the finish: the order of its linear systems, and the numbers that the active rows of A may take.
const (
	finishOrder   = 2500
	finishNumbers = 16 << 20
	// finishTotal is how many numbers all steps at one time may take, so that memory does not grow with the processors.
	finishTotal = 96 << 20
)

// Work counts multiplications. A Newton step multiplies matrices, and matrices by vectors; an iteration of the alternating
// directions is counted whole.
type Work struct{ Matrices, Vectors, Iteration float64 }

// WorkOf returns the work where so many functionals move.
func WorkOf(functionals, dim, moved int) Work {
	r, d, m := float64(functionals), float64(dim), float64(moved)
	order := min(m, d)
	return Work{Matrices: order*m*d + order*order*order/3, Vectors: 6 * r * d, Iteration: 2*r*d + d*d}
}

// Moved counts the functionals that a proximal map moves.
func Moved(z, t []float64) int {
	count := 0
	for j, v := range t {
		if z[j] != v {
			count++
		}
	}
	return count
}
