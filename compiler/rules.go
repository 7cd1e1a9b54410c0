package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// A Kind is what the calculus proves of an expression.
type Kind = regularizer.Kind

// The kinds, from the strongest to the weakest.
const (
	Linear    = regularizer.Linear
	Seminorm  = regularizer.Seminorm
	Sublinear = regularizer.Sublinear
)

// A Sign is what the calculus proves of an expression's values.
type Sign int

// The signs.
const (
	UnknownSign Sign = iota
	Zero
	Nonnegative
	Nonpositive
)

// String is the sign's word.
func (s Sign) String() string {
	return [...]string{"of either sign", "zero", "nonnegative", "nonpositive"}[s]
}

// A judged holds what the calculus proved of a node.
type judged struct {
	kind     Kind
	sign     Sign
	constant bool   // holds no f: kind is meaningless unless the sign is zero
	rule     string // by which it was proved
}

// zero reports whether the part is zero whatever f is.
func (j judged) zero() bool { return j.sign == Zero }

// atLeastZero reports whether the part is nonnegative.
func (j judged) atLeastZero() bool { return j.sign == Nonnegative || j.sign == Zero }

// A rule is a row of the calculus: parts that satisfy when combine to what then says. The first rule of an operation
// whose premise holds applies; where none does, refuse is the reason.
type rule struct {
	text string
	when func(parts []judged, n *node) bool
	then func(parts []judged, n *node) (Kind, Sign)
}

// A refusal says why no rule applies.
type refusal struct {
	code    diag.Code
	summary string
	detail  string
	mend    string
}

func always([]judged, *node) bool { return true }

func allLinear(parts []judged, _ *node) bool {
	return !slices.ContainsFunc(parts, func(j judged) bool { return j.kind != Linear })
}

func allNonnegative(parts []judged, _ *node) bool {
	return !slices.ContainsFunc(parts, func(j judged) bool { return !j.atLeastZero() })
}

// weakest is the kind of a maximum or sum of the parts. A seminorm beside a linear part is sublinear: |f| + f is not
// absolutely homogeneous. Zero counts as any kind.
func weakest(parts []judged) Kind {
	kind, linear, nonlinear := Linear, false, false
	for _, j := range parts {
		if j.zero() {
			continue
		}
		kind = max(kind, j.kind)
		linear = linear || j.kind == Linear
		nonlinear = nonlinear || j.kind != Linear
	}
	if linear && nonlinear {
		return Sublinear
	}
	return kind
}

// total is the sign of a sum.
func total(parts []judged) Sign {
	sign := Zero
	for _, j := range parts {
		switch {
		case j.zero() || j.sign == sign && sign != UnknownSign:
		case sign == Zero:
			sign = j.sign
		default:
			return UnknownSign
		}
	}
	return sign
}

// largest is the sign of a maximum.
func largest(parts []judged, _ *node) Sign {
	switch {
	case !slices.ContainsFunc(parts, func(j judged) bool { return !j.zero() }):
		return Zero
	case slices.ContainsFunc(parts, judged.atLeastZero):
		return Nonnegative
	}
	return UnknownSign
}

// asGauge is the kind of a monotone norm of nonnegative parts.
func asGauge(parts []judged) Kind { return max(Seminorm, weakest(parts)) }

func keep(parts []judged, _ *node) (Kind, Sign) { return parts[0].kind, parts[0].sign }

func gaugeOf(parts []judged, _ *node) (Kind, Sign) {
	if total(parts) == Zero {
		return Linear, Zero
	}
	return asGauge(parts), Nonnegative
}

func flipped(s Sign) Sign {
	switch s {
	case Nonnegative:
		return Nonpositive
	case Nonpositive:
		return Nonnegative
	}
	return s
}

// A calculus holds the rules of each operation, in the order in which they are tried.
type calculus map[op][]rule

// prove judges a node by what is known of its parts. It returns false where no rule applies.
func (c calculus) prove(n *node) bool {
	parts := make([]judged, len(n.kids))
	for i, k := range n.kids {
		parts[i] = k.judged
	}
	for _, r := range c[n.op] {
		if r.when(parts, n) {
			n.kind, n.sign = r.then(parts, n)
			n.rule = r.text
			return true
		}
	}
	return false
}

// Rules are the rules of the calculus as a proof names them, each once, from the leaves' to those of the largest operations.
func Rules() []string {
	var texts []string
	for o := opConst; o <= opMin; o++ {
		for _, r := range rules[o] {
			if !slices.Contains(texts, r.text) {
				texts = append(texts, r.text)
			}
		}
	}
	return texts
}

// rules is the calculus. Constants other than zero never reach it: f(x) − 1 is not homogeneous, whatever stands around it.
var rules = calculus{
	opLeaf: {{
		"f and its derivatives are linear in f", always,
		func([]judged, *node) (Kind, Sign) { return Linear, UnknownSign },
	}},
	opNeg: {{
		"minus linear is linear", allLinear,
		func(p []judged, _ *node) (Kind, Sign) { return Linear, flipped(p[0].sign) },
	}},
	opScale: {
		{
			"zero times anything is zero", func(_ []judged, n *node) bool { return n.factor() == Zero },
			func([]judged, *node) (Kind, Sign) { return Linear, Zero },
		},
		{
			"a multiple of linear is linear", allLinear,
			func(p []judged, n *node) (Kind, Sign) {
				switch n.factor() {
				case Nonpositive:
					return Linear, flipped(p[0].sign)
				case Nonnegative:
					return Linear, p[0].sign
				}
				return Linear, UnknownSign
			},
		},
		{"a positive multiple keeps kind and sign", func(_ []judged, n *node) bool { return n.by == nil && n.num > 0 }, keep},
		{"a multiple by data that are nowhere negative keeps kind and sign", func(_ []judged, n *node) bool { return n.by != nil && n.by.mayBeAtLeastZero() }, keep},
	},
	opAdd: {
		{"linear parts that cancel are zero", cancels, func([]judged, *node) (Kind, Sign) { return Linear, Zero }},
		{"a sum of linear parts is linear", allLinear, func(p []judged, _ *node) (Kind, Sign) { return Linear, total(p) }},
		{"a sum of convex parts keeps the weakest kind", always, func(p []judged, _ *node) (Kind, Sign) { return weakest(p), total(p) }},
	},
	opAbs: {
		{"the absolute value of linear is a seminorm", allLinear, gaugeOf},
		{"the absolute value of a nonnegative part is that part", allNonnegative, keep},
	},
	opPos: {
		{"the positive part of a nonnegative part is that part", allNonnegative, keep},
		{
			"the positive part of a convex part is sublinear", always,
			func([]judged, *node) (Kind, Sign) { return Sublinear, Nonnegative },
		},
	},
	opMax: {
		{
			"a maximum of nonnegative parts keeps the weakest kind", allNonnegative, gaugeOf,
		},
		{
			"a maximum of linear parts and their negatives is a seminorm", symmetric,
			func([]judged, *node) (Kind, Sign) { return Seminorm, Nonnegative },
		},
		{
			"a maximum of convex parts is sublinear, and nonnegative if one of them is", always,
			func(p []judged, n *node) (Kind, Sign) { return Sublinear, largest(p, n) },
		},
	},
	opSum: {
		{"a sum of linear parts is linear", allLinear, func(p []judged, _ *node) (Kind, Sign) { return Linear, total(p) }},
		{"a sum of convex parts keeps the weakest kind", always, func(p []judged, _ *node) (Kind, Sign) { return weakest(p), total(p) }},
	},
	opMean: {
		{"a mean of linear parts is linear", allLinear, func(p []judged, _ *node) (Kind, Sign) { return Linear, total(p) }},
		{"a mean of convex parts keeps the weakest kind", always, func(p []judged, _ *node) (Kind, Sign) { return weakest(p), total(p) }},
	},
	opNorm: {{"a norm of nonnegative parts keeps the weakest kind", allNonnegative, gaugeOf}},
	opTop:  {{"the sum of the largest nonnegative parts keeps the weakest kind", allNonnegative, gaugeOf}},
}
