package verify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/verify"
)

// programs is where the programs are that the tests run.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "programs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs = dir
	build := exec.CommandContext(context.Background(), "go", "build", "-ldflags=-s -w", "-o", dir+string(filepath.Separator),
		"./internal/sipc-family-unsound", "../mixup/sipc-family-mixup", "../hierarchy/sipc-family-hierarchy", "../transform/sipc-family-transform")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %s\n", err, out)
		return 1
	}
	return m.Run()
}

func verified(t *testing.T, program, fault string, o verify.Options) *verify.Report {
	t.Helper()
	o.Host.Env = append(o.Host.Env, "SIPC_FAULT="+fault)
	o = o.Small()
	r, err := verify.Run(t.Context(), filepath.Join(programs, program), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func failures(r *verify.Report) []string {
	var out []string
	for _, c := range r.Checks {
		if c.Status == verify.Failed {
			out = append(out, c.Name)
		}
	}
	return out
}

func shown(r *verify.Report) string {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// The families that come with sipc keep the contract.
func TestBuiltIn(t *testing.T) {
	for _, name := range []string{"mixup", "hierarchy", "transform"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := verified(t, "sipc-family-"+name, "", verify.Options{})
			if !r.Passed || r.Name != name || len(r.SHA256) != 64 {
				t.Errorf("%s", shown(r))
			}
			for _, c := range r.Checks {
				nothing := name == "hierarchy" && c.Name == "derivative" || name != "transform" && c.Name == "labels"
				if c.Status != verify.Passed && (!nothing || c.Status != verify.Skipped) {
					t.Errorf("%s is %s: %v %v", c.Name, c.Status, c.Findings, c.Notes)
				}
			}
		})
	}
}

// A family with one fault fails the check that looks for it, and no other.
func TestFaults(t *testing.T) {
	faults := map[string]string{
		"":                         "",
		"handshake":                `"hello, I am a family"`,
		"schema: no documentation": "the domain some has no documentation",
		"schema: version":          `the version "first" is not semantic`,
		"schema: changes":          "it describes itself otherwise each time",
		"schema: bounds":           "has the default 2000, which its bounds do not allow",
		"schema: default":          "ahead: the default of reach, n, cannot be tried: write a count such as 100 or 4n",
		"schema: unit":             "push: the default of by, 1deg, cannot be tried: write a number such as 0.5",
		"schema: blind":            "let push need the columns that its arguments name",
		"schema: name":             `"not a word" is not a name for a domain`,
		"determinism":              "the functional or label",
		"derivative":               "d/dλ f of element 0",
		"derivative: still":        "ahead(reach = 1), rows without labels (and 1 more alike): nothing moves along its path",
		"derivative: length":       "d/dλ f of element 0",
		"derivative: map":          "d/dt f at row 0",
		"boundedness":              "NaN",
		"chunking":                 "a chunk holds",
		"chunking: map":            "otherwise than the same row",
		"cancellation":             "it is still at work",
		"arguments: crash":         "ahead(reach = 1000), rows without labels",
		"arguments: reason":        "has more than one line",
		"arguments: one":           "some(), rows without labels: it refuses every call that was tried (not today)",
		"arguments: refuses":       "it refuses every call",
		"derivative: ends":         "d/dλ f of element 0 at λ = 1 is",
		"derivative: sign":         "push(column = x0, by = -1), rows without labels (and 1 more alike): d/dt f at row 0",
		"empty":                    "on data of one row",
		"empty: columns":           "above(first = x0, second = x1), rows without labels, on data of two columns (and 1 more alike): its process ended",
		"labels":                   "functional 1 is 1 of class2 and is answered with 1 of class",
		"labels: lost":             "is answered with 1 of f without a label",
		"labels: moved":            "moves otherwise with one label than with another",
		"labels: coefficient":      "is 1.5 of f without a label and is answered with 2 of f without a label",
		"preparation":              "on raw data, and where it is",
		"preparation: column":      "it is taken where x0 is",
		"preparation: offset":      "it is taken where x0 is",
		"preparation: rows":        "elements on raw data, and",
		"preparation: path":        "it is taken where x0 is",
		"large":                    "on large data",
	}
	for _, fault := range slices.Sorted(maps.Keys(faults)) {
		want := faults[fault]
		t.Run("with "+fault, func(t *testing.T) {
			t.Parallel()
			check, _, detail := strings.Cut(fault, ":")
			var o verify.Options
			switch {
			case check == "schema" && detail:
				o.Checks = []string{"schema", "arguments"}
			case fault == "arguments: refuses" || fault == "arguments: one":
				o.Checks = []string{"determinism", "arguments"}
			case detail: // what looks for other things with other processes is asked of the others
				o.Checks = []string{check, "labels", "derivative", "preparation", "boundedness", "arguments", "empty"}
			}
			r := verified(t, "sipc-family-unsound", fault, o)
			var expected []string
			if fault != "" {
				expected = []string{check}
			}
			if got := failures(r); !slices.Equal(got, expected) {
				t.Fatalf("checks failed: %v, want %v\n%s", got, expected, shown(r))
			}
			for _, c := range r.Checks {
				if c.Name == check && !strings.Contains(strings.Join(c.Findings, "\n"), want) {
					t.Errorf("the findings lack %q: %q", want, c.Findings)
				}
			}
			if r.Passed != (fault == "") {
				t.Errorf("passed is %v", r.Passed)
			}
		})
	}
}

// What a run refuses, verify does not pass.
func TestNeedsAreHeld(t *testing.T) {
	for fault, want := range map[string]string{
		"determinism: columns": "it makes new points, though it does not see all columns",
		"determinism: labels":  "let the domain need RowLabels",
	} {
		r := verified(t, "sipc-family-unsound", fault, verify.Options{Checks: []string{"determinism"}})
		if got := r.Checks[1]; got.Status != verify.Failed || !strings.Contains(strings.Join(got.Findings, "\n"), want) {
			t.Errorf("%s: no finding %q\n%s", fault, want, shown(r))
		}
	}
}

// What a family refuses alike, each check tells once.
func TestRefusalsAreToldOnce(t *testing.T) {
	r := verified(t, "sipc-family-unsound", "arguments: refuses", verify.Options{Checks: []string{
		"determinism", "labels", "derivative", "preparation", "boundedness", "chunking", "cancellation",
	}})
	for _, c := range r.Checks[1:] {
		told := 0
		for _, note := range c.Notes {
			if strings.Contains(note, "it refuses: not today") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s: %q", c.Name, c.Notes)
		}
	}
}

func TestNothingAnswered(t *testing.T) {
	r := verified(t, "sipc-family-unsound", "arguments: refuses", verify.Options{Checks: []string{"determinism"}})
	c := r.Checks[1]
	if len(c.Notes) == 0 {
		t.Fatalf("%s", shown(r))
	}
	if c.Tried != 0 || c.Status != verify.Skipped || c.Notes[0] != "no call was answered" ||
		c.Notes[1] != "ahead(reach = 1), rows without labels (and 9 more alike, also of above, sweep, some, push): it refuses: not today" {
		t.Errorf("%s", shown(r))
	}
}

// A family that refuses every usual call stands nothing.
func TestRefusedIsNotPassed(t *testing.T) {
	r := verified(t, "sipc-family-unsound", "arguments: refuses", verify.Options{Checks: []string{"empty", "large"}})
	for _, c := range r.Checks[1:] {
		if c.Status != verify.Skipped || len(c.Notes) == 0 || !strings.Contains(c.Notes[0], "not tried: it refuses its usual call: not today") {
			t.Errorf("%s is %s: %q", c.Name, c.Status, c.Notes)
		}
	}
}

func TestLanguageHasItsSay(t *testing.T) {
	r := verified(t, "sipc-family-unsound", "", verify.Options{Checks: []string{"schema"}, Accept: func(ctx context.Context, f plugins.Family) []string {
		s, err := f.Describe(ctx)
		return []string{fmt.Sprint("no ", s.Name, err)}
	}})
	if got := failures(r); !slices.Equal(got, []string{"schema"}) || r.Checks[1].Findings[0] != "no unsound<nil>" {
		t.Errorf("%s", shown(r))
	}
}

func TestWhatIsNoProgram(t *testing.T) {
	for path, want := range map[string]string{
		"/nowhere/program": "there is no such program", t.TempDir(): "it is not a program but a directory",
	} {
		if _, err := verify.Run(t.Context(), path, verify.Options{Checks: []string{"schema"}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := verify.Run(t.Context(), filepath.Join(programs, "sipc-family-mixup"), verify.Options{Checks: []string{"shema"}}); err == nil ||
		!strings.Contains(err.Error(), `no check "shema"; there are handshake, schema`) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := verify.Run(ctx, filepath.Join(programs, "sipc-family-mixup"), verify.Options{Host: host.Options{}}); err == nil {
		t.Error("a cancelled run reports")
	}
}

// A call that fails is found once: the other checks leave it out, and the report says so.
func TestWhatFailsIsNotAskedAgain(t *testing.T) {
	r := verified(t, "sipc-family-unsound", "determinism: labels", verify.Options{
		Checks: []string{"determinism", "derivative", "preparation", "boundedness", "chunking"},
	})
	if got := failures(r); !slices.Equal(got, []string{"determinism"}) {
		t.Errorf("%v\n%s", got, shown(r))
	}
	want := "ahead(reach = 1), rows of 4 classes: not asked again: its usual call fails, see determinism"
	if !slices.Contains(r.Untried, want) {
		t.Errorf("untried: %q", r.Untried)
	}
}
