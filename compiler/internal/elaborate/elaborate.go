// Package elaborate makes trees of expressions: it resolves names, checks types, and puts the bodies of definitions in place of calls.
package elaborate

import (
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/edit"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// maxNodes bounds the parts of all invariances together, definitions replaced by their bodies.
const maxNodes = 100_000

// Functions are the calls that the language itself offers in expressions.
var Functions = []string{"f", "pos", "hypot"}

// Expr resolves the names of an expression and checks its types. It is nil where the expression is faulty, which has been
// reported then.
func Expr(p *names.Pass, e dsl.Expr, sc *names.Scope) *tree.Node {
	if p.Nodes++; p.Nodes > maxNodes {
		if p.Nodes == maxNodes+1 {
			p.Report(&diag.Diagnostic{Code: codes.TooLarge, Subject: e.Span(), Summary: "the invariances are too long", Detail: fmt.Sprintf("With all definitions replaced by their bodies, they have more than %d parts.", maxNodes)})
		}
		return nil
	}
	switch e := e.(type) {
	case *dsl.Paren:
		return Expr(p, e.X, sc)
	case *dsl.Number:
		if e.Unit != tree.NoUnit {
			p.Report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: e.Span(), Summary: tree.Text(e) + " has a unit, and stands where a plain number is wanted"})
			return nil
		}
		return constant(p, e, e.Value)
	case *dsl.Neg:
		return negate(p, e, Expr(p, e.X, sc))
	case *dsl.Binary:
		return binary(p, e, sc)
	case *dsl.Abs:
		return unary(p, tree.OpAbs, "|…|", e, e.X, sc)
	case *dsl.Ident:
		return ident(p, e, sc)
	case *dsl.Call:
		return call(p, e, sc)
	case *dsl.Deriv:
		return derivative(p, e, sc)
	case *dsl.Aggregate:
		return aggregate(p, e, sc)
	case *dsl.Quant:
		return quantified(p, e, sc)
	}
	p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is no function of f", Mend: "Ask f for its value, f(x) or f(label), or for a derivative, d/d(column) f."})
	return nil
}

func constant(p *names.Pass, e dsl.Expr, v float64) *tree.Node {
	return &tree.Node{Op: tree.OpConst, Num: v, From: p.Origin(e)}
}

func negate(p *names.Pass, e dsl.Expr, x *tree.Node) *tree.Node {
	switch {
	case x == nil:
		return nil
	case x.Op == tree.OpConst:
		return constant(p, e, -x.Num)
	case x.Data:
		return tree.Calculated(tree.OpNeg, p.Origin(e), x)
	}
	return &tree.Node{Op: tree.OpNeg, Kids: []*tree.Node{x}, From: p.Origin(e)}
}

func unary(p *names.Pass, o tree.Op, word string, e, x dsl.Expr, sc *names.Scope) *tree.Node {
	n := Expr(p, x, sc)
	switch {
	case n == nil:
		return nil
	case n.Op == tree.OpConst && o == tree.OpAbs:
		return constant(p, e, math.Abs(n.Num))
	case n.Op == tree.OpConst:
		return constant(p, e, max(n.Num, 0))
	case n.Data:
		return tree.Calculated(o, p.Origin(e), n)
	}
	return &tree.Node{Op: o, Word: word, Kids: []*tree.Node{n}, From: p.Origin(e)}
}

func binary(p *names.Pass, e *dsl.Binary, sc *names.Scope) *tree.Node {
	switch e.Op {
	case "+", "-", "*", "/":
	default:
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: "a condition stands where a function of f is wanted", Mend: "Conditions stand after where."})
		return nil
	}
	if leibniz(p, e) {
		return nil
	}
	x, y := operands(p, e, sc)
	if x == nil || y == nil {
		return nil
	}
	from := p.Origin(e)
	if x.Op == tree.OpConst && y.Op == tree.OpConst {
		q, _ := tree.Combine(e.Op, tree.Quantity{Value: x.Num}, tree.Quantity{Value: y.Num})
		return folded(p, from, q.Value)
	}
	switch e.Op {
	case "+":
		return tree.Joined(tree.OpAdd, x, y, from)
	case "-":
		return tree.Joined(tree.OpAdd, x, minus(p, e, y), from)
	case "*":
		return tree.Product(x, y, from)
	}
	return quotient(p, e, x, y)
}

func quotient(p *names.Pass, e *dsl.Binary, x, y *tree.Node) *tree.Node {
	from := p.Origin(e)
	switch {
	case y.Op == tree.OpConst && y.Num == 0:
		p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Y.Span(), Summary: "division by zero"})
		return nil
	case y.Data && !x.Number():
		one := &tree.Node{Op: tree.OpConst, Num: 1, From: y.From}
		return &tree.Node{Op: tree.OpScale, By: tree.Calculated(tree.OpDiv, y.From, one, y), Kids: []*tree.Node{x}, From: from}
	case y.Op != tree.OpConst || x.Data:
		return tree.Joined(tree.OpDiv, x, y, from)
	}
	return &tree.Node{Op: tree.OpScale, Num: 1 / y.Num, Kids: []*tree.Node{x}, From: from}
}

// folded returns a number that was computed; nil where it is none that is finite.
func folded(p *names.Pass, from tree.Origin, v float64) *tree.Node {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		p.ReportAt(from, &diag.Diagnostic{Code: codes.OutOfRange, Summary: tree.Text(from.Syntax) + " is no finite number"})
		return nil
	}
	return &tree.Node{Op: tree.OpConst, Num: v, From: from}
}

// operands compiles both sides. Where one is faulty, the other is judged by itself; one is nil then.
func operands(p *names.Pass, e *dsl.Binary, sc *names.Scope) (x, y *tree.Node) {
	pointless := p.NoPoint
	x, y = partOf(p, e, e.X, sc), partOf(p, e, e.Y, sc)
	switch {
	case p.NoPoint != pointless: // how far the quantifier before is to reach is not known
	case x == nil && y != nil && e.Op == "-":
		judgeApart(p, minus(p, e, y))
	case x == nil || y == nil:
		judgeApart(p, x, y)
	}
	return x, y
}

// minus negates the second part of a difference; its place is the part with the sign.
func minus(p *names.Pass, e *dsl.Binary, y *tree.Node) *tree.Node {
	n := negate(p, e.Y, y)
	n.Difference = e
	n.From.Span = e.OpPos.To(e.Y.Span())
	if y.Op == tree.OpConst {
		n.From.Span = e.Y.Span()
	}
	return n
}

// ident resolves a bare name: f, an argument, a number, or another invariance.
func ident(p *names.Pass, id *dsl.Ident, sc *names.Scope) *tree.Node {
	if b := sc.Lookup(id.Name); b != nil {
		if b.Argument != nil {
			if n, ok := givenColumn(p, id, b.Argument, sc); ok {
				return n
			}
			return inArgument(p, b.Argument, func(a *names.Argument) *tree.Node { return Expr(p, a.Expr, a.Scope) })
		}
		if b.Variable.Kind == tree.ParamVar || b.Variable.Kind == tree.WeightVar {
			return &tree.Node{Op: tree.OpDatum, Data: true, Datum: &tree.Datum{Of: b.Variable}, From: p.Origin(id)}
		}
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: fmt.Sprintf("%s is %s, not a function of f", tree.Greek(names.Shown(id)), b.Variable.Kind), Mend: "Write f(" + names.Shown(id) + ")."})
		return nil
	}
	switch {
	case id.Name == "f":
		return leaf(p, id, nil, sc)
	case p.Decls.Invariance[id.Name] != nil:
		inv := p.Decls.Invariance[id.Name]
		var n *tree.Node
		values.Expand(p, inv, id, func() bool { n = Expr(p, inv.Body, nil); return n != nil })
		return n
	case id.Name == tree.AutoWord:
		_, _ = values.AutoValue(p, id)
		return nil
	case id.Name == tree.OfMedian:
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: "median stands outside of a kernel's width", Detail: "It is the median distance between training rows."})
		return nil
	case p.Decls.Lets[id.Name] != nil || p.Decls.Defs[id.Name] == nil && !values.IsLabel(p, id.Name):
		return letNumber(p, id, sc)
	case values.IsLabel(p, id.Name):
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: names.Shown(id) + " is a label, not a function of f", Mend: "Write f(" + names.Shown(id) + ")."})
		return nil
	}
	d := p.Decls.Defs[id.Name]
	p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: id.Name + " is a definition and needs its arguments", Mend: "Write " + values.Signature(id.Name, parameters(d)) + "."})
	return nil
}

func letNumber(p *names.Pass, id *dsl.Ident, sc *names.Scope) *tree.Node {
	if p.Decls.Lets[id.Name] == nil {
		known := append(append(append(tree.SortedKeys(p.Decls.Lets), tree.SortedKeys(p.Decls.Defs)...), Functions...), sc.Names()...)
		for _, name := range tree.SortedKeys(p.Decls.Invariance) {
			if p.Decls.Invariance[name].Span() != p.Decl { // which cannot stand in itself
				known = append(known, name)
			}
		}
		if n, ok := bareColumn(p, id, known, sc); ok {
			return n
		}
		p.Undefined(id, known)
		return nil
	}
	q, ok := values.NamedQuantity(p, id, sc)
	if !ok {
		return nil
	}
	if q.Unit != tree.NoUnit {
		p.Report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: id.Span(), Summary: fmt.Sprintf("%s is %s, and stands where a plain number is wanted", id.Name, q)})
		return nil
	}
	return constant(p, id, q.Value)
}

// inArgument evaluates a definition's argument where it was written.
func inArgument(p *names.Pass, a *names.Argument, f func(*names.Argument) *tree.Node) *tree.Node {
	inlined := p.Inlined
	p.Inlined = a.Inlined
	n := f(a)
	p.Inlined = inlined
	return n
}

func call(p *names.Pass, e *dsl.Call, sc *names.Scope) *tree.Node {
	name := e.Fun.Name
	switch name {
	case "f":
		return leaf(p, e, e.Args, sc)
	case "pos":
		if x := only(p, e, "pos(e)"); x != nil {
			return unary(p, tree.OpPos, "pos", e, x, sc)
		}
		return nil
	case "hypot":
		return parts(p, &tree.Node{Op: tree.OpNorm, P: 2, Word: "hypot", From: p.Origin(e)}, argValues(e.Args), sc)
	case tree.GridWord:
		q, ok := values.GridValue(p, e, sc)
		if !ok || q.Unit != tree.NoUnit {
			if ok {
				p.Report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: e.Span(), Summary: "a plain number is wanted here"})
			}
			return nil
		}
		return constant(p, e, q.Value)
	}
	if def := p.Decls.Defs[name]; def != nil {
		return inline(p, def, e, sc)
	}
	return otherCall(p, e, sc)
}

func argValues(args []*dsl.Arg) []dsl.Expr {
	values := make([]dsl.Expr, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	return values
}

func only(p *names.Pass, e *dsl.Call, form string) dsl.Expr {
	x := values.Sole(e)
	if x == nil {
		p.Report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: e.Span(), Summary: fmt.Sprintf("%s takes 1 argument", e.Fun.Name), Mend: "It is " + form + "."})
	}
	return x
}

// otherCall compiles a column at a point, and reports a call of nothing, with the form in which the language says it where there is one.
func otherCall(p *names.Pass, e *dsl.Call, sc *names.Scope) *tree.Node {
	name := e.Fun.Name
	if name == rootWord {
		if n := root(p, e, sc); n == nil || n.Number() {
			return n
		}
	}
	forms := map[string]string{
		"abs": "|e|", "max": "max {a, b}", "sum": "sum {a, b}", tree.MeanWord: "mean {a, b}", "min": "max {a, b}; min need not be convex",
		"relu": "pos(e)", "sqrt": "hypot(a, b) for the root of a sum of squares", "rms": "rms over x of e", "norm": "norm(p) over x of e",
	}
	_, isMap := p.PointMap(name)
	_, isDomain := p.Domain(name)
	switch {
	case forms[name] != "":
		d := p.Report(&diag.Diagnostic{Code: codes.UndefinedName, Subject: e.Fun.Span(), Summary: name + " is no function of the language", Mend: "Write " + forms[name] + "."})
		p.MendBy(d, "write "+forms[name], func(*dsl.Invariance) [][]diag.Edit { return edit.Meant(e) })
	case isMap != nil:
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: name + " is a transformation of points, not a function of f", Mend: "Write f(" + tree.Text(e) + "), or max over t in {" + tree.Text(e) + "} of |f(t(x)) - f(x)|."})
	case isDomain != nil:
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: name + " is an index set, not a function of f", Mend: "Write max over " + tree.Text(e) + " of …."})
	default:
		known := append(append(tree.SortedKeys(p.Decls.Defs), Functions...), sc.Names()...)
		if n, ok := columnCall(p, e, append(known, tree.SortedKeys(forms)...), sc); ok {
			return n
		}
		p.Uncallable(e.Fun, known)
	}
	return nil
}

func parameters(d *names.Definition) []plugins.Arg {
	schema := make([]plugins.Arg, len(d.Decl.Params))
	for i, id := range d.Decl.Params {
		schema[i].Name = id.Name
	}
	return schema
}

// inline replaces a call of a definition by its body.
func inline(p *names.Pass, d *names.Definition, e *dsl.Call, sc *names.Scope) *tree.Node {
	name := e.Fun.Name
	schema := parameters(d)
	given := make([]*dsl.Arg, len(schema))
	if !values.Assign(p, schema, name, e.Args, given) {
		return nil
	}
	inner := sc
	for i := range schema {
		if given[i] == nil {
			p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: e.Span(), Summary: fmt.Sprintf("%s needs %s", name, schema[i].Name), Mend: "It is " + values.Signature(name, schema) + "."})
			return nil
		}
		inner = inner.Bind(schema[i].Name, names.Binding{Argument: &names.Argument{Expr: given[i].Value, Scope: sc, Inlined: p.Inlined}})
	}
	outer := p.Inlined
	var n *tree.Node
	values.Expand(p, d.Decl, e.Fun, func() bool {
		p.Inlined = &tree.Inlining{Name: name, Syntax: e, Call: e.Span(), Family: d.Family, Source: d.Source, Up: outer}
		n = Expr(p, d.Decl.Body, inner)
		return n != nil
	})
	p.Inlined = outer
	return n
}

// aggregate compiles `max {a, b}`.
func aggregate(p *names.Pass, e *dsl.Aggregate, sc *names.Scope) *tree.Node {
	n := aggregation(p, e.Op, sc)
	if n == nil {
		return nil
	}
	n.From = p.Origin(e)
	if len(e.Set.Elems) == 0 {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Set.Span(), Summary: e.Op.Name + " of nothing"})
		return nil
	}
	return parts(p, n, e.Set.Elems, sc)
}

// parts fills in the parts of an operation on several, and folds it where all are numbers.
func parts(p *names.Pass, n *tree.Node, elems []dsl.Expr, sc *names.Scope) *tree.Node {
	ok, numbers := true, true
	n.Data = true
	for _, e := range elems {
		k := Expr(p, e, sc)
		ok = ok && k != nil
		numbers = numbers && k != nil && k.Op == tree.OpConst
		n.Data = n.Data && k != nil && k.Number()
		n.Kids = append(n.Kids, k)
	}
	if !ok {
		return judgeApart(p, n.Kids...)
	}
	if len(elems) == 0 {
		p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: n.From.Span, Summary: n.Word + " of nothing"})
		return nil
	}
	if numbers {
		v := make([]float64, len(n.Kids))
		for i, k := range n.Kids {
			v[i] = k.Num
		}
		n.Data = false
		return folded(p, n.From, n.Combined(v))
	}
	return n
}

// judgeApart judges the sound parts of an expression of which another part is faulty: what is wrong in them is wrong whatever that
// one is meant to be. The expression itself is not known.
func judgeApart(p *names.Pass, parts ...*tree.Node) *tree.Node {
	for _, n := range parts {
		if n != nil {
			j := Judge(p)
			j.Proves(n)
			Tell(p, j.Found)
		}
	}
	return nil
}

// aggregation is the node of max, sum, mean, rms, norm(p), top(k) or min, without parts.
func aggregation(p *names.Pass, agg *dsl.Agg, sc *names.Scope) *tree.Node {
	n := &tree.Node{Word: agg.Name}
	switch agg.Name {
	case "max":
		n.Op = tree.OpMax
	case "min":
		n.Op = tree.OpMin
	case "sum":
		n.Op = tree.OpSum
	case tree.MeanWord:
		n.Op = tree.OpMean
	case "rms":
		n.Op, n.P, n.Mean = tree.OpNorm, 2, true
	case tree.NormWord, "top":
		return aggregationOf(p, n, agg, sc)
	default:
		p.Report(&diag.Diagnostic{Code: codes.UndefinedName, Subject: agg.Span(), Summary: agg.Name + " is no aggregation", Mend: "Known here: max, sum, mean, rms, norm(p), top(k)."})
		return nil
	}
	return n
}

// leastNorm and mostNorm bound the p of a norm. Beyond them it differs from sum and max by less than two parts in 10⁵ for a million elements.
const leastNorm, mostNorm = 1.000001, 1e6

func aggregationOf(p *names.Pass, n *tree.Node, agg *dsl.Agg, sc *names.Scope) *tree.Node {
	at := agg.Span()
	if agg.Arg == nil {
		p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: at, Summary: agg.Name + " needs a number", Mend: "Write norm(3) or top(5)."})
		return nil
	}
	q, ok := values.Quantity(p, agg.Arg, sc)
	if !ok {
		return nil
	}
	n.Word = agg.Name + "(" + tree.Text(agg.Arg) + ")"
	switch {
	case q.Unit != tree.NoUnit:
		p.Report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: agg.Arg.Span(), Summary: "a plain number is wanted here"})
	case agg.Name == tree.NormWord && (q.Value == 1 || q.Value >= leastNorm && q.Value <= mostNorm):
		n.Op, n.P = tree.OpNorm, q.Value
		return n
	case agg.Name == tree.NormWord && q.Value > 1:
		p.Report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("norm(%v) cannot be told from sum or max in floating point", q),
			Mend: fmt.Sprintf("Write sum or max, or a norm between %v and %v.", leastNorm, mostNorm),
		})
	case agg.Name == tree.NormWord:
		p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("norm(%v) is not convex", q), Detail: "A p-norm is convex for p ≥ 1 alone."})
	case q.Value >= 1 && q.Value == math.Trunc(q.Value) && q.Value <= math.MaxInt32:
		n.Op, n.K = tree.OpTop, int(q.Value)
		return n
	case q.Value > math.MaxInt32:
		p.Report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("top(%v) asks for more parts than any index set has", q),
			Detail: "The sum of all parts is sum.", Mend: "Write sum, or a number up to 2³¹ − 1.",
		})
	default:
		p.Report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("top(%v): the number of largest parts is a whole number from 1", q),
			Mend: "Write a whole number, such as top(5).",
		})
	}
	return nil
}

// quantified compiles `max over BINDER, … where COND of BODY`.
func quantified(p *names.Pass, e *dsl.Quant, sc *names.Scope) *tree.Node {
	n := aggregation(p, e.Op, sc)
	q := &tree.Quantifier{}
	inner := bindAll(p, q, append([]*dsl.Binder{e.Bind}, e.More...), sc)
	if inner == nil {
		return nil // what the body says of the variables cannot be judged
	}
	ok := n != nil
	if e.Where != nil {
		q.Where = condition(p, e.Where, inner)
		ok = ok && q.Where != nil
	}
	body := Expr(p, e.Body, inner)
	if body == nil || !ok {
		return judgeApart(p, body)
	}
	n.Quant, n.Kids, n.From = q, []*tree.Node{body}, p.Origin(e)
	if body.Number() {
		constantBody(p, n, e)
		return nil
	}
	bindParameters(q, body)
	if n.Op == tree.OpTop && slices.ContainsFunc(q.Axes, func(a *tree.Axis) bool { return a.Kind == tree.PathAxis }) {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongBinder, Subject: e.Op.Span(), Summary: fmt.Sprintf("%s counts the largest parts, and the path has no number of them", n.Word),
			Mend: "Bind the path's parameter inside: " + n.Word + " over pairs of max over λ in [0, 1] of ….",
		})
		return nil
	}
	return n
}

// bindParameters adds the paths that the quantifier's domains bring and that nobody within has bound.
func bindParameters(q *tree.Quantifier, body *tree.Node) {
	for _, a := range slices.Clone(q.Axes) {
		if a.Path == nil || a.Kind == tree.PathAxis {
			continue
		}
		if own := a.Path; body.DependsOn([]*tree.Axis{own}) {
			q.Axes = append(q.Axes, own)
		}
	}
}
