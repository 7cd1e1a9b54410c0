// Package editors_test holds what editors are told of the language against the language: every word of the grammars is one of
// the compiler's, and none is missing, and the colours of all specs in the repository are those of what the lexer and the parser
// find in them.
package editors_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

// corpus are the texts of all specs in the repository, by path.
func corpus(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{
		"../examples/*/*.inv", "../dsl/testdata/*/*.inv", "../compiler/testdata/*/*.inv", "../compiler/testdata/*/*/*.inv",
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out[path] = string(source)
		}
	}
	if len(out) < 20 {
		t.Fatalf("the corpus has %d specs", len(out))
	}
	return out
}

// Every comment, text, number and word of the language in every spec has its colour, whatever stands around it.
func TestColours(t *testing.T) {
	g := readGrammar(t)
	counts := map[string]int{}
	for path, source := range corpus(t) {
		t.Run(path, func(t *testing.T) {
			scopes := g.scopes(source)
			keywords := keywordsOf(path, source)
			for _, token := range dsl.Tokens(path, []byte(source)) {
				want := wanted(&token, keywords)
				if want == "" {
					continue
				}
				counts[want]++
				from, to := token.Span.Start.Offset, token.Span.End.Offset
				for at := from; at < to; at++ {
					if !strings.Contains(scopes[at], want) {
						t.Errorf("%s: %q has the scopes %q at %d, want %s", token.Span, token.Text, scopes[at], at-from, want)
						break
					}
				}
				if token.Kind != dsl.CommentToken && to < len(source) && source[to] == ' ' && strings.Contains(scopes[to], want) {
					t.Errorf("%s: %s reaches beyond %q", token.Span, want, token.Text)
				}
			}
		})
	}
	for _, scope := range []string{"comment", "string", "constant.numeric", "keyword.control", "keyword.other.item", "keyword.operator.word", "keyword.other.aggregation"} {
		if counts[scope] < 10 {
			t.Errorf("%s was looked at %d times", scope, counts[scope])
		}
	}
}

// wanted is the scope that a lexeme must have; empty where its colour is a matter of taste.
func wanted(t *dsl.Token, keywords map[int]string) string {
	switch t.Kind {
	case dsl.CommentToken:
		return "comment"
	case dsl.StringToken:
		return "string"
	case dsl.NumberToken:
		if plainNumber.MatchString(t.Text) {
			return "constant.numeric"
		}
	case dsl.WordToken:
		if scope := keywords[t.Span.Start.Offset]; scope != "" {
			return scope
		}
		if slices.Contains(dsl.Keywords().Reserved, t.Text) {
			return "keyword.operator.word"
		}
	}
	return ""
}

// oneLine is how a derivative begins that is not written over several lines.
var oneLine = regexp.MustCompile(`^d[ \t]*/[ \t]*d`)

// plainNumber is a number of the language.
var plainNumber = regexp.MustCompile(`^(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?(n|deg)?$`)

// keywordsOf are the places of the words that the parser takes for the language's own, with their scopes.
func keywordsOf(path, source string) map[int]string {
	out := map[int]string{}
	file, _ := dsl.Parse(path, []byte(source))
	for _, decl := range file.Decls {
		out[decl.Span().Start.Offset] = "keyword.control"
		dsl.Walk(decl, func(n dsl.Node) bool {
			switch n := n.(type) {
			case dsl.DataItem:
				out[n.Span().Start.Offset] = "keyword.other.item"
			case *dsl.Quant:
				out[n.Op.Span().Start.Offset] = "keyword.other.aggregation"
			case *dsl.Aggregate:
				out[n.Op.Span().Start.Offset] = "keyword.other.aggregation"
			case *dsl.Deriv:
				if oneLine.MatchString(source[n.Span().Start.Offset:]) {
					out[n.Span().Start.Offset] = "keyword.operator.derivative"
				}
			}
			return true
		})
	}
	return out
}

// The tokens that are easily got wrong.
func TestScopes(t *testing.T) {
	g := readGrammar(t)
	for _, c := range []struct{ source, token, want string }{
		{"let formax = 1", "formax", "variable.other.constant"},
		{"  λmax + maxλ", "λmax", "variable.other"},
		{"  λmax + maxλ", "maxλ", "variable.other"},
		{"# \"not a text\" 1", "1", "comment"},
		{`let a = "# text" # c`, "# text", "string"},
		{`let a = "# text" # c`, "# c", "comment"},
		{`let a = "open`, "open", "string"},
		{"let a = \"open\nlet b = 1", "let b", "keyword.control"},
		{`let a = "\"" # c`, "# c", "comment"},
		{"data { target x : class; missing mean }\nlet a = 1", "let", "keyword.control"},
		{"data { missing mean }", "mean", "support.constant"},
		{"data {\n  target columns(\"c\") : class\n  columns image(2, 2)\n}", "columns(", "support.function"},
		{"data {\n  scale 255 }\nx = scale(2)", "scale(", "support.function.family"},
		{"let a = 1e-3", "1e-3", "constant.numeric"},
		{"a = x1 + 4n", "x1", "variable.other"},
		{"a = x1 + 4n", "4n", "constant.numeric"},
		{"use swaps from \"./x\"", "from", "keyword.control"},
		{"x in 漢字 of 漢of", "漢of", "variable.other"},
		{"\U0001F600 max", "max", "keyword.other.aggregation"},
		{"d/d(area) f", "d/d", "keyword.operator.derivative"},
		{"kernel gaussian(width = 1)", "gaussian", "support.constant"},
		{"evaluate under {rotate(1deg)}", "under", "keyword.control"},
		{"learn svm(C = 1) under {rotate(1deg)}", "under", "keyword.control"},
		{"learn svm under turns # all", "under", "keyword.control"},
	} {
		i := strings.Index(c.source, c.token)
		if c.token == "columns(" || c.token == "scale(" {
			c.token = c.token[:len(c.token)-1]
		}
		if c.token == "let b" {
			c.token = "let"
		}
		for at, scope := range g.scopes(c.source)[i : i+len(c.token)] {
			if !strings.Contains(scope, c.want) {
				t.Errorf("%q in %q has the scopes %q at %d, want %s", c.token, c.source, scope, at, c.want)
				break
			}
		}
	}
}

// vocabulary are the words of the language by where they stand: what the grammars must have, no more and no less.
func vocabulary(t *testing.T) map[string][]string {
	t.Helper()
	words, choices := dsl.Keywords(), compiler.Vocabulary()
	v := map[string][]string{
		"statement": words.Statements, "item": words.Items, "reserved": words.Reserved, "aggregation": words.Aggregations,
		"linking": words.Linking, "unknown": {"f"},
	}
	for _, setting := range settings() {
		for _, c := range choices[setting] {
			v[setting] = append(v[setting], c.Word)
		}
	}
	for _, arg := range choices["missing"][0].Args {
		v["missing"] = append(v["missing"], arg.Choices...)
	}
	for _, family := range sipc.Families() {
		schema, err := family.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		v["family"], v["index"] = append(v["family"], familyWords(schema)...), append(v["index"], domainWords(schema)...)
	}
	for name := range v {
		slices.Sort(v[name])
	}
	return v
}

// settings are the statements that take a word.
func settings() []string {
	choices := compiler.Vocabulary()
	return slices.DeleteFunc(dsl.Keywords().Statements, func(word string) bool { return len(choices[word]) == 0 })
}

func familyWords(s *plugins.Schema) []string {
	var out []string
	for i := range s.Maps {
		out = append(out, s.Maps[i].Name)
	}
	for i := range s.Definitions {
		out = append(out, s.Definitions[i].Name)
	}
	return out
}

func domainWords(s *plugins.Schema) []string {
	var out []string
	for i := range s.Domains {
		out = append(out, s.Domains[i].Name)
	}
	return out
}

// The lists of words in the TextMate grammar are the compiler's.
func TestGrammarWords(t *testing.T) {
	g, v := readGrammar(t), vocabulary(t)
	v["index"] = sorted(append(v["index"], "rows", "sample", "box", "levels", "graph", "orbit"))
	for _, name := range append(settings(), "statement", "item", "reserved", "aggregation", "missing", "family", "index") {
		if got := g.words(t, name); !slices.Equal(got, v[name]) {
			t.Errorf("%s has %q, and the language %q", name, got, v[name])
		}
	}
	known := slices.Concat(compiler.BuiltinWords(), v["item"], []string{compiler.Vocabulary()["columns"][0].Word})
	for _, word := range g.words(t, "function") {
		if !slices.Contains(known, word) {
			t.Errorf("%s is not a word of the compiler", word)
		}
	}
	everything, err := os.ReadFile(filepath.Join("vscode", "syntaxes", "inv.tmLanguage.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range slices.Concat(v["linking"], compiler.BuiltinWords()) {
		if len(word) > 1 && !regexp.MustCompile(`[(|]`+word+`[|)]`).Match(everything) {
			t.Errorf("the grammar lacks %s", word)
		}
	}
}

func sorted(words []string) []string {
	slices.Sort(words)
	return words
}

// The lists of words in the syntax file of Neovim are the same.
func TestVimWords(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("neovim", "syntax", "sipc.vim"))
	if err != nil {
		t.Fatal(err)
	}
	got, linked := map[string][]string{}, string(source)
	for _, m := range regexp.MustCompile(`(?m)^syntax keyword (\w+) (.*)$`).FindAllStringSubmatch(linked, -1) {
		got[m[1]] = append(got[m[1]], strings.Fields(m[2])...)
		if !strings.Contains(linked, "highlight default link "+m[1]+" ") {
			t.Errorf("%s has no colour", m[1])
		}
	}
	v := vocabulary(t)
	var chosen []string
	for _, setting := range settings() {
		chosen = append(chosen, v[setting]...)
	}
	for group, want := range map[string][]string{
		"sipcStatement": slices.Concat(v["statement"], v["linking"]), "sipcItem": v["item"], "sipcReserved": v["reserved"],
		"sipcAggregation": v["aggregation"], "sipcChoice": chosen,
		"sipcFamily": slices.DeleteFunc(v["family"], func(w string) bool { return slices.Contains(v["item"], w) }),
		"sipcIndex":  append(v["index"], "rows", "sample", "box", "levels", "graph", "orbit"), "sipcType": {"class", "real", "integer", "date", "text", "multilabel", "binary"},
	} {
		if !slices.Equal(sorted(got[group]), sorted(want)) {
			t.Errorf("%s has %q, and the language %q", group, got[group], want)
		}
	}
}
