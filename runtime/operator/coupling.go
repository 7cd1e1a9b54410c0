package operator

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// mostCoupled is how many numbers the coupling of labels may have. An eigendecomposition of more labels takes minutes.
const mostCoupled = 1 << 22

// A labelCoupling is a symmetric matrix of labels, by the places that are touched. Of each pair of labels it has the one with the larger label first.
type labelCoupling struct {
	labels int
	pairs  [][2]int32
	value  []float64
	place  map[[2]int32]int32
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
	k, ok := c.place[[2]int32{i, j}]
	if !ok {
		k = int32(len(c.pairs))
		c.place[[2]int32{i, j}], c.pairs, c.value = k, append(c.pairs, [2]int32{i, j}), append(c.value, 0)
	}
	return k
}

// lower returns the lower triangle as a matrix.
func (c *labelCoupling) lower() blas64.General {
	out := newGeneral(c.labels, c.labels)
	for k, p := range c.pairs {
		out.Data[int(p[0])*out.Stride+int(p[1])] = c.value[k]
	}
	return out
}

// coupledBy finds C and D with SᵀWS = C ⊗ D, or returns nil. It compares the coupling of every row with that of the first row that has one, by
// the element that is largest there.
func coupledBy(a *Operator, w []float64) (*labelCoupling, []float64) {
	byRow := functionalsOf(a, w)
	if byRow == nil {
		return nil, nil
	}
	var reference *labelCoupling
	peak := 0 // where the reference is largest
	d, own := make([]float64, len(byRow)), []float64(nil)
	for k, list := range byRow {
		// A row without functionals has d_k = 0, which any C allows.
		if reference == nil && len(list) == 0 {
			continue
		}
		first := reference == nil
		if first {
			reference = &labelCoupling{labels: a.labels, place: map[[2]int32]int32{}}
		}
		if own = a.coupled(own, list, w, reference); own == nil {
			return nil, nil
		}
		if first {
			copy(reference.value, own)
			for j, v := range own {
				if math.Abs(v) > math.Abs(own[peak]) {
					peak = j
				}
			}
		}
		// By the largest element the quotient has the least rounding error.
		d[k] = own[peak] / reference.value[peak]
		for j, v := range own {
			if math.Abs(v-d[k]*reference.value[j]) > alikeShare*math.Abs(own[peak]) {
				return nil, nil
			}
		}
	}
	return reference, d
}

// functionalsOf lists the functionals of every row that have a weight, or returns nil where one is of several rows. These are coupled by
// it, and SᵀWS is no product then.
func functionalsOf(a *Operator, w []float64) [][]int32 {
	byRow := make([][]int32, a.psi.Rows)
	for i := range a.functionals {
		es := a.of(i)
		if w[i] == 0 || len(es) == 0 {
			continue
		}
		row := a.columns[es[0].at].row
		for _, e := range es {
			if a.columns[e.at].row != row {
				return nil
			}
		}
		byRow[row] = append(byRow[row], int32(i))
	}
	return byRow
}

// coupled returns, in the memory of own, Σ w_i e_i e_iᵀ over some functionals of a row, at the places of a coupling. To that it adds places.
// It returns nil where there are too many.
func (a *layout) coupled(own []float64, list []int32, w []float64, places *labelCoupling) []float64 {
	clear(own)
	for _, i := range list {
		es := a.of(int(i))
		for s := range es {
			for t := range s + 1 {
				k := int(places.find(a.columns[es[s].at].label, a.columns[es[t].at].label))
				if k >= mostCoupled {
					return nil
				}
				for k >= len(own) {
					own = append(own, 0)
				}
				own[k] += w[i] * es[s].value * es[t].value
			}
		}
	}
	return own
}
