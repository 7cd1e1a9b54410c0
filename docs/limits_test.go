package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// The page of limits is what their declarations say.
func TestLimits(t *testing.T) {
	const page, source = "limits.md", "../internal/limits/limits.go"
	file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	raw := pagetest.Read(t, source)
	var b strings.Builder
	b.WriteString("# Limits\n\nThese bounds keep a mistaken or hostile file from taking all memory or time.\n")
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| bound | of what |\n|---|---|\n", strings.TrimSuffix(strings.TrimSpace(group.Doc.Text()), "."))
		for _, spec := range group.Specs {
			c := spec.(*ast.ValueSpec)
			name := c.Names[0].Name
			text, ok := strings.CutPrefix(strings.Join(strings.Fields(c.Doc.Text()), " "), name+" bounds ")
			if !ok {
				t.Errorf("the comment of %s does not begin with what it bounds", name)
			}
			fmt.Fprintf(&b, "| %s | %s |\n", shownLimit(raw[c.Values[0].Pos()-1:c.Values[0].End()-1]), text)
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := pagetest.Read(t, page); got != b.String() {
		t.Errorf("%s is stale; run go test ./docs -update", page)
	}
}

// shownLimit writes a bound as a reader reads it.
func shownLimit(value string) string {
	return strings.NewReplacer(" << 40", " TiB", " << 30", " GiB", " << 20", " MiB", " << 10", " KiB",
		" * time.Second", " s", " * time.Hour", " h").Replace(value)
}
