package draws

import "math/bits"

// Starts returns how many corners of a box a maximum over it begins with. In up to three dimensions they are all. In more they are a fraction
// that has each amount at either end equally often.
func Starts(dimension int) int { return 1 << factors(dimension) }

// factors returns how many coordinates of such a corner are free. The others are products of those, in signs.
func factors(dimension int) int {
	if dimension <= 3 {
		return dimension
	}
	return max(3, bits.Len(uint(dimension)))
}

// Corner appends the amounts of one of these corners. With the free coordinates as bits of its number, each further coordinate is the parity of a
// set of them, the largest sets first. In four dimensions that is the half of all corners in which any three amounts take all
// combinations (Box and Hunter 1961).
func Corner(dimension, number int, to []float64) []float64 {
	free := factors(dimension)
	for k := range min(free, dimension) {
		to = append(to, float64(number>>k&1))
	}
	sets := 0
	for size := free; size > 1 && sets < dimension-free; size-- {
		for set := range 1 << free {
			if bits.OnesCount(uint(set)) == size && sets < dimension-free {
				to = append(to, float64(bits.OnesCount(uint(set&number))&1))
				sets++
			}
		}
	}
	return to
}
