package ground

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/plugins"
)

// Asked returns the domains and maps that a family is asked for, and what it needs for them.
func (in *Problem) Asked(fam *tree.Family) (calls []string, needs plugins.Needs) {
	w := in.watch(fam)
	return w.calls, w.needs
}

// sees returns what a family needs for what the spec asks it for. Columns that an argument names and the data do not have are left
// out: the call that names them says so.
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
	fam   *tree.Family
	needs plugins.Needs
	named []string // the columns that arguments name
	calls []string
	seen  map[*tree.Axis]bool
}

func (in *Problem) watch(fam *tree.Family) *needsWatch {
	w := &needsWatch{fam: fam, seen: map[*tree.Axis]bool{}}
	for _, t := range in.Terms {
		w.node(t.Inv.Root)
	}
	w.mappings(in.Transforms)
	return w
}

func (w *needsWatch) node(n *tree.Node) {
	if n.Quant != nil {
		for _, a := range n.Quant.Axes {
			w.axis(a)
		}
	}
	if n.Leaf != nil {
		w.axis(n.Leaf.Point.Axis)
		w.mappings(n.Leaf.Maps)
		if n.Leaf.Deriv.Along != nil {
			w.mappings([]*tree.Mapping{n.Leaf.Deriv.Along})
		}
	}
	for _, k := range n.Kids {
		w.node(k)
	}
}

func (w *needsWatch) axis(a *tree.Axis) {
	if a == nil || w.seen[a] {
		return
	}
	w.seen[a] = true
	if a.Kind == tree.FamilyAxis && a.Fam == w.fam {
		w.call(a.Dom.Name, &a.Dom.Needs, a.Args)
	}
	w.mappings(a.Maps)
	w.axis(a.Path)
}

func (w *needsWatch) mappings(maps []*tree.Mapping) {
	for _, m := range maps {
		switch {
		case m.Bound != nil:
			w.axis(m.Bound.Axis)
		case m.Fam == w.fam:
			w.call(m.Schema.Name, &m.Schema.Needs, m.Args)
		}
	}
}

// call takes note of a call.
func (w *needsWatch) call(name string, needs *plugins.Needs, args []*tree.Value) {
	var columns []plugins.Value
	for _, v := range args {
		if v != nil && v.Arg.Kind == plugins.KindColumn {
			columns = append(columns, plugins.Value{Kind: plugins.KindColumn, Text: v.Text})
			w.named = append(w.named, v.Text)
		}
	}
	w.needs = w.needs.Union(needs.Of(columns))
	if !slices.Contains(w.calls, name) {
		w.calls = append(w.calls, name)
	}
}
