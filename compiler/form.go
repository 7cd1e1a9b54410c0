package compiler

import (
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A form is a gauge before its index sets are known: what gauge.Node is after. Its leaves |t| and [t]₊ hold linear
// expressions.
type form struct {
	op      gauge.Op
	linear  *node // of Abs and Pos
	kids    []*form
	weights []float64 // one for each kid; of a form over an index set one for all
	p       float64
	k       int
	mean    bool        // the weights are divided by the size of the index set
	quant   *quantifier // nil: a literal combination of kids
	from    origin      // of the expression that it stands for
}

// maxPieces bounds the linear pieces of which a positive part may be the maximum.
const maxPieces = 64

// formOf is the gauge of a judged, nonnegative expression; nil where there is none, which has been reported then.
func (p *pass) formOf(n *node) *form {
	switch n.op {
	case opAbs:
		if n.kids[0].kind == Linear && !n.kids[0].atLeastZero() {
			return &form{op: gauge.Abs, linear: n.kids[0], from: n.from}
		}
		return p.formOf(n.kids[0])
	case opPos:
		return p.positive(n.kids[0])
	case opScale:
		f := p.formOf(n.kids[0])
		if f == nil {
			return nil
		}
		if n.by != nil {
			return f.times(n.by)
		}
		return f.scaled(n.num)
	case opAdd:
		return p.combined(n, &form{op: gauge.Sum}, p.formOf)
	case opSum:
		return p.combined(n, &form{op: gauge.Sum}, p.formOf)
	case opMean:
		return p.combined(n, &form{op: gauge.Sum, mean: true}, p.formOf)
	case opTop:
		return p.combined(n, &form{op: gauge.Top, k: n.k}, p.formOf)
	case opNorm:
		f := &form{op: gauge.Norm, p: n.p, mean: n.mean}
		if n.p == 1 {
			f.op = gauge.Sum
		}
		return p.combined(n, f, p.formOf)
	case opMax:
		// Some part is nonnegative, so that the others count where they are positive alone.
		return p.combined(n, &form{op: gauge.Max}, p.positive)
	}
	p.noGauge(n)
	return nil
}

// combined fills in the kids of a form. Parts that are zero are left out.
func (p *pass) combined(n *node, f *form, of func(*node) *form) *form {
	f.quant, f.from = n.quant, n.from
	for _, k := range n.kids {
		if k.zero() {
			continue
		}
		kid := of(k)
		if kid == nil {
			return nil
		}
		f.kids = append(f.kids, kid)
	}
	if f.mean && f.quant == nil {
		f.mean = false
		f.weights = make([]float64, len(f.kids))
		for i := range f.weights {
			f.weights[i] = measured(f, 1/float64(len(n.kids)))
		}
	}
	return f
}

// scaled is c times the gauge, c > 0. A leaf's linear expression takes the factor, an inner node's weights.
func (f *form) scaled(c float64) *form {
	out := *f
	if f.linear != nil {
		out.linear = scale(c, f.linear)
		return &out
	}
	size := len(f.kids)
	out.weights = make([]float64, size)
	for i := range out.weights {
		out.weights[i] = c
		if f.weights != nil {
			out.weights[i] = c * f.weights[i]
		}
	}
	return &out
}

// times is the gauge times a number that data decide and do not make negative. The leaves take it.
func (f *form) times(by *node) *form {
	out := *f
	if f.linear != nil {
		out.linear = multiple(by, f.linear)
	}
	out.kids = make([]*form, len(f.kids))
	for i, k := range f.kids {
		out.kids[i] = k.times(by)
	}
	return &out
}

// multiple is a linear expression times a number that data decide.
func multiple(by, n *node) *node {
	if n.op == opConst {
		return n
	}
	return &node{op: opScale, by: by, kids: []*node{n}, from: n.from, judged: judged{kind: Linear}}
}

// measured is the weight in the form of an element whose measure is mu: mu itself in a sum, its p-th root in a p-norm.
func measured(f *form, mu float64) float64 {
	if f.op == gauge.Norm {
		return math.Pow(mu, 1/f.p)
	}
	return mu
}

// positive is the gauge of [e]₊.
func (p *pass) positive(n *node) *form {
	if n.sign == Nonnegative {
		return p.formOf(n)
	}
	pieces := 0
	m := p.maximum(n, &pieces)
	if m == nil {
		return nil
	}
	return p.positivePieces(m)
}

// positivePieces is the gauge of [max of linear pieces]₊: the maximum of their positive parts.
func (p *pass) positivePieces(n *node) *form {
	if n.op != opMax {
		return &form{op: gauge.Pos, linear: n, from: n.from}
	}
	f := &form{op: gauge.Max, quant: n.quant, from: n.from}
	for _, k := range n.kids {
		if k.op == opConst {
			continue // [0]₊
		}
		if kid := p.positivePieces(k); kid.linear != nil || len(kid.kids) > 0 {
			f.kids = append(f.kids, kid)
		}
	}
	if len(f.kids) == 1 && f.quant == nil {
		return f.kids[0]
	}
	return f
}

// maximum writes an expression as a maximum of linear ones, literally or over index sets: |l| is max {l, −l}, and a sum
// of maxima the maximum over all sums. It reports what has too many pieces, or is round.
func (p *pass) maximum(n *node, pieces *int) *node {
	if n.kind == Linear {
		if *pieces++; *pieces > maxPieces {
			p.noGauge(n)
			return nil
		}
		if n.zero() {
			return &node{op: opConst, from: n.from}
		}
		return n
	}
	switch n.op {
	case opAbs:
		if n.kids[0].kind != Linear {
			return p.maximum(n.kids[0], pieces)
		}
		*pieces += 2
		return &node{op: opMax, kids: []*node{n.kids[0], scale(-1, n.kids[0])}, from: n.from}
	case opPos:
		return p.maximumOf(n, pieces, &node{op: opConst, from: n.from})
	case opMax:
		return p.maximumOf(n, pieces)
	case opScale:
		m := p.maximum(n.kids[0], pieces)
		return mapPieces(m, func(l *node) *node {
			if n.by != nil {
				return multiple(n.by, l)
			}
			return scale(n.num, l)
		})
	case opAdd, opSum, opMean:
		if n.quant == nil {
			return p.sumOfMaxima(n, pieces)
		}
	}
	p.noGauge(n)
	return nil
}

func (p *pass) maximumOf(n *node, pieces *int, more ...*node) *node {
	out := &node{op: opMax, quant: n.quant, from: n.from}
	for _, k := range n.kids {
		m := p.maximum(k, pieces)
		if m == nil {
			return nil
		}
		out.kids = append(out.kids, m)
	}
	out.kids = append(out.kids, more...)
	if n.quant == nil || !n.quant.varies() {
		return out
	}
	// A maximum over nothing is zero.
	none := &node{op: opMax, quant: &quantifier{unless: n.quant}, kids: []*node{{op: opConst, from: n.from}}, from: n.from}
	return &node{op: opMax, kids: []*node{out, none}, from: n.from}
}

func (p *pass) sumOfMaxima(n *node, pieces *int) *node {
	factor := 1.0
	if n.op == opMean {
		factor = 1 / float64(len(n.kids))
	}
	var total *node
	for _, k := range n.kids {
		m := p.maximum(k, pieces)
		if m == nil {
			return nil
		}
		if factor != 1 {
			m = mapPieces(m, func(l *node) *node { return scale(factor, l) })
		}
		if total == nil {
			total = m
			continue
		}
		total = addMaxima(total, m)
		if countPieces(total) > maxPieces {
			p.noGauge(n)
			return nil
		}
	}
	return total
}

// addMaxima is the maximum over all sums of a piece of a and a piece of b.
func addMaxima(a, b *node) *node {
	switch {
	case a.op == opMax:
		return mapPieces(a, func(l *node) *node { return addMaxima(l, b) })
	case b.op == opMax:
		return mapPieces(b, func(l *node) *node { return addMaxima(a, l) })
	}
	from := a.from
	from.syntax = nil // the sum stands nowhere in the spec
	return &node{op: opAdd, kids: []*node{a, b}, from: from, judged: judged{kind: Linear}}
}

func mapPieces(n *node, f func(*node) *node) *node {
	if n == nil {
		return nil
	}
	if n.op != opMax {
		return f(n)
	}
	out := *n
	out.kids = make([]*node, len(n.kids))
	for i, k := range n.kids {
		out.kids[i] = mapPieces(k, f)
	}
	return &out
}

func countPieces(n *node) int {
	if n.op != opMax {
		return 1
	}
	total := 0
	for _, k := range n.kids {
		total += countPieces(k)
	}
	return total
}

// scale is c times a linear expression.
func scale(c float64, n *node) *node {
	if n.op == opConst {
		return n
	}
	return &node{op: opScale, num: c, kids: []*node{n}, from: n.from, judged: judged{kind: Linear}}
}

// noGauge reports an expression that is convex but has no gauge.
func (p *pass) noGauge(n *node) {
	p.reportAt(n.from, &diag.Diagnostic{
		Code: NoGauge, Summary: fmt.Sprintf("%s stands under a positive part or beside a larger one, where no gauge is known for it", text(n.from.syntax)),
		Detail: fmt.Sprintf("The expression is convex. But a positive part is computed for maxima of linear parts alone, at most %d of them beside index sets, and this is a norm, a sum over an index set of absolute values, or has more.", maxPieces),
		Mend:   "Take positive parts of linear expressions, and combine those.",
	})
}

// quadratic reports whether the square of the gauge is a quadratic function: sums of squares of |linear| alone.
func (f *form) quadratic() bool {
	switch {
	case f.op == gauge.Abs:
		return true
	case f.op == gauge.Norm && f.p == 2:
	case len(f.kids) == 1 && f.quant == nil:
	default:
		return false
	}
	for _, k := range f.kids {
		if !k.quadratic() {
			return false
		}
	}
	return true
}

// smooth reports whether the square of the gauge is differentiable everywhere: |t|² and [t]₊² are, a p-norm with
// 1 < p < ∞ keeps it, and a maximum or sum of several parts has kinks.
func (f *form) smooth() bool {
	switch {
	case f.linear != nil:
		return true
	case f.op == gauge.Norm:
	case len(f.kids) == 1 && f.quant == nil:
	default:
		return false
	}
	for _, k := range f.kids {
		if !k.smooth() {
			return false
		}
	}
	return true
}
