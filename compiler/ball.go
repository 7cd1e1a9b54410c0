package compiler

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Ball is the set S whose support function an invariance is, R(f) = max {⟨f, s⟩ : s ∈ S}, written out:
//
//	S = { Σ c₁(x) z₁(x) + Σ c₂(x) z₂(x) : ρ°(c) ≤ 1 }
//
// with a multiplier c for every functional ℓ, whose representer is z, and the polar ρ° of the gauge ρ: the same tree with each
// norm replaced by its dual.
type Ball struct {
	Letter      string // of the multipliers: c, or μ where c is a variable
	Functionals []BallFunctional
	Gauge       string // ρ(ℓ)
	Polar       string // ρ°(c)
	Cone        string // the signs that multipliers must have; empty where they are free
	Set         string // S
	Notes       []string
}

// A BallFunctional is a leaf of the gauge: a functional for each element of the index sets around it.
type BallFunctional struct {
	Name        string // ℓ₁(x)
	Text        string // f(x, cat) − f(x, animal)
	Multiplier  string // c₁(x)
	OneSided    bool   // the leaf is [ℓ]₊, so that the multiplier is not negative
	Element     string // z₁(x)
	Representer string // k(·, x)·e(cat) − k(·, x)·e(animal)
}

// A ballWriter writes a form with letters for its functionals.
type ballWriter struct {
	joint bool
	ball  Ball
	index map[*form]int
	order []*form
	bound map[*form][]string // the variables around a leaf
	c, z  string             // the letters of multipliers and representers
}

// ballOf writes out the norm ball behind a form.
func ballOf(f *form, joint bool) Ball {
	w := &ballWriter{joint: joint, index: map[*form]int{}, bound: map[*form][]string{}}
	w.collect(f, nil)
	w.letters()
	for i, leaf := range w.order {
		name := func(v *variable) string { return greek(v.name) }
		w.ball.Functionals = append(w.ball.Functionals, BallFunctional{
			Name: w.symbol("ℓ", leaf), Multiplier: w.symbol(w.c, leaf), Element: w.symbol(w.z, leaf), OneSided: leaf.op == gauge.Pos,
			Text: linearText(leaf.linear, name), Representer: w.representer(leaf.linear),
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

// collect numbers the leaves from left to right.
func (w *ballWriter) collect(f *form, bound []string) {
	if f.quant != nil {
		bound = append(bound[:len(bound):len(bound)], f.quant.names()...)
	}
	if f.linear != nil {
		if _, known := w.index[f]; !known {
			w.order = append(w.order, f)
			w.index[f], w.bound[f] = len(w.order), bound
		}
	}
	for _, k := range f.kids {
		w.collect(k, bound)
	}
}

// letters are those that no variable has.
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

// names are the variables that a quantifier ranges over.
func (q *quantifier) names() []string {
	var out []string
	for _, a := range q.axes {
		for _, v := range a.vars {
			if v.kind != weightVar && (v.kind != paramVar || a.kind == pathAxis) {
				out = append(out, greek(v.name))
			}
		}
	}
	return out
}

// symbol is a letter with the leaf's number, at the elements around it: ℓ₁(x, λ).
func (w *ballWriter) symbol(letter string, leaf *form) string {
	s := letter
	if len(w.order) > 1 {
		s += strings.Map(func(digit rune) rune { return '₀' + digit - '0' }, strconv.Itoa(w.index[leaf]))
	}
	if bound := w.bound[leaf]; len(bound) > 0 {
		s += "(" + strings.Join(bound, ", ") + ")"
	}
	return s
}

func (w *ballWriter) summed(leaf *form) string {
	s := w.symbol(w.c, leaf) + " " + w.symbol(w.z, leaf)
	if len(w.bound[leaf]) > 0 {
		return "Σ " + s
	}
	return s
}

// cone says which multipliers must not be negative.
func (w *ballWriter) cone() string {
	var names []string
	for _, leaf := range w.order {
		if leaf.op == gauge.Pos {
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

// primal is ρ(ℓ).
func (w *ballWriter) primal(f *form) string {
	switch f.op {
	case gauge.Abs:
		return "|" + w.symbol("ℓ", f) + "|"
	case gauge.Pos:
		return "[" + w.symbol("ℓ", f) + "]₊"
	}
	parts := make([]string, len(f.kids))
	for i, k := range f.kids {
		parts[i] = w.primal(k)
		if f.quant == nil && f.weights != nil {
			parts[i] = times(f.weights[i], parts[i])
		}
	}
	s := combination(opWord(f), f, parts)
	if f.quant != nil && f.weights != nil {
		s = times(f.weights[0], s)
	}
	return s
}

// opWord is the word of a form's operation.
func opWord(f *form) string {
	switch f.op {
	case gauge.Max:
		return "max"
	case gauge.Sum:
		if f.mean && !f.dynamicMean() {
			return meanWord
		}
		return "sum"
	case gauge.Top:
		return fmt.Sprintf("top(%d)", f.k)
	case gauge.Norm:
		if f.mean && !f.dynamicMean() && f.p == 2 {
			return "rms"
		}
		return normName(f.p)
	case gauge.Abs, gauge.Pos, gauge.Signed, gauge.PosTop:
	}
	return ""
}

func normName(p float64) string { return "norm(" + strconv.FormatFloat(p, 'g', 4, 64) + ")" }

// dynamicMean reports whether the functionals themselves hold the factor of a mean, because the number of elements varies.
func (f *form) dynamicMean() bool {
	return f.mean && f.quant != nil && f.quant.varies()
}

// combination writes an operation on parts, or on the one part over an index set.
func combination(word string, f *form, parts []string) string {
	switch {
	case f.quant == nil:
	case f.quant.unless != nil:
		return "(" + braced(parts) + " where there is no " + f.over() + ")"
	default:
		return word + " over " + f.over() + " of " + braced(parts)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	if word == "norm(2)" {
		return "hypot(" + strings.Join(parts, ", ") + ")"
	}
	return word + " {" + strings.Join(parts, ", ") + "}"
}

// braced is the body of a quantifier. Several parts under one are those of a maximum.
func braced(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// longBinder is the length above which formulas name the variables of a quantifier alone.
const longBinder = 40

// over is what a form ranges over.
func (f *form) over() string {
	s := f.quant.text()
	if q, ok := f.from.syntax.(*dsl.Quant); ok {
		s = binders(q)
	}
	if len(s) > longBinder && f.quant.where == nil {
		return strings.Join(f.quant.names(), ", ")
	}
	return s
}

// dual is ρ°(c): the same tree with each norm replaced by its dual, and weights inverted.
func (w *ballWriter) dual(f *form) string {
	switch f.op {
	case gauge.Abs:
		return "|" + w.symbol(w.c, f) + "|"
	case gauge.Pos:
		return w.symbol(w.c, f)
	}
	parts := make([]string, len(f.kids))
	for i, k := range f.kids {
		parts[i] = w.dual(k)
		if f.quant == nil && f.weights != nil {
			parts[i] = times(1/f.weights[i], parts[i])
		}
	}
	s := w.dualNorm(f, parts)
	if f.mean && f.quant != nil && !f.dynamicMean() {
		if n := f.quant.measure(); n != "1" {
			s = n + " · " + s
		}
	}
	if f.quant != nil && f.weights != nil {
		s = times(1/f.weights[0], s)
	}
	return s
}

func (w *ballWriter) dualNorm(f *form, parts []string) string {
	switch f.op {
	case gauge.Max:
		if f.quant != nil && len(parts) > 1 {
			return "sum over " + f.over() + " of sum {" + strings.Join(parts, ", ") + "}"
		}
		return combination("sum", f, parts)
	case gauge.Sum:
		return combination("max", f, parts)
	case gauge.Top:
		if f.quant == nil && len(parts) <= f.k {
			return combination("max", f, parts)
		}
		return fmt.Sprintf("max {%s, %s}", combination("max", f, parts), times(1/float64(f.k), combination("sum", f, parts)))
	case gauge.Norm:
		word := normName(f.p / (f.p - 1))
		if f.mean && !f.dynamicMean() && f.p == 2 && f.quant != nil {
			word = "rms"
		}
		return combination(word, f, parts)
	case gauge.Abs, gauge.Pos, gauge.Signed, gauge.PosTop:
	}
	return ""
}

// measure is how many elements an index set has; the length of a path's parameter counts as such.
func (q *quantifier) measure() string {
	if q.where != nil {
		return "|{" + q.text() + "}|"
	}
	var parts []string
	factor := 1.0
	for _, a := range q.axes {
		switch a.kind {
		case rowAxis:
			parts = append(parts, "n")
		case labelAxis:
			parts = append(parts, "m")
		case mapAxis:
			factor *= float64(len(a.maps))
		case namedAxis:
			factor *= float64(len(a.names))
		case pathAxis:
			factor *= a.hi - a.lo
		case graphAxis, familyAxis:
			parts = append(parts, "|"+a.text+"|")
		}
	}
	if factor != 1 || len(parts) == 0 {
		parts = append([]string{strconv.FormatFloat(factor, 'g', 4, 64)}, parts...)
	}
	return strings.Join(parts, "·")
}

// times is c·s.
func times(c float64, s string) string {
	if c == 1 {
		return s
	}
	return strconv.FormatFloat(c, 'g', 4, 64) + " · " + s
}

// representer is the element z of the space with ⟨f, z⟩ = ℓ(f).
func (w *ballWriter) representer(n *node) string {
	return linearAtoms(n, func(k *node) string {
		if k.leaf != nil {
			return w.leafRepresenter(k.leaf)
		}
		return "(" + k.word + " over " + k.over() + " of " + w.representer(k.kids[0]) + ")"
	})
}

func (w *ballWriter) leafRepresenter(l *leaf) string {
	name := func(v *variable) string { return greek(v.name) }
	point := l.pointText(name)
	s := "k(·, " + point + ")"
	switch {
	case !w.joint:
	case l.label == nil:
		s += "·y(" + point + ")"
	case l.label.bound != nil:
		s += "·e(" + greek(l.label.bound.name) + ")"
	default:
		s += "·e(" + l.label.name.text + ")"
	}
	switch l.deriv.kind {
	case noDeriv:
		return s
	case pathDeriv:
		return "d/d" + l.deriv.text + " [" + s + "]"
	case columnDeriv:
		return l.columnDerivative() + " " + s
	case mapDeriv:
	}
	return "∂/∂" + l.deriv.text + " " + s
}

// columnDerivative writes what derives along columns: σ(area)·∂/∂area, σ(area)²·∂²/∂area², σ(age)·σ(area)·∂²/∂age∂area.
func (l *leaf) columnDerivative() string {
	name := l.deriv.column.text
	switch {
	case l.again.kind == noDeriv:
		return l.deriv.unit() + "∂/∂" + name
	case l.again.column.text != name:
		return l.again.unit() + l.deriv.unit() + "∂²/∂" + l.again.column.text + "∂" + name
	case !l.deriv.raw && !l.again.raw:
		return "σ(" + name + ")²·∂²/∂" + name + "²"
	}
	return l.again.unit() + l.deriv.unit() + "∂²/∂" + name + "²"
}

// unit writes the standard deviation by which a derivative is measured.
func (d *derivative) unit() string {
	if d.raw {
		return ""
	}
	return "σ(" + d.column.text + ")·"
}

// notes explain what the formulas leave open.
func (w *ballWriter) notes(f *form) {
	paths, dynamic := false, false
	var visit func(f *form)
	visit = func(f *form) {
		paths = paths || len(f.quant.paths()) > 0
		dynamic = dynamic || f.dynamicMean()
		for _, k := range f.kids {
			visit(k)
		}
	}
	visit(f)
	for _, name := range w.deviations() {
		w.ball.Notes = append(w.ball.Notes, fmt.Sprintf("σ(%[1]s) is the standard deviation of %[1]s over the training rows", name))
	}
	if paths {
		w.ball.Notes = append(w.ball.Notes, "along a path, sums stand for integrals, and multipliers under a maximum for a measure")
	}
	if dynamic {
		w.ball.Notes = append(w.ball.Notes, "where the number of elements varies, functionals hold the factor of the mean themselves")
	}
}

// deviations returns the columns by whose standard deviations representers are measured, each once.
func (w *ballWriter) deviations() []string {
	var out []string
	var visit func(n *node)
	visit = func(n *node) {
		if l := n.leaf; l != nil {
			for _, d := range []derivative{l.deriv, l.again} {
				if d.kind == columnDeriv && !d.raw && !slices.Contains(out, d.column.text) {
					out = append(out, d.column.text)
				}
			}
		}
		for _, k := range n.kids {
			visit(k)
		}
	}
	for _, leaf := range w.order {
		visit(leaf.linear)
	}
	return out
}

// polar is ρ° of R = hypot of the weighted invariances.
func (ex *Explanation) polar() string {
	parts := make([]string, len(ex.Invariances))
	for i := range ex.Invariances {
		inv := &ex.Invariances[i]
		if parts[i] = times(1/inv.Weight, "ρ°_"+inv.Name); inv.Auto {
			parts[i] += "/" + autoWord
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
