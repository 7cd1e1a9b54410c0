package compiler

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// constantBody reports a quantifier n whose body is a number. How often an index set has it, data decide: a sum of ones is as many as
// there are rows, and a mean over a set without elements is no one. What it comes to for all data is said where there is such a number.
func (p *pass) constantBody(n *node, e *dsl.Quant) {
	mend := "How many elements there are is known with the data alone; write the number that is meant."
	if n.kids[0].data {
		p.report(&diag.Diagnostic{
			Code: ConstantBody, Subject: e.Span(), Summary: text(e.Body) + " holds no f", Detail: "It is a number that the data decide, whatever f is.",
			Mend: "Multiply a part that holds f by it; f alone is the function that is looked for.",
		})
		return
	}
	v, known := n.ofConstant()
	number := strconv.FormatFloat(v, 'g', -1, 64)
	if known {
		mend = "Write " + number + "."
	}
	d := p.report(&diag.Diagnostic{
		Code: ConstantBody, Subject: e.Span(), Summary: fmt.Sprintf("%s holds no f", text(e.Body)),
		Detail: fmt.Sprintf("What %s over an index set makes of a number depends on how many elements the set has.", n.word), Mend: mend,
	})
	if known {
		p.offer(d, "write "+number, e.Span(), number)
	}
}

// ofConstant returns what a quantifier over a number comes to, where that is the same for all data.
func (n *node) ofConstant() (v float64, known bool) {
	c := n.kids[0].num
	if c == 0 {
		return 0, true
	}
	count, size, counted := 1, 1.0, true
	for _, a := range n.quant.axes {
		switch a.kind {
		case mapAxis:
			count *= len(a.maps)
		case namedAxis:
			count *= len(a.names)
		case pathAxis:
			size *= a.hi - a.lo
		case rowAxis, labelAxis, graphAxis, familyAxis:
			counted = false
		}
	}
	size *= float64(count)
	some := n.quant.where == nil // index sets that data leave empty are errors, but for conditions
	switch n.op {
	case opMax, opMin, opMean:
		return c, some
	case opSum:
		v = c * size
	case opTop:
		v = c * float64(min(n.k, count))
	default:
		if n.mean {
			return math.Abs(c), some
		}
		v = math.Abs(c) * math.Pow(size, 1/n.p)
	}
	return v, counted && some
}
