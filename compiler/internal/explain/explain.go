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
//	ρ(ℓ(f)) = max {Σ cᵢ ℓᵢ(f) : ρ°(c) ≤ 1},
//
// so that S holds the representers of Σ cᵢ ℓᵢ. The polar ρ° is written like ρ, norm by dual norm.
//
// An explanation is a value of texts and places, which outlives the plan that it is made from. Tools
// read it as JSON; text.go writes it for people.
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

// An Explanation says what was proved of R, and why. The names of its fields in JSON stay as they
// are: scripts depend on them.
type Explanation struct {
	Kind        string                  `json:"kind"` // of R: smooth seminorm, seminorm or sublinear, the weakest among the invariances
	Theory      string                  `json:"theory"`
	Seminorm    bool                    `json:"seminorm"` // absolutely homogeneous: the paper's Assumption 1
	Theorems    bool                    `json:"theorems"` // Riesz, the kernel G and the representer theorem hold: a smooth seminorm
	Quadratic   bool                    `json:"quadratic"`
	Smooth      bool                    `json:"differentiable"`        // R² is, everywhere
	Functionals *int                    `json:"functionals,omitempty"` // over all invariances; nil where R is not grounded
	Method      string                  `json:"method"`
	Reason      string                  `json:"method_reason"`
	Learner     string                  `json:"learner,omitempty"`        // svm(C = 1)
	Score       string                  `json:"score,omitempty"`          // what f is, where it is no value of the target
	Under       []string                `json:"evaluate_under,omitempty"` // the transformations of `evaluate under`
	Worst       []string                `json:"learn_under,omitempty"`    // the transformations under which the worst loss counts
	Augment     []string                `json:"augment,omitempty"`        // the transformations that training rows are copied under
	Invariances []InvarianceExplanation `json:"invariances"`
	Measures    []InvarianceExplanation `json:"measures,omitempty"` // that a run reports, and R does not hold; their weight is 0
	Required    []Required              `json:"required,omitempty"` // statements that hold everywhere in a region
	Polar       string                  `json:"polar,omitempty"`    // of R, by those of the invariances
	Sights      []Sight                 `json:"families,omitempty"` // what families from elsewhere see of the data
}

// An InvarianceExplanation is one summand w·e of R² = Σ (w e)² explained.
type InvarianceExplanation struct {
	Name        string    `json:"name"`
	Text        string    `json:"text"`
	Place       diag.Span `json:"at,omitzero"`
	Weight      float64   `json:"weight"`         // or its factor beside auto
	Auto        bool      `json:"auto,omitempty"` // the weight is yet to be chosen
	Kind        string    `json:"kind"`
	Sign        tree.Sign `json:"sign"`
	Theory      string    `json:"theory"`
	If          []string  `json:"if,omitempty"` // what the data must keep for the proof to hold: area(x) ≥ 0. Grounding looks at it
	Quadratic   bool      `json:"quadratic"`
	Smooth      bool      `json:"differentiable"`
	Orbits      []string  `json:"orbits,omitempty"`      // what samples stand for orbits: "24 moves of orbit {…} for each x"
	Samples     []string  `json:"samples,omitempty"`     // what stands for rows drawn: "z is drawn by sample(100): 100 of 270 rows"
	Kinks       []Kink    `json:"kinks,omitempty"`       // where the square is not differentiable
	Functionals *int      `json:"functionals,omitempty"` // nil where R is not grounded
	Proof       Step      `json:"proof"`
	Ball        Ball      `json:"ball"`
}

// A Step is a node of the proof that an expression is convex: the expression, what was proved of
// it, and by which rule. Its parts are the premises.
type Step struct {
	Text  string    `json:"text"`
	Head  string    `json:"-"`              // of a quantifier the text before its body, else Text
	Call  string    `json:"call,omitempty"` // the call of a definition that stands for the expression; empty where none does
	Kind  string    `json:"kind"`           // Constant where it holds no f
	Sign  tree.Sign `json:"sign"`
	Rule  string    `json:"rule"`
	Place diag.Span `json:"at,omitzero"`
	Parts []Step    `json:"parts,omitempty"`
}

// Constant is the kind of a step that holds no f.
const Constant = "constant"

// A Kink is a part of an invariance that keeps its square from being differentiable everywhere. An
// invariance with one is a seminorm that is not smooth. The theorems that need a derivative of the
// norm are not claimed of it.
type Kink struct {
	Text  string    `json:"text"`
	Where string    `json:"where"` // the functions at which it is not
	Place diag.Span `json:"at,omitzero"`
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
// functionals too. Open says that weights with the factor auto are yet to be chosen. R has the
// weakest kind of its terms, and is smooth or quadratic if all of them are.
func Terms(terms []*tree.Term, open bool, r *regularizer.Regularizer) *Explanation {
	ex := &Explanation{Quadratic: true, Smooth: true, Theory: theoryZero, Invariances: []InvarianceExplanation{}}
	counts, total := map[string]int{}, 0
	if r != nil {
		for _, inv := range r.Invariances {
			counts[inv.Name] = inv.Count
			total += inv.Count
		}
		ex.Functionals = &total
	}
	kind := tree.Seminorm
	for _, t := range terms {
		if !t.Counts() {
			continue
		}
		inv := explainTerm(t, open, r)
		if r != nil {
			count := counts[inv.Name]
			inv.Functionals = &count
		}
		ex.Invariances = append(ex.Invariances, inv)
		kind = max(kind, t.Inv.Root.Kind)
		ex.Quadratic = ex.Quadratic && inv.Quadratic
		ex.Smooth = ex.Smooth && inv.Smooth
		ex.Theory = theory(kind, ex.Smooth)
	}
	ex.Kind, ex.Seminorm = regularizer.KindText(kind, ex.Smooth), kind != tree.Sublinear
	ex.Theorems = ex.Seminorm && ex.Smooth
	ex.Polar = ex.polar()
	return ex
}

// Measure adds the explanations of measures, beside a grounded regularizer or none.
func (ex *Explanation) Measure(measures []*tree.Term, r *regularizer.Regularizer) {
	for _, t := range measures {
		m := explainTerm(t, false, r)
		m.Weight = 0
		ex.Measures = append(ex.Measures, m)
	}
}

// explainTerm explains one weighted invariance, before its functionals are counted. Its weight is
// shown with auto only while auto is open.
func explainTerm(t *tree.Term, open bool, r *regularizer.Regularizer) InvarianceExplanation {
	root, smooth := t.Inv.Root, t.Inv.Form.Smooth()
	return InvarianceExplanation{
		Name: t.Inv.Name, Text: t.Inv.Text(), Weight: t.Weight, Auto: t.Auto && open, Kind: regularizer.KindText(root.Kind, smooth), Sign: root.Sign,
		Quadratic: t.Inv.Form.Quadratic(), Smooth: smooth, Orbits: orbits(t.Inv.Form), Samples: samples(t.Inv.Form, r), Kinks: kinks(t.Inv.Form),
		Theory: theory(root.Kind, smooth), If: root.Conditions(), Place: t.Inv.Decl.Span(), Proof: Proof(root, nil),
		Ball: ballOf(t.Inv.Form),
	}
}

// worstMove begins what is said of an orbit over which a maximum is taken.
const worstMove = "the worst move"

// orbits says of each orbit of a form what sample or which members stand for it. The proof that the form is convex
// holds for the orbit and for every sample of it alike. What a fit certifies, and what functionals
// there are, is of the sample.
func orbits(f *tree.Form) []string {
	return tree.Each(f.Orbits(), func(o *tree.Orbit) string {
		text := tree.Plural(o.Moves, "move") + " of " + o.Text
		if o.Worst {
			text = worstMove + " of " + o.Text
		}
		if o.Point != nil {
			text += " for each " + o.Point.Word
		}
		return text
	})
}

// samples says of each variable that stands for rows drawn by which sample, as here of z. With a grounded regularizer it counts them.
//
//	rms over x, z in sample(100) of |f(x) - f(z)|     z is drawn by sample(100): 100 of 270 rows
//
// Equal samples with equal names are told once: they draw the same rows.
func samples(f *tree.Form, r *regularizer.Regularizer) (out []string) {
	for _, a := range f.Axes() {
		if !a.Drawn() {
			continue
		}
		text := tree.Greek(a.Vars[0].Name) + " is drawn by " + a.Text
		if r != nil {
			text += fmt.Sprintf(": %d of %d rows", a.Draws(r.Rows), r.Rows)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// Proof returns the proof of an expression. What an outer call of a definition stands for is not
// named again. A factor by which data multiply a part is a premise, as its sign decides. What a
// number is made of proves nothing and is left out.
func Proof(n *tree.Node, outer *tree.Inlining) Step {
	s := Step{Text: tree.Text(n.From.Syntax), Rule: n.Rule, Kind: n.Kind.String(), Sign: n.Sign, Place: n.From.Place()}
	if n.Constant {
		s.Kind = Constant
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
	Family  string    `json:"family"`
	Version string    `json:"version"`
	Place   diag.Span `json:"at,omitzero"` // of `use`
	For     []string  `json:"for"`         // the domains and maps that the spec uses
	Sees    string    `json:"sees"`        // in words: the columns front and back, no labels
	Columns any       `json:"columns"`     // "all", or the names of those that it sees
	Labels  string    `json:"labels"`      // none, names, rows
}

// NewSight says what a family sees for what a spec asks it for.
func NewSight(fam *tree.Family, calls []string, needs plugins.Needs) Sight {
	s := Sight{
		Family: fam.Name, Version: fam.Schema.Version, Place: fam.Place, For: append([]string{}, calls...), Sees: sees(calls, needs),
		Columns: append([]string{}, needs.Names...), Labels: [...]string{plugins.NoLabels: "none", plugins.LabelNames: "names", plugins.RowLabels: "rows"}[needs.Labels],
	}
	if needs.Columns == plugins.AllColumns {
		s.Columns = "all"
	}
	return s
}

// sees returns what a family sees, in words.
func sees(calls []string, needs plugins.Needs) string {
	columns := "no columns"
	switch names := needs.Names; {
	case len(calls) == 0:
		return "nothing: the regularizer asks it for nothing"
	case needs.Columns == plugins.AllColumns:
		columns = "all columns"
	case len(names) == 1:
		columns = "the column " + names[0]
	case len(names) > 1:
		columns = "the columns " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	case needs.Columns == plugins.NoColumns && needs.Labels == plugins.NoLabels:
		return "only the number of rows"
	}
	return columns + ", " + [...]string{plugins.NoLabels: "no labels", plugins.LabelNames: "the labels' names", plugins.RowLabels: "the label of each row"}[needs.Labels]
}
