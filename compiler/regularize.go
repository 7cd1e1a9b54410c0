package compiler

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/elaborate"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// regularize compiles the weights: those of `regularize`, or each invariance once. It warns of
// invariances that it does not take.
func regularize(p *names.Pass) {
	p.Section, p.Place, p.Inlined = "regularize", "regularize", nil
	set := p.Decls.Settings["regularize"]
	if set == nil {
		for _, inv := range p.Out.Invariances {
			if !inv.Decl.Measures() {
				addTerm(p, &tree.Term{Weight: 1, Inv: inv, Place: inv.Decl.Span()})
			}
		}
		return
	}
	before := p.Errors()
	switch {
	case loneAuto(p, set):
	case len(set.More) > 0:
		for _, e := range set.Values() {
			if number, ok := e.(*dsl.Number); ok {
				loneNumber(p, set, number)
				continue
			}
			summands(p, e, 1)
		}
	case !everyInvariance(p, set.Value):
		summands(p, set.Value, 1)
	}
	if p.Errors() > before {
		p.Broken.Regularize = true
		return
	}
	for _, e := range set.Values() {
		summed(p, e)
	}
	if len(p.Lost) > 0 {
		return // what else uses an invariance is not known
	}
	for _, inv := range p.Out.Invariances {
		taken := slices.ContainsFunc(p.Out.Regularized, func(t *tree.Term) bool { return t.Inv == inv })
		if !taken && !p.Used[inv.Name] && !inv.Decl.Measures() {
			d := p.Warn(&diag.Diagnostic{Code: codes.UnusedInvariance, Subject: inv.Decl.Name.Span(), Summary: inv.Name + " is not used", Detail: "regularize does not take it.", Mend: "Add it to regularize, or leave it out."})
			end := set.Values()[len(set.More)].Span()
			end.Start = end.End
			p.Offer(d, "add it to regularize", end, ", "+inv.Decl.Name.Name)
		}
	}
}

// loneNumber reports a number that is a member of the list by itself. A number with a decimal comma
// reads like two of them: regularize 0,5 * a is a list of 0 and 5 * a. If it was meant, a point in its
// place is offered.
func loneNumber(p *names.Pass, set *dsl.Setting, n *dsl.Number) {
	d := p.Report(&diag.Diagnostic{Code: codes.WrongSum, Subject: n.Span(), Summary: n.Raw + " is not a weighted invariance", Detail: "It is a weight and does not say of what.", Mend: "Write the weight before its invariance, " + n.Raw + " * NAME; a decimal number has a point, 0.5."})
	if i := slices.Index(set.Values(), dsl.Expr(n)); i+1 < len(set.Values()) {
		next := set.Values()[i+1]
		for product, ok := next.(*dsl.Binary); ok; product, ok = next.(*dsl.Binary) {
			next = product.X
		}
		if decimals, ok := next.(*dsl.Number); ok {
			p.Offer(d, "write "+n.Raw+"."+decimals.Raw, n.Span().To(decimals.Span()), n.Raw+"."+decimals.Raw)
		}
	}
}

// summands walks a sum of weighted invariances, with the factor of the brackets around it: in 2 *
// (a + 3 * b), b has the weight 6. Whether a summand is in order, its numbers decide together,
// apart from those of the others.
func summands(p *names.Pass, e dsl.Expr, factor float64) {
	sum, ok := e.(*dsl.Binary)
	if p.Met == nil && (!ok || sum.Op != "+" && sum.Op != "-") {
		values.Jointly(p, func() { summands(p, e, factor) })
		return
	}
	switch e := e.(type) {
	case *dsl.Paren:
		summands(p, e.X, factor)
		return
	case *dsl.Neg:
		summands(p, e.X, -factor)
		return
	case *dsl.Ident:
		if p.Poison[e.Name] {
			return
		}
		if !isNumber(p, e) {
			summand(p, e, factor)
			return
		}
	case *dsl.Binary:
		if weighted(p, e, factor) {
			return
		}
	}
	if q, ok := e.(*dsl.Number); ok && q.Value == 0 {
		return // regularize 0
	}
	if misweighted(p, e) {
		return
	}
	p.Report(&diag.Diagnostic{
		Code: codes.WrongSum, Subject: e.Span(), Summary: tree.Text(e) + " is not a weighted invariance", Detail: "regularize is a list of declared invariances, each with a number before it.",
		Mend: "Declare it with a name, invariance NAME = …, and write regularize 0.5 * NAME.",
	})
}

// misweighted reports a weight without an invariance, one that is written as a call, auto (a + b),
// or as a text, "1" * a, or that nothing defines, lots * (a + b). A weight before brackets counts
// for each invariance in them.
func misweighted(p *names.Pass, e dsl.Expr) bool {
	if e == p.Decls.Settings["regularize"].Value && isNumber(p, e) && len(p.Decls.Invariance) > 0 {
		write := tree.Text(e) + " * " + strings.Join(tree.SortedKeys(p.Decls.Invariance), ", "+tree.Text(e)+" * ")
		d := p.Report(&diag.Diagnostic{Code: codes.WrongSum, Subject: e.Span(), Summary: tree.Text(e) + " is not a weighted invariance", Detail: "It is a weight and does not say of what.", Mend: "Write " + write + "."})
		p.Offer(d, "write "+write, e.Span(), write)
		return true
	}
	switch e := e.(type) {
	case *dsl.Set, *dsl.Interval:
		braced(p, listIn(e), "", e.Span(), e)
		return true
	case *dsl.Call:
		return e.Fun.Name == tree.AutoWord && len(e.Args) == 1 && autoCalled(p, e)
	case *dsl.Binary:
		for _, side := range []dsl.Expr{e.X, e.Y} {
			if quoted, ok := side.(*dsl.String); ok && values.QuotedNumber(p, quoted) {
				return true
			}
		}
		id, ok := e.X.(*dsl.Ident)
		if e.Op != "*" || !ok || elaborate.Declared(p, id) {
			return false
		}
		unknownWeight(p, id)
		return true
	}
	return false
}

// weighted handles the sums and products in regularize. A factor is a weight of all that the other
// one holds; two factors that both hold invariances have no meaning. It returns false for what is
// neither, and the caller reports that. `auto` counts within its product alone, so that a * auto +
// b leaves b as it is.
func weighted(p *names.Pass, e *dsl.Binary, factor float64) bool {
	switch e.Op {
	case "+":
		summands(p, e.X, factor)
		summands(p, e.Y, factor)
		return true
	case "-":
		summands(p, e.X, factor)
		summands(p, e.Y, -factor)
		return true
	case "*", "/":
		number, rest := e.X, e.Y
		if !isNumber(p, number) || e.Op == "/" {
			number, rest = e.Y, e.X
		}
		if !isNumber(p, number) {
			return false
		}
		if list := listIn(rest); list != nil && e.Op == "*" {
			braced(p, list, tree.Text(number)+" * ", e.Span(), rest)
			return true
		}
		outer, around := p.Auto, p.Weight
		defer func() { p.Auto, p.Weight = outer, around }()
		w, ok := weight(p, number, tree.Text(rest), e.Op == "/")
		if !ok {
			return true
		}
		if factor *= w; math.IsInf(factor, 0) || math.IsNaN(factor) {
			p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Span(), Summary: "the weight in " + tree.Text(e) + " is not a finite number"})
			return true
		}
		p.Weight = number.Span()
		summands(p, rest, factor)
		return true
	}
	return false
}

// weight returns the number by which something is multiplied, or divided. Ok is false where it is none
// that a weight can be, which is reported: one with a unit, or `auto` twice.
func weight(p *names.Pass, number dsl.Expr, of string, divides bool) (float64, bool) {
	if !divides && !values.FindAuto(p, number) {
		return 0, false
	}
	place := p.Place
	p.Place, p.Within = "factor of "+of, number
	w, ok := values.Quantity(p, number, nil)
	p.Place, p.Within = place, nil
	if ok && w.Unit != tree.NoUnit {
		p.Report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: number.Span(), Summary: "a weight has no unit"})
		return 0, false
	}
	if divides {
		w.Value = 1 / w.Value
	}
	return w.Value, ok
}

// summand takes one weighted invariance into R. A weight is not negative, bounded, and given once
// for each invariance: R² = Σ (w e)² has no place for a second weight. Method warp asks whether the
// form is quadratic too, so that the grids of both belong together.
func summand(p *names.Pass, id *dsl.Ident, weight float64) {
	i := slices.IndexFunc(p.Out.Invariances, func(inv *tree.Invariance) bool { return inv.Name == id.Name })
	if i < 0 {
		unknownInvariance(p, id, weight)
		return
	}
	inv := p.Out.Invariances[i]
	if inv.Decl.Measures() {
		d := p.Report(&diag.Diagnostic{
			Code: codes.UnknownInvariance, Subject: id.Span(), Summary: inv.Name + " is a measure, which nothing regularizes",
			Mend: "Write invariance in place of measure where it is declared, or leave it out here.",
		})
		p.Offer(d, "declare it as an invariance", inv.Decl.Keyword.Span(), "invariance")
		return
	}
	if p.Out.Method == setting.Warp { // which asks both for the weight and for the form
		p.Met.Add(inv.Grids)
	}
	first := slices.IndexFunc(p.Out.Regularized, func(t *tree.Term) bool { return t.Inv == inv })
	switch {
	case first >= 0:
		d := p.Report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: id.Span(), Summary: inv.Name + " is taken twice", Mend: "Give it one weight."})
		d.Related = []diag.Related{{Span: p.Out.Regularized[first].Place, Message: "first taken here"}}
	case weight < 0 && alsoNegative(p, inv, id, weight):
	case weight < 0:
		p.Report(&diag.Diagnostic{
			Code: codes.NegativeWeight, Subject: cmp.Or(p.Weight, id.Span()), Summary: fmt.Sprintf("%s has the negative weight %v", inv.Name, weight),
			Detail: "R² is the sum of the squares of the weighted invariances; a negative weight has no meaning in it.", Mend: "Make the weight positive, or leave the invariance out.",
		})
	case weight > 0 && tree.BoundedFactor(weight) != "":
		p.Report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: id.Span(), Summary: fmt.Sprintf("the weight %g of %s is too far from one", weight, inv.Name), Detail: tree.BoundedFactor(weight),
			Mend: fmt.Sprintf("Write a weight between %g and %g, or 0.", tree.LeastFactor, tree.MostFactor),
		})
	default:
		if weight == 0 && len(p.Grids) == 0 {
			p.Warn(&diag.Diagnostic{Code: codes.ZeroWeight, Subject: cmp.Or(p.Weight, id.Span()), Summary: inv.Name + " has weight zero", Detail: "It has no effect."})
		}
		weighable(p, id, inv, weight)
		addTerm(p, &tree.Term{Weight: weight, Auto: p.Auto != nil, Inv: inv, Place: id.Span()})
	}
}

// weighable reports a weight w that leaves the range of floating point together with the factors c of
// its invariance, since R² holds (w c ℓ(f))² for a functional ℓ. Neither w nor c need be out of bounds
// by itself. The place is that of the factor, and the weight is related.
func weighable(p *names.Pass, id *dsl.Ident, inv *tree.Invariance, weight float64) {
	if inv.Root == nil || weight == 0 {
		return
	}
	j := elaborate.Judge(p)
	if !j.Representable(inv.Root, weight) {
		found := j.Found[0].Diagnostic
		found.Related = append(found.Related, diag.Related{Span: id.Span(), Message: fmt.Sprintf("the weight is %g", weight)})
		found.Mend = fmt.Sprintf("Take factors and weights whose product lies between %g and %g, or is 0.", tree.LeastFactor, tree.MostFactor)
		elaborate.Tell(p, j.Found)
	}
}

// alsoNegative relates an invariance to the error of another with the same negative weight, which is most often one number before
// brackets. It returns false where there is no such error.
func alsoNegative(p *names.Pass, inv *tree.Invariance, id *dsl.Ident, weight float64) bool {
	for _, d := range *p.Diags {
		if d.Code == codes.NegativeWeight && !strings.HasPrefix(d.Summary, inv.Name+" ") && strings.HasSuffix(d.Summary, fmt.Sprintf(" %v", weight)) {
			d.Related = append(d.Related, diag.Related{Span: id.Span(), Message: "so has " + names.Shown(id)})
			return true
		}
	}
	return false
}

// addTerm adds a weighted invariance to R.
func addTerm(p *names.Pass, t *tree.Term) { p.Out.Regularized = append(p.Out.Regularized, t) }

// afterthoughts runs the checks that need all the rest: derivatives against the smoothness of the
// kernel, and a quadratic R for method warp. A derivative of order m is a bounded functional if the
// kernel has derivatives of order 2m: ‖Dᵐk(·, x)‖² = DᵐD′ᵐk(x, x).
func afterthoughts(p *names.Pass) {
	p.Inlined = nil
	if bendless(p) {
		return
	}
	if p.Out.Kernel.Kind == setting.Laplacian && len(p.Derives) > 0 {
		p.Inlined = p.Derives[0].Inlined
		d := p.Warn(&diag.Diagnostic{
			Code: codes.UnboundedDerivative, Subject: p.Derives[0].Span, Summary: "derivatives of f are not bounded under the laplacian kernel",
			Detail: "Its functions are not differentiable, so that a derivative of f is not a bounded functional, and the theory does not cover it.",
			Mend:   "Take the gaussian kernel, or a difference in place of the derivative.",
		})
		if id := settingWord(p.Decls.Settings[kernelWord]); id != nil {
			p.Offer(d, "take the gaussian kernel", id.Span(), "gaussian")
		}
		p.Inlined = nil
	}
	unsearched(p)
	if p.Out.Method != setting.Warp || p.Lost["regularize"] {
		return
	}
	instead := setting.Embed
	if slices.ContainsFunc(p.Out.Regularized, func(t *tree.Term) bool { return t.Counts() && t.Inv.Root.Kind == tree.Sublinear || t.Searched() }) {
		instead = setting.Risk
	}
	for _, t := range p.Out.Regularized {
		if t.Counts() && !t.Inv.Form.Quadratic() {
			method := p.Decls.Settings["method"]
			d := p.Report(&diag.Diagnostic{
				Code: codes.NotQuadratic, Subject: t.Place, Summary: fmt.Sprintf("method warp needs quadratic invariances, and %s is none", t.Inv.Name),
				Detail: "The closed form exists where R² is a sum of squares of linear functionals.",
				Mend:   fmt.Sprintf("Delete line %d, method warp: the default, method %s, needs no squares. Or write the invariance with rms and |…| alone.", method.Span().Start.Line, instead),
			})
			p.Offer(d, "take method "+string(instead), method.Value.Span(), string(instead))
		}
	}
}

// bendless reports second derivatives under a kernel whose functions have none, or none but 0
// (codes.NoSecondDerivative). It returns true if it did. The laplacian kernel has kinks; under the
// linear kernel f″ = 0 for every f.
func bendless(p *names.Pass) bool {
	k := &p.Out.Kernel
	why := ""
	switch {
	case len(p.Bends) == 0:
	case k.Kind == laplacianWord:
		why = "Its functions have kinks."
	case rough(k) != "":
		why = "Functions of a matern32 kernel have one derivative: their slopes have kinks."
	case k.Kind == "linear", k.Kind == "polynomial" && k.Degree == 1, linearInColumns(k) && k.Kind == setting.Additive:
		why = "Its functions are linear: the second derivative is zero whatever f is."
	}
	if why == "" {
		return false
	}
	mend := "Take the gaussian kernel."
	switch {
	case p.Out.Features.Kind == setting.Hashing:
		mend = "Take the gaussian kernel, and nystrom features."
	case k.Sums():
		mend = "Take gaussian or matern52 in the columns."
	}
	d := p.ReportAt(p.Bends[0], &diag.Diagnostic{Code: codes.NoSecondDerivative, Summary: "f has no second derivative under the " + string(k.Kind) + " kernel", Detail: why, Mend: mend})
	if id := settingWord(p.Decls.Settings[kernelWord]); id != nil && p.Out.Features.Kind != setting.Hashing && !k.Sums() {
		p.Offer(d, "take the gaussian kernel", id.Span(), "gaussian")
	}
	return true
}

// settingWord returns the word of a setting's value: gaussian of `kernel gaussian(width = 1)`. Nil
// means that the spec lacks the setting, or that its value begins with no word.
func settingWord(set *dsl.Setting) *dsl.Ident {
	if set == nil {
		return nil
	}
	id, _ := dsl.Called(set.Value)
	return id
}
