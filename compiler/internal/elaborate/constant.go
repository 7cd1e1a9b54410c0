package elaborate

import (
	"fmt"
	"strconv"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// constantBody reports a quantifier n whose body is a number. How often an index set has it, data decide: a sum of ones is as many as
// there are rows, and a mean over a set without elements is no one. What it comes to for all data is said where there is such a number.
func constantBody(p *names.Pass, n *tree.Node, e *dsl.Quant) {
	mend := "How many elements there are is known with the data alone; write the number that is meant."
	if n.Kids[0].Data {
		p.Report(&diag.Diagnostic{
			Code: codes.ConstantBody, Subject: e.Span(), Summary: tree.Text(e.Body) + " holds no f", Detail: "It is a number that the data decide, whatever f is.",
			Mend: "Multiply a part that holds f by it; f alone is the function that is looked for.",
		})
		return
	}
	v, known := calculus.OfConstant(n)
	number := strconv.FormatFloat(v, 'g', -1, 64)
	if known {
		mend = "Write " + number + "."
	}
	d := p.Report(&diag.Diagnostic{
		Code: codes.ConstantBody, Subject: e.Span(), Summary: fmt.Sprintf("%s holds no f", tree.Text(e.Body)),
		Detail: fmt.Sprintf("What %s over an index set makes of a number depends on how many elements the set has.", n.Word), Mend: mend,
	})
	if known {
		p.Offer(d, "write "+number, e.Span(), number)
	}
}
