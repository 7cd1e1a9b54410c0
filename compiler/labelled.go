package compiler

import (
	"path"
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// ByRowLabels reports whether R depends on the labels of the training rows, so that one made from rows that are held out has seen what is to be
// told about them. It does where f is taken at a row's own label, where a domain or a map needs the labels of rows, and where a
// condition compares a column of the target. A domain that needs them counts whatever it makes of them.
func (in *Instance) ByRowLabels() bool {
	w := &labelWatch{target: &in.Data.Target, seen: map[*tree.Axis]bool{}}
	return slices.ContainsFunc(in.Regularized, func(t *tree.Term) bool {
		return t.Weight > 0 && t.Inv.Form != nil && in.Method != setting.Plain && w.node(t.Inv.Root)
	})
}

// A labelWatch looks for what depends on the labels of rows: columns of the target in conditions
// and factors, and families that are shown labels.
type labelWatch struct {
	target *setting.Target
	seen   map[*tree.Axis]bool
}

// joint reports whether f is a function of points and labels. Otherwise no family is shown labels,
// and no f is taken at one.
func (w *labelWatch) joint() bool { return w.target.Task.Joint() }

// node reports whether a part of an expression depends on the labels of rows.
func (w *labelWatch) node(n *tree.Node) bool {
	if q := n.Quant; q != nil && (slices.ContainsFunc(q.Axes, w.axis) || w.condition(q.Where)) {
		return true
	}
	if l := n.Leaf; l != nil && (w.joint() && l.Label == nil || w.axis(l.Point.Axis) || w.mappings(l.Maps) ||
		l.Deriv.Along != nil && w.mappings([]*tree.Mapping{l.Deriv.Along})) {
		return true
	}
	return n.By != nil && w.number(n.By) || slices.ContainsFunc(n.Kids, w.node)
}

// number reports whether columns of the target decide a number.
func (w *labelWatch) number(n *tree.Node) (found bool) {
	n.Datums(func(d *tree.Datum) { found = found || d.Of.Kind == tree.PointVar && w.ofTarget(d.Column) })
	return found
}

// axis reports whether an index set depends on the labels of rows.
func (w *labelWatch) axis(a *tree.Axis) bool {
	if a == nil || w.seen[a] {
		return false
	}
	w.seen[a] = true
	return a.Kind == tree.FamilyAxis && w.needed(&a.Dom.Needs) || w.mappings(a.Maps) || w.axis(a.Path)
}

// mappings reports whether a transformation asks for the labels of rows.
func (w *labelWatch) mappings(maps []*tree.Mapping) bool {
	return slices.ContainsFunc(maps, func(m *tree.Mapping) bool {
		if m.Bound != nil {
			return w.axis(m.Bound.Axis)
		}
		return w.needed(&m.Schema.Needs)
	})
}

// needed reports whether a family is shown the labels of rows for one of its words.
func (w *labelWatch) needed(n *plugins.Needs) bool { return w.joint() && n.Labels == plugins.RowLabels }

// condition reports whether a condition chooses elements by columns of the target.
func (w *labelWatch) condition(c *tree.Condition) bool {
	if c == nil {
		return false
	}
	return slices.ContainsFunc(c.Kids, w.condition) || w.operand(&c.X) || w.operand(&c.Y)
}

// namelessTarget is what the label of a file is called whose format gives it no name.
const namelessTarget = "label"

// operand reports whether one side of a comparison is a column of the target.
func (w *labelWatch) operand(o *tree.Operand) bool {
	return o.Kind == tree.ColumnOperand && w.ofTarget(o.Text)
}

// ofTarget reports whether a column is one of the target.
func (w *labelWatch) ofTarget(column string) bool {
	return column == namelessTarget || slices.Contains(w.target.Names, column) || slices.ContainsFunc(w.target.Globs, func(glob string) bool {
		ok, err := path.Match(glob, column)
		return ok && err == nil
	})
}
