// Package symbols says what every name of a spec stands for, place by place. Whoever reads a spec without judging it asks this
// package: an editor that colours, completes and renames.
//
// A spec binds names statically. With Γ for what the statements, the families and the standard library declare, a quantifier
// extends the scope that its body is read in,
//
//	Γ ⊢ D : κ₁ × … × κₘ     Γ, v₁ : κ₁, …, vₘ : κₘ ⊢ e
//	───────────────────────────────────────────────────
//	           Γ ⊢ AGG over (v₁, …, vₘ) in D of e
//
// where each κ is a point, a label, a path's parameter, a transformation or an edge's weight. A definition extends the scope by its
// parameters in the same way. A name that is not bound means what its place asks for: `area` is a column behind `where`, and a label
// within f(…). So the rules have the form Γ ⊢ e as ρ, with a role ρ.
//
// In the spec
//
//	let w = 2
//	def gap(a, b) = |f(a) - f(b)|
//	invariance logic = rms over x where age > 3 of w * gap(cat, dog)
//
// w is a Let, gap a Def with the Parameters a and b, and logic an Invariance. x is an IndexSet; it brings along an implicit Variable x,
// the point of every f in the body. age is a Column, cat and dog are Labels, and f is a Function.
//
// Package elaborate applies the same rules to definitions with their arguments in place. It must, as an argument may be an index set,
// which decides what the body binds. It stops at the first fault of an expression. This package never stops: a name that means
// nothing is left out, and all others keep their meaning. It also reads definitions that nothing calls.
package symbols

import (
	"slices"
	"sort"

	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// A Kind says what a name stands for. The spec alone decides what the first six are, and an editor may rename them. Labels and columns
// are names that the data have. All others are words of a family or of the language.
type Kind int

// The kinds of names.
const (
	Let Kind = iota
	Def
	Invariance
	Requirement
	Parameter  // of a definition
	Variable   // bound by a quantifier
	Family     // of `use`
	Label      // of the target
	Column     // of the data
	Function   // f, pos, hypot, grid, taxonomy, median
	IndexSet   // of the language or a family
	Map        // a transformation of a family
	Definition // of a family or the standard library
	Choice     // a word that a setting takes
	Filler     // a word that stands for an argument's value, such as median
	Argument   // the name of an argument
	Type       // of a target
)

// A Symbol is what occurrences of one name mean together. Two names are the same if and only if their symbols are: pointers are
// compared, as in package go/types.
type Symbol struct {
	Kind     Kind
	Name     string          // canonical; that of the data for labels and columns
	Of       string          // the setting of a choice, the argument of a filler
	At       diag.Span       // where the spec declares it; zero where it does not
	Implicit bool            // bound by an index set that the spec gives no name for
	Decl     dsl.Node        // that declares it: a statement, a binder
	Family   *plugins.Schema // that adds it; nil for words of the spec and of the language
	Detail   string          // in a few words; empty for words of the language
	Doc      string          // a family's
	Args     []plugins.Arg   // of a call; of the name of an argument that argument alone
	Source   string          // of a definition

	sort tree.VarKind // of a variable that an index set binds
}

// An Occurrence is a place where a symbol stands. Its span is that of the name as it is written, with quotes where it has some.
type Occurrence struct {
	Span     diag.Span
	Symbol   *Symbol
	Declares bool
}

// A Table holds the symbols of a spec. Those that the spec declares are in one name space, where a let hides a transformation of its
// name. The others are told apart by their kinds: a word may be a column and a family's index set.
type Table struct {
	Occurrences []Occurrence // in the order of the source, each place once
	spec        map[string]*Symbol
	known       map[key]*Symbol
}

type key struct {
	kind     Kind
	of, name string // of: as in Symbol
}

// Global returns the let, definition or invariance of a name. Nil means that the spec declares none; a family may still have the word.
func (t *Table) Global(name string) *Symbol { return t.spec[name] }

// Lookup returns what a name stands for among symbols of a kind that the spec does not declare. Nil means that the name was not met
// as one and no family adds it.
// A transformation is also found by the name that it had in an earlier version. Its arguments are then
// bound as ever, and a rename of a column reaches them.
func (t *Table) Lookup(kind Kind, name string) *Symbol {
	s := t.known[key{kind, "", name}]
	if next := names.Renamed[name]; s == nil && kind == Map && next != "" {
		return t.Lookup(kind, next)
	}
	return s
}

// All returns the symbols of some kinds, by name, met or not: families' words, and of the others those that the spec uses.
func (t *Table) All(kinds ...Kind) []*Symbol {
	var out []*Symbol
	for _, s := range t.spec {
		if slices.Contains(kinds, s.Kind) {
			out = append(out, s)
		}
	}
	for k, s := range t.known {
		if slices.Contains(kinds, k.kind) {
			out = append(out, s)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		return a.Name < b.Name || a.Name == b.Name && a.Kind < b.Kind
	})
	return out
}

// At returns by bisection the occurrence that holds an offset or ends there. Nil means that no name stands there, or one that means nothing.
func (t *Table) At(offset int) *Occurrence {
	i := sort.Search(len(t.Occurrences), func(i int) bool { return t.Occurrences[i].Span.Start.Offset > offset }) - 1
	if i < 0 || offset > t.Occurrences[i].Span.End.Offset {
		return nil
	}
	return &t.Occurrences[i]
}

// Of returns the occurrences of a symbol in the order of the source, its declaration among them.
func (t *Table) Of(s *Symbol) []Occurrence {
	var out []Occurrence
	for _, o := range t.Occurrences {
		if o.Symbol == s {
			out = append(out, o)
		}
	}
	return out
}

// Same reports whether two specs tell the same names apart and declare the same ones. They do if a bijection of symbols leads from the
// occurrences of one to those of the other and keeps kinds.
func (t *Table) Same(other *Table) bool {
	if len(t.Occurrences) != len(other.Occurrences) {
		return false
	}
	there, back := map[*Symbol]*Symbol{}, map[*Symbol]*Symbol{}
	for i, o := range t.Occurrences {
		x, y := o.Symbol, other.Occurrences[i].Symbol
		if there[x] == nil && back[y] == nil {
			there[x], back[y] = y, x
		}
		if there[x] != y || back[y] != x || x.Kind != y.Kind || o.Declares != other.Occurrences[i].Declares {
			return false
		}
	}
	return true
}

// tidy sorts the occurrences, which the walk meets nearly in the order of the source. It drops those that were met twice: the walk
// may read an expression in two roles, and the first counts.
func (t *Table) tidy() {
	sort.SliceStable(t.Occurrences, func(i, j int) bool { return t.Occurrences[i].Span.Start.Offset < t.Occurrences[j].Span.Start.Offset })
	t.Occurrences = slices.CompactFunc(t.Occurrences, func(a, b Occurrence) bool { return a.Span == b.Span })
}
