package editors_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl"
)

// A fault is a diagnostic as Neovim shows it: its code and the text that it underlines.
type fault struct{ Code, Text string }

// A session says what a person saw in Neovim. The fields stand in the order of her steps.
type session struct {
	Filetype, Comment string
	Opened            []fault  // by code
	Fixed             []string // the lines after all fixes at once
	Offered           []string // the changes at the fault that is left
	Values, Columns   []string // completed in a text and in d/d(…)
	Hover             string
	References        int
	Definition        string // the line of it
	Typed             []fault
	Formatted         []string // the lines at the end
	Ended             struct{ Code, Signal int }
	Problem           string // where the session could not go on
}

// In a real Neovim the server underlines faults, mends them, completes, answers, renames, formats and ends by itself.
func TestNeovim(t *testing.T) {
	nvim := neovim(t)
	programs, dir := t.TempDir(), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", programs, "../cmd/sipc").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "neovim"))); err != nil {
		t.Fatal(err)
	}
	var s session
	said := drive(t, nvim, dir, "session.lua", &s, "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	if s.Problem != "" || said != "" {
		t.Fatalf("%s\nNeovim says %q", s.Problem, said)
	}
	slices.SortFunc(s.Opened, func(a, b fault) int { return strings.Compare(a.Code, b.Code) })
	if !strings.Contains(s.Hover, "**sublinear**") || !strings.Contains(s.Hover, "invariance steady") {
		t.Errorf("hovering over steady shows %q", s.Hover)
	}
	s.Hover = ""
	mended := lines(t, filepath.Join(dir, "houses.inv"))
	mended[5] = strings.Replace(mended[5], "aera", "area", 1)
	mended[6] = strings.Replace(mended[6], "region = ", "region == ", 1)
	want := session{
		Filetype: "sipc", Comment: "# %s",
		Opened:  []fault{{"E116", "="}, {"E401", "-(rms over x of |f|)"}, {"E551", "aera"}},
		Fixed:   mended,
		Offered: []string{"Write (rms over x of |f|)"},
		Values:  []string{"north", "south"}, Columns: []string{"area", "region", "price"},
		References: 2, Definition: "let step = 0.5",
		Typed:     []fault{{"E102", "$"}},
		Formatted: lines(t, filepath.Join(dir, "formatted.inv")),
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("in Neovim a person sees\n%+v\nwant\n%+v", s, want)
	}
}

// The colours of all specs in Neovim are those of what the lexer and the parser find in them.
func TestVimColours(t *testing.T) {
	nvim := neovim(t)
	specs, dir := corpus(t), t.TempDir()
	var paths []string
	for path := range specs {
		absolute, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, absolute)
	}
	list := filepath.Join(dir, "specs")
	if err := os.WriteFile(list, []byte(strings.Join(paths, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join("testdata", "neovim", "colours.lua"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string][][]string{}
	if said := drive(t, nvim, dir, script, &seen, "SIPC_SPECS="+list); said != "" {
		t.Fatal(said)
	}
	counts := map[string]int{}
	for path, source := range specs {
		absolute, _ := filepath.Abs(path)
		keywords := keywordsOf(path, source)
		for _, token := range dsl.Tokens(path, []byte(source)) {
			want := vimGroups[wanted(&token, keywords)]
			if want == "" {
				continue
			}
			counts[want]++
			start := token.Span.Start
			before := source[strings.LastIndexByte(source[:start.Offset], '\n')+1 : start.Offset]
			if got := seen[absolute][start.Line-1][len(before)]; got != want {
				t.Errorf("%s: %q is a %q, want %s", token.Span, token.Text, got, want)
			}
		}
	}
	for _, group := range vimGroups {
		if counts[group] < 10 {
			t.Errorf("%s was looked at %d times", group, counts[group])
		}
	}
}

// vimGroups are the syntax groups by the scopes of the other grammar.
var vimGroups = map[string]string{
	"comment": "sipcComment", "string": "sipcString", "constant.numeric": "sipcNumber", "keyword.control": "sipcStatement",
	"keyword.other.item": "sipcItem", "keyword.operator.word": "sipcReserved", "keyword.other.aggregation": "sipcAggregation",
	"keyword.operator.derivative": "sipcDerivative",
}

// neovim returns the path of Neovim, and skips the test where there is none.
func neovim(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("Neovim is not installed")
	}
	return path
}

// lines returns the lines of a file.
func lines(t *testing.T, path string) []string {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(source), "\n"), "\n")
}

// drive runs a script in Neovim, which writes what it has seen as JSON, and returns what Neovim itself says.
func drive(t *testing.T, nvim, dir, script string, seen any, env ...string) string {
	t.Helper()
	plugin, err := filepath.Abs("neovim")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), nvim, "--headless", "--clean", "-n", "-c", "luafile "+script)
	cmd.Dir = dir
	answer := filepath.Join(t.TempDir(), "seen.json")
	cmd.Env = append(os.Environ(), "SIPC_PLUGIN="+plugin, "SIPC_SEEN="+answer, "XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir)
	cmd.Env = append(cmd.Env, env...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	raw, err := os.ReadFile(answer)
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if err := json.Unmarshal(raw, seen); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return strings.TrimSpace(string(said))
}
