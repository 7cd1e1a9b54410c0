package sipc_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/internal/limits"
)

// ownLabel matches f at the own label of a point, which a spec writes without it.
var ownLabel = regexp.MustCompile(`, y(\(\w+\))?\)`)

// What explain says of each step of a proof can be written in its place: under the quantifiers around it, it is accepted again.
func TestExplainedStepsCanBePasted(t *testing.T) {
	paths, err := filepath.Glob("examples/*/*.inv")
	if err != nil || len(paths) < 36 {
		t.Fatalf("%d specs (%v)", len(paths), err)
	}
	pasted := 0
	for _, path := range paths {
		source, err := limits.Read(path, limits.NamedBytes)
		if err != nil {
			t.Fatal(err)
		}
		pasted += pasteAll(t, path, string(source))
	}
	pasted += pasteAll(t, "quotes.inv", `
data { target "first class", "in" : multilabel }
kernel gaussian(width = median)
features nystrom(landmarks = all)
let back = swap(age, income)
def moved(t, z) = f(t(z), "first class")
invariance a = rms over x of |f(back(x), "first class") - f(x, "in")|
invariance b = rms over x of |d/d("living area") f("first class") + d/d("region=north") f(x, "in")|
invariance c = rms over x of |f(swap(age, "living area"), "first class") - f("first class")|
invariance e = rms over x, z in rows of "living area"(x) * "living area"(x) * |moved(back, x) - f(z, "in")|
invariance h = rms over pairs(count = 2n) of max over λ in [0, 1] of |f("in") - λ * f(x(1), "in")|
`)
	if pasted < 200 {
		t.Errorf("%d steps were tried", pasted)
	}
}

// pasteAll declares each step of a spec's proofs as a measure of its own, and returns how many there are.
func pasteAll(t *testing.T, path, source string) (pasted int) {
	t.Helper()
	spec := sipc.NewSpec(t.Context(), path, []byte(source), sipc.SpecOptions{})
	defer func() { _ = spec.Close() }()
	explained, err := spec.Explain(t.Context(), sipc.ExplainOptions{})
	if err != nil {
		t.Log(path, err) // its family is a program, which is not trusted here
		return 0
	}
	var text strings.Builder
	text.WriteString(source)
	var visit func(s *compiler.Step, heads string, defined bool)
	visit = func(s *compiler.Step, heads string, defined bool) {
		defined = defined || s.Call != ""
		leaf := len(s.Parts) == 0
		if s.Kind != compiler.ConstantKind && (leaf || !defined) {
			body := s.Text
			if s.Kind == "linear" {
				body = "|" + body + "|"
			}
			fmt.Fprintf(&text, "\nmeasure pasted%d = %s%s", pasted, heads, ownLabel.ReplaceAllString(body, ")"))
			pasted++
		}
		if s.Head != s.Text {
			heads += s.Head + " "
		}
		for k := range s.Parts {
			visit(&s.Parts[k], heads, defined)
		}
	}
	for k := range explained.Invariances {
		visit(&explained.Invariances[k].Proof, "", false)
	}
	again := sipc.NewSpec(t.Context(), path, []byte(text.String()), sipc.SpecOptions{})
	defer func() { _ = again.Close() }()
	if err := again.Err(); err != nil {
		t.Errorf("%s: %v\n%s", path, err, text.String())
	}
	return pasted
}
