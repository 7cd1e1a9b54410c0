package ground

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// curves lists the functionals of a form that are the values of one function along a path. It does
// so for every maximum, integral and norm over a path's interval, and the runtime bounds each such
// function between its nodes. nodesOnly reports that the form also has something over an interval
// which no curve describes:
//
//	max over λ of a norm or a sum   its parts reach their maxima at different λ
//	a norm of several values        its integrand is not a curve of one functional
//	two paths at once               a surface
//	an integral of f itself         one functional, whose error is the rule's
func (g *grounder) curves(f *tree.Form) (runs []curve.Run, nodesOnly bool) {
	switch {
	case f.Linear != nil:
		return nil, f.Linear.Integrates()
	case len(f.Quant.Paths()) > 0:
		if len(f.Quant.Paths()) > 1 || !f.Describable() {
			return nil, true
		}
		runs, nodesOnly = g.alongPath(f)
		return runs, nodesOnly || f.Integrates()
	case f.Quant == nil:
		at := 0
		for _, k := range f.Kids {
			inner, only := g.curves(k)
			nodesOnly = nodesOnly || only
			for _, r := range inner {
				runs = curve.Append(runs, r.Moved(at))
			}
			at += g.size(k)
		}
		return runs, nodesOnly
	}
	// Without a path of its own, an index set repeats the curves of what stands under it.
	inner, nodesOnly := g.curves(f.Kids[0])
	if len(inner) == 0 {
		return nil, nodesOnly
	}
	size := g.size(f.Kids[0])
	for i := range g.quants[f.Quant].count {
		for _, r := range inner {
			runs = curve.Append(runs, r.Moved(i*size))
		}
	}
	return runs, nodesOnly
}

// alongPath lists the curves of a maximum of leaves, or of a norm, over a path's interval and over
// other index sets beside it. There is one for each leaf and each of their elements. A curve's
// functionals lie equally far apart, by the stride of the path's axis in the product.
func (g *grounder) alongPath(f *tree.Form) (runs []curve.Run, nodesOnly bool) {
	gq := g.quants[f.Quant]
	path := slices.IndexFunc(gq.axes, func(a *tree.Axis) bool { return a.Kind == tree.PathAxis })
	nodes, stride := gq.sizes[path], 1
	for _, n := range gq.sizes[path+1:] {
		stride *= n
	}
	degree, ok := f.Degree(gq.axes[path])
	if !ok {
		return nil, true
	}
	one := curve.Run{Nodes: nodes, Count: 1, Straight: f.Straight(gq.axes[path]), Degree: degree}
	switch f.Op {
	case gauge.Sum:
		one.P = 1
	case gauge.Norm:
		one.P = f.P
	default:
	}
	// A curve begins at each element whose place on the path is the first node. Its next values lie
	// stride elements on, and an element has one functional for each leaf.
	sides := g.oneSided(f.Kids[0], nil)
	size := len(sides)
	for i := range gq.count {
		number := gq.number(i)
		if number/stride%nodes != 0 {
			continue
		}
		step, ok := gq.stepOf(i, number, stride, nodes)
		if !ok {
			nodesOnly = true
			continue
		}
		for j, oneSided := range sides {
			one.First, one.Stride, one.OneSided = i*size+j, step*size, oneSided
			runs = curve.Append(runs, one)
		}
	}
	return runs, nodesOnly
}

// stepOf returns how far apart the elements of a curve lie that begins with the i-th. Ok is false
// where they are not equally far. A condition does not depend on a path's parameter, so that it
// keeps curves whole.
func (gq *groundQuant) stepOf(i, number, stride, nodes int) (step int, ok bool) {
	if gq.list == nil {
		return stride, true
	}
	for k := 1; k < nodes; k++ {
		at, found := slices.BinarySearch(gq.list, number+k*stride)
		if k == 1 {
			step = at - i
		}
		if !found || at != i+k*step {
			return 0, false
		}
	}
	return step, true
}

// oneSided appends, for each leaf of a maximum of leaves, whether it is a positive part. Between
// nodes such a leaf needs a bound on one side alone.
func (g *grounder) oneSided(f *tree.Form, out []bool) []bool {
	if f.Linear != nil {
		return append(out, f.Op == gauge.Pos)
	}
	copies := 1
	if f.Quant != nil {
		copies = g.quants[f.Quant].count
	}
	for range copies {
		for _, k := range f.Kids {
			out = g.oneSided(k, out)
		}
	}
	return out
}
