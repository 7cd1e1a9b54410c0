package compiler

import (
	"path"
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// ByRowLabels reports whether R depends on the labels of the training rows. An R that is made from
// rows held out has then seen what is to be predicted. R depends on them where f is taken at a
// row's own label. It does, too, where a domain or a map needs the labels of rows, or a condition
// compares a column of the target. A domain that needs them counts whatever it makes of them.
func (in *Instance) ByRowLabels() bool {
	w := labelWatch{&in.Data.Target}
	return slices.ContainsFunc(in.Regularized, func(t *tree.Term) bool {
		return t.Weight > 0 && t.Inv.Form != nil && in.Method != setting.Plain && w.dependent(t.Inv.Root)
	})
}

// A labelWatch looks for what depends on the labels of rows: columns of the target in conditions
// and factors, and families that are shown labels.
type labelWatch struct {
	target *setting.Target
}

// joint reports whether f is a function of points and labels. Otherwise no family is shown labels,
// and no f is taken at one.
func (w labelWatch) joint() bool { return w.target.Task.Joint() }

// dependent reports whether an expression depends on the labels of rows.
func (w labelWatch) dependent(root *tree.Node) bool {
	shown := func(c *tree.Call) bool { return w.joint() && c.Needs.Labels == plugins.RowLabels }
	return tree.Find(root.All(), w.part) != nil || slices.ContainsFunc(tree.Calls([]*tree.Node{root}, nil), shown)
}

// part reports whether a part of an expression is at a row's own label, or whether columns of the
// target choose or multiply it.
func (w labelWatch) part(n *tree.Node) bool {
	if q := n.Quant; q != nil && slices.ContainsFunc(q.Where.Compared(), w.ofTarget) {
		return true
	}
	factor := func(d *tree.Datum) bool { return d.Of.Kind == tree.PointVar && w.ofTarget(d.Column) }
	return n.Leaf != nil && w.joint() && n.Leaf.Label == nil || n.By != nil && tree.Find(n.By.Datums(), factor) != nil
}

// namelessTarget is what the label of a file is called whose format gives it no name.
const namelessTarget = "label"

// ofTarget reports whether a column is one of the target.
func (w labelWatch) ofTarget(column string) bool {
	return column == namelessTarget || slices.Contains(w.target.Names, column) || slices.ContainsFunc(w.target.Globs, func(glob string) bool {
		ok, err := path.Match(glob, column)
		return ok && err == nil
	})
}
