package dsl_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A documentedCode is a constant of codes.go.
type documentedCode struct {
	name, code, example string
}

// documentedCodes reads the table of codes with the examples of its comments.
func documentedCodes(t *testing.T) []documentedCode {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var codes []documentedCode
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			v := spec.(*ast.ValueSpec)
			code, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			_, example, _ := strings.Cut(v.Doc.Text(), "Example:\n")
			codes = append(codes, documentedCode{v.Names[0].Name, code, exampleText(example)})
		}
	}
	return codes
}

// exampleText takes away the indentation of an example, and lets it name bytes that are not text and repeat characters.
func exampleText(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(strings.ReplaceAll(lines[i], "\t", "    "), " ")
	}
	text := strings.ReplaceAll(strings.Join(lines, "\n"), `\x{FF}`, "\xff")
	return repeated.ReplaceAllStringFunc(text, func(s string) string {
		sign, count, _ := strings.Cut(s, "×")
		n, _ := strconv.Atoi(count)
		return strings.Repeat(sign, n)
	})
}

// repeated is how an example writes a character many times over.
var repeated = regexp.MustCompile(`.×[0-9]+`)

func TestEveryCodeHasAnExampleWithThatErrorAlone(t *testing.T) {
	codes := documentedCodes(t)
	if len(codes) < 30 {
		t.Fatalf("the table has %d codes", len(codes))
	}
	seen := map[string]bool{}
	for _, c := range codes {
		if seen[c.code] {
			t.Errorf("%s: the code %s is taken", c.name, c.code)
		}
		seen[c.code] = true
		if c.example == "" {
			t.Errorf("%s has no example", c.name)
			continue
		}
		_, list := dsl.Parse("spec.inv", []byte(c.example))
		if len(list) != 1 || string(list[0].Code) != c.code {
			t.Errorf("%s (%s): the example\n%s\ngives\n%v", c.name, c.code, c.example, list)
			continue
		}
		if d := list[0]; d.Summary == "" || d.Mend == "" || d.Subject.Start.Line == 0 || d.Severity != diag.Error {
			t.Errorf("%s: incomplete diagnostic %+v", c.name, d)
		}
	}
}
