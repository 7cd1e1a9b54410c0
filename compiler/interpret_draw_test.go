package compiler

import (
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// A drawer draws well-typed expressions as text. Asked for a linear, a convex or a nonnegative one, it mostly draws such; what the
// calculus says of it is another matter.
type drawer struct {
	t *rapid.T
	shape
	whole  bool     // all constructs of the language; else those of which counterexamples are told
	wild   int      // in a hundred: parts that are not what is asked for
	points []string // names bound to points
	bare   bool     // f alone is at a point
	path   string   // the point of the path bound around, and its parameter
	lambda string
	weight string   // the name bound to an edge's weight
	named  []string // names bound to labels
	maps   []string // names bound to transformations with a derivative
	jumps  []string // names bound to those that may have none
	cols   []string // names bound to columns
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
	if g.whole && len(g.named) > 0 && g.chance(60) {
		return g.pick(g.named...)
	}
	return g.pick(append([]string{"cat", "dog", "animal"}, g.named...)...)
}

// leaf is f or a derivative of it.
func (g drawer) leaf() string {
	point := g.pick(g.points...)
	plain := g.plain(point)
	if bound := g.ofBound(point, plain); g.whole && len(bound) > 0 && g.chance(50) {
		return g.pick(bound...)
	}
	forms := append(g.further(point), plain...)
	forms = append(forms, plain...)
	if g.path != "" {
		p := g.path
		forms = append(forms, "f("+p+"(1))", "f("+p+"(0))", "f("+p+"(0.25))", "f("+p+"("+g.lambda+"))")
		if g.labels {
			forms = append(forms, "f("+p+"(1), "+g.label()+")")
		}
	}
	if g.within == 2 {
		return g.pick(forms...)
	}
	if slopes := g.slopes(); len(slopes) > 0 {
		forms = append(forms, g.pick(slopes...)+g.pick(plain...), g.pick(slopes...)+g.pick(plain...))
		if g.within == 0 {
			forms = append(forms, g.pick(slopes...)+g.pick(slopes...)+g.pick(plain...))
		}
	}
	if g.within == 1 {
		return g.pick(forms...)
	}
	for _, t := range g.maps {
		forms = append(forms, "d/d"+t+" "+g.pick(plain...))
	}
	if g.image {
		forms = append(forms, "d/drotate "+g.pick(plain...), "d/dscale "+g.pick(plain...))
	}
	forms = append(forms, "d/ddouble "+g.pick(plain...))
	if g.path != "" {
		forms = append(forms, "d/d"+g.lambda+" f("+g.path+")")
		if g.labels {
			forms = append(forms, "d/d"+g.lambda+" f("+g.path+", "+g.label()+")")
		}
	}
	return g.pick(forms...)
}

// ofBound are forms with what is bound to columns, transformations and paths.
func (g drawer) ofBound(point string, plain []string) (forms []string) {
	for _, t := range append(clip(g.maps), g.jumps...) {
		forms = append(forms, "f("+t+"("+point+"))")
		if g.labels {
			forms = append(forms, "f("+t+"("+point+"), "+g.label()+")")
		}
	}
	for _, t := range g.maps {
		if g.within == 0 {
			forms = append(forms, "d/d"+t+" "+g.pick(plain...))
		}
	}
	for _, c := range g.cols {
		if g.within < 2 {
			forms = append(forms, "d/d("+c+") "+g.pick(plain...), "d/d("+c+") "+g.pick(plain...))
		}
	}
	if g.path != "" {
		p := g.path
		forms = append(forms, "f("+p+"("+g.pick("1", "0", "0.25", g.lambda)+"))")
		if g.labels {
			forms = append(forms, "f("+p+"("+g.pick("1", "0")+"), "+g.label()+")")
		}
		if g.within == 0 {
			forms = append(forms, "d/d"+g.lambda+" f("+p+")")
		}
	}
	return forms
}

// plain are the forms of f where it is not moved.
func (g drawer) plain(point string) []string {
	forms := []string{"f(" + point + ")"}
	if g.labels {
		forms = append(forms, "f("+point+", "+g.label()+")")
		if g.bare {
			forms = append(forms, "f("+g.label()+")")
		}
	}
	if g.bare {
		forms = append(forms, "f")
	}
	return forms
}

// further are those where it is moved.
func (g drawer) further(point string) []string {
	forms := []string{"f(double(" + point + "))"}
	if g.labels {
		forms = append(forms, "f(double("+point+"), "+g.label()+")")
	}
	if g.bare && !g.image {
		forms = append(forms, "f(move(area, 0.5))")
	}
	for _, t := range append(clip(g.maps), g.jumps...) {
		forms = append(forms, "f("+t+"("+point+"))", "f("+t+"(double("+point+")))")
		if g.labels {
			forms = append(forms, "f("+t+"("+point+"), "+g.label()+")")
		}
	}
	if !g.whole {
		return forms
	}
	if g.bare {
		if g.image {
			forms = append(forms, "f("+g.pick("rotate(10deg)", "rotate(-30deg)", "scale(0.2)", "scale(-0.2)", "shift(dx = 1)", "shift(dx = -0.5, dy = 0.25)", "shear(x = 0.3)", "shear(x = 0.1, y = -0.2)")+")")
		} else {
			forms = append(forms, "f("+g.pick("put(area, 1)", "put(region, \"north\")", "put(zone, up)", "swap(area, age)", "swap(region, zone)", "swap(rooms, \"living area\")", "move(\"living area\", -half)")+")")
		}
	}
	forms = append(forms, "f(older("+point+"))")
	if all := append(clip(g.maps), g.jumps...); len(all) > 0 {
		forms = append(forms, "f("+g.pick(all...)+"("+g.pick(all...)+"("+point+")))", "f(older("+g.pick(all...)+"("+point+")))")
	}
	return forms
}

// slopes are the derivatives along columns.
func (g drawer) slopes() []string {
	if g.image {
		return nil
	}
	forms := []string{"d/d(area) ", "d/d(age) ", "d/d(area, unit = raw) ", "d/d(age, unit = raw) "}
	if !g.whole {
		return forms
	}
	for _, c := range g.cols {
		forms = append(forms, "d/d("+c+") ", "d/d("+c+") ", "d/d("+c+", unit = raw) ")
	}
	return append(forms, "d/d(\"living area\") ", "d/d(\"region=north\") ")
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
		return g.pick("2", "0.5", "-3", "0", "half", "grid(2, -1)", "(1 - 1)", g.percent()) + " * " + g.linear(d)
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
			forms := []string{by + " * " + g.linear(d), "weigh(" + by + ", " + g.linear(d) + ")"}
			if g.within == 0 || g.path == "" { // a derivative along a path is evaluated as that of a polynomial
				forms = append(forms, "("+g.linear(d)+") / (2 + "+g.given(true)+")")
			}
			return g.pick(forms...)
		}
	}
	return g.leaf()
}

// derivative draws the derivative of a linear expression, under whatever is bound.
func (g drawer) derivative(depth int) string {
	if g.within == 2 {
		return g.leaf()
	}
	along := []string{}
	for _, s := range g.slopes() {
		along = append(along, strings.TrimSuffix(strings.TrimPrefix(s, "d/d"), " "))
	}
	columns := len(along)
	if g.within == 0 {
		along = append(append(along, "double"), g.maps...)
		if g.path != "" {
			along = append(along, g.lambda, g.lambda)
		}
	}
	with := g.pick(along...)
	if columns > 0 && slices.Contains(along[:columns], with) {
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
	cells := []string{"area", "age", "floor", "rooms"}
	if g.whole {
		cells = append(cells, "\"living area\"", "decade", "member")
	}
	cell := g.pick(cells...) + "(" + row + ")"
	if g.bare && slices.Contains(g.rows, g.points[len(g.points)-1]) && g.chance(40) {
		cell = g.pick("area", "age", "floor", "(\"rooms\" * 1)")
		if g.whole {
			cell = g.pick("area", "age", "member", "(\"living area\" * 1)")
		}
	}
	forms := []string{"|" + cell + "|", "floor(" + row + ")", "(" + cell + " * " + cell + ")", "max {" + cell + ", 0.5}", "sqrt(|" + cell + "|)", "pos(" + cell + ")", "(1 / (1 + |" + cell + "|))", cell}
	if !nonnegative {
		forms = append(forms, "-"+cell, "("+cell+" - 1)", "(half * "+cell+")", "mean {"+cell+", 1}", "(2 / "+cell+")", "hypot("+cell+", 3)", "min {"+cell+", 1}")
	}
	if g.whole {
		forms = append(forms, "norm(2) {"+cell+", 1}", "(third * "+cell+" * "+cell+")", "rms {"+cell+", 2}", "sum {|"+cell+"|, 1}")
	}
	return g.pick(forms...)
}

// constant draws a number that stands beside f, or under a quantifier.
func (g drawer) constant() string {
	return g.pick("1", "(2 - 1)", "grid(0, 1)", "(2 - sum over w in rows of 1)", "(1 - mean over w in rows where area(w) > 0 of 1)",
		"(norm(2) over w in rows of 1 - norm(2) {1, 1})", "(2 - sum over u in {move(area, 1), double()} of 1)", "(max over w in rows of 1)",
		"(sum over w in rows where area(w) > 1 of half - 1)")
}

// percent is a number in percent, or one that a let names.
func (g drawer) percent() string {
	if !g.whole {
		return "half"
	}
	return g.pick("50%", "-150%", "third", "strong", "much")
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
	if g.whole && g.weight != "" && g.chance(12) {
		return g.pick(g.weight, "sqrt("+g.weight+")", "(1 + "+g.weight+")") + " * " + g.nonnegative(d)
	}
	most := 13
	if g.whole && g.within == 0 {
		most = 17
	}
	switch rapid.IntRange(0, most).Draw(g.t, "nonnegative") {
	case 0, 1:
		return "|" + g.linear(d) + "|"
	case 2:
		return "pos(" + g.convex(d) + ")"
	case 3:
		return "(" + g.nonnegative(d) + " + " + g.nonnegative(d) + ")"
	case 4:
		return g.pick("2", "0.5", "3 / 2", "half", "grid(1, 2)", strings.TrimPrefix(g.percent(), "-")) + " * " + g.nonnegative(d)
	case 5:
		return "hypot(" + g.nonnegative(d) + ", " + g.nonnegative(d) + ")"
	case 6:
		return g.pick("max", "sum", "mean", "rms", "norm(3)", "norm(1)", "norm(2)", "top(1)", "top(2)") + " {" + g.nonnegative(d) + ", " + g.nonnegative(d) + "}"
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
	case 14, 15, 16:
		return g.statement()
	case 17:
		return g.called(d)
	}
	return g.over(g.pick("max", "sum", "mean", "rms", "norm(3)", "norm(1.5)", "norm(2)", "top(2)"), func(g drawer) string { return g.nonnegative(d) })
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
	if g.within == 0 && !g.image {
		forms = append(forms, "|d/d(age) f("+point+") - d/d(age, unit = raw) f("+point+")|", "max {d/d(area) f("+point+"), -d/d(age) f("+point+")}",
			"|d/d(age) d/d(area) f("+point+") - d/d(area, unit = raw) d/d(age) f("+point+")|",
			"|d/d(age) d/d(area) f("+point+") - d/d(area) d/d(age) f("+point+")|")
	}
	if g.within == 0 {
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
	if g.labels && g.bare {
		return g.pick("implies", "excludes", "gap") + "(" + g.label() + ", " + g.label() + ")"
	}
	if g.whole && g.chance(30) {
		return "gap(b = " + g.pick(g.points...) + ", a = " + g.pick(g.points...) + ")"
	}
	return "gap(" + g.pick(g.points...) + ", " + g.pick(g.points...) + ")"
}

// statement draws a call of a statement of the library, of another definition, or an invariance by its name.
func (g drawer) statement() string {
	point := g.pick(g.points...)
	column := g.pick(append([]string{"area", "age", "\"living area\"", "\"rooms\""}, g.cols...)...)
	kinds := []string{"base", "turned(" + g.pick(append([]string{"older", "double()"}, append(clip(g.maps), g.jumps...)...)...) + ", " + point + ")"}
	if g.bare {
		kinds = append(kinds, "calm("+g.pick("moves", "{older, double()}")+")")
		if g.labels {
			logic := g.pick("implies", "excludes", "implies", "excludes", "gap") + "(" + g.label() + ", " + g.label() + ")"
			kinds = append(kinds, logic, logic)
		}
		if slices.Contains(g.rows, g.points[len(g.points)-1]) {
			kinds = append(kinds, g.parity())
		}
	}
	if !g.image {
		word := g.pick("increasing", "decreasing", "convex", "concave", "smooth", "steep", "steep") + "(" + column + ")"
		kinds = append(kinds, word, word, word, word, word, word, word)
		if g.bare {
			kinds = append(kinds, "slope("+column+")")
		}
	}
	return g.pick(kinds...)
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

// parity draws a comparison of two groups of rows.
func (g drawer) parity() string {
	return g.pick("parity(member)", "parity(member)", "parity_between(region, \"north\", down)", "parity_between(floor, 1, 2)", "parity_between(zone, up, \"east\")")
}
