package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// paths are the parameters of paths over which a quantifier ranges.
func (q *quantifier) paths() []*axis {
	if q == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(q.axes), func(a *axis) bool { return a.kind != pathAxis })
}

// intervals visits the parameters over whose interval a maximum is taken.
func (f *form) intervals(visit func(*axis)) {
	if f.op == gauge.Max {
		for _, a := range f.quant.paths() {
			visit(a)
		}
	}
	for _, k := range f.kids {
		k.intervals(visit)
	}
}

// curves lists the functionals of a form that are the values of one function along a path, for every maximum over a path's
// interval. nodesOnly says that there is a maximum which they do not describe: of a norm or a sum, whose parts reach their
// maxima at different places, or over two paths at once.
func (g *grounder) curves(f *form) (runs []curve.Run, nodesOnly bool) {
	switch {
	case f.linear != nil:
		return nil, false
	case f.op == gauge.Max && len(f.quant.paths()) > 0:
		if len(f.quant.paths()) > 1 || !f.flat() {
			return nil, true
		}
		return g.alongPath(f)
	case f.quant == nil:
		at := 0
		for _, k := range f.kids {
			inner, only := g.curves(k)
			nodesOnly = nodesOnly || only
			for _, r := range inner {
				runs = curve.Append(runs, r.Moved(at))
			}
			at += g.size(k)
		}
		return runs, nodesOnly
	}
	inner, nodesOnly := g.curves(f.kids[0])
	if len(inner) == 0 {
		return nil, nodesOnly
	}
	size := g.size(f.kids[0])
	for i := range g.quants[f.quant].count {
		for _, r := range inner {
			runs = curve.Append(runs, r.Moved(i*size))
		}
	}
	return runs, nodesOnly
}

// flat reports whether what stands under a quantifier is a maximum of leaves, over no further path.
func (f *form) flat() bool {
	for _, k := range f.kids {
		if k.linear == nil && (k.op != gauge.Max || len(k.quant.paths()) > 0 || !k.flat()) {
			return false
		}
	}
	return true
}

// alongPath lists the curves of a maximum of leaves over a path's interval, and over other index sets beside it: a curve for
// each leaf and each of their elements.
func (g *grounder) alongPath(f *form) (runs []curve.Run, nodesOnly bool) {
	gq := g.quants[f.quant]
	path := slices.IndexFunc(gq.axes, func(a *axis) bool { return a.kind == pathAxis })
	nodes, stride := gq.sizes[path], 1
	for _, n := range gq.sizes[path+1:] {
		stride *= n
	}
	sides := g.oneSided(f.kids[0], nil)
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
			runs = curve.Append(runs, curve.Run{First: i*size + j, Stride: step * size, Nodes: nodes, Count: 1, OneSided: oneSided})
		}
	}
	return runs, nodesOnly
}

// stepOf is how far apart the elements of a curve lie that begins with the i-th; no where they are not equally far. A condition
// does not depend on a path's parameter, so it keeps curves whole.
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

// oneSided says of each leaf of a maximum of leaves whether it is a positive part.
func (g *grounder) oneSided(f *form, out []bool) []bool {
	if f.linear != nil {
		return append(out, f.op == gauge.Pos)
	}
	copies := 1
	if f.quant != nil {
		copies = g.quants[f.quant].count
	}
	for range copies {
		for _, k := range f.kids {
			out = g.oneSided(k, out)
		}
	}
	return out
}
