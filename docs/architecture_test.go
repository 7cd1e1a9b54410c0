package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
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
func TestPackages(t *testing.T) {
	listed := map[string]bool{}
	for _, row := range pagetest.Rows(t, pagetest.Read(t, "packages.md"), "| folder | what it knows | what it imports of ours |") {
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

// The chain's functions are exported by the packages that it names, take what it says, and give what it says: as a result, or to the function
// that is handed over last.
func TestChain(t *testing.T) {
	rows := pagetest.Rows(t, pagetest.Read(t, "architecture.md"), "| step | function | takes | gives |")
	for _, row := range rows {
		name := strings.Trim(row[1], "`")
		f, own := exported(t, name)
		if f == nil {
			t.Errorf("there is no function %s", name)
			continue
		}
		if takes := strings.Trim(row[2], "`"); !slices.Contains(typesOf(f.Params, own), takes) {
			t.Errorf("%s takes %q, not %s", name, typesOf(f.Params, own), takes)
		}
		gives := typesOf(f.Results, own)
		if last := f.Params.List[len(f.Params.List)-1]; last != nil {
			if emit, ok := last.Type.(*ast.FuncType); ok {
				gives = append(gives, typesOf(emit.Params, own)...)
			}
		}
		if want := strings.Trim(row[3], "`"); !slices.Contains(gives, want) {
			t.Errorf("%s gives %q, not %s", name, gives, want)
		}
	}
	if len(rows) < 12 {
		t.Errorf("the chain has %d steps", len(rows))
	}
}

// The page fits a screen.
func TestArchitectureFitsAScreen(t *testing.T) {
	if n := strings.Count(pagetest.Read(t, "architecture.md"), "\n"); n > 60 {
		t.Errorf("%d lines", n)
	}
}

// exported returns the type of an exported function or method, named as in another package, and the name of its package.
func exported(t *testing.T, name string) (f *ast.FuncType, own string) {
	t.Helper()
	parts := strings.Split(name, ".")
	own = parts[0]
	var folder string
	for _, p := range packages(t) {
		if path.Base(p) == own && !strings.Contains(p, "internal") {
			folder = p
		}
	}
	for _, file := range sources(t, folder) {
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range syntax.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Name.Name != parts[len(parts)-1] || (d.Recv == nil) != (len(parts) == 2) {
				continue
			}
			if d.Recv == nil || strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") == parts[1] {
				return d.Type, own
			}
		}
	}
	return nil, own
}

var bare = regexp.MustCompile(`^(\*?)([A-Z]\w*)$`)

// typesOf returns the types of parameters or results as another package writes them.
func typesOf(list *ast.FieldList, own string) []string {
	var out []string
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		out = append(out, bare.ReplaceAllString(types.ExprString(field.Type), "${1}"+own+".${2}"))
	}
	return out
}

// Files that the pages name are there.
func TestFilesThatPagesName(t *testing.T) {
	file := regexp.MustCompile("`([a-z_/]+/[a-z_]+\\.go|[a-z_]+\\.go)`")
	count := 0
	for _, page := range []string{"../CONTRIBUTING.md", "architecture.md", "packages.md"} {
		for _, m := range file.FindAllStringSubmatch(pagetest.Read(t, page), -1) {
			count++
			if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
				t.Errorf("%s names %s: %v", page, m[1], err)
			}
		}
	}
	if count < 20 {
		t.Errorf("the pages name %d files", count)
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
	for _, page := range append(pages, "../examples/README.md", "../examples/gallery/README.md", "../CONTRIBUTING.md") {
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
