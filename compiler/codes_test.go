package compiler

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// testFiles are the files that examples of wrong specs name.
var testFiles = map[string]string{
	"edges.csv":    "a,b\n1,2\n",
	"weighed.csv":  "a,b,w,kind\n1,2,0.5,x\nr1,r2,0.5,x\n",
	"negative.csv": "a,b,w\n1,2,0.5\n2,3,-0.5\n",
	"twice.csv":    "a,w,b,w\n1,1,2,0.5\n",
	"broken.csv":   "one,two,three\n1,2,3\n",
	"topics.csv":   "child,parent\ncat,animal\ndog,animal\n",
	"strange.csv":  "child,parent\nnine,ten\n",
	"settings.inv": "kernel linear\n",
	"circle.csv":   "child,parent\ncat,mammal\nmammal,animal\nanimal,cat\ndog,dog\n",
}

// withDefaults completes an example: an expression becomes an invariance, and what a spec must have is added at its end.
func withDefaults(src string) string {
	if bare, ok := strings.CutPrefix(src, "#!bare\n"); ok {
		return bare
	}
	words := []string{"use", "data", "let", "kernel", "features", "learn", "method", "decode", "seed", "regularize", "def", "invariance", "require", "evaluate", "augment"}
	word, _, _ := strings.Cut(strings.TrimSpace(src), " ")
	if !slices.Contains(words, word) {
		src = "invariance i = " + src
	}
	has := func(word string) bool {
		return strings.HasPrefix(src, word+" ") || strings.Contains(src, "\n"+word+" ")
	}
	lines := []string{src}
	for _, line := range []string{"data { target animal, cat, dog : multilabel }", "kernel gaussian(width = median)", "features nystrom(landmarks = all)"} {
		if word, _, _ := strings.Cut(line, " "); !has(word) {
			lines = append(lines, line)
		}
	}
	if strings.Contains(src, "(topics)") {
		lines = append(lines, "let topics = taxonomy(\"topics.csv\")")
	}
	return strings.Join(lines, "\n") + "\n"
}

// documented reads the codes and the examples in their comments.
func documented(t *testing.T) (got []diag.Code, examples map[diag.Code]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes/codes.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	examples = map[diag.Code]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		code := diag.Code(value)
		got = append(got, code)
		if _, example, ok := strings.Cut(spec.Doc.Text(), "Example:\n"); ok {
			var lines []string
			for _, l := range strings.Split(strings.TrimRight(example, "\n"), "\n") {
				lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(l, "\t"), " "))
			}
			examples[code] = strings.ReplaceAll(strings.Join(lines, "\n")+"\n", `\u{202E}`, "\u202e")
		}
		if !strings.HasPrefix(spec.Doc.Text(), spec.Names[0].Name) {
			t.Errorf("%s: the comment speaks of something else", spec.Names[0].Name)
		}
		return true
	})
	return got, examples
}

func TestCodesAreDocumented(t *testing.T) {
	got, examples := documented(t)
	// These are met with data or from the command line; TestGroundErrors and others meet them.
	elsewhere := []diag.Code{
		codes.WrongOverride, codes.ColumnNotInData, codes.LabelNotInData, codes.EmptyIndexSet, codes.NeedsImage, codes.TooLarge, codes.ConstantColumn, codes.NegativeFactorInData, codes.WrongSchema, codes.FamilyFailed, codes.Untrusted,
		codes.EdgesLeftOut, codes.EmptyForSome, codes.TextNotInData, codes.NamesLeftOut, codes.NotTrue, codes.NoScores, codes.LongPaths,
	}
	seen := map[diag.Code]bool{}
	for _, code := range got {
		if seen[code] {
			t.Errorf("%s is used twice", code)
		}
		seen[code] = true
		example, ok := examples[code]
		if !ok {
			if !slices.Contains(elsewhere, code) {
				t.Errorf("%s has no example", code)
			}
			continue
		}
		t.Run(string(code), func(t *testing.T) {
			plan, list := check(t, withDefaults(example), testOptions(testFiles))
			_ = plan.Close()
			if len(list) != 1 || list[0].Code != code {
				t.Errorf("the example yields\n%v\nfor\n%s", list, withDefaults(example))
			}
		})
	}
}
