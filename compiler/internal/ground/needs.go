package ground

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/plugins"
)

// Asked returns the domains and maps that a family is asked for, and what it needs for them.
// `explain` shows both, so that a user sees what a program from elsewhere will read before it runs.
func (in *Problem) Asked(fam *tree.Family) (calls []string, needs plugins.Needs) {
	calls, needs, _ = in.watch(fam)
	return calls, needs
}

// sees returns what a family needs for what the spec asks it for. Columns that an argument names
// and the data lack are left out: the call that names them says so.
func (in *Problem) sees(fam *tree.Family, columns []string) plugins.Needs {
	_, needs, named := in.watch(fam)
	needs.Names = slices.DeleteFunc(needs.Names, func(name string) bool {
		return slices.Contains(named, name) && !slices.Contains(columns, name)
	})
	return needs
}

// watch goes through all that R and the transformations of the spec ask a family for. Which columns
// it needs may depend on those that arguments name.
func (in *Problem) watch(fam *tree.Family) (calls []string, needs plugins.Needs, named []string) {
	roots := tree.Each(in.Terms, func(t *tree.Term) *tree.Node { return t.Inv.Root })
	for _, c := range tree.Calls(roots, in.Transforms) {
		if c.Fam != fam {
			continue
		}
		var columns []plugins.Value
		for _, v := range c.Args {
			if v != nil && v.Arg.Kind == plugins.KindColumn {
				columns = append(columns, plugins.Value{Kind: plugins.KindColumn, Text: v.Text})
				named = append(named, v.Text)
			}
		}
		needs = needs.Union(c.Needs.Of(columns))
		if !slices.Contains(calls, c.Name) {
			calls = append(calls, c.Name)
		}
	}
	return calls, needs, named
}
