package compiler

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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
	"github.com/sipc-ml/sipc/plugins"
)

var jensenFiles = map[string]string{
	"edges.csv":   "from,to\nr1,r2\nr3,r1\nr2,r4\n",
	"weighed.csv": "strength,from,to\n0.5,r1,r2\n0,r3,r1\n3,r2,r4\n",
	"topics.csv":  "child,parent\ncat,animal\ndog,animal\n",
}

// jensenSpec is a spec with one invariance.
func jensenSpec(body string, joint bool) string {
	data := "data { target price : real }\n"
	if joint {
		data = "data { target animal, cat, dog : multilabel }\nlet tax = taxonomy(\"topics.csv\")\n"
	}
	return data + `kernel gaussian(width = 1)
features exact
let half = 0.5
def gap(a, b) = |f(a) - f(b)|
def worst(e) = max over w in rows of e
def weigh(w, e) = w * e
def columned(c) = rms over z in rows of |c| * |f(z)|
def shared(c, v) = |mean over z in rows where c >= v of c(z) * f(z)|
invariance i = ` + body + "\n"
}

// A drawnSpec is a spec that was drawn, with what the compiler makes of it.
type drawnSpec struct {
	source string
	body   dsl.Expr
	file   *dsl.File
	pass   *names.Pass
	plan   *Plan
	root   *tree.Node
	in     *interpreter
	choice []int
}

// drawSpec draws a spec and compiles it. It must be well typed.
func drawSpec(t *rapid.T, wild int) *drawnSpec {
	source, joint := drawSource(t, wild)
	s, fault := compileDrawn(t.Context(), source, calculus.Rules)
	if fault != "" {
		t.Fatalf("%s\n%s", fault, source)
	}
	s.enumerate(joint, rapid.IntRange(1, 4).Draw(t, "n"), rapid.Uint64().Draw(t, "rows"))
	s.choose(func(values int) int { return rapid.IntRange(0, values-1).Draw(t, "choice") })
	return s
}

// drawSource draws a spec.
func drawSource(t *rapid.T, wild int) (source string, joint bool) {
	joint = rapid.Bool().Draw(t, "joint")
	g := drawer{t: t, joint: joint, wild: wild}
	depth := rapid.IntRange(1, 5).Draw(t, "depth")
	op := g.pick("max", "sum", "mean", "rms", "norm(3)", "top(2)")
	body := g.over(op, func(g drawer) string { return g.nonnegative(depth) })
	if g.chance(15) {
		column := g.pick("area", "floor", "age")
		body = "hypot(" + g.pick("columned("+column+")", "shared("+column+", "+g.pick("1", "-1")+")", "max over x of columned("+column+")") + ", " + body + ")"
	}
	return jensenSpec(body, joint), joint
}

// compileDrawn compiles a spec by some rules. The fault says why it is not well typed.
func compileDrawn(ctx context.Context, source string, by calculus.Set) (s *drawnSpec, fault string) {
	s = &drawnSpec{source: source}
	file, list := dsl.Parse("drawn.inv", []byte(source))
	if len(list) > 0 {
		return nil, list.Error()
	}
	s.file = file
	for _, d := range file.Decls {
		if inv, ok := d.(*dsl.Invariance); ok {
			s.body = inv.Body
		}
	}
	c := names.NewSpec(ctx, file, testOptions(jensenFiles))
	c.Rules = by
	s.plan = compile(c)
	s.root = s.plan.first.Invariances[0].Tried
	for _, d := range c.Diags {
		// A derivative of what does not vary, or twice, is refused as well; a bare f on labels and what has no effect is warned of.
		if d.Code != codes.NoDerivative && d.Severity == diag.Error && !strings.HasPrefix(string(d.Code), "E4") {
			return nil, d.Error()
		}
	}
	s.pass = &names.Pass{Spec: c, Diags: &c.Diags, Expansion: names.Expansion{Lets: map[names.LetPlace]names.LetValue{}}}
	return s, ""
}

// enumerate evaluates the spec on n rows.
func (s *drawnSpec) enumerate(joint bool, n int, seed uint64) {
	var labels []string
	if joint {
		labels = []string{"animal", "cat", "dog"}
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	s.in = newInterpreter(s.file, testData(n, labels, func() float64 { return math.Round(4*rng.NormFloat64()) / 4 }))
}

// choose fixes the grids of a spec that is accepted.
func (s *drawnSpec) choose(index func(values int) int) {
	s.choice = nil
	for _, g := range s.plan.Grid {
		i := 0
		if !s.pass.Diags.HasErrors() {
			i = index(len(g.Values))
		}
		s.choice = append(s.choice, i)
		s.in.grids[g.Place] = g.Values[i]
	}
	if !s.pass.Diags.HasErrors() {
		s.root = s.plan.At(s.choice).Invariances[0].Tried
	}
}

func newInterpreter(file *dsl.File, data *plugins.Data) *interpreter {
	in := &interpreter{
		data: data, unit: []float64{1.5, 0.25, 3}, tree: [][2]string{{"cat", "animal"}, {"dog", "animal"}},
		defs: map[string]*dsl.Def{}, lets: map[string]dsl.Expr{}, grids: map[diag.Span]float64{},
	}
	for i, e := range [][2]int{{0, 1}, {2, 0}, {1, 3}} {
		if max(e[0], e[1]) < data.N() {
			in.edges, in.width = append(in.edges, e), append(in.width, []float64{0.5, 0, 3}[i])
		}
	}
	if len(data.LabelNames) > 0 && data.N() > 1 {
		in.pairs = drawnPairs(data)
	}
	known, _ := dsl.Parse("family", []byte("def implies(a, b) = pos(f(a) - f(b))\ndef excludes(a, b) = pos(f(a) + f(b))\n"))
	for _, d := range append(known.Decls, file.Decls...) {
		switch d := d.(type) {
		case *dsl.Def:
			in.defs[d.Name.Name] = d
		case *dsl.Let:
			in.lets[d.Name.Name] = d.Value
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
type judgments map[dsl.Expr]tree.Judged

func (j judgments) collect(n *tree.Node) {
	if n.Rule != "" && n.From.Inlined == nil && n.Difference == nil && !n.Constant {
		j[n.From.Syntax] = n.Judged
	}
	for _, k := range n.Kids {
		j.collect(k)
	}
}

// A given is a factor that data decide.
type given struct{ required, divides bool }

// factors are those of an expression that data decide, by where they stand.
func factors(n *tree.Node, to map[dsl.Expr]given) map[dsl.Expr]given {
	if n.By != nil {
		is := given{required: n.By.Required && n.By.Sign != tree.Nonpositive || to[n.By.From.Syntax].required, divides: n.By.Op == tree.OpDiv}
		to[n.By.From.Syntax] = is
	}
	for _, k := range n.Kids {
		factors(k, to)
	}
	return to
}

// spoilt reports whether the data hold a factor that is negative where it must not be, or is not finite.
func (s *drawnSpec) spoilt() (found bool) {
	all := factors(s.root, map[dsl.Expr]given{})
	if len(all) == 0 {
		return false
	}
	s.in.f = newProbe(len(s.in.data.LabelNames), 3, func() float64 { return 1 })
	s.in.trace = func(e dsl.Expr, v float64) {
		if is, ok := all[e]; ok {
			found = found || is.required && v < 0 || math.IsNaN(v) || math.IsInf(v, 0) || is.divides && v == 0
		}
	}
	s.in.eval(s.body, nil)
	s.in.trace = nil
	return found
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
	s.in.eval(s.body, nil)
	s.in.trace = nil
	return out
}

// TestWhatIsJudgedHolds draws expressions and evaluates them by their syntax at random functions. Every part that the calculus
// judged must be what it says, at every element of the index sets: between two functions no larger than the chord, linear where
// that is claimed, homogeneous, the same at −f where it is a seminorm, and of its sign. What is accepted must have the value of
// the gauge that grounding makes of it.
func TestWhatIsJudgedHolds(t *testing.T) {
	specs, accepted, parts, checks, spoilt := 0, 0, 0, 0, 0
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
		if s.spoilt() {
			j = judgments{}
			spoilt++
		}
		for range 4 {
			values, fault := s.jensen(j, labels, rng)
			if fault != "" {
				rt.Fatalf("%s, with %v\n%s", fault, s.choice, s.source)
			}
			checks += values
		}
		if !s.pass.Diags.HasErrors() {
			accepted++
			if fault := s.grounded(rt.Context(), newProbe(labels, 3, rng.NormFloat64)); fault != "" {
				rt.Fatalf("%s, with %v\n%s", fault, s.choice, s.source)
			}
		}
	})
	t.Logf("%d specs, %d accepted, %d judged parts, %d values checked, %d with data that spoil the proof", specs, accepted, parts, checks, spoilt)
	if accepted < specs/4 {
		t.Errorf("only %d of %d specs were accepted", accepted, specs)
	}
}

// jensen compares the parts' values at two functions with those between, at −f and at 3f. The fault says what does not hold.
func (s *drawnSpec) jensen(j judgments, labels int, rng *rand.Rand) (values int, fault string) {
	f, g, l := newProbe(labels, 3, rng.NormFloat64), newProbe(labels, 3, rng.NormFloat64), rng.Float64()
	if rng.IntN(2) == 0 {
		g = mixed(-1, f, 0.1, g) // nearly opposite: kinks at zero lie between
	}
	a, b := s.samples(j, f), s.samples(j, g)
	mid, neg, three := s.samples(j, mixed(l, f, 1-l, g)), s.samples(j, mixed(-1, f, 0, f)), s.samples(j, mixed(3, f, 0, f))
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
func (s *drawnSpec) grounded(ctx context.Context, f *probe) (fault string) {
	data := s.in.data
	g := &ground.Data{Data: data, Unit: s.in.unit, Seed: 3, RowID: []string{"r1", "r2", "r3", "r4"}[:data.N()], Column: testColumn(data)}
	r, err := s.plan.At(s.choice).Ground(ctx, g)
	switch {
	case err == nil:
	case strings.Contains(err.Error(), string(codes.EmptyIndexSet)), data.N() == 1 && strings.Contains(err.Error(), "two rows make a pair"):
		return ""
	case s.spoilt() && (strings.Contains(err.Error(), string(codes.NegativeFactorInData)) || strings.Contains(err.Error(), string(codes.NoNumber))):
		return ""
	default:
		return err.Error()
	}
	s.in.f = f
	want, got := s.in.eval(s.body, nil), r.Invariances[0].Gauge.Value(f.values(data, r.Functionals))
	if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
		return fmt.Sprintf("the gauge is %v, the expression %v", got, want)
	}
	return ""
}
