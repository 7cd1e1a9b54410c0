package compiler

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// derivedViolation shows two functions between which the derivative of an expression that is not linear in f is not convex. Where f
// has the derivative f′, that of e(f) is the limit of (e(f + h f′) − e(f)) / h. Functions at which it is another from the left than
// from the right, as that of |f| is where f is 0, are not shown.
func (p *pass) derivedViolation(of *node, e *dsl.Deriv, d *derivative, path *axis) []string {
	trial := *p
	trial.trial, trial.diags = true, &diag.List{}
	found := false
	derived := trial.derive(of, e, d, path, &found)
	if derived == nil || !found || path != nil && of.multiplied([]*axis{path}) {
		return nil
	}
	const h = 1.0 / (1 << 20)
	all := &node{op: opSum, kids: []*node{moved(of, derived, h), of, moved(of, derived, -h)}}
	m := modelOf(all, 2)
	return m.violation(func(values []float64) float64 {
		m.restart(values)
		v := m.parts(all)
		right, left := (v[0]-v[1])/h, (v[1]-v[2])/h
		if !(math.Abs(right-left) < 1e-3) {
			return math.NaN()
		}
		return (right + left) / 2
	})
}

// multiplied reports whether a factor of a part varies with one of the axes.
func (n *node) multiplied(axes []*axis) bool {
	return n.by != nil && n.by.uses(axes) || slices.ContainsFunc(n.kids, func(k *node) bool { return k.multiplied(axes) })
}

// moved is an expression at f + h f′, of which derived is the expression with f′ for f.
func moved(n, derived *node, h float64) *node {
	out := *n
	if n.leaf != nil {
		return &node{op: opAdd, kids: []*node{&out, {op: opScale, num: h, kids: []*node{derived}}}}
	}
	out.kids = make([]*node, len(n.kids))
	for i, k := range n.kids {
		out.kids[i] = moved(k, derived.kids[i], h)
	}
	return &out
}
