package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/plugins/verify"
	"github.com/sipc-ml/sipc/sdk/python"
)

// The programs on the page, written out as a reader would, build, keep the contract, and answer what the page asks them.
func TestGuide(t *testing.T) {
	page := pagetest.Read(t, "plugins.md")
	for lang, build := range map[string]func(t *testing.T, source, program string){"go": buildGo, "python": bundlePython} {
		t.Run(lang, func(t *testing.T) {
			b := newBench(t)
			program := filepath.Join(filepath.Dir(b.spec), "sipc-family-between")
			build(t, blockWith(t, page, lang, "1.0.0", "Straight lines between rows."), program)
			b.trust(t, program)
			for line := range strings.Lines(blockWith(t, page, "", "between(count = 2n)")) {
				spec := complete("use between from \"./sipc-family-between\"\n"+line, settings["houses"].statements)
				if ex, list := b.check(t, spec, settings["houses"].data); len(list) != 0 || ex == nil {
					t.Errorf("%s%v", line, list)
				}
			}
			if testing.Short() {
				return
			}
			report, err := verify.Run(t.Context(), program, verify.Options{Quick: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range report.Checks {
				want := verify.Passed
				if c.Name == "labels" { // which asks about maps, and it has none
					want = verify.Skipped
				}
				if c.Status != want {
					t.Errorf("%s is %s: %q", c.Name, c.Status, c.Findings)
				}
			}
		})
	}
}

// The definition on the page is one: what it defines, a spec can use.
func TestGuideDefinition(t *testing.T) {
	block := blockWith(t, pagetest.Read(t, "plugins.md"), "text", "Definition(")
	def := regexp.MustCompile(`"(def [^"]+)"`).FindAllStringSubmatch(block, -1)
	if len(def) != 2 || def[0][1] != def[1][1] {
		t.Fatalf("the page defines %q", def)
	}
	b := newBench(t)
	spec := complete(def[0][1]+"\ninvariance near = rms over x of max over z in rows of apart(x, z)", settings["houses"].statements)
	if _, list := b.check(t, spec, ""); list.HasErrors() {
		t.Errorf("%v", list)
	}
}

// blockWith is the first block in a language that holds these texts.
func blockWith(t *testing.T, page, lang string, texts ...string) string {
	t.Helper()
next:
	for _, b := range blocks(page) {
		if b.lang != lang {
			continue
		}
		for _, text := range texts {
			if !strings.Contains(b.text, text) {
				continue next
			}
		}
		return b.text
	}
	t.Fatalf("the page has no block in %q with %q", lang, texts)
	return ""
}

func buildGo(t *testing.T, source, program string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	//nolint:gosec // the program is ours
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func bundlePython(t *testing.T, source, program string) {
	t.Helper()
	interpreter, err := python.Find(t.Context())
	if err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "between.py")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	//nolint:gosec // the program is ours
	bundle := exec.CommandContext(t.Context(), interpreter, "-m", "sipc_family", "bundle", file, "-o", program, "--python", interpreter)
	bundle.Dir = "../sdk/python"
	if out, err := bundle.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// The tables of the reference name every kind of binding and of argument and every need, in Go and in Python, and in both the
// same.
func TestReference(t *testing.T) {
	page := pagetest.Read(t, "plugins.md")
	source, kit := constants(t, "../plugins/contract.go"), pagetest.Read(t, "../sdk/python/sipc_family/contract.py")
	for _, table := range []struct{ header, kind, dict string }{
		{"| bind | Python | an element binds |", "BindKind", "BINDS"},
		{"| argument | Python | the call's value |", "ValueKind", "KINDS"},
	} {
		var gos, pythons []string
		for _, row := range pagetest.Rows(t, page, table.header) {
			gos = append(gos, code(row[0]))
			pythons = append(pythons, regexp.MustCompile(`\w+$`).FindString(strings.Trim(row[1], "`\"")))
		}
		compareTable(t, table.header, gos, source[table.kind])
		compareTable(t, table.header, pythons, keys(t, kit, table.dict))
	}
	needs := map[string][]string{}
	field := ""
	for _, row := range pagetest.Rows(t, page, "| field | value | Python | what is seen |") {
		if row[0] != "" {
			field = code(row[0])
		}
		_, word, _ := strings.Cut(strings.Trim(row[2], "`"), "=")
		needs[field], needs[field+" in Python"] = append(needs[field], code(row[1])), append(needs[field+" in Python"], strings.Trim(word, `"`))
	}
	compareTable(t, "Columns", needs["Columns"], source["ColumnNeed"])
	compareTable(t, "Columns", needs["Columns in Python"], keys(t, kit, "COLUMNS"))
	compareTable(t, "Labels", needs["Labels"], source["LabelNeed"])
	compareTable(t, "Labels", needs["Labels in Python"], keys(t, kit, "LABELS"))
}

func compareTable(t *testing.T, table string, got, want []string) {
	t.Helper()
	if len(want) < 3 || !reflect.DeepEqual(got, want) {
		t.Errorf("the table %s has\n%q\nand the source\n%q", table, got, want)
	}
}

// constants are the constants of a file that count up from 0, by their type, in order.
func constants(t *testing.T, path string) map[string][]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		kind := ""
		for _, s := range group.Specs {
			spec, ok := s.(*ast.ValueSpec)
			if !ok {
				continue
			}
			if name, ok := spec.Type.(*ast.Ident); ok {
				kind = name.Name
			}
			for _, name := range spec.Names {
				out[kind] = append(out[kind], name.Name)
			}
		}
	}
	return out
}

// keys are those of a dictionary of a Python file whose values count up from 0.
func keys(t *testing.T, source, name string) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile(`"(\w+)": (\d+)`).FindAllStringSubmatch(between(t, source, "\n"+name+" = {", "}"), -1) {
		if m[2] != strconv.Itoa(len(out)) {
			t.Errorf("%s[%q] is %s, after %q", name, m[1], m[2], out)
		}
		out = append(out, m[1])
	}
	return out
}
