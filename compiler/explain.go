package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// An Explanation says what was proved of R, and why.
type Explanation struct {
	Kind        Kind // of R: the weakest kind among the invariances; Seminorm where there are none
	Quadratic   bool // R² is a quadratic function of f
	Smooth      bool // R² is differentiable everywhere
	Theory      string
	Polar       string   // ρ° of R by those of the invariances; empty where there is none
	Functionals int      // over all invariances; −1 where R is not grounded
	Method      string   // embed, dual, warp, plain, risk
	Reason      string   // why it is this one
	Learner     string   // svm(C = 1)
	Under       []string // the transformations of `evaluate under`
	Invariances []InvarianceExplanation
	Sights      []Sight // what families from elsewhere see of the data
}

// An InvarianceExplanation is one summand of R² explained.
type InvarianceExplanation struct {
	Name        string
	Text        string
	Weight      float64 // or its factor beside auto
	Auto        bool    // the weight is yet to be chosen
	Kind        Kind
	Sign        Sign
	Quadratic   bool
	Smooth      bool
	Kinks       []Kink // where the square is not differentiable
	Functionals int    // −1 where R is not grounded
	Theory      string
	If          []string // what the data must keep for the proof to hold: area(x) ≥ 0. Grounding looks at it
	Place       diag.Span
	Proof       Step
	Ball        Ball
}

// A Step is a node of the proof that an expression is convex: the expression, what was proved of it, and by which rule.
type Step struct {
	Text     string
	Head     string // of a quantifier the text before its body, else Text
	Rule     string
	Constant bool // it holds no f, and Kind means nothing
	Kind     Kind
	Sign     Sign
	Place    diag.Span
	Call     string // the call of a definition that stands for the expression; empty where none does
	Parts    []Step
}

// KindText is the kind's word, constant where the step holds no f.
func (s *Step) KindText() string {
	if s.Constant {
		return "constant"
	}
	return s.Kind.String()
}

// A Kink is a part of an invariance that keeps its square from being differentiable everywhere.
type Kink struct {
	Text  string
	Where string // the functions at which it is not
	Place diag.Span
}

// The statements about the theory.
const (
	theorySmooth    = "a smooth seminorm: the embedding exists and is unique, and Riesz, the kernel G and the representer theorem hold"
	theorySeminorm  = "a seminorm that is not smooth: " + theoryOpen
	theorySublinear = "sublinear, but not absolutely homogeneous: " + theoryOpen
	theoryOpen      = "the embedding exists and is unique; Riesz, the kernel G and the representer theorem are not claimed"
	theoryZero      = "zero: f lives in the reproducing kernel Hilbert space alone"
)

// theory says which of the paper's theorems hold. They ask for a norm, and for one that is differentiable but at zero.
func theory(k Kind, smooth bool) string {
	switch {
	case k == Sublinear:
		return theorySublinear
	case smooth:
		return theorySmooth
	}
	return theorySeminorm
}

// Explain explains the plan's regularizer, each grid at its first value.
func (p *Plan) Explain() *Explanation { return p.first.Explain(nil) }

// Explain explains the regularizer; with a grounded one, it counts functionals too.
func (in *Instance) Explain(r *regularizer.Regularizer) *Explanation {
	ex := &Explanation{
		Kind: Seminorm, Quadratic: true, Smooth: true, Functionals: -1, Theory: theoryZero,
		Method: string(in.Method), Reason: in.Reason, Learner: in.Learn.String(), Sights: in.sights(),
	}
	for _, t := range in.transforms {
		ex.Under = append(ex.Under, t.text)
	}
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
		inv := in.explainTerm(t)
		if r != nil {
			inv.Functionals = counts[inv.Name]
		}
		ex.Invariances = append(ex.Invariances, inv)
		ex.Kind = max(ex.Kind, inv.Kind)
		ex.Quadratic = ex.Quadratic && inv.Quadratic
		ex.Smooth = ex.Smooth && inv.Smooth
		ex.Theory = theory(ex.Kind, ex.Smooth)
	}
	ex.Polar = ex.polar()
	return ex
}

func (in *Instance) explainTerm(t *term) InvarianceExplanation {
	root := t.inv.root
	return InvarianceExplanation{
		Name: t.inv.name, Text: t.inv.text(), Weight: t.weight, Auto: t.auto && in.choice == nil, Kind: root.kind, Sign: root.sign,
		Quadratic: t.inv.form.quadratic(), Smooth: t.inv.form.smooth(), Kinks: t.inv.form.kinks(nil), Functionals: -1,
		Theory: theory(root.kind, t.inv.form.smooth()), If: root.conditions(nil), Place: t.inv.decl.Span(), Proof: explainNode(root, nil),
		Ball: ballOf(t.inv.form, in.Data.Target.Task.Joint()),
	}
}

func explainNode(n *node, outer *inlining) Step {
	s := Step{
		Text: text(n.from.syntax), Rule: n.rule, Constant: n.constant, Kind: n.kind, Sign: n.sign, Place: n.from.place(),
	}
	if n.op == opNeg && !strings.HasPrefix(s.Text, "-") {
		s.Text = "-" + s.Text // the second part of a difference
	}
	if n.leaf != nil {
		s.Text = n.leaf.String()
	}
	s.Head = s.Text
	if q, ok := n.from.syntax.(*dsl.Quant); ok && n.quant != nil {
		s.Head = n.word + " over " + binders(q) + " of"
	}
	if in := n.from.inlined; in != nil && in != outer {
		s.Call = in.text()
	}
	if n.by != nil {
		s.Parts = append(s.Parts, explainNode(n.by, n.from.inlined))
	}
	for _, k := range n.kids {
		if !n.data { // what a number is made of proves nothing
			s.Parts = append(s.Parts, explainNode(k, n.from.inlined))
		}
	}
	return s
}

// place is where the expression stands in the spec: what a family defines stands where it is called.
func (o origin) place() diag.Span {
	at := o.span
	for in := o.inlined; in != nil; in = in.up {
		if in.family != "" {
			at = in.call
		}
	}
	return at
}

// Conditions lists what the data must keep for the proofs to hold, each once.
func (ex *Explanation) Conditions() []string {
	var out []string
	for i := range ex.Invariances {
		for _, c := range ex.Invariances[i].If {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// binders is what a quantifier ranges over, as the spec has it: (a, b) in edges(topics), x where area > 3.
func binders(q *dsl.Quant) string {
	s := strings.TrimSuffix(text(q), text(q.Body))
	s = strings.TrimSuffix(strings.TrimSpace(s), " of")
	_, s, _ = strings.Cut(s, " over ")
	return s
}

// kinks lists the parts at which the square of the gauge may not be differentiable; see smooth.
func (f *form) kinks(out []Kink) []Kink {
	if f.linear == nil && (len(f.kids) > 1 || f.quant != nil && f.quant.unless == nil) {
		where := ""
		switch f.op {
		case gauge.Max:
			where = "where two of its parts share the largest value"
		case gauge.Sum:
			where = "where one of its parts is zero and another is not"
		case gauge.Top:
			where = "where the smallest of the parts that count equals one that does not"
		case gauge.Abs, gauge.Pos, gauge.Norm, gauge.Signed, gauge.PosTop:
		}
		kink := Kink{Text: headOf(f.from), Where: where, Place: f.from.place()}
		if where != "" && !slices.Contains(out, kink) { // a maximum over what may be nothing has two forms
			out = append(out, kink)
		}
	}
	for _, k := range f.kids {
		out = k.kinks(out)
	}
	return out
}

// headOf is an expression, of a quantifier what stands before its body.
func headOf(o origin) string {
	if q, ok := o.syntax.(*dsl.Quant); ok {
		return strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(text(q), text(q.Body))), " of")
	}
	return text(o.syntax)
}

// String is the learner as a spec writes it.
func (l Learn) String() string {
	switch l.Name {
	case "":
		return ""
	case ridge:
		return fmt.Sprintf("%s(lambda = %g)", l.Name, l.Lambda)
	}
	if l.Probabilities {
		return fmt.Sprintf("%s(C = %g, probabilities = on)", l.Name, l.C)
	}
	return fmt.Sprintf("%s(C = %g)", l.Name, l.C)
}
