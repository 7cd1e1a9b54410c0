package interval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// A leafCurve holds the leaves of a curve, and the degree in λ of the factors of its terms.
type leafCurve struct {
	leaves []int
	degree int
}

// curvesOf lists the curves of an invariance, their leaves counted from its first.
func curvesOf(inv *regularizer.Invariance) []leafCurve {
	var out []leafCurve
	for i := range inv.Curves {
		r := &inv.Curves[i]
		for k := range r.Count {
			out = append(out, leafCurve{leavesAt(r, k), r.Degree})
		}
	}
	return out
}

// leavesOf lists the leaves of every curve of an invariance, counted from its first.
func leavesOf(inv *regularizer.Invariance) [][]int {
	var out [][]int
	for _, c := range curvesOf(inv) {
		out = append(out, c.leaves)
	}
	return out
}

// leavesAt lists the leaves of the i-th curve of a run.
func leavesAt(r *curve.Run, i int) []int {
	list := make([]int, r.Nodes)
	for k := range list {
		list[k] = r.Leaf(i, k)
	}
	return list
}

// setAll sets the error of all leaves of a curve.
func setAll(errs []float64, first int, leaves []int, e float64) {
	for _, leaf := range leaves {
		errs[first+leaf] = e
	}
}

// proofs returns the proved errors of all curves at that many nodes, each at all of the curve's functionals. It
// reports as open the invariances that have curves without a proof. A proof needs the path alone, so the number may
// differ from that of the nodes there are.
func (k *Knowledge) proofs(nodes int) (errs []float64, open []bool) {
	errs, open = make([]float64, k.Regularizer.Functionals.Len()), make([]bool, len(k.Regularizer.Invariances))
	for i := range k.Regularizer.Invariances {
		inv := &k.Regularizer.Invariances[i]
		for j := range inv.Curves {
			open[i] = open[i] || !inv.Curves[j].Straight
		}
		if open[i] {
			continue
		}
		curves := curvesOf(inv)
		unproved := make([]bool, len(curves))
		parallel.For(len(curves), 1, func(lo, hi int) {
			for j := lo; j < hi; j++ {
				terms, ok := k.stretches(inv.First, curves[j])
				e := 0.0
				if ok {
					e, ok = embed.Interpolation(k.Features, terms, nodes-1)
				}
				unproved[j] = !ok
				setAll(errs, inv.First, curves[j].leaves, e)
			}
		})
		// One curve without a proof makes an invariance measured as a whole.
		open[i] = slices.Contains(unproved, true)
	}
	return errs, open
}

// stretches returns the terms of a straight curve, as a function of s ∈ [−1, 1]. It returns false where its
// functionals are not made as a straight path's are.
func (k *Knowledge) stretches(first int, one leafCurve) (terms []embed.Stretch, ok bool) {
	b, leaves := k.Regularizer.Functionals, one.leaves
	from, to := b.Start[first+leaves[0]], b.Start[first+leaves[len(leaves)-1]]
	middle := b.Start[first+leaves[len(leaves)/2]]
	count := b.Start[first+leaves[0]+1] - from
	for _, leaf := range leaves {
		if b.Start[first+leaf+1]-b.Start[first+leaf] != count {
			return nil, false
		}
	}
	// Term j is taken for the same one at every node, which factor and halves check.
	for j := range count {
		t, ok := k.stretch(from+j, to+j)
		if t.Coef, ok = k.factor(first, one, j, ok); !ok || len(leaves)%2 == 1 && !k.halves(from+j, middle+j, to+j) {
			return nil, false
		}
		terms = append(terms, t)
	}
	return terms, true
}

// factor returns the factor of a term of a curve's functionals by Chebyshev polynomials. It returns false where its values at the nodes are no
// polynomial of the degree promised, or too few to tell.
func (k *Knowledge) factor(first int, one leafCurve, term int32, known bool) (series []float64, ok bool) {
	if !known || one.degree >= len(one.leaves) {
		return nil, false
	}
	b := k.Regularizer.Functionals
	values := make([]float64, len(one.leaves))
	for i, leaf := range one.leaves {
		values[i] = b.Coef[b.Start[first+leaf]+term]
	}
	series = curve.Series(values)
	// Coefficients beyond the degree vanish for a polynomial of that degree, up to rounding.
	size := floats.Norm(values, math.Inf(1))
	for m := one.degree + 1; m < len(series); m++ {
		if math.Abs(series[m]) > crooked*size {
			return nil, false
		}
	}
	return series[:min(len(series), one.degree+1)], true
}

// stretch returns the term that is one at the one end of its path, and another at the other. With ends x and z, x₀ =
// (x + z)/2 and Half = (z − x)/2. Bounds depend on Half alone. It returns false where one end alone has a label, or
// the tangents differ.
func (k *Knowledge) stretch(from, to int32) (t embed.Stretch, ok bool) {
	b := k.Regularizer.Functionals
	if (b.Label[from] == plugins.NoLabel) != (b.Label[to] == plugins.NoLabel) {
		return t, false
	}
	t = embed.Stretch{Half: slices.Clone(k.point(b.Point[to])), Label: 1}
	floats.Sub(t.Half, k.point(b.Point[from]))
	floats.Scale(0.5, t.Half)
	order, u := plugins.OrderOf(b.Tangent[from])
	other, v := plugins.OrderOf(b.Tangent[to])
	if order != other || order > 0 && !slices.Equal(b.Tangents.Row(int(u)), b.Tangents.Row(int(v))) {
		return t, false
	}
	if t.Order = order; order > 0 {
		t.Tangent = b.Tangents.Row(int(u))
	}
	if b.Label[from] != plugins.NoLabel {
		t.Label, t.Turn = ends(b.Labels[b.Label[from]], b.Labels[b.Label[to]])
	}
	return t, true
}

// halves reports whether the point of a term lies in the middle of those of two others, up to rounding. It checks families that promise
// straight paths.
func (k *Knowledge) halves(from, middle, to int32) bool {
	b := k.Regularizer.Functionals
	x, y, z := k.point(b.Point[from]), k.point(b.Point[middle]), k.point(b.Point[to])
	for j, v := range y {
		if math.Abs(2*v-x[j]-z[j]) > crooked*(math.Abs(x[j])+math.Abs(z[j])) {
			return false
		}
	}
	return true
}

// crooked is the share of its ends by which the middle of a straight path may be off.
const crooked = 1e-9

// point returns the point that a term names.
func (k *Knowledge) point(at int32) []float64 {
	if at < 0 {
		return k.Regularizer.Functionals.Points.Row(int(^at))
	}
	return k.X.RawRowView(int(at))
}

// ends returns the norms of half the sum and half the difference of two labels: ‖y₀‖ and ‖y₁‖ of y₀ + s y₁.
func ends(y, z plugins.Label) (middle, half float64) {
	sum, difference := map[int32]float64{}, map[int32]float64{}
	for k, c := range y.Index {
		sum[c] += y.Value[k] / 2
		difference[c] -= y.Value[k] / 2
	}
	for k, c := range z.Index {
		sum[c] += z.Value[k] / 2
		difference[c] += z.Value[k] / 2
	}
	return norm(sum), norm(difference)
}

// norm returns the Euclidean norm of a sparse vector.
func norm(of map[int32]float64) float64 {
	squares := make([]float64, 0, len(of))
	for _, v := range of {
		squares = append(squares, v*v)
	}
	slices.Sort(squares) // the same bits in any order
	return math.Sqrt(floats.Sum(squares))
}
