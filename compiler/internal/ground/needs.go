package ground

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/plugins"
)

// Asked returns the domains and maps that a family is asked for, and what it needs for them.
// `explain` shows both, so that a user sees what a program from elsewhere will read before it runs.
func (in *Problem) Asked(fam *tree.Family) (calls []string, needs plugins.Needs) {
	w := in.watch(fam)
	return w.calls, w.needs
}

// sees returns what a family needs for what the spec asks it for. Columns that an argument names
// and the data lack are left out: the call that names them says so.
func (in *Problem) sees(fam *tree.Family, columns []string) plugins.Needs {
	w := in.watch(fam)
	named := w.named
	w.needs.Names = slices.DeleteFunc(w.needs.Names, func(name string) bool {
		return slices.Contains(named, name) && !slices.Contains(columns, name)
	})
	return w.needs
}

// A needsWatch gathers what a spec asks a family for.
type needsWatch struct {
	needs plugins.Needs
	named []string // the columns that arguments name
	calls []string
}

// watch goes through all that R and the transformations of the spec ask families for.
func (in *Problem) watch(fam *tree.Family) *needsWatch {
	w := &needsWatch{}
	roots := tree.Each(in.Terms, func(t *tree.Term) *tree.Node { return t.Inv.Root })
	for c := range tree.Calls(roots, in.Transforms) {
		if c.Fam == fam {
			w.call(c)
		}
	}
	return w
}

// call takes note of a call. Which columns a family needs may depend on those that the arguments
// name.
func (w *needsWatch) call(c *tree.Call) {
	var columns []plugins.Value
	for _, v := range c.Args {
		if v != nil && v.Arg.Kind == plugins.KindColumn {
			columns = append(columns, plugins.Value{Kind: plugins.KindColumn, Text: v.Text})
			w.named = append(w.named, v.Text)
		}
	}
	w.needs = w.needs.Union(c.Needs.Of(columns))
	if !slices.Contains(w.calls, c.Name) {
		w.calls = append(w.calls, c.Name)
	}
}
