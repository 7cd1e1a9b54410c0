package hierarchy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
)

// A Taxonomy is a directed graph without cycles on the labels: a forest, or labels with several parents.
type Taxonomy struct {
	names []string
	// edges are those given, each once, in order.
	edges    []plugins.Edge
	parents  [][]int32
	children [][]int32
}

// NewTaxonomy returns the taxonomy of child → parent edges between the labels with these names. An edge that is given
// twice counts once. It fails if an edge names no label, or if edges form a cycle.
func NewTaxonomy(edges []plugins.Edge, names []string) (*Taxonomy, error) {
	m := len(names)
	t := &Taxonomy{names: names, parents: make([][]int32, m), children: make([][]int32, m)}
	for _, e := range edges {
		if e.Child < 0 || int(e.Child) >= m || e.Parent < 0 || int(e.Parent) >= m {
			return nil, fmt.Errorf("the taxonomy relates label %d to label %d, but there are %d labels", e.Child, e.Parent, m)
		}
		if slices.Contains(t.parents[e.Child], e.Parent) {
			continue
		}
		t.edges = append(t.edges, e)
		t.parents[e.Child] = append(t.parents[e.Child], e.Parent)
		t.children[e.Parent] = append(t.children[e.Parent], e.Child)
	}
	if cycle := t.cycle(); cycle != nil {
		return nil, fmt.Errorf("the taxonomy goes in a circle: %s; remove one of these relations", t.path(cycle))
	}
	for _, c := range t.children {
		// Siblings come in the order of the labels, whatever the order of the edges.
		slices.Sort(c)
	}
	return t, nil
}

// Edges yields every (child, parent) in the order in which they were given, until yield fails.
func (t *Taxonomy) Edges(yield func(child, parent int32) error) error {
	for _, e := range t.edges {
		if err := yield(e.Child, e.Parent); err != nil {
			return err
		}
	}
	return nil
}

// Siblings yields every pair a < b of labels with a common parent, once, until yield fails. It leaves out pairs that
// some label implies both of, since these cannot exclude each other; a forest has no such pairs. Roots have no parent
// and are not siblings: a taxonomy often is a part of a larger one, or several side by side.
func (t *Taxonomy) Siblings(yield func(a, b int32) error) error {
	compatible := t.compatible()
	for parent, kids := range t.children {
		for i, a := range kids {
			for _, b := range kids[i+1:] {
				// Labels with several common parents are yielded under the first of them.
				if compatible[[2]int32{a, b}] || t.firstCommonParent(a, b) != int32(parent) {
					continue
				}
				if err := yield(a, b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// firstCommonParent returns the smallest parent that a and b share, −1 if they share none.
func (t *Taxonomy) firstCommonParent(a, b int32) int32 {
	first := int32(-1)
	for _, p := range t.parents[a] {
		if (first < 0 || p < first) && slices.Contains(t.parents[b], p) {
			first = p
		}
	}
	return first
}

// compatible returns the pairs a < b of siblings that some label implies both of. A label implies itself. Such pairs
// exist only if some label has several parents.
func (t *Taxonomy) compatible() map[[2]int32]bool {
	pairs := map[[2]int32]bool{}
	for c := range t.names {
		up, branches := t.ancestors(int32(c))
		// In a tree ancestors form a chain, and no two of them are siblings.
		if !branches {
			continue
		}
		for i, a := range up {
			for _, b := range up[i+1:] {
				if t.firstCommonParent(a, b) >= 0 {
					pairs[[2]int32{a, b}] = true
				}
			}
		}
	}
	return pairs
}

// ancestors returns the labels that c implies, c among them, ascending. branches reports whether one of them has
// several parents.
func (t *Taxonomy) ancestors(c int32) (up []int32, branches bool) {
	seen := map[int32]bool{c: true}
	up = []int32{c}
	for i := 0; i < len(up); i++ {
		branches = branches || len(t.parents[up[i]]) > 1
		for _, p := range t.parents[up[i]] {
			if !seen[p] {
				seen[p] = true
				up = append(up, p)
			}
		}
	}
	slices.Sort(up)
	return up, branches
}

// cycle returns a cycle from child to parent, its first label repeated at the end; nil if there is none. It searches
// depth first, without recursion, as files may hold long chains.
func (t *Taxonomy) cycle() []int32 {
	next := make([]int, len(t.names)) // how many parents of a label are done with
	done := make([]bool, len(t.names))
	onPath := make([]bool, len(t.names))
	for root := range t.names {
		path := []int32{int32(root)}
		for len(path) > 0 && !done[root] {
			c := path[len(path)-1]
			onPath[c] = true
			if next[c] == len(t.parents[c]) {
				done[c], onPath[c] = true, false
				path = path[:len(path)-1]
				continue
			}
			p := t.parents[c][next[c]]
			next[c]++
			if onPath[p] {
				return append(path[slices.Index(path, p):], p)
			}
			if !done[p] {
				path = append(path, p)
			}
		}
	}
	return nil
}

// path returns the names of labels along a path, without the middle of a long one.
func (t *Taxonomy) path(labels []int32) string {
	var names []string
	for i, l := range labels {
		if len(labels) > 10 && i >= 5 && i < len(labels)-4 {
			if i == 5 {
				names = append(names, "…")
			}
			continue
		}
		names = append(names, t.names[l])
	}
	return strings.Join(names, " → ")
}
