package compiler

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
)

// A large draw takes more expressions for each spec, as what these share is read once, and adds its figures to a file:
//
//	go test ./compiler -run TestWhatIsJudgedHolds -rapid.checks=20000 -rapid.seed=1 -timeout=0 -batch=100 -census=FILE
var (
	batch      = flag.Int("batch", 20, "how many expressions a drawn spec has")
	censusFile = flag.String("census", "", "a `file` to whose figures of drawn expressions those of the test are added")
)

// A census counts drawn expressions.
type census struct {
	Expressions int
	Accepted    int
	Deep        int            // expressions of at least four levels
	Parts       int            // judged
	Values      int            // compared between two functions, at −f and at 3f
	Grounded    int            // accepted expressions whose gauge was compared with their value
	Spoilt      int            // expressions of which the data spoil the proof
	With        map[string]int // expressions that have a construct
}

func newCensus() *census { return &census{With: map[string]int{}} }

// constructs are those of the language that expressions are drawn of.
var constructs = []string{
	"f", "f(x)", "f(label)", "f(x, label)", "f(t(x))", "f(t(x), label)", "f(t(s(x)))", "f(map(…))", "f(x(1))", "f(x(0.25))", "f(x(λ))", "f(x(1), label)",
	"d/dλ", "d/d(column)", "d/d(\"column\")", "d/d(\"region=north\")", "d/d(column, unit = raw)", "d/d(c)", "d/dt", "d/dmap", "second derivative along a column", "second derivative along two",
	"e + e", "e - e", "-e", "n * e", "e / n", "|e|", "pos", "hypot", "sqrt", "5%", "grid", "let number", "invariance by name",
	"column(x)", "column", "\"column\"(x)", "\"column\"", "λ as a factor", "weight as a factor", "a factor of data on a convex part",
	"max {…}", "sum {…}", "mean {…}", "rms {…}", "norm(p) {…}", "top(k) {…}", "min {…}",
	"max over", "sum over", "mean over", "rms over", "norm(p) over", "top(k) over", "several binders",
	"over x", "z in rows", "labels", "c in labels", "c in {…}", "t in {…}", "graph", "graph without names", "graph with weights", "weights by their column", "pairs", "pairs without names",
	"choose = same_class", "choose = different_class", "choose = nearest", "choose = nearest_same_class", "seed = s", "columns(a, b)", "columns(\"a*\")", "λ in [a, b]",
	"edges", "edges without names", "siblings", "let set of transformations", "let set of labels", "let set of columns", "let graph", "let pairs", "let interval", "let rows",
	"rotate", "scale", "shift", "shear", "move", "put number", "put text", "swap numbers", "swap texts", "map of a family", "let transformation",
	"where", "==", "!=", "<", "<=", ">", ">=", "and", "or", "not", "cond in brackets", "in {…}", "in [a, b]", "in NAME", "let condition", "def condition", "x != z", "calculation in a condition", "quoted column in a condition", "label in a condition", "weight in a condition", "text in a condition",
	"implies", "excludes", "increasing", "decreasing", "convex", "concave", "smooth", "parity", "parity_between", "def of points", "def of an expression", "def of a number", "def of a column", "def of a set", "def of a transformation", "def of an included file", "arguments by name",
	"real target", "binary target", "multilabel target", "class target", "image",
}

// least is the share of expressions that must have a construct: 10,000 of 2 million.
const least = 0.005

// count counts an expression.
func (c *census) count(sh shape, part *drawnPart) {
	c.Expressions++
	if part.accepted {
		c.Accepted++
	}
	if levels, _ := levelsOf(part.body); levels >= 4 {
		c.Deep++
	}
	seen := sighting{sh.text: true}
	seen.expr(part.body, nil, false)
	for what := range seen {
		c.With[what]++
	}
}

// faults say what the figures lack. Those of constructs are told of large draws alone, beyond what chance explains.
func (c *census) faults() (faults []string) {
	sampled := 2 / math.Sqrt(float64(c.Expressions)) // more than chance moves a share
	if share := float64(c.Accepted) / float64(c.Expressions); share < 0.3-sampled || share > 0.7+sampled {
		faults = append(faults, fmt.Sprintf("%.0f%% of %d expressions are accepted", 100*share, c.Expressions))
	}
	if 2*c.Deep < c.Expressions {
		faults = append(faults, fmt.Sprintf("only %d of %d expressions have four levels", c.Deep, c.Expressions))
	}
	for _, what := range constructs {
		if n := float64(c.With[what]); c.Expressions >= 20_000 && n+3*math.Sqrt(n) < least*float64(c.Expressions) {
			faults = append(faults, fmt.Sprintf("%d of %d expressions have %s", c.With[what], c.Expressions, what))
		}
	}
	for what := range c.With {
		if !slices.Contains(constructs, what) {
			faults = append(faults, what+" is not among the constructs")
		}
	}
	return faults
}

// String returns the figures, with the constructs from the rarest on.
func (c *census) String() string {
	rare := slices.Clone(constructs)
	slices.SortStableFunc(rare, func(a, b string) int { return c.With[a] - c.With[b] })
	var b strings.Builder
	fmt.Fprintf(&b, "%d expressions, %d accepted, %d of four levels or more, %d judged parts, %d values compared, %d gauges compared, %d spoilt by data;", c.Expressions, c.Accepted, c.Deep, c.Parts, c.Values, c.Grounded, c.Spoilt)
	for _, what := range rare {
		fmt.Fprintf(&b, "\n%8d %s", c.With[what], what)
	}
	return b.String()
}

// add adds the figures to those of a file, which it makes where there is none.
func (c *census) add(file string) error {
	sum := newCensus()
	switch text, err := os.ReadFile(file); {
	case err == nil:
		if err := json.Unmarshal(text, sum); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	sum.Expressions, sum.Accepted, sum.Deep, sum.Parts = sum.Expressions+c.Expressions, sum.Accepted+c.Accepted, sum.Deep+c.Deep, sum.Parts+c.Parts
	sum.Values, sum.Grounded, sum.Spoilt = sum.Values+c.Values, sum.Grounded+c.Grounded, sum.Spoilt+c.Spoilt
	for what, n := range c.With {
		sum.With[what] += n
	}
	text, err := json.MarshalIndent(sum, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}

// levelsOf returns how many operations stand over one another at most, from the expression down to an f. An operation is a quantifier,
// an aggregation of listed parts, an absolute value, a sum, difference, product or quotient, a minus, a derivative, and a call of a
// function or definition. What a definition stands for adds no level, and f itself is none. Brackets, names, conditions, index sets
// and transformations are none, nor is what holds no f.
func levelsOf(e dsl.Expr) (levels int, ofF bool) {
	own := 1
	switch e := e.(type) {
	case *dsl.Paren:
		own = 0
	case *dsl.Ident:
		return 0, e.Name == "f" || e.Name == "base"
	case *dsl.Call:
		if e.Fun.Name == "f" {
			return 0, true
		}
		own, ofF = 1, slices.Contains(selfContained, e.Fun.Name)
	case *dsl.Quant:
		levels, ofF = levelsOf(e.Body)
		return levels + 1, ofF
	}
	for _, k := range dsl.Children(e) {
		switch k := k.(type) {
		case *dsl.Arg:
			levels, ofF = deeper(levels, ofF, k.Value)
		case *dsl.Set:
			for _, elem := range k.Elems {
				levels, ofF = deeper(levels, ofF, elem)
			}
		case dsl.Expr:
			levels, ofF = deeper(levels, ofF, k)
		}
	}
	if !ofF {
		return 0, false
	}
	return levels + own, true
}

func deeper(levels int, ofF bool, e dsl.Expr) (int, bool) {
	if l, ok := levelsOf(e); ok {
		return max(levels, l), true
	}
	return levels, ofF
}

// selfContained are definitions with an f in their bodies.
var selfContained = []string{
	"implies", "excludes", "increasing", "decreasing", "convex", "concave", "smooth", "parity", "parity_between", "gap", "columned", "shared", "calm", "turned", "slope", "steep",
}
