package compiler

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// constantBody reports a quantifier n whose body is a number. How often an index set has it, data decide: a sum of ones is as many as
// there are rows, and a mean over a set without elements is no one. What it comes to for all data is said where there is such a number.
func (p *pass) constantBody(n *tree.Node, e *dsl.Quant) {
	mend := "How many elements there are is known with the data alone; write the number that is meant."
	if n.Kids[0].Data {
		p.report(&diag.Diagnostic{
			Code: codes.ConstantBody, Subject: e.Span(), Summary: tree.Text(e.Body) + " holds no f", Detail: "It is a number that the data decide, whatever f is.",
			Mend: "Multiply a part that holds f by it; f alone is the function that is looked for.",
		})
		return
	}
	v, known := ofConstant(n)
	number := strconv.FormatFloat(v, 'g', -1, 64)
	if known {
		mend = "Write " + number + "."
	}
	d := p.report(&diag.Diagnostic{
		Code: codes.ConstantBody, Subject: e.Span(), Summary: fmt.Sprintf("%s holds no f", tree.Text(e.Body)),
		Detail: fmt.Sprintf("What %s over an index set makes of a number depends on how many elements the set has.", n.Word), Mend: mend,
	})
	if known {
		p.offer(d, "write "+number, e.Span(), number)
	}
}

// ofConstant returns what a quantifier over a number comes to, where that is the same for all data.
func ofConstant(n *tree.Node) (v float64, known bool) {
	c := n.Kids[0].Num
	if c == 0 {
		return 0, true
	}
	count, size, counted := 1, 1.0, true
	for _, a := range n.Quant.Axes {
		switch a.Kind {
		case tree.MapAxis:
			count *= len(a.Maps)
		case tree.NamedAxis:
			count *= len(a.Names)
		case tree.PathAxis:
			size *= a.Hi - a.Lo
		case tree.RowAxis, tree.LabelAxis, tree.GraphAxis, tree.FamilyAxis:
			counted = false
		}
	}
	size *= float64(count)
	some := n.Quant.Where == nil // index sets that data leave empty are errors, but for conditions
	switch n.Op {
	case tree.OpMax, tree.OpMin, tree.OpMean:
		return c, some
	case tree.OpSum:
		v = c * size
	case tree.OpTop:
		v = c * float64(min(n.K, count))
	default:
		if n.Mean {
			return math.Abs(c), some
		}
		v = math.Abs(c) * math.Pow(size, 1/n.P)
	}
	return v, counted && some
}
