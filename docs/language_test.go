package docs_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/plugins"

	sipc "github.com/sipc-ml/sipc"
)

func asSpecError(err error, to **sipc.SpecError) bool { return errors.As(err, to) }

func buildPlugin(t *testing.T, path string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../examples/houses/swaps")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// Every example is accepted, or has exactly the code that stands with it.
func TestExamples(t *testing.T) {
	b := newBench(t)
	for _, ex := range blocks(pagetest.Read(t, reference)) {
		if ex.lang != "inv" {
			continue
		}
		source, data := ex.text, ex.options["data"]
		if name := ex.options["with"]; name != "" {
			with, ok := settings[name]
			if !ok {
				t.Fatalf("line %d: there is no setting %q", ex.line, name)
			}
			source, data = complete(source, with.statements), with.data
		}
		_, list := b.check(t, source, data)
		var got []string
		for _, d := range list {
			got = append(got, string(d.Code))
		}
		want := ex.options["error"] + ex.options["warning"]
		if strings.Join(got, " ") != want {
			t.Errorf("language.md:%d: %q, want %q\n%v\n%s", ex.line, got, want, list, source)
		}
		if list.HasErrors() != (ex.options["error"] != "") {
			t.Errorf("language.md:%d: %v", ex.line, list)
		}
	}
}

// The specs of the first section are the examples of the same name, or what these were made of.
func TestFiveSpecs(t *testing.T) {
	names := map[string]bool{}
	for _, ex := range blocks(pagetest.Read(t, reference)) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(ex.text, "# "), ".inv:"); ok && ex.options["data"] != "" {
			names[name] = true
			if _, err := os.Stat(examples + "/" + name + "/" + name + ".inv"); err != nil {
				t.Error(err)
			}
		}
	}
	if len(names) != 5 {
		t.Errorf("the specs are %v", names)
	}
}

// The curvature table holds every rule of the calculus, and what it says of its examples is so.
func TestCurvatureTable(t *testing.T) {
	b := newBench(t)
	with := settings["logic"]
	fragment := func(cell string) string { return complete("invariance i = "+code(cell)+"\n", with.statements) }
	var known []string
	for _, row := range pagetest.Rows(t, pagetest.Read(t, reference), "| rule | accepted | kind | refused | code |") {
		known = append(known, row[0])
		ex, list := b.check(t, fragment(row[1]), with.data)
		list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Code == codes.NoEffect }) // of parts that are shown to be zero
		if len(list) > 0 || *ex.Functionals < 1 {
			t.Errorf("%s: %s\n%v", row[0], row[1], list)
			continue
		}
		if got := ex.Invariances[0].Proof.Kind; got != row[2] {
			t.Errorf("%s is %s, not %s", row[1], got, row[2])
		}
		if !proves(&ex.Invariances[0].Proof, row[0]) {
			t.Errorf("%s: no step of the proof is by %q", row[1], row[0])
		}
		if _, list = b.check(t, fragment(row[3]), ""); len(list) != 1 || string(list[0].Code) != row[4] {
			t.Errorf("%s: %v, want %s", row[3], list, row[4])
		}
	}
	for _, rule := range compiler.Rules() {
		if !slices.Contains(known, rule) {
			t.Errorf("the table lacks the rule %q", rule)
		}
	}
}

func proves(s *compiler.Step, rule string) bool {
	if s.Rule == rule {
		return true
	}
	return slices.ContainsFunc(s.Parts, func(p compiler.Step) bool { return proves(&p, rule) })
}

// What may be left out stands for what the tables say.
func TestDefaults(t *testing.T) {
	page := pagetest.Read(t, reference)
	tables := map[string]string{
		"kernel":   "| kernel | k(x, x′) | may be left out |",
		"features": "| feature map | φ | may be left out |",
		"learn":    "| learner | minimizes | may be left out |",
	}
	around := map[string]string{"ridge": "data { target a : real }\n", "poisson": "data { target a : real }\n", "quantile(0.1, 0.9)": "data { target a : real }\n", "hashing": "kernel linear\n"}
	for word, header := range tables {
		for _, row := range pagetest.Rows(t, page, header) {
			short, long, ok := strings.Cut(row[2], " = `")
			if !ok {
				continue
			}
			rest := around[code(short)]
			same(t, word+" "+code(short)+"\n"+rest, word+" "+code(long)+"\n"+rest)
		}
	}
	for _, row := range pagetest.Rows(t, page, "| target | learners, the default first |") {
		data := "data { target a : " + strings.Replace(row[0], "binary", "binary(1, 2)", 1) + " }\n"
		allowed := strings.Split(row[1], ", ")
		same(t, data, data+"learn "+allowed[0]+"\n")
		for _, l := range []string{"svm", "logistic", "softmax", "ridge", "poisson", "quantile"} {
			written := l
			if l == "quantile" {
				written = "quantile(0.1, 0.9)" // which has no levels by itself
			}
			if got := compiled(t, data+"learn "+written+"\n") != nil; got != slices.Contains(allowed, l) {
				t.Errorf("%s on a %s target: %v", l, row[0], got)
			}
		}
	}
}

// compiled is a spec's instance, nil where there are errors.
func compiled(t *testing.T, source string) *compiler.Instance {
	t.Helper()
	spec := sipc.NewSpec(t.Context(), "test.inv", []byte(complete(source, "")), sipc.SpecOptions{})
	if spec.Diagnostics.HasErrors() {
		return nil
	}
	return spec.Plan.At(nil)
}

func same(t *testing.T, a, b string) {
	t.Helper()
	x, y := compiled(t, a), compiled(t, b)
	if x == nil || y == nil {
		t.Errorf("refused: %s or %s", a, b)
		return
	}
	if d := cmp.Diff([]any{x.Kernel, x.Features, x.Learn}, []any{y.Kernel, y.Features, y.Learn}); d != "" {
		t.Errorf("%s is not %s: %s", a, b, d)
	}
}

// Every word that the built-in families add is described, with its arguments and defaults.
func TestFamilies(t *testing.T) {
	page := pagetest.Read(t, reference)
	for name, family := range sipc.Families() {
		schema, err := family.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var calls []string
		for i := range schema.Domains {
			calls = append(calls, signature(schema.Domains[i].Name, schema.Domains[i].Args))
		}
		for i := range schema.Maps {
			calls = append(calls, signature(schema.Maps[i].Name, schema.Maps[i].Args))
		}
		for _, d := range schema.Definitions {
			head, body, _ := strings.Cut(d.Source, " = ")
			calls = append(calls, strings.TrimPrefix(head, "def ")+"` = `"+body)
		}
		for _, call := range calls {
			if !strings.Contains(page, "`"+call+"`") {
				t.Errorf("%s: language.md does not describe `%s`", name, call)
			}
		}
	}
}

func signature(name string, args []plugins.Arg) string {
	parts := make([]string, len(args))
	for i := range args {
		parts[i] = args[i].Name
		if args[i].Default != "" {
			parts[i] += " = " + args[i].Default
		}
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// The path's parameter takes as many values as the page says.
func TestNodes(t *testing.T) {
	if compiler.NodeCount != 11 || !strings.Contains(pagetest.Read(t, reference), "**λ** takes 11 values") {
		t.Errorf("a path has %d nodes", compiler.NodeCount)
	}
}
