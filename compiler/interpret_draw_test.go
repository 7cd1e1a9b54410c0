package compiler

import (
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
	labels []string // names bound to labels
	maps   []string // names bound to transformations
	sets   int      // index sets around
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
		forms = append(forms, "f(jitter(area, 0.5))")
	}
	forms = append(forms, plain...)
	for _, t := range g.maps {
		forms = append(forms, "f("+t+"("+point+"))", "d/d"+t+" "+g.pick(plain...))
	}
	forms = append(forms, "d/d(area) "+g.pick(plain...))
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
	switch rapid.IntRange(0, 8).Draw(g.t, "linear") {
	case 0:
		return "(" + g.linear(d) + " + " + g.linear(d) + ")"
	case 1:
		return "(" + g.linear(d) + " - " + g.linear(d) + ")"
	case 2:
		return "-" + g.linear(d)
	case 3:
		return g.pick("2", "0.5", "-3", "0") + " * " + g.linear(d)
	case 4:
		return g.pick("sum", "mean") + " {" + g.linear(d) + ", " + g.linear(d) + "}"
	case 5:
		return g.over(g.pick("sum", "mean"), func(g drawer) string { return g.linear(d) })
	case 6:
		return "weigh(" + g.pick("2", "-1.5") + ", " + g.linear(d) + ")"
	}
	return g.leaf()
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
	switch rapid.IntRange(0, 11).Draw(g.t, "nonnegative") {
	case 0, 1:
		return "|" + g.linear(d) + "|"
	case 2:
		return "pos(" + g.convex(d) + ")"
	case 3:
		return "(" + g.nonnegative(d) + " + " + g.nonnegative(d) + ")"
	case 4:
		return g.pick("2", "0.5", "3 / 2") + " * " + g.nonnegative(d)
	case 5:
		return "hypot(" + g.nonnegative(d) + ", " + g.nonnegative(d) + ")"
	case 6:
		return g.pick("max", "sum", "mean", "rms", "norm(3)", "norm(1)", "top(1)", "top(2)") + " {" + g.nonnegative(d) + ", " + g.nonnegative(d) + "}"
	case 7:
		return "max {" + g.convex(d) + ", " + g.nonnegative(d) + "}"
	case 8:
		return g.called(d)
	}
	return g.over(g.pick("max", "sum", "mean", "rms", "norm(3)", "norm(1.5)", "top(2)"), func(g drawer) string { return g.nonnegative(d) })
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
	switch rapid.IntRange(0, 7).Draw(g.t, "any") {
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
	inner.points, inner.labels, inner.maps = clip(g.points), clip(g.labels), clip(g.maps)
	counted := strings.HasPrefix(agg, "top")
	kinds := []string{"x", "z in rows", "(a, b) in graph(\"edges.csv\")", "t in {jitter(area, 0.5), jitter(age, -1)}", "t in {jitter(rooms, 2), double()}"}
	if g.joint {
		kinds = append(kinds, "c in labels", "c in {cat, dog}", "(u, v) in edges(tax)", "(u, v) in siblings(tax)")
		if g.path == "" {
			kinds = append(kinds, "pairs(count = 3)", "(p, s) in pairs(count = 3)")
		}
	}
	if g.path != "" && !counted {
		kinds = append(kinds, "r in [0, 0.5]", "r in [0, 1]")
	}
	if len(g.points) == 0 {
		kinds = kinds[:3]
	}
	kind := g.pick(kinds...)
	where := ""
	switch {
	case kind == "x":
		inner.points, inner.bare = append(inner.points, "x"), true
		where = " where " + g.pick("region == \"north\"", "area > 1 and not floor == 2", "floor <= 3 or region != \"north\"")
	case kind == "z in rows":
		inner.points, inner.bare = append(inner.points, "z"), true
		where = " where " + g.pick("region(z) == \"north\"", "area(z) > -1")
	case strings.HasPrefix(kind, "(a, b)"):
		inner.points, inner.bare = append(inner.points, "a", "b"), false
		where = " where area(a) <= area(b)"
	case strings.HasPrefix(kind, "t in"):
		inner.maps = append(inner.maps, "t")
	case strings.HasPrefix(kind, "c in"):
		inner.labels = append(inner.labels, "c")
		where = " where c != animal"
	case strings.HasPrefix(kind, "(u, v)"):
		inner.labels = append(inner.labels, "u", "v")
	case strings.HasPrefix(kind, "r in"):
		inner.lambda = "r"
	default:
		inner.path, inner.lambda = "x", "λ"
		if strings.HasPrefix(kind, "(p") {
			inner.path, inner.lambda = "p", "s"
		}
		inner.points, inner.bare = append(inner.points, inner.path), true
		if counted {
			inner.sets++
			return agg + " over " + kind + " of max over " + inner.lambda + " in [0, 1] of " + of(inner)
		}
	}
	if where != "" && !g.chance(30) {
		where = ""
	}
	return agg + " over " + kind + where + " of " + of(inner)
}

func clip(s []string) []string { return s[:len(s):len(s)] }
