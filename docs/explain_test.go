package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

var (
	specBlock    = regexp.MustCompile("(?s)```inv (\\S+\\.inv)\n(.*?)```\n")
	consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```\n")
	// digest is a SHA-256, which pages leave out: the last digits of a model depend on the machine.
	digest = regexp.MustCompile("[0-9a-f]{64}")
)

// The outputs in data.md, explain.md, language.md, pictures.md and the project's README are those of the program.
func TestConsoles(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "sipc")
	//nolint:gosec // the program is ours
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "../cmd/sipc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	customers, err := filepath.Abs("../cmd/sipc/testdata/newcomer/customers.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(customers, filepath.Join(dir, "customers.csv")); err != nil {
		t.Fatal(err)
	}
	for file, least := range map[string]int{"data.md": 1, "explain.md": 4, "language.md": 2, "pictures.md": 3, "../README.md": 1} {
		console(t, dir, file, least)
	}
	drawn(t, filepath.Join(dir, "pictures", "curve-area.svg"), "proved.svg")
	opening(t, dir)
}

// opening holds the first figures of the project's README to runs of the spec of pictures.md, with and without its statement.
func opening(t *testing.T, dir string) {
	t.Helper()
	spec := pagetest.Read(t, filepath.Join(dir, "homes.inv"))
	require := regexp.MustCompile("(?m)^require.*\n")
	if err := os.WriteFile(filepath.Join(dir, "unproved.inv"), []byte(require.ReplaceAllString(spec, "method risk\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`the RMSE is (\d\.\d{3}), and (\d\.\d{3}) without`).FindStringSubmatch(pagetest.Read(t, "../README.md"))
	if said == nil {
		t.Fatal("README has no RMSE with and without the statement")
	}
	for i, name := range []string{"homes.inv", "unproved.inv"} {
		printed(t, dir, "sipc run "+name+" examples/houses/houses.csv --seed 1 --json > opening.json")
		var report struct{ Metrics struct{ RMSE float64 } }
		if err := json.Unmarshal([]byte(pagetest.Read(t, filepath.Join(dir, "opening.json"))), &report); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%.3f", report.Metrics.RMSE); got != said[i+1] {
			t.Errorf("README says that the RMSE of %s is %s, and it is %s", name, said[i+1], got)
		}
	}
	for line := range strings.Lines(spec) {
		if words := strings.Join(strings.Fields(line), " "); strings.HasPrefix(line, "require") && !strings.Contains(strings.Join(strings.Fields(pagetest.Read(t, "../README.md")), " "), words) {
			t.Errorf("README does not show the line %s", words)
		}
	}
}

// drawn compares a picture that a command of a page made with the one that the page shows, or replaces it.
func drawn(t *testing.T, made, shown string) {
	t.Helper()
	got := pagetest.Read(t, made)
	if *update {
		if err := os.WriteFile(shown, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pagetest.SamePicture(t, "what a command of the page draws", got, pagetest.Read(t, shown))
}

// console compares what a page says that commands print with what they print, or makes it so.
func console(t *testing.T, dir, file string, least int) {
	t.Helper()
	page := pagetest.Read(t, file)
	for _, m := range specBlock.FindAllStringSubmatch(page, -1) {
		if err := os.WriteFile(filepath.Join(dir, m[1]), []byte(m[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := 0
	got := consoleBlock.ReplaceAllStringFunc(page, func(block string) string {
		var b strings.Builder
		for line := range strings.Lines(consoleBlock.FindStringSubmatch(block)[1]) {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue // of what was printed
			}
			commands++
			b.WriteString(line)
			b.WriteString(printed(t, dir, command))
		}
		return "```console\n" + b.String() + "```\n"
	})
	if commands < least {
		t.Errorf("%s: %d commands are run", file, commands)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != page {
		t.Errorf("the page is not what the program prints (go test ./docs -run Consoles -update rewrites it):\n%s", got)
	}
}

// printed is what a command of the page prints, its errors too.
func printed(t *testing.T, dir, command string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-c", command) //nolint:gosec // the commands are those of the page
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "NO_COLOR=1")
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState.ExitCode() > 2 {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return digest.ReplaceAllString(string(out), "…")
}
