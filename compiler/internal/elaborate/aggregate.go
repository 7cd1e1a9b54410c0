package elaborate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// aggregate compiles an aggregation of a literal set, max {a, b}. The parts may be numbers and
// functions mixed: max {0, e} is as good as pos(e). A set of nothing is codes.WrongType.
func aggregate(p *names.Pass, e *dsl.Aggregate, sc *names.Scope) *tree.Node {
	n := aggregation(p, e.Op, sc)
	if n == nil {
		return nil
	}
	n.From = p.Origin(e)
	if len(e.Set.Elems) == 0 {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Set.Span(), Summary: e.Op.Name + " of nothing"})
		return nil
	}
	return parts(p, n, e.Set.Elems, sc)
}

// parts fills in the parts of an operation on several, and folds it where all are numbers. A set of
// numbers folds as the gauge would: max {1, 2} is 2. Where a part is faulty, the others are judged
// apart.
func parts(p *names.Pass, n *tree.Node, elems []dsl.Expr, sc *names.Scope) *tree.Node {
	if len(elems) == 0 {
		p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: n.From.Span, Summary: n.Word + " of nothing"})
		return nil
	}
	kids := tree.Each(elems, func(e dsl.Expr) *tree.Node { return Expr(p, e, sc) })
	if slices.Contains(kids, nil) {
		return judgeApart(p, kids...)
	}
	return made(p, n, kids...)
}

// judgeApart judges the sound parts of an expression of which another part is faulty. What is wrong
// in them is wrong whatever that one is meant to be. The expression itself is not known, so that
// the result is always nil.
func judgeApart(p *names.Pass, parts ...*tree.Node) *tree.Node {
	for _, n := range parts {
		if n != nil {
			j := Judge(p)
			j.Proves(n)
			Tell(p, j.Found)
		}
	}
	return nil
}

// aggregation returns the node of max, sum, mean, rms, norm(p), top(k) or min, without parts. rms
// is the power mean with p = 2. min is let through, as the calculus can say why it is not convex.
func aggregation(p *names.Pass, agg *dsl.Agg, sc *names.Scope) *tree.Node {
	n := &tree.Node{Word: agg.Name}
	switch agg.Name {
	case "max":
		n.Op = tree.OpMax
	case "min":
		n.Op = tree.OpMin
	case "sum":
		n.Op = tree.OpSum
	case tree.MeanWord:
		n.Op = tree.OpMean
	case "rms":
		n.Op, n.P, n.Mean = tree.OpNorm, 2, true
	case tree.NormWord, "top":
		return aggregationOf(p, n, agg, sc)
	default:
		p.Report(&diag.Diagnostic{Code: codes.UndefinedName, Subject: agg.Span(), Summary: agg.Name + " is not an aggregation", Mend: "Available: max, sum, mean, rms, norm(p), top(k)."})
		return nil
	}
	return n
}

// leastNorm and mostNorm bound the p of a norm. Beyond them it differs from sum and max by less than two parts in 10⁵ for a million elements.
const leastNorm, mostNorm = 1.000001, 1e6

// aggregationOf returns the node of norm(p) or top(k). A p-norm is convex for p ≥ 1 alone, since
// the triangle inequality fails below. The sum of the k largest parts needs a whole k ≥ 1. Both
// bounds are those of the gauges in docs/mathematics.md under Functions, functionals, gauges.
// Beyond the bounds the error is codes.OutOfRange, and says what would be meant.
func aggregationOf(p *names.Pass, n *tree.Node, agg *dsl.Agg, sc *names.Scope) *tree.Node {
	at := agg.Span()
	if agg.Arg == nil {
		p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: at, Summary: agg.Name + " needs a number", Mend: "Write norm(3) or top(5)."})
		return nil
	}
	q, ok := values.Plain(p, agg.Arg, sc)
	if !ok {
		return nil
	}
	n.Word = agg.Name + "(" + tree.Text(agg.Arg) + ")"
	switch {
	case agg.Name == tree.NormWord && (q.Value == 1 || q.Value >= leastNorm && q.Value <= mostNorm):
		n.Op, n.P = tree.OpNorm, q.Value
		return n
	case agg.Name == tree.NormWord && q.Value > 1:
		p.Report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("norm(%v) cannot be told from sum or max in floating point", q),
			Mend: fmt.Sprintf("Write sum or max, or a norm between %v and %v.", leastNorm, mostNorm),
		})
	case agg.Name == tree.NormWord:
		p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("norm(%v) is not convex", q), Detail: "A p-norm is convex for p ≥ 1 alone."})
	case q.Value >= 1 && q.Value == math.Trunc(q.Value) && q.Value <= math.MaxInt32:
		n.Op, n.K = tree.OpTop, int(q.Value)
		return n
	case q.Value > math.MaxInt32:
		p.Report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("top(%v) asks for more parts than any index set has", q),
			Detail: "The sum of all parts is sum.", Mend: "Write sum, or a number up to 2³¹ − 1.",
		})
	default:
		p.Report(&diag.Diagnostic{
			Code: codes.OutOfRange, Subject: agg.Arg.Span(), Summary: fmt.Sprintf("top(%s): the number of largest parts is a whole number from 1", tree.Text(agg.Arg)),
			Detail: share(agg.Arg), Mend: "Write a whole number, such as top(5).",
		})
	}
	return nil
}

// share says of a number in percent why it is not a count. It is empty for other numbers.
func share(e dsl.Expr) string {
	if !strings.HasSuffix(tree.Text(e), "%") {
		return ""
	}
	return "How many elements a share of them is, only data tell."
}

// quantified compiles AGG over BINDER, … where COND of BODY. The body must hold f: how often an
// index set repeats a number, only data decide. top(k) counts parts, of which a path has no number;
// the path's parameter is then to be bound inside. The errors are codes.ConstantBody and
// codes.WrongBinder.
func quantified(p *names.Pass, e *dsl.Quant, sc *names.Scope) *tree.Node {
	n := aggregation(p, e.Op, sc)
	q := &tree.Quantifier{}
	inner := bindAll(p, q, append([]*dsl.Binder{e.Bind}, e.More...), sc)
	if inner == nil {
		return nil // what the body says of the variables cannot be judged
	}
	ok := n != nil
	if e.Where != nil {
		q.Where = condition(p, e.Where, inner)
		ok = ok && q.Where != nil
	}
	body := Expr(p, e.Body, inner)
	if body == nil || !ok {
		return judgeApart(p, body)
	}
	n.Quant, n.Kids, n.From = q, []*tree.Node{body}, p.Origin(e)
	if body.Number() {
		constantBody(p, n, e)
		return nil
	}
	if !sampled(p, n, e) {
		return nil
	}
	bindParameters(q, body)
	if n.Op == tree.OpTop && slices.ContainsFunc(q.Axes, func(a *tree.Axis) bool { return a.Kind == tree.PathAxis }) {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongBinder, Subject: e.Op.Span(), Summary: fmt.Sprintf("%s counts the largest parts, and the path has no number of them", n.Word),
			Mend: "Bind the path's parameter inside: " + n.Word + " over pairs of max over λ in [0, 1] of ….",
		})
		return nil
	}
	return n
}

// sampled reports an aggregation that nothing stands for over an orbit, and returns false then. Means have the same
// value over a set and, but for an error, over a sample of it. Of maxima worst moves are searched. Sums count elements, of which an orbit has no number.
func sampled(p *names.Pass, n *tree.Node, e *dsl.Quant) bool {
	i := slices.IndexFunc(n.Quant.Axes, func(a *tree.Axis) bool { return a.Orbit != nil })
	if i < 0 || n.Op == tree.OpMean || n.Op == tree.OpNorm && n.Mean {
		return true
	}
	if n.Op == tree.OpMax {
		return searchable(p, n, n.Quant.Axes[i], e)
	}
	summary := fmt.Sprintf("%s counts elements, and an orbit has no number of them", n.Word)
	if n.Op == tree.OpMin {
		summary = "min over an orbit is not known from a sample of it"
	}
	p.Report(&diag.Diagnostic{Code: codes.WrongBinder, Subject: e.Op.Span(), Summary: summary, Mend: "Write rms, mean or max over the orbit."})
	return false
}

// searchable notes that a maximum is taken over an orbit, so that its worst moves are searched. It reports a maximum over two orbits, whose
// moves would have to be searched together, and returns false then.
func searchable(p *names.Pass, n *tree.Node, a *tree.Axis, e *dsl.Quant) bool {
	another := func(k *tree.Node) bool {
		return k.Quant != nil && slices.ContainsFunc(k.Quant.Axes, func(b *tree.Axis) bool { return b != a && b.Orbit != nil && (b.Orbit.Worst || k == n) })
	}
	if tree.Find(n.All(), another) != nil {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongBinder, Subject: e.Op.Span(), Summary: "a maximum over two orbits has no search of its worst moves",
			Detail: "The moves of both would have to be searched together.", Mend: "Write one orbit with the transformations of both.",
		})
		return false
	}
	worst := *a.Orbit // the moves that others draw stay as they are
	worst.Worst = true
	a.Orbit = &worst
	return true
}

// bindParameters adds the paths that the quantifier's index sets bring and that nobody within has
// bound. In rms over pairs of |d/dλ f|, λ is such a path. It becomes one more axis of the
// quantifier: the norm is over pairs and places together.
func bindParameters(q *tree.Quantifier, body *tree.Node) {
	for _, a := range slices.Clone(q.Axes) {
		if a.Path == nil || a.Kind == tree.PathAxis {
			continue
		}
		if own := a.Path; body.DependsOn([]*tree.Axis{own}) {
			q.Axes = append(q.Axes, own)
		}
	}
}

// constantBody reports a quantifier n whose body is a number. How often an index set has it, data
// decide. A sum of ones is as large as there are rows, and a mean over no elements is undefined.
// Where the number is the same for all data, the mend says it.
func constantBody(p *names.Pass, n *tree.Node, e *dsl.Quant) {
	mend := "Only data tell how many elements there are. For a sum over them write sum over … of what holds f; for a weight, a number before the invariance in regularize, where R² is multiplied by the number of rows already."
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
