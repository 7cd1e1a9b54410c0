package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// fixture writes the module of the tests and returns its folder.
func fixture(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "fixture.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// measured returns the measures of the fixture by name, but that of the binary.
func measured(t *testing.T) map[string]measure {
	t.Helper()
	dir := fixture(t)
	tree, err := readTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	packages, err := loadPackages(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]measure{}
	for _, m := range append(append(tree.measures(), typedMeasures(packages)...), proseMeasures(tree.proseFaults())...) {
		out[m.name] = m
	}
	return out
}

func TestMeasures(t *testing.T) {
	all := measured(t)
	want := map[string]float64{
		// cmd/sipc has 5, tangle 24, wide 18, and compiler 4 with the string's line that looks like a comment.
		"lines":     51,
		"file":      29,
		"functions": 0,
		"tobe":      50,         // Two, and not One
		"comments":  600.0 / 13, // of the compiler
		"cycle":     4,          // a, b, c and d
		"bothways":  400.0 / 7,  // a and b, c and d; b to c, d to a and f to e run one way
		"methods":   5,          // A has One, made, Two, three and next; Kernel a to d, and those of other modules do not count
		"concepts":  2,          // Kernel and KernelSpec
		"verb":      2,          // Two and Measure
		"sentences": 1,          // of the page
	}
	got := map[string]float64{}
	for name := range want {
		got[name] = all[name].value
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

// The packages whose comments are measured are where the list says.
func TestExplained(t *testing.T) {
	for _, folder := range explained {
		if _, err := os.Stat(filepath.Join("..", "..", folder)); err != nil {
			t.Errorf("say in explained what became of %s", folder)
		}
	}
}

// Bounds break where something gets worse, fall by -update, and never rise by it.
func TestBounds(t *testing.T) {
	dir := fixture(t)
	bounds := filepath.Join(dir, "bounds")
	if err := os.Mkdir(bounds, 0o755); err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), &out, append([]string{"-root", dir, "-bounds", bounds}, args...))
		return out.String(), err
	}
	passes := func(args ...string) {
		t.Helper()
		if out, err := do(args...); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	fails := func(want string, args ...string) {
		t.Helper()
		out, err := do(args...)
		if err == nil || !strings.Contains(out+err.Error(), want) {
			t.Fatalf("%v, want %q in\n%s", err, want, out)
		}
	}
	fails("lines: no bound is committed")
	passes("-update")
	passes()

	put(t, dir, "wide/more.go", "package wide\n\n// more of a noun.\nfunc more() {}\n")
	fails("wide/more.go:3: begins with no verb")
	fails("would be more than", "-update")

	// What moves from one folder to another needs new counts of both.
	put(t, dir, "lab/lab.go", "// Package lab has nothing.\npackage lab\n")
	fails("wide: 1 comments of functions begin with no verb, bound 0")
	passes("-update")
	passes()

	put(t, dir, "wide/more.go", "package wide\n\n// more returns.\nfunc more() {}\n")
	passes("-update")
	put(t, dir, "wide/more.go", "package wide\n\n// more of a noun.\nfunc more() {}\n")
	fails("bound 0")
	put(t, dir, "wide/more.go", "package wide\n\n// more returns.\nfunc more() {}\n\ntype KernelSettings struct{}\n")
	fails("types of one concept: 3 is worse than the bound, 2")
	put(t, dir, "wide/more.go", "package wide\n\n// more returns.\nfunc more() {}\n\ntype (\n\tLearn   struct{}\n\tLearner struct{}\n)\n")
	fails("types of one concept: 2 miss the target, bound 1")

	// What is reached is bounded by its target alone.
	put(t, dir, "wide/more.go", "package wide\n\n// more returns.\nfunc more() {}\n"+strings.Repeat("\nvar _ = 0\n", 290))
	passes()
	put(t, dir, "wide/more.go", "package wide\n\n// more returns.\nfunc more() {}\n"+strings.Repeat("\nvar _ = 0\n", 300))
	fails("lines of the longest file: 604 is worse than the bound, 600")
}

func put(t *testing.T, dir, file, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
