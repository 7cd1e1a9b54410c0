package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A hierarchy says what lies directly above the labels of an ARFF class attribute: above[k] are positions of labels,
// empty if nothing lies above label k.
type hierarchy struct {
	above [][]int32
	// marked is where the codes of the row that last took a label begin, plus one.
	marked []int
}

// mostLevels bounds the levels of a path of classes: each level is a label, whose name holds those of all above it.
const mostLevels = 256

// mostShownNames is how many names of a circle an error shows.
const mostShownNames = 12

// topName is the name that pairs give to the top of a graph, which is not a label.
const topName = "root"

// classes reads the labels of a hierarchical attribute, in either of the two published forms. These are paths a, a/b,
// a/b/c of a tree, or pairs root/a, a/b, a/c, b/d, c/d, parent first, of a directed graph without cycles, as for the
// Gene Ontology.
func (r *arff) classes(name, list string) error {
	entries := strings.Split(list, ",")
	for k, entry := range entries {
		entry = strings.TrimSpace(entry)
		if levels := strings.Count(entry, "/") + 1; levels > mostLevels {
			return r.fail(CodeHeader, name, fmt.Sprintf("%q is a path of %d levels, and there may be %d", cutShort(entry), levels, mostLevels),
				"write a,a/b,a/b/c; a deeper hierarchy as pairs parent/child: "+topName+"/a,a/b,b/c")
		}
		if !isPath(entry) {
			return r.fail(CodeHeader, name, fmt.Sprintf("%q is not a path of classes", cutShort(entry)), "write a,a/b,a/b/c")
		}
		entries[k] = entry
	}
	r.t.labels, r.t.hierarchy = newLabelSets(), &hierarchy{}
	pairs, doubtful := arePairs(entries)
	switch {
	case doubtful != "":
		return r.fail(CodeHeader, name, fmt.Sprintf("the classes are either paths of a tree or pairs parent/child of a graph: %q stands both before and behind a slash, "+
			"and no pair says what lies at the top", doubtful),
			fmt.Sprintf("for pairs name the top: %s/a,a/b; for paths list the classes at the top by themselves: a,a/b", topName))
	case !pairs:
		for _, path := range entries {
			r.t.labelPath(path)
		}
		return nil
	}
	for _, pair := range entries {
		r.t.labelPair(pair)
	}
	if circle := r.t.circle(); circle != "" {
		return r.fail(CodeHeader, name, "the classes go in a circle: "+circle, "remove one of these pairs")
	}
	return nil
}

// isPath reports whether a text is names joined by slashes.
func isPath(path string) bool { return !slices.Contains(strings.Split(path, "/"), "") }

// arePairs reports whether entries are pairs parent/child: all have two names, and some begin at the top. Where all have two names
// and none begins there, a name that is both a parent and a child is doubtful.
func arePairs(entries []string) (pairs bool, doubtful string) {
	parents, children := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		parent, child, ok := strings.Cut(e, "/")
		if !ok || strings.Contains(child, "/") {
			return false, ""
		}
		parents[parent], children[child] = true, true
	}
	if parents[topName] {
		return true, ""
	}
	for _, e := range entries {
		if parent, _, _ := strings.Cut(e, "/"); children[parent] {
			return false, parent
		}
	}
	return false, ""
}

// label returns the position of a label, which it adds if it is new.
func (t *Table) label(name string) int32 {
	if code, ok := t.labels.index[name]; ok {
		return code
	}
	name = strings.Clone(name)
	code := int32(len(t.labels.names))
	t.labels.names, t.labels.index[name] = append(t.labels.names, name), code
	t.hierarchy.above = append(t.hierarchy.above, nil)
	return code
}

// labelPath makes a path's label, with all above it that are new, from the top down.
func (t *Table) labelPath(path string) {
	var above []int32
	for end := range len(path) + 1 {
		if end < len(path) && path[end] != '/' {
			continue
		}
		code, known := t.labels.index[path[:end]]
		if !known {
			code = t.label(path[:end])
			t.hierarchy.above[code] = above
		}
		above = []int32{code}
	}
}

// labelPair makes the labels of a pair, and puts the parent above the child.
func (t *Table) labelPair(pair string) {
	parent, child, _ := strings.Cut(pair, "/")
	if parent == topName {
		t.label(child)
		return
	}
	p := t.label(parent)
	c := t.label(child)
	if !slices.Contains(t.hierarchy.above[c], p) {
		t.hierarchy.above[c] = append(t.hierarchy.above[c], p)
	}
}

// circle returns a circle of the hierarchy in words, empty if there is no circle.
func (t *Table) circle() string {
	found := circleAmong(t.hierarchy.above)
	names := make([]string, 0, len(found))
	for i := range found {
		names = append(names, t.labels.names[found[len(found)-1-i]])
	}
	if len(names) > mostShownNames {
		names = append(append(names[:mostShownNames-2:mostShownNames-2], "…"), names[len(names)-1])
	}
	return strings.Join(names, "/")
}

// circleAmong returns a path along above that ends where it begins; nil if there is no such path.
func circleAmong(above [][]int32) []int32 {
	var path []int32
	open, done := make([]bool, len(above)), make([]bool, len(above))
	var closes func(k int32) bool
	closes = func(k int32) bool {
		if done[k] {
			return false
		}
		path = append(path, k)
		if open[k] {
			return true
		}
		open[k] = true
		if slices.ContainsFunc(above[k], closes) {
			return true
		}
		open[k], done[k], path = false, true, path[:len(path)-1]
		return false
	}
	for k := range above {
		if closes(int32(k)) {
			return path[slices.Index(path, path[len(path)-1]):]
		}
	}
	return nil
}

// labels adds the labels of a row: those that it names and all above them, ascending.
func (r *arff) labels(name, cell string) error {
	set := r.t.labels
	begin := len(set.code)
	if cell != "?" && cell != "" {
		for _, path := range strings.Split(cell, "@") {
			code, ok := set.index[path]
			if !ok {
				return r.fail(CodeLabels, name, fmt.Sprintf("the class %q is not declared", cutShort(path)), "add it to the attribute's list")
			}
			r.t.climb(code, begin)
		}
	}
	slices.Sort(set.code[begin:])
	set.end()
	return nil
}

// climb adds a label and all above it to those of a row, which begin at begin.
func (t *Table) climb(code int32, begin int) {
	h := t.hierarchy
	if h.marked == nil {
		h.marked = make([]int, len(h.above))
	}
	for wait := []int32{code}; len(wait) > 0; {
		a := wait[len(wait)-1]
		wait = wait[:len(wait)-1]
		if h.marked[a] == begin+1 {
			continue
		}
		h.marked[a] = begin + 1
		t.labels.code = append(t.labels.code, a)
		wait = append(wait, h.above[a]...)
	}
}

// Taxonomy returns the hierarchy of the set's labels that its file declares, as positions in LabelNames: child[k]
// lies directly under parent[k]. It passes over labels that are not among them. It is empty if the file declares no
// hierarchy.
func (s *Set) Taxonomy() (child, parent []int32) {
	if s.table.hierarchy == nil || s.Task != setting.Multilabel {
		return nil, nil
	}
	position := indexNames(s.LabelNames)
	for k, name := range s.LabelNames {
		code, ok := s.table.labels.index[name]
		if !ok {
			continue
		}
		for _, at := range s.table.nearest(code, position) {
			child, parent = append(child, int32(k)), append(parent, at)
		}
	}
	return child, parent
}

// isOntologyTop reports whether a label is a top of the Gene Ontology, with its colon or without.
func isOntologyTop(name string) bool {
	switch strings.Replace(name, ":", "", 1) {
	case "GO0003674", "GO0005575", "GO0008150":
		return true
	}
	return false
}

// Roots says which labels are tops of an ontology. These are the three of the Gene Ontology, and a label called root
// that lies above others and below none. Nearly every row has them. It is nil if there is no such label.
func (s *Set) Roots() []bool {
	if s.Task != setting.Multilabel {
		return nil
	}
	var roots []bool
	for k, name := range s.LabelNames {
		if !isOntologyTop(name) && (name != topName || !s.table.isTop(name)) {
			continue
		}
		if roots == nil {
			roots = make([]bool, len(s.LabelNames))
		}
		roots[k] = true
	}
	return roots
}

// isTop reports whether a label lies above others, and below none.
func (t *Table) isTop(name string) bool {
	if t == nil || t.hierarchy == nil {
		return false
	}
	code, ok := t.labels.index[name]
	return ok && len(t.hierarchy.above[code]) == 0 &&
		slices.ContainsFunc(t.hierarchy.above, func(above []int32) bool { return slices.Contains(above, code) })
}

// RootNames returns the names of the labels that Roots says.
func (s *Set) RootNames() []string {
	var names []string
	for k, root := range s.Roots() {
		if root {
			names = append(names, s.LabelNames[k])
		}
	}
	return names
}

// nearest returns the positions of the labels above one, each once. A label without a position is replaced by those
// above it.
func (t *Table) nearest(code int32, position map[string]int) []int32 {
	var found []int32
	seen := map[int32]bool{}
	for wait := t.hierarchy.above[code]; len(wait) > 0; {
		a := wait[0]
		wait = wait[1:]
		if seen[a] {
			continue
		}
		seen[a] = true
		if at, known := position[t.labels.names[a]]; known {
			found = append(found, int32(at))
		} else {
			wait = append(slices.Clone(t.hierarchy.above[a]), wait...)
		}
	}
	return found
}
