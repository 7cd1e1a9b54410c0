package fuzz

import (
	"fmt"
	"slices"
	"strings"
)

// A scope is what quantifiers around an expression have bound.
type scope struct {
	points []string // by name, the innermost last
	two    bool     // the innermost quantifier binds two, so that f must name its point
	path   bool     // the innermost point runs along a path
	lambda string   // the parameter of that path, once it is bound
	labels []string // variables that stand for labels
	moves  []string // variables that stand for transformations
	weight string   // of an edge
}

func (c scope) point() string { return c.points[len(c.points)-1] }

// with returns the scope in which a name is bound too.
func with(list []string, name ...string) []string { return append(slices.Clone(list), name...) }

// at returns f at a point.
func (s *scene) at(c scope) string {
	var args []string
	point := s.one(c.points...)
	switch {
	case len(c.moves) > 0 && s.chance(60):
		args = append(args, s.one(c.moves...)+"("+point+")")
	case c.path && point == c.point() && s.chance(30):
		args = append(args, point+"("+s.one("0", "1")+")")
	case c.two || point != c.point() || s.chance(40):
		args = append(args, point)
	}
	if s.labels != nil && s.chance(75) {
		args = append(args, s.one(append(with(c.labels, c.labels...), s.labels...)...))
	}
	if len(args) == 0 {
		return "f"
	}
	return "f(" + strings.Join(args, ", ") + ")"
}

// derivative returns a derivative of f, where there are any.
func (s *scene) derivative(c scope) string {
	column := func() string {
		name := s.number()
		if s.chance(20) {
			name += ", unit = raw"
		}
		return "d/d(" + name + ") "
	}
	switch {
	case c.lambda != "" && s.chance(60):
		if s.labels != nil && s.chance(50) {
			return "d/d" + c.lambda + " f(" + s.one(s.labels...) + ")"
		}
		return "d/d" + c.lambda + " f"
	case len(c.moves) > 0 && s.chance(40):
		inner := c
		inner.moves = nil
		return "d/d" + c.moves[0] + " " + s.at(inner)
	case s.smooth > 1 && s.chance(25):
		return column() + column() + s.at(c)
	case s.smooth > 0:
		return column() + s.at(c)
	}
	return s.at(c)
}

// linear returns a linear part.
func (s *scene) linear(c scope, depth int) string {
	if depth <= 0 || s.chance(30) {
		if s.chance(30) {
			return s.derivative(c)
		}
		return s.at(c)
	}
	switch s.IntN(7) {
	case 0, 1:
		return "(" + s.linear(c, depth-1) + " - " + s.linear(c, depth-1) + ")"
	case 2:
		return "(" + s.linear(c, depth-1) + " + " + s.constant() + " * " + s.linear(c, depth-1) + ")"
	case 3:
		return s.factor(c) + " * " + s.linear(c, depth-1)
	case 4:
		return s.linear(c, depth-1) + " / (1 + |" + s.factor(c) + "|)"
	case 5:
		inner := c
		inner.points, inner.two, inner.path, inner.lambda = with(c.points, "z"), false, false, ""
		if slices.Contains(c.points, "z") {
			return s.at(c)
		}
		return fmt.Sprintf("(%s - mean over z in rows%s of %s)", s.at(c), s.where(c, "z"), s.linear(inner, 0))
	}
	return "-" + s.at(c)
}

// constant returns a number.
func (s *scene) constant() string {
	return s.one("2", "0.5", "3", "0.01", "1", "1e-8", "1e4", "grid(1, 2)", "0.3", "10")
}

// factor returns a number of the data, of a path or of an edge.
func (s *scene) factor(c scope) string {
	switch {
	case c.lambda != "" && s.chance(50):
		return s.one(c.lambda, "(1 - "+c.lambda+")", c.lambda+" * (1 - "+c.lambda+")")
	case c.weight != "" && s.chance(60):
		return s.one(c.weight, "sqrt("+c.weight+")")
	case c.path || s.chance(30): // a place on a path has no cells
		return s.constant()
	}
	name := s.number()
	return s.one(name+"("+s.one(c.points...)+")", "|"+name+"("+c.points[0]+")|", "pos("+name+"("+c.point()+"))", "sqrt(|"+name+"("+c.points[0]+")|)")
}

// where returns a condition on a point, or more often none.
func (s *scene) where(c scope, point string) string {
	if !s.chance(35) {
		return ""
	}
	return " where " + s.condition(c, point, 1)
}

func (s *scene) condition(c scope, point string, depth int) string {
	if depth > 0 && s.chance(30) {
		return s.one("not ", "") + s.condition(c, point, 0) + s.one(" and ", " or ") + s.condition(c, point, 0)
	}
	name := s.number()
	if s.group && s.chance(50) {
		return fmt.Sprintf("region(%s) %s %q", point, s.one("==", "!="), s.one("north", "south"))
	}
	if len(c.points) > 0 && !c.path && s.chance(40) {
		return fmt.Sprintf("%s(%s) %s %s(%s)", name, point, s.one("<", "<=", "!=", ">", ">="), name, c.points[0])
	}
	return fmt.Sprintf("%s(%s) %s %s", name, point, s.one("<", "<=", ">", ">=", "!="), s.one("0", "0", "0.01", "-1", "0.5"))
}

// convex returns a part that is nonnegative and convex in f.
func (s *scene) convex(c scope, depth int) string {
	if depth <= 0 || s.chance(20) {
		return s.leaf(c)
	}
	parts := func() string { return join(s.between(1, 3), ", ", func() string { return s.convex(c, depth-1) }) }
	switch s.IntN(9) {
	case 0, 1, 2:
		return s.aggregation() + " {" + parts() + "}"
	case 3:
		return "hypot(" + parts() + ")"
	case 4:
		return "(" + s.convex(c, depth-1) + " + " + s.convex(c, depth-1) + ")"
	case 5:
		return s.constant() + " * " + s.convex(c, depth-1)
	case 6:
		return "|" + s.factor(c) + "| * " + s.convex(c, depth-1)
	}
	return s.quantified(c, depth-1)
}

// leaf returns an absolute value, a positive part or a word that stands for one.
func (s *scene) leaf(c scope) string {
	if s.labels != nil && !c.two && s.chance(25) {
		labels := append(with(c.labels, c.labels...), s.labels...)
		return s.one("implies", "excludes") + "(" + s.one(labels...) + ", " + s.one(labels...) + ")"
	}
	if len(s.defs) > 0 && s.chance(15) {
		return s.one(s.defs...) + "(" + c.points[0] + ")"
	}
	return s.wrapped(s.linear(c, s.between(0, 2)))
}

func (s *scene) wrapped(linear string) string {
	return strings.ReplaceAll(s.one("|%|", "|%|", "pos(%)", "pos(-%)"), "%", linear)
}

func (s *scene) aggregation() string {
	switch word := s.one("max", "sum", "mean", "rms", "norm", "top"); word {
	case "norm":
		return "norm(" + s.one("1", "1.000001", "1.1", "1.5", "2", "2", "3", "7", "40", "1000", "1000000") + ")"
	case "top":
		return "top(" + s.one("1", "2", "3", "5") + ")"
	default:
		return word
	}
}

// quantified returns an aggregation over more that is bound inside the points.
func (s *scene) quantified(c scope, depth int) string {
	inner := c
	agg := s.aggregation()
	switch choice := s.IntN(5); {
	case choice == 0 && s.labels != nil:
		inner.labels = with(c.labels, "c")
		set := s.one("c in labels", "c in {"+strings.Join(s.labels[:2], ", ")+"}")
		return agg + " over " + set + " of " + s.convex(inner, depth)
	case choice == 1 && s.task == "multilabel" && !c.two:
		if s.chance(50) {
			return agg + ` over (a, b) in edges(taxonomy("` + taxonomyFile + `")) of implies(a, b)`
		}
		inner.labels = with(c.labels, "a", "b")
		return agg + ` over (a, b) in siblings(taxonomy("` + taxonomyFile + `")) of ` + s.convex(inner, 0)
	case choice == 2 && c.path && c.lambda == "":
		inner.lambda = "λ"
		if strings.HasPrefix(agg, "top") {
			agg = "max"
		}
		return agg + " over λ in " + s.one("[0, 1]", "[0, 1]", "[0, 0.5]") + " of " + s.convex(inner, min(depth, 1))
	case choice == 3 && !slices.Contains(c.points, "z") && s.rows < 30:
		inner.points, inner.two, inner.path, inner.lambda = with(c.points, "z"), false, false, ""
		return agg + " over z in rows" + s.where(c, "z") + " of " + s.convex(inner, 0)
	}
	inner.moves = with(c.moves, "t")
	return agg + " over t in {" + join(s.between(1, 2), ", ", s.move) + "} of |" + s.at(inner) + " - " + s.at(c) + "|"
}

// move returns a transformation.
func (s *scene) move() string {
	if s.image {
		return s.one("rotate(10deg)", "scale(0.1)", "shift(dx = 1)", "shift(dy = -2)", "shear(x = 0.1)", "rotate(-90deg)")
	}
	return "move(" + s.number() + ", " + s.one("0.5", "-0.5", "1e-6", "100") + ")"
}

// invariance returns the expression of an invariance. others are the names of earlier ones.
func (s *scene) invariance(others []string) string {
	depth := s.between(0, 2)
	switch choice := s.IntN(12); {
	case choice == 0 && len(others) > 0:
		return s.one("hypot", "hypot") + "(" + s.one(others...) + ", " + s.one("2 * ", "") + s.one(others...) + ")"
	case choice == 1:
		return s.library()
	case choice == 2:
		return fmt.Sprintf("|mean over x%s of %s - mean over x%s of %s|",
			s.where(scope{}, "x"), s.linear(scope{points: []string{"x"}}, 1), s.where(scope{}, "x"), s.linear(scope{points: []string{"x"}}, 1))
	case choice < 5:
		return s.alongPairs(depth)
	case choice == 5:
		return s.acrossEdges(depth)
	case choice == 6:
		return s.constant() + " * " + s.invariance(others) + " + " + s.invariance(others)
	}
	binder := s.one("x", "x", "x", "z in rows", "x in rows")
	c := scope{points: []string{binder[:1]}}
	return s.aggregation() + " over " + binder + s.where(scope{}, binder[:1]) + " of " + s.convex(c, depth)
}

func (s *scene) library() string {
	if s.group && s.chance(30) {
		return `parity_between(region, "north", "south")`
	}
	if s.flags && s.chance(30) {
		return "parity(flag)"
	}
	words := []string{"increasing", "decreasing", "smooth", "convex", "concave"}
	return s.one(words[:1+2*min(s.smooth, 1)+s.smooth/2*2]...) + "(" + s.number() + ")"
}

// alongPairs quantifies over the paths between pairs of rows.
func (s *scene) alongPairs(depth int) string {
	choices := []string{"any", "nearest"}
	if s.task == "class" {
		choices = append(choices, "same_class", "different_class", "nearest_same_class")
	}
	domain := "pairs(count = " + s.one("0.5n", "1n", "2n", "5") + ", choose = " + s.one(choices...) + s.one("", ", neighbours = 2", ", seed = 3") + ")"
	c := scope{points: []string{"x"}, path: true}
	agg := s.aggregation()
	if s.chance(40) && !strings.HasPrefix(agg, "top") {
		c.lambda = "λ"
		return agg + " over " + domain + " of " + s.convex(c, min(depth, 1))
	}
	bound := c
	bound.lambda = "λ"
	return agg + " over " + domain + " of " + s.one("max", "mean", "rms", "sum", "norm(3)") +
		" over λ in " + s.one("[0, 1]", "[0, 1]", "[0.25, 0.75]") + " of " + s.convex(bound, min(depth, 1))
}

// acrossEdges quantifies over the edges of a graph.
func (s *scene) acrossEdges(depth int) string {
	c := scope{points: []string{"a", "b"}, two: true}
	if s.chance(40) {
		c.weight = "w"
		return s.aggregation() + ` over (a, b, w) in graph("` + weightFile + `", weight = strength)` + s.one("", " where w > 0") + " of " + s.convex(c, depth)
	}
	return s.aggregation() + ` over (a, b) in graph("` + graphFile + `")` + s.where(c, "b") + " of " + s.convex(c, depth)
}
