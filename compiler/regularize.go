package compiler

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// regularize compiles the weights: those of `regularize`, or each invariance once.
func (p *pass) regularize() {
	p.section, p.place, p.inlined = "regularize", "regularize", nil
	set := p.decls.settings["regularize"]
	if set == nil {
		for _, inv := range p.out.invariances {
			p.addTerm(&tree.Term{Weight: 1, Inv: inv, Place: inv.Decl.Span()})
		}
		return
	}
	before := p.errors()
	p.summands(set.Value, 1)
	if p.errors() > before || len(p.lost) > 0 {
		return // what it takes, or what else uses an invariance, is not known
	}
	for _, inv := range p.out.invariances {
		taken := slices.ContainsFunc(p.out.regularized, func(t *tree.Term) bool { return t.Inv == inv })
		if !taken && !p.used[inv.Name] {
			d := p.warn(&diag.Diagnostic{Code: codes.UnusedInvariance, Subject: inv.Decl.Name.Span(), Summary: inv.Name + " is not used", Detail: "regularize does not take it.", Mend: "Add it to regularize, or leave it out."})
			end := set.Value.Span()
			end.Start = end.End
			p.offer(d, "add it to regularize", end, " + "+inv.Decl.Name.Name)
		}
	}
}

func (p *pass) warn(d *diag.Diagnostic) *diag.Diagnostic {
	d.Severity = diag.Warning
	return p.report(d)
}

// summands walks a sum of weighted invariances. Whether a summand is in order its numbers decide together.
func (p *pass) summands(e dsl.Expr, factor float64) {
	sum, ok := e.(*dsl.Binary)
	if p.met == nil && (!ok || sum.Op != "+" && sum.Op != "-") {
		p.jointly(func() { p.summands(e, factor) })
		return
	}
	switch e := e.(type) {
	case *dsl.Paren:
		p.summands(e.X, factor)
		return
	case *dsl.Neg:
		p.summands(e.X, -factor)
		return
	case *dsl.Ident:
		if p.poison[e.Name] {
			return
		}
		if !p.isNumber(e) {
			p.summand(e, factor)
			return
		}
	case *dsl.Binary:
		if p.weighted(e, factor) {
			return
		}
	}
	if q, ok := e.(*dsl.Number); ok && q.Value == 0 {
		return // regularize 0
	}
	if p.misweighted(e) {
		return
	}
	p.report(&diag.Diagnostic{
		Code: codes.WrongSum, Subject: e.Span(), Summary: tree.Text(e) + " is no weighted invariance", Detail: "regularize is a sum of declared invariances, each with a number before it.",
		Mend: "Declare it with a name, invariance NAME = …, and write regularize 0.5 * NAME.",
	})
}

// misweighted reports a weight that is written as a call, auto (a + b), or that nothing defines, lots * (a + b).
func (p *pass) misweighted(e dsl.Expr) bool {
	switch e := e.(type) {
	case *dsl.Call:
		if e.Fun.Name != tree.AutoWord || len(e.Args) != 1 {
			return false
		}
		write := "auto * (" + tree.Text(e.Args[0].Value) + ")"
		d := p.report(&diag.Diagnostic{Code: codes.WrongSum, Subject: e.Span(), Summary: tree.Text(e) + " is no weighted invariance", Detail: "auto is a number that run chooses, and no function.", Mend: "Write " + write + "."})
		p.offer(d, "write "+write, e.Span(), write)
		return true
	case *dsl.Binary:
		id, ok := e.X.(*dsl.Ident)
		if e.Op != "*" || !ok || p.declared(id) {
			return false
		}
		p.misnamed(id.Name, tree.SortedKeys(p.decls.lets), &diag.Diagnostic{Code: codes.UndefinedName, Subject: id.Span(), Summary: shown(id) + " is not defined"})
		return true
	}
	return false
}

// weighted handles the sums and products in regularize.
func (p *pass) weighted(e *dsl.Binary, factor float64) bool {
	switch e.Op {
	case "+":
		p.summands(e.X, factor)
		p.summands(e.Y, factor)
		return true
	case "-":
		p.summands(e.X, factor)
		p.summands(e.Y, -factor)
		return true
	case "*", "/":
		number, rest := e.X, e.Y
		if !p.isNumber(number) || e.Op == "/" {
			number, rest = e.Y, e.X
		}
		if !p.isNumber(number) {
			return false
		}
		outer := p.auto
		defer func() { p.auto = outer }()
		w, ok := p.weight(number, rest, e.Op == "/")
		if !ok {
			return true
		}
		if factor *= w; math.IsInf(factor, 0) || math.IsNaN(factor) {
			p.report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Span(), Summary: "the weight in " + tree.Text(e) + " is no finite number"})
			return true
		}
		p.summands(rest, factor)
		return true
	}
	return false
}

// weight returns the number by which rest is multiplied, or divided.
func (p *pass) weight(number, rest dsl.Expr, divides bool) (float64, bool) {
	if !divides && !p.findAuto(number) {
		return 0, false
	}
	place := p.place
	p.place = "factor of " + tree.Text(rest)
	w, ok := p.quantity(number, nil)
	p.place = place
	if ok && w.Unit != tree.NoUnit {
		p.report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: number.Span(), Summary: "a weight has no unit"})
		return 0, false
	}
	if divides {
		w.Value = 1 / w.Value
	}
	return w.Value, ok
}

// isNumber reports whether an expression is made of numbers, lets, grids and auto alone.
func (p *pass) isNumber(e dsl.Expr) bool {
	switch e := e.(type) {
	case *dsl.Number:
		return true
	case *dsl.Paren:
		return p.isNumber(e.X)
	case *dsl.Neg:
		return p.isNumber(e.X)
	case *dsl.Binary:
		return p.isNumber(e.X) && p.isNumber(e.Y)
	case *dsl.Call:
		return e.Fun.Name == tree.GridWord
	case *dsl.Ident:
		return e.Name == tree.AutoWord || p.decls.lets[e.Name] != nil || p.poison[e.Name]
	}
	return false
}

func (p *pass) summand(id *dsl.Ident, weight float64) {
	i := slices.IndexFunc(p.out.invariances, func(inv *tree.Invariance) bool { return inv.Name == id.Name })
	if i < 0 {
		p.misnamed(id.Name, tree.SortedKeys(p.decls.invariance), &diag.Diagnostic{Code: codes.UnknownInvariance, Subject: id.Span(), Summary: "no invariance is called " + shown(id)})
		return
	}
	inv := p.out.invariances[i]
	if p.out.Method == setting.Warp { // which asks both for the weight and for the form
		p.met.Add(inv.Grids)
	}
	first := slices.IndexFunc(p.out.regularized, func(t *tree.Term) bool { return t.Inv == inv })
	switch {
	case first >= 0:
		d := p.report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: id.Span(), Summary: inv.Name + " is taken twice", Mend: "Give it one weight."})
		d.Related = []diag.Related{{Span: p.out.regularized[first].Place, Message: "first taken here"}}
	case weight < 0:
		p.report(&diag.Diagnostic{
			Code: codes.NegativeWeight, Subject: id.Span(), Summary: fmt.Sprintf("%s has the negative weight %v", inv.Name, weight),
			Detail: "R² is the sum of the squares of the weighted invariances; a negative weight has no meaning in it.", Mend: "Make the weight positive, or leave the invariance out.",
		})
	case weight > 0 && tree.BoundedFactor(weight) != "":
		p.report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: id.Span(), Summary: fmt.Sprintf("the weight %g of %s is too far from one", weight, inv.Name), Detail: tree.BoundedFactor(weight),
			Mend: fmt.Sprintf("Write a weight between %g and %g, or 0.", tree.LeastFactor, tree.MostFactor),
		})
	default:
		if weight == 0 && len(p.grids) == 0 {
			p.warn(&diag.Diagnostic{Code: codes.ZeroWeight, Subject: id.Span(), Summary: inv.Name + " has weight zero", Detail: "It has no effect."})
		}
		p.addTerm(&tree.Term{Weight: weight, Auto: p.auto != nil, Inv: inv, Place: id.Span()})
	}
}

// TooHeavy returns an error at the invariance with the largest weight: R is so large beside ‖f‖² that a linear system with both is not
// positive definite in floating point. Nil means that there is no invariance.
func (in *Instance) TooHeavy() *diag.Diagnostic {
	if len(in.regularized) == 0 {
		return nil
	}
	t := slices.MaxFunc(in.regularized, func(a, b *tree.Term) int { return cmp.Compare(a.Weight, b.Weight) })
	return tree.AtOrigin(tree.Origin{Span: t.Place}, &diag.Diagnostic{
		Code: codes.OutOfRange, Summary: fmt.Sprintf("the weight %.3g of %s is too large for the arithmetic", t.Weight, t.Inv.Name),
		Detail: "A linear system of ‖f‖² and R is not positive definite to rounding.", Mend: "Write a smaller weight, or smaller factors in " + t.Inv.Name + ".",
	})
}

func (p *pass) addTerm(t *tree.Term) { p.out.regularized = append(p.out.regularized, t) }

// evaluate compiles `evaluate under {…}`.
func (p *pass) evaluate() {
	decl := p.decls.evaluate
	if decl == nil || decl.Under == nil {
		return
	}
	p.section, p.place = "evaluate", "evaluate"
	p.jointly(func() { p.under(decl.Under.Elems) })
}

// under compiles the transformations of `evaluate under`.
func (p *pass) under(elems []dsl.Expr) {
	for _, e := range elems {
		call, ok := e.(*dsl.Call)
		if id, isName := e.(*dsl.Ident); isName {
			call, ok = &dsl.Call{At: id.At, Fun: id}, true
			if m := p.bareMap(id, nil); m != nil {
				p.out.under = append(p.out.under, m)
				continue
			}
		}
		if !ok {
			p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is no transformation", Mend: "Write evaluate under {rotate(15deg), shift(dx = 2)}."})
			continue
		}
		if m := p.mapping(call, nil); m != nil {
			p.out.under = append(p.out.under, m)
		}
	}
}

// afterthoughts are the checks that need all the rest.
func (p *pass) afterthoughts() {
	p.inlined = nil
	if p.bendless() {
		return
	}
	if p.out.Kernel.Kind == setting.Laplacian && len(p.derives) > 0 {
		p.inlined = p.derives[0].Inlined
		d := p.warn(&diag.Diagnostic{
			Code: codes.UnboundedDerivative, Subject: p.derives[0].Span, Summary: "derivatives of f are not bounded under the laplacian kernel",
			Detail: "Its functions are not differentiable, so that a derivative of f is no bounded functional, and the theory does not cover it.",
			Mend:   "Take the gaussian kernel, or a difference in place of the derivative.",
		})
		if id := settingWord(p.decls.settings["kernel"]); id != nil {
			p.offer(d, "take the gaussian kernel", id.Span(), "gaussian")
		}
		p.inlined = nil
	}
	if p.out.Method != setting.Warp || p.lost["regularize"] {
		return
	}
	for _, t := range p.out.regularized {
		if t.Counts() && !t.Inv.Form.Quadratic() {
			instead := setting.Embed
			if t.Inv.Root.Kind == tree.Sublinear {
				instead = setting.Risk
			}
			take := "take method " + string(instead)
			d := p.report(&diag.Diagnostic{
				Code: codes.NotQuadratic, Subject: t.Place, Summary: fmt.Sprintf("method warp needs quadratic invariances, and %s is none", t.Inv.Name),
				Detail: "The closed form exists where R² is a sum of squares of linear functionals.", Mend: "Write it with rms and |…| alone, or " + take + ".",
			})
			p.offer(d, take, p.decls.settings["method"].Value.Span(), string(instead))
		}
	}
}

// bendless reports second derivatives under a kernel whose functions have none, or none but 0.
func (p *pass) bendless() bool {
	k := &p.out.Kernel
	why := ""
	switch {
	case len(p.bends) == 0:
	case k.Kind == laplacianWord:
		why = "Its functions have kinks."
	case k.Kind == "linear", k.Kind == "polynomial" && k.Degree == 1:
		why = "Its functions are linear: the second derivative is zero whatever f is."
	}
	if why == "" {
		return false
	}
	mend := "Take the gaussian kernel."
	if p.out.Features.Kind == setting.Hashing {
		mend = "Take the gaussian kernel, and nystrom features."
	}
	d := p.reportAt(p.bends[0], &diag.Diagnostic{Code: codes.NoSecondDerivative, Summary: "f has no second derivative under the " + string(k.Kind) + " kernel", Detail: why, Mend: mend})
	if id := settingWord(p.decls.settings["kernel"]); id != nil && p.out.Features.Kind != setting.Hashing {
		p.offer(d, "take the gaussian kernel", id.Span(), "gaussian")
	}
	return true
}

// settingWord is the word of a setting's value: gaussian of `kernel gaussian(width = 1)`.
func settingWord(set *dsl.Setting) *dsl.Ident {
	if set == nil {
		return nil
	}
	switch e := set.Value.(type) {
	case *dsl.Ident:
		return e
	case *dsl.Call:
		return e.Fun
	}
	return nil
}
