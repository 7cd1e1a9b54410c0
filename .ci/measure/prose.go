package main

import (
	"fmt"
	"go/ast"
	"io"
	"path"
	"slices"
	"strings"
)

// The rules of prose.
const (
	ruleVerb   = "begins with no verb after the name (returns, reports, …)"
	ruleLength = "words in a sentence"
)

const mostWords = 25

// The names of the measures that sum up each rule's faults.
const (
	measureVerb   = "verb"
	measureLength = "sentences"
)

// A fault is a passage that breaks a rule of prose.
type fault struct {
	path   string
	line   int
	rule   string
	words  int
	text   string
	folder string
}

// faultCounts are how often a folder breaks each rule.
type faultCounts struct {
	verb, length int
}

// proseFaults reads all comments on declarations and all pages.
func (t *tree) proseFaults() []fault {
	var out []fault
	for _, s := range t.sources {
		out = append(out, t.commentFaults(s)...)
	}
	for _, p := range t.pages {
		lines := strings.Split(p.text, "\n")
		rows := make([]row, len(lines))
		for i, text := range lines {
			rows[i] = row{i + 1, text}
		}
		for _, f := range longSentences(paragraphs(rows, markdown)) {
			f.path, f.folder = p.path, path.Dir(p.path)
			out = append(out, f)
		}
	}
	return out
}

// commentFaults returns the faults of a file's comments in their order.
func (t *tree) commentFaults(s *source) []fault {
	var out []fault
	add := func(faults ...fault) {
		for _, f := range faults {
			f.path, f.folder = s.path, s.folder()
			out = append(out, f)
		}
	}
	for _, group := range declarationComments(s.syntax) {
		add(longSentences(paragraphs(t.rows(group), goComment))...)
	}
	for _, d := range s.syntax.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil && !startsWithVerb(f.Name.Name, f.Doc.Text()) {
			first, _, _ := strings.Cut(f.Doc.Text(), "\n")
			add(fault{line: t.fset.Position(f.Doc.Pos()).Line, rule: ruleVerb, text: first})
		}
	}
	slices.SortStableFunc(out, func(a, b fault) int { return a.line - b.line })
	return out
}

// declarationComments returns the comments on a file's package and on what it declares, fields and methods of
// interfaces with it.
func declarationComments(f *ast.File) []*ast.CommentGroup {
	var out []*ast.CommentGroup
	add := func(groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if g != nil {
				out = append(out, g)
			}
		}
	}
	add(f.Doc)
	for _, d := range f.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			add(f.Doc)
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				add(n.Doc)
			case *ast.TypeSpec:
				add(n.Doc, n.Comment)
			case *ast.ValueSpec:
				add(n.Doc, n.Comment)
			case *ast.Field:
				add(n.Doc, n.Comment)
			case *ast.FuncLit:
				return false
			}
			return true
		})
	}
	return out
}

// rows returns the lines of a comment without its marks; directives are left out.
func (t *tree) rows(group *ast.CommentGroup) []row {
	var out []row
	for _, c := range group.List {
		first := t.fset.Position(c.Pos()).Line
		if text, ok := strings.CutPrefix(c.Text, "//"); ok {
			if text == "" || text[0] == ' ' || text[0] == '\t' {
				out = append(out, row{first, strings.TrimPrefix(text, " ")})
			}
			continue
		}
		text := strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/")
		for i, line := range strings.Split(text, "\n") {
			out = append(out, row{first + i, strings.TrimPrefix(line, " ")})
		}
	}
	return out
}

func longSentences(all []paragraph) []fault {
	var out []fault
	for _, p := range all {
		for _, s := range sentences(p) {
			if s.words > mostWords {
				out = append(out, fault{line: s.line, rule: ruleLength, words: s.words, text: s.text})
			}
		}
	}
	return out
}

func countFaults(faults []fault) map[string]faultCounts {
	out := map[string]faultCounts{}
	for _, f := range faults {
		c := out[f.folder]
		if f.rule == ruleVerb {
			c.verb++
		} else {
			c.length++
		}
		out[f.folder] = c
	}
	return out
}

func sum(counts map[string]faultCounts) faultCounts {
	var out faultCounts
	for _, c := range counts {
		out.verb += c.verb
		out.length += c.length
	}
	return out
}

// inFolders returns the faults of some folders or files, or all if none is given.
func inFolders(faults []fault, folders []string) []fault {
	var out []fault
	for _, f := range faults {
		if len(folders) == 0 || slices.Contains(folders, f.folder) || slices.Contains(folders, f.path) {
			out = append(out, f)
		}
	}
	return out
}

func printFaults(out io.Writer, faults []fault) {
	for _, f := range faults {
		rule := f.rule
		if f.words > 0 {
			rule = fmt.Sprintf("%d %s", f.words, rule)
		}
		fmt.Fprintf(out, "%s:%d: %s: %s\n", f.path, f.line, rule, f.text)
	}
}

// proseMeasures sums up the faults of all folders.
func proseMeasures(faults []fault) []measure {
	verb := measure{name: measureVerb, title: "function comments without a verb"}
	length := measure{name: measureLength, title: fmt.Sprintf("sentences over %d words", mostWords)}
	total := sum(countFaults(faults))
	verb.value, length.value = float64(total.verb), float64(total.length)
	return []measure{verb, length}
}
