package operator

import "gonum.org/v1/gonum/blas/blas64"

// mostCoupled is how many numbers the coupling of labels may have. An eigendecomposition of more labels takes minutes.
const mostCoupled = 1 << 22

// A labelCoupling is a symmetric matrix of labels, by the places that are touched. Of each pair of labels it has the one with the larger label first.
type labelCoupling struct {
	labels int
	pairs  [][2]int32
	value  []float64
	place  map[[2]int32]int32
	next   int32 // the place that was found last: rows mostly touch the same places in the same order
}

// at returns the number of a pair.
func (c *labelCoupling) at(i, j int32) float64 {
	if k, ok := c.place[[2]int32{i, j}]; ok {
		return c.value[k]
	}
	return 0
}

// find returns the place of a pair, which begins at 0 where it is new.
func (c *labelCoupling) find(i, j int32) int32 {
	if c.next++; int(c.next) < len(c.pairs) && c.pairs[c.next] == [2]int32{i, j} {
		return c.next
	}
	k, ok := c.place[[2]int32{i, j}]
	if c.next = k; !ok {
		k = int32(len(c.pairs))
		c.next, c.place[[2]int32{i, j}], c.pairs, c.value = k, k, append(c.pairs, [2]int32{i, j}), append(c.value, 0)
	}
	return k
}

// lower returns the lower triangle as a matrix.
func (c *labelCoupling) lower() blas64.General {
	out := blas64.General(newMatrix[float64](c.labels, c.labels))
	for k, p := range c.pairs {
		out.Data[int(p[0])*out.Stride+int(p[1])] = c.value[k]
	}
	return out
}
