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

// intervals visits the parameters over whose interval a maximum or an integral is taken, but those of integrals of f itself.
func (f *form) intervals(visit func(*axis)) {
	for _, a := range f.quant.paths() {
		visit(a)
	}
	for _, k := range f.kids {
		k.intervals(visit)
	}
}

// curves lists the functionals of a form that are the values of one function along a path, for every maximum, integral and norm over
// a path's interval. nodesOnly says that there is something over an interval which they do not describe: a maximum of a norm or a sum,
// whose parts reach their maxima at different places; a norm of anything but one value; two paths at once; or an integral of f itself.
func (g *grounder) curves(f *form) (runs []curve.Run, nodesOnly bool) {
	switch {
	case f.linear != nil:
		return nil, f.linear.integrates()
	case len(f.quant.paths()) > 0:
		if len(f.quant.paths()) > 1 || !f.describable() {
			return nil, true
		}
		runs, nodesOnly = g.alongPath(f)
		return runs, nodesOnly || f.integrates()
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

// integrates reports whether functionals of a form are integrals along a path.
func (f *form) integrates() bool {
	return f.linear != nil && f.linear.integrates() || slices.ContainsFunc(f.kids, (*form).integrates)
}

func (n *node) integrates() bool {
	return len(n.quant.paths()) > 0 || slices.ContainsFunc(n.kids, (*node).integrates)
}

// describable reports whether curves describe what stands under a quantifier over one path: a maximum of leaves, or a norm of one.
func (f *form) describable() bool {
	switch f.op {
	case gauge.Max:
		return f.flat()
	case gauge.Sum, gauge.Norm:
		return len(f.kids) == 1 && f.kids[0].linear != nil
	default:
		return false
	}
}

// straight reports whether all functionals of a form run along straight paths, or stand still, where this parameter varies.
func (f *form) straight(path *axis) bool {
	if f.linear != nil {
		return f.linear.straight(path)
	}
	return !slices.ContainsFunc(f.kids, func(k *form) bool { return !k.straight(path) })
}

func (n *node) straight(path *axis) bool {
	if l := n.leaf; l != nil && l.node == path {
		return path.path.dom.Straight && len(l.maps) == 0 && l.deriv.kind != mapDeriv
	}
	return !slices.ContainsFunc(n.kids, func(k *node) bool { return !k.straight(path) })
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

// alongPath lists the curves of a maximum of leaves or of a norm over a path's interval, and over other index sets beside it: a curve
// for each leaf and each of their elements.
func (g *grounder) alongPath(f *form) (runs []curve.Run, nodesOnly bool) {
	gq := g.quants[f.quant]
	path := slices.IndexFunc(gq.axes, func(a *axis) bool { return a.kind == pathAxis })
	nodes, stride := gq.sizes[path], 1
	for _, n := range gq.sizes[path+1:] {
		stride *= n
	}
	degree, ok := f.degree(gq.axes[path])
	if !ok {
		return nil, true
	}
	one := curve.Run{Nodes: nodes, Count: 1, Straight: f.straight(gq.axes[path]), Degree: degree}
	switch f.op {
	case gauge.Sum:
		one.P = 1
	case gauge.Norm:
		one.P = f.p
	default:
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
			one.First, one.Stride, one.OneSided = i*size+j, step*size, oneSided
			runs = curve.Append(runs, one)
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
