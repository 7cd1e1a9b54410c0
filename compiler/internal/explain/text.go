package explain

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// TextOptions say how an explanation is written. The zero value fits a file or a pipe.
type TextOptions struct {
	Color bool // ANSI colours
}

// The widest expression in a tree; a wider one is cut.
const mostExpression = 60

// The styles, as parameters of SGR.
const (
	styleName = "1"    // of an invariance
	styleTree = "2"    // lines and places
	styleGood = "32"   // linear, seminorm
	styleWeak = "33"   // sublinear
	styleRule = "2;36" // the rule
)

// Write prints the explanation as text: what R is, and of each invariance the tree of its proof and
// the norm ball behind it. The text is made in memory first, so that a writer that fails gets one
// call.
func (ex *Explanation) Write(w io.Writer, o TextOptions) error {
	t := &explainWriter{o: o}
	t.line("R is " + ex.Theory + ".")
	t.line("R² is " + shape(ex.Quadratic, ex.Smooth) + ".")
	if ex.Functionals >= 0 {
		t.line("R has " + tree.Plural(ex.Functionals, "functional") + ".")
	}
	t.settings(ex)
	for i := range ex.Sights {
		t.line(ex.Sights[i].line())
	}
	for i := range ex.Invariances {
		t.invariance(&ex.Invariances[i])
	}
	if len(ex.Invariances) > 1 || ex.Polar != "" && (ex.Invariances[0].Weight != 1 || ex.Invariances[0].Auto) {
		t.line("")
		t.line("R² = " + ex.squares())
		t.line("ρ°(c) = " + ex.Polar)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// Write prints the proof as a tree, a step a line.
func (s *Step) Write(w io.Writer, o TextOptions) error {
	t := &explainWriter{o: o}
	t.tree(s)
	_, err := io.WriteString(w, t.b.String())
	return err
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

// An explainWriter gathers the lines of an explanation, with or without colours.
type explainWriter struct {
	b strings.Builder
	o TextOptions
}

// line adds a line without blanks at its end: a rule may be empty, and its column is the last.
func (t *explainWriter) line(s string) { t.b.WriteString(strings.TrimRight(s, " ") + "\n") }

// styled wraps a text in a style, where there are colours.
func (t *explainWriter) styled(style, s string) string {
	if !t.o.Color || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// settings adds the method with its reason, the learner, and the transformations of evaluation.
func (t *explainWriter) settings(ex *Explanation) {
	s := fmt.Sprintf("method %s (%s)", ex.Method, ex.Reason)
	if ex.Learner != "" {
		s += ", learn " + ex.Learner
	}
	if len(ex.Under) > 0 {
		s += ", evaluate under " + strings.Join(ex.Under, ", ")
	}
	t.line(s)
}

// invariance adds the kind and weight of an invariance, its conditions and kinks, its proof and its
// ball.
func (t *explainWriter) invariance(inv *InvarianceExplanation) {
	t.line("")
	head := t.styled(styleName, inv.Name) + "  " + regularizer.KindText(inv.Kind, inv.Smooth) + ", weight " + inv.weight()
	if inv.Functionals >= 0 {
		head += ", " + tree.Plural(inv.Functionals, "functional")
	}
	t.line(head)
	t.line("  is " + inv.Theory)
	if len(inv.If) > 0 {
		where := "which the training rows decide"
		if inv.Functionals >= 0 {
			where = "as it is in the training rows"
		}
		t.line("  if " + strings.Join(inv.If, " and ") + ", " + where)
	}
	t.line("  its square is " + shape(inv.Quadratic, inv.Smooth))
	for _, k := range inv.Kinks {
		t.line(fmt.Sprintf("    %s has kinks %s (%s)", runewidth.Truncate(k.Text, mostExpression, "…"), k.Where, place(k.Place.Start.Line, k.Place.Start.Column)))
	}
	t.line("")
	t.tree(&inv.Proof)
	t.line("")
	t.ball(&inv.Ball)
}

// place returns a line and a column as messages have them.
func place(line, column int) string { return fmt.Sprintf("%d:%d", line, column) }

// A treeRow is a step of the proof on one line, with the lines that lead to it from the step above.
type treeRow struct {
	lines string // of the tree
	step  *Step
	text  string
}

// tree draws the proof, a step a line: the expression, its kind and sign, its place, and the rule.
// All rows are made before the first is written, as columns are as wide as their widest entry.
// Widths are those of a terminal, where λ takes one column and a wide letter two.
func (t *explainWriter) tree(root *Step) {
	var rows []treeRow
	var visit func(s *Step, first, rest string)
	visit = func(s *Step, first, rest string) {
		rows = append(rows, treeRow{lines: first, step: s, text: s.shown(mostExpression - runewidth.StringWidth(first))})
		for i := range s.Parts {
			if i == len(s.Parts)-1 {
				visit(&s.Parts[i], rest+"└─ ", rest+"   ")
			} else {
				visit(&s.Parts[i], rest+"├─ ", rest+"│  ")
			}
		}
	}
	visit(root, "", "")
	var expr, kind, at int
	for _, r := range rows {
		expr = max(expr, runewidth.StringWidth(r.lines+r.text))
		kind = max(kind, runewidth.StringWidth(r.step.judgement()))
		at = max(at, len(r.step.at(root.Place.File)))
	}
	for _, r := range rows {
		style := styleGood
		if r.step.Kind == tree.Sublinear && !r.step.Constant {
			style = styleWeak
		}
		t.line("  " + t.styled(styleTree, r.lines) + padded(r.text, expr-runewidth.StringWidth(r.lines), func(s string) string { return s }) + "  " +
			padded(r.step.judgement(), kind, func(s string) string { return t.styled(style, s) }) + "  " +
			padded(r.step.at(root.Place.File), at, func(s string) string { return t.styled(styleTree, s) }) + "  " +
			t.styled(styleRule, r.step.Rule))
	}
}

// padded fills a text up to a width.
func padded(s string, width int, style func(string) string) string {
	return style(s) + strings.Repeat(" ", max(0, width-runewidth.StringWidth(s)))
}

// shown returns the step's expression in at most so many columns. Deep in a tree little room is
// left, and some of it is always given.
func (s *Step) shown(width int) string {
	text := s.Head
	if s.Call != "" {
		text = s.Call + " = " + text
	}
	return runewidth.Truncate(text, max(width, 16), "…")
}

// judgement returns what was proved of a step: sublinear ≥ 0. A sign that is not known is not
// mentioned.
func (s *Step) judgement() string {
	return s.KindText() + [...]string{"", " = 0", " ≥ 0", " ≤ 0"}[s.Sign]
}

// at returns the step's place, with its file where that is another than that of the whole. A
// definition of a family stands in no file of the user.
func (s *Step) at(file string) string {
	if s.Place.File != file {
		return s.Place.String()
	}
	return place(s.Place.Start.Line, s.Place.Start.Column)
}

// ball adds S with its functionals and representers, in columns, then the gauge, the polar and the
// notes.
func (t *explainWriter) ball(b *Ball) {
	t.line("  S = " + b.Set)
	var name, expr, element int
	for _, f := range b.Functionals {
		name, expr = max(name, runewidth.StringWidth(f.Name)), max(expr, runewidth.StringWidth(f.Text))
		element = max(element, runewidth.StringWidth(f.Element))
	}
	plain := func(s string) string { return s }
	for _, f := range b.Functionals {
		t.line("    " + padded(f.Name, name, plain) + " = " + padded(f.Text, expr, plain) + "    " + padded(f.Element, element, plain) + " = " + f.Representer)
	}
	t.line("    ρ(ℓ)  = " + b.Gauge)
	polar := b.Polar
	if b.Cone != "" {
		polar += " for " + b.Cone + ", else ∞"
	}
	t.line("    ρ°(" + b.Letter + ") = " + polar)
	for _, n := range b.Notes {
		t.line("    " + n)
	}
}
