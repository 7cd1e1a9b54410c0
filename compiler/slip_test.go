package compiler

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A slip is one fault of the fingers: what it does to a text, at each place that the pattern finds.
type slip struct {
	name    string
	pattern *regexp.Regexp
	made    func(found string) string
}

var slips = []slip{
	{"a bracket dropped", regexp.MustCompile(`[()\[\]{}]`), func(string) string { return " " }},
	{"a bracket doubled", regexp.MustCompile(`[)\]}]`), func(s string) string { return s + s }},
	{"a bar dropped", regexp.MustCompile(`\|`), func(string) string { return "" }},
	{"a word misspelt", regexp.MustCompile(`\b[a-z_]{4,}\b`), func(s string) string { return s[:2] + s[1:2] + s[2:] + "q" }},
	{"a sign flipped", regexp.MustCompile(`\|f|pos\(`), func(s string) string { return "-" + s }},
	{"a unit changed", regexp.MustCompile(`\b[0-9]+deg\b`), func(s string) string { return strings.TrimSuffix(s, "deg") }},
}

// goodSpecs are specs without faults, and with neither comments nor texts, in which a slip may be none.
func goodSpecs(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"testdata/specs/*.inv", "../examples/*/*.inv", "../docs/errors/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src := string(text)
			if _, right, ok := strings.Cut(src, "## Right\n\n```inv\n"); ok {
				src, _, _ = strings.Cut(right, "```")
			}
			src = regexp.MustCompile(`(?m) *#.*$`).ReplaceAllString(src, "")
			if !all(t, src).HasErrors() {
				out[path] = src
			}
		}
	}
	return out
}

// One slip in a good spec is one error, near where it was made: nothing else is called wrong. Two things are excepted: the name of a
// column, a class or a declaration that nothing uses may be any word; and a declaration that is misspelt is missed wherever it is used.
func TestSlipsAreOneError(t *testing.T) {
	specs := goodSpecs(t)
	if len(specs) < 60 {
		t.Errorf("there are %d good specs", len(specs))
	}
	for _, s := range slips {
		word := s.name == "a word misspelt"
		made, silent := 0, 0
		for path, src := range specs {
			for _, at := range s.pattern.FindAllStringIndex(src, -1) {
				if strings.Count(src[:at[0]], `"`)%2 == 1 {
					continue // within a text
				}
				made++
				wrong := src[:at[0]] + s.made(src[at[0]:at[1]]) + src[at[1]:]
				list := slices.DeleteFunc(all(t, wrong), func(d *diag.Diagnostic) bool { return d.Severity != diag.Error })
				line := 1 + strings.Count(src[:at[0]], "\n")
				switch {
				case len(list) == 0 && word:
					silent++
				case len(list) == 0, len(list) > 1 && (!word || !sameName(list, wrong)), !word && !near(list[0].Subject, line):
					t.Errorf("%s: %s on line %d gives\n%v\nfor\n%s", path, s.name, line, list, wrong)
				}
			}
		}
		if made == 0 || silent > made/8 {
			t.Errorf("%s: %d made, %d without an error", s.name, made, silent)
		}
	}
}

// sameName reports whether all errors miss the same name, and stand where the spec has it.
func sameName(list diag.List, src string) bool {
	missing := []diag.Code{codes.UndefinedName, codes.UnknownLabel, codes.UnknownColumn, codes.UnknownInvariance, codes.UnknownDomain}
	at := func(d *diag.Diagnostic) string { return src[d.Subject.Start.Offset:d.Subject.End.Offset] }
	return !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return !slices.Contains(missing, d.Code) || at(d) != at(list[0]) })
}

// near reports whether a place is on a line, or in the statement around it, none of which is longer than this.
func near(at diag.Span, line int) bool {
	const longest = 12
	return at.Start.Line <= line+longest && line <= at.End.Line+longest
}
