package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// maxChoices bounds the combinations of grid values that are judged together.
const maxChoices = 4096

// jointly compiles a part of the spec whose numbers decide together whether it is in order: a setting, an invariance, a weighted
// one. What one such part says does not depend on the numbers of another, so the combinations of each are judged by themselves.
func (p *pass) jointly(compile func()) {
	outer := p.met
	p.met = tree.GridSet{}
	compile()
	if p.choice == nil && !p.trial {
		p.together = append(p.together, p.met)
	}
	outer.Add(p.met)
	p.met = outer
}

// judgeChoices judges the spec at every combination of grid values that are judged together. It ends at the first that is faulty.
func (c *checker) judgeChoices() {
	for i, set := range c.together {
		covered := slices.ContainsFunc(c.together[i+1:], func(other tree.GridSet) bool { return set.Within(other) })
		if len(set) > 0 && !covered && !c.judgeSet(slices.Sorted(maps.Keys(set))) {
			return
		}
	}
}

// judgeSet judges the combinations of some grids, the others at their first values. It returns false where there is nothing more to judge.
func (c *checker) judgeSet(set []int) bool {
	total := 1
	for _, i := range set {
		if total *= len(c.grids[i].values); total > maxChoices {
			c.tooMany(set)
			return false
		}
	}
	choice := make([]int, len(c.grids))
	for c.next(choice, set) {
		if c.diags.HasErrors() || c.ctx.Err() != nil {
			return false
		}
		before := len(c.diags)
		c.note(c.pass(slices.Clone(choice)).run())
		for _, d := range c.diags[before:] {
			d.Detail = strings.TrimSpace(d.Detail + " It is so where " + c.combination(choice, set) + ".")
		}
	}
	return true
}

// next counts one up in the grids of a set, the last fastest.
func (c *checker) next(choice, set []int) bool {
	for _, i := range slices.Backward(set) {
		if choice[i]++; choice[i] < len(c.grids[i].values) {
			return true
		}
		choice[i] = 0
	}
	return false
}

// combination says which values of the grids are taken: a = 1 and b = 2.
func (c *checker) combination(choice, set []int) string {
	parts := make([]string, len(set))
	for k, i := range set {
		g := c.grids[i]
		parts[k] = fmt.Sprintf("%s = %s", g.shown(c), g.values[choice[i]])
	}
	return strings.Join(parts, " and ")
}

// shown returns how a message calls the grid: by its let, by the argument that it stands for, or as it is written.
func (g *gridParam) shown(c *checker) string {
	if c.decls.lets[g.name] != nil || strings.Contains(g.name, ".") {
		return g.name
	}
	return tree.Text(g.call)
}

// tooMany reports grids that stand together in more combinations than can be judged.
func (c *checker) tooMany(set []int) {
	g := c.grids[set[len(set)-1]]
	c.diags.Add(&diag.Diagnostic{
		Code: codes.WrongGrid, Subject: g.call.Span(),
		Summary: fmt.Sprintf("the %d grids that stand together here have more than %d combinations", len(set), maxChoices),
		Detail:  "Each of them must be proved convex, and each is fitted in every fold.",
		Mend:    "Give fewer values, or choose from fewer grids at once.",
	})
}
