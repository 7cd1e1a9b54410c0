package compiler

import (
	"context"
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// Options says what surrounds a spec. The zero value has no families and no files.
type Options struct {
	// Families are built in, by name; what they add is visible without `use`.
	Families map[string]plugins.Family
	// Open starts the plugin of `use NAME from "PATH"`. Where it is nil, such a use is an error.
	Open func(ctx context.Context, path string) (plugins.Family, error)
	// Pinned are the paths of the families that `use NAME` finds without one, by name: of each all that have the name. Nil knows none.
	Pinned func() (map[string][]string, error)
	// ReadFile reads a file that the spec names, relative to the spec. Where it is nil, naming one is an error.
	ReadFile func(name string) ([]byte, error)
	// Set overrides lets by name; the values are in the language's syntax.
	Set map[string]string
}

// A checker is what all passes over one spec share.
type checker struct {
	ctx      context.Context //nolint:containedctx // a checker lives for one call of Check, and Plan.At needs none
	file     *dsl.File
	opts     Options
	decls    declarations
	families []*tree.Family
	closers  []func() error
	grids    []*gridParam
	gridOf   map[dsl.Expr]int
	together []tree.GridSet // the grids that are judged together
	files    map[string]*fileContent
	defaults map[string]dsl.Expr // parsed defaults of schemas
	diags    diag.List
	broken   brokenParts
	lost     map[string]bool // words of statements that are there and faulty; "" where a statement's word is not known
	budget   budget
	rules    calculus.Set
	poison   map[string]bool // names that faulty statements declare: what they stand for is not known
	oneSided []string        // invariances in R that are one-sided for some choice of the grids; see settle
}

// brokenParts says which declarations are faulty, so that what depends on them is not reported again.
type brokenParts struct {
	data     bool // the data block: task, labels and columns are not known
	families bool // a family is missing: unknown names may be its names
}

// Check compiles a spec as far as it goes without data. The list holds all errors of names, types and curvature in the
// order of the source, none of which follows from another or from a statement that failed to parse, and warnings. The plan is
// nil where there is an error; else the caller closes it.
func Check(ctx context.Context, file *dsl.File, opts Options) (*Plan, diag.List) {
	c := newChecker(ctx, file, opts)
	plan := c.compile()
	c.diags.Sort()
	if c.diags.HasErrors() {
		_ = plan.Close() // the errors found are what the caller needs to hear of
		return nil, c.diags
	}
	return plan, c.diags
}

// newChecker knows the declarations and the families of a spec.
func newChecker(ctx context.Context, file *dsl.File, opts Options) *checker {
	c := &checker{
		ctx: ctx, file: file, opts: opts,
		gridOf:   map[dsl.Expr]int{},
		files:    map[string]*fileContent{},
		defaults: map[string]dsl.Expr{},
		lost:     map[string]bool{},
		rules:    calculus.Rules,
		poison:   map[string]bool{},
	}
	c.declare()
	c.openFamilies()
	c.addStandard()
	return c
}

// compile runs the passes for every choice of grid values.
func (c *checker) compile() *Plan {
	plan := &Plan{checker: c}
	plan.first = c.pass(nil).run()
	c.note(plan.first)
	c.judgeChoices()
	c.settleFirst(plan.first)
	plan.Data = plan.first.Data
	plan.Seed, plan.HasSeed = plan.first.Seed, plan.first.HasSeed
	for _, g := range c.grids {
		plan.Grid = append(plan.Grid, g.export())
	}
	return plan
}

// A pass compiles the spec for one choice of grid values.
type pass struct {
	*checker
	choice   []int
	diags    *diag.List
	section  string // "kernel", "learn", "invariance", …: where a grid is met
	place    string // the name of a grid met here: "learn.C"
	inlined  *tree.Inlining
	active   []dsl.Node // lets, definitions and invariances being expanded
	axes     int        // numbers index sets
	nodes    int        // expressions met, see maxNodes
	broken   brokenParts
	used     map[string]bool
	derives  []tree.Origin    // derivatives met
	bends    []tree.Origin    // second derivatives among them
	mendings []mending        // of the invariance being compiled
	decl     diag.Span        // of the invariance being compiled
	noPoint  *diag.Diagnostic // its first f that is at no point
	trial    bool             // an attempt at a mend: nobody reads what is found
	met      tree.GridSet     // the grids of what is being compiled; nil between statements
	auto     *dsl.Ident       // the one that weighs what is being compiled; nil where none does
	out      *settled
	lets     map[letPlace]letValue
}

func (c *checker) pass(choice []int) *pass {
	return &pass{checker: c, choice: choice, diags: &c.diags, used: map[string]bool{}, broken: c.broken, lets: map[letPlace]letValue{}}
}

// run compiles everything. What it cannot compile is reported and left out of the instance.
func (p *pass) run() *Instance {
	in := &Instance{checker: p.checker, choice: p.choice}
	p.out = &in.settled
	p.out.Data = p.data()
	p.settings()
	p.invariances()
	p.regularize()
	p.evaluate()
	p.afterthoughts()
	p.out.axes = p.axes
	return in
}

// report adds an error at its subject, and returns it for more to be said.
func (p *pass) report(d *diag.Diagnostic) *diag.Diagnostic {
	return p.reportAt(tree.Origin{Span: d.Subject, Inlined: p.inlined}, d)
}

// reportAt adds an error at an origin. Of several parts of a family's definition that break one rule in one call the first
// says so.
func (p *pass) reportAt(o tree.Origin, d *diag.Diagnostic) *diag.Diagnostic {
	d = tree.AtOrigin(o, d)
	said := func(other *diag.Diagnostic) bool { return other.Code == d.Code && other.Subject == d.Subject }
	if d.Subject == o.Span || !slices.ContainsFunc(*p.diags, said) {
		p.diags.Add(d)
	}
	return d
}
