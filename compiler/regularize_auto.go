package compiler

// The word auto in regularize. It is a weight that run chooses. Alone it weighs every invariance alike, and
// in a product those that the product holds:
//
//	regularize auto                      one number for all invariances, also for those that are yet to come
//	regularize auto * a, auto * b        a number for each
//	regularize 0.5 * auto * (a + b)      a number for both, and a factor of it
//
// It is no invariance. So where it stands for one, in a list, in arithmetic of numbers or in brackets, the
// error says which of the forms above is meant.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// everyInvariance takes all declared invariances with one weight that run chooses, as regularize auto
// asks for. There may be none: a spec that is written for a user to add statements to has their weight
// already. A measure is none of them. The weight is the same for all; each has its own where a list
// names them. It returns false where e is anything else.
func everyInvariance(p *names.Pass, e dsl.Expr) bool {
	id, ok := e.(*dsl.Ident)
	if !ok || id.Name != tree.AutoWord {
		return false
	}
	var each []string
	for _, decl := range p.Decls.Invariances {
		if !decl.Measures() {
			each = append(each, decl.Name.Name)
		}
	}
	if len(each) == 0 {
		return true
	}
	outer := p.Auto
	defer func() { p.Auto = outer }()
	values.Jointly(p, func() {
		w, ok := weight(p, e, "every invariance", false)
		for _, name := range each {
			if ok {
				summand(p, p.Decls.Invariance[name].Name, w)
			}
		}
	})
	// Who writes the chosen number in place of auto needs these names, as a number alone is refused.
	// There is no grid where the weight itself is faulty.
	if g, ok := p.GridOf[id]; ok {
		p.Grids[g].Each = each
	}
	return true
}

// autoCalled reports auto (a + b), and offers it as a factor of each, as juxtaposition is not a product
// here. It returns true.
func autoCalled(p *names.Pass, e *dsl.Call) bool {
	write := "auto * (" + tree.Text(e.Args[0].Value) + ")"
	if terms := asList(p, e.Args[0].Value); terms != nil {
		write = "auto * " + strings.Join(terms, ", auto * ")
	}
	d := p.Report(&diag.Diagnostic{Code: codes.WrongSum, Subject: e.Span(), Summary: tree.Text(e) + " is not a weighted invariance", Detail: "auto is a number that run chooses, and no function.", Mend: "Write " + write + "."})
	p.Offer(d, "write "+write, e.Span(), write)
	return true
}

// byHand returns the declared invariances, each with a weight before it.
func byHand(p *names.Pass, weight string) string {
	var terms []string
	for _, decl := range p.Decls.Invariances {
		if !decl.Measures() {
			terms = append(terms, weight+" * "+names.Shown(decl.Name))
		}
	}
	return strings.Join(terms, ", ")
}

// loneAuto reports auto that weighs no invariance, beside others or in arithmetic alone: auto, a; auto * 3; (auto). It returns true if it did.
func loneAuto(p *names.Pass, set *dsl.Setting) bool {
	all := set.Values()
	for _, e := range all {
		if id, ok := e.(*dsl.Ident); ok && len(all) == 1 && id.Name == tree.AutoWord {
			return false
		}
		at := weighsNothing(p, e)
		if at == nil {
			continue
		}
		const whole = "regularize auto, which weighs every invariance"
		d := &diag.Diagnostic{Code: codes.WrongSum, Subject: at.Span(), Summary: tree.Text(at) + " is not a weighted invariance", Detail: "It is a weight and does not say of what.", Mend: "Write " + whole + "."}
		weight, write := tree.AutoWord, tree.AutoWord
		if dsl.Holds(at, func(n dsl.Node) bool { _, ok := n.(*dsl.Number); return ok }) {
			weight = tree.Text(at)
		}
		list := byHand(p, weight)
		switch {
		case list == "" || negated(at):
		case weight != tree.AutoWord:
			d.Mend, write = "Write "+list+"; or "+whole+".", list
		case len(all) > 1 || at != e:
			d.Mend = "Write " + whole + ", or a weight for each: " + list + "."
		}
		p.Report(d)
		p.Offer(d, "write "+write, all[0].Span().To(all[len(all)-1].Span()), write)
		return true
	}
	return false
}

// negated reports whether an expression has a minus sign before it.
func negated(e dsl.Expr) bool {
	_, ok := dsl.Bare(e).(*dsl.Neg)
	return ok
}

// weighsNothing returns a summand that holds auto and numbers alone. Nil means that every summand holds an
// invariance, or no auto:
//
//	3 * auto         says how the weight is scaled, and not of what
//	a + auto         the sum of an invariance and of a number
func weighsNothing(p *names.Pass, e dsl.Expr) dsl.Expr {
	if sum, ok := e.(*dsl.Binary); ok && (sum.Op == "+" || sum.Op == "-") {
		if at := weighsNothing(p, sum.X); at != nil {
			return at
		}
		return weighsNothing(p, sum.Y)
	}
	if holdsAuto(e) && isWeight(p, e) {
		return e
	}
	return nil
}

// holdsAuto reports whether auto stands in an expression, as a word or as a text.
func holdsAuto(e dsl.Expr) bool {
	return dsl.Holds(e, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.Ident:
			return n.Name == tree.AutoWord
		case *dsl.String:
			return n.Value == tree.AutoWord
		}
		return false
	})
}

// isWeight reports whether an expression is auto, numbers, and arithmetic of them. auto may be written as a
// call, a text or a set, as other languages have words.
func isWeight(p *names.Pass, e dsl.Expr) bool {
	each := func(all []dsl.Expr) bool {
		return !slices.ContainsFunc(all, func(x dsl.Expr) bool { return !isWeight(p, x) })
	}
	switch e := e.(type) {
	case *dsl.Ident:
		return e.Name == tree.AutoWord || p.Decls.Lets[e.Name] != nil && !p.Poison[e.Name]
	case *dsl.Paren:
		return isWeight(p, e.X)
	case *dsl.Neg:
		return isWeight(p, e.X)
	case *dsl.String:
		return e.Value == tree.AutoWord
	case *dsl.Set:
		return each(e.Elems)
	case *dsl.Binary:
		return each([]dsl.Expr{e.X, e.Y})
	case *dsl.Call:
		if e.Fun.Name == tree.AutoWord {
			return each(tree.Each(e.Args, func(a *dsl.Arg) dsl.Expr { return a.Value }))
		}
	}
	return isNumber(p, e)
}

// braced reports a list in braces or brackets, with the weight before it where there is one, and offers it without them.
func braced(p *names.Pass, list []dsl.Expr, weight string, at diag.Span, shown dsl.Expr) {
	write := strings.Join(tree.Each(list, func(e dsl.Expr) string { return weight + tree.Text(e) }), ", ")
	d := p.Report(&diag.Diagnostic{Code: codes.WrongSum, Subject: shown.Span(), Summary: tree.Text(shown) + " is not a weighted invariance", Detail: "The list of invariances has no brackets.", Mend: "Write " + write + "."})
	p.Spell(d, "write "+write, at, write)
}

// listIn returns the elements of a list in braces or brackets; nil means that an expression is none.
func listIn(e dsl.Expr) []dsl.Expr {
	switch e := e.(type) {
	case *dsl.Set:
		return e.Elems
	case *dsl.Interval:
		return []dsl.Expr{e.Lo, e.Hi}
	}
	return nil
}

// everything are words by which other languages mean all that is declared, and nothing those for none of it.
var (
	everything = []string{"automatic", "automatically", "all", "each", "every", "everything", "any", "both"}
	nothing    = []string{"none", "nothing", "off", "no"}
)

// unknownInvariance reports the name of an invariance that is not declared. It may be a slip of auto, or stand
// for all of them. A declared name that is near comes first:
//
//	regularize Auto           auto, as words of the language are in lower case
//	regularize auto * all     auto alone weighs all
//	regularize 2 * all        each has its weight before it
//	regularize none           the weight 0 of nothing else
func unknownInvariance(p *names.Pass, id *dsl.Ident, weight float64) {
	d := &diag.Diagnostic{Code: codes.UnknownInvariance, Subject: id.Span(), Summary: "no invariance is called " + names.Shown(id)}
	known := names.Known{p.Declared.Invariances()}
	word, set := strings.ToLower(id.Name), p.Decls.Settings["regularize"]
	sole := set != nil && len(set.More) == 0
	near := names.Nearest(p, id.Name, known) != ""
	switch {
	case near || !sole:
		p.MisnamedAmong(id.Name, known, d)
	case slices.Contains(nothing, word):
		d.Mend = "Write regularize 0, or method plain, to regularize nothing."
		p.Report(d)
	case set.Value == dsl.Expr(id) && (tree.Nearest(word, []string{tree.AutoWord}) != "" || slices.Contains(everything, word)), p.Auto != nil && slices.Contains(everything, word):
		d.Mend = "Write regularize auto, which weighs every invariance."
		p.Report(d)
		p.Offer(d, "write regularize auto", set.Value.Span(), tree.AutoWord)
	case slices.Contains(everything, word) && byHand(p, "1") != "":
		d.Mend = "Name each: " + byHand(p, strconv.FormatFloat(weight, 'g', -1, 64)) + "."
		p.Report(d)
	default:
		p.MisnamedAmong(id.Name, known, d)
	}
}

// unknownWeight reports a factor that stands for nothing. It may be a slip of auto.
func unknownWeight(p *names.Pass, id *dsl.Ident) {
	known, word := names.Known{p.Declared.Lets()}, strings.ToLower(id.Name)
	d := &diag.Diagnostic{Code: codes.UndefinedName, Subject: id.Span(), Summary: names.Shown(id) + " is not defined"}
	if names.Nearest(p, id.Name, known) == "" && (strings.HasPrefix(word, tree.AutoWord) || tree.Nearest(word, []string{tree.AutoWord}) != "") {
		d.Mend = "Did you mean auto?"
		p.Report(d)
		p.Spell(d, "write auto", id.Span(), tree.AutoWord)
		return
	}
	p.MisnamedAmong(id.Name, known, d)
}
