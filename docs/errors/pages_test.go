package pages_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl/diag"

	sipc "github.com/sipc-ml/sipc"
	pages "github.com/sipc-ml/sipc/docs/errors"
)

var update = flag.Bool("update", false, "write what the program says of the wrong examples, and the list of pages")

// sources are where codes are declared.
var sources = []string{"../../dsl/codes.go", "../../compiler/codes/codes.go", "../../runtime/dataset/error.go"}

// Every code has a page, and every page is of a code.
func TestEveryCodeHasAPage(t *testing.T) {
	declared := map[diag.Code]bool{}
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`= "([EW]\d{3})"`).FindAllSubmatch(text, -1) {
			declared[diag.Code(m[1])] = true
		}
	}
	want := slices.Sorted(maps.Keys(declared))
	if len(want) < 100 || !slices.Equal(want, pages.Codes()) {
		t.Errorf("there are pages of\n%v\nand the codes are\n%v", pages.Codes(), want)
	}
	for _, code := range want {
		file := filepath.Base(diag.Page(code))
		if _, err := os.Stat(file); err != nil || file != string(code)+".md" {
			t.Errorf("diagnostics of %s name the page %s: %v", code, diag.Page(code), err)
		}
	}
	if _, ok := pages.Page("E999"); ok {
		t.Error("E999 has a page")
	}
}

// Every page is laid out alike.
func TestPagesAreWhole(t *testing.T) {
	for _, code := range pages.Codes() {
		page, _ := pages.Page(code)
		why := "Why it is refused"
		if code[0] == 'W' {
			why = "Why it is worth a warning"
		}
		if got, want := headings(page), []string{why, "Wrong", "Right", "How to mend it"}; !slices.Equal(got, want) {
			t.Errorf("%s has the sections %q", code, got)
		}
		if !strings.HasPrefix(page, "# "+string(code)+": ") || len(title(page)) < 10 {
			t.Errorf("%s: the heading is %q", code, title(page))
		}
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)[^)]*\)`).FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s: %v", code, err)
			}
		}
	}
}

// The wrong example of every page yields exactly its code, and the program says of it what the page shows. The right one yields
// nothing.
func TestExamplesOfPages(t *testing.T) {
	for _, code := range pages.Codes() {
		t.Run(string(code), func(t *testing.T) {
			page, _ := pages.Page(code)
			wrong := example(t, section(t, page, "Wrong"))
			right := example(t, section(t, page, "Right")).withFiles(wrong)
			before, list := run(t, wrong)
			var codes []diag.Code
			for _, d := range list {
				codes = append(codes, d.Code)
			}
			if !slices.Equal(codes, []diag.Code{code}) {
				t.Errorf("the wrong example yields\n%v", list)
			}
			if list.HasErrors() != (code[0] == 'E') {
				t.Errorf("%s is of severity %s", code, list[0].Severity)
			}
			shown(t, code, page, wrong.output, before)
			if text, list := run(t, right); len(list) != 0 {
				t.Errorf("the right example yields\n%s", text)
			}
		})
	}
}

// shown compares what a page shows with what the program says, or makes it so.
func shown(t *testing.T, code diag.Code, page, on, said string) {
	t.Helper()
	if on == said {
		return
	}
	if !*update {
		t.Errorf("the page shows\n%s\nand the program says\n%s\nrun go test ./docs/errors -update", on, said)
		return
	}
	page = strings.Replace(page, "```text\n"+on+"```", "```text\n"+said+"```", 1)
	if err := os.WriteFile(filepath.Join(home(t), string(code)+".md"), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
}

// homeFolder is the folder of the pages, whatever the folder is now.
var homeFolder, errHome = os.Getwd()

func home(t *testing.T) string {
	t.Helper()
	if errHome != nil {
		t.Fatal(errHome)
	}
	return homeFolder
}

// run does what an example's commands say, in a folder that holds its files alone. It gives what the program says, and the
// diagnostics.
func run(t *testing.T, s side) (string, diag.List) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("SIPC_TRUST", t.TempDir())
	files := maps.Clone(s.files)
	files["spec.inv"] = s.spec
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var list diag.List
	switch {
	case s.snippet != "":
		list = checkWithFamily(t, s)
	case len(s.commands) == 0:
		list = command(t, "sipc check spec.inv")
	}
	for _, c := range s.commands {
		list = append(list, command(t, c)...)
	}
	var b strings.Builder
	if err := diag.Render(&b, list, diag.Sources{"spec.inv": []byte(s.spec)}, diag.RenderOptions{Width: 128}); err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`(?m)^ *page: .*\n`).ReplaceAllString(b.String(), "")
	return strings.ReplaceAll(said, "\uFFFD", "?"), list
}

// command does what one line says.
func command(t *testing.T, line string) diag.List {
	t.Helper()
	words := strings.Fields(line)
	switch {
	case strings.HasPrefix(line, "go build -o ") && len(words) == 5:
		build(t, words[3], words[4])
		return nil
	case strings.HasPrefix(line, "sipc plugin add "):
		if _, err := sipc.AddPlugin(t.Context(), words[3], sipc.AddOptions{}); err != nil {
			t.Fatal(err)
		}
		return nil
	case strings.HasPrefix(line, "sipc check spec.inv"):
		set := map[string]string{}
		if name, value, ok := strings.Cut(flagOf(words, "--set"), "="); ok {
			set[name] = value
		}
		return load(t, set).Diagnostics
	case strings.HasPrefix(line, "sipc run spec.inv ") && len(words) > 3:
		return ran(t, words)
	}
	t.Fatalf("what is %q?", line)
	return nil
}

func load(t *testing.T, set map[string]string) *sipc.Spec {
	t.Helper()
	spec, err := sipc.LoadSpec(t.Context(), "spec.inv", sipc.SpecOptions{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spec.Close() })
	return spec
}

// ran is what a run warns of, or fails by.
func ran(t *testing.T, words []string) diag.List {
	t.Helper()
	spec := load(t, nil)
	if err := spec.Err(); err != nil {
		t.Fatalf("without data:\n%v", err)
	}
	out, err := spec.Explain(t.Context(), sipc.ExplainOptions{Data: words[3], Test: flagOf(words, "--test")})
	var (
		refused *sipc.SpecError
		data    *sipc.DataError
	)
	switch {
	case errors.As(err, &refused):
		return refused.Diagnostics
	case errors.As(err, &data):
		return diag.List{data.Diagnostic}
	case err != nil:
		t.Fatal(err)
	case len(out.Warnings) > 0:
		return out.Warnings
	}
	return fitted(t, spec, sipc.RunOptions{Data: words[3], Test: flagOf(words, "--test"), Strict: slices.Contains(words, "--strict")})
}

// fitted is what a run warns of after it has fitted, or fails by then.
func fitted(t *testing.T, spec *sipc.Spec, o sipc.RunOptions) diag.List {
	t.Helper()
	var list diag.List
	o.Warn = list.Add
	_, err := sipc.Run(t.Context(), spec, o)
	if data := new(sipc.DataError); errors.As(err, &data) {
		return diag.List{data.Diagnostic}
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// build compiles a program of this module.
func build(t *testing.T, name, program string) {
	t.Helper()
	to, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", to, program)
	cmd.Dir = home(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// The list of pages is that of the codes, by their blocks.
func TestList(t *testing.T) {
	const begin, end = "<!-- pages: this list is generated; go test ./docs/errors -update -->\n", "<!-- end of pages -->"
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatal("README.md has no list of pages")
	}
	var b strings.Builder
	b.WriteString("| code | when |\n|---|---|\n")
	for _, code := range pages.Codes() {
		page, _ := pages.Page(code)
		fmt.Fprintf(&b, "| [%[1]s](%[1]s.md) | %s |\n", code, strings.ReplaceAll(title(page), "|", `\|`))
	}
	if got == b.String() {
		return
	}
	if !*update {
		t.Errorf("the list of pages is stale; run go test ./docs/errors -update")
		return
	}
	if err := os.WriteFile("README.md", []byte(before+begin+b.String()+end+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// title returns the subject of a page: its heading without the code.
func title(page string) string {
	heading, _, _ := strings.Cut(page, "\n")
	_, title, _ := strings.Cut(heading, ": ")
	return title
}
