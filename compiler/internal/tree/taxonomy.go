package tree

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// A Taxonomy is a list of edges child → parent, by name. Its names become labels when there are
// data, and nodes between them that are not labels are passed over. The same file serves data sets
// with different labels.
type Taxonomy struct {
	File    string
	Place   diag.Span
	OfData  bool // the hierarchy that the data carry
	edges   []namedEdge
	indices bool                // the names are label numbers
	aliases map[string][]string // other names of a term of an OBO file, whose edges have its id
}

// A namedEdge is a relation as the file has it, before names are labels.
type namedEdge struct{ child, parent string }

// ParseTaxonomy reads CSV with the header child,parent, OBO, or lines `parent child`. Which of them a
// file is, its content tells. An error says the line.
func ParseTaxonomy(content []byte) (*Taxonomy, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if bytes.Contains(content, []byte("[Term]")) {
		return parseOBO(string(content))
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(content)), "\n")
	if strings.Contains(first, ",") {
		return parseTaxonomyCSV(content)
	}
	return parseTaxonomyLines(content)
}

// parseTaxonomyCSV reads lines child,parent below their header.
func parseTaxonomyCSV(content []byte) (*Taxonomy, error) {
	r := csv.NewReader(bytes.NewReader(content))
	r.TrimLeadingSpace = true
	r.Comment = '#'
	header, err := r.Read()
	if err != nil {
		return nil, err
	}
	child, parent := -1, -1
	for i, h := range header {
		switch strings.ToLower(strings.TrimSpace(h)) {
		case "child":
			child = i
		case "parent":
			parent = i
		}
	}
	if child < 0 || parent < 0 {
		return nil, fmt.Errorf("its first line is %q, not child,parent", strings.Join(header, ","))
	}
	t := &Taxonomy{}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t.checked()
		}
		if err != nil {
			return nil, err
		}
		t.edges = append(t.edges, namedEdge{strings.TrimSpace(row[child]), strings.TrimSpace(row[parent])})
	}
}

// parseTaxonomyLines reads `parent child`, as files of hierarchical benchmarks have it. Where every
// name is a whole number, the names are label numbers.
func parseTaxonomyLines(content []byte) (*Taxonomy, error) {
	t := &Taxonomy{indices: true}
	lines := bufio.NewScanner(bytes.NewReader(content))
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %d holds %d words, not parent and child", n, len(fields))
		}
		for _, f := range fields {
			if _, err := strconv.Atoi(f); err != nil {
				t.indices = false
			}
		}
		t.edges = append(t.edges, namedEdge{child: fields[1], parent: fields[0]})
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return t.checked()
}

// parseOBO reads the is_a relations of the terms of an OBO file, the format of the Gene Ontology. A
// label may be a term's id, its name or an old id of it. Obsolete terms relate to nothing.
func parseOBO(content string) (*Taxonomy, error) {
	t := &Taxonomy{aliases: map[string][]string{}}
	for _, term := range strings.Split("\n"+content, "\n[Term]")[1:] {
		term, _, _ = strings.Cut(term, "\n[") // stanzas of other kinds
		tags := map[string][]string{}
		for line := range strings.Lines(term) {
			key, val, _ := strings.Cut(strings.TrimSpace(line), ":")
			val, _, _ = strings.Cut(val, " !") // a comment
			tags[key] = append(tags[key], strings.TrimSpace(val))
		}
		id := strings.Join(tags["id"], " ")
		t.aliases[id] = slices.Concat(tags["name"], tags["alt_id"])
		if slices.Contains(tags["is_obsolete"], "true") {
			continue
		}
		for _, parent := range tags["is_a"] {
			t.edges = append(t.edges, namedEdge{id, parent})
		}
	}
	return t.checked()
}

// checked returns the taxonomy, or an error if it has no relation or one without a name.
func (t *Taxonomy) checked() (*Taxonomy, error) {
	if len(t.edges) == 0 {
		return nil, errors.New("it holds no relation")
	}
	for _, e := range t.edges {
		if e.child == "" || e.parent == "" {
			return nil, fmt.Errorf("a relation between %q and %q lacks a name", e.child, e.parent)
		}
	}
	return t, nil
}

// Resolve makes label indices of the names. A node that is not a label is passed over: its children go
// to its parents, by the transitivity of implication. The names that are not labels come back in the
// order of the file. A node that was visited is not visited again, as a diamond of n layers has 2ⁿ
// ways up.
func (t *Taxonomy) Resolve(labels []string) (edges []plugins.Edge, missing []string) {
	find := t.finder(labels)
	parents := map[string][]string{}
	var order []string
	seenMissing := map[string]bool{}
	for _, e := range t.edges {
		if parents[e.child] == nil {
			order = append(order, e.child)
		}
		parents[e.child] = append(parents[e.child], e.parent)
		for _, name := range []string{e.child, e.parent} {
			if _, ok := find(name); !ok && !seenMissing[name] {
				seenMissing[name] = true
				missing = append(missing, name)
			}
		}
	}
	seen := map[plugins.Edge]bool{}
	for _, child := range order {
		c, ok := find(child)
		if !ok {
			continue
		}
		visited := map[string]bool{child: true}
		var up func(name string)
		up = func(name string) {
			for _, parent := range parents[name] {
				if visited[parent] {
					continue
				}
				visited[parent] = true
				q, ok := find(parent)
				if !ok {
					up(parent)
					continue
				}
				if e := (plugins.Edge{Child: c, Parent: q}); !seen[e] {
					seen[e] = true
					edges = append(edges, e)
				}
			}
		}
		up(child)
	}
	return edges, missing
}

// Circle returns a circle of the relations, its first name again at the end; empty where they have
// none. What is called its own parent says nothing, and is passed over.
func (t *Taxonomy) Circle() string {
	number := map[string]int32{}
	var names []string
	edges := make([]plugins.Edge, 0, len(t.edges))
	of := func(name string) int32 {
		n, ok := number[name]
		if !ok {
			n = int32(len(names))
			number[name], names = n, append(names, name)
		}
		return n
	}
	for _, e := range t.edges {
		if e.child != e.parent {
			edges = append(edges, plugins.Edge{Child: of(e.child), Parent: of(e.parent)})
		}
	}
	return CircleOf(edges, names)
}

// CircleOf returns a circle of relations between names, found by depth-first search. It is empty
// where there is none: the relations are then a partial order. The search keeps its path itself,
// since a chain of relations may be longer than the stack allows.
func CircleOf(edges []plugins.Edge, names []string) string {
	parents := make([][]int32, len(names))
	for _, e := range edges {
		parents[e.Child] = append(parents[e.Child], e.Parent)
	}
	next, onPath := make([]int, len(names)), make([]bool, len(names))
	for root := range names {
		path := []int32{int32(root)}
		for len(path) > 0 {
			c := path[len(path)-1]
			onPath[c] = true
			if next[c] == len(parents[c]) {
				onPath[c] = false
				path = path[:len(path)-1]
				continue
			}
			p := parents[c][next[c]]
			next[c]++
			if onPath[p] {
				return wayAround(append(path[slices.Index(path, p):], p), names)
			}
			path = append(path, p)
		}
	}
	return ""
}

// wayAround names what a circle passes, the middle of a long one left out.
func wayAround(circle []int32, names []string) string {
	const first, last = 5, 4
	parts := Each(circle, func(c int32) string { return names[c] })
	if len(parts) > first+last+1 {
		parts = slices.Replace(parts, first, len(parts)-last, "…")
	}
	return strings.Join(parts, " → ")
}

// finder looks names up among the labels.
func (t *Taxonomy) finder(labels []string) func(string) (int32, bool) {
	index := make(map[string]int32, len(labels))
	for i, l := range labels {
		if _, taken := index[l]; !taken {
			index[l] = int32(i)
		}
	}
	return func(name string) (int32, bool) {
		if t.indices {
			i, err := strconv.Atoi(name)
			return int32(i), err == nil && i >= 0 && i < len(labels)
		}
		for _, name := range append([]string{name}, t.aliases[name]...) {
			if i, ok := index[name]; ok {
				return i, true
			}
		}
		return 0, false
	}
}

// Circular says that a taxonomy goes in a circle.
func Circular(taxonomy, around string) *diag.Diagnostic {
	return &diag.Diagnostic{
		Code: codes.WrongTaxonomy, Summary: fmt.Sprintf("%s goes in a circle: %s", taxonomy, around),
		Detail: "Of labels in a circle each implies each other, so that all would be the same.", Mend: "Remove one of these relations.",
	}
}
