// Package python_test runs the tests of the Python package sipc, builds its wheel, and holds its words to the language's.
package python_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/dataset"
)

// interpreter is Debian's Python, which has what the tests need; a test is skipped where it lacks a module.
func interpreter(t *testing.T, modules ...string) string {
	t.Helper()
	for _, path := range []string{"/usr/bin/python3", "python3"} {
		out, err := exec.CommandContext(t.Context(), path, "-c", "import "+strings.Join(modules, ", ")).CombinedOutput()
		if err == nil {
			return path
		}
		t.Logf("%s: %v %s", path, err, lastLine(out))
	}
	t.Skipf("no Python here has %s; on Debian: apt-get install python3-sklearn python3-pandas python3-pytest python3-venv", strings.Join(modules, ", "))
	return ""
}

// lastLine returns the last line of what a program wrote.
func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// folder holds the program, which is built once.
var folder string

func TestMain(m *testing.M) {
	status := 1
	defer func() { os.Exit(status) }()
	var err error
	if folder, err = os.MkdirTemp("", "sipc-python-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer os.RemoveAll(folder)
	status = m.Run()
}

// program builds the program, unless it is built.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(folder, "sipc")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../cmd/sipc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// The package's own tests, scikit-learn's checks of estimators among them.
func TestPackage(t *testing.T) {
	python := interpreter(t, "numpy", "pandas", "sklearn", "pytest")
	cmd := exec.CommandContext(t.Context(), python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "tests")
	cmd.Env = append(os.Environ(), "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1", "SIPC_BINARY="+program(t), "OPENBLAS_NUM_THREADS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`\d{3,} passed`).Match(out) {
		t.Errorf("fewer than 100 tests were run:\n%s", out)
	}
	t.Log(lastLine(out))
}

// The first program of README, and of docs/python.md, runs offline in a fresh environment, from the wheel alone.
func TestWheelRunsTheFirstProgramOfThePage(t *testing.T) {
	python := interpreter(t, "numpy", "pandas", "venv", "ensurepip")
	dir := t.TempDir()
	platform := runtime.GOOS + "/" + runtime.GOARCH
	wheel := run(t, dir, python, absolute(t, "build_wheel.py"), "--platform", platform, "--binary", program(t), "--out", filepath.Join(dir, "dist"))
	name := filepath.Base(wheel)
	if !regexp.MustCompile(`^sipc-0\.1\.0-py3-none-\w+\.whl$`).MatchString(name) {
		t.Errorf("the wheel is called %s", name)
	}
	env := filepath.Join(dir, "env")
	run(t, dir, python, "-m", "venv", "--system-site-packages", env)
	own := filepath.Join(env, "bin", "python")
	if runtime.GOOS == "windows" {
		own = filepath.Join(env, "Scripts", "python.exe")
	}
	run(t, dir, own, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel)
	lines := firstProgram(t, "../README.md")
	if page := firstProgram(t, "../docs/python.md"); page != lines {
		t.Errorf("README has the program\n%s\nand docs/python.md\n%s", lines, page)
	}
	if n := len(strings.Split(strings.TrimSpace(lines), "\n")); n != 6 {
		t.Errorf("the first program has %d lines", n)
	}
	data, err := os.ReadFile("../examples/houses/houses.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "examples", "houses"), 0o700); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{"examples/houses/houses.csv": data, "first.py": []byte(lines)} {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := run(t, dir, own, "first.py")
	if !strings.Contains(out, "proved, by") || strings.Count(strings.TrimSpace(lastLine([]byte(out))), ".") != 5 {
		t.Errorf("the first program prints\n%s", out)
	}
	where := run(t, dir, own, "-c", "import sipc; print(sipc.program())")
	if !strings.HasPrefix(where, env) {
		t.Errorf("the program is %s", where)
	}
	run(t, dir, own, "-m", "pip", "check", "--disable-pip-version-check")
}

// run runs a program where neither the source tree nor another sipc is found, and returns what it prints.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PYTHONPATH=") && !strings.HasPrefix(v, "SIPC_BINARY=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, errs.String())
	}
	return strings.TrimSpace(string(out))
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// firstProgram returns the first fenced Python of a page.
func firstProgram(t *testing.T, path string) string {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```python\n")
	lines, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatalf("%s has no program", path)
	}
	return lines
}

// The texts that the package takes for gaps are those of the program.
func TestGaps(t *testing.T) {
	source, err := os.ReadFile("sipc/_targets.py")
	if err != nil {
		t.Fatal(err)
	}
	if line := `GAPS = ("` + strings.Join(dataset.GapWords, `", "`) + "\")\n"; !strings.Contains(string(source), line) {
		t.Errorf("the package lacks the line %s", line)
	}
}

// The words that the package quotes are those of the language.
func TestWords(t *testing.T) {
	source, err := os.ReadFile("sipc/_spec.py")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(source), "WORDS = frozenset(\n")
	rest, _, _ = strings.Cut(rest, ".split()")
	var got []string
	for _, m := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(rest, -1) {
		got = append(got, strings.Fields(m[1])...)
	}
	words := dsl.Keywords()
	want := slices.Concat(words.Statements, words.Items, words.Reserved, words.Linking, words.Aggregations, words.Units)
	slices.Sort(got)
	slices.Sort(want)
	if got, want = slices.Compact(got), slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("the package has %q, and the language %q", got, want)
	}
}
