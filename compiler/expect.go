package compiler

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// ofInvariance are the words of expectations that take the name of an invariance or a measure. All
// other figures are metrics, whose names package metric has.
var ofInvariance = []string{tree.KindWord, tree.ValueWord, tree.BrokenWord, tree.ViolationsWord}

// BrokenWord and ViolationsWord are figures that a report has of invariances. What is neither is a
// value. A kind is asked of no report, as the proof has it.
const (
	BrokenWord     = tree.BrokenWord
	ViolationsWord = tree.ViolationsWord
)

// The words for the rows that a figure is by. Without one it is by test rows, as metrics are: what
// holds of the rows that f was fitted to is a weaker test.
const (
	byTest  = "test"
	byTrain = "train"
)

// expectations compiles `expect COND`. It comes after regularize, as a run reports values of those
// invariances alone that R holds, and of measures. What needs no data is judged at once, on the first
// pass. An expectation that the proofs contradict is codes.Unmet. It is a warning, since R is what it
// is and a run is possible; only sipc check and run --expect make a status of it. A faulty expectation
// is an error, as a test that tests nothing would pass for one that holds.
func expectations(p *names.Pass) {
	p.Section, p.Place, p.Inlined = "expect", "expect", nil
	for _, decl := range p.Decls.Expects {
		claim := claimOf(p, decl.Cond)
		if claim == nil {
			continue
		}
		e := &tree.Expectation{Place: decl.Cond.Span(), Text: tree.Text(decl.Cond), Claim: claim}
		p.Out.Expectations = append(p.Out.Expectations, e)
		if found := e.Judge(withoutData); p.Choice == nil && found.Known && !found.Met {
			p.Warn(&diag.Diagnostic{Code: codes.Unmet, Subject: e.Place, Summary: "expected " + e.Text + ", found " + found.Found, Mend: "Change the expectation, or what it is about."})
		}
	}
}

// withoutData knows no figure. A run will, so that none is told of. NaN leaves open what depends on it
// (tree.Expectation.Judge).
func withoutData(*tree.Figure) (float64, string) { return math.NaN(), "" }

// claimOf compiles a condition on figures. Nil means that it is faulty, which is reported. Both sides
// of `and` and `or` are compiled even if one is faulty, so that each has its error. The syntax is that
// of conditions behind where; the names mean other things, as no row is bound here.
func claimOf(p *names.Pass, e dsl.Expr) *tree.Claim {
	switch e := dsl.Bare(e).(type) {
	case *dsl.Not:
		if k := claimOf(p, e.X); k != nil {
			return &tree.Claim{Op: "not", Kids: []*tree.Claim{k}}
		}
		return nil
	case *dsl.Binary:
		switch e.Op {
		case "and", "or":
			x, y := claimOf(p, e.X), claimOf(p, e.Y)
			if x == nil || y == nil {
				return nil
			}
			return &tree.Claim{Op: e.Op, Kids: []*tree.Claim{x, y}}
		case "==", "!=", "<", "<=", ">", ">=":
			return comparisonOf(p, e)
		case "in":
			return claimAmong(p, e)
		}
	}
	p.Report(&diag.Diagnostic{
		Code: codes.WrongCondition, Subject: e.Span(), Summary: tree.Text(e) + " is not a condition",
		Mend: "Compare two numbers, as in expect " + aMetric(p) + " > 0.9.",
	})
	return nil
}

// aMetric returns a metric of the target, for examples in messages.
func aMetric(p *names.Pass) string { return metric.Names(string(p.Out.Data.Target.Task))[0] }

// claimAmong compiles membership, which stands for comparisons as it does behind where:
//
//	kind(a) in {seminorm, sublinear}  =  kind(a) == seminorm or kind(a) == sublinear
//	rmse in [0, 3]                    =  rmse >= 0 and rmse <= 3
//
// A let may hold the set or the interval. Nil means that it is faulty, which is reported.
func claimAmong(p *names.Pass, e *dsl.Binary) *tree.Claim {
	listed := dsl.Bare(e.Y)
	if id, named := listed.(*dsl.Ident); named {
		if p.Unknown(id.Name) || values.Circular(p, id.Name) {
			return nil // what a statement declares that failed
		}
		values.Use(p, id.Name)
		listed = values.NamedSet(p, id.Name)
	}
	var all []*tree.Claim
	add := func(op string, value dsl.Expr) {
		all = append(all, comparisonOf(p, &dsl.Binary{At: e.At, Op: op, OpPos: e.OpPos, X: e.X, Y: value}))
	}
	joined := "or"
	switch listed := listed.(type) {
	case *dsl.Interval:
		joined = "and"
		if add(">=", listed.Lo); all[0] != nil { // what is wrong with the figure is said once
			add("<=", listed.Hi)
		}
		if emptyClaim(p, listed, all) {
			return nil
		}
	case *dsl.Set:
		for _, value := range listed.Elems {
			if add("==", value); all[len(all)-1] == nil {
				break
			}
		}
	default:
		p.Report(&diag.Diagnostic{
			Code: codes.WrongCondition, Subject: e.Y.Span(), Summary: tree.Text(e.Y) + " is not a set of values",
			Mend: "Write an interval, as in expect " + aMetric(p) + " in [0.8, 1], or the kinds: kind(NAME) in {seminorm, sublinear}.",
		})
		return nil
	}
	if slices.Contains(all, nil) {
		return nil
	}
	claim := all[0]
	for _, c := range all[1:] {
		claim = &tree.Claim{Op: joined, Kids: []*tree.Claim{claim, c}}
	}
	return claim
}

// emptyClaim reports an interval of two numbers that holds none, and returns true then. All are the comparisons with its ends:
//
//	rmse in [5, 0]     no run has a figure between them
//	rmse in [a, b]     of lets, judged by their values
//
// A faulty comparison is nil, and decides nothing.
func emptyClaim(p *names.Pass, e *dsl.Interval, all []*tree.Claim) bool {
	if slices.Contains(all, nil) || all[0].Y == nil || !all[0].Y.Known() || !all[1].Y.Known() {
		return false
	}
	return values.EmptyInterval(p, e, all[0].Y.Number(), all[1].Y.Number())
}

// comparisonOf compiles a comparison of two numbers, or of a kind with a word. The kind may stand on
// either side. A comparison of numbers that are known tests nothing, and is refused as a slip.
func comparisonOf(p *names.Pass, e *dsl.Binary) *tree.Claim {
	c := &tree.Claim{Op: e.Op}
	kind, word := dsl.Bare(e.X), dsl.Bare(e.Y)
	if isKind(word) {
		kind, word = word, kind
	}
	if isKind(kind) {
		return kindClaim(p, c, e, kind.(*dsl.Call), word) //nolint:forcetypeassert // isKind says so
	}
	if c.X = amountOf(p, e.X); c.X == nil {
		return nil // a misspelt kind leaves a word on the other side
	}
	if c.Y = amountOf(p, e.Y); c.Y == nil {
		return nil
	}
	if c.X.Known() && c.Y.Known() {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongCondition, Subject: e.Span(), Summary: tree.Text(e) + " names no figure, and is the same in every run",
			Mend: "Name a metric, as " + aMetric(p) + ", or value(NAME), broken(NAME) or kind(NAME) of an invariance or a measure.",
		})
		return nil
	}
	if aboveAll(p, c.X, c.Y, e.Y) || aboveAll(p, c.Y, c.X, e.X) {
		return nil
	}
	return c
}

// aboveAll reports a number above 1 beside a figure that is a share, and returns true then (codes.OutOfRange). The comparison would say the
// same in every run. Percentages are often meant:
//
//	accuracy > 90     for accuracy > 90%
//	broken(a) < 5     for broken(a) < 5%
func aboveAll(p *names.Pass, figure, beside *tree.Amount, written dsl.Expr) bool {
	f := figure.Figure
	if f == nil || !beside.Known() || !(beside.Number() > 1) || f.Word != tree.BrokenWord && !metric.AtMostOne(f.Word) {
		return false
	}
	d := &diag.Diagnostic{Code: codes.OutOfRange, Subject: written.Span(), Summary: fmt.Sprintf("%s is at most 1, and %s is more", f.Word, tree.Text(written)), Mend: "Compare it with a number up to 1."}
	n, plain := dsl.Bare(written).(*dsl.Number)
	if !plain || beside.Number() > 100 {
		p.Report(d)
		return true
	}
	write := tree.Text(n) + "%"
	d.Mend = "Write " + write + "."
	p.Offer(p.Report(d), "write "+write, written.Span(), write)
	return true
}

// isKind reports whether an expression is kind(NAME), by its syntax alone. All other figures are
// numbers, so that this decides what the other side of a comparison may be.
func isKind(e dsl.Expr) bool {
	call, ok := e.(*dsl.Call)
	return ok && call.Fun.Name == tree.KindWord
}

// kindClaim compiles kind(NAME) == WORD. The kinds are those that explain and reports show. Only == and
// != compare them: every seminorm is sublinear as a function, but the word sublinear says that a proof
// found no absolute homogeneity.
func kindClaim(p *names.Pass, c *tree.Claim, e *dsl.Binary, call *dsl.Call, word dsl.Expr) *tree.Claim {
	f := figureCall(p, call)
	if e.Op != "==" && e.Op != "!=" {
		p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: e.Span(), Summary: "kinds have no order", Mend: "Write == or !=."})
		return nil
	}
	switch w := word.(type) {
	case *dsl.Ident:
		c.Want = w.Name
	case *dsl.String:
		c.Want = w.Value
	}
	kinds := []string{tree.Seminorm.String(), tree.Sublinear.String(), tree.SmoothSeminorm}
	if !slices.Contains(kinds, c.Want) {
		p.Misnamed(c.Want, kinds, &diag.Diagnostic{Code: codes.UnknownChoice, Subject: word.Span(), Summary: tree.Text(word) + " is not a kind"})
		return nil
	}
	if f == nil {
		return nil
	}
	c.Kind = f.Of
	return c
}

// amountOf compiles a number of an expectation: a figure, a number of the spec, or arithmetic of these.
// A number of the spec is a literal or a let, evaluated as everywhere (values.Plain): it has no unit and
// no grid. Nil means that the number is faulty, which is reported. A kind is not a number.
func amountOf(p *names.Pass, e dsl.Expr) *tree.Amount {
	switch e := dsl.Bare(e).(type) {
	case *dsl.Neg:
		if x := amountOf(p, e.X); x != nil {
			return &tree.Amount{Op: "-", Kids: []*tree.Amount{x}}
		}
		return nil
	case *dsl.Binary:
		if !values.Compares(e) {
			return calculated(p, e)
		}
	case *dsl.Ident:
		if f, is := metricNamed(p, e); is {
			return f
		}
	case *dsl.Call:
		if isKind(e) {
			p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is not a number", Mend: "Compare it with a kind alone: " + tree.Text(e) + " == seminorm."})
			return nil
		}
		if e.Fun.Name != tree.GridWord {
			if f := figureCall(p, e); f != nil {
				return &tree.Amount{Figure: f}
			}
			return nil
		}
	}
	if q, ok := values.Plain(p, e, nil); ok {
		return &tree.Amount{Num: q.Value}
	}
	return nil
}

// calculated compiles arithmetic. What is known without a run must be finite (codes.OutOfRange), and
// nothing is divided by a zero. A comparison with either would never hold, or always.
func calculated(p *names.Pass, e *dsl.Binary) *tree.Amount {
	x, y := amountOf(p, e.X), amountOf(p, e.Y)
	if x == nil || y == nil {
		return nil
	}
	a := &tree.Amount{Op: e.Op, Kids: []*tree.Amount{x, y}}
	wrong := &diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Span(), Summary: tree.Text(e) + " is not a finite number"}
	switch {
	case e.Op == "/" && y.Known() && y.Number() == 0:
		wrong.Subject, wrong.Summary = e.Y.Span(), "division by zero"
	case !a.Known() || !math.IsInf(a.Number(), 0):
		return a
	}
	p.Report(wrong)
	return nil
}

// metricNamed compiles the name of a metric. It returns false for a let, which the caller evaluates. A
// metric hides a let of its name, as what a report calls accuracy is accuracy here. A name that is
// neither is reported, with the nearest of those that the target has. People write the name of an
// invariance alone; then the detail says what there is to ask of it.
func metricNamed(p *names.Pass, id *dsl.Ident) (*tree.Amount, bool) {
	task := p.Out.Data.Target.Task
	known := metric.Names(string(task))
	switch {
	case slices.Contains(known, id.Name):
		return &tree.Amount{Figure: &tree.Figure{Word: id.Name}}, true
	case p.Decls.Lets[id.Name] != nil || task == setting.NoTask || p.Poison[id.Name]:
		return nil, p.Decls.Lets[id.Name] == nil
	}
	d := &diag.Diagnostic{Code: codes.UndefinedName, Subject: id.Span(), Summary: fmt.Sprintf("%s is not a figure that a run reports of a %s target", names.Shown(id), task)}
	if slices.Contains(ofInvariance, id.Name) || p.Decls.Invariance[id.Name] != nil {
		name := "NAME"
		if p.Decls.Invariance[id.Name] != nil {
			name = id.Name
		}
		d.Detail = fmt.Sprintf("Of an invariance or a measure a run reports kind(%[1]s), value(%[1]s) and, if it is one-sided, broken(%[1]s).", name)
	}
	p.MisnamedAmong(id.Name, append(names.Of(known...), p.Declared.Lets()), d)
	return nil, true
}

// figureCall compiles kind(NAME), value(NAME), broken(NAME, train) and violations(NAME). Nil means that
// the call is faulty, which is reported, or that the invariance is, which has been reported where it is
// declared. The codes are codes.UndefinedName, codes.UnknownInvariance, codes.UnknownChoice and
// codes.WrongType.
func figureCall(p *names.Pass, e *dsl.Call) *tree.Figure {
	word := e.Fun.Name
	if !slices.Contains(ofInvariance, word) {
		p.Misnamed(word, ofInvariance, &diag.Diagnostic{Code: codes.UndefinedName, Subject: e.Fun.Span(), Summary: names.Shown(e.Fun) + " is not a figure that a run reports"})
		return nil
	}
	form := word + "(NAME)"
	if word == tree.ValueWord || word == tree.BrokenWord {
		form += " or " + word + "(NAME, train)"
	}
	f := &tree.Figure{Word: word}
	args := argumentNames(e)
	switch {
	case len(args) == 0 || len(args) > 2 || len(args) == 2 && !strings.Contains(form, byTrain):
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " does not name one invariance or measure", Mend: "Write " + form + "."})
		return nil
	case len(args) == 2 && args[1].Name != byTrain && args[1].Name != byTest:
		p.Misnamed(args[1].Name, []string{byTest, byTrain}, &diag.Diagnostic{Code: codes.UnknownChoice, Subject: args[1].Span(), Summary: "a figure is by the rows test or train, not " + names.Shown(args[1])})
		return nil
	}
	f.Train = len(args) == 2 && args[1].Name == byTrain
	if f.Of = invarianceNamed(p, args[0]); f.Of == nil || !reportedOf(p, f, e) {
		return nil
	}
	return f
}

// invarianceNamed returns a declared invariance or measure. Nil means that there is none, which is
// reported with the nearest one, or that it has errors of its own. Nothing more is said of those: what
// is wrong with an expectation of a faulty statement may follow from the fault. A name that a statement
// declares which failed to parse is poison, as everywhere.
func invarianceNamed(p *names.Pass, id *dsl.Ident) *tree.Invariance {
	i := slices.IndexFunc(p.Out.Invariances, func(inv *tree.Invariance) bool { return inv.Name == id.Name })
	switch {
	case i >= 0 && p.Out.Invariances[i].Form != nil:
		return p.Out.Invariances[i]
	case i < 0 && !p.Poison[id.Name]:
		p.MisnamedAmong(id.Name, names.Known{p.Declared.Invariances()}, &diag.Diagnostic{Code: codes.UnknownInvariance, Subject: id.Span(), Summary: "no invariance or measure is called " + names.Shown(id)})
	}
	return nil
}

// argumentNames returns the arguments of a call if all are bare names, and else none. What is wrong
// with others is said of the whole call.
func argumentNames(e *dsl.Call) []*dsl.Ident {
	var out []*dsl.Ident
	for _, a := range e.Args {
		id, ok := a.Value.(*dsl.Ident)
		if !ok || a.Name != nil {
			return nil
		}
		out = append(out, id)
	}
	return out
}

// reportedOf returns false for a figure that no run reports, and reports it (codes.WrongType). Three
// have no number. No row breaks a statement that is two-sided. Decided labels violate nothing where the
// target has no labels. And a run measures no invariance that neither R nor a measure holds. A figure
// that a run may know, as the share of rows that a statement says nothing of, is left to the run.
func reportedOf(p *names.Pass, f *tree.Figure, e *dsl.Call) bool {
	in := slices.ContainsFunc(p.Out.Regularized, func(t *tree.Term) bool { return t.Inv == f.Of })
	wrong := &diag.Diagnostic{Code: codes.WrongType, Subject: e.Span()}
	switch {
	case f.Word == tree.BrokenWord && f.Of.Root.Kind != tree.Sublinear:
		wrong.Summary = fmt.Sprintf("no row breaks %s, which is a %s", f.Of.Name, tree.KindOf(f.Of))
		wrong.Mend = fmt.Sprintf("Rows break one-sided statements. Write value(%s).", f.Of.Name)
	case f.Word == tree.ViolationsWord && p.Out.Data.Target.Task != setting.Multilabel && !p.Broken.Data:
		wrong.Summary, wrong.Mend = "violations are of decided labels, and the target has none", fmt.Sprintf("Write value(%[1]s) or broken(%[1]s).", f.Of.Name)
	case f.Word != tree.KindWord && !in && !f.Of.Decl.Measures() && len(p.Lost) == 0 && !p.Broken.Regularize:
		wrong.Summary, wrong.Mend = fmt.Sprintf("a run reports nothing of %s, as regularize does not take it", f.Of.Name), "Declare it as a measure, or add it to regularize."
	default:
		return true
	}
	p.Report(wrong)
	return false
}

// An Expected is what became of an expectation in a run. Place is that of the condition in the spec.
type Expected struct {
	Place diag.Span
	Text  string // the condition
	Found string // the figures that it names, with their values
	Met   bool
}

// Expected compares the expectations with what a run reported. The callback returns a metric, or what
// is reported of the named invariance, by the training rows if train says so. It returns why there is
// no value, or "". What is not known is not met, as a test that could not be made has not passed.
func (in *Instance) Expected(reported func(word, of string, train bool) (float64, string)) []Expected {
	var out []Expected
	for _, e := range in.Expectations {
		f := e.Judge(func(f *tree.Figure) (float64, string) {
			if f.Of == nil {
				return reported(f.Word, "", false)
			}
			return reported(f.Word, f.Of.Name, f.Train)
		})
		out = append(out, Expected{e.Place, e.Text, f.Found, f.Known && f.Met})
	}
	return out
}
