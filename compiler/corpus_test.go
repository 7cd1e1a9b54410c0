package compiler

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// The faulty specs of testdata/corpus say themselves what is wrong with them: below each faulty line stands, as a comment, every
// message of that line with its place marked by ^ (or by < at the left, for the first column):
//
//	invariance i = rms over x of -|f(cat)|
//	#                            ^ E401: a minus sign stands before |f(cat)|, which is convex but not linear
//
// go test ./compiler -run Corpus -update writes these lines.
var wanted = regexp.MustCompile(`^#( *\^|<) [EW][0-9]{3}: `)

// corpus are the faulty specs, by name, with and without the lines that say what is wanted.
func corpus(tb testing.TB) (names []string, annotated, bare map[string]string) {
	tb.Helper()
	paths, err := filepath.Glob("testdata/corpus/*.inv")
	if err != nil {
		tb.Fatal(err)
	}
	annotated, bare = map[string]string{}, map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		name := filepath.Base(path)
		names = append(names, name)
		annotated[name] = string(text)
		for line := range strings.Lines(string(text)) {
			if !wanted.MatchString(line) {
				bare[name] += line
			}
		}
	}
	return names, annotated, bare
}

// all is what is wrong with a spec, of syntax and of all else.
func all(tb testing.TB, src string) diag.List {
	tb.Helper()
	file, list := dsl.Parse("test.inv", []byte(src))
	plan, more := Check(tb.Context(), file, testOptions(testFiles))
	if err := plan.Close(); err != nil {
		tb.Fatal(err)
	}
	list = append(list, more...)
	list.Sort()
	return list
}

// annotate writes below each line what is wrong with it.
func annotate(src string, list diag.List) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(src) {
		b.WriteString(line)
		n++
		for _, d := range list {
			if d.Subject.Start.Line != n {
				continue
			}
			mark := "<"
			if c := d.Subject.Start.Column; c > 1 {
				mark = strings.Repeat(" ", c-2) + "^"
			}
			fmt.Fprintf(&b, "#%s %s: %s\n", mark, d.Code, d.Summary)
		}
	}
	return b.String()
}

// Every faulty spec has exactly the faults that it names, where it says they are, in order.
func TestCorpus(t *testing.T) {
	names, annotated, bare := corpus(t)
	if len(names) < 150 {
		t.Errorf("the corpus has %d specs", len(names))
	}
	for _, name := range names {
		list := all(t, bare[name])
		if len(list) == 0 {
			t.Errorf("%s has no fault", name)
		}
		got := annotate(bare[name], list)
		if *update {
			if err := os.WriteFile("testdata/corpus/"+name, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if d := cmp.Diff(annotated[name], got); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
		if with := all(t, annotated[name]); !slices.Equal(codesOf(with), codesOf(list)) {
			t.Errorf("%s: comments change what is wrong:\n%v\nand without them\n%v", name, with, list)
		}
	}
}

func codesOf(list diag.List) []diag.Code {
	got := make([]diag.Code, len(list))
	for i, d := range list {
		got[i] = d.Code
	}
	return got
}

// Every code that a spec alone can have is met.
func TestCorpusMeetsEveryCode(t *testing.T) {
	met := map[diag.Code]bool{}
	names, _, bare := corpus(t)
	for _, name := range names {
		for _, d := range all(t, bare[name]) {
			met[d.Code] = true
		}
	}
	known, _ := documented(t)
	syntax, err := os.ReadFile("../dsl/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`diag\.Code = "(E1[0-9]{2})"`).FindAllSubmatch(syntax, -1) {
		known = append(known, diag.Code(m[1]))
	}
	if len(known) < 90 {
		t.Fatalf("there are %d codes", len(known))
	}
	elsewhere := []diag.Code{ // met with data, from the command line, or with families that are wrong
		codes.WrongOverride, codes.ColumnNotInData, codes.LabelNotInData, codes.EmptyIndexSet, codes.TooLarge, codes.ConstantColumn, codes.NegativeFactorInData, codes.WrongSchema, codes.FamilyFailed, codes.Untrusted,
		codes.EdgesLeftOut, codes.EmptyForSome, codes.TextNotInData, codes.NamesLeftOut, codes.NotTrue, codes.NoScores, codes.LongPaths,
	}
	for _, code := range known {
		if met[code] == slices.Contains(elsewhere, code) {
			t.Errorf("%s is met by a spec alone: %v", code, met[code])
		}
	}
}

// Every message is whole: a summary of one line, a place in the text, and how to mend it.
func TestMessagesAreWhole(t *testing.T) {
	names, _, bare := corpus(t)
	for _, name := range names {
		for _, d := range all(t, bare[name]) {
			switch {
			case d.Summary == "" || strings.ContainsAny(d.Summary, "\n") || strings.HasSuffix(d.Summary, "."):
				t.Errorf("%s: the summary %q is not a line", name, d.Summary)
			case d.Mend == "":
				t.Errorf("%s: %v does not say how to mend it", name, d)
			case d.Detail != "" && !strings.ContainsAny(d.Detail[len(d.Detail)-1:], ".)|"): // the last two end a definition
				t.Errorf("%s: %v: the detail %q is not a sentence", name, d, d.Detail)
			case d.Subject.File != "test.inv" || d.Subject.End.Offset > len(bare[name]) || d.Subject.Start.Line < 1:
				t.Errorf("%s: %v is nowhere", name, d)
			case d.Page() == "" || strings.Contains(d.Summary+d.Detail+d.Mend, "%!"):
				t.Errorf("%s: %v", name, d)
			}
			for _, r := range d.Related {
				if r.Message == "" || r.Span.IsZero() {
					t.Errorf("%s: %v: a contributing place %v says %q", name, d, r.Span, r.Message)
				}
			}
		}
	}
}

// uncovered are the specs of which a fix mends what it is offered for and shows what else is wrong there, and why that could not be
// told before.
var uncovered = map[string]string{
	"many_faulty_data_hides_no_curvature.inv": "without its type the target has no known labels",
	"points_map_of_label.inv":                 "what follows a call is not read",
	"syntax_let_number.inv":                   "a name that begins with a digit is read as a number first",
	"syntax_use_bare_path.inv":                "a path without quotes is several words",
}

// mendable are the refusals of curvature that a rewrite may mend.
var mendable = []diag.Code{
	codes.NegatedConvex, codes.NotHomogeneous, codes.Product, codes.Minimum, codes.NeedsNonnegative, codes.AbsOfConvex, codes.DerivativeOfNonlinear, codes.MayBeNegative,
}

// Every fix applies, and mends what it is offered for: this diagnostic is gone, and there are fewer than before.
func TestFixesMend(t *testing.T) {
	names, _, bare := corpus(t)
	fixes := 0
	accepted := map[diag.Code]int{}
	for _, name := range names {
		before := all(t, bare[name])
		for _, d := range before {
			if slices.Contains(mendable, d.Code) && strings.HasPrefix(d.Mend, "Write ") && len(d.Fixes) == 0 {
				t.Errorf("%s: %v: nothing does %q", name, d, d.Mend)
			}
			for _, fix := range d.Fixes {
				fixes++
				accepted[d.Code]++
				if fix.Title == "" {
					t.Errorf("%s: %v has a fix without a title", name, d)
				}
				text, err := fix.Apply("test.inv", []byte(bare[name]))
				if err != nil {
					t.Errorf("%s: %v: %v", name, d, err)
					continue
				}
				after := all(t, string(text))
				fewer := len(after) < len(before) || uncovered[name] != ""
				if !fewer || howMany(after, d.Code) >= howMany(before, d.Code) {
					t.Errorf("%s: %v\n%s gives\n%s\nwith\n%v", name, d, fix.Title, bytes.TrimSpace(text), after)
				}
			}
		}
	}
	if fixes < 90 {
		t.Errorf("there are %d fixes", fixes)
	}
	for _, code := range mendable {
		if accepted[code] == 0 {
			t.Errorf("no fix of %s was tried", code)
		}
	}
}

// A choice that is gone names the one to use in its place, and a fix writes it.
func TestAChoiceThatIsGoneNamesItsSuccessor(t *testing.T) {
	_, _, bare := corpus(t)
	list := all(t, bare["settings_select_ridge.inv"])
	if len(list) != 1 || list[0].Mend != "Use leverage." || len(list[0].Fixes) != 1 || list[0].Fixes[0].Edits[0].New != "leverage" {
		t.Errorf("%v", list)
	}
}

func howMany(list diag.List, code diag.Code) int {
	n := 0
	for _, c := range codesOf(list) {
		if c == code {
			n++
		}
	}
	return n
}
