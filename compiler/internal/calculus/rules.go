// Package calculus proves by a few rules, from the leaves up, that an expression e(f) is linear, a
// seminorm or sublinear in f.
//
// A judgement e : (κ, σ) has a kind κ and a sign σ. The kinds are ordered by what they promise of
// every f, g and c:
//
//	linear      e(cf + g) = c e(f) + e(g)
//	seminorm    e(f + g) ≤ e(f) + e(g),   e(cf) = |c| e(f)
//	sublinear   e(f + g) ≤ e(f) + e(g),   e(cf) = c e(f) for c ≥ 0
//
// Rules have the form of disciplined convex programming: a premise about the parts, and what
// follows for the whole. For a sum, say,
//
//	e₁ : (κ₁, σ₁)  …  eₘ : (κₘ, σₘ)
//	───────────────────────────────────────────────
//	Σ eᵢ : (weakest of κᵢ, the common sign of σᵢ)
//
// They are sound and not complete: what they refuse may be convex all the same. So a refusal
// searches for two functions f₁ and f₂ with e(½f₁ + ½f₂) > ½e(f₁) + ½e(f₂), and shows them if it
// finds some. No test of numbers ever accepts an expression.
//
// R squares an invariance, and e² is convex for a convex e only if e ≥ 0. Hence an invariance must
// be proved nonnegative, too (codes.MayBeNegative). Such an e has a gauge: e(f) = ρ(ℓ₁(f), …,
// ℓ_q(f)) with ρ as in docs/mathematics.md under Functions, functionals, gauges. gauge.go finds its
// form before any index set is known. The rules in words stand in docs/language.md under Curvature.
package calculus

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// A Rule is a row of the calculus: parts that satisfy When combine to what Then says. The first
// rule of an operation whose premise holds applies. Where none does, refusal says why.
type Rule struct {
	Text string
	When func(parts []tree.Judged, n *tree.Node) bool
	Then func(parts []tree.Judged, n *tree.Node) (tree.Kind, tree.Sign)
}

// Always returns true: the rule asks nothing of its parts.
func Always([]tree.Judged, *tree.Node) bool { return true }

// AllLinear reports whether all parts are linear. Sums and means of linear parts stay so, and
// maxima do not.
func AllLinear(parts []tree.Judged, _ *tree.Node) bool {
	return !slices.ContainsFunc(parts, func(j tree.Judged) bool { return j.Kind != tree.Linear })
}

// allNonnegative reports whether no part is ever negative: only then does a norm of the parts grow
// with each of them.
func allNonnegative(parts []tree.Judged, _ *tree.Node) bool {
	return !slices.ContainsFunc(parts, func(j tree.Judged) bool { return !j.AtLeastZero() })
}

// Weakest returns the kind of a maximum or sum of the parts. A seminorm beside a linear part is
// sublinear: |f| + f is not absolutely homogeneous. Zero counts as any kind.
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

// Total returns the sign of a sum: that of its parts if they agree. Zero agrees with every sign.
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

// Largest returns the sign of a maximum: one nonnegative part is enough.
func Largest(parts []tree.Judged, _ *tree.Node) tree.Sign {
	switch {
	case !slices.ContainsFunc(parts, func(j tree.Judged) bool { return !j.Zero() }):
		return tree.Zero
	case slices.ContainsFunc(parts, tree.Judged.AtLeastZero):
		return tree.Nonnegative
	}
	return tree.UnknownSign
}

// asGauge returns the kind of a monotone norm of nonnegative parts. A norm of convex parts is
// convex if it grows with each of them. That is the premise of the rule, and why parts must not be
// negative.
func asGauge(parts []tree.Judged) tree.Kind { return max(tree.Seminorm, Weakest(parts)) }

// keep returns the kind and sign of the only part, for means over index sets and the like.
func keep(parts []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) {
	return parts[0].Kind, parts[0].Sign
}

// gaugeOf returns what a norm of nonnegative parts is: at least a seminorm, and zero if all of them
// are.
func gaugeOf(parts []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) {
	if Total(parts) == tree.Zero {
		return tree.Linear, tree.Zero
	}
	return asGauge(parts), tree.Nonnegative
}

// A Set holds the rules of each operation, in the order in which they are tried.
type Set map[tree.Op][]Rule

// Prove judges a node by what is known of its parts, and notes the rule for the proof. It returns
// false where no rule applies.
func (c Set) Prove(n *tree.Node) bool {
	parts := tree.Each(n.Kids, func(k *tree.Node) tree.Judged { return k.Judged })
	for _, r := range c[n.Op] {
		if r.When(parts, n) {
			n.Kind, n.Sign = r.Then(parts, n)
			n.Rule = r.Text
			return true
		}
	}
	return false
}

// RuleTexts returns the rules of the calculus as a proof names them, each once, from the leaves' to
// those of the largest operations. Pages list them, so that no rule is without a description.
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

// linearSum returns what a sum of linear parts is.
func linearSum(p []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) { return tree.Linear, Total(p) }

// convexSum keeps the weakest kind, and the sign on which the parts agree.
func convexSum(p []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) { return Weakest(p), Total(p) }

// always returns one kind and sign, whatever the parts are.
func always(k tree.Kind, s tree.Sign) func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign) {
	return func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign) { return k, s }
}

// multipleOf returns what a multiple of a linear part is: it has the sign of both.
func multipleOf(p []tree.Judged, n *tree.Node) (tree.Kind, tree.Sign) {
	switch n.Factor() {
	case tree.Nonpositive:
		return tree.Linear, tree.Flipped(p[0].Sign)
	case tree.Nonnegative:
		return tree.Linear, p[0].Sign
	}
	return tree.Linear, tree.UnknownSign
}

// cancelling is the rule of sums and means that are zero for every f.
var cancelling = Rule{"linear parts that cancel are zero", cancels, always(tree.Linear, tree.Zero)}

// Rules is the calculus. Constants other than zero never reach it: f(x) − 1 is not homogeneous,
// whatever stands around it.
var Rules = Set{
	tree.OpLeaf: {{"f and its derivatives are linear in f", Always, always(tree.Linear, tree.UnknownSign)}},
	tree.OpNeg: {{
		"minus linear is linear", AllLinear,
		func(p []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) {
			return tree.Linear, tree.Flipped(p[0].Sign)
		},
	}},
	tree.OpScale: {
		{"zero times anything is zero", func(_ []tree.Judged, n *tree.Node) bool { return n.Factor() == tree.Zero }, always(tree.Linear, tree.Zero)},
		{"a multiple of linear is linear", AllLinear, multipleOf},
		{"a positive multiple keeps kind and sign", func(_ []tree.Judged, n *tree.Node) bool { return n.By == nil && n.Num > 0 }, keep},
		{"a multiple by data that are nowhere negative keeps kind and sign", func(_ []tree.Judged, n *tree.Node) bool { return n.By != nil && n.By.MayBeAtLeastZero() }, keep},
	},
	tree.OpAdd: {
		cancelling,
		{"a sum of linear parts is linear", AllLinear, linearSum},
		{"a sum of convex parts keeps the weakest kind", Always, convexSum},
	},
	tree.OpAbs: {
		{"the absolute value of linear is a seminorm", AllLinear, gaugeOf},
		{"the absolute value of a nonnegative part is that part", allNonnegative, keep},
	},
	tree.OpPos: {
		{"the positive part of a nonnegative part is that part", allNonnegative, keep},
		{"the positive part of a convex part is sublinear", Always, always(tree.Sublinear, tree.Nonnegative)},
	},
	tree.OpMax: {
		{"a maximum of nonnegative parts keeps the weakest kind", allNonnegative, gaugeOf},
		{"a maximum of linear parts and their negatives is a seminorm", symmetric, always(tree.Seminorm, tree.Nonnegative)},
		{
			"a maximum of convex parts is sublinear, and nonnegative if one of them is", Always,
			func(p []tree.Judged, n *tree.Node) (tree.Kind, tree.Sign) { return tree.Sublinear, Largest(p, n) },
		},
	},
	tree.OpSum: {
		cancelling,
		{"a sum of linear parts is linear", AllLinear, linearSum},
		{"a sum of convex parts keeps the weakest kind", Always, convexSum},
	},
	tree.OpMean: {
		cancelling,
		{"a mean of linear parts is linear", AllLinear, linearSum},
		{"a mean of convex parts keeps the weakest kind", Always, convexSum},
	},
	tree.OpNorm: {{"a norm of nonnegative parts keeps the weakest kind", allNonnegative, gaugeOf}},
	tree.OpTop:  {{"the sum of the largest nonnegative parts keeps the weakest kind", allNonnegative, gaugeOf}},
}
