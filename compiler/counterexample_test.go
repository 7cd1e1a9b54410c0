package compiler

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A table is an f as a diagnostic prints it: the values of functionals by name, over index sets of a few elements.
type table struct {
	values     map[string]float64
	size       int
	unknown    string // a functional that was asked for and is not there
	derivative string // that stands before f
	zero       bool   // f is 0 everywhere
}

// readTable reads "f₁: f(x₁, cat) = 2, f(x₁, dog) = −1; value 3 > 2, the mean of the two".
func readTable(t *rapid.T, line string, size int) (tab *table, value float64) {
	_, line, _ = strings.Cut(line, ": ")
	line = strings.TrimSpace(strings.ReplaceAll(line, "−", "-"))
	line = strings.ReplaceAll(line, "unit = raw", "raw")
	names, rest, ok := strings.Cut(line, "; value ")
	if !ok {
		t.Fatalf("%q has no value", line)
	}
	read := func(s string) float64 {
		v, err := strconv.ParseFloat(strings.TrimSuffix(s, ","), 64)
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		return v
	}
	tab = &table{values: map[string]float64{}, size: size}
	for names != "" {
		var name, v string
		name, names, _ = strings.Cut(names, " = ")
		v, names, _ = strings.Cut(names, ", ")
		tab.values[inOrder(strings.ReplaceAll(name, "()(", "("))] = read(v)
	}
	return tab, read(strings.Fields(rest)[0])
}

func (tab *table) elements(b *dsl.Binder, at *around) []element {
	var out []element
	if set, ok := b.In.(*dsl.Set); ok {
		for _, e := range set.Elems {
			kind := byte('l')
			if _, ok := e.(*dsl.Call); ok {
				kind = 't'
			}
			out = append(out, element{at.with(b.Vars[0].Name, &bound{kind: kind, text: dsl.ExprString(e)}), 1})
		}
		return out
	}
	kind := byte('p')
	switch domainName(b.In) {
	case "labels", "edges", "siblings":
		kind = 'l'
	}
	names := []string{"x"}
	if len(b.Vars) > 0 {
		names = nil
		for _, v := range b.Vars {
			names = append(names, v.Name)
		}
	}
	for i := range tab.size {
		s := at
		for slot, name := range names {
			is := &bound{kind: kind, text: name + string('₁'+rune(i))}
			if domainName(b.In) == "x" || domainName(b.In) == tree.RowsWord || domainName(b.In) == "graph" {
				is.text = tab.row(name, i, slot)
			}
			if domainName(b.In) == "graph" && slot == 2 {
				is = &bound{kind: 'w', text: name + string('₁'+rune(i))}
			}
			s = s.with(name, is)
		}
		out = append(out, element{s, 1})
	}
	return out
}

// row is what a point of element i of an index set is called: by the variable, or as the row that it is where the functions have
// values at rows alone.
func (tab *table) row(name string, i, slot int) string {
	known := func(text string) bool {
		for functional := range tab.values {
			if strings.Contains(functional, "("+text+")") || strings.Contains(functional, "("+text+",") {
				return true
			}
		}
		return false
	}
	own := name + string('₁'+rune(i))
	if known(own) {
		return own
	}
	for _, other := range []string{"x", "z", "w", "a", "b"} {
		if text := other + string('₁'+rune((i+slot)%tab.size)); known(text) {
			return text
		}
	}
	return own
}

// inOrder names a second derivative alike whichever column comes first.
func inOrder(name string) string {
	m := regexp.MustCompile(`^(d/d\([^)]*\) )(d/d\([^)]*\) )(.*)$`).FindStringSubmatch(name)
	if len(m) < 4 || m[1] < m[2] {
		return name
	}
	return m[2] + m[1] + m[3]
}

func (tab *table) function(args []*dsl.Arg, at *around) float64 {
	if tab.zero {
		return 0
	}
	point, label := "", ""
	for _, a := range args {
		text, isLabel := tab.argument(a.Value, at)
		if isLabel {
			label = ", " + text
		} else {
			point = text
		}
	}
	if point == "" {
		point = at.innermost().text
	}
	name := tab.derivative + "f(" + point + label + ")"
	v, ok := tab.values[inOrder(strings.ReplaceAll(name, "()(", "("))]
	if !ok {
		tab.unknown = name
	}
	return v
}

// given is a column at a point.
func (tab *table) given(column string, at *bound) float64 {
	return tab.named(column + "(" + at.text + ")")
}

// named is the value of what stands in the table by its name. Beside an f that is derived it may lack.
func (tab *table) named(name string) float64 {
	v, ok := tab.values[name]
	if !ok && tab.derivative == "" {
		tab.unknown = name
	}
	return v
}

func (tab *table) argument(e dsl.Expr, at *around) (text string, isLabel bool) {
	switch e := e.(type) {
	case *dsl.Paren:
		return tab.argument(e.X, at)
	case *dsl.Ident:
		switch t := at.find(e.Name); {
		case t == nil:
			return e.Name, true
		case t.kind == 'a':
			return tab.argument(t.expr, t.in)
		default:
			return t.text, t.kind == 'l'
		}
	case *dsl.Call:
		if e.Fun.Name == "move" {
			return dsl.ExprString(e) + "(" + at.innermost().text + ")", false
		}
		point, _ := tab.argument(e.Args[0].Value, at)
		move := e.Fun.Name
		if t := at.find(move); t != nil {
			move = t.text
		}
		return move + "(" + point + ")", false
	}
	return dsl.ExprString(e), false
}

// around are the around of a part within a whole: the first elements of the index sets between.
func (tab *table) around(whole dsl.Node, part dsl.Expr, at *around) (*around, bool) {
	if whole == dsl.Node(part) {
		return at, true
	}
	inner := at
	if q, ok := whole.(*dsl.Quant); ok {
		for _, b := range append([]*dsl.Binder{q.Bind}, q.More...) {
			inner = tab.elements(b, inner)[0].at
		}
		inner = framed(inner, at)
	}
	for _, k := range dsl.Children(whole) {
		if s, ok := tab.around(k, part, inner); ok {
			return s, true
		}
	}
	return nil, false
}

// refused are the parts to which no rule applies, with their diagnostics.
func (s *drawnSpec) refused(n *tree.Node, found func(*tree.Node, *diag.Diagnostic)) {
	judged := func(k *tree.Node) bool { return k.Rule != "" }
	for _, k := range n.Kids {
		s.refused(k, found)
	}
	if judged(n) || n.Op == tree.OpConst || n.From.Inlined != nil {
		return
	}
	for _, d := range *s.pass.Diags {
		at := d.Subject == n.From.Span
		if n.Op == tree.OpNorm || n.Op == tree.OpTop {
			at = slices.ContainsFunc(n.Kids, func(k *tree.Node) bool { return d.Subject == k.From.Span })
		}
		if at && slices.Contains(byRule, d.Code) && !slices.ContainsFunc(n.Kids, func(k *tree.Node) bool { return !judged(k) && n.Op != tree.OpMul && n.Op != tree.OpAdd }) {
			found(n, d)
			return
		}
	}
}

// byRule are the codes of what is refused because no rule proves it convex.
var byRule = []diag.Code{codes.NegatedConvex, codes.NegativeFactor, codes.Product, codes.Minimum, codes.NeedsNonnegative, codes.AbsOfConvex, codes.DividedByF}

// TestCounterexamplesHold draws expressions that are refused. Each refusal must show two functions between which convexity
// fails, a function at which homogeneity does, or say that none was found; what it shows must be so when the refused part is
// evaluated by its syntax.
func TestCounterexamplesHold(t *testing.T) {
	var convexity, homogeneity, none, verified int
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSpec(rt, 30, false, 1)
		defer s.plan.Close()
		s.asShown()
		if s.parts[0].root == nil {
			return
		}
		s.refused(s.parts[0].root, func(n *tree.Node, d *diag.Diagnostic) {
			switch {
			case len(d.Values) == 3 && strings.HasPrefix(d.Values[0], "f₁: "):
				convexity++
			case len(d.Values) == 2 && strings.HasPrefix(d.Values[0], "f: "):
				homogeneity++
			case slices.Equal(d.Values, []string{calculus.NoneFound}) || slices.Equal(d.Values, []string{calculus.ConvexAllTheSame}):
				none++
				return
			default:
				rt.Fatalf("%v shows %q\n%s", d, d.Values, s.source)
			}
			if s.shows(rt, n, d.Values) {
				verified++
			}
		})
	})
	all := convexity + homogeneity + none
	t.Logf("of %d refusals %d show where convexity fails, %d where homogeneity does, %d found nothing; %d were evaluated again", all, convexity, homogeneity, none, verified)
	if verified == 0 || convexity+homogeneity < all/2 {
		t.Error("few refusals show a counterexample")
	}
}

// asShown takes those values of grids at which counterexamples are said to be, and leaves the others at what was drawn: they do not matter.
func (s *drawnSpec) asShown() {
	var said string
	for _, d := range *s.pass.Diags {
		if _, where, ok := strings.Cut(d.Detail, "The values are those where "); ok {
			said = where
		} else if _, where, ok := strings.Cut(d.Detail, "It is so where "); ok {
			said = where
		}
	}
	drawn := s.choice
	s.choose(func(int) int {
		k := len(s.choice)
		g := s.plan.checker.Grids[k]
		for i, v := range g.Values {
			if one := shown(g, s.plan.checker) + " = " + v.String(); strings.Contains(said, one+" and ") || strings.HasSuffix(said, one+".") {
				return i
			}
		}
		return drawn[k]
	})
}

// shows evaluates the refused part at the functions of a counterexample. It is false where these lie on paths, which the table
// does not know.
func (s *drawnSpec) shows(t *rapid.T, n *tree.Node, lines []string) bool {
	if strings.Contains(s.parts[0].text, "pairs(") {
		return false
	}
	size := 2
	if n.Op == tree.OpTop && n.Quant != nil && len(lines) == 3 {
		size = min(n.K, 3) + 1
	}
	values := make([]float64, len(lines))
	tables := make([]*table, len(lines))
	for i, line := range lines {
		tab, printed := readTable(t, line, size)
		at, ok := tab.around(s.parts[0].body, n.From.Syntax, nil)
		if !ok {
			return false
		}
		s.in.table = tab
		values[i] = s.in.eval(n.From.Syntax, at)
		s.in.table = nil
		if n.Difference != nil {
			values[i] = -values[i]
		}
		if tab.unknown != "" {
			t.Fatalf("%s is not among the values of %q\n%s", tab.unknown, line, s.source)
		}
		if math.Abs(values[i]-printed) > 1e-3*(1+math.Abs(printed)) {
			t.Fatalf("%q: the value of %s is %v\n%s", line, dsl.ExprString(n.From.Syntax), values[i], s.source)
		}
		tables[i] = tab
	}
	if len(lines) == 2 {
		if math.Abs(values[1]-2*values[0]) < 1e-9 {
			t.Fatalf("%q: homogeneous at f\n%s", lines, s.source)
		}
		return true
	}
	for name, v := range tables[2].values {
		if v != (tables[0].values[name]+tables[1].values[name])/2 {
			t.Fatalf("%q: %s is not halfway\n%s", lines, name, s.source)
		}
	}
	if values[2] <= (values[0]+values[1])/2 {
		t.Fatalf("%q: convex between these\n%s", lines, s.source)
	}
	return true
}

// Beside a grid a counterexample says of which of its values it is.
func TestCounterexamplesNameValuesOfGrids(t *testing.T) {
	for body, want := range map[string]string{
		"max over x of grid(2, -1) * ((f(cat) + f(cat))) * (2 * f(cat))":   "The values are those where grid(2, -1) = 2.",
		"max over x of grid(2, -1) * |f(cat)|":                             "It is so where grid(2, -1) = -1.",
		"max over x of (grid(1, 2) * |f(dog)| + much * (f(cat) * f(dog)))": "The values are those where grid(1, 2) = 1 and much = 3.",
		"max over x of f(cat) * f(dog)":                                    "",
	} {
		_, list := check(t, withDefaults("let much = grid(3, -1)\ninvariance i = "+body+"\n"), testOptions(nil))
		if len(list) != 1 || len(list[0].Values) < 2 || !strings.HasSuffix(list[0].Detail, want) || want == "" && strings.Contains(list[0].Detail, "where") {
			t.Errorf("%s: %v %q", body, list, list[0].Detail)
		}
	}
}

// A counterexample is of functions that there can be: quantifiers over one set range over the same rows, and over edges of them.
func TestCounterexamplesAreOfFunctions(t *testing.T) {
	edges := `(a, b) in graph("edges.csv")`
	for _, c := range []struct{ body, first string }{
		{"rms over x of |min {max over x of f(cat), max over z in rows of f(z, cat)}|", calculus.NoneFound},
		{"rms over x of min {max over x of |f(cat)|, max over z in rows of |f(z, cat)|}", calculus.NoneFound},
		{"rms over x of min {max over " + edges + " of |f(a, cat)|, max over (c, d) in graph(\"edges.csv\") of |f(c, cat)|}", calculus.NoneFound},
		{"rms over x of min {max over x of |f(cat)|, max over x of |f(dog)|}", "f₁:"},
		{"rms over x of min {max over x where area > 1 of |f(cat)|, max over z in rows where area(z) < 0 of |f(z, cat)|}", "f₁:"},
		{"rms over x of min {max over x where area > 1 of |f(cat)|, max over z in rows where area(z) < 0 of |f(z, cat)|, max over x of |f(cat)|}", calculus.NoneFound},
		{"rms over x of min {max over z in rows of |f(z, cat)|, max over " + edges + " of max {|f(a, cat)|, |f(b, cat)|}}", calculus.NoneFound},
		{"rms over x of max over z in rows of |f(x, cat)| * |f(z, cat)|", "f₁:"},
		{"rms over x of (sum over x where area > 1 of f(cat)) * (sum over x where area < 0 of f(cat))", calculus.NoneFound}, // which of these x are the same?
		{"max over " + edges + " of |((sum over " + edges + " of -f(b, cat)) + sum over x of 2 * f(a, cat)) * f(b, cat)|", "f₁:      f(x₂, cat)"},
		{"max over (c, d) in graph(\"edges.csv\") of |(sum over " + edges + " of f(a, cat)) * f(c, cat)|", "f₁:      f(a₁, cat) = 0, f(a₂, cat)"},
		{"rms over pairs of pos(d/dλ |f(cat)|)", "f₁:"},
		{"rms over x of pos(d/d(area) max over z in rows of f(z, cat))", "f₁:"},
		{"rms over x of pos(d/d(area) max {f(cat), f(cat)})", calculus.NoneFound},
		{"rms over x of min {|d/d(age) d/d(area) f(cat)|, |d/d(area) d/d(age) f(cat)|}", calculus.NoneFound},
		{"rms over x of min {|f(double(x), cat)|, max over t in {double()} of |f(t(x), cat)|}", calculus.NoneFound},
		{"rms over x of min {|f(move(amount = 1, column = area), cat)|, max over t in {move(area, 1)} of |f(t(x), cat)|}", calculus.NoneFound},
		{"rms over x of min {|f(double(x), cat)|, max over t in {move(area, 1)} of |f(t(x), cat)|}", "f₁:      f(double(x₁), cat)"},
		{"rms over (a, b, w) in graph(\"weighed.csv\", weight = strength) of (w - 1) * min {f(a, cat), f(b, cat)}", "f₁:"},
		{"norm(2) over (a, b) in graph(\"weighed.csv\", weight = strength) of strength * f(a, cat) * f(b, cat)", "f₁:"},
	} {
		_, list := check(t, withDefaults("invariance i = "+c.body+"\n"), testOptions(map[string]string{"edges.csv": "a,b\n1,2\n", "weighed.csv": "a,b,strength\n1,2,3\n"}))
		refused := slices.DeleteFunc(list, func(d *diag.Diagnostic) bool {
			return !slices.Contains(append(byRule, codes.DerivativeOfNonlinear), d.Code)
		})
		if len(refused) != 1 || len(refused[0].Values) == 0 || !strings.HasPrefix(refused[0].Values[0], c.first) {
			t.Errorf("%s: %v", c.body, list)
			for _, d := range refused {
				t.Log(strings.Join(d.Values, "\n"))
			}
		}
	}
}
