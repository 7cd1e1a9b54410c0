package python_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/host"
)

// What an author does wrong is said in one line, with the place in the author's own file, be the exception raised by what it calls, or
// by the kit that finds an answer of the wrong type.
func TestWrongAnswers(t *testing.T) {
	program := bundle(t, "testdata/wrong.py", "testdata/wrong_helper.py")
	for wrong, want := range map[string]struct{ headline, line string }{
		"schema":      {"it reports: describe must return a Schema, not None", "def describe"},
		"domains":     {"it reports: domains of the Schema must be a list of Domains, not a Domain", "def describe"},
		"no session":  {"it reports: open must return a Session, not None", "def open"},
		"return":      {"it reports: expand must yield Chunks, but it returned None: write `yield` before each Chunk", "def expand"},
		"yield":       {"it reports: expand must yield Chunks, not an int", "yield 7"},
		"part":        {"it reports: points of a Chunk must be a list of Blocks, not a Block", "yield Chunk(1, points=Block())"},
		"coef":        {"it reports: TypeError: must be real number, not str", "yield Chunk(1, points=[block])"},
		"map":         {"it reports: map must return a Block, not None", "def map"},
		"two lines":   {"it reports: ValueError: the first line the second line", "raise ValueError"},
		"elsewhere":   {"it reports: JSONDecodeError: Expecting value: line 1 column 1 (char 0)", `            json.loads("not`},
		"helper":      {"it reports: KeyError: 'no such key' (wrong_helper.py, line 5)", ""},
		"late module": {"it reports: ModuleNotFoundError: No module named 'no_such_module' in ", "            import no_such_module"},
	} {
		t.Run(wrong, func(t *testing.T) {
			t.Parallel()
			err := use(t.Context(), t, program, wrong)
			if err == nil {
				t.Fatal("no error")
			}
			headline, words, _ := strings.Cut(err.Error(), "\n")
			place := ""
			if want.line != "" {
				place = " (wrong.py, line " + lineOf(t, want.line) + ")"
			}
			if !strings.Contains(headline, want.headline) || !strings.Contains(headline, place) {
				t.Errorf("%v\nwant a headline that says %q and %q", err, want.headline, place)
			}
			if raised := map[string]string{"two lines": `raise ValueError("the first`, "helper": `return rows["no such key"]`}[wrong]; !strings.Contains(words, raised) {
				t.Errorf("the trace lacks the line that raised it, %s:\n%s", raised, words)
			}
			if strings.Contains(words, "server.py") {
				t.Errorf("the trace shows the kit:\n%s", words)
			}
		})
	}
}

// What ends a family before it serves is said by its last words, in terms of the author's file.
func TestWrongStarts(t *testing.T) {
	program := bundle(t, "testdata/wrong.py", "testdata/wrong_helper.py")
	for wrong, want := range map[string][]string{
		"serve":  {"it ended by itself before it greeted: does its main program call sdk.Serve (in Python, serve)?"},
		"module": {"\n    wrong.py, line " + lineOf(t, "    import no_such_module") + ": No module named 'no_such_module' in /", ": pip install no_such_module, or put the python that has it first in PATH"},
		"top":    {"exit status 1; its last words:", "json.decoder.JSONDecodeError: Expecting value"},
	} {
		t.Run(wrong, func(t *testing.T) {
			t.Parallel()
			err := use(t.Context(), t, program, wrong)
			for _, w := range want {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("%v\nlacks %q", err, w)
				}
			}
			if wrong == "module" && strings.Count(err.Error(), "\n") != 1 {
				t.Errorf("a module that is missing takes more than a line:\n%v", err)
			}
		})
	}
}

// use starts the program, which does wrong, and calls all that it has.
func use(ctx context.Context, t *testing.T, program, wrong string) error {
	t.Helper()
	p, err := host.Launch(ctx, program, host.Options{Env: []string{"SIPC_TEST_WRONG=" + wrong}})
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	data := familytest.Table(3, 1, 0, 1)
	if _, err := familytest.Expand(ctx, t, p, data, &plugins.DomainCall{Name: "all"}); err != nil {
		return err
	}
	_, err = familytest.Map(ctx, t, p, data, &plugins.MapCall{Name: "same", At: familytest.Evaluations(data)})
	return err
}

// lineOf is the number of the first line of the family's file that holds the text.
func lineOf(t *testing.T, text string) string {
	t.Helper()
	source, err := os.ReadFile("testdata/wrong.py")
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(source), text)
	if !found {
		t.Fatalf("testdata/wrong.py lacks %q", text)
	}
	return strconv.Itoa(1 + strings.Count(before, "\n"))
}
