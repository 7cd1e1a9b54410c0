package compiler

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/plugins"
)

// A NoCopy is an invariance that says of no transformation that the rows keep their targets under it.
type NoCopy struct {
	Name string
	Why  string // "it is one-sided: a row need not keep its target"
}

// Copies returns the transformations under which the invariances of R want f to stay as it is,
// compositions among them, each once, whatever the method. It also returns which invariances name
// none, with the reason. An invariance wants it where it holds |e| for a linear e that is zero for
// every f which the transformations leave alone. Such is f(t(x)) - f(x), at every training row.
//
// A rival that learns from transformed copies of rows then gets the knowledge that R has, and the
// two are compared on equal terms.
func (in *Instance) Copies() ([]Transform, []NoCopy) {
	all := WithR(in)
	var out []Transform
	var without []NoCopy
	seen := map[string]bool{}
	for _, t := range in.Regularized {
		if t.Weight == 0 || t.Inv.Form == nil {
			continue
		}
		w := &copyWalk{}
		w.node(t.Inv.Root)
		if len(w.chains) == 0 {
			without = append(without, NoCopy{Name: t.Inv.Name, Why: w.reason()})
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

// copied returns a chain of transformations, the first of which is done first. It moves the
// features of all rows at once, as families do.
func (in *Instance) copied(chain []*tree.Mapping) Transform {
	texts := make([]string, len(chain))
	for i, m := range chain {
		texts[i] = m.Text
	}
	return Transform{Text: strings.Join(texts, ", then "), Orbit: orbitIn(chain), Apply: func(ctx context.Context, data *plugins.Data, seed uint64) (_ plugins.Matrix, err error) {
		moved := *data
		for _, m := range chain {
			if moved.Rows, err = in.problem().Move(ctx, m, &moved, seed); err != nil {
				return plugins.Matrix{}, err
			}
		}
		return moved.Rows, nil
	}}
}

// orbitIn returns the text of a chain in which a move is drawn from an orbit, with the orbit in its place. It is empty of other chains.
func orbitIn(chain []*tree.Mapping) string {
	if !slices.ContainsFunc(chain, func(m *tree.Mapping) bool { return m.Drawn != nil }) {
		return ""
	}
	return strings.Join(tree.Each(chain, (*tree.Mapping).Named), ", then ")
}

// chainKey identifies a chain of transformations, arguments included.
func chainKey(chain []*tree.Mapping) string {
	var b strings.Builder
	for _, m := range chain {
		if m.Drawn == nil {
			b.WriteString(m.Fam.Name + ".")
		}
		b.WriteString(m.Identity() + ";")
	}
	return b.String()
}

// A copyWalk looks for statements under which rows may be copied: |e| for a linear e that vanishes
// wherever f∘t = f for its transformations t. A row x may then be copied to t(x) with the target of
// x, as R says that f should not tell them apart.
type copyWalk struct {
	chains [][]*tree.Mapping
	whys   []string // of statements that move points and allow no copy
	where  bool     // a condition chooses among the rows
}

// reason returns why there is no chain: the first thing that spoke against one, or that nothing is
// moved at all.
func (w *copyWalk) reason() string {
	if len(w.whys) == 0 {
		return "f stands at no transformed row in it"
	}
	return w.whys[0]
}

// node looks at a part of an invariance. Below |…| of a linear part stands a statement; a part that
// is linear or positive by itself is one-sided, and speaks of no equality.
func (w *copyWalk) node(n *tree.Node) {
	outer := w.where
	defer func() { w.where = outer }()
	w.where = w.where || n.Quant != nil && n.Quant.Where.Columns()
	switch {
	case n.Op == tree.OpAbs && n.Kids[0].Kind == tree.Linear:
		w.statement(n.Kids[0])
		return
	case n.Kind == tree.Linear || n.Op == tree.OpPos:
		for l := range n.Leaves() {
			if len(l.Leaf.Maps) > 0 {
				w.whys = append(w.whys, "it is one-sided: a moved row need not have the target of the row")
				break
			}
		}
		return
	}
	for _, k := range n.Kids {
		w.node(k)
	}
}

// statement takes the transformations of |n|. All that speaks against copies is noted with its
// reason, the first of which a user is told.
func (w *copyWalk) statement(n *tree.Node) {
	e := &evenness{sums: map[spot]float64{}, size: map[spot]float64{}}
	e.add(n, 1)
	for leaf := range n.Leaves() {
		l := leaf.Leaf
		switch {
		case l.Deriv.Along != nil:
			w.whys = append(w.whys, "it speaks of a derivative, which moves no row by any amount")
		case len(l.Maps) == 0 && l.Point.Axis.Kind == tree.FamilyAxis:
			w.whys = append(w.whys, "it speaks of points of "+l.Point.Axis.Text+", which are not transformed rows")
		case len(l.Maps) == 0:
		case w.where || e.where:
			w.whys = append(w.whys, "a condition on columns chooses the rows that it speaks of")
		case l.Point.Axis.Kind != tree.RowAxis, l.Point.Axis.Drawn():
			w.whys = append(w.whys, "it speaks of points of "+l.Point.Axis.Text+", not of every row")
		case e.inner:
			w.whys = append(w.whys, "it compares sums over rows, not each row with its copy")
		case !e.even():
			w.whys = append(w.whys, "it is not kept by every f that its transformations leave alone, so a moved row need not have the target of the row")
		case slices.ContainsFunc(mappings(l), ofLabels):
			w.whys = append(w.whys, "a transformation needs the labels of rows, which test rows do not tell")
		default:
			w.chains = append(w.chains, chains(l)...)
		}
	}
}

// ofLabels reports whether a transformation looks at the labels of rows.
func ofLabels(m *tree.Mapping) bool {
	return slices.ContainsFunc(m.Ends(), func(m *tree.Mapping) bool { return m.Schema.Needs.Labels == plugins.RowLabels })
}

// mappings returns all transformations that the leaf's may be, in any of its chains.
func mappings(l *tree.Leaf) []*tree.Mapping {
	var out []*tree.Mapping
	for _, chain := range chains(l) {
		out = append(out, chain...)
	}
	return out
}

// chains returns the leaf's transformations one after the other, for every element of the sets that
// they are bound to: the product of the sets. A variable that stands twice in a chain is the same
// element both times.
func chains(l *tree.Leaf) [][]*tree.Mapping {
	out := [][]*tree.Mapping{nil}
	var bound []*tree.Variable // in the order in which their elements stand in picks
	picks := [][]*tree.Mapping{nil}
	for _, m := range l.Maps {
		if m.Bound == nil {
			for k := range out {
				out[k] = append(out[k], m)
			}
			continue
		}
		if at := slices.Index(bound, m.Bound); at >= 0 { // the same element again
			for k := range out {
				out[k] = append(out[k], picks[k][at])
			}
			continue
		}
		bound = append(bound, m.Bound)
		var longer, more [][]*tree.Mapping
		for k := range out {
			for _, one := range m.Bound.Axis.Maps {
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
	point *tree.Variable
	node  *tree.Axis
	place string         // on its path
	bound *tree.Variable // of the label
	name  string         // of the label
	deriv bool
}

// An evenness adds up the coefficients at each place, whatever the points are moved by. An e = Σ c
// f(t(x)) vanishes for all f with f∘t = f if and only if the coefficients at each place x add up to
// zero. For such an f every f(t(x)) is f(x), and values at different places are independent.
type evenness struct {
	sums, size map[spot]float64
	inner      bool // rows are summed over within
	where      bool // under a condition on columns
}

// add adds the coefficients of a part that is taken c times. A number that data decide counts as
// one that nothing else cancels.
func (e *evenness) add(n *tree.Node, c float64) {
	if n.Quant != nil {
		e.where = e.where || n.Quant.Where.Columns()
		for _, a := range n.Quant.Axes {
			e.inner = e.inner || a.Kind == tree.RowAxis || a.Kind == tree.GraphAxis || a.Kind == tree.FamilyAxis
		}
	}
	switch n.Op {
	case tree.OpLeaf:
		p := spotOf(n.Leaf)
		e.sums[p] += c
		e.size[p] += math.Abs(c)
		return
	case tree.OpNeg:
		c = -c
	case tree.OpScale:
		if n.By != nil {
			c *= n.By.Stands()
		} else {
			c *= n.Num
		}
	case tree.OpMean:
		if n.Quant == nil {
			c /= float64(len(n.Kids))
		}
	case tree.OpSum:
		if n.Quant != nil {
			c *= size(n.Quant)
		}
	}
	for _, k := range n.Kids {
		e.add(k, c)
	}
}

// size returns the number of elements where the spec lists them. Where data decide it, it returns π
// for each axis. As π is not a quotient of counts, no listed elements cancel it.
func size(q *tree.Quantifier) float64 {
	count := 1.0
	for _, a := range q.Axes {
		if n, listed := a.Listed(); listed {
			count *= float64(n)
		} else {
			count *= math.Pi
		}
	}
	return count
}

// spotOf returns where a leaf stands before it is moved.
func spotOf(l *tree.Leaf) spot {
	p := spot{point: l.Point, node: l.Node, place: l.Place.Text(), deriv: l.Deriv.Kind != tree.NoDeriv}
	if l.Label != nil {
		p.bound = l.Label.Bound
		if l.Label.Name != nil {
			p.name = l.Label.Name.Text
		}
	}
	return p
}

// even reports whether the coefficients cancel at every place, up to the rounding of their sum. A
// derivative never does: it speaks of f beside the point.
func (e *evenness) even() bool {
	for p, sum := range e.sums {
		if p.deriv || !(math.Abs(sum) <= 1e-12*e.size[p]) {
			return false
		}
	}
	return true
}
