package dsl_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/dsl"
)

// A generator draws syntax trees such as the parser could make, but for brackets, which the printer has to supply.
type generator struct{ t *rapid.T }

func (g generator) pick(label string, words ...string) string {
	return rapid.SampledFrom(words).Draw(g.t, label)
}

func (g generator) count(label string, low, high int) int {
	return rapid.IntRange(low, high).Draw(g.t, label)
}

func (g generator) ident() *dsl.Ident {
	raw := g.pick("name", "f", "x", "a", "d", "dx", "d2", "topics", "λ", "lambda", "α_1", "straße", "max", "columns", "kernel", "scale", "n")
	name := strings.NewReplacer("λ", "lambda", "α", "alpha").Replace(raw)
	return &dsl.Ident{Name: name, Raw: raw}
}

func (g generator) number() *dsl.Number {
	v := rapid.OneOf(rapid.Float64Range(0, 1e6), rapid.Float64Range(0, math.MaxFloat64)).Draw(g.t, "number")
	return &dsl.Number{Value: v, Unit: g.pick("unit", "", "", "n", "deg")}
}

func (g generator) str() *dsl.String {
	return &dsl.String{Value: rapid.String().Draw(g.t, "string")}
}

func many[T any](g generator, low, high int, draw func() T) []T {
	out := make([]T, g.count("many", low, high))
	for i := range out {
		out[i] = draw()
	}
	return out
}

func (g generator) exprs(depth, low, high int, cond bool) []dsl.Expr {
	return many(g, low, high, func() dsl.Expr { return g.expr(depth, cond) })
}

// expr draws an expression; cond allows comparisons and logic.
func (g generator) expr(depth int, cond bool) dsl.Expr {
	if depth == 0 {
		switch g.count("leaf", 0, 3) {
		case 0:
			return g.number()
		case 1:
			return g.str()
		default:
			return g.ident()
		}
	}
	kinds := 11
	if cond {
		kinds = 14
	}
	d := depth - 1
	switch g.count("kind", 0, kinds) {
	case 0:
		return g.expr(0, cond)
	case 1:
		return &dsl.Neg{X: g.expr(d, cond)}
	case 2:
		return &dsl.Abs{X: g.expr(d, false)}
	case 3, 4:
		return &dsl.Binary{Op: g.pick("op", "+", "-", "*", "/"), X: g.expr(d, cond), Y: g.expr(d, cond)}
	case 5:
		c := g.call(d)
		if g.count("quoted", 0, 9) == 0 {
			c.Fun = &dsl.Ident{Name: "living area", Raw: `"living area"`}
		}
		return c
	case 6:
		return &dsl.Set{Elems: g.exprs(d, 1, 3, false)}
	case 7:
		return &dsl.Interval{Lo: g.expr(d, false), Hi: g.expr(d, false)}
	case 8:
		return g.deriv(d)
	case 9:
		return &dsl.Aggregate{Op: g.agg(d), Set: &dsl.Set{Elems: g.exprs(d, 1, 3, false)}}
	case 10:
		return g.quant(d)
	case 11:
		return g.orbit(d)
	case 12:
		return &dsl.Not{X: g.expr(d, true)}
	case 13:
		return &dsl.Binary{Op: "in", X: g.expr(d, false), Y: &dsl.Set{Elems: g.exprs(d, 1, 3, false)}}
	}
	return &dsl.Binary{Op: g.pick("op", "==", "!=", "<", "<=", ">", ">=", "and", "or"), X: g.expr(d, true), Y: g.expr(d, true)}
}

func (g generator) orbit(depth int) *dsl.Orbit {
	return &dsl.Orbit{Word: &dsl.Ident{Name: "orbit", Raw: "orbit"}, Args: g.args(depth), Set: &dsl.Set{Elems: g.exprs(depth, 1, 3, false)}}
}

func (g generator) args(depth int) []*dsl.Arg {
	return many(g, 0, 3, func() *dsl.Arg {
		a := &dsl.Arg{Value: g.expr(depth, false)}
		if rapid.Bool().Draw(g.t, "named") {
			a.Name = g.ident()
		}
		return a
	})
}

func (g generator) call(depth int) *dsl.Call {
	return &dsl.Call{Fun: g.ident(), Args: g.args(depth)}
}

func (g generator) deriv(depth int) *dsl.Deriv {
	e := &dsl.Deriv{With: g.ident(), Of: g.expr(depth, false)}
	e.Bracketed = rapid.Bool().Draw(g.t, "bracketed")
	e.RawUnit = e.Bracketed && rapid.Bool().Draw(g.t, "raw unit")
	if e.Bracketed && rapid.Bool().Draw(g.t, "quoted") {
		e.With = &dsl.Ident{Name: rapid.String().Draw(g.t, "column")}
	}
	return e
}

func (g generator) agg(depth int) *dsl.Agg {
	a := &dsl.Agg{Name: g.pick("agg", "max", "sum", "mean", "rms", "norm", "top", "min")}
	if a.Name == "norm" || a.Name == "top" {
		a.Arg = g.expr(depth, false)
	}
	return a
}

func (g generator) binder(depth int) *dsl.Binder {
	switch g.count("binder", 0, 5) {
	case 5:
		return &dsl.Binder{Vars: []*dsl.Ident{g.ident()}, In: g.orbit(depth)}
	case 0:
		return &dsl.Binder{In: g.ident()}
	case 1:
		return &dsl.Binder{In: g.call(depth)}
	case 2:
		return &dsl.Binder{Vars: many(g, 1, 3, g.ident), Tuple: true, In: g.call(depth)}
	case 3:
		return &dsl.Binder{Vars: []*dsl.Ident{g.ident()}, In: &dsl.Set{Elems: g.exprs(depth, 1, 3, false)}}
	}
	return &dsl.Binder{Vars: []*dsl.Ident{g.ident()}, In: &dsl.Interval{Lo: g.expr(depth, false), Hi: g.expr(depth, false)}}
}

func (g generator) quant(depth int) *dsl.Quant {
	q := &dsl.Quant{Op: g.agg(depth), Bind: g.binder(depth), Body: g.expr(depth, false)}
	q.More = many(g, 0, 2, func() *dsl.Binder { return g.binder(depth) })
	if rapid.Bool().Draw(g.t, "where") {
		q.Where = g.expr(depth, true)
	}
	return q
}

// item draws an item of a data block.
func (g generator) item() string {
	names := func(words ...string) string {
		return strings.Join(many(g, 1, 3, func() string { return g.pick("column", words...) }), " , ")
	}
	switch g.count("item", 0, 5) {
	case 4:
		return "split by " + g.pick("column", "fold", `"the fold"`)
	case 3:
		return "types " + names("area : real", `"living area" : integer [ - 1 , 120 ]`, `region : { north , "far south" , 3 , -4 }`, "id : integer")
	case 0:
		return "target " + names("a", `"b c"`, "λ", `"9"`) + " : " + dsl.ExprString(g.ident())
	case 1:
		return "target " + dsl.ExprString(g.call(1)) + " : " + dsl.ExprString(g.call(1))
	case 2:
		return "columns " + names("area", `"living area"`, "scale")
	}
	return g.pick("option", "split", "missing") + " " + dsl.ExprString(g.ident()) + " = " + dsl.ExprString(g.expr(0, false))
}

// decl draws a declaration.
func (g generator) decl() string {
	expr := func(depth int) string { return dsl.ExprString(g.expr(depth, false)) }
	name := g.pick("defined", "a", "steady", "long_name_of_an_invariance", "lambda")
	switch g.count("decl", 0, 7) {
	case 0:
		return "use " + name
	case 1:
		return "use " + name + " from " + dsl.ExprString(g.str())
	case 2:
		return "data { " + strings.Join(many(g, 0, 3, g.item), g.pick("end", " ; ", "\n")) + " }"
	case 3:
		return "let " + name + " = " + expr(3)
	case 4:
		setting := g.pick("setting", "kernel", "features", "learn", "method", "seed", "regularize")
		if setting == "learn" && g.pick("set", "", "under") != "" {
			return setting + " " + expr(2) + " under { " + strings.Join(many(g, 1, 3, func() string { return expr(2) }), ", ") + " }"
		}
		return setting + " " + expr(3)
	case 5:
		params := many(g, 0, 3, func() string { return dsl.ExprString(g.ident()) })
		return "def " + name + "( " + strings.Join(params, ", ") + " ) = " + expr(3)
	case 6:
		return "invariance " + name + " = " + expr(4)
	}
	return g.pick("maps", "evaluate under { ", "augment { ") + strings.Join(many(g, 1, 3, func() string { return expr(2) }), ", ") + " }"
}

func TestWhatIsFormattedParsesToTheSame(t *testing.T) {
	parsed := 0
	rapid.Check(t, func(rt *rapid.T) {
		g := generator{rt}
		source := strings.Join(many(g, 1, 4, g.decl), "\n")
		file, list := dsl.Parse("drawn", []byte(source))
		if len(list) > 0 {
			rt.Skip("a reserved word stands for a name")
		}
		parsed++
		checkFormat(rt, file, dsl.Format(file))
	})
	if parsed < 10 {
		t.Errorf("only %d drawn specs parse", parsed)
	}
}

func TestAnExpressionOnOneLineParsesToTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := generator{rt}.expr(4, false)
		text := dsl.ExprString(e)
		file, list := dsl.Parse("drawn", []byte("let a = "+text))
		if len(list) > 0 || len(file.Decls) != 1 {
			rt.Fatalf("%s: %v", text, list)
		}
		if got := file.Decls[0].(*dsl.Let).Value; !dsl.Equal(e, got) {
			rt.Fatalf("%s was read as %s", text, dsl.ExprString(got))
		}
	})
}

// Comments may stand wherever a line may end. They are strewn between the tokens of specs that were printed; what still
// parses must keep them through the printer.
func TestCommentsSurviveWhereverTheyStand(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := generator{rt}
		words := strings.Split(strings.Join(many(g, 1, 3, g.decl), "\n"), " ")
		var b strings.Builder
		for i, w := range words {
			b.WriteString(w)
			if i+1 < len(words) {
				b.WriteString(g.pick("gap", " ", " ", " ", " ", "  # why\n", "\n # alone\n"))
			}
		}
		strewn, list := dsl.Parse("strewn", []byte(b.String()))
		if len(list) > 0 {
			rt.Skip("a comment stands where no line can end")
		}
		checkFormat(rt, strewn, dsl.Format(strewn))
	})
}
