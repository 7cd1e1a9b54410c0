// Package calculus proves by a few rules, from the leaves up, that an expression e(f) is linear, a seminorm or sublinear in f. It finds the gauge that a proved expression stands for, and counterexamples to what it refuses.
package calculus

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A Rule is a row of the calculus: parts that satisfy when combine to what then says. The first rule of an operation
// whose premise holds applies; where none does, refuse is the reason.
type Rule struct {
	Text string
	When func(parts []tree.Judged, n *tree.Node) bool
	Then func(parts []tree.Judged, n *tree.Node) (tree.Kind, tree.Sign)
}

// A refusal says why no rule applies.
type refusal struct {
	code    diag.Code
	summary string
	detail  string
	mend    string
}

// Always returns true: the rule asks nothing of its parts.
func Always([]tree.Judged, *tree.Node) bool { return true }

// AllLinear reports whether all parts are linear.
func AllLinear(parts []tree.Judged, _ *tree.Node) bool {
	return !slices.ContainsFunc(parts, func(j tree.Judged) bool { return j.Kind != tree.Linear })
}

func allNonnegative(parts []tree.Judged, _ *tree.Node) bool {
	return !slices.ContainsFunc(parts, func(j tree.Judged) bool { return !j.AtLeastZero() })
}

// Weakest returns the kind of a maximum or sum of the parts. A seminorm beside a linear part is sublinear: |f| + f is not
// absolutely homogeneous. Zero counts as any kind.
func Weakest(parts []tree.Judged) tree.Kind {
	kind, linear, nonlinear := tree.Linear, false, false
	for _, j := range parts {
		if j.Zero() {
			continue
		}
		kind = max(kind, j.Kind)
		linear = linear || j.Kind == tree.Linear
		nonlinear = nonlinear || j.Kind != tree.Linear
	}
	if linear && nonlinear {
		return tree.Sublinear
	}
	return kind
}

// Total returns the sign of a sum.
func Total(parts []tree.Judged) tree.Sign {
	sign := tree.Zero
	for _, j := range parts {
		switch {
		case j.Zero() || j.Sign == sign && sign != tree.UnknownSign:
		case sign == tree.Zero:
			sign = j.Sign
		default:
			return tree.UnknownSign
		}
	}
	return sign
}

// Largest returns the sign of a maximum.
func Largest(parts []tree.Judged, _ *tree.Node) tree.Sign {
	switch {
	case !slices.ContainsFunc(parts, func(j tree.Judged) bool { return !j.Zero() }):
		return tree.Zero
	case slices.ContainsFunc(parts, tree.Judged.AtLeastZero):
		return tree.Nonnegative
	}
	return tree.UnknownSign
}

// asGauge returns the kind of a monotone norm of nonnegative parts.
func asGauge(parts []tree.Judged) tree.Kind { return max(tree.Seminorm, Weakest(parts)) }

func keep(parts []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) {
	return parts[0].Kind, parts[0].Sign
}

func gaugeOf(parts []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) {
	if Total(parts) == tree.Zero {
		return tree.Linear, tree.Zero
	}
	return asGauge(parts), tree.Nonnegative
}

// A Set holds the rules of each operation, in the order in which they are tried.
type Set map[tree.Op][]Rule

// Prove judges a node by what is known of its parts. It returns false where no rule applies.
func (c Set) Prove(n *tree.Node) bool {
	parts := make([]tree.Judged, len(n.Kids))
	for i, k := range n.Kids {
		parts[i] = k.Judged
	}
	for _, r := range c[n.Op] {
		if r.When(parts, n) {
			n.Kind, n.Sign = r.Then(parts, n)
			n.Rule = r.Text
			return true
		}
	}
	return false
}

// RuleTexts returns the rules of the calculus as a proof names them, each once, from the leaves' to those of the largest operations.
func RuleTexts() []string {
	var texts []string
	for o := tree.OpConst; o <= tree.OpMin; o++ {
		for _, r := range Rules[o] {
			if !slices.Contains(texts, r.Text) {
				texts = append(texts, r.Text)
			}
		}
	}
	return texts
}

// Rules is the calculus. Constants other than zero never reach it: f(x) − 1 is not homogeneous, whatever stands around it.
var Rules = Set{
	tree.OpLeaf: {{
		"f and its derivatives are linear in f", Always,
		func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign) { return tree.Linear, tree.UnknownSign },
	}},
	tree.OpNeg: {{
		"minus linear is linear", AllLinear,
		func(p []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) {
			return tree.Linear, tree.Flipped(p[0].Sign)
		},
	}},
	tree.OpScale: {
		{
			"zero times anything is zero", func(_ []tree.Judged, n *tree.Node) bool { return n.Factor() == tree.Zero },
			func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign) { return tree.Linear, tree.Zero },
		},
		{
			"a multiple of linear is linear", AllLinear,
			func(p []tree.Judged, n *tree.Node) (tree.Kind, tree.Sign) {
				switch n.Factor() {
				case tree.Nonpositive:
					return tree.Linear, tree.Flipped(p[0].Sign)
				case tree.Nonnegative:
					return tree.Linear, p[0].Sign
				}
				return tree.Linear, tree.UnknownSign
			},
		},
		{"a positive multiple keeps kind and sign", func(_ []tree.Judged, n *tree.Node) bool { return n.By == nil && n.Num > 0 }, keep},
		{"a multiple by data that are nowhere negative keeps kind and sign", func(_ []tree.Judged, n *tree.Node) bool { return n.By != nil && n.By.MayBeAtLeastZero() }, keep},
	},
	tree.OpAdd: {
		{"linear parts that cancel are zero", cancels, func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign) { return tree.Linear, tree.Zero }},
		{"a sum of linear parts is linear", AllLinear, func(p []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) { return tree.Linear, Total(p) }},
		{"a sum of convex parts keeps the weakest kind", Always, func(p []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) { return Weakest(p), Total(p) }},
	},
	tree.OpAbs: {
		{"the absolute value of linear is a seminorm", AllLinear, gaugeOf},
		{"the absolute value of a nonnegative part is that part", allNonnegative, keep},
	},
	tree.OpPos: {
		{"the positive part of a nonnegative part is that part", allNonnegative, keep},
		{
			"the positive part of a convex part is sublinear", Always,
			func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign) { return tree.Sublinear, tree.Nonnegative },
		},
	},
	tree.OpMax: {
		{
			"a maximum of nonnegative parts keeps the weakest kind", allNonnegative, gaugeOf,
		},
		{
			"a maximum of linear parts and their negatives is a seminorm", symmetric,
			func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign) { return tree.Seminorm, tree.Nonnegative },
		},
		{
			"a maximum of convex parts is sublinear, and nonnegative if one of them is", Always,
			func(p []tree.Judged, n *tree.Node) (tree.Kind, tree.Sign) { return tree.Sublinear, Largest(p, n) },
		},
	},
	tree.OpSum: {
		{"a sum of linear parts is linear", AllLinear, func(p []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) { return tree.Linear, Total(p) }},
		{"a sum of convex parts keeps the weakest kind", Always, func(p []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) { return Weakest(p), Total(p) }},
	},
	tree.OpMean: {
		{"a mean of linear parts is linear", AllLinear, func(p []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) { return tree.Linear, Total(p) }},
		{"a mean of convex parts keeps the weakest kind", Always, func(p []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) { return Weakest(p), Total(p) }},
	},
	tree.OpNorm: {{"a norm of nonnegative parts keeps the weakest kind", allNonnegative, gaugeOf}},
	tree.OpTop:  {{"the sum of the largest nonnegative parts keeps the weakest kind", allNonnegative, gaugeOf}},
}
