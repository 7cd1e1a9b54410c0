package lsp

import (
	"slices"
	"sort"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// A symbolKind says what a name stands for.
type symbolKind int

// The kinds of names.
const (
	letSymbol symbolKind = iota
	defSymbol
	invarianceSymbol
	parameterSymbol  // of a definition
	variableSymbol   // bound by a quantifier
	familySymbol     // of `use`
	labelSymbol      // of the target
	columnSymbol     // of the data
	functionSymbol   // f, pos, hypot, grid, taxonomy, median
	domainSymbol     // an index set
	mapSymbol        // a transformation of a family
	definitionSymbol // a definition of a family or of the standard library
	choiceSymbol     // a word that a setting takes
	argumentSymbol   // of a call
	typeSymbol       // of a target
)

// A symbol is what occurrences of a name mean together.
type symbol struct {
	kind     symbolKind
	name     string    // canonical; that of the data for labels and columns
	def      diag.Span // where it is declared in the document; zero where it is not
	implicit bool      // bound by an index set that the spec gives no name for
	decl     dsl.Node  // that declares it: a statement, a binder
	detail   string    // in a few words
	doc      string
	args     []plugins.Arg // of a call
	callable bool
	source   string // of a family's definition
}

// renamable reports whether the spec alone decides what the name is.
func (s *symbol) renamable() bool {
	switch s.kind {
	case letSymbol, defSymbol, invarianceSymbol, parameterSymbol:
		return true
	case variableSymbol:
		return !s.implicit
	}
	return false
}

// An occurrence of a symbol.
type occurrence struct {
	span   diag.Span
	symbol *symbol
	def    bool
}

// names are all occurrences of names in a document, in the order of the source.
type names struct {
	occurrences []occurrence
	globals     map[string]*symbol // lets, definitions, invariances
	families    familyWords
}

// familyWords are what the families in use and the standard library add to the language.
type familyWords struct {
	domains map[string]*plugins.DomainSchema
	maps    map[string]*plugins.MapSchema
	defs    map[string]*plugins.Definition
	family  map[string]*plugins.Schema // by any of their words, and by their names
}

func wordsOf(index *compiler.Index) familyWords {
	w := familyWords{
		domains: map[string]*plugins.DomainSchema{}, maps: map[string]*plugins.MapSchema{},
		defs: map[string]*plugins.Definition{}, family: map[string]*plugins.Schema{},
	}
	for _, s := range index.Families {
		w.family[s.Name] = s
		for i := range s.Domains {
			w.domains[s.Domains[i].Name], w.family[s.Domains[i].Name] = &s.Domains[i], s
		}
		for i := range s.Maps {
			w.maps[s.Maps[i].Name], w.family[s.Maps[i].Name] = &s.Maps[i], s
		}
		for i := range s.Definitions {
			w.defs[s.Definitions[i].Name], w.family[s.Definitions[i].Name] = &s.Definitions[i], s
		}
	}
	for _, d := range compiler.Standard() {
		if w.defs[d.Name] == nil {
			w.defs[d.Name] = &d
		}
	}
	return w
}

// at is the occurrence that holds an offset, or ends there; nil where there is none.
func (n *names) at(offset int) *occurrence {
	i := sort.Search(len(n.occurrences), func(i int) bool { return n.occurrences[i].span.Start.Offset > offset }) - 1
	if i < 0 || offset > n.occurrences[i].span.End.Offset {
		return nil
	}
	return &n.occurrences[i]
}

// of are the occurrences of a symbol.
func (n *names) of(s *symbol) []occurrence {
	var out []occurrence
	for _, o := range n.occurrences {
		if o.symbol == s {
			out = append(out, o)
		}
	}
	return out
}

// tidy sorts the occurrences and drops those that are met twice.
func (n *names) tidy() {
	byPlace := func(a, b occurrence) int { return a.span.Start.Offset - b.span.Start.Offset }
	if !slices.IsSortedFunc(n.occurrences, byPlace) {
		slices.SortStableFunc(n.occurrences, byPlace)
	}
	kept := n.occurrences[:0]
	for _, o := range n.occurrences {
		if len(kept) == 0 || kept[len(kept)-1].span != o.span {
			kept = append(kept, o)
		}
	}
	n.occurrences = kept
}
