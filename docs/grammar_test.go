package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// grammar is the EBNF of package dsl's documentation.
func grammar(t *testing.T) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../dsl/doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(file.Doc.Text(), "in EBNF:\n")
	if !ok {
		t.Fatal("package dsl documents no EBNF")
	}
	var lines []string
	for _, line := range strings.Split(strings.TrimLeft(rest, "\n"), "\n") {
		if line != "" && !strings.HasPrefix(line, "\t") {
			break
		}
		lines = append(lines, strings.TrimPrefix(line, "\t"))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n \t") + "\n"
}

func ebnf(t *testing.T, page string) string {
	t.Helper()
	for _, b := range blocks(page) {
		if b.lang == "ebnf" {
			return b.text
		}
	}
	t.Fatal("language.md has no block of EBNF")
	return ""
}

// The grammar on the page is that of package dsl.
func TestGrammar(t *testing.T) {
	page, want := pagetest.Read(t, reference), grammar(t)
	got := ebnf(t, page)
	if got == want {
		return
	}
	if *update {
		if err := os.WriteFile(reference, []byte(strings.Replace(page, got, want, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("language.md has\n%s\nand dsl/doc.go\n%s\nrun go test ./docs -update", got, want)
}

// Every word of the grammar is one of the parser's, and an accepted example of the page uses it; every word of a statement or
// item that the parser knows is in the grammar.
func TestGrammarWords(t *testing.T) {
	page := pagetest.Read(t, reference)
	var words []string
	for _, m := range regexp.MustCompile(`"([a-z]+)"`).FindAllStringSubmatch(ebnf(t, page), -1) {
		if !slices.Contains(words, m[1]) {
			words = append(words, m[1])
		}
	}
	var used strings.Builder
	for _, b := range blocks(page) {
		if b.lang == "inv" && b.options["error"] == "" {
			used.WriteString(b.text)
		}
	}
	known := parserWords(t)
	for _, w := range words {
		if !slices.Contains(known, w) {
			t.Errorf("the parser does not know %q", w)
		}
		if !regexp.MustCompile(`\b` + w + `\b`).MatchString(used.String()) {
			t.Errorf("no accepted example uses %q", w)
		}
	}
	for _, list := range []string{"statementWords", "itemWords", "reservedWords"} {
		for _, w := range wordList(t, list) {
			if !slices.Contains(words, w) {
				t.Errorf("the grammar lacks %q of the parser's %s", w, list)
			}
		}
	}
}

// parserWords are the words that the sources of package dsl hold as texts, those of its grammar's tags among them.
func parserWords(t *testing.T) []string {
	t.Helper()
	var words []string
	files, err := filepath.Glob("../dsl/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "errors.go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				words = append(words, text)
				for _, m := range regexp.MustCompile(`'([a-z]+)'`).FindAllStringSubmatch(text, -1) {
					words = append(words, m[1])
				}
			}
			return true
		})
	}
	return words
}

// wordList is a list of words of package dsl, its constants resolved.
func wordList(t *testing.T, name string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../dsl/words.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants, list := map[string]string{}, []string(nil)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		switch v := spec.Values[0].(type) {
		case *ast.BasicLit:
			constants[spec.Names[0].Name], _ = strconv.Unquote(v.Value)
		case *ast.CompositeLit:
			if spec.Names[0].Name != name {
				return true
			}
			for _, e := range v.Elts {
				if id, ok := e.(*ast.Ident); ok {
					list = append(list, constants[id.Name])
				} else if lit, ok := e.(*ast.BasicLit); ok {
					word, _ := strconv.Unquote(lit.Value)
					list = append(list, word)
				}
			}
		}
		return true
	})
	if len(list) == 0 {
		t.Fatalf("dsl/words.go has no list %s", name)
	}
	return list
}
