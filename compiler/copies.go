package compiler

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
)

// A NoCopy is an invariance that says of no transformation that the rows keep their targets under it.
type NoCopy struct {
	Name string
	Why  string // "it is one-sided: a row need not keep its target"
}

// Copies returns the transformations under which the invariances of R want f to stay as it is, compositions among them, each once,
// whatever the method; and which invariances name none, with the reason. An invariance wants it where it holds |e| for a linear e that
// is zero for every f which the transformations leave alone, such as f(t(x)) - f(x), at every training row.
func (in *Instance) Copies() ([]Transform, []NoCopy) {
	all := *in
	all.Method = Embed // of R, also where the spec is run without it
	var out []Transform
	var without []NoCopy
	seen := map[string]bool{}
	for _, t := range in.regularized {
		if t.weight == 0 || t.inv.form == nil {
			continue
		}
		w := &copyWalk{}
		w.node(t.inv.root)
		if len(w.chains) == 0 {
			without = append(without, NoCopy{Name: t.inv.name, Why: w.reason()})
		}
		for _, chain := range w.chains {
			if key := chainKey(chain); !seen[key] {
				seen[key] = true
				out = append(out, all.copied(chain))
			}
		}
	}
	return out, without
}

// copied returns a chain of transformations, the first of which is done first.
func (in *Instance) copied(chain []*mapping) Transform {
	texts := make([]string, len(chain))
	for i, m := range chain {
		texts[i] = m.text
	}
	return Transform{Text: strings.Join(texts, ", then "), Apply: func(ctx context.Context, data *plugins.Data) (_ plugins.Matrix, err error) {
		moved := *data
		for _, m := range chain {
			if moved.Rows, err = in.apply(ctx, m, &moved); err != nil {
				return plugins.Matrix{}, err
			}
		}
		return moved.Rows, nil
	}}
}

func chainKey(chain []*mapping) string {
	var b strings.Builder
	for _, m := range chain {
		fmt.Fprintf(&b, "%s.%s%s;", m.fam.name, m.schema.Name, argsKey(m.args))
	}
	return b.String()
}

// A copyWalk looks for statements under which rows may be copied.
type copyWalk struct {
	chains [][]*mapping
	whys   []string // of statements that move points and allow no copy
	where  bool     // a condition chooses among the rows
}

// reason returns why there is no chain.
func (w *copyWalk) reason() string {
	if len(w.whys) == 0 {
		return "f stands at no transformed row in it"
	}
	return w.whys[0]
}

func (w *copyWalk) node(n *node) {
	outer := w.where
	defer func() { w.where = outer }()
	w.where = w.where || n.quant != nil && n.quant.where.columns()
	switch {
	case n.op == opAbs && n.kids[0].kind == Linear:
		w.statement(n.kids[0])
		return
	case n.kind == Linear || n.op == opPos:
		if slices.ContainsFunc(leavesOf(n), func(l *leaf) bool { return len(l.maps) > 0 }) {
			w.whys = append(w.whys, "it is one-sided: a moved row need not have the target of the row")
		}
		return
	}
	for _, k := range n.kids {
		w.node(k)
	}
}

// columns reports whether a condition looks at a column, and so chooses among rows.
func (c *condition) columns() bool {
	return c != nil && (c.x.kind == columnOperand || c.y.kind == columnOperand || slices.ContainsFunc(c.kids, (*condition).columns))
}

// statement takes the transformations of |n|.
func (w *copyWalk) statement(n *node) {
	e := &evenness{sums: map[spot]float64{}, size: map[spot]float64{}}
	e.add(n, 1)
	for _, l := range leavesOf(n) {
		switch {
		case l.deriv.along != nil:
			w.whys = append(w.whys, "it speaks of a derivative, which moves no row by any amount")
		case len(l.maps) == 0 && l.point.axis.kind == familyAxis:
			w.whys = append(w.whys, "it speaks of points of "+l.point.axis.text+", which are no transformed rows")
		case len(l.maps) == 0:
		case w.where || e.where:
			w.whys = append(w.whys, "a condition on columns chooses the rows that it speaks of")
		case l.point.axis.kind != rowAxis:
			w.whys = append(w.whys, "it speaks of points of "+l.point.axis.text+", not of every row")
		case e.inner:
			w.whys = append(w.whys, "it compares sums over rows, not each row with its copy")
		case !e.even():
			w.whys = append(w.whys, "it is not kept by every f that its transformations leave alone, so a moved row need not have the target of the row")
		case slices.ContainsFunc(l.mappings(), func(m *mapping) bool { return m.schema.Needs.Labels == plugins.RowLabels }):
			w.whys = append(w.whys, "a transformation needs the labels of rows, which test rows do not tell")
		default:
			w.chains = append(w.chains, l.chains()...)
		}
	}
}

// leavesOf returns the leaves of an expression.
func leavesOf(n *node) []*leaf {
	if n.leaf != nil {
		return []*leaf{n.leaf}
	}
	var out []*leaf
	for _, k := range n.kids {
		out = append(out, leavesOf(k)...)
	}
	return out
}

// mappings returns all transformations that the leaf's may be.
func (l *leaf) mappings() []*mapping {
	var out []*mapping
	for _, chain := range l.chains() {
		out = append(out, chain...)
	}
	return out
}

// chains returns the leaf's transformations one after the other, for every element of the sets that they are bound to.
func (l *leaf) chains() [][]*mapping {
	out := [][]*mapping{nil}
	var bound []*variable // in the order in which their elements stand in picks
	picks := [][]*mapping{nil}
	for _, m := range l.maps {
		if m.bound == nil {
			for k := range out {
				out[k] = append(out[k], m)
			}
			continue
		}
		if at := slices.Index(bound, m.bound); at >= 0 { // the same element again
			for k := range out {
				out[k] = append(out[k], picks[k][at])
			}
			continue
		}
		bound = append(bound, m.bound)
		var longer, more [][]*mapping
		for k := range out {
			for _, one := range m.bound.axis.maps {
				longer = append(longer, append(slices.Clone(out[k]), one))
				more = append(more, append(slices.Clone(picks[k]), one))
			}
		}
		out, picks = longer, more
	}
	return out
}

// A spot is where a leaf stands before it is moved: a point, and a label there.
type spot struct {
	point *variable
	node  *axis
	place string    // on its path
	bound *variable // of the label
	name  string    // of the label
	deriv bool
}

// evenness adds up the coefficients at each place, whatever the points are moved by.
type evenness struct {
	sums, size map[spot]float64
	inner      bool // rows are summed over within
	where      bool // under a condition on columns
}

func (e *evenness) add(n *node, c float64) {
	if n.quant != nil {
		e.where = e.where || n.quant.where.columns()
		for _, a := range n.quant.axes {
			e.inner = e.inner || a.kind == rowAxis || a.kind == graphAxis || a.kind == familyAxis
		}
	}
	switch n.op {
	case opLeaf:
		p := spotOf(n.leaf)
		e.sums[p] += c
		e.size[p] += math.Abs(c)
		return
	case opNeg:
		c = -c
	case opScale:
		if n.by != nil {
			c *= n.by.stands()
		} else {
			c *= n.num
		}
	case opMean:
		if n.quant == nil {
			c /= float64(len(n.kids))
		}
	case opSum:
		if n.quant != nil {
			c *= n.quant.size()
		}
	}
	for _, k := range n.kids {
		e.add(k, c)
	}
}

// size returns the number of elements where the spec lists them, else one that nothing else cancels.
func (q *quantifier) size() float64 {
	count := 1.0
	for _, a := range q.axes {
		switch a.kind {
		case mapAxis:
			count *= float64(len(a.maps))
		case namedAxis:
			count *= float64(len(a.names))
		case rowAxis, labelAxis, graphAxis, familyAxis, pathAxis:
			count *= math.Pi
		}
	}
	return count
}

func spotOf(l *leaf) spot {
	p := spot{point: l.point, node: l.node, place: l.place.text(), deriv: l.deriv.kind != noDeriv}
	if l.label != nil {
		p.bound = l.label.bound
		if l.label.name != nil {
			p.name = l.label.name.text
		}
	}
	return p
}

// even reports whether the coefficients cancel at every place.
func (e *evenness) even() bool {
	for p, sum := range e.sums {
		if p.deriv || !(math.Abs(sum) <= 1e-12*e.size[p]) {
			return false
		}
	}
	return true
}
