package compiler

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// drawnSpecOf is a spec of invariances called i0, i1, …, with the names that they may use.
func drawnSpecOf(sh shape, bodies []string) string {
	var b strings.Builder
	b.WriteString("data { " + sh.item + " }\nkernel gaussian(width = 1)\nfeatures exact\ninclude \"team.inv\"\n" + drawnNames)
	if sh.labels {
		b.WriteString("let tax = taxonomy(\"topics.csv\")\nlet pets = {cat, dog}\nlet tops = labels\n")
	}
	if sh.image {
		b.WriteString("let older = rotate(15deg)\nlet moves = {older, shift(dx = 0.5)}\n")
	} else {
		b.WriteString("let older = move(age, 1)\nlet moves = {older, move(area, -0.5)}\nlet rising = columns(area, age)\n")
	}
	b.WriteString("invariance base = rms over x of |f|\n")
	for i, body := range bodies {
		fmt.Fprintf(&b, "invariance i%d = %s\n", i, body)
	}
	return b.String()
}

// drawnNames are declarations whose names drawn expressions use.
const drawnNames = `let half = 0.5
let third = 30%
let much = grid(1, 2)
let up = "north"
let down = "south"
let cold = {"north", "east"}
let middle = [0, 2.5]
let part = [0, 0.5]
let young = age < 2 and not region in cold
let streets = graph("edges.csv")
let heavy = graph("weighed.csv", weight = strength)
let all = rows
let some = pairs(count = 3)
def gap(a, b) = |f(a) - f(b)|
def worst(e) = max over w in rows of e
def weigh(w, e) = w * e
def columned(c) = rms over z in rows of |c| * |f(z)|
def shared(c, v) = |mean over z in rows where c >= v of c(z) * f(z)|
def near(a, b) = a != b and |age(a) - age(b)| < 2
def calm(T) = max over t in T of |d/dt f|
def turned(t, z) = |f(t(z)) - f(z)|
def slope(c) = |d/d(c) f|
`

// A drawnSpec is a spec that was drawn, with what the compiler makes of it.
type drawnSpec struct {
	shape
	source string
	parts  []*drawnPart
	file   *dsl.File
	pass   *names.Pass
	plan   *Plan
	at     *Instance // with the numbers that are chosen
	in     *interpreter
	rows   *ground.Data
	choice []int
}

// A drawnPart is one expression of it.
type drawnPart struct {
	name, text string
	body       dsl.Expr
	root       *tree.Node // nil where the expression has none
	accepted   bool
}

// drawSpec draws a spec of some expressions and compiles it. It must be well typed.
func drawSpec(t *rapid.T, wild int, whole bool, count int) *drawnSpec {
	sh, bodies := drawBodies(t, wild, whole, count)
	s, fault := compileDrawn(t.Context(), sh, bodies, calculus.Rules)
	if fault != "" {
		t.Fatalf("%s\n%s", fault, s.source)
	}
	s.enumerate(rapid.IntRange(1, 4).Draw(t, "n"), rapid.Uint64().Draw(t, "rows"))
	first := count > 1 && rapid.IntRange(0, 3).Draw(t, "first") > 0 // other values compile all expressions again
	s.choose(func(values int) int {
		if first {
			return 0
		}
		return rapid.IntRange(0, values-1).Draw(t, "choice")
	})
	return s
}

// drawBodies draws expressions.
func drawBodies(t *rapid.T, wild int, whole bool, count int) (sh shape, bodies []string) {
	shapes := shapes
	if !whole {
		shapes = []shape{shapes[0], shapes[2]}
	}
	g := drawer{t: t, shape: rapid.SampledFrom(shapes).Draw(t, "shape"), whole: whole, wild: wild}
	for range count {
		depth := rapid.IntRange(1, 5).Draw(t, "depth")
		if whole {
			depth = rapid.SampledFrom([]int{1, 2, 2, 3, 3, 4}).Draw(t, "depth")
		}
		op := g.pick("max", "sum", "mean", "rms", "norm(3)", "top(2)")
		body := g.over(op, func(g drawer) string { return g.nonnegative(depth) })
		if g.chance(10) {
			column := g.pick("area", "floor", "age")
			forms := []string{"columned(" + column + ")", "shared(" + column + ", " + g.pick("1", "-1") + ")", "max over x of columned(" + column + ")"}
			if whole {
				forms = append(forms, g.parity(), "base", g.parity())
			}
			body = "hypot(" + g.pick(forms...) + ", " + body + ")"
		}
		bodies = append(bodies, body)
	}
	return g.shape, bodies
}

// compileDrawn compiles a spec by some rules. The fault says why it is not well typed.
func compileDrawn(ctx context.Context, sh shape, bodies []string, by calculus.Set) (s *drawnSpec, fault string) {
	s = &drawnSpec{shape: sh, source: drawnSpecOf(sh, bodies)}
	file, list := dsl.Parse("drawn.inv", []byte(s.source))
	if len(list) > 0 {
		return s, list.Error()
	}
	s.file = file
	lines := map[int]*drawnPart{}
	for _, d := range file.Decls {
		if inv, ok := d.(*dsl.Invariance); ok && inv.Name.Name != "base" {
			part := &drawnPart{name: inv.Name.Name, text: bodies[len(s.parts)], body: inv.Body, accepted: true}
			s.parts = append(s.parts, part)
			lines[inv.Span().Start.Line] = part
		}
	}
	c := names.NewSpec(lightly(ctx), file, testOptions(drawnFiles))
	c.Rules = by
	if len(bodies) > 1 {
		spend(c)
	}
	s.plan = compile(c)
	for _, d := range c.Diags {
		// A derivative of what does not vary, or twice, is refused as well; a bare f on labels and what has no effect is warned of.
		if d.Severity != diag.Error {
			continue
		}
		if d.Code != codes.NoDerivative && !strings.HasPrefix(string(d.Code), "E4") {
			return s, d.Error()
		}
		for _, at := range append([]diag.Related{{Span: d.Subject}}, d.Related...) {
			if part := lines[at.Span.Start.Line]; part != nil && at.Span.File == "drawn.inv" {
				part.accepted = false
			}
		}
	}
	s.pass = &names.Pass{Spec: c, Diags: &c.Diags, Expansion: names.Expansion{Lets: map[names.LetPlace]names.LetValue{}, Held: map[string]dsl.Expr{}}}
	return s, ""
}

// spend uses up what a spec may spend on counterexamples and mends, which take most of the time and are not looked at here.
// TestCounterexamplesHold looks at the former.
func spend(c *names.Spec) {
	p := &names.Pass{Spec: c}
	for range names.CounterexamplesPerSpec {
		c.Budget.Next()
		p.Shows()
	}
	c.Budget.Attempts.Spec = names.AttemptsPerSpec
}

// enumerate evaluates the spec on n rows.
func (s *drawnSpec) enumerate(n int, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	data, columns := s.data(n, func() float64 { return math.Round(4*rng.NormFloat64()) / 4 })
	s.in = newInterpreter(s.file, s.shape, data, columns)
	s.rows = drawnGround(data, columns)
}

// choose fixes the grids.
func (s *drawnSpec) choose(index func(values int) int) {
	s.choice = nil
	for _, g := range s.plan.Grid {
		i := index(len(g.Values))
		s.choice = append(s.choice, i)
		s.in.grids[g.Place] = g.Values[i]
	}
	s.at = s.plan.first
	if slices.Max(append(s.choice, 0)) > 0 {
		s.at = s.plan.At(s.choice)
	}
	for i, part := range s.parts {
		inv := s.at.Invariances[i+1]
		part.root = inv.Tried
		part.accepted = part.accepted && inv.Form != nil
	}
}

// mixed is αf + βg.
func mixed(alpha float64, f *probe, beta float64, g *probe) *probe {
	out := newProbe(len(f.k), len(f.b[0]), func() float64 { return 0 })
	for c := range f.k {
		out.k[c] = alpha*f.k[c] + beta*g.k[c]
		for i := range f.b[c] {
			out.b[c][i] = alpha*f.b[c][i] + beta*g.b[c][i]
			for j := range f.a[c][i] {
				out.a[c][i][j] = alpha*f.a[c][i][j] + beta*g.a[c][i][j]
			}
		}
	}
	return out
}

// Judgments are what the compiler proved of a part that stands in the spec.
type judgments map[dsl.Expr]tree.Judged

// judgmentsOf returns those of an expression. A derivative of more than f has none of its own, as the calculus judges what f's
// derivatives are put into: it is linear where the whole is accepted, and where it is not, it may be what is wrong.
func judgmentsOf(part *drawnPart) judgments {
	j := judgments{}
	j.collect(part.root)
	for e := range j {
		if d, ok := e.(*dsl.Deriv); ok && !part.accepted && ofMoreThanF(d) {
			delete(j, e)
		}
	}
	return j
}

// ofMoreThanF reports whether a derivative is of more than f at a point.
func ofMoreThanF(d *dsl.Deriv) bool {
	switch of := d.Of.(type) {
	case *dsl.Deriv:
		return ofMoreThanF(of)
	case *dsl.Call:
		return of.Fun.Name != "f"
	case *dsl.Ident:
		return of.Name != "f"
	}
	return true
}

func (j judgments) collect(n *tree.Node) {
	if n.Rule != "" && n.From.Inlined == nil && n.Difference == nil && !n.Constant {
		j[n.From.Syntax] = n.Judged
	}
	for _, k := range n.Kids {
		j.collect(k)
	}
}

// A factor is a factor that data decide.
type factor struct{ required, divides bool }

// factors are those of an expression that data decide, by where they stand.
func factors(n *tree.Node, to map[dsl.Expr]factor) map[dsl.Expr]factor {
	if n.By != nil {
		is := factor{required: n.By.Required && n.By.Sign != tree.Nonpositive || to[n.By.From.Syntax].required, divides: n.By.Op == tree.OpDiv}
		to[n.By.From.Syntax] = is
	}
	for _, k := range n.Kids {
		factors(k, to)
	}
	return to
}

// spoilt reports whether the data hold a factor of a part that is negative where it must not be, or is not finite.
func (s *drawnSpec) spoilt(part *drawnPart) (found bool) {
	all := factors(part.root, map[dsl.Expr]factor{})
	if len(all) == 0 {
		return false
	}
	s.in.f = s.probe(func() float64 { return 1 })
	s.in.trace = func(e dsl.Expr, v float64) {
		if is, ok := all[e]; ok {
			found = found || is.required && v < 0 || math.IsNaN(v) || math.IsInf(v, 0) || is.divides && v == 0
		}
	}
	s.in.loud = true
	s.in.eval(part.body, nil)
	s.in.trace, s.in.loud = nil, false
	return found
}

// probe draws an f of the spec's rows.
func (s *drawnSpec) probe(next func() float64) *probe {
	return newProbe(len(s.in.data.LabelNames), len(s.in.data.Columns), next)
}

// A sample is the value of a part at some element of the index sets around it.
type sample struct {
	part  dsl.Expr
	value float64
}

// samples are the values of all judged parts at f, in the same order for every f.
func (s *drawnSpec) samples(body dsl.Expr, j judgments, f *probe) []sample {
	var out []sample
	s.in.f = f
	s.in.trace = func(e dsl.Expr, v float64) {
		if _, ok := j[e]; ok {
			out = append(out, sample{e, v})
		}
	}
	s.in.eval(body, nil)
	s.in.trace = nil
	return out
}

// examine evaluates an expression at random functions, in some rounds.
func (s *drawnSpec) examine(ctx context.Context, part *drawnPart, rounds int, rng *rand.Rand, figures *census) (fault string) {
	figures.count(s.shape, part)
	if part.root == nil {
		return ""
	}
	j := judgmentsOf(part)
	figures.Parts += len(j)
	spoilt := s.spoilt(part)
	if spoilt {
		figures.Spoilt++
	} else {
		for range rounds {
			values, fault := s.jensen(part.body, j, rng)
			if fault != "" {
				return fault
			}
			figures.Values += values
		}
	}
	if part.accepted {
		return s.grounded(ctx, part, spoilt, s.probe(rng.NormFloat64), figures)
	}
	return ""
}

// TestWhatIsJudgedHolds draws expressions and evaluates them by their syntax at random functions. Every part that the calculus
// judged must be what it says, at every element of the index sets: between two functions no larger than the chord, linear where
// that is claimed, homogeneous, the same at −f where it is a seminorm, and of its sign. What is accepted must have the value of
// the gauge that grounding makes of it.
func TestWhatIsJudgedHolds(t *testing.T) {
	figures := newCensus()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSpec(rt, 22, true, *batch)
		defer s.plan.Close()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "f"), 2))
		for _, part := range s.parts {
			if fault := s.examine(rt.Context(), part, 1, rng, figures); fault != "" {
				rt.Fatalf("%s, with %v\n%s = %s\n%s", fault, s.choice, part.name, part.text, s.source)
			}
		}
	})
	t.Log(figures.String())
	if t.Failed() {
		return // the figures are those of a search for a smaller failure
	}
	for _, fault := range figures.faults() {
		t.Error(fault)
	}
	if *censusFile != "" && !t.Failed() {
		if err := figures.add(*censusFile); err != nil {
			t.Error(err)
		}
	}
}

// jensen compares the parts' values at two functions with those between, at −f and at 3f. The fault says what does not hold.
func (s *drawnSpec) jensen(body dsl.Expr, j judgments, rng *rand.Rand) (values int, fault string) {
	f, g, l := s.probe(rng.NormFloat64), s.probe(rng.NormFloat64), rng.Float64()
	if rng.IntN(2) == 0 {
		g = mixed(-1, f, 0.1, g) // nearly opposite: kinks at zero lie between
	}
	a, b := s.samples(body, j, f), s.samples(body, j, g)
	mid, neg, three := s.samples(body, j, mixed(l, f, 1-l, g)), s.samples(body, j, mixed(-1, f, 0, f)), s.samples(body, j, mixed(3, f, 0, f))
	for i := range a {
		claim := j[a[i].part]
		if what := broken(claim, a[i].value, b[i].value, l, mid[i].value, neg[i].value, three[i].value); what != "" {
			return len(a), fmt.Sprintf("%s is judged %s and %s, by %q, but %s", dsl.ExprString(a[i].part), claim.Kind, claim.Sign, claim.Rule, what)
		}
	}
	return len(a), ""
}

// broken says what a claim gets wrong of a part with these values at f, at g, at lf + (1 − l)g, at −f and at 3f.
func broken(j tree.Judged, f, g, l, mid, neg, three float64) string {
	chord := l*f + (1-l)*g
	tol := 1e-8 * (1 + math.Abs(f) + math.Abs(g))
	linear := j.Kind == tree.Linear
	switch {
	case mid > chord+tol || linear && mid < chord-tol:
		return fmt.Sprintf("breaks Jensen's inequality: %v and %v", mid, chord)
	case math.Abs(three-3*f) > 3*tol:
		return fmt.Sprintf("is not homogeneous: %v at f, %v at 3f", f, three)
	case j.Kind == tree.Seminorm && math.Abs(neg-f) > tol:
		return fmt.Sprintf("differs at −f: %v and %v", f, neg)
	case linear && math.Abs(neg+f) > tol:
		return fmt.Sprintf("is not odd: %v and %v", f, neg)
	case j.Kind == tree.Seminorm && f < -tol, j.AtLeastZero() && f < -tol, j.Sign == tree.Nonpositive && f > tol, j.Zero() && f > tol:
		return fmt.Sprintf("has another sign: %v", f)
	}
	return ""
}

// grounded compares the expression with the gauge of its functionals.
func (s *drawnSpec) grounded(ctx context.Context, part *drawnPart, spoilt bool, f *probe, figures *census) (fault string) {
	only := s.at.Only(part.name)
	only.faults = nil // of the other expressions
	r, err := only.Ground(lightly(ctx), s.rows)
	if err != nil {
		text := err.Error()
		known := func(code diag.Code) bool { return strings.Contains(text, string(code)) }
		switch {
		case known(codes.EmptyIndexSet), s.rows.N() == 1 && strings.Contains(text, "two rows make a pair"), strings.Contains(text, "have the same label"):
			return ""
		case spoilt && (known(codes.NegativeFactorInData) || known(codes.NoNumber)):
			return ""
		}
		return text
	}
	s.in.f = f
	got := r.Invariances[0].Gauge.Value(f.values(s.in.data, r.Functionals))
	values := s.valuesAt(part, f)
	for _, want := range values {
		if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
			return fmt.Sprintf("the gauge is %v, the expression %v", got, want)
		}
	}
	figures.Grounded += min(len(values), 1)
	return ""
}

// valuesAt are the values of an expression at f: one, or two where a gap stands in a part that does not count, whatever number the gap
// is. There is none where another number of the data is not finite.
func (s *drawnSpec) valuesAt(part *drawnPart, f *probe) (values []float64) {
	s.in.f = f
	defer func() { s.in.gap, s.in.trace = math.NaN(), nil }()
	for _, gap := range []float64{math.NaN(), 7, -5} {
		finite := true
		s.in.gap, s.in.trace = gap, func(_ dsl.Expr, v float64) { finite = finite && !math.IsNaN(v) && !math.IsInf(v, 0) }
		if value := s.in.eval(part.body, nil); finite {
			values = append(values, value)
		}
		if finite && math.IsNaN(gap) {
			break
		}
	}
	return values
}
