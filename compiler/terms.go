package compiler

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// mostTerms bounds the terms of a linear expression that are compared with each other.
const mostTerms = 64

// terms returns the coefficients of an expression's functionals, by name; nil where it is not a literal linear combination of few.
func (n *node) terms() map[string]float64 {
	out := map[string]float64{}
	var add func(n *node, c float64, by polynomial) bool
	add = func(n *node, c float64, by polynomial) bool {
		switch {
		case n.op == opLeaf:
			for product, d := range by {
				out[product+" times "+n.leaf.identity()] += c * d
			}
			return len(out) <= mostTerms
		case n.op == opNeg:
			c = -c
		case n.op == opScale && n.by != nil:
			if by = by.times(n.by.polynomial()); by == nil {
				return false
			}
		case n.op == opScale:
			c *= n.num
		case n.op == opMean && n.quant == nil:
			c /= float64(len(n.kids))
		case n.op == opConst:
			return n.num == 0
		case n.op != opAdd && n.op != opSum || n.quant != nil:
			return false
		}
		return !slices.ContainsFunc(n.kids, func(k *node) bool { return !add(k, c, by) })
	}
	if !add(n, 1, polynomial{"": 1}) {
		return nil
	}
	return out
}

// identity names a functional: its point, where on a path, moved by what, its label and its derivative.
func (l *leaf) identity() string {
	var b strings.Builder
	b.WriteString(l.point.identity())
	if l.node != nil {
		fmt.Fprintf(&b, "@%d", l.node.id)
	}
	b.WriteString(l.place.text())
	for _, m := range l.maps {
		b.WriteString(" " + m.identity())
	}
	switch {
	case l.label == nil:
	case l.label.bound != nil:
		b.WriteString(" of " + l.label.bound.identity())
	default:
		fmt.Fprintf(&b, " of %q", l.label.name.text)
	}
	derived := []string{l.deriv.identity(), l.again.identity()}
	slices.Sort(derived) // in any order
	return b.String() + " derived " + strings.Join(derived, " and ")
}

// identity names what is derived along.
func (d *derivative) identity() string {
	s := strconv.Itoa(int(d.kind))
	if d.column != nil {
		s += fmt.Sprintf(" %q %v", d.column.text, d.raw)
	}
	if d.along != nil {
		s += " " + d.along.identity()
	}
	return s
}

// identity names a variable by its index set and its place in an element of that.
func (v *variable) identity() string { return fmt.Sprintf("%d.%d", v.axis.id, v.slot) }

// identity names a transformation.
func (m *mapping) identity() string {
	if m.bound != nil {
		return m.bound.identity()
	}
	return m.schema.Name + argsKey(m.args)
}

// cancels reports whether a sum is zero whatever f is, as f(x) − f(x) is.
func cancels(_ []judged, n *node) bool {
	terms := n.terms()
	for _, c := range terms {
		if c != 0 {
			return false
		}
	}
	return terms != nil
}

// symmetric reports whether the parts are linear, and the negative of each is among them: max {e, −e} is |e|.
func symmetric(parts []judged, n *node) bool {
	if n.quant != nil || len(n.kids) > mostTerms || !allLinear(parts, n) {
		return false
	}
	all := make([]map[string]float64, len(n.kids))
	for i, k := range n.kids {
		if all[i] = k.terms(); all[i] == nil {
			return false
		}
	}
	return !slices.ContainsFunc(all, func(a map[string]float64) bool {
		return !slices.ContainsFunc(all, func(b map[string]float64) bool { return opposite(a, b) })
	})
}

// opposite reports whether one linear combination is minus the other.
func opposite(a, b map[string]float64) bool {
	for name, c := range a {
		if b[name] != -c {
			return false
		}
	}
	for name, c := range b {
		if a[name] != -c {
			return false
		}
	}
	return true
}

// leastFactor and mostFactor bound what multiplies a part: R holds its square.
const leastFactor, mostFactor = 1e-150, 1e150

// boundedFactor says what is wrong with a factor whose square overflows or vanishes; empty where nothing is.
func boundedFactor(c float64) string {
	if c = math.Abs(c); c >= leastFactor && c <= mostFactor {
		return ""
	}
	return fmt.Sprintf("R holds the square of what is multiplied, and that of %.3g is no number that floating point has.", c)
}

// representable reports factors whose product along a part is out of bounds.
func (p *pass) representable(n *node, c float64) bool {
	if n.op == opScale && n.num != 0 {
		c *= n.num
	}
	if why := boundedFactor(c); why != "" {
		p.reportAt(n.from, &diag.Diagnostic{
			Code: OutOfRange, Summary: "the factors around " + text(n.kids[0].from.syntax) + " multiply to a number that is too far from one", Detail: why,
			Mend: fmt.Sprintf("Write factors between %g and %g.", leastFactor, mostFactor),
		})
		return false
	}
	return !slices.ContainsFunc(n.kids, func(k *node) bool { return !p.representable(k, c) })
}
