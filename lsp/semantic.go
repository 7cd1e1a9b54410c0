package lsp

import (
	"context"
	"slices"

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
var symbolTypes = map[symbolKind]struct {
	name    string
	library bool
}{
	letSymbol: {"variable", false}, defSymbol: {functionType, false}, invarianceSymbol: {"property", false},
	parameterSymbol: {"parameter", false}, variableSymbol: {"variable", false}, familySymbol: {"namespace", false},
	labelSymbol: {"enumMember", false}, columnSymbol: {"property", false}, functionSymbol: {functionType, true},
	domainSymbol: {"type", true}, mapSymbol: {functionType, true}, definitionSymbol: {functionType, true},
	choiceSymbol: {"enumMember", true}, argumentSymbol: {"parameter", true}, typeSymbol: {"type", true},
}

// semanticTokens are the tokens of the document by what they mean.
func (s *session) semanticTokens(_ context.Context, d *document) *SemanticTokens {
	out := &SemanticTokens{Data: []uint32{}}
	known, tokens := s.sense(d).names().occurrences, d.syntax().tokens
	previous := Position{}
	for i := range tokens {
		t := &tokens[i]
		for len(known) > 0 && known[0].span.Start.Offset < t.Span.Start.Offset {
			known = known[1:]
		}
		var o *occurrence
		if len(known) > 0 && known[0].span.Start.Offset == t.Span.Start.Offset {
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

func tokenType(t *dsl.Token, o *occurrence) (kind string, modifiers uint32) {
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
		is := symbolTypes[o.symbol.kind]
		if o.def {
			modifiers |= 1
		}
		if is.library {
			modifiers |= 2
		}
		return is.name, modifiers
	}
	return "", 0
}

// keywordType is "keyword" for a word of the language.
func keywordType(t *dsl.Token) string {
	for _, table := range []map[string]wordDoc{statementDocs, itemDocs, reservedDocs, aggregationDocs} {
		if _, ok := table[t.Word]; ok {
			return "keyword"
		}
	}
	return ""
}
