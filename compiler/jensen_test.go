package compiler

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

var jensenFiles = map[string]string{
	"edges.csv":  "from,to\nr1,r2\nr3,r1\nr2,r4\n",
	"topics.csv": "child,parent\ncat,animal\ndog,animal\n",
}

// jensenSpec is a spec with one invariance.
func jensenSpec(body string, joint bool) string {
	data := "data { target price : real }\n"
	if joint {
		data = "data { target animal, cat, dog : multilabel }\nlet tax = taxonomy(\"topics.csv\")\n"
	}
	return data + `kernel gaussian(width = 1)
features exact
def gap(a, b) = |f(a) - f(b)|
def worst(e) = max over w in rows of e
def weigh(w, e) = w * e
invariance i = ` + body + "\n"
}

// A drawnSpec is a spec that was drawn, with what the compiler makes of it.
type drawnSpec struct {
	source string
	body   dsl.Expr
	file   *dsl.File
	pass   *pass
	plan   *Plan
	root   *node
	in     *interpreter
}

// drawSpec draws a spec and compiles it. It must be well typed.
func drawSpec(t *rapid.T, wild int) *drawnSpec {
	joint := rapid.Bool().Draw(t, "joint")
	g := drawer{t: t, joint: joint, wild: wild}
	depth := rapid.IntRange(1, 5).Draw(t, "depth")
	op := g.pick("max", "sum", "mean", "rms", "norm(3)", "top(2)")
	s := &drawnSpec{source: jensenSpec(g.over(op, func(g drawer) string { return g.nonnegative(depth) }), joint)}
	file, list := dsl.Parse("drawn.inv", []byte(s.source))
	if len(list) > 0 {
		t.Fatalf("%v\n%s", list, s.source)
	}
	s.file = file
	for _, d := range file.Decls {
		if inv, ok := d.(*dsl.Invariance); ok {
			s.body = inv.Body
		}
	}
	c := newChecker(t.Context(), file, testOptions(jensenFiles))
	s.plan = c.compile()
	s.root = s.plan.first.invariances[0].tried
	for _, d := range c.diags {
		if d.Code == NoDerivative {
			t.Skip("derives f at a row, where an inner quantifier took the name of a point on a path")
		}
		if !strings.HasPrefix(string(d.Code), "E4") {
			t.Fatalf("%v\n%s", d, s.source)
		}
	}
	s.pass = &pass{checker: c, diags: &c.diags, lets: map[letPlace]letValue{}}
	var labels []string
	if joint {
		labels = []string{"animal", "cat", "dog"}
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "rows"), 1))
	s.in = newInterpreter(file, testData(4, labels, func() float64 { return math.Round(4*rng.NormFloat64()) / 4 }))
	return s
}

func newInterpreter(file *dsl.File, data *plugins.Data) *interpreter {
	in := &interpreter{
		data: data, edges: [][2]int{{0, 1}, {2, 0}, {1, 3}}, tree: [][2]string{{"cat", "animal"}, {"dog", "animal"}},
		defs: map[string]*dsl.Def{},
	}
	if len(data.LabelNames) > 0 {
		in.pairs = drawnPairs(data)
	}
	known, _ := dsl.Parse("family", []byte("def implies(a, b) = pos(f(a) - f(b))\ndef excludes(a, b) = pos(f(a) + f(b))\n"))
	for _, d := range append(known.Decls, file.Decls...) {
		if def, ok := d.(*dsl.Def); ok {
			in.defs[def.Name.Name] = def
		}
	}
	return in
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
type judgments map[dsl.Expr]judged

func (j judgments) collect(n *node) {
	if n.rule != "" && n.from.inlined == nil && n.difference == nil && !n.constant {
		j[n.from.syntax] = n.judged
	}
	for _, k := range n.kids {
		j.collect(k)
	}
}

// A sample is the value of a part at some element of the index sets around it.
type sample struct {
	part  dsl.Expr
	value float64
}

// samples are the values of all judged parts at f, in the same order for every f.
func (s *drawnSpec) samples(j judgments, f *probe) []sample {
	var out []sample
	s.in.f = f
	s.in.trace = func(e dsl.Expr, v float64) {
		if _, ok := j[e]; ok {
			out = append(out, sample{e, v})
		}
	}
	s.in.eval(s.body, nil, along{})
	s.in.trace = nil
	return out
}

// TestWhatIsJudgedHolds draws expressions and evaluates them by their syntax at random functions. Every part that the calculus
// judged must be what it says, at every element of the index sets: between two functions no larger than the chord, linear where
// that is claimed, homogeneous, the same at −f where it is a seminorm, and of its sign. What is accepted must have the value of
// the gauge that grounding makes of it.
func TestWhatIsJudgedHolds(t *testing.T) {
	specs, accepted, parts, checks := 0, 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSpec(rt, 4)
		defer s.plan.Close()
		specs++
		if s.root == nil {
			return
		}
		j := judgments{}
		j.collect(s.root)
		parts += len(j)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "f"), 2))
		labels := len(s.in.data.LabelNames)
		for range 4 {
			f, g := newProbe(labels, 3, rng.NormFloat64), newProbe(labels, 3, rng.NormFloat64)
			if rng.IntN(2) == 0 {
				g = mixed(-1, f, 0.1, g) // nearly opposite: kinks at zero lie between
			}
			checks += s.jensen(rt, j, f, g, rng.Float64())
		}
		if !s.pass.diags.HasErrors() {
			accepted++
			s.grounded(rt, newProbe(labels, 3, rng.NormFloat64))
		}
	})
	t.Logf("%d specs, %d accepted, %d judged parts, %d values checked", specs, accepted, parts, checks)
	if accepted < specs/4 {
		t.Errorf("only %d of %d specs were accepted", accepted, specs)
	}
}

// jensen compares the parts' values at f and g with those between, at −f and at 3f.
func (s *drawnSpec) jensen(t *rapid.T, j judgments, f, g *probe, l float64) int {
	a, b := s.samples(j, f), s.samples(j, g)
	mid, neg, three := s.samples(j, mixed(l, f, 1-l, g)), s.samples(j, mixed(-1, f, 0, f)), s.samples(j, mixed(3, f, 0, f))
	for i := range a {
		claim, at, chord := j[a[i].part], a[i].value, l*a[i].value+(1-l)*b[i].value
		tol := 1e-8 * (1 + math.Abs(at) + math.Abs(b[i].value))
		fail := func(what string, v, w float64) {
			t.Fatalf("%s is judged %s and %s, by %q, but %s: %v and %v\n%s", dsl.ExprString(a[i].part), claim.kind, claim.sign, claim.rule, what, v, w, s.source)
		}
		linear := claim.kind == Linear
		switch m := mid[i].value; {
		case m > chord+tol || linear && m < chord-tol:
			fail("breaks Jensen's inequality", m, chord)
		case math.Abs(three[i].value-3*at) > 3*tol:
			fail("is not homogeneous", three[i].value, 3*at)
		case claim.kind == Seminorm && math.Abs(neg[i].value-at) > tol:
			fail("differs at −f", neg[i].value, at)
		case linear && math.Abs(neg[i].value+at) > tol:
			fail("is not odd", neg[i].value, at)
		case claim.kind == Seminorm && at < -tol, claim.atLeastZero() && at < -tol, claim.sign == Nonpositive && at > tol, claim.zero() && at > tol:
			fail("has another sign", at, 0)
		}
	}
	return len(a)
}

// grounded compares the expression with the gauge of its functionals.
func (s *drawnSpec) grounded(t *rapid.T, f *probe) {
	data := s.in.data
	g := &Ground{Data: data, Seed: 3, RowID: []string{"r1", "r2", "r3", "r4"}, Column: testColumn(data)}
	r, err := s.plan.At(nil).Ground(t.Context(), g)
	if err != nil {
		if strings.Contains(err.Error(), string(EmptyIndexSet)) {
			return
		}
		t.Fatalf("%v\n%s", err, s.source)
	}
	s.in.f = f
	want, got := s.in.eval(s.body, nil, along{}), r.Invariances[0].Gauge.Value(f.values(data, r.Functionals))
	if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
		t.Fatalf("the gauge is %v, the expression %v\n%s", got, want, s.source)
	}
}
