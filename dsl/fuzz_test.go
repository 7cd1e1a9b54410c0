package dsl_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

func addSpecs(f *testing.F) {
	f.Helper()
	for _, pattern := range []string{"testdata/specs/*.inv", "testdata/errors/*.inv", "testdata/format/*.inv"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds match %s (%v)", pattern, err)
		}
		for _, path := range files {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
}

// FuzzParse asserts that every source gets a tree or diagnostics that can be shown, each with a place in the source, in order.
func FuzzParse(f *testing.F) {
	addSpecs(f)
	f.Fuzz(func(t *testing.T, src []byte) { checkParse(t, src) })
}

// checkParse asserts what holds of every source, and what holds of the printer where the source has no errors.
func checkParse(t interface{ Fatalf(string, ...any) }, src []byte) {
	file, list := dsl.Parse("spec.inv", src)
	last := 0
	for _, d := range list {
		s := d.Subject
		if s.Start.Offset < last || s.End.Offset < s.Start.Offset || s.End.Offset > len(src) || s.Start.Line < 1 || s.Start.Column < 1 {
			t.Fatalf("%v lies at %+v of %d bytes:\n%s", d, s, len(src), src)
		}
		last = s.Start.Offset
		if d.Code == "" || d.Summary == "" || d.Mend == "" {
			t.Fatalf("incomplete diagnostic %+v of\n%s", d, src)
		}
	}
	for _, o := range []diag.RenderOptions{{}, {Width: 40, Context: 2, Color: true}} {
		if err := diag.Render(io.Discard, list, diag.Sources{"spec.inv": src}, o); err != nil {
			t.Fatalf("%v", err)
		}
	}
	if len(list) == 0 {
		checkFormat(t, file, dsl.Format(file))
	}
}

// Words of the language in any order come closer to what a parser may trip over than any bytes do.
func TestAnyWordsInAnyOrder(t *testing.T) {
	words := []string{
		"use", "data", "let", "def", "invariance", "evaluate under", "kernel", "seed", "regularize", "target", "columns", "scale",
		"standardize", "missing", "max", "norm(2)", "over", "of", "in", "where", "and", "not", "f", "x", "a", "d", "d/dλ", "d/d(", "dx", "λ", "\"s\"",
		"\"", "1", "4n", "10deg", "3q", "(", ")", "[", "]", "{", "}", "|", "|", ",", ":", ";", "=", "==", "<", "≤", "+", "-", "−", "*", "/", "$", "^", "# c\n",
		"\n", "\n", "\n    ", "\t", "let a =", "invariance b = rms over x of", "data {", "data { target y : class }", "f(x)", "|f|", "hypot(", "漢",
	}
	rapid.Check(t, func(rt *rapid.T) {
		drawn := rapid.SliceOfN(rapid.SampledFrom(words), 0, 40).Draw(rt, "words")
		checkParse(rt, []byte(strings.Join(drawn, rapid.SampledFrom([]string{" ", ""}).Draw(rt, "between"))))
	})
}

// FuzzFormat asserts the laws of the printer for every source that parses.
func FuzzFormat(f *testing.F) {
	addSpecs(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		file, list := dsl.Parse("spec.inv", src)
		if len(list) == 0 {
			checkFormat(t, file, dsl.Format(file))
		}
	})
}
