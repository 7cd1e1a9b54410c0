package compiler

import (
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

// An op is what a node of an expression does.
type op int

// The operations. max, sum, mean and norm combine several parts, or one part over an index set.
const (
	opConst op = iota // a number
	opLeaf            // f or a derivative of it at a point
	opAdd
	opNeg
	opScale // num, or by, times the part
	opMul   // of two parts that hold f
	opDiv   // by a part that holds f
	opAbs
	opPos
	opMax
	opSum
	opMean
	opNorm // the p-norm of the parts; with mean set, their power mean: rms is the power mean for p = 2
	opTop
	opMin
	opDatum // a number that data or what is bound decide
	opSqrt  // of a number
)

// A node is an expression with its names resolved: a function of f. Numbers are those of the pass's choice.
type node struct {
	op    op
	num   float64 // of opConst and opScale
	by    *node   // of opScale: the number in place of num, where data decide it
	p     float64 // of opNorm
	k     int     // of opTop
	mean  bool    // of opNorm
	kids  []*node
	leaf  *leaf
	datum *datum
	data  bool // it is a number, and data decide it
	// required says of a number that it must not be negative: grounding looks at it.
	required bool
	quant    *quantifier // of an aggregation over an index set
	// difference is what the sign of opNeg belongs to, nil where it stands alone.
	difference *dsl.Binary
	word       string // as the user wrote the operation: rms, hypot, norm(3)
	from       origin
	judged
}

// A quantifier is an index set, a product of axes, with a condition.
type quantifier struct {
	axes   []*axis
	where  *condition
	unless *quantifier // one element and no axes, there only where that other index set is empty
}

// varies reports whether what is bound around the quantifier decides which elements it has.
func (q *quantifier) varies() bool {
	return q.where != nil && len(q.where.others(q.axes, nil)) > 0
}

// An axis is one factor of an index set.
type axis struct {
	id      int
	kind    axisKind
	from    origin
	text    string
	word    string // what one element is called in messages
	graph   *graphFile
	fam     *family
	dom     *plugins.DomainSchema
	args    []*value
	maps    []*mapping // of setAxis over transformations
	names   []*value   // of setAxis over labels
	path    *axis      // of pathAxis: the axis whose point moves; of familyAxis with a path: the whole path
	lo      float64    // of pathAxis
	hi      float64
	hasPath bool // the domain binds a parameter, and path is its axis
	vars    []*variable
}

type axisKind int

const (
	rowAxis    axisKind = iota // the training rows
	labelAxis                  // all labels
	graphAxis                  // the edges of a graph
	familyAxis                 // a domain of a family
	mapAxis                    // a literal set of transformations
	namedAxis                  // a literal set of labels
	pathAxis                   // λ in [lo, hi]
)

// A varKind is what a variable is bound to.
type varKind int

const (
	pointVar varKind = iota
	labelVar
	paramVar
	mapVar
	weightVar
)

// String is used in messages: "a is a point".
func (k varKind) String() string {
	return [...]string{"a point", "a label", "a path's parameter", "a transformation", "an edge's weight"}[k]
}

// A variable is bound by an axis.
type variable struct {
	name string
	kind varKind
	axis *axis
	slot int // which of the axis's points, or which of its labels
}

// A mapping is a transformation of points: fixed, or that of a bound variable.
type mapping struct {
	fam    *family
	schema *plugins.MapSchema
	args   []*value
	from   origin
	text   string
	bound  *variable // the element of a mapAxis; the rest is nil then
}

// A leaf is a functional: f or a derivative of it, at a point that was moved by maps, with a label.
type leaf struct {
	point *variable
	place *station   // where on its path the point is; nil: where node says
	node  *axis      // the axis that gives the node of the point's path; nil where there is none
	maps  []*mapping // the innermost first
	label *labelRef  // nil: the point's own, where f is a function of the label too
	own   bool       // f is a function of the label too, and the label is the point's own
	deriv derivative
	again derivative // of a column, where the derivative along a column is derived again
}

// A labelRef is a label: of a variable, or by name.
type labelRef struct {
	bound *variable
	name  *value
}

type derivKind int

const (
	noDeriv     derivKind = iota
	pathDeriv             // along the path's parameter
	columnDeriv           // along a feature column
	mapDeriv              // along a transformation at the identity
)

// A derivative says along what f is derived.
type derivative struct {
	kind   derivKind
	column *value
	raw    bool // a column's, in the unit of the file
	along  *mapping
	text   string // λ, (area), t
}

// String returns the leaf as a user would write it; it shows the own label of x as y, and that of another point a as y(a).
func (l *leaf) String() string {
	shown, name := *l, func(v *variable) string { return v.name }
	if l.own {
		own := "y"
		if l.point.name != "x" {
			own += "(" + l.point.name + ")"
		}
		shown.label = &labelRef{name: &value{text: own}}
	}
	return shown.text(name)
}

// pointText writes the leaf's point, with names for its variables.
func (l *leaf) pointText(name func(*variable) string) string {
	point := name(l.point)
	if l.node != nil && l.deriv.kind != pathDeriv {
		point += "_" + greek(l.node.vars[0].name)
	}
	point += l.place.text()
	for _, m := range l.maps {
		fun := m.text
		if m.bound != nil {
			fun = name(m.bound)
		}
		point = fun + "(" + point + ")"
	}
	return point
}

// text writes the leaf, with names for its variables.
func (l *leaf) text(name func(*variable) string) string {
	args := []string{l.pointText(name)}
	switch {
	case l.label == nil:
	case l.label.bound != nil:
		args = append(args, name(l.label.bound))
	default:
		args = append(args, l.label.name.text)
	}
	s := "f(" + strings.Join(args, ", ") + ")"
	if l.deriv.kind != noDeriv {
		s = "d/d" + l.deriv.text + " " + s
	}
	if l.again.kind != noDeriv {
		s = "d/d" + l.again.text + " " + s
	}
	return s
}

func greek(name string) string {
	if name == "lambda" {
		return "λ"
	}
	return name
}

// dependsOn reports whether the node's value varies with one of the axes.
func (n *node) dependsOn(axes []*axis) bool {
	if n.leaf != nil && n.leaf.dependsOn(axes) {
		return true
	}
	if n.quant != nil && n.quant.where.dependsOn(axes) || n.by != nil && n.by.uses(axes) || n.datum != nil && n.uses(axes) {
		return true
	}
	for _, k := range n.kids {
		if k.dependsOn(axes) {
			return true
		}
	}
	return false
}

func (l *leaf) dependsOn(axes []*axis) bool {
	on := func(a *axis) bool {
		for _, b := range axes {
			if a == b {
				return true
			}
		}
		return false
	}
	if on(l.point.axis) || (l.node != nil && on(l.node)) || (l.label != nil && l.label.bound != nil && on(l.label.bound.axis)) {
		return true
	}
	for _, m := range l.maps {
		if m.bound != nil && on(m.bound.axis) {
			return true
		}
	}
	return l.deriv.along != nil && l.deriv.along.bound != nil && on(l.deriv.along.bound.axis)
}
