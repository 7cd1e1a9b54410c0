package model

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// toleranceShare is the part of the gap that is asked for to which functionals are kept, relative to their norms.
// What it costs is in the gap that is reported.
const toleranceShare = 0.01

// tolerance returns how near the operator of a gauge has to be: warped kernels are exact, and so are functions
// that are only measured.
func tolerance(m setting.Method, gap float64, root *gauge.Node) operator.Options {
	if m != setting.Embed {
		return operator.Options{}
	}
	return operator.Options{Tolerance: toleranceShare * gap, Groups: curveGroups(nil, root, 0)}
}

// The errors of an operator's rows add ρ(e)‖V‖ to ρ(AV), and so at most a share ρ(e)/√α of J = α‖V‖² + ρ(AV)² to
// the gap. From mostOfGap of the gap on they are too large, as they are under large weights. They should take
// goodOfGap.
const (
	mostOfGap      = 0.25
	goodOfGap      = 0.05
	leastTolerance = 1e-11 // below, there is nothing to gain
)

// tighten reports whether the operator is too far off for the gap, and sets how near it should be. The share of
// the gap that errors take grows about linearly with the tolerance. So one step should lead to goodOfGap.
func tighten(o *operator.Options, of *operator.Operator, g *gauge.Node, gap float64) bool {
	errs := of.Errors()
	if errs == nil || o.Tolerance == 0 {
		return false
	}
	share := g.Value(errs) / math.Sqrt(represent.Alpha) / gap
	if share <= mostOfGap {
		return false
	}
	if o.Tolerance *= goodOfGap / share; o.Tolerance < leastTolerance {
		o.Tolerance = 0
	}
	return true
}

// The functionals of a maximum that may lie on one curve.
const leastOfCurve, mostOfCurve = 4, 64

// curveGroups appends the maxima of few leaves to groups: those that range along a curve are the ones worth
// looking at.
func curveGroups(groups []operator.Group, node *gauge.Node, first int) []operator.Group {
	size := node.Size()
	if node.Op == gauge.Max && leastOfCurve <= size && size <= mostOfCurve {
		return append(groups, operator.Group{First: first, Count: size})
	}
	for _, child := range node.Children {
		for range max(1, node.Repeat) {
			groups = curveGroups(groups, child, first)
			first += child.Size()
		}
	}
	return groups
}
