package model

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Path says of an invariance what is known between its nodes.
type Path struct {
	Between represent.Between
	// Widths is the length of its longest straight path, in widths of the kernel; 0 where none is known.
	Widths float64
}

// path says what is known of the i-th invariance, as far as its curves have been looked at.
func (f *fitter) path(i int) Path {
	inv := &f.reg.Invariances[i]
	switch {
	case len(inv.Curves) == 0 && !inv.NodesOnly:
		return Path{}
	case inv.NodesOnly || f.o.Ground == nil || f.o.Method == setting.Dual && integrates(inv):
		return Path{Between: represent.AtNodes}
	}
	p := Path{Between: represent.Proved}
	if f.measured[i] {
		p.Between = represent.Measured
	}
	for _, one := range curvesOf(inv) {
		terms, ok := f.stretches(inv.First, one)
		for i := range terms {
			if ok {
				p.Widths = max(p.Widths, embed.Widths(f.rep.Features, terms[i].Half))
			}
		}
	}
	return p
}

func integrates(inv *regularizer.Invariance) bool {
	for i := range inv.Curves {
		if inv.Curves[i].Integral() {
			return true
		}
	}
	return false
}

// proofs returns what is proved of the errors of all curves, each at all of its functionals, at that many nodes; open are the invariances
// of which some are not.
func (f *fitter) proofs(nodes int) (errs []float64, open []bool) {
	errs, open = make([]float64, f.reg.Functionals.Len()), make([]bool, len(f.reg.Invariances))
	for i := range f.reg.Invariances {
		inv := &f.reg.Invariances[i]
		for k := range inv.Curves {
			open[i] = open[i] || !inv.Curves[k].Straight
		}
		if open[i] {
			continue
		}
		curves := curvesOf(inv)
		unproved := make([]bool, len(curves))
		parallel.For(len(curves), 1, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				terms, ok := f.stretches(inv.First, curves[k])
				e := 0.0
				if ok {
					e, ok = embed.Interpolation(f.rep.Features, terms, nodes-1)
				}
				unproved[k] = !ok
				setAll(errs, inv.First, curves[k].leaves, e)
			}
		})
		open[i] = slices.Contains(unproved, true)
	}
	return errs, open
}

// slackAt returns the slack that is proved, or for what is measured supposed, at another number of nodes.
func (f *fitter) slackAt(nodes int) (float64, error) {
	errs, _ := f.proofs(nodes)
	for i, open := range f.measured {
		inv := &f.reg.Invariances[i]
		for j := inv.First; open && j < inv.First+inv.Count; j++ {
			errs[j] = f.known[j] * math.Pow(float64(f.reg.Nodes-1)/float64(nodes-1), 2)
		}
	}
	return f.reg.Gauge().Value(errs), f.ctx.Err()
}

// stretches returns the terms of a straight curve. It is not ok where its functionals are not made as a straight path's are.
func (f *fitter) stretches(first int, one leafCurve) (terms []embed.Stretch, ok bool) {
	b, leaves := f.reg.Functionals, one.leaves
	from, to := b.Start[first+leaves[0]], b.Start[first+leaves[len(leaves)-1]]
	middle := b.Start[first+leaves[len(leaves)/2]]
	count := b.Start[first+leaves[0]+1] - from
	for _, leaf := range leaves {
		if b.Start[first+leaf+1]-b.Start[first+leaf] != count {
			return nil, false
		}
	}
	for k := range count {
		t, ok := f.stretch(from+k, to+k)
		if t.Coef, ok = f.factor(first, one, k, ok); !ok || len(leaves)%2 == 1 && !f.halves(from+k, middle+k, to+k) {
			return nil, false
		}
		terms = append(terms, t)
	}
	return terms, true
}

// A leafCurve is the leaves of a curve, and of which degree the factors of its terms are.
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

// factor returns the factor of the k-th term of a curve's functionals by Chebyshev polynomials. It is not ok where its values at the nodes are no
// polynomial of the degree that was promised, or too few to tell one of that degree.
func (f *fitter) factor(first int, one leafCurve, k int32, known bool) (series []float64, ok bool) {
	if !known || one.degree >= len(one.leaves) {
		return nil, false
	}
	b := f.reg.Functionals
	values := make([]float64, len(one.leaves))
	for i, leaf := range one.leaves {
		values[i] = b.Coef[b.Start[first+leaf]+k]
	}
	series = curve.Series(values)
	size := floats.Norm(values, math.Inf(1))
	for m := one.degree + 1; m < len(series); m++ {
		if math.Abs(series[m]) > crooked*size {
			return nil, false
		}
	}
	return series[:min(len(series), one.degree+1)], true
}

// stretch returns the term that is one at the one end of its path, and another at the other.
func (f *fitter) stretch(from, to int32) (t embed.Stretch, ok bool) {
	b := f.reg.Functionals
	if (b.Label[from] == plugins.NoLabel) != (b.Label[to] == plugins.NoLabel) {
		return t, false
	}
	t = embed.Stretch{Half: slices.Clone(f.point(b.Point[to])), Label: 1}
	floats.Sub(t.Half, f.point(b.Point[from]))
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

// halves reports whether the point of a term lies in the middle of those of two others, up to rounding: who promises straight paths is
// looked at.
func (f *fitter) halves(from, middle, to int32) bool {
	b := f.reg.Functionals
	x, y, z := f.point(b.Point[from]), f.point(b.Point[middle]), f.point(b.Point[to])
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
func (f *fitter) point(at int32) []float64 {
	if at < 0 {
		return f.reg.Functionals.Points.Row(int(^at))
	}
	return f.train.X.RawRowView(int(at))
}

// ends returns the norms of half the sum and half the difference of two labels.
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

func norm(of map[int32]float64) float64 {
	squares := make([]float64, 0, len(of))
	for _, v := range of {
		squares = append(squares, v*v)
	}
	slices.Sort(squares) // the same bits in any order
	return math.Sqrt(floats.Sum(squares))
}
