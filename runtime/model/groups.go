package model

import (
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
)

// toleranceShare is the part of the gap that is asked for to which functionals are kept, relative to their norms. What it
// costs is in the gap that is reported.
const toleranceShare = 0.01

// near says how near the operator of a gauge has to be: warped kernels are exact, and so is what is only measured.
func (f *fitter) near(root *gauge.Node) operator.Options {
	if f.o.Method != Embed {
		return operator.Options{}
	}
	return operator.Options{Tolerance: toleranceShare * f.o.Gap, Groups: curveGroups(nil, root, 0)}
}

// The functionals of a maximum that may lie on one curve.
const leastOfCurve, mostOfCurve = 4, 64

// curveGroups appends the maxima of few leaves to groups: those that range along a curve are the ones worth looking at.
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
