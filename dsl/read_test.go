package dsl_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// checkReading holds a reading that knows an earlier version against what Parse and Tokens say without.
func checkReading(t interface{ Fatalf(string, ...any) }, r *dsl.Reading, src []byte) {
	file, faults := dsl.Parse("spec.inv", src)
	if d := cmp.Diff(file, r.File); d != "" {
		t.Fatalf("the tree of %q is not what Parse makes:\n%s", src, d)
	}
	if d := cmp.Diff(faults, r.Faults); d != "" {
		t.Fatalf("the faults of %q are not what Parse finds:\n%s", src, d)
	}
	if d := cmp.Diff(dsl.Tokens("spec.inv", src), r.Tokens); d != "" {
		t.Fatalf("the lexemes of %q are not those of Tokens:\n%s", src, d)
	}
}

// insertions are what is typed into a spec, and what moves or breaks what follows.
var insertions = []string{"", " ", "\n", "# why\n", "let λ = 2\n", "|", "(", "{", "}", "\"", "a", "of", ",", "data { target a : real }\n", "  ", "\r\n", "\x00"}

// A spec that is read again and again while it is edited is read as if each version were the first.
func TestReadAfterEdits(t *testing.T) {
	specs := corpus(t)
	rapid.Check(t, func(rt *rapid.T) {
		index := rapid.IntRange(0, len(specs)-1)
		src := bytes.Join([][]byte{specs[index.Draw(rt, "first")], specs[index.Draw(rt, "second")]}, []byte("\n"))
		r := dsl.Read("spec.inv", src, nil)
		checkReading(rt, r, src)
		for range rapid.IntRange(1, 6).Draw(rt, "edits") {
			from := rapid.IntRange(0, len(src)).Draw(rt, "from")
			to := min(len(src), from+rapid.SampledFrom([]int{0, 0, 0, 1, 2, 40}).Draw(rt, "length"))
			insert := rapid.SampledFrom(insertions).Draw(rt, "insert")
			src = append(append(append([]byte{}, src[:from]...), insert...), src[to:]...)
			r = dsl.Read("spec.inv", src, r)
			checkReading(rt, r, src)
		}
	})
}

// Every kind of statement, item and expression moves with what stands before it.
func TestReadMovesStatements(t *testing.T) {
	for _, src := range corpus(t) {
		r := dsl.Read("spec.inv", src, nil)
		for _, before := range []string{"# why\n\n", "let zero = 0\n", "  "} {
			moved := append([]byte(before), src...)
			checkReading(t, dsl.Read("spec.inv", moved, r), moved)
		}
	}
}

// The statements of a version that did not change are the very same nodes.
func TestReadKeepsStatements(t *testing.T) {
	src := []byte("let a = 1\nlet b = 2\nlet c = 3\n")
	first := dsl.Read("spec.inv", src, nil)
	second := dsl.Read("spec.inv", bytes.Replace(src, []byte("2"), []byte("4"), 1), first)
	for i, same := range []bool{true, false, true} {
		if (first.File.Decls[i] == second.File.Decls[i]) != same {
			t.Errorf("statement %d is kept: %v", i, !same)
		}
	}
	elsewhere := dsl.Read("other.inv", src, first)
	if at := elsewhere.File.Decls[0].Span(); at.File != "other.inv" || at.Start != (diag.Pos{Line: 1, Column: 1}) {
		t.Errorf("a statement of another file lies at %v", at)
	}
}
