package compiler

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
)

// A sighting holds the constructs of an expression.
type sighting map[string]bool

// scope holds the kinds of the names around, as the letters of bound have them.
type scope map[string]byte

// letKinds are what drawnNames declare.
var letKinds = map[string]string{
	"half": "let number", "third": "let number", "much": "let number", "strong": "let number", "cold": "in NAME", "middle": "in NAME", "young": "let condition",
	"streets": "let graph", "heavy": "let graph", "all": "let rows", "some": "let pairs", "part": "let interval", "pets": "let set of labels", "tops": "let set of labels",
	"older": "let transformation", "moves": "let set of transformations", "rising": "let set of columns", "base": "invariance by name", "up": "text in a condition", "down": "text in a condition",
}

// defKinds are the parameters of definitions.
var defKinds = map[string]string{
	"gap": "def of points", "worst": "def of an expression", "weigh": "def of a number", "columned": "def of a column", "shared": "def of a column", "slope": "def of a column",
	"near": "def condition", "calm": "def of a set", "turned": "def of a transformation", "steep": "def of an included file",
}

var drawnColumns = []string{"area", "age", "rooms", "living area", "floor", "region", "zone", "decade", "member"}

// expr sees an expression. Cond says that it is a part of a condition.
func (s sighting) expr(e dsl.Expr, in scope, cond bool) {
	switch e := e.(type) {
	case *dsl.Number:
		if strings.HasSuffix(e.Raw, "%") {
			s["5%"] = true
		}
	case *dsl.String:
		s.quoted(e, cond)
	case *dsl.Paren:
		if b, ok := e.X.(*dsl.Binary); ok && cond && slices.Contains([]string{"and", "or", "==", "!=", "<", "<=", ">", ">=", "in"}, b.Op) {
			s["cond in brackets"] = true
		}
		s.expr(e.X, in, cond)
	case *dsl.Neg:
		s.calculates(cond, "-e")
		s.expr(e.X, in, cond)
	case *dsl.Not:
		s["not"] = true
		s.expr(e.X, in, cond)
	case *dsl.Abs:
		s.calculates(cond, "|e|")
		s.expr(e.X, in, cond)
	case *dsl.Binary:
		s.binary(e, in, cond)
	case *dsl.Set:
		for _, k := range e.Elems {
			s.expr(k, in, cond)
		}
	case *dsl.Interval:
		s.expr(e.Lo, in, cond)
		s.expr(e.Hi, in, cond)
	case *dsl.Aggregate:
		s.calculates(cond, aggText(e.Op)+" {…}")
		s.expr(e.Set, in, cond)
	case *dsl.Ident:
		s.named(e, in, cond)
	case *dsl.Call:
		s.call(e, in, cond)
	case *dsl.Deriv:
		s.deriv(e, in)
		s.expr(e.Of, in, cond)
	case *dsl.Quant:
		s.quant(e, in)
	}
}

// calculates sees an operation, on parts that may hold f or in a condition.
func (s sighting) calculates(cond bool, what string) {
	if cond {
		what = "calculation in a condition"
	}
	s[what] = true
}

func aggText(op *dsl.Agg) string {
	return op.Name + map[string]string{"norm": "(p)", "top": "(k)"}[op.Name]
}

// quoted sees a text: a column, or a value.
func (s sighting) quoted(e *dsl.String, cond bool) {
	switch {
	case slices.Contains(drawnColumns, e.Value) && cond:
		s["quoted column in a condition"] = true
	case slices.Contains(drawnColumns, e.Value):
		s[`"column"`] = true
	case cond:
		s["text in a condition"] = true
	}
}

// binary sees a sum, a product, or a comparison.
func (s sighting) binary(e *dsl.Binary, in scope, cond bool) {
	defer func() { s.expr(e.X, in, cond); s.expr(e.Y, in, cond) }()
	switch e.Op {
	case "+", "-":
		s.calculates(cond, "e "+e.Op+" e")
		return
	case "*", "/":
		s.calculates(cond, map[string]string{"*": "n * e", "/": "e / n"}[e.Op])
		_, x := levelsOf(e.X)
		y, ofF := levelsOf(e.Y)
		if !cond && !x && ofF && y > 0 && e.Op == "*" && s.ofData(e.X, in) {
			s["a factor of data on a convex part"] = true
		}
		return
	case "in":
		switch e.Y.(type) {
		case *dsl.Set:
			s["in {…}"] = true
		case *dsl.Interval:
			s["in [a, b]"] = true
		}
		return
	}
	s[e.Op] = true
	x, isX := e.X.(*dsl.Ident)
	y, isY := e.Y.(*dsl.Ident)
	if isX && isY && in[x.Name] == 'p' && in[y.Name] == 'p' {
		s["x != z"] = true
	}
}

// ofData reports whether an expression names what data decide.
func (s sighting) ofData(e dsl.Expr, in scope) bool {
	return dsl.Holds(e, func(n dsl.Node) bool {
		id, ok := n.(*dsl.Ident)
		return ok && (in[id.Name] == 'w' || in[id.Name] == 'n' || slices.Contains(drawnColumns, id.Name))
	})
}

// named sees a name.
func (s sighting) named(e *dsl.Ident, in scope, cond bool) {
	switch kind := in[e.Name]; {
	case kind == 'n':
		s["λ as a factor"] = true
	case kind == 'w' && cond:
		s["weight in a condition"] = true
	case kind == 'w':
		s["weight as a factor"] = true
	case kind == 'l' && cond:
		s["label in a condition"] = true
	case kind != 0:
	case e.Name == "f":
		s["f"] = true
	case letKinds[e.Name] != "":
		s[letKinds[e.Name]] = true
	case slices.Contains(drawnColumns, e.Name) && !cond:
		s["column"] = true
	}
}

// call sees a call.
func (s sighting) call(e *dsl.Call, in scope, cond bool) {
	name := e.Fun.Name
	switch {
	case name == "f":
		s.ofF(e, in)
		return
	case in[name] == 't', in[name] == 'p':
	case len(e.Args) == 1 && slices.Contains(drawnColumns, name) && isPoint(e.Args[0].Value, in):
		quoted := strings.HasPrefix(e.Fun.Raw, `"`)
		switch {
		case quoted && cond:
			s["quoted column in a condition"] = true
		case quoted:
			s[`"column"(x)`] = true
		case !cond:
			s["column(x)"] = true
		}
		return
	case name == "pos", name == "hypot", name == "sqrt", name == "grid":
		s.calculates(cond, name)
	case defKinds[name] != "":
		s[defKinds[name]] = true
	case slices.Contains(constructs, name):
		s[name] = true
		s.mapped(e)
	default:
		s.mapped(e)
	}
	for _, a := range e.Args {
		if a.Name != nil && (defKinds[name] != "") {
			s["arguments by name"] = true
		}
		if id, ok := a.Value.(*dsl.Ident); !ok || letKinds[id.Name] != "" || id.Name == "f" {
			s.expr(a.Value, in, cond)
		}
	}
}

func isPoint(e dsl.Expr, in scope) bool {
	id, ok := e.(*dsl.Ident)
	return ok && in[id.Name] == 'p'
}

// mapped sees a transformation.
func (s sighting) mapped(e *dsl.Call) {
	switch e.Fun.Name {
	case "double":
		s["map of a family"] = true
	case "put":
		text := "put number"
		if slices.Contains([]string{"region", "zone"}, columnName(e.Args[0].Value)) {
			text = "put text"
		}
		s[text] = true
	case "swap":
		text := "swap numbers"
		if columnName(e.Args[0].Value) == "region" {
			text = "swap texts"
		}
		s[text] = true
	case "move":
		s["move"] = true
	}
}

// ofF sees f with its arguments.
func (s sighting) ofF(e *dsl.Call, in scope) {
	label := ""
	if len(e.Args) == 2 {
		label = ", label"
	}
	switch at := e.Args[0].Value.(type) {
	case *dsl.Ident:
		if in[at.Name] == 'p' {
			s["f(x"+label+")"] = true
		} else {
			s["f(label)"] = true
		}
	case *dsl.Call:
		switch {
		case in[at.Fun.Name] == 'p':
			s.onPath(at, label)
		case in[at.Fun.Name] == 't', at.Fun.Name == "double", at.Fun.Name == "older":
			s["f(t(x)"+label+")"] = true
			s.chained(at, in)
		default:
			s["f(map(…))"] = true
			s.call(at, in, false)
		}
	}
}

// onPath sees f at an end of a path, at a place between, or where a parameter says.
func (s sighting) onPath(at *dsl.Call, label string) {
	switch place := at.Args[0].Value.(type) {
	case *dsl.Number:
		if place.Value == 0 || place.Value == 1 {
			s["f(x(1)"+label+")"] = true
		} else {
			s["f(x(0.25))"] = true
		}
	case *dsl.Ident:
		s["f(x(λ))"] = true
	}
}

// chained sees transformations of a point, one after the other.
func (s sighting) chained(at *dsl.Call, in scope) {
	if at.Fun.Name == "double" {
		s["map of a family"] = true
	}
	if at.Fun.Name == "older" {
		s["let transformation"] = true
	}
	if inner, ok := at.Args[0].Value.(*dsl.Call); ok {
		s["f(t(s(x)))"] = true
		s.chained(inner, in)
	}
}

// deriv sees a derivative.
func (s sighting) deriv(e *dsl.Deriv, in scope) {
	name := e.With.Name
	switch {
	case e.Bracketed && in[name] == 'c':
		s["d/d(c)"] = true
	case e.Bracketed && strings.Contains(name, "="):
		s[`d/d("region=north")`] = true
	case e.Bracketed && strings.HasPrefix(e.With.Raw, `"`):
		s[`d/d("column")`] = true
	case e.Bracketed:
		s["d/d(column)"] = true
	case in[name] == 'n':
		s["d/dλ"] = true
	case in[name] == 't':
		s["d/dt"] = true
	default:
		s["d/dmap"] = true
	}
	if e.RawUnit {
		s["d/d(column, unit = raw)"] = true
	}
	if again, ok := e.Of.(*dsl.Deriv); ok && e.Bracketed && again.Bracketed {
		if again.With.Name == name {
			s["second derivative along a column"] = true
		} else {
			s["second derivative along two"] = true
		}
	}
}

// quant sees a quantifier, and binds its names.
func (s sighting) quant(e *dsl.Quant, outer scope) {
	in := scope{}
	for name, kind := range outer {
		in[name] = kind
	}
	s[aggText(e.Op)+" over"] = true
	if len(e.More) > 0 {
		s["several binders"] = true
	}
	for _, b := range append([]*dsl.Binder{e.Bind}, e.More...) {
		s.binder(b, in)
	}
	if e.Where != nil {
		s["where"] = true
		s.expr(e.Where, in, true)
	}
	s.expr(e.Body, in, false)
}

// kindsBound are the kinds of what index sets bind, and their names where they have none.
var kindsBound = map[string]struct {
	kinds string
	names []string
}{
	"x": {"p", []string{"x"}}, "rows": {"p", []string{"x"}}, "all": {"p", []string{"x"}}, "labels": {"l", []string{"label"}}, "tops": {"l", nil}, "pets": {"l", nil},
	"graph": {"ppw", []string{"a", "b", "strength"}}, "streets": {"pp", []string{"a", "b"}}, "heavy": {"ppw", []string{"a", "b", "strength"}},
	"pairs": {"pn", []string{"x", "lambda"}}, "some": {"pn", []string{"x", "lambda"}}, "edges": {"ll", []string{"child", "parent"}}, "siblings": {"ll", nil},
	"columns": {"c", nil}, "rising": {"c", nil}, "moves": {"t", nil}, "part": {"n", nil},
}

// binder sees an index set, and binds its names.
func (s sighting) binder(b *dsl.Binder, in scope) {
	word := domainName(b.In)
	bound := kindsBound[word]
	switch set := b.In.(type) {
	case *dsl.Interval:
		s["λ in [a, b]"] = true
		bound.kinds = "n"
	case *dsl.Set:
		bound.kinds = "t"
		s[map[bool]string{true: "t in {…}", false: "c in {…}"}[s.listed(set, in)]] = true
		if id, ok := set.Elems[0].(*dsl.Ident); ok && id.Name != "older" {
			bound.kinds = "l"
		}
	case *dsl.Call:
		s.domain(set, len(b.Vars))
	case *dsl.Ident:
		if kind := letKinds[word]; kind != "" {
			s[kind] = true
		}
		switch {
		case word == "x":
			s["over x"] = true
		case word == "rows":
			s["z in rows"] = true
		case word == "labels" && len(b.Vars) > 0:
			s["c in labels"] = true
		case word == "labels":
			s["labels"] = true
		case word == "heavy" && len(b.Vars) == 0:
			s["weights by their column"] = true
		}
	}
	for i := range bound.kinds {
		switch {
		case i < len(b.Vars):
			in[b.Vars[i].Name] = bound.kinds[i]
		case i < len(bound.names):
			in[bound.names[i]] = bound.kinds[i]
		}
	}
}

// listed sees the elements of a set, and reports whether they are transformations.
func (s sighting) listed(set *dsl.Set, in scope) (maps bool) {
	for _, e := range set.Elems {
		if call, ok := e.(*dsl.Call); ok {
			maps = true
			s.call(call, in, false)
		} else if letKinds[e.(*dsl.Ident).Name] != "" {
			maps = true
			s["let transformation"] = true
		}
	}
	return maps
}

// domain sees an index set with arguments.
func (s sighting) domain(set *dsl.Call, names int) {
	word := set.Fun.Name
	without := map[bool]string{true: " without names"}[names == 0]
	switch word {
	case "graph":
		s[word+without] = true
		if len(set.Args) > 1 {
			s["graph with weights"] = true
		}
	case "edges", "pairs":
		s[word+without] = true
	case "siblings":
		s[word] = true
	case "columns":
		if _, pattern := set.Args[0].Value.(*dsl.String); pattern {
			s[`columns("a*")`] = true
		} else {
			s["columns(a, b)"] = true
		}
	}
	for _, a := range set.Args {
		switch {
		case a.Name != nil && a.Name.Name == "choose":
			s["choose = "+a.Value.(*dsl.Ident).Name] = true
		case a.Name != nil && a.Name.Name == "seed":
			s["seed = s"] = true
		}
	}
}
