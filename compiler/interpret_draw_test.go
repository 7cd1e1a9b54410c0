package compiler

import (
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// A drawer draws well-typed expressions as text. Asked for a linear, a convex or a nonnegative one, it mostly draws such; what the
// calculus says of it is another matter.
type drawer struct {
	t      *rapid.T
	joint  bool     // f has labels
	wild   int      // in a hundred: parts that are not what is asked for
	points []string // names bound to points
	bare   bool     // f alone is at a point
	path   string   // the point of the path bound around, and its parameter
	lambda string
	weight string   // the name bound to an edge's weight
	labels []string // names bound to labels
	maps   []string // names bound to transformations
	sets   int      // index sets around
	rows   []string // names bound to rows, which have columns
	within int      // what derivatives stand around: 0 none, 1 one along a column, of which there may be another, 2 what is not derived again
}

func (g drawer) pick(words ...string) string { return rapid.SampledFrom(words).Draw(g.t, "word") }

func (g drawer) chance(percent int) bool {
	return rapid.IntRange(0, 99).Draw(g.t, "chance") >= 100-percent
}

// label is a label by name or by variable.
func (g drawer) label() string {
	return g.pick(append([]string{"cat", "dog", "animal"}, g.labels...)...)
}

// leaf is f or a derivative of it.
func (g drawer) leaf() string {
	point := g.pick(g.points...)
	forms := []string{"f(" + point + ")", "f(double(" + point + "))"}
	plain := forms[:1:1]
	if g.joint {
		plain = append(plain, "f("+point+", "+g.label()+")")
		forms = append(forms, "f(double("+point+"), "+g.label()+")")
		if g.bare {
			plain = append(plain, "f("+g.label()+")")
		}
	}
	if g.bare {
		plain = append(plain, "f")
		forms = append(forms, "f(move(area, 0.5))")
	}
	forms = append(forms, plain...)
	for _, t := range g.maps {
		forms = append(forms, "f("+t+"("+point+"))", "f("+t+"(double("+point+")))")
	}
	if g.path != "" {
		p := g.path
		forms = append(forms, "f("+p+"(1))", "f("+p+"(0))", "f("+p+"(0.25))", "f("+p+"("+g.lambda+"))")
		if g.joint {
			forms = append(forms, "f("+p+"(1), "+g.label()+")")
		}
	}
	if g.within == 2 {
		return g.pick(forms...)
	}
	forms = append(forms, "d/d(area) "+g.pick(plain...), "d/d(age, unit = raw) "+g.pick(plain...))
	if g.within == 1 {
		return g.pick(forms...)
	}
	for _, t := range g.maps {
		forms = append(forms, "d/d"+t+" "+g.pick(plain...))
	}
	forms = append(forms, "d/d("+g.pick("area", "age")+") d/d("+g.pick("area", "area, unit = raw", "age")+") "+g.pick(plain...), "d/ddouble "+g.pick(plain...))
	if g.path != "" {
		forms = append(forms, "d/d"+g.lambda+" f("+g.path+")")
		if g.joint {
			forms = append(forms, "d/d"+g.lambda+" f("+g.path+", "+g.label()+")")
		}
	}
	return g.pick(forms...)
}

// linear draws an expression that is linear in f.
func (g drawer) linear(depth int) string {
	if g.chance(g.wild) {
		return g.any(depth)
	}
	if depth <= 0 {
		return g.leaf()
	}
	d := depth - 1
	switch rapid.IntRange(0, 11).Draw(g.t, "linear") {
	case 0:
		return "(" + g.linear(d) + " + " + g.linear(d) + ")"
	case 1:
		return "(" + g.linear(d) + " - " + g.linear(d) + ")"
	case 2:
		return "-" + g.linear(d)
	case 3:
		return g.pick("2", "0.5", "-3", "0", "half", "grid(2, -1)", "(1 - 1)") + " * " + g.linear(d)
	case 4:
		return g.pick("sum", "mean") + " {" + g.linear(d) + ", " + g.linear(d) + "}"
	case 5:
		return g.over(g.pick("sum", "mean"), func(g drawer) string { return g.linear(d) })
	case 6:
		return "weigh(" + g.pick("2", "-1.5") + ", " + g.linear(d) + ")"
	case 7:
		return g.derivative(d)
	case 8:
		return "(" + g.linear(d) + " + " + g.pick("0", "(1 - 1)", "half * 0") + ")"
	case 9:
		if by := g.given(false); by != "" {
			return g.pick(by+" * "+g.linear(d), "weigh("+by+", "+g.linear(d)+")", g.linear(d)+" / (2 + "+g.given(true)+")")
		}
	}
	return g.leaf()
}

// derivative draws the derivative of a linear expression, under whatever is bound.
func (g drawer) derivative(depth int) string {
	if g.within == 2 {
		return g.leaf()
	}
	along := []string{"(area)", "(age, unit = raw)"}
	columns := len(along)
	if g.within == 0 {
		along = append(append(along, "double"), g.maps...)
		if g.path != "" {
			along = append(along, g.lambda, g.lambda)
		}
	}
	with := g.pick(along...)
	if slices.Contains(along[:columns], with) {
		g.within++
	} else {
		g.within = 2
	}
	if with == g.lambda && g.path != "" {
		return "d/d" + with + g.pick(" (f("+g.path+") - ", " ("+with+" * f("+g.path+"(1)) - ", " ((1 - "+with+") * f("+g.path+") - ") + g.linear(depth) + ")"
	}
	return "d/d" + with + " (" + g.linear(depth) + ")"
}

// given draws a number that the data decide: of any sign, or mostly of none that is negative. Empty where no row is bound.
func (g drawer) given(nonnegative bool) string {
	if g.path != "" && (len(g.rows) == 0 || g.chance(70)) {
		l := g.lambda
		forms := []string{l, "(1 - " + l + ")"}
		if !nonnegative {
			forms = append(forms, "("+l+" - 0.5)", "(2 * "+l+" - 1)")
		}
		if g.within == 0 {
			forms = append(forms, l+" * (1 - "+l+")", l+" * "+l, "|"+l+" - 0.5|", "sqrt("+l+")", "(1 / (1 + "+l+"))")
		}
		return g.pick(forms...)
	}
	if g.weight != "" && g.chance(60) {
		w := g.weight
		forms := []string{w, w, "sqrt(" + w + ")", "(" + w + " * " + w + ")", "(1 / (0.5 + " + w + "))", "max {" + w + ", 1}", "|" + w + " - 1|"}
		if !nonnegative {
			forms = append(forms, "-"+w, "("+w+" - 1)", "("+w+" - 0.25)", "(1 - "+w+")", "min {"+w+", 1}")
		}
		return g.pick(forms...)
	}
	if len(g.rows) == 0 {
		return ""
	}
	row := g.pick(g.rows...)
	cell := g.pick("area", "age", "floor", "rooms") + "(" + row + ")"
	if g.bare && slices.Contains(g.rows, g.points[len(g.points)-1]) && g.chance(40) {
		cell = g.pick("area", "age", "floor", "(\"rooms\" * 1)")
	}
	forms := []string{"|" + cell + "|", "floor(" + row + ")", "(" + cell + " * " + cell + ")", "max {" + cell + ", 0.5}", "sqrt(|" + cell + "|)", "pos(" + cell + ")", "(1 / (1 + |" + cell + "|))", cell}
	if !nonnegative {
		forms = append(forms, "-"+cell, "("+cell+" - 1)", "(half * "+cell+")", "mean {"+cell+", 1}", "(2 / "+cell+")", "hypot("+cell+", 3)", "min {"+cell+", 1}")
	}
	return g.pick(forms...)
}

// constant draws a number that stands beside f, or under a quantifier.
func (g drawer) constant() string {
	return g.pick("1", "(2 - 1)", "grid(0, 1)", "(2 - sum over w in rows of 1)", "(1 - mean over w in rows where area(w) > 0 of 1)",
		"(norm(2) over w in rows of 1 - norm(2) {1, 1})", "(2 - sum over u in {move(area, 1), double()} of 1)", "(max over w in rows of 1)",
		"(sum over w in rows where area(w) > 1 of half - 1)")
}

// convex draws an expression that is convex.
func (g drawer) convex(depth int) string {
	if g.chance(g.wild) {
		return g.any(depth)
	}
	d := depth - 1
	if depth <= 0 {
		return g.linear(0)
	}
	switch rapid.IntRange(0, 6).Draw(g.t, "convex") {
	case 0:
		return "(" + g.convex(d) + " + " + g.convex(d) + ")"
	case 1:
		return "(" + g.nonnegative(d) + " - " + g.linear(d) + ")"
	case 2:
		return "max {" + g.convex(d) + ", " + g.convex(d) + "}"
	case 3:
		return g.over(g.pick("max", "sum", "mean"), func(g drawer) string { return g.convex(d) })
	case 4:
		return g.linear(d)
	}
	return g.nonnegative(d)
}

// nonnegative draws an expression that is convex and nonnegative.
func (g drawer) nonnegative(depth int) string {
	if g.chance(g.wild) {
		return g.any(depth)
	}
	d := depth - 1
	if depth <= 0 {
		return g.pick("|"+g.leaf()+"|", "pos("+g.leaf()+")")
	}
	switch rapid.IntRange(0, 13).Draw(g.t, "nonnegative") {
	case 0, 1:
		return "|" + g.linear(d) + "|"
	case 2:
		return "pos(" + g.convex(d) + ")"
	case 3:
		return "(" + g.nonnegative(d) + " + " + g.nonnegative(d) + ")"
	case 4:
		return g.pick("2", "0.5", "3 / 2", "half", "grid(1, 2)") + " * " + g.nonnegative(d)
	case 5:
		return "hypot(" + g.nonnegative(d) + ", " + g.nonnegative(d) + ")"
	case 6:
		return g.pick("max", "sum", "mean", "rms", "norm(3)", "norm(1)", "top(1)", "top(2)") + " {" + g.nonnegative(d) + ", " + g.nonnegative(d) + "}"
	case 7:
		return "max {" + g.convex(d) + ", " + g.nonnegative(d) + "}"
	case 8:
		return g.called(d)
	case 9:
		return g.subtle(d)
	case 10:
		if by := g.given(!g.chance(10)); by != "" {
			return g.pick(by+" * "+g.nonnegative(d), "weigh("+by+", "+g.nonnegative(d)+")")
		}
	}
	return g.over(g.pick("max", "sum", "mean", "rms", "norm(3)", "norm(1.5)", "top(2)"), func(g drawer) string { return g.nonnegative(d) })
}

// subtle draws what is convex or not by a hair: a number beside f, a maximum over what may be nothing, what is constant along a path,
// parts that nearly cancel.
func (g drawer) subtle(depth int) string {
	e := g.linear(depth - 1)
	by := g.given(false)
	if by == "" {
		by = "2"
	}
	forms := []string{
		"|" + by + " * (" + e + ") - (" + e + ") * " + by + "|", "max {" + by + " * (" + e + "), -(" + e + ") * " + by + "}", "|" + by + " * (" + e + ") - (" + e + ")|",
		"|" + e + " + " + g.constant() + "|", "max {" + e + ", " + g.constant() + "}", g.constant() + " * |" + e + "|",
		"max {" + e + ", -(" + e + ")}", "max {" + e + ", -2 * (" + e + ")}", "|(" + e + ") - (" + e + ") + " + g.leaf() + "|",
	}
	point := g.pick(g.points...)
	if g.within == 0 {
		forms = append(forms, "|d/d(age) f("+point+") - d/d(age, unit = raw) f("+point+")|", "max {d/d(area) f("+point+"), -d/d(age) f("+point+")}",
			"|d/d(age) d/d(area) f("+point+") - d/d(area, unit = raw) d/d(age) f("+point+")|",
			"|d/d(age) d/d(area) f("+point+") - d/d(area) d/d(age) f("+point+")|")
		if g.path != "" {
			p, l := g.path, g.lambda
			forms = append(forms, "|d/d"+l+" (f("+p+") - mean over q in [0, 0.5] of f("+p+"))|", "|d/d"+l+" (f("+p+") - sum over q in [0, 1] of 2 * f("+p+"))|")
		}
	}
	for _, x := range g.rows {
		larger := " over w in rows where area(w) > area(" + x + ") of "
		forms = append(forms, "pos("+e+" + max"+larger+"f(w))", "|"+e+" - mean"+larger+"(f(w) - f("+x+"))|", "max {"+e+", 2 * (max"+larger+"f(w)), 0}")
	}
	return g.pick(forms...)
}

// called draws a call of a definition.
func (g drawer) called(depth int) string {
	switch rapid.IntRange(0, 3).Draw(g.t, "called") {
	case 0:
		return "weigh(2, " + g.nonnegative(depth) + ")"
	case 1:
		return "worst(" + g.nonnegative(depth) + ")"
	}
	if g.joint && g.bare {
		return g.pick("implies", "excludes", "gap") + "(" + g.label() + ", " + g.label() + ")"
	}
	return "gap(" + g.pick(g.points...) + ", " + g.pick(g.points...) + ")"
}

// any draws what may be convex or not.
func (g drawer) any(depth int) string {
	if depth <= 0 {
		return g.leaf()
	}
	d := depth - 1
	g.wild /= 2
	switch rapid.IntRange(0, 13).Draw(g.t, "any") {
	case 0:
		return "-" + g.nonnegative(d)
	case 1:
		return "(" + g.linear(d) + ") * (" + g.linear(d) + ")"
	case 2:
		return "min {" + g.linear(d) + ", " + g.convex(d) + "}"
	case 3:
		return "(" + g.convex(d) + " - " + g.nonnegative(d) + ")"
	case 4:
		return "-2 * " + g.convex(d)
	case 5:
		return "(" + g.linear(d) + ") / (" + g.linear(d) + ")"
	case 6:
		return "|" + g.convex(d) + "|"
	case 7:
		return "(" + g.linear(d) + " + " + g.constant() + ")"
	case 8:
		return g.constant() + " * " + g.nonnegative(d)
	case 9:
		return g.pick("grid(1, -1)", "grid(2, 0)", "(grid(1, 3) - 2)") + " * " + g.convex(d)
	case 10:
		e := g.linear(d)
		return "max {" + e + ", -(" + e + ")}"
	case 11:
		return g.pick("norm(3)", "top(1)", "rms") + " {" + g.convex(d) + ", " + g.convex(d) + "}"
	case 12:
		if by := g.given(true); by != "" {
			return g.pick("(-1 - |"+by+"|) * "+g.convex(d), by+" * "+g.convex(d), "("+g.linear(d)+" + "+by+")", "("+by+" * "+g.convex(d)+" - "+g.nonnegative(d)+")")
		}
	}
	return g.convex(d)
}

// over puts an expression under an aggregation over index sets.
func (g drawer) over(agg string, of func(drawer) string) string {
	if g.sets >= 3 {
		return of(g)
	}
	inner := g
	inner.sets++
	counted := strings.HasPrefix(agg, "top")
	kind := g.pick(g.domains(counted)...)
	where := ""
	switch {
	case kind == "x":
		inner.bind(true, "x")
		where = g.pick("region == \"north\"", "area > 1 and not floor == 2", "floor <= 3 or region != \"north\"")
	case kind == "z in rows":
		inner.bind(true, "z")
		where = g.pick(append(g.against("z"), "region(z) == \"north\"", "area(z) > -1", "area(z) > 1")...)
	case strings.HasPrefix(kind, "(a, b)"):
		inner.bind(true, "a", "b")
		where = g.pick(append(g.against("a"), "area(a) <= area(b)")...)
	case strings.HasPrefix(kind, "(a, b, e)"):
		inner.bind(true, "a", "b")
		inner.weight = "e"
		where = g.pick("e > 0", "0.5 <= e and area(a) <= area(b)", "not e == 3", "e > area(a)")
	case strings.HasPrefix(kind, "t in"):
		inner.maps = append(clip(inner.maps), "t")
	case strings.HasPrefix(kind, "c in"):
		where = g.pick(append(g.others(), "c != animal", "c == cat")...)
		inner.labels = append(clip(inner.labels), "c")
	case strings.HasPrefix(kind, "(u, v)"):
		inner.labels = append(clip(inner.labels), "u", "v")
	case strings.HasPrefix(kind, "r in"):
		inner.lambda = "r"
	default:
		point, lambda := "x", "λ"
		if strings.HasPrefix(kind, "(p") {
			point, lambda = "p", "s"
		}
		inner.bind(false, point)
		inner.path, inner.lambda = point, lambda
		if counted {
			inner.sets++
			return agg + " over " + kind + " of max over " + inner.lambda + " in [0, 1] of " + of(inner)
		}
	}
	if where != "" && g.chance(40) {
		kind += " where " + where
	}
	return agg + " over " + kind + " of " + of(inner)
}

// bind binds names to points, over what they stood for.
func (g *drawer) bind(rows bool, names ...string) {
	g.points, g.rows, g.bare = clip(g.points), clip(g.rows), len(names) == 1
	for _, name := range names {
		g.points = append(g.points, name)
		g.rows = slices.DeleteFunc(slices.Clone(g.rows), func(other string) bool { return other == name })
		if rows {
			g.rows = append(g.rows, name)
		}
		if name == g.path {
			g.path, g.lambda = "", ""
		}
	}
}

// against are conditions between a point and those around.
func (g drawer) against(point string) []string {
	var out []string
	for _, other := range g.rows {
		if other != point {
			out = append(out, "area("+point+") > area("+other+")", "age("+point+") < age("+other+") and area("+point+") != area("+other+")", "region("+point+") == region("+other+")")
		}
	}
	return out
}

// others are conditions between a label and those around.
func (g drawer) others() []string {
	var out []string
	for _, other := range g.labels {
		if other != "c" {
			out = append(out, "c != "+other, "c == "+other)
		}
	}
	return out
}

// domains are the index sets that can stand here.
func (g drawer) domains(counted bool) []string {
	kinds := []string{"x", "z in rows", "(a, b) in graph(\"edges.csv\")", "(a, b, e) in graph(\"weighed.csv\", weight = strength)", "t in {move(area, 0.5), move(age, -1)}", "t in {move(rooms, 2), double()}", "t in {move(age, 2)}"}
	if g.joint {
		kinds = append(kinds, "c in labels", "c in {cat, dog}", "c in {animal}", "(u, v) in edges(tax)", "(u, v) in siblings(tax)")
		if g.path == "" {
			kinds = append(kinds, "pairs(count = 3)", "(p, s) in pairs(count = 3)")
		}
	}
	if g.path != "" && !counted {
		kinds = append(kinds, "r in [0, 0.5]", "r in [0, 1]")
	}
	if len(g.points) == 0 {
		kinds = kinds[:4]
		if g.joint && g.chance(25) {
			kinds = []string{"pairs(count = 3)", "(p, s) in pairs(count = 3)"}
		}
	}
	return kinds
}

func clip(s []string) []string { return s[:len(s):len(s)] }
