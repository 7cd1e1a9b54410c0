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
//	S = { Σ c₁(x) ℓ₁(x) + Σ c₂(x) ℓ₂(x) : ρ°(c) ≤ 1 }
//
// A functional ℓ stands for its representer, and has a multiplier c. The polar ρ° of the gauge ρ
// bounds the multipliers. For a leaf [ℓ]₊ they are not negative, as [t]₊ = max {ct : 0 ≤ c ≤ 1}.
type Ball struct {
	Set         string           `json:"set"`             // S
	Functionals []BallFunctional `json:"functionals"`     // the leaves of ρ
	Gauge       string           `json:"gauge"`           // ρ(ℓ)
	Polar       string           `json:"polar"`           // ρ°(c)
	Cone        string           `json:"cone,omitempty"`  // the signs that multipliers must have; empty where they are free
	Notes       []string         `json:"notes,omitempty"` // what the formulas leave open
	letter      string           // of the multipliers
}

// A BallFunctional is a leaf of the gauge. It stands for a functional at each element of the index
// sets around it, which are its arguments: ℓ₁(x).
type BallFunctional struct {
	Name       string `json:"name"`       // ℓ₁(x)
	Text       string `json:"text"`       // f(x, cat) − f(x, animal)
	Multiplier string `json:"multiplier"` // c₁(x)
	OneSided   bool   `json:"one_sided"`  // the leaf is [ℓ]₊, so that the multiplier is not negative
}

// A ballWriter writes a form with letters for its functionals. The gauge and its polar are two
// readings of one tree, and share its numbering.
type ballWriter struct {
	leaves []*tree.Form
	bound  map[*tree.Form][]string // the variables around a leaf
}

// ballOf writes out the norm ball behind a form.
func ballOf(f *tree.Form) Ball {
	w := &ballWriter{bound: map[*tree.Form][]string{}}
	w.collect(f, nil)
	b := Ball{letter: "c", Functionals: []BallFunctional{}}
	for _, names := range w.bound {
		if slices.Contains(names, "c") { // labels are often called so
			b.letter = "μ"
		}
	}
	var sum, signs []string
	for _, leaf := range w.leaves {
		l := BallFunctional{
			Name: w.symbol("ℓ", leaf), Multiplier: w.symbol(b.letter, leaf), OneSided: leaf.Op == gauge.Pos, Text: leaf.Linear.Formula(),
		}
		b.Functionals = append(b.Functionals, l)
		term := l.Multiplier + " " + l.Name
		if len(w.bound[leaf]) > 0 {
			term = "Σ " + term
		}
		if sum = append(sum, term); l.OneSided {
			signs = append(signs, l.Multiplier)
		}
	}
	b.Set = "{ " + strings.Join(sum, " + ") + " : ρ°(" + b.letter + ") ≤ 1 }"
	switch {
	case len(signs) == len(sum):
		b.Cone = b.letter + " ≥ 0"
	case len(signs) > 0:
		b.Cone = strings.Join(signs, ", ") + " ≥ 0"
	}
	b.Gauge, b.Polar = w.formula(f, "ℓ", false), w.formula(f, b.letter, true)
	if len(f.Intervals()) > 0 {
		b.Notes = append(b.Notes, "along a path, sums stand for integrals, and multipliers under a maximum for a measure")
	}
	if tree.Find(f.All(), func(k *tree.Form) bool { return k.Mean && !counted(k) }) != nil {
		b.Notes = append(b.Notes, "where the number of elements varies, functionals hold the factor of the mean themselves")
	}
	return b
}

// collect lists the leaves from left to right, with the variables that are bound around each.
func (w *ballWriter) collect(f *tree.Form, bound []string) {
	if f.Quant != nil {
		bound = append(slices.Clip(bound), variables(f.Quant)...) // siblings share what is around
	}
	if _, known := w.bound[f]; f.Linear != nil && !known {
		w.leaves, w.bound[f] = append(w.leaves, f), bound
	}
	for _, k := range f.Kids {
		w.collect(k, bound)
	}
}

// variables returns those that a quantifier ranges over. The weight of an edge and a parameter
// that is not enumerated choose no element.
func variables(q *tree.Quantifier) []string {
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
	if len(w.leaves) > 1 {
		number := strconv.Itoa(1 + slices.Index(w.leaves, leaf))
		letter += strings.Map(func(digit rune) rune { return '₀' + digit - '0' }, number)
	}
	if bound := w.bound[leaf]; len(bound) > 0 {
		letter += "(" + strings.Join(bound, ", ") + ")"
	}
	return letter
}

// formula returns ρ(ℓ), or as its dual ρ°(c): the same tree with each norm replaced by its dual,
// and weights inverted. Means change by their number n of elements:
//
//	mean ↦ n · max      rms ↦ n · rms
//
// as the dual of (1/n) Σ is n times a maximum, and √n ‖c‖₂ = n rms(c).
func (w *ballWriter) formula(f *tree.Form, letter string, dual bool) string {
	if f.Linear != nil {
		s := w.symbol(letter, f)
		switch {
		case f.Op == gauge.Abs:
			return "|" + s + "|"
		case dual:
			return s
		}
		return "[" + s + "]₊"
	}
	weight := func(i int) float64 {
		if f.Weights == nil {
			return 1
		} else if dual {
			return 1 / f.Weights[i]
		}
		return f.Weights[i]
	}
	parts := make([]string, len(f.Kids))
	for i, k := range f.Kids {
		if parts[i] = w.formula(k, letter, dual); f.Quant == nil {
			parts[i] = times(weight(i), parts[i])
		}
	}
	s := combination(f, parts)
	if dual {
		s = dualCombination(f, parts)
	}
	if f.Quant == nil {
		return s
	}
	if n := measure(f.Quant); dual && counted(f) && n != "1" {
		s = n + " · " + s
	}
	return times(weight(0), s)
}

// counted reports whether a form is a mean whose gauge holds the number of elements. Functionals
// hold it themselves where it varies with what is bound around them.
func counted(f *tree.Form) bool { return f.Mean && (f.Quant == nil || !f.Quant.Varies()) }

// combination writes a form's operation on parts.
func combination(f *tree.Form, parts []string) string {
	word := "max"
	switch {
	case f.Op == gauge.Top:
		word = fmt.Sprintf("top(%d)", f.K)
	case f.Op == gauge.Sum && counted(f):
		word = tree.MeanWord
	case f.Op == gauge.Sum:
		word = "sum"
	case f.Op == gauge.Norm && f.P == 2 && counted(f):
		word = "rms"
	case f.Op == gauge.Norm:
		word = normName(f.P)
	}
	return over(word, f, parts)
}

// dualCombination writes the dual of a form's operation on parts:
//
//	max ↦ sum, and the reverse      norm(p) ↦ norm(p/(p − 1))
//	top(k) ↦ max {max c, (1/k)·sum c}
//
// The last is the dual of Ky Fan's norm, with parts in place of singular values.
func dualCombination(f *tree.Form, parts []string) string {
	switch {
	case f.Op == gauge.Top && (f.Quant != nil || len(parts) > f.K):
		return "max {" + over("max", f, parts) + ", " + times(1/float64(f.K), over("sum", f, parts)) + "}"
	case f.Op == gauge.Top || f.Op == gauge.Sum:
		return over("max", f, parts)
	case f.Op == gauge.Norm && f.P == 2 && counted(f) && f.Quant != nil:
		return over("rms", f, parts)
	case f.Op == gauge.Norm:
		return over(normName(f.P/(f.P-1)), f, parts)
	case f.Quant != nil && len(parts) > 1:
		parts = []string{"sum {" + strings.Join(parts, ", ") + "}"}
	}
	return over("sum", f, parts)
}

// normName returns a p-norm as the language writes it.
func normName(p float64) string {
	return tree.NormWord + "(" + strconv.FormatFloat(p, 'g', 4, 64) + ")"
}

// over writes an operation on parts, or on the one part over an index set. A literal operation on
// one part is that part. A form that exists only where another index set is empty says so.
func over(word string, f *tree.Form, parts []string) string {
	braced := "{" + strings.Join(parts, ", ") + "}"
	if len(parts) == 1 {
		braced = parts[0]
	}
	switch {
	case f.Quant == nil && len(parts) == 1:
		return braced
	case f.Quant == nil && word == normName(2):
		return "hypot(" + strings.Join(parts, ", ") + ")"
	case f.Quant == nil:
		return word + " " + braced
	case f.Quant.Unless != nil:
		return "(" + braced + " where there is no " + binders(f) + ")"
	}
	return word + " over " + binders(f) + " of " + braced
}

// longBinder is the length above which formulas name the variables of a quantifier alone.
const longBinder = 40

// binders returns what a form ranges over, as the spec has it. A long text would hide the formula,
// and is then cut to its variables; a condition is always shown.
func binders(f *tree.Form) string {
	q, ok := f.From.Syntax.(*dsl.Quant)
	if !ok || len(tree.Binders(q)) > longBinder && f.Quant.Where == nil {
		return strings.Join(variables(f.Quant), ", ")
	}
	return tree.Binders(q)
}

// measure returns how many elements an index set has, as a formula: n rows, m labels, |edges|. The
// length of a path's interval counts as a number of elements, since sums over it are integrals.
func measure(q *tree.Quantifier) string {
	if q.Where != nil {
		return "|{elements where " + tree.Text(q.Where.From.Syntax) + "}|"
	}
	var parts []string
	factor := 1.0
	for _, a := range q.Axes {
		switch a.Kind {
		case tree.RowAxis:
			parts = append(parts, map[bool]string{true: "|" + a.Text + "|", false: "n"}[a.Drawn()])
		case tree.LabelAxis:
			parts = append(parts, "m")
		case tree.StepAxis:
			parts = append(parts, "(m − 1)")
		case tree.MapAxis:
			factor *= float64(len(a.Maps))
		case tree.NamedAxis:
			factor *= float64(len(a.Names))
		case tree.PathAxis:
			factor *= a.Hi - a.Lo
		case tree.ColumnAxis:
			if count, listed := a.Listed(); listed {
				factor *= float64(count)
			} else {
				parts = append(parts, "|"+a.Text+"|")
			}
		case tree.GraphAxis, tree.FamilyAxis, tree.BoxAxis:
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
	if len(parts) == 1 {
		return parts[0]
	}
	return "hypot(" + strings.Join(parts, ", ") + ")"
}
