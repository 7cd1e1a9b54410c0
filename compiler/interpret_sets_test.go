package compiler

import (
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// over puts an expression under an aggregation over index sets.
func (g drawer) over(agg string, of func(drawer) string) string {
	if g.sets >= 3 {
		return of(g)
	}
	inner := g
	inner.sets++
	counted := strings.HasPrefix(agg, "top")
	kind := g.pick(g.domains(counted)...)
	if where := inner.binds(g, kind); where != "" && g.chance(map[bool]int{true: 70, false: 40}[g.whole && strings.HasPrefix(kind, "c in")]) {
		kind += " where " + where
	}
	if strings.Contains(kind, "pairs") || strings.Contains(kind, "some") {
		if counted {
			inner.sets++
			return agg + " over " + kind + " of max over " + inner.lambda + " in " + g.pick("[0, 1]", g.interval()) + " of " + of(inner)
		}
	} else if second := g.second(kind); g.whole && second != "" && !strings.Contains(kind, "where") && g.chance(20) {
		outer := inner
		if where := inner.binds(outer, second); where != "" && g.chance(30) {
			second += " where " + where
		}
		kind += ", " + second
	}
	return agg + " over " + kind + " of " + of(inner)
}

// interval is a part of a path, by its name where names may be drawn.
func (g drawer) interval() string {
	if g.whole {
		return g.pick("part", "[0, half]", "[0.25, 1]")
	}
	return "[0, 1]"
}

// second is a further index set in the quantifier over one.
func (g drawer) second(first string) string {
	var kinds []string
	add := func(prefix string, sets ...string) {
		if !strings.HasPrefix(first, prefix) {
			kinds = append(kinds, sets...)
		}
	}
	add("t in", g.transformations()...)
	if g.labels {
		add("c in", "c in labels", "c in {cat, dog}", "c in pets")
		add("(u, v)", "(u, v) in edges(tax)", "(u, v) in siblings(tax)")
	}
	if !g.image {
		add("k in", "k in columns(area, age)", "k in rising")
	}
	if len(kinds) == 0 {
		return ""
	}
	return g.pick(kinds...)
}

// binds takes in the names of an index set, and returns a condition for its elements, empty where it has none.
func (g *drawer) binds(outer drawer, kind string) (where string) {
	switch {
	case kind == "x":
		g.bind(true, "x")
		return g.condition("x", g.pick(`region == "north"`, "area > 1 and not floor == 2", `floor <= 3 or region != "north"`))
	case strings.HasPrefix(kind, "z in"):
		g.bind(true, "z")
		return g.condition("z", g.pick(append(outer.against("z"), `region(z) == "north"`, "area(z) > -1", "area(z) > 1")...))
	case strings.HasPrefix(kind, "(a, b)"), strings.HasPrefix(kind, "graph"):
		g.bind(true, "a", "b")
		return g.condition("a", g.pick(append(outer.against("a"), "area(a) <= area(b)")...))
	case strings.HasPrefix(kind, "(a, b, e)"), strings.HasPrefix(kind, "heavy"):
		g.bind(true, "a", "b")
		g.weight = map[bool]string{true: "e", false: "strength"}[strings.HasPrefix(kind, "(")]
		e := g.weight
		return g.condition("b", g.pick(e+" > 0", "0.5 <= "+e+" and area(a) <= area(b)", "not "+e+" == 3", e+" > area(a)"))
	case strings.HasPrefix(kind, "t in {put"), strings.HasPrefix(kind, "t in {swap"):
		g.maps = slices.DeleteFunc(slices.Clone(g.maps), func(t string) bool { return t == "t" })
		g.jumps = append(clip(g.jumps), "t")
	case strings.HasPrefix(kind, "t in"):
		g.jumps = slices.DeleteFunc(slices.Clone(g.jumps), func(t string) bool { return t == "t" })
		g.maps = append(clip(g.maps), "t")
	case strings.HasPrefix(kind, "k in"):
		g.cols = append(clip(g.cols), "k")
	case strings.HasPrefix(kind, "c in"):
		where = g.pick(append(outer.others(), "c != animal", "c == cat")...)
		g.named = append(clip(g.named), "c")
	case strings.HasPrefix(kind, "(u, v)"):
		g.named = append(clip(g.named), "u", "v")
	case strings.HasPrefix(kind, "labels"):
		g.named = append(clip(g.named), "label")
	case strings.HasPrefix(kind, "edges"):
		g.named = append(clip(g.named), "child", "parent")
	case strings.HasPrefix(kind, "r in"):
		g.lambda = "r"
	default:
		point, lambda := "x", "λ"
		if strings.HasPrefix(kind, "(p") {
			point, lambda = "p", "s"
		}
		g.bind(false, point)
		g.path, g.lambda = point, lambda
	}
	return where
}

// condition draws one about rows: an old one, or one of all constructs.
func (g drawer) condition(point, old string) string {
	if !g.whole || g.chance(25) {
		return old
	}
	switch one := g.comparison(point); {
	case g.chance(15):
		return "not " + one
	case g.chance(10):
		return "not (" + one + " or " + g.comparison(point) + ")"
	case g.chance(20):
		return one + " or " + g.comparison(point)
	case g.chance(16):
		return one + " and (" + g.comparison(point) + " or " + g.comparison(point) + ")"
	default:
		return one
	}
}

// comparison draws what is true of a row, or of several, or not.
func (g drawer) comparison(point string) string {
	row := g.pick(append([]string{point}, g.rows...)...)
	at := "(" + row + ")"
	forms := []string{
		"area" + at + " >= 0", `"living area"` + at + " - area" + at + " > -3", "region" + at + " in cold", "floor" + at + " in {1, 4}", "age" + at + " in [0, 3]",
		"|area" + at + " - 1| <= 2", "floor" + at + " != 2", `region` + at + ` in {"north", "east"}`, "decade" + at + " != 70", "decade" + at + " == 70",
		"2 * area" + at + " + 1 > age" + at, "max {area" + at + ", rooms" + at + "} > 1", "sqrt(|age" + at + "|) < half + 1", "region" + at + " == up", "area" + at + " * 1 in middle",
	}
	if g.bare && g.points[len(g.points)-1] == point {
		forms = append(forms, "young", "young", "young", "young", "young", "age in middle", `"living area" < 0`, `"living area" in [-2, 2]`, "region in cold", "region == zone", "member == 1", "age + rooms > 50%", `zone in {"north", down}`, "floor == 4", "decade < 71")
	}
	if others := slices.DeleteFunc(slices.Clone(g.rows), func(row string) bool { return row == point }); len(others) > 0 {
		other := g.pick(others...)
		forms = append(forms[:len(forms)/3], point+" != "+other, point+" != "+other, point+" == "+other, "near("+point+", "+other+")", "near("+point+", "+other+")", "near(b = "+point+", a = "+other+")", "|age("+point+") - age("+other+")| < 2", "region("+point+") == region("+other+")", "region("+point+") == zone("+other+")")
	}
	if g.weight != "" {
		forms = append(forms, g.weight+" in [0.5, 3]", g.weight+" * 2 != 1", g.weight+" + area"+at+" > 0")
	}
	return g.pick(forms...)
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
	for _, other := range g.named {
		if other != "c" {
			out = append(out, "c != "+other, "c == "+other)
		}
	}
	return out
}

// transformations are sets of them.
func (g drawer) transformations() []string {
	if g.image {
		return []string{"t in {rotate(10deg), scale(0.1)}", "t in {shift(dx = -1), shift(dx = 3, dy = 4)}", "t in {shear(x = 0.2), older}", "t in {scale(factor = -0.1), rotate(-20deg)}", "t in moves", "t in {shear(y = 0.5)}"}
	}
	kinds := []string{"t in {move(area, 0.5), move(age, -1)}", "t in {move(rooms, 2), double()}", "t in {move(age, 2)}"}
	if g.whole {
		kinds = append(kinds, "t in moves", "t in {older, double()}", "t in {put(area, 1), older}", "t in {put(region, \"north\"), put(zone, up)}", "t in {swap(area, age)}", "t in {swap(region, zone), put(\"living area\", half)}")
	}
	return kinds
}

// domains are the index sets that can stand here.
func (g drawer) domains(counted bool) []string {
	rows := []string{"x", "z in rows"}
	graphs := []string{`(a, b) in graph("edges.csv")`, `(a, b, e) in graph("weighed.csv", weight = strength)`}
	var labels, columns, intervals []string
	if g.labels {
		labels = []string{"c in labels", "c in {cat, dog}", "c in {animal}", "(u, v) in edges(tax)", "(u, v) in siblings(tax)"}
	}
	paths := g.drawnPaths()
	if g.path != "" {
		paths = nil
		if !counted {
			intervals = []string{"r in [0, 0.5]", "r in [0, 1]", "r in " + g.interval()}
		}
	}
	if !g.whole {
		if len(g.points) == 0 && (len(paths) == 0 || !g.chance(25)) {
			return append(rows, graphs...)
		} else if len(g.points) == 0 {
			return paths
		}
		return slices.Concat(rows, graphs, g.transformations(), labels, paths, intervals)
	}
	rows = append(rows, "x", "z in all")
	graphs = append(graphs, "(a, b) in streets", `graph("edges.csv")`, "(a, b, e) in heavy", "heavy")
	if g.labels {
		labels = append(labels, "c in labels", "labels", "labels", "labels", "labels", "labels", "c in pets", "c in pets", "c in tops", "edges(tax)", "edges(tax)", "edges(tax)", "edges(tax)", "edges(tax)", "(u, v) in edges(tax)", "(u, v) in siblings(tax)")
	}
	if !g.image {
		columns = []string{"k in columns(area, age)", `k in columns("a*", "living area")`, "k in rising"}
	}
	kinds := [][]string{rows, rows, graphs, paths}
	if len(g.points) > 0 {
		kinds = [][]string{rows, graphs, paths, g.transformations(), labels, labels, labels, labels, columns, intervals}
	}
	kinds = slices.DeleteFunc(kinds, func(k []string) bool { return len(k) == 0 })
	return kinds[rapid.IntRange(0, len(kinds)-1).Draw(g.t, "kind")]
}

// drawnPaths are the index sets of paths.
func (g drawer) drawnPaths() []string {
	if !g.whole {
		return map[bool][]string{true: {"pairs(count = 3)", "(p, s) in pairs(count = 3)"}}[g.labels]
	}
	kinds := []string{"pairs(count = 3)", g.pick("(p, s) in some", "some"), "pairs(count = 2, choose = nearest, neighbours = 1)"}
	if g.labels {
		kinds = append(kinds, "(p, s) in pairs(count = 1n, choose = "+g.pick("same_class", "different_class", "nearest_same_class")+")", "pairs(count = 2, choose = "+g.pick("same_class", "different_class")+")")
	}
	return append(kinds, "(p, s) in pairs(count = 2, seed = "+g.pick("1", "2")+")")
}

func clip(s []string) []string { return s[:len(s):len(s)] }
