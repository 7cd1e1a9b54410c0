package lsp

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/symbols"
	"github.com/sipc-ml/sipc/dsl"
)

// functionType is the type of what is called.
const functionType = "function"

// The legend of semantic tokens.
var (
	tokenTypes     = []string{"keyword", "comment", "string", "number", "operator", functionType, "variable", "parameter", "property", "enumMember", "namespace", "macro", "type"}
	tokenModifiers = []string{"declaration", "defaultLibrary"}
)

// symbolTypes are the types of names, with whether the language or a family defines them.
var symbolTypes = map[symbols.Kind]struct {
	name    string
	library bool
}{
	symbols.Let: {"variable", false}, symbols.Def: {functionType, false}, symbols.Invariance: {"property", false},
	symbols.Parameter: {"parameter", false}, symbols.Variable: {"variable", false}, symbols.Family: {"namespace", false},
	symbols.Label: {"enumMember", false}, symbols.Column: {"property", false}, symbols.Function: {functionType, true},
	symbols.IndexSet: {"type", true}, symbols.Map: {functionType, true}, symbols.Definition: {functionType, true},
	symbols.Choice: {"enumMember", true}, symbols.Filler: {"enumMember", true}, symbols.Argument: {"parameter", true},
	symbols.Type: {"type", true},
}

// semanticTokens returns the tokens of the document by what they mean.
func semanticTokens(q *question) *SemanticTokens {
	out := &SemanticTokens{Data: []uint32{}}
	d, known, tokens := q.doc, q.Occurrences, q.doc.syntax().tokens
	previous := Position{}
	for i := range tokens {
		t := &tokens[i]
		for len(known) > 0 && known[0].Span.Start.Offset < t.Span.Start.Offset {
			known = known[1:]
		}
		var o *symbols.Occurrence
		if len(known) > 0 && known[0].Span.Start.Offset == t.Span.Start.Offset {
			o = &known[0]
		}
		kind, modifiers := tokenType(t, o)
		if kind == "" {
			continue
		}
		at, end := d.text.position(t.Span.Start.Offset), d.text.position(t.Span.End.Offset)
		if at.Line != end.Line {
			continue
		}
		column := at.Character
		if at.Line == previous.Line {
			column -= previous.Character
		}
		number := uint32(slices.Index(tokenTypes, kind))
		out.Data = append(out.Data, uint32(at.Line-previous.Line), uint32(column), uint32(end.Character-at.Character), number, modifiers)
		previous = at
	}
	return out
}

func tokenType(t *dsl.Token, o *symbols.Occurrence) (kind string, modifiers uint32) {
	switch t.Kind {
	case dsl.CommentToken:
		return "comment", 0
	case dsl.StringToken, dsl.OpenStringToken:
		return "string", 0
	case dsl.NumberToken:
		return "number", 0
	case dsl.WordToken:
		if o == nil {
			return keywordType(t), 0
		}
		is := symbolTypes[o.Symbol.Kind]
		if o.Declares {
			modifiers |= 1
		}
		if is.library {
			modifiers |= 2
		}
		return is.name, modifiers
	}
	return "", 0
}

// keywordType returns "keyword" for a word of the language, and nothing for another.
func keywordType(t *dsl.Token) string {
	for _, table := range []map[string]wordDoc{statementDocs, itemDocs, reservedDocs, aggregationDocs} {
		if _, ok := table[t.Word]; ok {
			return "keyword"
		}
	}
	return ""
}
