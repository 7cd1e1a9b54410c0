package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// maxChoices bounds the combinations of grid values that are judged together.
const maxChoices = 4096

// judgeChoices judges the spec at every combination of grid values that are judged together. It
// ends at the first that is faulty: the others would say the same. A set of grids within a larger
// one is judged with that. A proof may depend on a number's sign, and a kernel's on its degree, so
// that no combination can be left out.
func judgeChoices(c *names.Spec) {
	for i, set := range c.Together {
		covered := slices.ContainsFunc(c.Together[i+1:], func(other tree.GridSet) bool { return set.Within(other) })
		if len(set) > 0 && !covered && !judgeSet(c, slices.Sorted(maps.Keys(set))) {
			return
		}
	}
}

// judgeSet judges the combinations of some grids, the others at their first values. It returns
// false where there is nothing more to judge. An error says at which combination it occurs, as the
// first values are in order.
func judgeSet(c *names.Spec, set []int) bool {
	total := 1
	for _, i := range set {
		if total *= len(c.Grids[i].Values); total > maxChoices {
			tooMany(c, set)
			return false
		}
	}
	choice := make([]int, len(c.Grids))
	for next(c, choice, set) {
		if c.Diags.HasErrors() || c.Ctx.Err() != nil {
			return false
		}
		before := len(c.Diags)
		note(c, run(c.Pass(slices.Clone(choice))))
		for _, d := range c.Diags[before:] {
			d.Detail = strings.TrimSpace(d.Detail + " It is so where " + combination(c, choice, set) + ".")
		}
	}
	return true
}

// atFirstValues says of counterexamples at which values of grids they are, on the first pass. At other
// values they may be others, or none. With f(cat) = −1
//
//	grid(2, -1) * (f(cat) * f(cat))
//
// is 2 at the first value and −1 at the second. Errors of later passes say where they are, whether or
// not they show functions (judgeSet).
func atFirstValues(p *names.Pass, found diag.List) {
	if len(p.Met) == 0 || p.Choice != nil {
		return
	}
	where := combination(p.Spec, make([]int, len(p.Grids)), slices.Sorted(maps.Keys(p.Met)))
	for _, d := range found {
		if len(d.Values) > 1 { // more than a sentence that none was found
			d.Detail = strings.TrimSpace(d.Detail + " The values are those where " + where + ".")
		}
	}
}

// next counts one up in the grids of a set, the last fastest. It returns false after the last
// combination.
func next(c *names.Spec, choice, set []int) bool {
	for _, i := range slices.Backward(set) {
		if choice[i]++; choice[i] < len(c.Grids[i].Values) {
			return true
		}
		choice[i] = 0
	}
	return false
}

// combination says which values of the grids are taken: a = 1 and b = 2. It ends the detail of an
// error that other values do not have.
func combination(c *names.Spec, choice, set []int) string {
	parts := make([]string, len(set))
	for k, i := range set {
		g := c.Grids[i]
		parts[k] = fmt.Sprintf("%s = %s", shown(g, c), g.Values[choice[i]])
	}
	return strings.Join(parts, " and ")
}

// shown returns how a message calls the grid: by its let, by the argument that it stands for, or as
// it is written. Users look for the name that they gave.
func shown(g *names.GridParam, c *names.Spec) string {
	if c.Decls.Lets[g.Name] != nil || strings.Contains(g.Name, ".") {
		return g.Name
	}
	return tree.Text(g.Call)
}

// tooMany reports grids that stand together in more combinations than can be judged
// (codes.WrongGrid). Each combination is a spec of its own: it must be proved, and fitted in every
// fold. The last grid of the set is blamed, as it was added to the others.
func tooMany(c *names.Spec, set []int) {
	g := c.Grids[set[len(set)-1]]
	c.Diags.Add(&diag.Diagnostic{
		Code: codes.WrongGrid, Subject: g.Call.Span(),
		Summary: fmt.Sprintf("the %d grids that stand together here have more than %d combinations", len(set), maxChoices),
		Detail:  "Each of them must be proved convex, and each is fitted in every fold.",
		Mend:    "Give fewer values, or choose from fewer grids at once.",
	})
}
