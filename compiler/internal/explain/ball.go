package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Ball is the set S whose support function an invariance is, R(f) = max {⟨f, s⟩ : s ∈ S}, written
// out:
//
//	S = { Σ c₁(x) z₁(x) + Σ c₂(x) z₂(x) : ρ°(c) ≤ 1 }
//
// It has a multiplier c for every functional ℓ, whose representer is z, and the polar ρ° of the
// gauge ρ. For a leaf [ℓ]₊ the multiplier is not negative, as [t]₊ = max {ct : 0 ≤ c ≤ 1}.
type Ball struct {
	Letter      string           `json:"-"`              // of the multipliers: c, or μ where c is a variable
	Set         string           `json:"set"`            // S
	Gauge       string           `json:"gauge"`          // ρ(ℓ)
	Polar       string           `json:"polar"`          // ρ°(c)
	Cone        string           `json:"cone,omitempty"` // the signs that multipliers must have; empty where they are free
	Functionals []BallFunctional `json:"functionals"`
	Notes       []string         `json:"notes,omitempty"`
}

// A BallFunctional is a leaf of the gauge. It stands for a functional at each element of the index
// sets around it, which are its arguments: ℓ₁(x).
type BallFunctional struct {
	Name        string `json:"name"`        // ℓ₁(x)
	Text        string `json:"text"`        // f(x, cat) − f(x, animal)
	Multiplier  string `json:"multiplier"`  // c₁(x)
	OneSided    bool   `json:"one_sided"`   // the leaf is [ℓ]₊, so that the multiplier is not negative
	Element     string `json:"element"`     // z₁(x)
	Representer string `json:"representer"` // k(·, x)·e(cat) − k(·, x)·e(animal)
}

// A ballWriter writes a form with letters for its functionals. Gauge, polar and set are three
// readings of one tree, which agree because they share its numbering.
type ballWriter struct {
	joint bool
	ball  Ball
	index map[*tree.Form]int
	order []*tree.Form
	bound map[*tree.Form][]string // the variables around a leaf
	c, z  string                  // the letters of multipliers and representers
}

// ballOf writes out the norm ball behind a form. The leaves are numbered first, so that gauge,
// polar and set use the same names for them.
func ballOf(f *tree.Form, joint bool) Ball {
	w := &ballWriter{joint: joint, ball: Ball{Functionals: []BallFunctional{}}, index: map[*tree.Form]int{}, bound: map[*tree.Form][]string{}}
	w.collect(f, nil)
	w.letters()
	for i, leaf := range w.order {
		name := func(v *tree.Variable) string { return tree.Greek(v.Name) }
		w.ball.Functionals = append(w.ball.Functionals, BallFunctional{
			Name: w.symbol("ℓ", leaf), Multiplier: w.symbol(w.c, leaf), Element: w.symbol(w.z, leaf), OneSided: leaf.Op == gauge.Pos,
			Text: tree.LinearText(leaf.Linear, name), Representer: w.representer(leaf.Linear),
		})
		if i > 0 {
			w.ball.Set += " + "
		}
		w.ball.Set += w.summed(leaf)
	}
	w.ball.Letter = w.c
	w.ball.Gauge, w.ball.Polar = w.primal(f), w.dual(f)
	w.ball.Set = "{ " + w.ball.Set + " : ρ°(" + w.c + ") ≤ 1 }"
	w.ball.Cone = w.cone()
	w.notes(f)
	return w.ball
}

// collect numbers the leaves from left to right, and keeps the variables that are bound around
// each.
func (w *ballWriter) collect(f *tree.Form, bound []string) {
	if f.Quant != nil {
		bound = append(bound[:len(bound):len(bound)], names(f.Quant)...) // in memory of its own, as siblings share what is around
	}
	if f.Linear != nil {
		if _, known := w.index[f]; !known {
			w.order = append(w.order, f)
			w.index[f], w.bound[f] = len(w.order), bound
		}
	}
	for _, k := range f.Kids {
		w.collect(k, bound)
	}
}

// letters chooses letters for multipliers and representers that no variable has. Labels are often
// called c.
func (w *ballWriter) letters() {
	w.c, w.z = "c", "z"
	for _, leaf := range w.order {
		if slices.Contains(w.bound[leaf], "c") {
			w.c = "μ"
		}
		if slices.Contains(w.bound[leaf], "z") {
			w.z = "s"
		}
	}
}

// names returns the variables that a quantifier ranges over. The weight of an edge and a parameter
// that is not enumerated choose no element.
func names(q *tree.Quantifier) []string {
	var out []string
	for _, a := range q.Axes {
		for _, v := range a.Vars {
			if v.Kind != tree.WeightVar && (v.Kind != tree.ParamVar || a.Kind == tree.PathAxis) {
				out = append(out, tree.Greek(v.Name))
			}
		}
	}
	return out
}

// symbol returns a letter with the leaf's number, at the elements around it: ℓ₁(x, λ). A single
// leaf needs no number.
func (w *ballWriter) symbol(letter string, leaf *tree.Form) string {
	s := letter
	if len(w.order) > 1 {
		s += strings.Map(func(digit rune) rune { return '₀' + digit - '0' }, strconv.Itoa(w.index[leaf]))
	}
	if bound := w.bound[leaf]; len(bound) > 0 {
		s += "(" + strings.Join(bound, ", ") + ")"
	}
	return s
}

// summed returns a leaf's part of the sum in S, with Σ where it has a multiplier for each element.
func (w *ballWriter) summed(leaf *tree.Form) string {
	s := w.symbol(w.c, leaf) + " " + w.symbol(w.z, leaf)
	if len(w.bound[leaf]) > 0 {
		return "Σ " + s
	}
	return s
}

// cone says which multipliers must not be negative: those of positive parts. It is empty where all
// are free.
func (w *ballWriter) cone() string {
	var names []string
	for _, leaf := range w.order {
		if leaf.Op == gauge.Pos {
			names = append(names, w.symbol(w.c, leaf))
		}
	}
	switch len(names) {
	case 0:
		return ""
	case len(w.order):
		return w.c + " ≥ 0"
	}
	return strings.Join(names, ", ") + " ≥ 0"
}

// primal returns ρ(ℓ) as a formula. A weight of a literal part stands before that part, and one
// over an index set before the whole.
func (w *ballWriter) primal(f *tree.Form) string {
	switch f.Op {
	case gauge.Abs:
		return "|" + w.symbol("ℓ", f) + "|"
	case gauge.Pos:
		return "[" + w.symbol("ℓ", f) + "]₊"
	}
	parts := make([]string, len(f.Kids))
	for i, k := range f.Kids {
		parts[i] = w.primal(k)
		if f.Quant == nil && f.Weights != nil {
			parts[i] = times(f.Weights[i], parts[i])
		}
	}
	s := combination(opWord(f), f, parts)
	if f.Quant != nil && f.Weights != nil {
		s = times(f.Weights[0], s)
	}
	return s
}

// opWord returns the word of a form's operation.
func opWord(f *tree.Form) string {
	switch f.Op {
	case gauge.Max:
		return "max"
	case gauge.Sum:
		if f.Mean && !dynamicMean(f) {
			return tree.MeanWord
		}
		return "sum"
	case gauge.Top:
		return fmt.Sprintf("top(%d)", f.K)
	case gauge.Norm:
		if f.Mean && !dynamicMean(f) && f.P == 2 {
			return "rms"
		}
		return normName(f.P)
	case gauge.Abs, gauge.Pos:
	}
	return ""
}

// normName returns a p-norm as the language writes it.
func normName(p float64) string { return "norm(" + strconv.FormatFloat(p, 'g', 4, 64) + ")" }

// dynamicMean reports whether the functionals hold the factor of a mean themselves. That is so
// where the number of elements varies with what is bound around them: the gauge has the same
// weights everywhere.
func dynamicMean(f *tree.Form) bool {
	return f.Mean && f.Quant != nil && f.Quant.Varies()
}

// combination writes an operation on parts, or on the one part over an index set. A literal
// operation on one part is that part. A form that exists only where another index set is empty says
// so.
func combination(word string, f *tree.Form, parts []string) string {
	switch {
	case f.Quant == nil:
	case f.Quant.Unless != nil:
		return "(" + braced(parts) + " where there is no " + over(f) + ")"
	default:
		return word + " over " + over(f) + " of " + braced(parts)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	if word == "norm(2)" {
		return "hypot(" + strings.Join(parts, ", ") + ")"
	}
	return word + " {" + strings.Join(parts, ", ") + "}"
}

// braced returns the body of a quantifier. Several parts under one are those of a maximum.
func braced(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// longBinder is the length above which formulas name the variables of a quantifier alone.
const longBinder = 40

// over returns what a form ranges over, as the spec has it. A long binder would hide the formula,
// and is then named by its variables alone; a condition is always shown.
func over(f *tree.Form) string {
	s := f.Quant.Text()
	if q, ok := f.From.Syntax.(*dsl.Quant); ok {
		s = tree.Binders(q)
	}
	if len(s) > longBinder && f.Quant.Where == nil {
		return strings.Join(names(f.Quant), ", ")
	}
	return s
}

// dual returns ρ°(c): the same tree with each norm replaced by its dual, and weights inverted.
// Means change by their number n of elements:
//
//	mean ↦ n · max      rms ↦ n · rms
//
// as the dual of (1/n) Σ is n times a maximum, and √n ‖c‖₂ = n rms(c).
func (w *ballWriter) dual(f *tree.Form) string {
	switch f.Op {
	case gauge.Abs:
		return "|" + w.symbol(w.c, f) + "|"
	case gauge.Pos:
		return w.symbol(w.c, f)
	}
	parts := make([]string, len(f.Kids))
	for i, k := range f.Kids {
		parts[i] = w.dual(k)
		if f.Quant == nil && f.Weights != nil {
			parts[i] = times(1/f.Weights[i], parts[i])
		}
	}
	s := w.dualNorm(f, parts)
	if f.Mean && f.Quant != nil && !dynamicMean(f) {
		if n := measure(f.Quant); n != "1" {
			s = n + " · " + s
		}
	}
	if f.Quant != nil && f.Weights != nil {
		s = times(1/f.Weights[0], s)
	}
	return s
}

// dualNorm returns the dual of one operation on the duals of its parts:
//
//	max ↦ sum, and the reverse      norm(p) ↦ norm(p/(p − 1))
//	top(k) ↦ max {max c, (1/k)·sum c}
//
// The last is the dual of Ky Fan's norm, with parts in place of singular values.
func (w *ballWriter) dualNorm(f *tree.Form, parts []string) string {
	switch f.Op {
	case gauge.Max:
		if f.Quant != nil && len(parts) > 1 {
			return "sum over " + over(f) + " of sum {" + strings.Join(parts, ", ") + "}"
		}
		return combination("sum", f, parts)
	case gauge.Sum:
		return combination("max", f, parts)
	case gauge.Top:
		if f.Quant == nil && len(parts) <= f.K {
			return combination("max", f, parts)
		}
		return fmt.Sprintf("max {%s, %s}", combination("max", f, parts), times(1/float64(f.K), combination("sum", f, parts)))
	case gauge.Norm:
		word := normName(f.P / (f.P - 1))
		if f.Mean && !dynamicMean(f) && f.P == 2 && f.Quant != nil {
			word = "rms"
		}
		return combination(word, f, parts)
	case gauge.Abs, gauge.Pos:
	}
	return ""
}

// measure returns how many elements an index set has, as a formula: n rows, m labels, |edges|. The
// length of a path's interval counts as a number of elements, since sums over it are integrals.
func measure(q *tree.Quantifier) string {
	if q.Where != nil {
		return "|{" + q.Text() + "}|"
	}
	var parts []string
	factor := 1.0
	for _, a := range q.Axes {
		switch a.Kind {
		case tree.RowAxis:
			parts = append(parts, "n")
		case tree.LabelAxis:
			parts = append(parts, "m")
		case tree.MapAxis:
			factor *= float64(len(a.Maps))
		case tree.NamedAxis:
			factor *= float64(len(a.Names))
		case tree.PathAxis:
			factor *= a.Hi - a.Lo
		case tree.GraphAxis, tree.FamilyAxis:
			parts = append(parts, "|"+a.Text+"|")
		}
	}
	if factor != 1 || len(parts) == 0 {
		parts = append([]string{strconv.FormatFloat(factor, 'g', 4, 64)}, parts...)
	}
	return strings.Join(parts, "·")
}

// times returns c·s.
func times(c float64, s string) string {
	if c == 1 {
		return s
	}
	return strconv.FormatFloat(c, 'g', 4, 64) + " · " + s
}

// representer returns the element z of the space with ⟨f, z⟩ = ℓ(f).
func (w *ballWriter) representer(n *tree.Node) string {
	return tree.LinearAtoms(n, func(k *tree.Node) string {
		if k.Leaf != nil {
			return w.leafRepresenter(k.Leaf)
		}
		return "(" + k.Word + " over " + k.Over() + " of " + w.representer(k.Kids[0]) + ")"
	})
}

// leafRepresenter returns the representer of f at a point: k(·, x), by the reproducing property.
// With labels it is k(·, x)·e(y), as the joint kernel is k(x, x′)⟨y, y′⟩. Derivatives go through
// the inner product.
func (w *ballWriter) leafRepresenter(l *tree.Leaf) string {
	name := func(v *tree.Variable) string { return tree.Greek(v.Name) }
	point := l.PointText(name)
	s := "k(·, " + point + ")"
	switch {
	case !w.joint:
	case l.Label == nil:
		s += "·y(" + point + ")"
	case l.Label.Bound != nil:
		s += "·e(" + tree.Greek(l.Label.Bound.Name) + ")"
	default:
		s += "·e(" + l.Label.Name.Text + ")"
	}
	switch l.Deriv.Kind {
	case tree.NoDeriv:
		return s
	case tree.PathDeriv:
		return "d/d" + l.Deriv.Text + " [" + s + "]"
	case tree.ColumnDeriv:
		return columnDerivative(l) + " " + s
	case tree.MapDeriv:
	}
	return "∂/∂" + l.Deriv.Text + " " + s
}

// columnDerivative writes what derives along columns: σ(area)·∂/∂area, σ(area)²·∂²/∂area²,
// σ(age)·σ(area)·∂²/∂age∂area.
func columnDerivative(l *tree.Leaf) string {
	name := l.Deriv.Column.Text
	switch {
	case l.Again.Kind == tree.NoDeriv:
		return unit(&l.Deriv) + "∂/∂" + name
	case l.Again.Column.Text != name:
		return unit(&l.Again) + unit(&l.Deriv) + "∂²/∂" + l.Again.Column.Text + "∂" + name
	case !l.Deriv.Raw && !l.Again.Raw:
		return "σ(" + name + ")²·∂²/∂" + name + "²"
	}
	return unit(&l.Again) + unit(&l.Deriv) + "∂²/∂" + name + "²"
}

// unit writes the standard deviation by which a derivative is measured.
func unit(d *tree.Derivative) string {
	if d.Raw {
		return ""
	}
	return "σ(" + d.Column.Text + ")·"
}

// notes adds what the formulas leave open: the units of derivatives, integrals, and means of a
// varying number.
func (w *ballWriter) notes(f *tree.Form) {
	for _, name := range w.deviations() {
		w.ball.Notes = append(w.ball.Notes, fmt.Sprintf("σ(%[1]s) is the standard deviation of %[1]s over the training rows", name))
	}
	if len(f.Intervals()) > 0 {
		w.ball.Notes = append(w.ball.Notes, "along a path, sums stand for integrals, and multipliers under a maximum for a measure")
	}
	if tree.Find(f.All(), dynamicMean) != nil {
		w.ball.Notes = append(w.ball.Notes, "where the number of elements varies, functionals hold the factor of the mean themselves")
	}
}

// deviations returns the columns by whose standard deviations representers are measured, each once.
func (w *ballWriter) deviations() []string {
	var out []string
	for _, part := range w.order {
		for leaf := range part.Linear.Leaves() {
			for _, d := range []tree.Derivative{leaf.Leaf.Deriv, leaf.Leaf.Again} {
				if d.Kind == tree.ColumnDeriv && !d.Raw && !slices.Contains(out, d.Column.Text) {
					out = append(out, d.Column.Text)
				}
			}
		}
	}
	return out
}

// polar returns ρ° of R = hypot of the weighted invariances. The 2-norm is its own dual, and a
// weight w becomes 1/w: ρ°(c) = hypot(ρ°₁(c₁)/w₁, …).
func (ex *Explanation) polar() string {
	parts := make([]string, len(ex.Invariances))
	for i := range ex.Invariances {
		inv := &ex.Invariances[i]
		if parts[i] = times(1/inv.Weight, "ρ°_"+inv.Name); inv.Auto {
			parts[i] += "/" + tree.AutoWord
		}
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return "hypot(" + strings.Join(parts, ", ") + ")"
}
