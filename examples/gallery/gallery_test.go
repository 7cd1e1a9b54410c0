package gallery

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/runtime/report"
)

var update = flag.Bool("update", false, "rewrite the table of README.md")

const (
	tableBegin = "<!-- table: this table is generated; go test ./examples/gallery -update -->\n"
	tableEnd   = "<!-- end of table -->"

	// most is the size of a file of the gallery in bytes.
	most = 10_000
)

// An entry is a spec of the gallery.
type entry struct {
	path, field, known string
	source             []byte
	file               *dsl.File
}

// data returns the file beside the spec, or an empty text.
func (e *entry) data() string {
	data := strings.TrimSuffix(e.path, ".inv") + ".csv"
	if _, err := os.Stat(data); err != nil {
		return ""
	}
	return data
}

// statements returns the invariances and requirements of the spec, each on one line.
func (e *entry) statements() []string {
	var out []string
	for _, d := range e.file.Decls {
		var at diag.Span
		switch d := d.(type) {
		case *dsl.Require:
			at = d.Holds.Span()
		case *dsl.Invariance:
			if d.Measures() {
				continue
			}
			at = d.Body.Span()
		default:
			continue
		}
		out = append(out, strings.Join(strings.Fields(string(e.source[at.Start.Offset:at.End.Offset])), " "))
	}
	return out
}

// entries reads the gallery.
func entries(t *testing.T) []*entry {
	t.Helper()
	paths, err := filepath.Glob("*.inv")
	if err != nil {
		t.Fatal(err)
	}
	var out []*entry
	for _, path := range paths {
		source := []byte(pagetest.Read(t, path))
		file, faults := dsl.Parse(path, source)
		if err := faults.Err(); err != nil {
			t.Fatal(err)
		}
		e := &entry{path: path, source: source, file: file}
		var comment []string
		for line := range strings.Lines(string(source)) {
			text, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
			if !ok {
				break
			}
			comment = append(comment, text)
		}
		e.field, e.known, _ = strings.Cut(strings.Join(comment, " "), ": ")
		out = append(out, e)
	}
	return out
}

// Every spec says what is known, is in the canonical layout, and is proved without a warning. It has data or says what they are.
func TestSpecs(t *testing.T) {
	all := entries(t)
	if len(all) != 30 {
		t.Errorf("%d specs, want 30", len(all))
	}
	for _, e := range all {
		if e.field == "" || e.known == "" {
			t.Errorf("%s: the comment must be # FIELD: WHAT IS KNOWN", e.path)
		}
		if diff := cmp.Diff(string(dsl.Format(e.file)), string(e.source)); diff != "" {
			t.Errorf("%s (mend it by sipc fmt -w):\n%s", e.path, diff)
		}
		spec := load(t, e)
		if len(spec.Diagnostics) > 0 {
			t.Errorf("%s: %v", e.path, spec.Diagnostics)
		}
		if spec.Plan != nil && e.data() == "" && len(spec.Plan.Data.Types) == 0 {
			t.Errorf("%s has no data beside it and declares no types", e.path)
		}
	}
}

// load reads and checks a spec.
func load(t *testing.T, e *entry) *sipc.Spec {
	t.Helper()
	spec, err := sipc.LoadSpec(t.Context(), e.path, sipc.SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spec.Close() })
	return spec
}

// Every spec with data runs on them, reaches its gap, warns of nothing and meets its expectations.
func TestRuns(t *testing.T) {
	for _, e := range entries(t) {
		if e.data() == "" {
			continue
		}
		t.Run(e.path, func(t *testing.T) {
			r, err := sipc.Run(t.Context(), load(t, e), sipc.RunOptions{Data: e.data()})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Expected) == 0 {
				t.Error("the spec expects nothing")
			}
			for _, line := range r.Unmet() {
				t.Error(line)
			}
			if len(r.Warnings) > 0 || r.Missed != "" {
				t.Errorf("warnings %q, missed %q", r.Warnings, r.Missed)
			}
			if open := report.Unproved(r.Required); open != "" {
				t.Error(open)
			}
			for _, s := range r.Regularizer {
				if s.Functionals == 0 {
					t.Errorf("%s is about nothing", s.Name)
				}
			}
		})
	}
}

// The gallery shows every part of the language that the table of docs/language.md has, each in a spec at least.
func TestLanguage(t *testing.T) {
	var all strings.Builder
	for _, e := range entries(t) {
		all.Write(e.source)
	}
	for _, part := range []string{
		` in \{"`, `where .* in \[`, `where \w+ in|where \w+ and`, `\|\w+\(a\) - \w+\(b\)\|`, `!= b`, `swap\(`, `put\(`, `move\(`,
		`c in columns\(\w+, `, `columns\("\w+_\*"\)`, `let \w+ += \{\w+,`, `let \w+ += \{\w+\(`, `let \w+ += graph`, `let \w+ += taxonomy`, `let \w+ += columns`,
		`let \w+ += swap`, `include "`, `types `, `split +by`, `split +train = 70%`, `measure `, `expect .*%`, `expect kind`, `expect .*value`,
		`unlabelled "`, `unlabelled test`, `augment`, `evaluate under`, `text\(`, `image\(`, `regularize \S+, `, `auto \*`, `grid\(`, `\.obo"`,
		`edges\(`, `siblings\(`, `implies`, `excludes`, `pairs\(.*nearest\)`, `pairs\(.*same_class\)`, `d/dλ f`, `sum over λ`, `increasing`, `decreasing`,
		`convex\(`, `concave\(`, `(d/d\(\w+\) ){2}f`, `unit = raw`, `parity_between`, `top\(`, `weight = `, `missing`, `gaps +-99`, `ignore`, `id `, `decode +closure`,
		`probabilities = on`, `require .* over x in box`, `binary\(`, `: real`, `: class`, `: multilabel`, `def \w+\(c\)`, `k in labels`,
	} {
		if !regexp.MustCompile(part).MatchString(all.String()) {
			t.Errorf("no spec has %s", part)
		}
	}
}

// Every file of the gallery is small, and a spec, its data, or named by a spec.
func TestFiles(t *testing.T) {
	var named strings.Builder
	for _, e := range entries(t) {
		fmt.Fprintf(&named, "%s\n%s\n%s\n", e.path, e.data(), e.source)
	}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == "README.md" || strings.HasSuffix(path, ".go") {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > most {
			t.Errorf("%s has %d bytes, more than %d", path, info.Size(), most)
		}
		if !strings.Contains(named.String(), filepath.ToSlash(path)) {
			t.Errorf("no spec has or names %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The table of the page holds what the specs say.
func TestTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| field | what is known | what is said of f |\n|---|---|---|\n")
	fields := map[string]bool{}
	for _, e := range entries(t) {
		field, about, _ := strings.Cut(e.field, ", ")
		fields[field] = true
		if about != "" {
			about = ", " + about
		}
		var said []string
		for _, s := range e.statements() {
			said = append(said, "`"+strings.ReplaceAll(s, "|", `\|`)+"`")
		}
		fmt.Fprintf(&b, "| [%s](%s)%s | %s | %s |\n", field, e.path, about, e.known, strings.Join(said, "<br>"))
	}
	if len(fields) != 30 {
		t.Errorf("%d fields, want 30: %v", len(fields), slices.Sorted(maps.Keys(fields)))
	}
	page := pagetest.Read(t, "README.md")
	head, rest, begins := strings.Cut(page, tableBegin)
	table, tail, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		t.Fatal("README.md has no place for the table")
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(head+tableBegin+b.String()+tableEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(b.String(), table); diff != "" {
		t.Errorf("the table is stale; run go test ./examples/gallery -update\n%s", diff)
	}
}

// Each line of the page about what cannot be said is refused with the code that it names, and the nearest that can be said is accepted.
func TestWhatCannotBeSaid(t *testing.T) {
	rows := pagetest.Rows(t, pagetest.Read(t, "README.md"), "| wish | as one would write it | code | why not | the nearest that can be said |")
	if len(rows) < 10 {
		t.Errorf("%d lines", len(rows))
	}
	for _, row := range rows {
		written, code, nearest := strings.Trim(row[1], "`"), row[2], strings.Trim(row[4], "`")
		if found := refusals(t, written); !slices.Contains(found, code) {
			t.Errorf("%s gives %v, want %s", written, found, code)
		}
		if nearest == "–" {
			continue
		}
		if found := refusals(t, nearest); len(found) > 0 {
			t.Errorf("%s gives %v", nearest, found)
		}
	}
}

// refusals returns the codes of the errors of a spec with one line more: the target of its data, or a statement.
func refusals(t *testing.T, line string) []string {
	t.Helper()
	target, statement := "target price : real", line
	switch word, _, _ := strings.Cut(line, " "); {
	case word == "target":
		target, statement = line, ""
	case strings.Contains(line, "cat)"):
		target = "target animal, cat, dog : multilabel"
	case strings.Contains(line, "svm"):
		target = "target late : binary(no, yes)"
	}
	text := fmt.Sprintf("data {\n%s\n}\nkernel gaussian\nfeatures nystrom\n%s\n", target, statement)
	spec := sipc.NewSpec(t.Context(), "line.inv", []byte(text), sipc.SpecOptions{})
	t.Cleanup(func() { _ = spec.Close() })
	var out []string
	for _, d := range spec.Diagnostics {
		if d.Severity == diag.Error {
			out = append(out, string(d.Code))
		}
	}
	return out
}
