// Package docs_test keeps the documentation true: every example in it is executed, and every table that repeats what the code
// says is compared with the code.
package docs_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/pagetest"

	sipc "github.com/sipc-ml/sipc"
)

var update = flag.Bool("update", false, "rewrite the generated parts of language.md")

const (
	reference = "language.md"
	examples  = "../examples"
)

// A block is a fenced block of a page.
type block struct {
	line    int
	lang    string
	options map[string]string
	text    string
}

// blocks are the fenced blocks of a page.
func blocks(page string) []block {
	var out []block
	open := false
	for n, line := range strings.Split(page, "\n") {
		fence, ok := strings.CutPrefix(line, "```")
		switch {
		case ok && open:
			open = false
		case ok:
			open = true
			b := block{line: n + 1, options: map[string]string{}}
			for i, w := range strings.Fields(fence) {
				if key, value, ok := strings.Cut(w, "="); ok {
					b.options[key] = value
				} else if i == 0 {
					b.lang = w
				}
			}
			out = append(out, b)
		case open:
			out[len(out)-1].text += line + "\n"
		}
	}
	return out
}

// between is what stands between two texts of a page.
func between(t *testing.T, page, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, from)
	if !ok {
		t.Fatalf("%q is missing", from)
	}
	inner, _, ok := strings.Cut(rest, to)
	if !ok {
		t.Fatalf("%q is missing after %q", to, from)
	}
	return inner
}

// code is a cell without its backquotes.
func code(cell string) string { return strings.Trim(cell, "`") }

// A setting completes fragments: statements that are added where they lack, and rows to count functionals on.
type setting struct{ data, statements string }

var settings = map[string]setting{
	"kernel": {"", ""},
	"logic":  {"logic/animals.csv", "data { target animal, cat, dog : multilabel; split train = 60 }"},
	"topics": {"topics/documents.csv", "data { target columns(\"topic_*\") : multilabel; split train = 60 }\nlet topics = taxonomy(\"topics.csv\")"},
	"houses": {"houses/houses.csv", "data { target price : real }"},
	"digits": {"mixup/digits.csv.gz", "data { target digit : class; split train = 60 }"},
	"fours":  {"two-digits/digits.csv.gz", "data { target digit : binary(4, 9), columns image(28, 28), split train = 40 }"},
}

const always = "kernel gaussian(width = median)\nfeatures nystrom(landmarks = all)\ndata { target a : class }"

// complete adds what a fragment lacks, at its end.
func complete(fragment, statements string) string {
	out := strings.TrimRight(fragment, "\n") + "\n"
	for _, s := range strings.Split(statements+"\n"+always, "\n") {
		word, _, _ := strings.Cut(s, " ")
		if !regexp.MustCompile(`(?m)^` + word + `\s`).MatchString(out) {
			out += s + "\n"
		}
	}
	return out
}

// A bench is a folder with the files that examples name.
type bench struct{ spec string }

// trust lets specs of the bench use a program.
func (b *bench) trust(t *testing.T, program string) {
	t.Helper()
	if _, err := sipc.AddPlugin(t.Context(), program, sipc.AddOptions{Dir: filepath.Dir(b.spec)}); err != nil {
		t.Fatal(err)
	}
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	for _, file := range []string{"houses/edges.csv", "topics/topics.csv"} {
		content := pagetest.Read(t, filepath.Join(examples, file))
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	weighed := strings.ReplaceAll(pagetest.Read(t, filepath.Join(examples, "houses", "edges.csv")), "\n", ",0.5\n")
	if err := os.WriteFile(filepath.Join(dir, "team.inv"), []byte("let strong = 0.2\ndef rising(c) = rms over x of pos(-d/d(c) f)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "streets.csv"), []byte(strings.Replace(weighed, ",0.5", ",strength", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SIPC_TRUST", t.TempDir())
	buildPlugin(t, filepath.Join(dir, "sipc-family-swaps"))
	b := &bench{spec: filepath.Join(dir, "example.inv")}
	b.trust(t, filepath.Join(dir, "sipc-family-swaps"))
	return b
}

// check checks a spec as the program does, and counts its functionals on data unless there are none. The diagnostics are
// those of both.
func (b *bench) check(t *testing.T, source, data string) (*sipc.Explanation, diag.List) {
	t.Helper()
	spec := sipc.NewSpec(t.Context(), b.spec, []byte(source), sipc.SpecOptions{})
	t.Cleanup(func() { _ = spec.Close() })
	if spec.Diagnostics.HasErrors() {
		return nil, spec.Diagnostics
	}
	if data != "" {
		data = filepath.Join(examples, data)
	}
	ex, err := spec.Explain(t.Context(), sipc.ExplainOptions{Data: data})
	if list := (&sipc.SpecError{}); asSpecError(err, &list) {
		return nil, list.Diagnostics
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return ex, spec.Diagnostics
}
