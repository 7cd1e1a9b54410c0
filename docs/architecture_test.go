package docs_test

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

const module = "github.com/sipc-ml/sipc"

var quoted = regexp.MustCompile("`([^`]+)`")

// The table of folders says of each what it imports, and lacks none.
func TestArchitecture(t *testing.T) {
	listed := map[string]bool{}
	for _, row := range pagetest.Rows(t, pagetest.Read(t, "architecture.md"), "| folder | what it knows | what it imports of ours |") {
		var want []string
		for _, m := range quoted.FindAllStringSubmatch(row[2], -1) {
			want = append(want, m[1])
		}
		if len(want) == 0 && row[2] != "nothing" && row[2] != "everything" {
			t.Errorf("%s imports %q", row[0], row[2])
		}
		slices.Sort(want)
		for _, m := range quoted.FindAllStringSubmatch(row[0], -1) {
			listed[m[1]] = true
			if got := imports(t, m[1]); row[2] != "everything" && !slices.Equal(got, want) {
				t.Errorf("%s imports %q, and the table says %q", m[1], got, want)
			}
		}
	}
	for _, folder := range packages(t) {
		program := strings.HasPrefix(path.Base(folder), "sipc-family-")
		if !listed[folder] && !program {
			t.Errorf("the table lacks %s", folder)
		}
	}
}

// packages are the folders of the module that hold packages.
func packages(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir("..", func(dir string, e os.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		name := e.Name()
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); dir != ".." && (err == nil || strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		folder, err := filepath.Rel("..", dir)
		if err == nil && len(sources(t, folder)) > 0 {
			out = append(out, filepath.ToSlash(folder))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sources are the Go files of a folder but tests.
func sources(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(f string) bool {
		return strings.HasSuffix(f, "_test.go") || filepath.Base(f) == "deps.go"
	})
}

// imports are the folders of this module that a folder's package imports, sorted.
func imports(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	for _, name := range sources(t, folder) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			rest, ok := strings.CutPrefix(p, module)
			if !ok {
				continue
			}
			if rest = strings.TrimPrefix(rest, "/"); rest == "" {
				rest = "."
			}
			if !slices.Contains(out, rest) {
				out = append(out, rest)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Links between the pages lead somewhere.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../examples/README.md", "../CONTRIBUTING.md") {
		text := pagetest.Read(t, page)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := text
			if m[1] != "" {
				if strings.Contains(m[1], "://") {
					continue
				}
				content, err := os.ReadFile(filepath.Join(filepath.Dir(page), m[1]))
				info, dirErr := os.Stat(filepath.Join(filepath.Dir(page), m[1]))
				if err != nil && (dirErr != nil || !info.IsDir()) {
					t.Errorf("%s: %v", page, err)
				}
				target = string(content)
			}
			if m[2] != "" && !slices.Contains(anchors(target), m[2]) {
				t.Errorf("%s: there is no heading %s", page, m[2])
			}
		}
	}
}

// anchors are the links that a page's headings make.
func anchors(page string) []string {
	var out []string
	for line := range strings.Lines(page) {
		if heading, ok := strings.CutPrefix(line, "#"); ok {
			heading = strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#")))
			heading = regexp.MustCompile(`[^\p{L}\p{N} -]`).ReplaceAllString(heading, "")
			out = append(out, "#"+strings.ReplaceAll(heading, " ", "-"))
		}
	}
	return out
}
