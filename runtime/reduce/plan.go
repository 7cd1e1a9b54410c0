package reduce

import (
	"slices"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A plan is what becomes of a maximum of positive parts.
type plan struct {
	node        *gauge.Node // nil where it stays as it is
	functionals [][]term
}

func newPlan(leaves [][]term, weight float64) *plan {
	kept := distinct(leaves)
	groups, rest := cliques(kept)
	p := &plan{}
	var kids []*gauge.Node
	for _, g := range groups {
		for _, t := range g {
			p.functionals = append(p.functionals, []term{t})
		}
		kids = append(kids, gauge.PosTopOf(2, len(g)))
	}
	p.functionals = append(p.functionals, rest...)
	if len(p.functionals) == len(leaves) && len(groups) == 0 {
		return &plan{}
	}
	if len(groups) == 0 || len(rest) > 0 {
		kids = append(kids, gauge.Repeat(len(rest), gauge.MaxOf(gauge.Leaf(gauge.Pos))))
	}
	p.node = kids[0]
	if len(kids) > 1 {
		p.node = gauge.MaxOf(kids...)
	}
	if weight != 1 {
		p.node = gauge.Scaled(p.node, weight)
	}
	return p
}

// distinct drops functionals that are zero or no larger than another one wherever they are positive: positive multiples of one
// functional, of which the largest stays, in the place of the first. If nothing is left, zero is.
func distinct(leaves [][]term) [][]term {
	type direction struct {
		at   int // in the result
		size float64
	}
	seen := map[string]direction{}
	var out [][]term
	var key []byte
	for _, terms := range leaves {
		if len(terms) == 0 {
			continue
		}
		size := max(terms[0].coef, -terms[0].coef)
		key = key[:0]
		for _, t := range terms {
			t.coef /= size
			key = t.append(key)
		}
		d, ok := seen[string(key)]
		switch {
		case !ok:
			seen[string(key)] = direction{len(out), size}
			out = append(out, terms)
		case size > d.size:
			seen[string(key)] = direction{d.at, size}
			out[d.at] = terms
		}
	}
	if len(out) == 0 {
		return leaves[:1]
	}
	return out
}

// cliques finds sets of terms of which all sums of two are among the functionals, and the functionals that belong to none.
// Each set has at least as many sums that are in no set before it as it has terms.
func cliques(leaves [][]term) (groups [][]term, rest [][]term) {
	g := newGraph(leaves)
	covered := make([]bool, len(leaves))
	for i, e := range g.ends {
		if covered[i] || e[0] < 0 {
			continue
		}
		members := g.grow(e[0], e[1])
		fresh := 0
		for k, a := range members {
			for _, b := range members[:k] {
				if !covered[g.edge(a, b)] {
					fresh++
				}
			}
		}
		if len(members) < 3 || fresh < len(members) {
			continue
		}
		slices.Sort(members)
		var group []term
		for k, a := range members {
			group = append(group, g.terms[a])
			for _, b := range members[:k] {
				covered[g.edge(a, b)] = true
			}
		}
		groups = append(groups, group)
	}
	for i, terms := range leaves {
		if !covered[i] {
			rest = append(rest, terms)
		}
	}
	return groups, rest
}

// A graph has terms for vertices and functionals that are sums of two for edges.
type graph struct {
	terms     []term
	ends      [][2]int // of each functional, −1 where it is no such sum
	edges     map[[2]int]int
	neighbour [][]int
}

func newGraph(leaves [][]term) *graph {
	g := &graph{edges: map[[2]int]int{}}
	number := map[term]int{}
	vertex := func(t term) int {
		v, ok := number[t]
		if !ok {
			v = len(g.terms)
			number[t] = v
			g.terms = append(g.terms, t)
			g.neighbour = append(g.neighbour, nil)
		}
		return v
	}
	for i, terms := range leaves {
		if len(terms) != 2 {
			g.ends = append(g.ends, [2]int{-1, -1})
			continue
		}
		a, b := vertex(terms[0]), vertex(terms[1])
		g.ends = append(g.ends, [2]int{a, b})
		g.edges[[2]int{min(a, b), max(a, b)}] = i
		g.neighbour[a], g.neighbour[b] = append(g.neighbour[a], b), append(g.neighbour[b], a)
	}
	return g
}

// edge is the functional that is the sum of two terms, −1 where there is none.
func (g *graph) edge(a, b int) int {
	if i, ok := g.edges[[2]int{min(a, b), max(a, b)}]; ok {
		return i
	}
	return -1
}

// grow adds to two vertices what is joined to all that are in already.
func (g *graph) grow(a, b int) []int {
	members := []int{a, b}
	for _, v := range g.neighbour[a] {
		if !slices.Contains(members, v) && !slices.ContainsFunc(members, func(m int) bool { return g.edge(v, m) < 0 }) {
			members = append(members, v)
		}
	}
	return members
}
