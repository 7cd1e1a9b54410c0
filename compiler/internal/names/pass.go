// Package names knows what the names of a spec stand for. Statements, families and the standard
// library declare them; quantifiers and definitions bind them.
//
// Three layers of names lie above each other, Γ = Γ_spec ▷ Γ_families ▷ Γ_standard, where the left
// one hides the right one. A name is declared once in a layer, or codes.DuplicateName says where
// first. Words of the language cannot be declared at all. Two families must not add the same word,
// as no spec could say which one it means.
//
// Faults must not breed faults. A statement that does not parse may declare any name that stands in
// it. Such names are poison (Spec.Poison): nothing is said of their uses. While a family is
// missing, every unknown name may be one of its words. And of a keyword whose statement is lost,
// nobody says that it lacks.
//
// The package also holds what reporting needs. An error knows where its part of an expression comes
// from and which definition it was inlined from. Inside a definition of a family it is placed at
// the call, since no user sees the body. A misspelt name comes with the nearest known one, as a fix
// if it stands in the user's text.
//
// Rules of names are described in docs/language.md under Syntax and The standard library.
package names

import (
	"context"

	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
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
	// Identity returns what is the same for all names of a file: a link to it, and its path from the root. Where it is nil, names
	// of one file differ in dots alone.
	Identity func(name string) string
	// Included is told of each file that the spec includes, if it is not nil.
	Included func(*Included)
	// Set overrides lets by name; the values are in the language's syntax.
	Set map[string]string
	// Data is the data file that an editor found for the spec. Nil means that none is known.
	Data *DataFile
}

// A DataFile says what a glance at a data file shows.
type DataFile struct {
	Name    string
	Columns []string
	Labels  bool                // the rows carry labels beside the columns, which the target may call by any name
	Texts   map[string][]string // the texts of its first rows, by the columns that hold some
	Whole   bool                // no row has other texts in these columns
}

// A Spec holds what all passes over one spec share. Fields that passes write (grids, files,
// diagnostics) only grow while Check runs. After it they stay as they are, and Plan.At may run
// passes at the same time.
type Spec struct {
	Ctx      context.Context //nolint:containedctx // a checker lives for one call of Check, and Plan.At needs none
	File     *dsl.File
	Beside   *dsl.File // an expression that is judged beside the spec; nil means none
	AtRow    bool      // it is judged at a training row
	Included []*Included
	opts     Options
	Data     *DataFile // nil where none is known, or its columns have no names
	Decls    declarations
	Declared declared // their names
	Families []*tree.Family
	Closers  []func() error
	Grids    []*GridParam
	GridOf   map[dsl.Expr]int
	Together []tree.GridSet // the grids that are judged together
	Files    map[string]*fileContent
	Defaults map[string]dsl.Expr // parsed defaults of schemas
	Diags    diag.List
	broken   brokenParts
	Lost     map[string]bool // words of statements that are there and faulty; "" where a statement's word is not known
	Budget   budget
	Rules    calculus.Set
	Poison   map[string]bool // names that faulty statements declare: what they stand for is not known
	OneSided []string        // invariances in R that are one-sided for some choice of the grids; see settle
}

// brokenParts says which declarations are faulty, so that what depends on them is not reported again.
type brokenParts struct {
	Data     bool // the data block: task, labels and columns are not known
	includes bool // an included file cannot be read: unknown names may be its names
	families bool // a family is missing: unknown names may be its names
	// The list of regularize: what R holds is not known.
	Regularize bool
}

// NewSpec collects the declarations of a spec and opens its families. It judges no expression.
func NewSpec(ctx context.Context, file *dsl.File, opts Options) *Spec {
	c := &Spec{
		Ctx: ctx, File: file, opts: opts,
		GridOf:   map[dsl.Expr]int{},
		Files:    map[string]*fileContent{},
		Defaults: map[string]dsl.Expr{},
		Lost:     map[string]bool{},
		Rules:    calculus.Rules,
		Poison:   map[string]bool{},
	}
	if opts.Data != nil && len(opts.Data.Columns) > 0 {
		c.Data = opts.Data
	}
	declare(c)
	openFamilies(c)
	addStandard(c)
	c.Declared = listed(&c.Decls)
	return c
}

// A Pass compiles the spec for one choice of grid values. Beside what it makes, it keeps four things that have nothing to do with
// each other, each a type of its own.
type Pass struct {
	*Spec
	Choice []int
	Diags  *diag.List
	Broken brokenParts
	Out    *Settled

	Site
	Expansion
	Attempt
	Seen
}

// A Site says which part of the spec is being compiled. Grids that are met at one site decide together whether it is in order.
type Site struct {
	Section string       // "kernel", "learn", "invariance", …: where a grid is met
	Place   string       // the name of a grid met here: "learn.C"
	Within  dsl.Expr     // the number that a grid met here is a part of; nil: none
	Met     tree.GridSet // the grids of what is being compiled; nil between statements
	Weight  diag.Span    // of the factor before what is being compiled; zero where there is none
	Auto    *dsl.Ident   // the one that weighs what is being compiled; nil where none does
}

// An Expansion says how far lets and definitions have been replaced by what they stand for.
type Expansion struct {
	Inlined *tree.Inlining
	Active  Active
	Axes    int // numbers index sets
	Nodes   int // expressions met, which are bounded
	Lets    map[LetPlace]LetValue
	Held    map[string]dsl.Expr // what lets hold through other names, as far as it was asked
}

// An Attempt is at compiling one invariance: the one of the spec, or one that an edit has made of it.
type Attempt struct {
	Decl    diag.Span        // of the invariance
	NoPoint *diag.Diagnostic // its first f that is at no point
	// Region says that the binders of a requirement are compiled, of which one may be a box. Under all
	// others an index set has finitely many elements.
	Region   bool
	Mendings []mending
	Trial    bool // of an edit: nobody reads what is found
}

// Seen is what later passes ask about earlier ones.
type Seen struct {
	Used    map[string]bool // lets, definitions and invariances
	Derives []tree.Origin   // derivatives
	Bends   []tree.Origin   // second derivatives among them
	Unheld  map[string]int  // texts that a data file lacks, by their columns
}

// Pass returns a pass for one choice of grid values. Nil takes the first of each.
func (c *Spec) Pass(choice []int) *Pass {
	return &Pass{
		Spec: c, Choice: choice, Diags: &c.Diags, Broken: c.broken, Seen: Seen{Used: map[string]bool{}, Unheld: map[string]int{}},
		Expansion: Expansion{Lets: map[LetPlace]LetValue{}, Held: map[string]dsl.Expr{}},
	}
}

// A Settled spec has one value for each setting, and its invariances as trees.
type Settled struct {
	Data     setting.Data
	Kernel   setting.Kernel
	Features setting.Features
	Method   setting.Method
	Margin   float64 // of statements, as a share of their size; 0 is the default
	Reason   string  // why it has this method, as a reader is told
	Decode   setting.Decoding
	Learn    setting.Learner
	Seed     uint64
	HasSeed  bool

	Axes        int // how many index sets there are
	Invariances []*tree.Invariance
	Regularized []*tree.Term
	Under       []*tree.Mapping
	Augment     []*tree.Mapping
	Worst       []*tree.Mapping // of learn under
	Unsized     []*tree.Step    // of orbits, of images whose size the spec does not say

	Expectations []*tree.Expectation
	Required     []*tree.Requirement
}

// A LetPlace is a let where it is used: what it may hold depends on the section.
type LetPlace struct {
	Let     *dsl.Let
	Section string
}

// A LetValue is what a let comes to there, if it does.
type LetValue struct {
	Quantity tree.Quantity
	Ok       bool
	Grids    tree.GridSet
}

// A GridParam is a number that is chosen from several.
type GridParam struct {
	Call     dsl.Expr // grid(…), or auto
	Within   dsl.Expr // the number that it is a part of, as 2 * grid(…); nil: it stands in an expression
	Name     string
	Values   []tree.Quantity
	Sections map[string]bool
	Each     []string // the invariances that auto weighs where it stands alone; else nil
}
