package operator

import (
	"cmp"
	"context"
	"sort"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// A coupling is an element of SᵀWS between two columns. The label of the first is not below that of the second. Two
// columns of one label are coupled both ways.
type coupling struct {
	first, second int32
	weight        float64
}

// couplings lists the elements of SᵀWS with label(first) ≥ label(second), sorted by labels, then columns. Own keeps those
// of a label with itself, whose number is linear in that of labels.
func (a *layout) couplings(ctx context.Context, w []float64, own bool) ([]coupling, error) {
	var list []coupling
	var sum []float64
	for i := int32(0); int(i) < a.functionals; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// Functionals with one list of columns add to the same elements, so these are summed before they are listed.
		next := i + max(1, runOf(a.start, a.entries, i, int32(a.functionals)))
		es := a.of(int(i))
		for lo, hi := 0, len(es); lo < len(es); lo, hi = hi, len(es) {
			if label := a.columns[es[lo].at].label; own {
				hi = lo + 1
				for hi < len(es) && a.columns[es[hi].at].label == label {
					hi++
				}
			}
			sum = sumPairs(a, sum, w, i, next, lo, hi)
			for s, e := range es[lo:hi] {
				for t, g := range es[lo:hi] {
					if v := sum[s*(hi-lo)+t]; v != 0 && a.columns[e.at].label >= a.columns[g.at].label {
						list = append(list, coupling{e.at, g.at, v})
					}
				}
			}
		}
		i = next
	}
	// Sorting brings the pairs of labels together, and equal pairs of columns within them.
	sort.SliceStable(list, func(i, j int) bool {
		s, t := &list[i], &list[j]
		return cmp.Or(
			cmp.Compare(a.columns[s.first].label, a.columns[t.first].label),
			cmp.Compare(a.columns[s.second].label, a.columns[t.second].label),
			cmp.Compare(s.first, t.first), cmp.Compare(s.second, t.second)) < 0
	})
	// Equal pairs of columns stand side by side now.
	merged := list[:0]
	for _, c := range list {
		if last := len(merged) - 1; last >= 0 && merged[last].first == c.first && merged[last].second == c.second {
			merged[last].weight += c.weight
		} else {
			merged = append(merged, c)
		}
	}
	return merged, nil
}

// sumPairs returns, in the memory of sum, Σ w_i e_s e_t over functionals first … next−1, for their entries lo … hi−1.
func sumPairs(a *layout, sum, w []float64, first, next int32, lo, hi int) []float64 {
	sum = append(sum[:0], make([]float64, (hi-lo)*(hi-lo))...)
	for i := int(first); i < int(next); i++ {
		if w[i] == 0 {
			continue
		}
		es := a.of(i)[lo:hi]
		for s, e := range es {
			for t, g := range es {
				sum[s*len(es)+t] += w[i] * e.value * g.value
			}
		}
	}
	return sum
}

// gramLower adds AᵀWA to the lower triangle of m (m·d square). It goes label by label: block (c, c′) is
// Ψ_cᵀ(SᵀWS)_{cc′}Ψ_c′.
func gramLower(ctx context.Context, a *Operator, m blas64.General, w []float64) error {
	list, err := a.couplings(ctx, w, false)
	if err != nil {
		return err
	}
	return eachLabelPair(a, list, func(c, e int, list []coupling) error {
		return addCoupled(ctx, a, block(m, c*a.dim, e*a.dim, a.dim, a.dim), list, c == e)
	})
}

// eachLabelPair calls body with the couplings of each pair of labels that has some.
func eachLabelPair(a *Operator, list []coupling, body func(c, e int, list []coupling) error) error {
	for lo := 0; lo < len(list); {
		c, e := a.columns[list[lo].first].label, a.columns[list[lo].second].label
		hi := lo + 1
		for hi < len(list) && a.columns[list[hi].first].label == c && a.columns[list[hi].second].label == e {
			hi++
		}
		if err := body(int(c), int(e), list[lo:hi]); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// addCoupled adds Σ weight·ψ_first ψ_secondᵀ to dst (d×d), or only to its lower triangle. It sums the second rows of
// each first row, so that one product of two tall matrices does the rest.
func addCoupled(ctx context.Context, a *Operator, dst blas64.General, list []coupling, lower bool) error {
	for lo := 0; lo < len(list); {
		if err := ctx.Err(); err != nil {
			return err
		}
		var rows []int32 // places in list where a new first column begins
		hi := lo
		for ; hi < len(list); hi++ {
			if hi == lo || list[hi].first != list[hi-1].first {
				// Blocks of gatherRows bound the memory.
				if len(rows) == gatherRows {
					break
				}
				rows = append(rows, int32(hi))
			}
		}
		left, right := newGeneral(len(rows), a.dim), newGeneral(len(rows), a.dim)
		parallel.For(len(rows), 8, func(s, t int) {
			for k := s; k < t; k++ {
				end := hi
				if k+1 < len(rows) {
					end = int(rows[k+1])
				}
				part := list[rows[k]:end]
				copy(rowOf(left, k), rowOf(a.psi, int(a.columns[part[0].first].row)))
				for _, p := range part {
					floats.AddScaled(rowOf(right, k), p.weight, rowOf(a.psi, int(a.columns[p.second].row)))
				}
			}
		})
		addProduct(dst, left, right, lower)
		lo = hi
	}
	return nil
}

// panel is the number of columns of a product of which only the lower triangle counts. It balances the share of the
// squares on the diagonal, half of which is lost, against the reuse of a panel in the caches.
const panel = 256

// addProduct adds leftᵀ·right to dst, or only to its lower triangle.
func addProduct(dst, left, right blas64.General, lower bool) {
	if !lower {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, left, right, 1, dst)
		return
	}
	lowerProduct(matrix[float64](dst), matrix[float64](left), matrix[float64](right), 1)
}

// lowerProduct sets the lower triangle of dst to leftᵀ·right + beta·dst, in panels of columns that begin at the diagonal.
func lowerProduct[T number](dst, left, right matrix[T], beta T) {
	d := dst.Rows
	// The squares on the diagonal are computed whole: a product of squares is faster than its lower half.
	for j := 0; j < d; j += panel {
		width := min(panel, d-j)
		gemm(blas.Trans, blas.NoTrans, 1, left.cut(j, d-j), right.cut(j, width), beta, dst.span(j, d).cut(j, width))
	}
}
