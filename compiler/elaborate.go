package compiler

import (
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/edit"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// maxNodes bounds the parts of all invariances together, definitions replaced by their bodies.
const maxNodes = 100_000

// functions are the calls that the language itself offers in expressions.
var functions = []string{"f", "pos", "hypot"}

// origin is the origin of an expression met now.
func (p *pass) origin(e dsl.Expr) tree.Origin {
	return tree.Origin{Span: e.Span(), Syntax: e, Inlined: p.inlined}
}

// expr resolves the names of an expression and checks its types. It is nil where the expression is faulty, which has been
// reported then.
func (p *pass) expr(e dsl.Expr, sc *scope) *tree.Node {
	if p.nodes++; p.nodes > maxNodes {
		if p.nodes == maxNodes+1 {
			p.report(&diag.Diagnostic{Code: codes.TooLarge, Subject: e.Span(), Summary: "the invariances are too long", Detail: fmt.Sprintf("With all definitions replaced by their bodies, they have more than %d parts.", maxNodes)})
		}
		return nil
	}
	switch e := e.(type) {
	case *dsl.Paren:
		return p.expr(e.X, sc)
	case *dsl.Number:
		if e.Unit != tree.NoUnit {
			p.report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: e.Span(), Summary: tree.Text(e) + " has a unit, and stands where a plain number is wanted"})
			return nil
		}
		return p.constant(e, e.Value)
	case *dsl.Neg:
		return p.negate(e, p.expr(e.X, sc))
	case *dsl.Binary:
		return p.binary(e, sc)
	case *dsl.Abs:
		return p.unary(tree.OpAbs, "|…|", e, e.X, sc)
	case *dsl.Ident:
		return p.ident(e, sc)
	case *dsl.Call:
		return p.call(e, sc)
	case *dsl.Deriv:
		return p.derivative(e, sc)
	case *dsl.Aggregate:
		return p.aggregate(e, sc)
	case *dsl.Quant:
		return p.quantified(e, sc)
	}
	p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is no function of f", Mend: "Ask f for its value, f(x) or f(label), or for a derivative, d/d(column) f."})
	return nil
}

func (p *pass) constant(e dsl.Expr, v float64) *tree.Node {
	return &tree.Node{Op: tree.OpConst, Num: v, From: p.origin(e)}
}

func (p *pass) negate(e dsl.Expr, x *tree.Node) *tree.Node {
	switch {
	case x == nil:
		return nil
	case x.Op == tree.OpConst:
		return p.constant(e, -x.Num)
	case x.Data:
		return tree.Calculated(tree.OpNeg, p.origin(e), x)
	}
	return &tree.Node{Op: tree.OpNeg, Kids: []*tree.Node{x}, From: p.origin(e)}
}

func (p *pass) unary(o tree.Op, word string, e, x dsl.Expr, sc *scope) *tree.Node {
	n := p.expr(x, sc)
	switch {
	case n == nil:
		return nil
	case n.Op == tree.OpConst && o == tree.OpAbs:
		return p.constant(e, math.Abs(n.Num))
	case n.Op == tree.OpConst:
		return p.constant(e, max(n.Num, 0))
	case n.Data:
		return tree.Calculated(o, p.origin(e), n)
	}
	return &tree.Node{Op: o, Word: word, Kids: []*tree.Node{n}, From: p.origin(e)}
}

func (p *pass) binary(e *dsl.Binary, sc *scope) *tree.Node {
	switch e.Op {
	case "+", "-", "*", "/":
	default:
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: "a condition stands where a function of f is wanted", Mend: "Conditions stand after where."})
		return nil
	}
	if p.leibniz(e) {
		return nil
	}
	x, y := p.operands(e, sc)
	if x == nil || y == nil {
		return nil
	}
	from := p.origin(e)
	if x.Op == tree.OpConst && y.Op == tree.OpConst {
		q, _ := tree.Combine(e.Op, tree.Quantity{Value: x.Num}, tree.Quantity{Value: y.Num})
		return p.folded(from, q.Value)
	}
	switch e.Op {
	case "+":
		return tree.Joined(tree.OpAdd, x, y, from)
	case "-":
		return tree.Joined(tree.OpAdd, x, p.minus(e, y), from)
	case "*":
		return tree.Product(x, y, from)
	}
	return p.quotient(e, x, y)
}

func (p *pass) quotient(e *dsl.Binary, x, y *tree.Node) *tree.Node {
	from := p.origin(e)
	switch {
	case y.Op == tree.OpConst && y.Num == 0:
		p.report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Y.Span(), Summary: "division by zero"})
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
func (p *pass) folded(from tree.Origin, v float64) *tree.Node {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		p.reportAt(from, &diag.Diagnostic{Code: codes.OutOfRange, Summary: tree.Text(from.Syntax) + " is no finite number"})
		return nil
	}
	return &tree.Node{Op: tree.OpConst, Num: v, From: from}
}

// operands compiles both sides. Where one is faulty, the other is judged by itself; one is nil then.
func (p *pass) operands(e *dsl.Binary, sc *scope) (x, y *tree.Node) {
	pointless := p.noPoint
	x, y = p.partOf(e, e.X, sc), p.partOf(e, e.Y, sc)
	switch {
	case p.noPoint != pointless: // how far the quantifier before is to reach is not known
	case x == nil && y != nil && e.Op == "-":
		p.judgeApart(p.minus(e, y))
	case x == nil || y == nil:
		p.judgeApart(x, y)
	}
	return x, y
}

// minus negates the second part of a difference; its place is the part with the sign.
func (p *pass) minus(e *dsl.Binary, y *tree.Node) *tree.Node {
	n := p.negate(e.Y, y)
	n.Difference = e
	n.From.Span = e.OpPos.To(e.Y.Span())
	if y.Op == tree.OpConst {
		n.From.Span = e.Y.Span()
	}
	return n
}

// ident resolves a bare name: f, an argument, a number, or another invariance.
func (p *pass) ident(id *dsl.Ident, sc *scope) *tree.Node {
	if b := sc.lookup(id.Name); b != nil {
		if b.argument != nil {
			if n, ok := p.givenColumn(id, b.argument, sc); ok {
				return n
			}
			return p.inArgument(b.argument, func(a *argument) *tree.Node { return p.expr(a.expr, a.scope) })
		}
		if b.variable.Kind == tree.ParamVar || b.variable.Kind == tree.WeightVar {
			return &tree.Node{Op: tree.OpDatum, Data: true, Datum: &tree.Datum{Of: b.variable}, From: p.origin(id)}
		}
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: fmt.Sprintf("%s is %s, not a function of f", tree.Greek(shown(id)), b.variable.Kind), Mend: "Write f(" + shown(id) + ")."})
		return nil
	}
	switch {
	case id.Name == "f":
		return p.leaf(id, nil, sc)
	case p.decls.invariance[id.Name] != nil:
		inv := p.decls.invariance[id.Name]
		var n *tree.Node
		p.expand(inv, id, func() bool { n = p.expr(inv.Body, nil); return n != nil })
		return n
	case id.Name == tree.AutoWord:
		_, _ = p.autoValue(id)
		return nil
	case id.Name == tree.OfMedian:
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: "median stands outside of a kernel's width", Detail: "It is the median distance between training rows."})
		return nil
	case p.decls.lets[id.Name] != nil || p.decls.defs[id.Name] == nil && !p.isLabel(id.Name):
		return p.letNumber(id, sc)
	case p.isLabel(id.Name):
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: shown(id) + " is a label, not a function of f", Mend: "Write f(" + shown(id) + ")."})
		return nil
	}
	d := p.decls.defs[id.Name]
	p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: id.Name + " is a definition and needs its arguments", Mend: "Write " + signature(id.Name, parameters(d)) + "."})
	return nil
}

func (p *pass) isLabel(name string) bool {
	return slices.Contains(p.out.Data.Target.Names, name) && p.out.Data.Target.Task == setting.Multilabel
}

func (p *pass) letNumber(id *dsl.Ident, sc *scope) *tree.Node {
	if p.decls.lets[id.Name] == nil {
		known := append(append(append(tree.SortedKeys(p.decls.lets), tree.SortedKeys(p.decls.defs)...), functions...), sc.names()...)
		for _, name := range tree.SortedKeys(p.decls.invariance) {
			if p.decls.invariance[name].Span() != p.decl { // which cannot stand in itself
				known = append(known, name)
			}
		}
		if n, ok := p.bareColumn(id, known, sc); ok {
			return n
		}
		p.undefined(id, known)
		return nil
	}
	q, ok := p.namedQuantity(id, sc)
	if !ok {
		return nil
	}
	if q.Unit != tree.NoUnit {
		p.report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: id.Span(), Summary: fmt.Sprintf("%s is %s, and stands where a plain number is wanted", id.Name, q)})
		return nil
	}
	return p.constant(id, q.Value)
}

// inArgument evaluates a definition's argument where it was written.
func (p *pass) inArgument(a *argument, f func(*argument) *tree.Node) *tree.Node {
	inlined := p.inlined
	p.inlined = a.inlined
	n := f(a)
	p.inlined = inlined
	return n
}

func (p *pass) call(e *dsl.Call, sc *scope) *tree.Node {
	name := e.Fun.Name
	switch name {
	case "f":
		return p.leaf(e, e.Args, sc)
	case "pos":
		if x := p.only(e, "pos(e)"); x != nil {
			return p.unary(tree.OpPos, "pos", e, x, sc)
		}
		return nil
	case "hypot":
		return p.parts(&tree.Node{Op: tree.OpNorm, P: 2, Word: "hypot", From: p.origin(e)}, argValues(e.Args), sc)
	case tree.GridWord:
		q, ok := p.gridValue(e, sc)
		if !ok || q.Unit != tree.NoUnit {
			if ok {
				p.report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: e.Span(), Summary: "a plain number is wanted here"})
			}
			return nil
		}
		return p.constant(e, q.Value)
	}
	if def := p.decls.defs[name]; def != nil {
		return p.inline(def, e, sc)
	}
	return p.otherCall(e, sc)
}

func argValues(args []*dsl.Arg) []dsl.Expr {
	values := make([]dsl.Expr, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	return values
}

func (p *pass) only(e *dsl.Call, form string) dsl.Expr {
	if len(e.Args) != 1 || e.Args[0].Name != nil {
		p.report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: e.Span(), Summary: fmt.Sprintf("%s takes 1 argument", e.Fun.Name), Mend: "It is " + form + "."})
		return nil
	}
	return e.Args[0].Value
}

// otherCall compiles a column at a point, and reports a call of nothing, with the form in which the language says it where there is one.
func (p *pass) otherCall(e *dsl.Call, sc *scope) *tree.Node {
	name := e.Fun.Name
	if name == rootWord {
		if n := p.root(e, sc); n == nil || n.Number() {
			return n
		}
	}
	forms := map[string]string{
		"abs": "|e|", "max": "max {a, b}", "sum": "sum {a, b}", tree.MeanWord: "mean {a, b}", "min": "max {a, b}; min need not be convex",
		"relu": "pos(e)", "sqrt": "hypot(a, b) for the root of a sum of squares", "rms": "rms over x of e", "norm": "norm(p) over x of e",
	}
	_, isMap := p.pointMap(name)
	_, isDomain := p.domain(name)
	switch {
	case forms[name] != "":
		d := p.report(&diag.Diagnostic{Code: codes.UndefinedName, Subject: e.Fun.Span(), Summary: name + " is no function of the language", Mend: "Write " + forms[name] + "."})
		p.mendBy(d, "write "+forms[name], func(*dsl.Invariance) [][]diag.Edit { return edit.Meant(e) })
	case isMap != nil:
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: name + " is a transformation of points, not a function of f", Mend: "Write f(" + tree.Text(e) + "), or max over t in {" + tree.Text(e) + "} of |f(t(x)) - f(x)|."})
	case isDomain != nil:
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: name + " is an index set, not a function of f", Mend: "Write max over " + tree.Text(e) + " of …."})
	default:
		known := append(append(tree.SortedKeys(p.decls.defs), functions...), sc.names()...)
		if n, ok := p.columnCall(e, append(known, tree.SortedKeys(forms)...), sc); ok {
			return n
		}
		p.uncallable(e.Fun, known)
	}
	return nil
}

func parameters(d *definition) []plugins.Arg {
	schema := make([]plugins.Arg, len(d.decl.Params))
	for i, id := range d.decl.Params {
		schema[i].Name = id.Name
	}
	return schema
}

// inline replaces a call of a definition by its body.
func (p *pass) inline(d *definition, e *dsl.Call, sc *scope) *tree.Node {
	name := e.Fun.Name
	schema := parameters(d)
	given := make([]*dsl.Arg, len(schema))
	if !p.assign(schema, name, e.Args, given) {
		return nil
	}
	inner := sc
	for i := range schema {
		if given[i] == nil {
			p.report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: e.Span(), Summary: fmt.Sprintf("%s needs %s", name, schema[i].Name), Mend: "It is " + signature(name, schema) + "."})
			return nil
		}
		inner = inner.bind(schema[i].Name, binding{argument: &argument{expr: given[i].Value, scope: sc, inlined: p.inlined}})
	}
	outer := p.inlined
	var n *tree.Node
	p.expand(d.decl, e.Fun, func() bool {
		p.inlined = &tree.Inlining{Name: name, Syntax: e, Call: e.Span(), Family: d.family, Source: d.source, Up: outer}
		n = p.expr(d.decl.Body, inner)
		return n != nil
	})
	p.inlined = outer
	return n
}

// aggregate compiles `max {a, b}`.
func (p *pass) aggregate(e *dsl.Aggregate, sc *scope) *tree.Node {
	n := p.aggregation(e.Op, sc)
	if n == nil {
		return nil
	}
	n.From = p.origin(e)
	if len(e.Set.Elems) == 0 {
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Set.Span(), Summary: e.Op.Name + " of nothing"})
		return nil
	}
	return p.parts(n, e.Set.Elems, sc)
}

// parts fills in the parts of an operation on several, and folds it where all are numbers.
func (p *pass) parts(n *tree.Node, elems []dsl.Expr, sc *scope) *tree.Node {
	ok, numbers := true, true
	n.Data = true
	for _, e := range elems {
		k := p.expr(e, sc)
		ok = ok && k != nil
		numbers = numbers && k != nil && k.Op == tree.OpConst
		n.Data = n.Data && k != nil && k.Number()
		n.Kids = append(n.Kids, k)
	}
	if !ok {
		return p.judgeApart(n.Kids...)
	}
	if len(elems) == 0 {
		p.report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: n.From.Span, Summary: n.Word + " of nothing"})
		return nil
	}
	if numbers {
		v := make([]float64, len(n.Kids))
		for i, k := range n.Kids {
			v[i] = k.Num
		}
		n.Data = false
		return p.folded(n.From, n.Combined(v))
	}
	return n
}

// judgeApart judges the sound parts of an expression of which another part is faulty: what is wrong in them is wrong whatever that
// one is meant to be. The expression itself is not known.
func (p *pass) judgeApart(parts ...*tree.Node) *tree.Node {
	for _, n := range parts {
		if n != nil {
			j := p.judge()
			j.Proves(n)
			p.tell(j.Found)
		}
	}
	return nil
}

// aggregation is the node of max, sum, mean, rms, norm(p), top(k) or min, without parts.
func (p *pass) aggregation(agg *dsl.Agg, sc *scope) *tree.Node {
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
		return p.aggregationOf(n, agg, sc)
	default:
		p.report(&diag.Diagnostic{Code: codes.UndefinedName, Subject: agg.Span(), Summary: agg.Name + " is no aggregation", Mend: "Known here: max, sum, mean, rms, norm(p), top(k)."})
		return nil
	}
	return n
}

// leastNorm and mostNorm bound the p of a norm. Beyond them it differs from sum and max by less than two parts in 10⁵ for a million elements.
const leastNorm, mostNorm = 1.000001, 1e6

func (p *pass) aggregationOf(n *tree.Node, agg *dsl.Agg, sc *scope) *tree.Node {
	at := agg.Span()
	if agg.Arg == nil {
		p.report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: at, Summary: agg.Name + " needs a number", Mend: "Write norm(3) or top(5)."})
		return nil
	}
	q, ok := p.quantity(agg.Arg, sc)
	if !ok {
		return nil
	}
	n.Word = agg.Name + "(" + tree.Text(agg.Arg) + ")"
	switch {
	case q.Unit != tree.NoUnit:
		p.report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: agg.Arg.Span(), Summary: "a plain number is wanted here"})
	case agg.Name == tree.NormWord && (q.Value == 1 || q.Value >= leastNorm && q.Value <= mostNorm):
		n.Op, n.P = tree.OpNorm, q.Value
		return n
	case agg.Name == tree.NormWord && q.Value > 1:
		p.report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("norm(%v) cannot be told from sum or max in floating point", q),
			Mend: fmt.Sprintf("Write sum or max, or a norm between %v and %v.", leastNorm, mostNorm),
		})
	case agg.Name == tree.NormWord:
		p.report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("norm(%v) is not convex", q), Detail: "A p-norm is convex for p ≥ 1 alone."})
	case q.Value >= 1 && q.Value == math.Trunc(q.Value) && q.Value <= math.MaxInt32:
		n.Op, n.K = tree.OpTop, int(q.Value)
		return n
	case q.Value > math.MaxInt32:
		p.report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("top(%v) asks for more parts than any index set has", q),
			Detail: "The sum of all parts is sum.", Mend: "Write sum, or a number up to 2³¹ − 1.",
		})
	default:
		p.report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("top(%v): the number of largest parts is a whole number from 1", q),
			Mend: "Write a whole number, such as top(5).",
		})
	}
	return nil
}

// quantified compiles `max over BINDER, … where COND of BODY`.
func (p *pass) quantified(e *dsl.Quant, sc *scope) *tree.Node {
	n := p.aggregation(e.Op, sc)
	q := &tree.Quantifier{}
	inner := p.bindAll(q, append([]*dsl.Binder{e.Bind}, e.More...), sc)
	if inner == nil {
		return nil // what the body says of the variables cannot be judged
	}
	ok := n != nil
	if e.Where != nil {
		q.Where = p.condition(e.Where, inner)
		ok = ok && q.Where != nil
	}
	body := p.expr(e.Body, inner)
	if body == nil || !ok {
		return p.judgeApart(body)
	}
	n.Quant, n.Kids, n.From = q, []*tree.Node{body}, p.origin(e)
	if body.Number() {
		p.constantBody(n, e)
		return nil
	}
	p.bindParameters(q, body)
	if n.Op == tree.OpTop && slices.ContainsFunc(q.Axes, func(a *tree.Axis) bool { return a.Kind == tree.PathAxis }) {
		p.report(&diag.Diagnostic{
			Code: codes.WrongBinder, Subject: e.Op.Span(), Summary: fmt.Sprintf("%s counts the largest parts, and the path has no number of them", n.Word),
			Mend: "Bind the path's parameter inside: " + n.Word + " over pairs of max over λ in [0, 1] of ….",
		})
		return nil
	}
	return n
}

// bindParameters adds the paths that the quantifier's domains bring and that nobody within has bound.
func (p *pass) bindParameters(q *tree.Quantifier, body *tree.Node) {
	for _, a := range slices.Clone(q.Axes) {
		if a.Path == nil || a.Kind == tree.PathAxis {
			continue
		}
		if own := a.Path; body.DependsOn([]*tree.Axis{own}) {
			q.Axes = append(q.Axes, own)
		}
	}
}
