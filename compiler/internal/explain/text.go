package explain

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/mattn/go-runewidth"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// The widest expression in a tree; a wider one is cut.
const mostExpression = 60

// Shown returns the explanation as text: what R is, and of each invariance the tree of its proof and
// the norm ball behind it.
func (ex *Explanation) Shown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "R is %s.\nR² is %s.\n", ex.Theory, shape(ex.Quadratic, ex.Smooth))
	if ex.Functionals != nil {
		fmt.Fprintf(&b, "R has %s.\n", tree.Plural(*ex.Functionals, "functional"))
	}
	fmt.Fprintf(&b, "method %s (%s)", ex.Method, ex.Reason)
	if ex.Learner != "" {
		b.WriteString(", learn " + ex.Learner)
	}
	if len(ex.Worst) > 0 {
		b.WriteString(" by the worst loss of each row and its copies under " + strings.Join(ex.Worst, ", "))
	}
	if len(ex.Augment) > 0 {
		b.WriteString(", on copies of the rows under " + strings.Join(ex.Augment, ", "))
	}
	if len(ex.Under) > 0 {
		b.WriteString(", evaluate under " + strings.Join(ex.Under, ", "))
	}
	b.WriteString("\n")
	if ex.Score != "" {
		b.WriteString("f is " + ex.Score + "\n")
	}
	for _, s := range ex.Sights {
		fmt.Fprintf(&b, "family %s %s sees %s", s.Family, s.Version, s.Sees)
		if len(s.For) > 0 {
			b.WriteString(", for " + strings.Join(s.For, ", "))
		}
		b.WriteString("\n")
	}
	for i := range ex.Invariances {
		b.WriteString(ex.Invariances[i].shown())
	}
	for i := range ex.Measures {
		b.WriteString(ex.Measures[i].shown())
	}
	for i := range ex.Required {
		b.WriteString(ex.Required[i].shown())
	}
	if len(ex.Invariances) > 1 || len(ex.Invariances) == 1 && (ex.Invariances[0].Weight != 1 || ex.Invariances[0].Auto) {
		b.WriteString("\nR² = " + ex.squares() + "\nρ°(c) = " + ex.Polar + "\n")
	}
	return b.String()
}

// shape returns what the square of a gauge is, for a sentence.
func shape(quadratic, smooth bool) string {
	switch {
	case quadratic:
		return "quadratic: method warp has a closed form"
	case smooth:
		return "differentiable"
	}
	return "not differentiable everywhere"
}

// squares returns R² as a sum of weighted squares, (w₁·e₁)² + …, with the names of the invariances.
func (ex *Explanation) squares() string {
	parts := make([]string, len(ex.Invariances))
	for i := range ex.Invariances {
		inv := &ex.Invariances[i]
		parts[i] = inv.Name + "²"
		if inv.Weight != 1 || inv.Auto {
			parts[i] = "(" + inv.weight() + "·" + inv.Name + ")²"
		}
	}
	return strings.Join(parts, " + ")
}

// weight returns the weight as a reader sees it.
func (inv *InvarianceExplanation) weight() string {
	number := strconv.FormatFloat(inv.Weight, 'g', -1, 64)
	switch {
	case !inv.Auto:
		return number
	case inv.Weight == 1:
		return tree.AutoWord
	}
	return number + "·" + tree.AutoWord
}

// shown returns the kind and weight of an invariance, its conditions and kinks, and its proof.
func (inv *InvarianceExplanation) shown() string {
	var b strings.Builder
	weight := "weight " + inv.weight()
	if inv.Weight == 0 {
		weight = "a measure, which R does not hold"
	}
	fmt.Fprintf(&b, "\n%s  %s, %s", inv.Name, inv.Kind, weight)
	where := "which the training rows decide"
	if inv.Functionals != nil {
		b.WriteString(", " + tree.Plural(*inv.Functionals, "functional"))
		where = "as it is in the training rows"
	}
	b.WriteString("\n  is " + inv.Theory + "\n")
	if len(inv.If) > 0 {
		fmt.Fprintf(&b, "  if %s, %s\n", strings.Join(inv.If, " and "), where)
	}
	b.WriteString("  its square is " + shape(inv.Quadratic, inv.Smooth) + "\n")
	for _, o := range inv.Orbits {
		stands := "which a sample stands for: what is certified is of the sample"
		if strings.HasPrefix(o, worstMove) {
			stands = "which is searched between fits: what is certified is of the moves found"
		}
		fmt.Fprintf(&b, "  takes %s, %s\n", o, stands)
	}
	for _, s := range inv.Samples {
		b.WriteString("  " + s + "\n")
	}
	for _, k := range inv.Kinks {
		fmt.Fprintf(&b, "    %s has kinks %s (%s)\n", runewidth.Truncate(k.Text, mostExpression, "…"), k.Where, placeIn(k.Place, inv.Place.File))
	}
	return b.String() + "\n" + inv.Proof.shownIn(inv.Place.File) + "\n" + inv.Ball.shown()
}

// shown writes S, the functionals in columns, the gauge and its polar.
func (b *Ball) shown() string {
	var s strings.Builder
	s.WriteString("  S = " + b.Set + "\n")
	w := tabwriter.NewWriter(&s, 0, 0, 1, ' ', 0)
	for _, f := range b.Functionals {
		fmt.Fprintf(w, "    %s\t= %s\n", f.Name, f.Text)
	}
	_ = w.Flush() // a builder takes all
	polar := b.Polar
	if b.Cone != "" {
		polar += " for " + b.Cone + ", else ∞"
	}
	fmt.Fprintf(&s, "    ρ(ℓ)  = %s\n    ρ°(%s) = %s\n", b.Gauge, b.letter, polar)
	for _, n := range b.Notes {
		s.WriteString("    " + n + "\n")
	}
	return s.String()
}

// Shown draws the proof as a tree, a step a line: the expression, its kind and sign, its place, and
// the rule.
func (s *Step) Shown() string { return s.shownIn(s.Place.File) }

// shownIn draws the proof of what a file holds. Places in other files have their names, as those of definitions that are included.
func (s *Step) shownIn(file string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	var visit func(k *Step, first, rest string)
	visit = func(k *Step, first, rest string) {
		fmt.Fprintf(w, "  %s%s\t%s\t%s\t%s\n", first, k.cut(mostExpression-runewidth.StringWidth(first)), k.judgement(), placeIn(k.Place, file), k.Rule)
		for i := range k.Parts {
			if i == len(k.Parts)-1 {
				visit(&k.Parts[i], rest+"└─ ", rest+"   ")
			} else {
				visit(&k.Parts[i], rest+"├─ ", rest+"│  ")
			}
		}
	}
	visit(s, "", "")
	_ = w.Flush() // a builder takes all
	return b.String()
}

// cut returns the step's expression in at most so many columns. Deep in a tree little room is
// left, and some of it is always given.
func (s *Step) cut(width int) string {
	text := s.Head
	if s.Call != "" {
		text = s.Call + " = " + text
	}
	return runewidth.Truncate(text, max(width, 16), "…")
}

// judgement returns what was proved of a step: sublinear ≥ 0. A sign that is not known is not
// mentioned.
func (s *Step) judgement() string {
	return s.Kind + [...]string{"", " = 0", " ≥ 0", " ≤ 0"}[s.Sign]
}

// placeIn returns a place, with its file where that is another than the given one. A
// definition of a family stands in no file of the user.
func placeIn(place diag.Span, file string) string {
	if place.File != file {
		return place.String()
	}
	return fmt.Sprintf("%d:%d", place.Start.Line, place.Start.Column)
}
