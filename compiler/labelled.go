package compiler

import (
	"path"
	"slices"

	"github.com/sipc-ml/sipc/plugins"
)

// ByRowLabels reports whether R depends on the labels of the training rows, so that one made from rows that are held out has seen what is to be
// told about them. It does where f is taken at a row's own label, where a domain or a map needs the labels of rows, and where a
// condition compares a column of the target. A domain that needs them counts whatever it makes of them.
func (in *Instance) ByRowLabels() bool {
	w := &labelWatch{target: &in.Data.Target, seen: map[*axis]bool{}}
	return slices.ContainsFunc(in.regularized, func(t *term) bool {
		return t.weight > 0 && t.inv.form != nil && in.Method != Plain && w.node(t.inv.root)
	})
}

// A labelWatch looks for what depends on the labels of rows.
type labelWatch struct {
	target *Target
	seen   map[*axis]bool
}

// joint reports whether f is a function of points and labels: otherwise no family is shown labels, and no f is taken at one.
func (w *labelWatch) joint() bool { return w.target.Task.Joint() }

func (w *labelWatch) node(n *node) bool {
	if q := n.quant; q != nil && (slices.ContainsFunc(q.axes, w.axis) || w.condition(q.where)) {
		return true
	}
	if l := n.leaf; l != nil && (w.joint() && l.label == nil || w.axis(l.point.axis) || w.mappings(l.maps) ||
		l.deriv.along != nil && w.mappings([]*mapping{l.deriv.along})) {
		return true
	}
	return n.by != nil && w.number(n.by) || slices.ContainsFunc(n.kids, w.node)
}

// number reports whether columns of the target decide a number.
func (w *labelWatch) number(n *node) (found bool) {
	n.datums(func(d *datum) { found = found || d.of.kind == pointVar && w.ofTarget(d.column) })
	return found
}

func (w *labelWatch) axis(a *axis) bool {
	if a == nil || w.seen[a] {
		return false
	}
	w.seen[a] = true
	return a.kind == familyAxis && w.needed(&a.dom.Needs) || w.mappings(a.maps) || w.axis(a.path)
}

func (w *labelWatch) mappings(maps []*mapping) bool {
	return slices.ContainsFunc(maps, func(m *mapping) bool {
		if m.bound != nil {
			return w.axis(m.bound.axis)
		}
		return w.needed(&m.schema.Needs)
	})
}

func (w *labelWatch) needed(n *plugins.Needs) bool { return w.joint() && n.Labels == plugins.RowLabels }

func (w *labelWatch) condition(c *condition) bool {
	if c == nil {
		return false
	}
	return slices.ContainsFunc(c.kids, w.condition) || w.operand(&c.x) || w.operand(&c.y)
}

// namelessTarget is what the label of a file is called whose format gives it no name.
const namelessTarget = "label"

// operand reports whether one side of a comparison is a column of the target.
func (w *labelWatch) operand(o *operand) bool {
	return o.kind == columnOperand && w.ofTarget(o.text)
}

// ofTarget reports whether a column is one of the target.
func (w *labelWatch) ofTarget(column string) bool {
	return column == namelessTarget || slices.Contains(w.target.Names, column) || slices.ContainsFunc(w.target.Globs, func(glob string) bool {
		ok, err := path.Match(glob, column)
		return ok && err == nil
	})
}
