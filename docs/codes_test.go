package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

const (
	codesBegin = "<!-- codes: this table is generated; go test ./docs -update -->\n"
	codesEnd   = "<!-- end of codes -->"
)

// The table of codes is what the sources say of each.
func TestCodes(t *testing.T) {
	page := pagetest.Read(t, reference)
	got, want := between(t, page, codesBegin, codesEnd), codesTable(t)
	if got == want {
		return
	}
	if *update {
		if err := os.WriteFile(reference, []byte(strings.Replace(page, codesBegin+got, codesBegin+want, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the table of codes is stale; run go test ./docs -update\n%s", want)
}

var isCode = regexp.MustCompile(`^[EW][0-9]{3}$`)

// codesTable is the table of all codes, errors first.
func codesTable(t *testing.T) string {
	t.Helper()
	meaning := map[string]string{}
	for _, path := range []string{"../dsl/codes.go", "../compiler/codes/codes.go", "../runtime/dataset/error.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			lit, ok := spec.Values[0].(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if c, _ := strconv.Unquote(lit.Value); isCode.MatchString(c) {
				if meaning[c] != "" {
					t.Errorf("%s is used twice", c)
				}
				meaning[c] = firstSentence(spec)
			}
			return true
		})
	}
	codes := make([]string, 0, len(meaning))
	for c := range meaning {
		codes = append(codes, c)
	}
	slices.Sort(codes)
	var b strings.Builder
	b.WriteString("| code | when |\n|---|---|\n")
	for _, c := range codes {
		if meaning[c] == "" {
			t.Errorf("%s is not documented", c)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", c, strings.ReplaceAll(meaning[c], "|", `\|`))
	}
	return b.String()
}

// firstSentence is the first sentence of a code's comment, without its name.
func firstSentence(spec *ast.ValueSpec) string {
	text := spec.Doc.Text()
	if text == "" {
		text = spec.Comment.Text()
	}
	text, _, _ = strings.Cut(text, "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	name := spec.Names[0].Name
	for _, prefix := range []string{name + ": ", name + " occurs when ", name + " warns of "} {
		text = strings.TrimPrefix(text, prefix)
	}
	text = strings.TrimSuffix(strings.TrimSpace(text), ".")
	return text
}
