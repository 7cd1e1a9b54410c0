// Package elaborate makes trees of expressions. It resolves names, checks types, and puts the bodies of
// definitions in place of calls.
//
// An expression is read in a scope Γ and becomes a function n of the functionals of f, Γ ⊢ e ⇝ n. Four rules
// carry the package.
//
// Definitions. The body of a definition is read where the definition stands, its arguments where the call
// stands:
//
//	def g(a) = e      Γ₀, a ↦ (d, Γ) ⊢ e ⇝ n
//	────────────────────────────────────────
//	            Γ ⊢ g(d) ⇝ n
//
// So no variable of a body captures one of an argument. An argument keeps its scope with it (names.Argument)
// and is compiled again wherever the body uses it. With
//
//	def gap(a, b) = rms over x of |f(a) - f(b)|
//
// the call gap(cat, dog) is rms over x of |f(x, cat) - f(x, dog)|, also under a quantifier that binds another x.
// A definition that calls itself is refused, so that replacing ends.
//
// Quantifiers. A quantifier extends the scope by what its index set binds, and marks its points ⟨x⟩:
//
//	Γ, x : point of D, ⟨x⟩ ⊢ e ⇝ n
//	──────────────────────────────────────────
//	Γ ⊢ AGG over x in D of e ⇝ AGG_{x ∈ D} n
//
// Points. A bare f is f(x) at the innermost points ⟨x⟩, if there is exactly one. An f under no quantifier is
// at no point and is refused, as is one under a quantifier over pairs of rows, which binds two.
//
// Numbers. An expression without f is a number. Either it is known now, and is folded. Or the data
// decide it, as they do a column, a weight of an edge or a place on a path (tree.OpDatum). It is
// then a factor, and grounding works it out element by element. Numbers never end an invariance: R
// is a function of f.
//
// Statements. The region of a requirement extends the scope as a quantifier does, but nothing is aggregated
// over it:
//
//	Γ, x : point of B, ⟨x⟩ ⊢ e₁ ⇝ n₁      Γ, x : point of B, ⟨x⟩ ⊢ e₂ ⇝ n₂
//	─────────────────────────────────────────────────────────────────────
//	Γ ⊢ require e₁ <= e₂ over x in B ⇝ {f : n₁ − n₂ ≤ 0 for all x ∈ B}
//
// Only there may an index set be a box, with infinitely many points, and may numbers stand beside f.
//
// What cannot be read is reported where it stands, once. The result is nil then, and whoever gets a nil
// reports nothing. Sound parts of a faulty expression are judged by themselves, since nothing that the faulty
// part may be meant to be would mend them. Suggested mends are tried before they are offered; see mend.go of
// package compiler.
//
// What the language offers stands in docs/language.md under Expressions, Index sets and Transformations.
// Whether a tree is convex in f, package calculus proves.
package elaborate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/edit"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// maxNodes bounds the parts of all invariances together, definitions replaced by their bodies. A
// chain of definitions that each call the one before twice doubles the text line by line. The bound
// makes that an error, which is better than minutes of silence.
const maxNodes = 100_000

// Functions are the calls that the language itself offers in expressions. All others are
// definitions.
var Functions = []string{"f", "pos", "hypot"}

// Expr resolves the names of an expression and checks its types. Nil means that the expression is
// faulty, which has been reported then.
//
// An expression is a function of f or a number. Conditions, index sets, transformations and texts
// are none: they stand where their own functions read them, and are refused here. The error is
// codes.WrongType. An invariance that is too long is codes.TooLarge, once for the spec.
func Expr(p *names.Pass, e dsl.Expr, sc *names.Scope) *tree.Node {
	if !fits(p, e) {
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
		return made(p, &tree.Node{Op: tree.OpNeg, From: p.Origin(e)}, Expr(p, e.X, sc))
	case *dsl.Binary:
		return binary(p, e, sc)
	case *dsl.Abs:
		return made(p, &tree.Node{Op: tree.OpAbs, Word: "|…|", From: p.Origin(e)}, Expr(p, e.X, sc))
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
	case *dsl.String:
		if len(sc.Innermost()) > 0 { // a column, as in "living area" * f
			return columnNumber(p, e, e.Value, nil, sc)
		}
	}
	return noFunction(p, e)
}

// noFunction reports what is not a function of f where one is wanted. A call of a call is a moved point, or f with its label apart.
func noFunction(p *names.Pass, e dsl.Expr) *tree.Node {
	d := &diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is not a function of f", Mend: "Ask f for its value, f(x) or f(label), or for a derivative, d/d(column) f."}
	if of, ok := e.(*dsl.Apply); ok {
		d.Mend = "Write f(" + tree.Text(e) + "); for a product write *."
		if of.Map.Fun.Name == "f" {
			d.Mend = "f takes a point and a label together: f(x, label)."
		}
	}
	p.Report(d)
	return nil
}

// fits counts one more part of the invariances, and returns false where there are too many. That is
// reported once (codes.TooLarge).
func fits(p *names.Pass, e dsl.Expr) bool {
	if p.Nodes++; p.Nodes == maxNodes+1 {
		p.Report(&diag.Diagnostic{Code: codes.TooLarge, Subject: e.Span(), Summary: "the invariances are too long", Detail: fmt.Sprintf("With all definitions replaced by their bodies, they have more than %d parts.", maxNodes)})
	}
	return p.Nodes <= maxNodes
}

// constant returns a number that is known now.
func constant(p *names.Pass, e dsl.Expr, v float64) *tree.Node {
	return &tree.Node{Op: tree.OpConst, Num: v, From: p.Origin(e)}
}

// made completes an operation by its parts. Numbers are folded where they are known, so that -2 is a
// number wherever 2 may stand; only what holds f is left to the calculus. Nil means that a part is
// faulty, or that the number is not finite, which is reported.
func made(p *names.Pass, n *tree.Node, kids ...*tree.Node) *tree.Node {
	if slices.Contains(kids, nil) {
		return nil
	}
	n = tree.Operation(n, kids...)
	if math.IsInf(n.Num, 0) || math.IsNaN(n.Num) {
		p.ReportAt(n.From, &diag.Diagnostic{Code: codes.OutOfRange, Summary: tree.Text(n.From.Syntax) + " is not a finite number"})
		return nil
	}
	return n
}

// binary compiles a sum, a difference, a product or a quotient. Two known numbers fold to one. All
// else keeps its form: whether a product is linear in f is for the calculus to judge, which can
// then say why it is not. Comparisons are refused with codes.WrongType: they choose elements and
// have no value.
func binary(p *names.Pass, e *dsl.Binary, sc *names.Scope) *tree.Node {
	switch e.Op {
	case "+", "-", "*", "/":
	default:
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: "a condition stands where a function of f is wanted", Mend: "Conditions stand after where."})
		return nil
	}
	if leibniz(p, e) || afterQuantifier(p, e, sc) {
		return nil
	}
	x, y := operands(p, e, sc)
	if x == nil || y == nil {
		return nil
	}
	n, numbers := &tree.Node{Op: tree.OpAdd, From: p.Origin(e)}, x.Op == tree.OpConst && y.Op == tree.OpConst
	switch e.Op {
	case "-":
		y = minus(p, e, y)
	case "*":
		if n.Op = tree.OpMul; !numbers {
			return tree.Product(x, y, n.From)
		}
	case "/":
		if n.Op = tree.OpDiv; !numbers {
			return quotient(p, e, x, y)
		}
	}
	return made(p, n, x, y)
}

// quotient compiles x / y. By a known number it is a scaling by 1/y, and by a number of the data
// one by 1/y, which grounding works out row by row. What is left is a quotient by something that
// holds f, or of numbers of the data. Division by a zero that is known is codes.OutOfRange; by one
// of the data, grounding refuses it at the row.
func quotient(p *names.Pass, e *dsl.Binary, x, y *tree.Node) *tree.Node {
	from := p.Origin(e)
	switch {
	case y.Op == tree.OpConst && y.Num == 0:
		p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Y.Span(), Summary: "division by zero"})
		return nil
	case y.Data && !x.Number():
		one := &tree.Node{Op: tree.OpConst, Num: 1, From: y.From}
		return tree.Product(tree.Operation(&tree.Node{Op: tree.OpDiv, From: y.From}, one, y), x, from)
	case y.Op != tree.OpConst || x.Data:
		return tree.Operation(&tree.Node{Op: tree.OpDiv, From: from}, x, y)
	}
	return &tree.Node{Op: tree.OpScale, Num: 1 / y.Num, Kids: []*tree.Node{x}, From: from}
}

// operands compiles both sides. Where one is faulty, the other is judged by itself and the faulty
// one is nil. An f at no point is an exception: brackets that are missing may decide what the other
// side is.
func operands(p *names.Pass, e *dsl.Binary, sc *names.Scope) (x, y *tree.Node) {
	pointless := p.NoPoint
	x, y = Expr(p, e.X, sc), Expr(p, e.Y, sc)
	switch {
	case p.NoPoint != pointless: // how far the quantifier before is to reach is not known
	case x == nil && y != nil && e.Op == "-":
		judgeApart(p, minus(p, e, y))
	case x == nil || y == nil:
		judgeApart(p, x, y)
	}
	return x, y
}

// minus negates the second part of a difference. Its place is the part with the sign, as a proof
// shows -f(b) and not f(b) there.
func minus(p *names.Pass, e *dsl.Binary, y *tree.Node) *tree.Node {
	n := made(p, &tree.Node{Op: tree.OpNeg, From: p.Origin(e.Y)}, y)
	n.Difference = e
	n.From.Span = e.OpPos.To(e.Y.Span())
	if y.Op == tree.OpConst {
		n.From.Span = e.Y.Span()
	}
	return n
}

// ident resolves a bare name: f, an argument, a number, or another invariance. A name that
// quantifiers or definitions bind comes first, then the words of the language, the invariances and
// the lets. A label or a definition may bear the name, too; then the error says how it is written.
// Variables are codes.WrongType, but for parameters of paths and weights of edges, which are
// numbers of the data.
func ident(p *names.Pass, id *dsl.Ident, sc *names.Scope) *tree.Node {
	if b := sc.Lookup(id.Name); b != nil {
		if b.Argument != nil {
			if n, ok := givenColumn(p, id, b.Argument, sc); ok {
				return n
			}
			return inArgument(p, b.Argument, func(p *names.Pass, a *names.Argument) *tree.Node { return Expr(p, a.Expr, a.Scope) })
		}
		if b.Variable.Kind == tree.ParamVar || b.Variable.Kind == tree.WeightVar {
			return &tree.Node{Op: tree.OpDatum, Data: true, Datum: &tree.Datum{Of: b.Variable}, From: p.Origin(id)}
		}
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: fmt.Sprintf("%s is %s, not a function of f", tree.Greek(names.Shown(id)), b.Variable.Kind), Mend: asFunction(b.Variable, names.Shown(id))})
		return nil
	}
	switch {
	case id.Name == "f":
		return leaf(p, id, nil, sc)
	case unseen(p, id, sc):
		return nil
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
	p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: id.Name + " is a definition and needs its arguments", Mend: "Write " + values.Signature(id.Name, names.Parameters(d.Decl)) + "."})
	return nil
}

// asFunction says how f is asked about what a variable is bound to.
func asFunction(v *tree.Variable, name string) string {
	if v.Kind == tree.ColumnVar {
		return "Write d/d(" + name + ") f."
	}
	return "Write f(" + name + ")."
}

// letNumber resolves a name as a let. If no let has it, it is the column of that name at the
// innermost point. If it is near a known name, it is more likely misspelt.
func letNumber(p *names.Pass, id *dsl.Ident, sc *names.Scope) *tree.Node {
	if p.Decls.Lets[id.Name] == nil {
		known := append(names.Known{p.Declared.Lets(), p.Declared.Defs()}, names.Of(append(slices.Clone(Functions), sc.Names()...)...)...)
		known = append(known, p.Declared.Invariances())
		near := names.Nearest(p, id.Name, known)
		if n, ok := bareColumn(p, id, near, sc); ok {
			return n
		}
		column := ""
		if len(sc.Innermost()) > 0 {
			column = strconv.Quote(values.RawName(id))
		}
		p.NoColumn(id, near, known, column)
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

// inArgument evaluates a definition's argument where it was written: errors in it are those of the
// call, not of the definition's body. So the definitions that are being replaced are those of the
// call while it runs.
func inArgument[T any](p *names.Pass, a *names.Argument, f func(*names.Pass, *names.Argument) T) T {
	inlined := p.Inlined
	p.Inlined = a.Inlined
	made := f(p, a)
	p.Inlined = inlined
	return made
}

// call compiles a call: f and the functions of the language, then definitions, then what only looks
// like one. A name in quotes is always a column at a point, whatever else has that name: a file may call
// its columns max or f.
func call(p *names.Pass, e *dsl.Call, sc *names.Scope) *tree.Node {
	name := e.Fun.Name
	if column, point := columnOfPoint(p, e, sc); quoted(e.Fun) && point != nil {
		return columnNumber(p, e, column, point, sc)
	}
	switch name {
	case "f":
		return leaf(p, e, e.Args, sc)
	case "pos":
		if x := only(p, e, "pos(e)"); x != nil {
			return made(p, &tree.Node{Op: tree.OpPos, Word: "pos", From: p.Origin(e)}, Expr(p, x, sc))
		}
		return nil
	case "hypot":
		return parts(p, &tree.Node{Op: tree.OpNorm, P: 2, Word: "hypot", From: p.Origin(e)}, argValues(e.Args), sc)
	case tree.GridWord:
		if q, ok := values.Plain(p, e, sc); ok {
			return constant(p, e, q.Value)
		}
		return nil
	}
	if def := p.Decls.Defs[name]; def != nil && sc.Lookup(name) == nil {
		return inline(p, def, e, sc)
	}
	return otherCall(p, e, sc)
}

// argValues returns the values of arguments, whatever their names. hypot(a, b) has no names to
// give, and takes any number of parts.
func argValues(args []*dsl.Arg) []dsl.Expr {
	return tree.Each(args, func(a *dsl.Arg) dsl.Expr { return a.Value })
}

// only returns the argument of a function that takes one. Nil means that there is another number of
// them, or that it has a name. That is codes.TooManyArguments, with the form that is right.
func only(p *names.Pass, e *dsl.Call, form string) dsl.Expr {
	x := values.Sole(e)
	if x == nil {
		p.Report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: e.Span(), Summary: fmt.Sprintf("%s takes 1 argument", e.Fun.Name), Mend: "It is " + form + "."})
	}
	return x
}

// otherCall compiles a call that is neither a function nor a definition: the root of a number, or a
// column at a point. All else is reported, with the form in which the language says it where there
// is one. People write abs(e), relu(e) and max(a, b), as other languages have them. These errors
// are codes.UndefinedName, with the right form as a fix.
func otherCall(p *names.Pass, e *dsl.Call, sc *names.Scope) *tree.Node {
	name := e.Fun.Name
	if name == rootWord {
		if n := root(p, e, sc); n == nil || n.Number() {
			return n
		}
	}
	forms := map[string]string{
		"abs": "|e|", "max": "max {a, b}", "sum": "sum {a, b}", tree.MeanWord: "mean {a, b}", "min": "max {a, b}; min need not be convex",
		"relu": "pos(e)", "rms": "rms over x of e", "norm": "norm(p) over x of e",
	}
	_, isMap := p.PointMap(name)
	_, isDomain := p.Domain(name)
	if own := cmp.Or(edit.OverRows(e), edit.Positive(e)); own != "" {
		forms[name] = own
	}
	switch {
	case name == rootWord:
		// Factors may be roots, and people take that for a leave to write √ of a norm. They mean rms or hypot,
		// whose squares are under the root already.
		p.Report(&diag.Diagnostic{
			Code: codes.WrongType, Subject: e.Span(), Summary: "sqrt takes a number, and this holds f", Detail: "The root of a convex part need not be convex.",
			Mend: "Write rms over x of e for the root of a mean of squares, hypot(a, b) for that of a sum of squares, sqrt(area) * |f| for a factor.",
		})
	case forms[name] != "":
		d := p.Report(&diag.Diagnostic{Code: codes.UndefinedName, Subject: e.Fun.Span(), Summary: name + " is not a function of the language", Mend: "Write " + forms[name] + "."})
		p.MendBy(d, "write "+forms[name], func(*dsl.Invariance) [][]diag.Edit { return edit.Meant(e) })
	case isMap != nil:
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: name + " is a transformation of points, not a function of f", Mend: "Write f(" + tree.Text(e) + "), or max over t in {" + tree.Text(e) + "} of |f(t(x)) - f(x)|."})
	case isDomain != nil:
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: name + " is an index set, not a function of f", Mend: "Write max over " + tree.Text(e) + " of …."})
	default:
		known := append(names.Known{p.Declared.Defs()}, names.Of(append(slices.Clone(Functions), sc.Names()...)...)...)
		if n, ok := columnCall(p, e, known, sc); ok {
			return n
		}
		if unseenArgument(p, e, sc) {
			return nil
		}
		column, point := columnOfPoint(p, e, sc)
		if point != nil {
			column = strconv.Quote(column) + "(" + point.Name + ")"
		}
		p.Uncallable(e.Fun, known, column)
	}
	return nil
}

// inline replaces a call of a definition by its body, which is an expression.
func inline(p *names.Pass, d *names.Definition, e *dsl.Call, sc *names.Scope) (n *tree.Node) {
	replace(p, d, e, sc, func(body dsl.Expr, inner *names.Scope) bool {
		n = Expr(p, body, inner)
		return n != nil
	})
	return n
}

// replace compiles the body of a definition in the place of a call. The parameters are bound to the arguments as
// they are written, each with the scope of the call (call by name). So whatever can be written may
// be an argument: a number, an expression, a point, a label, a transformation, an index set. All
// other names of the body have the meaning that they have where the definition stands. What of the
// body is faulty is reported in the body, with the call as a related place. A missing argument is
// codes.MissingArgument; one too many is found by values.Assign.
func replace(p *names.Pass, d *names.Definition, e *dsl.Call, sc *names.Scope, compile func(body dsl.Expr, inner *names.Scope) bool) {
	name := e.Fun.Name
	schema := names.Parameters(d.Decl)
	given := make([]*dsl.Arg, len(schema))
	if !values.Assign(p, schema, name, e.Args, given) {
		return
	}
	call := &tree.Inlining{Name: name, Syntax: e, Call: e.Span(), Family: d.Family, Source: d.Source, Up: p.Inlined}
	inner := sc.Within(call)
	for i := range schema {
		if given[i] == nil {
			p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: e.Span(), Summary: fmt.Sprintf("%s needs %s", name, schema[i].Name), Mend: "It is " + values.Signature(name, schema) + "."})
			return
		}
		if !mentions(d.Decl.Body, schema[i].Name) && !resolved(p, given[i].Value, sc) {
			return
		}
		inner = inner.Bind(schema[i].Name, names.Binding{Argument: &names.Argument{Expr: given[i].Value, Scope: sc, Inlined: p.Inlined}})
	}
	outer := p.Inlined
	values.Expand(p, d.Decl, e.Fun, func() bool {
		p.Inlined = call
		return compile(d.Decl.Body, inner)
	})
	p.Inlined = outer
}

// mentions reports whether a body names a parameter. No quantifier in it can bind that name anew.
func mentions(body dsl.Expr, parameter string) (found bool) {
	dsl.Walk(body, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.Arg: // its name is not a name of the body's
			found = found || mentions(n.Value, parameter)
			return false
		case *dsl.Ident:
			found = found || n.Name == parameter
		}
		return !found
	})
	return found
}

// resolved reports whether the names of an argument that the body does not use stand for something.
// If one does not, that is reported as it would be in the body.
func resolved(p *names.Pass, e dsl.Expr, sc *names.Scope) bool {
	at, v := sc.Resolve(e, p.Inlined)
	outer := p.Inlined
	defer func() { p.Inlined = outer }()
	p.Inlined = at.Inlined
	switch e := at.Expr.(type) {
	case *dsl.String, *dsl.Number:
		return true
	case *dsl.Set:
		return !slices.ContainsFunc(e.Elems, func(e dsl.Expr) bool { return !resolved(p, e, at.Scope) })
	case *dsl.Interval:
		lo, hi := resolved(p, e.Lo, at.Scope), resolved(p, e.Hi, at.Scope)
		return lo && hi
	case *dsl.Orbit:
		return Orbit(p, e, at.Scope) != nil
	case *dsl.Ident:
		return v != nil || resolvedName(p, e)
	case *dsl.Call:
		if _, isMap := p.PointMap(e.Fun.Name); isMap != nil {
			return Mapping(p, e, at.Scope) != nil
		}
		switch def := p.Decls.Defs[e.Fun.Name]; {
		case def == nil && values.IsIndexSet(p, e.Fun.Name):
			return IndexSet(p, e, at.Scope)
		case def != nil && values.IsCondition(def.Decl.Body):
			return condition(p, e, at.Scope) != nil
		}
	}
	return Expr(p, at.Expr, at.Scope) != nil
}

// resolvedName reports whether a bare name stands for something that the spec declares or a word that may be an argument.
func resolvedName(p *names.Pass, id *dsl.Ident) bool {
	_, isMap := p.PointMap(id.Name)
	_, isDomain := p.Domain(id.Name)
	columns := p.Out.Data.Columns.Names
	switch {
	case isMap != nil, isDomain != nil, Declared(p, id), slices.Contains(names.BuiltinWords, id.Name), id.Name == tree.PerRow,
		values.IsLabel(p, id.Name), slices.Contains(columns, values.RawName(id)):
		return true
	}
	known := names.Known{p.Declared.Lets(), p.Declared.Defs()}
	known = append(known, names.Of(columns...)...)
	p.Undefined(id, append(known, names.Of(p.Out.Data.Target.Names...)...))
	return false
}

// Judge returns a judge of the spec's expressions, with the rules that the spec is held to.
func Judge(p *names.Pass) *calculus.Judge {
	task := p.Out.Data.Target.Task
	return &calculus.Judge{Rules: p.Rules, Multilabel: task == setting.Multilabel, Class: task == setting.Class, Defined: func(name string) bool { return p.Decls.Defs[name] != nil }}
}

// Tell reports what the calculus found, with counterexamples as far as the budget goes, and notes
// what may mend it. The calculus itself knows no user: it hands out findings, and an attempt at a
// mend throws them away.
func Tell(p *names.Pass, found []calculus.Finding) {
	for _, f := range found {
		d := p.ReportAt(f.At, f.Diagnostic)
		if f.Attempts != nil {
			p.MendBy(d, f.Title, f.Attempts)
		}
		if f.Values != nil && p.Shows() {
			d.Values = f.Values()
		}
	}
}
