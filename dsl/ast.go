package dsl

import "github.com/sipc-ml/sipc/dsl/diag"

// A File is a parsed spec.
type File struct {
	Name     string // as given by the user; spans name it
	Source   []byte
	Tokens   []Token // the lexemes, comments among them
	Comments []Token
	Decls    []Decl // in source order; declarations that failed to parse are absent
	Broken   []Broken
}

// A Broken statement is one that failed to parse, as far as can be told what it is. What it would have declared is not known
// to be missing.
type Broken struct {
	At
	Keyword string // the word that it begins with, also where that is misspelt; empty where it is none
	Exact   bool   // the word is as it should be
	Name    *Ident // what it declares, nil where it names nothing
	Data    *Data  // of a data block: the items that parse
}

// A Node has a place in the source.
type Node interface{ Span() diag.Span }

// A Decl is one statement of a spec.
type Decl interface {
	Node
	decl()
	place(at diag.Span)
}

// At is embedded in every node and holds its place.
type At struct{ Place diag.Span }

// Span returns the node's place.
func (a At) Span() diag.Span { return a.Place }

// place sets the node's place.
func (a *At) place(at diag.Span) { a.Place = at }

// The declarations.
type (
	// Use is `use NAME` or `use NAME from "PATH"`.
	Use struct {
		At
		Name *Ident  `parser:"'use' @@"`
		From *String `parser:"( 'from' @@ )?"` // nil: the family of that name that is built in
	}
	// Include is `include "PATH"`: the values and definitions of another file.
	Include struct {
		At
		Path *String `parser:"'include' @@"`
	}
	// Data is `data { … }`.
	Data struct {
		At
		Items []DataItem
	}
	// Let is `let NAME = EXPR`.
	Let struct {
		At
		Name  *Ident `parser:"'let' @@"`
		Value Expr   `parser:"'=' @@"`
	}
	// Setting is a keyword with one value: `kernel gaussian(width = 1)`, `features …`, `learn …`, `method embed`,
	// `seed 7`. Regularize alone has a list of them: `regularize 3 * steady, smooth`. Learn alone may have a set of
	// transformations: `learn svm under {rotate(10deg)}`.
	Setting struct {
		At
		Keyword *Ident `parser:"(?= 'kernel' | 'features' | 'learn' | 'method' | 'decode' | 'seed' | 'regularize') @@"`
		Value   Expr   `parser:"@@"`
		More    []Expr `parser:"( ',' @@ )*"`
		Under   Expr   `parser:"( 'under' @@ )?"` // nil: none
	}
	// Def is `def NAME(PARAMS) = EXPR`.
	Def struct {
		At
		Name   *Ident   `parser:"'def' @@"`
		Params []*Ident `parser:"'(' ( @@ ( (?! ',' ')') ',' @@ )* ','? )? ')'"`
		Body   Expr     `parser:"'=' @@"`
	}
	// Invariance is `invariance NAME = EXPR`, or `measure NAME = EXPR`, which a run reports and nothing regularizes.
	Invariance struct {
		At
		Keyword *Ident `parser:"(?= 'invariance' | 'measure') @@"`
		Name    *Ident `parser:"@@"`
		Body    Expr   `parser:"'=' @@"`
	}
	// Require is `require NAME = RELATION`: what is to hold at every point of a region.
	Require struct {
		At
		Name  *Ident    `parser:"'require' @@"`
		Holds *Relation `parser:"'=' @@"`
	}
	// Expect is `expect COND`.
	Expect struct {
		At
		Cond Expr `parser:"'expect' @@"`
	}
	// Evaluate is `evaluate under { MAP, … }`, with an orbit in its place, or `evaluate under NAME` for a set with a name.
	Evaluate struct {
		At
		Under Expr `parser:"'evaluate' 'under' @@"`
	}
	// Augment is `augment { MAP, … }`, with an orbit in its place, or `augment NAME` for a set with a name.
	Augment struct {
		At
		Set Expr `parser:"'augment' @@"`
	}
)

// Measures reports whether the statement is a measure.
func (d *Invariance) Measures() bool { return d.Keyword != nil && d.Keyword.Name == wordMeasure }

// Values returns the values of a setting, one or, of regularize, several.
func (s *Setting) Values() []Expr { return append([]Expr{s.Value}, s.More...) }

// A Relation is `EXPR >= EXPR [over BINDER, … [where COND]]`, or a chain of two comparisons, `0 <= f(x) <= 1`.
type Relation struct {
	At
	Sides []Expr // two or three
	Ops   []Comparing
	Over  []*Binder // empty where the statement is about no point
	Where Expr      // nil where absent
}

// A Comparing is a sign between two sides of a relation: <=, >= or ==.
type Comparing struct {
	Op    string
	Raw   string // as written
	Place diag.Span
}

// A DataItem is one line of a data block.
type DataItem interface {
	Node
	dataItem()
	place(at diag.Span)
}

// The items of a data block.
type (
	// Target is `target NAMES : TYPE`, `target columns("glob") : TYPE`, `target labels("file") : TYPE`, `target labels(data) : TYPE`.
	Target struct {
		At
		Names  []*Ident `parser:"'target' @@ ( ',' @@ )*"` // `target a, b : …`
		Source *Call    `parser:"( (?= '(') @@ )?"`        // `columns(…)` or `labels(…)`; nil where names are given
		Type   Expr     `parser:"':' @@"`                  // *Ident (class, real, multilabel) or *Call (binary(a, b))
	}
	// Columns is `columns image(28, 28)`, `columns a, b, c` or `columns text(a), b`.
	Columns struct {
		At
		Values []Expr `parser:"'columns' @@ ( ',' @@ )*"` // one *Call image(h, w), or *Ident / *String column names, or *Call columns("glob") or text(a)
	}
	// Types is `types area : real, region : {north, south}, age : integer [0, 120]`.
	Types struct {
		At
		Columns []*TypedColumn `parser:"'types' @@ ( ',' @@ )*"`
	}
	// SplitBy is `split by COLUMN`.
	SplitBy struct {
		At
		Column *Ident `parser:"(?= 'split' 'by') 'split' 'by' @@"`
	}
	// Option is a word with arguments: `split train = 1000, test = 1000`, `missing mean`, `standardize`, `scale 255`, `normalize`,
	// `ignore name, address`, `id patient`, `unlabelled "more.csv"`, `gaps -7, -8`, `weight exposure`, `outside clip`.
	Option struct {
		At
		Keyword *Ident `parser:"(?= 'split' | 'missing' | 'standardize' | 'scale' | 'normalize' | 'ignore' | 'id' | 'unlabelled' | 'gaps' | 'weight' | 'outside') @@"`
		Args    []*Arg `parser:"( @@ ( ',' @@ )* )?"`
	}
)

// A TypedColumn is a column with its type: `age : integer [0, 120]`, `region : {north, south}`.
type TypedColumn struct {
	At
	Name   *Ident
	Word   *Ident    // real, integer, date or text; nil where the values are listed
	Within *Interval // of a number; nil where it has no bounds
	Values *Set      // nil where a word says what the column holds
}

// An Expr is an expression.
type Expr interface {
	Node
	expr()
}

// The expressions.
type (
	// Ident is a name. Greek letters are spelled out: Name is "lambda" for λ.
	// Names of columns and labels that are not words may stand in quotes (`d/d("living area") f`): Raw then has them.
	Ident struct {
		At
		Name string
		Raw  string // as written; empty: as Name
	}
	// Number is a literal, with its unit: "", "n" (`4n`) or "deg" (`10deg`).
	Number struct {
		At
		Value float64
		Unit  string
		Raw   string // as written, with the unit
	}
	// String is a literal in double quotes.
	String struct {
		At
		Value string
	}
	// Paren is a bracketed expression, kept for the printer.
	Paren struct {
		At
		X Expr
	}
	// Neg is `-x`.
	Neg struct {
		At
		X Expr
	}
	// Binary is `x OP y`, with OP one of + - * / and, inside `where`, == != < <= > >= and or.
	Binary struct {
		At
		Op    string
		Raw   string // the operator as written (`≤` for <=); empty: as Op
		OpPos diag.Span
		X, Y  Expr
	}
	// Not is `not x`, inside `where`.
	Not struct {
		At
		X Expr
	}
	// Abs is `|x|`.
	Abs struct {
		At
		X Expr
	}
	// Call is `fun(args)`: a function, a definition, f, a map, a domain, a setting's value.
	Call struct {
		At
		Fun  *Ident
		Args []*Arg
	}
	// Apply is `map(args)(point)`: a transformation of a point, `put(town, "b")(x)`.
	Apply struct {
		At
		Map *Call
		To  Expr
	}
	// Set is `{ e, … }`.
	Set struct {
		At
		Elems []Expr
	}
	// Orbit is `orbit { MAP, … }` or `orbit(moves = 64) { MAP, … }`: the compositions of maps whose amounts run through intervals.
	Orbit struct {
		At
		Word *Ident
		Args []*Arg
		Set  *Set
	}
	// Tuple is `(a, b)`: a pair of columns among the arguments of a kernel.
	Tuple struct {
		At
		Elems []Expr
	}
	// Interval is `[lo, hi]`.
	Interval struct {
		At
		Lo, Hi Expr
	}
	// Deriv is `d/dλ e`, `d/d(column) e`, `d/dt e`: the derivative of Of along With.
	Deriv struct {
		At
		With *Ident // λ, a column or a transformation
		// Bracketed tells `d/d(area)` from `d/dt`: a column from a parameter or transformation.
		Bracketed bool
		// RawUnit tells `d/d(area, unit = raw)`, per unit of the file, from what is per standard deviation of the column.
		RawUnit bool
		Of      Expr
	}
	// Aggregate is `max { e, … }`: an aggregation over the elements of a literal set.
	Aggregate struct {
		At
		Op  *Agg
		Set *Set
	}
	// Quant is `AGG over BINDER, … [where COND] of BODY`. (`mean over x where c of f`.)
	Quant struct {
		At
		Op    *Agg
		Bind  *Binder
		More  []*Binder // the binders after the first: `max over t in {…}, λ in [0, 1] of …` ranges over the product
		Where Expr      // nil where absent
		Body  Expr
	}
)

// An Agg is what a quantifier does with the values: max, sum, mean, rms, norm(p), top(k). The parser also lets min
// through, so that the compiler can say why it is not convex. It accepts no other name, and an argument only for norm
// and top.
type Agg struct {
	At
	Name string
	Arg  Expr // of norm and top; else nil
}

// A Binder says what a quantifier ranges over: `x`, `pairs(count = 4n)`, `λ in [0, 1]`, `t in {…}`, `(a, b) in edges(topics)`.
type Binder struct {
	At
	Vars []*Ident // the names bound; empty where the domain stands alone (`over x`, `over pairs(…)`)
	// Tuple tells `(a) in …` from `a in …`.
	Tuple bool
	In    Expr // *Ident, *Call, *Set, *Orbit or *Interval
}

// An Arg is an argument of a call, `x` or `name = x`.
type Arg struct {
	At
	Name  *Ident // nil for a positional one; a column in quotes has its quotes in Raw
	Value Expr
}

func (*Use) decl()        {}
func (*Include) decl()    {}
func (*Data) decl()       {}
func (*Let) decl()        {}
func (*Setting) decl()    {}
func (*Def) decl()        {}
func (*Invariance) decl() {}
func (*Evaluate) decl()   {}
func (*Augment) decl()    {}
func (*Expect) decl()     {}
func (*Require) decl()    {}

func (*Target) dataItem()  {}
func (*Columns) dataItem() {}
func (*Types) dataItem()   {}
func (*SplitBy) dataItem() {}
func (*Option) dataItem()  {}

func (*Ident) expr()     {}
func (*Number) expr()    {}
func (*String) expr()    {}
func (*Paren) expr()     {}
func (*Neg) expr()       {}
func (*Not) expr()       {}
func (*Binary) expr()    {}
func (*Abs) expr()       {}
func (*Call) expr()      {}
func (*Apply) expr()     {}
func (*Set) expr()       {}
func (*Orbit) expr()     {}
func (*Tuple) expr()     {}
func (*Interval) expr()  {}
func (*Deriv) expr()     {}
func (*Aggregate) expr() {}
func (*Quant) expr()     {}
