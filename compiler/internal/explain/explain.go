// Package explain says what was proved of R = √(Σ_k (w_k e_k)²), and why. It judges nothing: it
// reads trees that package calculus has judged, and forms that it has made of them.
//
// For each invariance there are three things to show.
//
// The proof is the tree of the expression. Each node has its kind and sign and the rule that gave
// them, and its place in the spec. Where a definition was inlined, the call stands before its body.
//
// The kinks are the parts at which the square of the gauge may not be differentiable. They decide
// between a seminorm and a smooth seminorm, and so which theorems of the paper hold. Riesz, the
// kernel G and the representer theorem need a norm that is Gâteaux differentiable away from zero.
//
// The norm ball S has R as its support function. By duality of norms,
//
//	R(f) = ρ(ℓ(f)) = max {Σ_i c_i ℓ_i(f) : ρ°(c) ≤ 1} = max {⟨f, s⟩ : s ∈ S},
//	S = {Σ_i c_i z_i : ρ°(c) ≤ 1},   ⟨f, z_i⟩ = ℓ_i(f),
//
// where the polar ρ° is the same tree with each norm replaced by its dual, and z_i is the
// representer of ℓ_i. For f at a point it is k(·, x), and for a derivative the derivative of that.
// docs/mathematics.md has the proofs, and docs/explain.md shows how to read the output.
//
// An explanation is a value. text.go writes it for people and json.go for programs, both without
// asking the compiler anything more.
package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// An Explanation says what was proved of R, and why. It holds texts and places alone, so that it
// outlives the plan that it is made from.
type Explanation struct {
	Kind        tree.Kind // of R: the weakest kind among the invariances; Seminorm where there are none
	Quadratic   bool      // R² is a quadratic function of f
	Smooth      bool      // R² is differentiable everywhere
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

// An InvarianceExplanation is one summand w·e of R² = Σ (w e)² explained.
type InvarianceExplanation struct {
	Name        string
	Text        string
	Weight      float64 // or its factor beside auto
	Auto        bool    // the weight is yet to be chosen
	Kind        tree.Kind
	Sign        tree.Sign
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

// A Step is a node of the proof that an expression is convex: the expression, what was proved of
// it, and by which rule. Its parts are the premises.
type Step struct {
	Text     string
	Head     string // of a quantifier the text before its body, else Text
	Rule     string
	Constant bool // it holds no f, and Kind means nothing
	Kind     tree.Kind
	Sign     tree.Sign
	Place    diag.Span
	Call     string // the call of a definition that stands for the expression; empty where none does
	Parts    []Step
}

// KindText returns the kind's word, constant where the step holds no f.
func (s *Step) KindText() string {
	if s.Constant {
		return "constant"
	}
	return s.Kind.String()
}

// A Kink is a part of an invariance that keeps its square from being differentiable everywhere. An
// invariance with one is a seminorm that is not smooth. The theorems that need a derivative of the
// norm are not claimed of it.
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

// theory says which of the paper's theorems hold. They ask for a norm, and for one that is
// differentiable away from zero. The embedding itself exists and is unique for every kind, since
// ‖V‖² + R(V)² is strongly convex.
func theory(k tree.Kind, smooth bool) string {
	switch {
	case k == tree.Sublinear:
		return theorySublinear
	case smooth:
		return theorySmooth
	}
	return theorySeminorm
}

// Terms explains the sum of the squares of some terms. With a grounded regularizer it counts
// functionals too; without one their number is −1. Joint says that f is a function of points and
// labels, open that weights with the factor auto are yet to be chosen. R has the weakest kind of
// its terms, and is smooth or quadratic if all of them are.
func Terms(terms []*tree.Term, joint, open bool, r *regularizer.Regularizer) *Explanation {
	ex := &Explanation{Kind: tree.Seminorm, Quadratic: true, Smooth: true, Functionals: -1, Theory: theoryZero}
	counts := map[string]int{}
	if r != nil {
		ex.Functionals = 0
		for _, inv := range r.Invariances {
			counts[inv.Name] = inv.Count
			ex.Functionals += inv.Count
		}
	}
	for _, t := range terms {
		if t.Weight == 0 || t.Inv.Form == nil {
			continue
		}
		inv := explainTerm(t, joint, open)
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

// explainTerm explains one weighted invariance, before its functionals are counted. Its weight is
// shown with auto only while auto is open.
func explainTerm(t *tree.Term, joint, open bool) InvarianceExplanation {
	root := t.Inv.Root
	return InvarianceExplanation{
		Name: t.Inv.Name, Text: t.Inv.Text(), Weight: t.Weight, Auto: t.Auto && open, Kind: root.Kind, Sign: root.Sign,
		Quadratic: t.Inv.Form.Quadratic(), Smooth: t.Inv.Form.Smooth(), Kinks: kinks(t.Inv.Form), Functionals: -1,
		Theory: theory(root.Kind, t.Inv.Form.Smooth()), If: root.Conditions(), Place: t.Inv.Decl.Span(), Proof: Proof(root, nil),
		Ball: ballOf(t.Inv.Form, joint),
	}
}

// Proof returns the proof of an expression. What an outer call of a definition stands for is not
// named again. A factor by which data multiply a part is a premise, as its sign decides. What a
// number is made of proves nothing and is left out.
func Proof(n *tree.Node, outer *tree.Inlining) Step {
	s := Step{
		Text: tree.Text(n.From.Syntax), Rule: n.Rule, Constant: n.Constant, Kind: n.Kind, Sign: n.Sign, Place: n.From.Place(),
	}
	// A step is named by what it is, and not by how the spec came to it: the second part of a
	// difference has its sign, and a leaf has its point and label.
	if n.Op == tree.OpNeg && !strings.HasPrefix(s.Text, "-") {
		s.Text = "-" + s.Text // the second part of a difference
	}
	if n.Leaf != nil {
		s.Text = n.Leaf.String()
	}
	s.Head = s.Text
	if q, ok := n.From.Syntax.(*dsl.Quant); ok && n.Quant != nil {
		s.Head = n.Word + " over " + tree.Binders(q) + " of"
	}
	if in := n.From.Inlined; in != nil && in != outer {
		s.Call = in.Text()
	}
	if n.By != nil {
		s.Parts = append(s.Parts, Proof(n.By, n.From.Inlined))
	}
	for _, k := range n.Kids {
		if !n.Data { // what a number is made of proves nothing
			s.Parts = append(s.Parts, Proof(k, n.From.Inlined))
		}
	}
	return s
}

// Conditions lists what the data must keep for the proofs to hold, each once. Grounding checks each
// of them row by row.
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

// kinks lists the parts at which the square of the gauge may not be differentiable. |t|² and [t]₊²
// are differentiable everywhere, and so is the square of a p-norm with 1 < p < ∞ of smooth parts.
// Maxima, sums and top(k) of several parts have kinks; of one part they are that part.
func kinks(root *tree.Form) []Kink {
	var out []Kink
	for f := range root.All() {
		if f.Linear != nil || len(f.Kids) <= 1 && (f.Quant == nil || f.Quant.Unless != nil) {
			continue
		}
		where := ""
		switch f.Op {
		case gauge.Max:
			where = "where two of its parts share the largest value"
		case gauge.Sum:
			where = "where one of its parts is zero and another is not"
		case gauge.Top:
			where = "where the smallest of the parts that count equals one that does not"
		case gauge.Abs, gauge.Pos, gauge.Norm:
		}
		kink := Kink{Text: tree.HeadOf(f.From), Where: where, Place: f.From.Place()}
		if where != "" && !slices.Contains(out, kink) { // a maximum over what may be nothing has two forms
			out = append(out, kink)
		}
	}
	return out
}

// A Sight says what a family from elsewhere is shown of the data, and for what. Families that are
// built in see nothing that a user need think about.
type Sight struct {
	Family  string
	Version string
	Place   diag.Span // of `use`
	For     []string  // the domains and maps that the spec uses
	Needs   plugins.Needs
}

// String returns what the family sees, in words: "the columns front and back, no labels".
func (s *Sight) String() string {
	columns := "no columns"
	switch names := s.Needs.Names; {
	case len(s.For) == 0:
		return "nothing: the regularizer asks it for nothing"
	case s.Needs.Columns == plugins.AllColumns:
		columns = "all columns"
	case len(names) == 1:
		columns = "the column " + names[0]
	case len(names) > 1:
		columns = "the columns " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	labels := [...]string{plugins.NoLabels: "no labels", plugins.LabelNames: "the labels' names", plugins.RowLabels: "the label of each row"}
	if s.Needs.Columns == plugins.NoColumns && len(s.Needs.Names) == 0 && s.Needs.Labels == plugins.NoLabels {
		return "only the number of rows"
	}
	return fmt.Sprintf("%s, %s", columns, labels[s.Needs.Labels])
}

// line returns a sight as explain prints it.
func (s *Sight) line() string {
	text := fmt.Sprintf("family %s %s sees %s", s.Family, s.Version, s)
	if len(s.For) > 0 {
		text += ", for " + strings.Join(s.For, ", ")
	}
	return text
}
