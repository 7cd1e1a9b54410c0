package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// laboratory is the folder of the module of experiments, which is not a part of the product.
const laboratory = "lab"

// trials is the folder of the module that tries another one with servers. It is no part of the product, either.
const trials = "dist/temporal/integration"

// A source is a hand-written Go file that is not a test.
type source struct {
	path   string // from the root, with slashes
	text   []byte
	syntax *ast.File
}

func (s *source) folder() string { return path.Dir(s.path) }

// product reports whether s belongs to what users build.
func (s *source) product() bool {
	return !strings.HasPrefix(s.path, laboratory+"/") && !strings.HasPrefix(s.path, trials+"/")
}

// A tree holds the files of a repository that are measured.
type tree struct {
	fset    *token.FileSet
	sources []*source
	pages   []page
}

// A page is a file of Markdown.
type page struct {
	path string
	text string
}

// readTree reads the Go files and pages below root.
func readTree(root string) (*tree, error) {
	t := &tree{fset: token.NewFileSet()}
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if e.IsDir() {
			if rel != "." && skippedFolder(e.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		return t.add(file, rel)
	})
	return t, err
}

func skippedFolder(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata"
}

// add reads a file if it is one of those that are measured.
func (t *tree) add(file, rel string) error {
	isGo := strings.HasSuffix(rel, ".go") && !strings.HasSuffix(rel, "_test.go")
	if !isGo && !isPage(rel) {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !isGo {
		t.pages = append(t.pages, page{rel, string(text)})
		return nil
	}
	syntax, err := parser.ParseFile(t.fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(syntax) || isTestProgram(rel, syntax) || isTestPackage(rel) {
		return nil
	}
	t.sources = append(t.sources, &source{rel, text, syntax})
	return nil
}

// isPage reports whether rel is held to the rules of prose; pages on error codes are messages, with rules of their own.
func isPage(rel string) bool {
	if !strings.HasSuffix(rel, ".md") || strings.HasPrefix(rel, "docs/errors/") {
		return false
	}
	inner := strings.TrimPrefix(rel, laboratory+"/")
	return inner == "README.md" || inner == "CONTRIBUTING.md" || strings.HasPrefix(inner, "docs/")
}

// isTestProgram reports whether a file belongs to a program below a folder named internal, which only tests build.
func isTestProgram(rel string, f *ast.File) bool {
	return f.Name.Name == "main" && slices.Contains(strings.Split(path.Dir(rel), "/"), "internal")
}

// isTestPackage reports whether a file belongs to a package that tests alone import: internal/clitest, internal/pagetest.
func isTestPackage(rel string) bool {
	folder := path.Dir(rel)
	return strings.HasPrefix(folder, "internal/") && strings.HasSuffix(folder, "test")
}

// lineKinds counts the lines of a file.
type lineKinds struct {
	total, code, comment int
}

func (k *lineKinds) add(other lineKinds) {
	k.total += other.total
	k.code += other.code
	k.comment += other.comment
}

// lines counts as comment a line that holds nothing else, and as code every other one that is not blank.
func (s *source) lines(fset *token.FileSet) lineKinds {
	rows := bytes.Split(s.text, []byte("\n"))
	if len(rows[len(rows)-1]) == 0 {
		rows = rows[:len(rows)-1]
	}
	inComment := s.commentText(fset)
	kinds := lineKinds{total: len(rows)}
	for i, row := range rows {
		row = bytes.TrimSpace(row)
		switch {
		case len(row) == 0:
		case inComment[i+1] == len(row):
			kinds.comment++
		default:
			kinds.code++
		}
	}
	return kinds
}

// commentText returns by line how many bytes of it are comment, without the blanks around it.
func (s *source) commentText(fset *token.FileSet) map[int]int {
	out := map[int]int{}
	for _, group := range s.syntax.Comments {
		for _, c := range group.List {
			first := fset.PositionFor(c.Pos(), false).Line
			for i, row := range strings.Split(c.Text, "\n") {
				out[first+i] += len(strings.TrimSpace(row))
			}
		}
	}
	return out
}
