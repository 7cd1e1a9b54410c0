package compiler

import (
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// An Explanation says what was proved of R, and why.
type Explanation struct {
	Kind        Kind // of R: the weakest kind among the invariances; Seminorm where there are none
	Quadratic   bool // R² is a quadratic function of f
	Smooth      bool // R² is differentiable everywhere
	Theory      string
	Functionals int // over all invariances; −1 where R is not grounded
	Invariances []InvarianceExplanation
}

// An InvarianceExplanation is one summand of R² explained.
type InvarianceExplanation struct {
	Name        string
	Text        string
	Weight      float64
	Kind        Kind
	Sign        Sign
	Quadratic   bool
	Smooth      bool
	Functionals int // −1 where R is not grounded
	Theory      string
	Place       diag.Span
	Proof       Step
}

// A Step is a node of the proof that an expression is convex: the expression, what was proved of it, and by which rule.
type Step struct {
	Text  string
	Rule  string
	Kind  Kind
	Sign  Sign
	Place diag.Span
	Call  string // the call of a definition that stands for the expression; empty where none does
	Parts []Step
}

// The statements about the theory.
const (
	theorySeminorm  = "a seminorm: f lives in a semi-inner-product space, and the theorems apply"
	theorySublinear = "sublinear, but not absolutely homogeneous: the embedding works, and the theorems are not claimed"
	theoryZero      = "zero: f lives in the reproducing kernel Hilbert space alone"
)

func theory(k Kind) string {
	if k == Sublinear {
		return theorySublinear
	}
	return theorySeminorm
}

// Explain explains the plan's regularizer, each grid at its first value.
func (p *Plan) Explain() *Explanation { return p.first.Explain(nil) }

// Explain explains the regularizer; with a grounded one, it counts functionals too.
func (in *Instance) Explain(r *regularizer.Regularizer) *Explanation {
	ex := &Explanation{Kind: Seminorm, Quadratic: true, Smooth: true, Functionals: -1, Theory: theoryZero}
	counts := map[string]int{}
	if r != nil {
		ex.Functionals = 0
		for _, inv := range r.Invariances {
			counts[inv.Name] = inv.Count
			ex.Functionals += inv.Count
		}
	}
	for _, t := range in.regularized {
		if t.weight == 0 || t.inv.form == nil {
			continue
		}
		inv := explainTerm(t)
		if r != nil {
			inv.Functionals = counts[inv.Name]
		}
		ex.Invariances = append(ex.Invariances, inv)
		ex.Kind = max(ex.Kind, inv.Kind)
		ex.Quadratic = ex.Quadratic && inv.Quadratic
		ex.Smooth = ex.Smooth && inv.Smooth
		ex.Theory = theory(ex.Kind)
	}
	return ex
}

func explainTerm(t *term) InvarianceExplanation {
	root := t.inv.root
	return InvarianceExplanation{
		Name: t.inv.name, Text: t.inv.text, Weight: t.weight, Kind: root.kind, Sign: root.sign,
		Quadratic: t.inv.form.quadratic(), Smooth: t.inv.form.smooth(), Functionals: -1,
		Theory: theory(root.kind), Place: t.inv.decl.Span(), Proof: explainNode(root, nil),
	}
}

func explainNode(n *node, outer *inlining) Step {
	s := Step{Text: text(n.from.syntax), Rule: n.rule, Kind: n.kind, Sign: n.sign, Place: n.from.span}
	if n.op == opNeg && !strings.HasPrefix(s.Text, "-") {
		s.Text = "-" + s.Text // the second part of a difference
	}
	if n.leaf != nil {
		s.Text = n.leaf.String()
	}
	if in := n.from.inlined; in != nil && in != outer {
		s.Call = in.text
	}
	for _, k := range n.kids {
		s.Parts = append(s.Parts, explainNode(k, n.from.inlined))
	}
	return s
}
