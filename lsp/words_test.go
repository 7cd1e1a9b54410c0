package lsp

import (
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

// Every word of the language has its documentation, and nothing else has.
func TestWords(t *testing.T) {
	words := dsl.Keywords()
	for _, c := range []struct {
		what  string
		table map[string]wordDoc
		words []string
	}{
		{"statements", statementDocs, words.Statements},
		{"items", itemDocs, words.Items},
		{"reserved and linking words", reservedDocs, slices.Concat(words.Reserved, words.Linking)},
		{"aggregations", aggregationDocs, words.Aggregations},
	} {
		slices.Sort(c.words)
		if got := sortedKeys(c.table); !slices.Equal(got, c.words) {
			t.Errorf("documentation of %s: %q, and the language has %q", c.what, got, c.words)
		}
		for word, doc := range c.table {
			if doc.doc == "" || !strings.Contains(doc.form, word) && doc.form[:3] != "AGG" {
				t.Errorf("%s: %q", word, doc)
			}
		}
	}
	for word := range functionDocs {
		if !slices.Contains(compiler.BuiltinWords(), word) {
			t.Errorf("%s is documented, and is not a word of the compiler", word)
		}
	}
	for _, word := range compiler.BuiltinWords() {
		if docOf(word) == "" && word != "d" {
			t.Errorf("%s is not documented", word)
		}
	}
}

// Every choice of a setting has its documentation, and nothing else has.
func TestChoices(t *testing.T) {
	var want []string
	for _, setting := range dsl.Keywords().Statements {
		for _, c := range compiler.Vocabulary()[setting] {
			want = append(want, setting+" "+c.Word)
		}
	}
	want = append(want, "columns image")
	slices.Sort(want)
	if got := sortedKeys(choiceDocs); !slices.Equal(got, want) {
		t.Errorf("documentation of %q, and the language has %q", got, want)
	}
	tables := []map[string]wordDoc{
		statementDocs, typeDocs, columnTypeDocs, reservedDocs, aggregationDocs, functionDocs, domainDocs, dataCallDocs, binderDocs, derivativeDocs,
	}
	for word := range snippets {
		if !slices.ContainsFunc(tables, func(table map[string]wordDoc) bool { _, known := table[strings.TrimSuffix(word, "(")]; return known }) {
			t.Errorf("a snippet for %s", word)
		}
	}
}

// Every word of the language has a meaning in the glossary, and so have the names of the standard library and of families.
func TestGlossary(t *testing.T) {
	words := dsl.Keywords()
	glossary := Glossary([]*plugins.Schema{{
		Domains: []plugins.DomainSchema{{Name: "near", Doc: "Rows `near`."}}, Definitions: []plugins.Definition{{Name: "gap", Doc: "A gap.", Source: "def gap(a, b) = |f(a) - f(b)|"}},
	}})
	for _, word := range slices.Concat(words.Statements, words.Items, words.Reserved, words.Aggregations, []string{"increasing", "gaussian", "f"}) {
		if !strings.HasPrefix(glossary[word], "# ") {
			t.Errorf("%s means %q", word, glossary[word])
		}
	}
	if got := glossary["near"] + glossary["gap"]; got != "# Rows near.\nover near()\n# A gap.\ndef gap(a, b) = |f(a) - f(b)|\n" {
		t.Error(got)
	}
}
