package compiler_test

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	sipc "github.com/sipc-ml/sipc"
)

// verdicts are what the reference says of accepted entries: the kind of R. A seminorm without a word for kinks or their
// absence is one of which the reference does not say whether it has any.
var verdicts = map[string][]string{
	"smooth": {"smooth seminorm"}, "kinks": {"seminorm"}, "seminorm": {"smooth seminorm", "seminorm"}, "sublinear": {"sublinear"},
}

// A conformant is an entry of the suite: a spec, and what the reference says of it.
type conformant struct {
	verdict, text string
	line          int // of the entry among those of its section
}

// source returns the spec, after the declarations that the entry stands in.
func (c *conformant) source(declared string) string {
	if block, ok := strings.CutPrefix(c.text, "\n"); ok {
		return declared + block + "\n"
	}
	return declared + "invariance e = " + c.text + "\n"
}

// judge returns what the program says of a spec: the kind of R on the rows beside it, or the codes of its errors.
func judge(t *testing.T, spec, source string) string {
	t.Helper()
	s := sipc.NewSpec(t.Context(), spec, []byte(source), sipc.SpecOptions{})
	defer func() { _ = s.Close() }()
	list := s.Diagnostics
	if !list.HasErrors() {
		rows := filepath.Join(filepath.Dir(spec), "rows.csv")
		ex, err := s.Explain(t.Context(), sipc.ExplainOptions{Data: rows, Test: rows})
		var faults *sipc.SpecError
		switch {
		case err == nil:
			return ex.Kind
		case !errors.As(err, &faults):
			return err.Error()
		}
		list = faults.Diagnostics
	}
	var found []string
	for _, d := range list {
		if code := string(d.Code); strings.HasPrefix(code, "E") && !slices.Contains(found, code) {
			found = append(found, code)
		}
	}
	return strings.Join(found, " ")
}

// entries returns the entries of a section. Indented lines continue the one before them.
func entries(text string) []conformant {
	var all []conformant
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		switch verdict, rest, _ := strings.Cut(line, " "); {
		case line == "" || strings.HasPrefix(line, "#"):
		case verdict == "":
			all[len(all)-1].text += "\n" + line
		default:
			all = append(all, conformant{verdict, strings.TrimSpace(rest), i + 1})
		}
	}
	return all
}

// The program says of every expression of the suite what the reference says, or what open.txt notes.
func TestConformance(t *testing.T) {
	chapters, err := filepath.Glob("testdata/conformance/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	accepted, refused := 0, 0
	for _, chapter := range chapters {
		t.Run(filepath.Base(chapter), func(t *testing.T) {
			a, r := conform(t, chapter)
			accepted, refused = accepted+a, refused+r
		})
	}
	if accepted < 300 || refused < 300 {
		t.Errorf("%d accepted and %d refused", accepted, refused)
	}
}

// conform tries the entries of a chapter, and counts those that are to be accepted and refused.
func conform(t *testing.T, chapter string) (accepted, refused int) {
	t.Helper()
	archive, err := txtar.ParseFile(chapter)
	if err != nil {
		t.Fatal(err)
	}
	dir, declared := t.TempDir(), map[string]string{}
	for _, f := range archive.Files {
		section, name := path.Split(f.Name)
		folder := filepath.Join(dir, section)
		switch name {
		case "spec.inv":
			declared[section] = string(f.Data)
		case "entries":
			for _, c := range entries(string(f.Data)) {
				source := c.source(declared[section])
				got := judge(t, filepath.Join(folder, "spec.inv"), source)
				want, kind := verdicts[c.verdict]
				switch {
				case kind:
					accepted++
				default:
					refused++
					want = []string{c.verdict}
				}
				anyCode := c.verdict == "refused" && strings.HasPrefix(got, "E")
				if !anyCode && !slices.Contains(want, got) {
					t.Errorf("%s:%d: %s, and the reference says %s: %s", f.Name, c.line, got, c.verdict, c.text)
				}
			}
			continue
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return accepted, refused
}
