package elaborate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// leibniz reports df/dage, df/d(age) and d(f)/d(age), which is how mathematics writes the derivative d/d(age) f.
// It parses as a quotient of two names, and the error would else be that neither is declared.
func leibniz(p *names.Pass, e *dsl.Binary) bool {
	top := e.X
	if neg, ok := top.(*dsl.Neg); ok {
		top = neg.X
	}
	id, f := differential(top)
	if e.Op != "/" || f == "" || Declared(p, id) {
		return false
	}
	along, args := dsl.Called(e.Y)
	if along == nil || along.Name[0] != 'd' || Declared(p, along) {
		return false
	}
	var write string
	switch {
	case len(args) == 1 && along.Name == "d":
		write = "d/d(" + tree.Text(args[0].Value) + ") " + f
	case along.Name == "dlambda":
		write = "d/d" + names.Shown(along)[1:] + " " + f
	case len(args) == 0 && len(along.Name) > 1:
		write = "d/d(" + names.Shown(along)[1:] + ") " + f
	default:
		return false
	}
	at := id.Span().To(e.Y.Span())
	d := p.Report(&diag.Diagnostic{Code: codes.UndefinedName, Subject: at, Summary: tree.Text(top) + "/" + tree.Text(e.Y) + " is not a derivative in this language", Mend: "Write " + write + "."})
	p.Offer(d, "write "+write, at, write)
	return true
}

// differential returns what a derivative is of, as the top of a quotient names it: df or d(f). It is empty for anything else.
func differential(top dsl.Expr) (d *dsl.Ident, of string) {
	id, args := dsl.Called(top)
	switch {
	case id == nil:
	case id.Name == "d" && len(args) == 1:
		of = tree.Text(args[0].Value)
	case id.Name == "df" && len(args) == 0:
		of = "f"
	}
	return id, of
}

// notCondition reports what stands in the place of a condition. A name that stands for nothing may be that of a column, or of a
// condition that is yet to be declared.
func notCondition(p *names.Pass, e dsl.Expr, sc *names.Scope) {
	d := &diag.Diagnostic{Code: codes.WrongCondition, Subject: e.Span(), Summary: tree.Text(e) + " is not a condition", Mend: `Write a comparison: where region == "north".`}
	id, args := dsl.Called(e)
	if id != nil && !quoted(id) && sc.Lookup(id.Name) == nil && standsForElse(p, id, e, d) {
		p.Report(d)
		return
	}
	if id == nil || len(args) > 2 || sc.Lookup(id.Name) != nil || quoted(id) || isSomething(p, id) {
		p.Report(d)
		return
	}
	known, declare := p.Declared.Lets(), "let %s = age < 30"
	if _, calls := e.(*dsl.Call); calls {
		known = p.Declared.Defs()
		declare = []string{"def %s() = age < 30", "def %s(a) = age(a) < 30", "def %s(a, b) = age(a) < age(b)"}[len(args)]
	}
	if best := names.Nearest(p, id.Name, names.Known{known}); best != "" {
		p.Misnamed(id.Name, []string{best}, d)
		return
	}
	if len(args) < 2 {
		d.Mend = fmt.Sprintf(`If %[1]s is a column, compare it: %[1]s == "north", or %[1]s == 1. `, tree.Text(e))
	}
	d.Mend += "For a condition of that name declare it: " + fmt.Sprintf(declare, names.Shown(id)) + "."
	p.Report(d)
}

// standsForElse completes a diagnostic of a name in the place of a condition. The spec declares it as something else: a number, an
// expression of f, an invariance. It returns false where it is none of these.
func standsForElse(p *names.Pass, id *dsl.Ident, e dsl.Expr, d *diag.Diagnostic) bool {
	const chooses = "A condition chooses elements by the data alone."
	switch let, def := p.Decls.Lets[id.Name], p.Decls.Defs[id.Name]; {
	case p.Decls.Invariance[id.Name] != nil:
		d.Summary, d.Detail, d.Mend = names.Shown(id)+" is an invariance, and not a condition", chooses, `Compare columns: where region == "north".`
	case let != nil:
		d.Summary, d.Mend = fmt.Sprintf("%s is %s, and not a condition", names.Shown(id), tree.Text(let.Value)), fmt.Sprintf("Compare it with a column: where age > %s.", names.Shown(id))
		if _, isNumber := dsl.Bare(let.Value).(*dsl.Number); !isNumber {
			d.Mend = `Write a comparison: where region == "north".`
		}
	case def != nil:
		d.Summary, d.Detail = tree.Text(e)+" is an expression, and not a condition", chooses
		d.Mend = fmt.Sprintf("Compare columns in a definition: def %s(a) = age(a) < 30.", names.Shown(id))
	default:
		return false
	}
	return true
}

// ofF reports f in a condition, and returns true then: what chooses elements must not depend on f.
func ofF(p *names.Pass, id *dsl.Ident) bool {
	if id.Name != "f" || quoted(id) {
		return false
	}
	p.Report(&diag.Diagnostic{
		Code: codes.WrongCondition, Subject: id.Span(), Summary: "A condition cannot depend on f", Detail: "It chooses elements by the data alone, before f is learnt.",
		Mend: `Compare columns; for the part of f above 0 write pos(f). A column that is called f stands in quotes: "f".`,
	})
	return true
}

// ofTexts reports an interval of texts, as other languages write lists, and returns true then.
func ofTexts(p *names.Pass, in *dsl.Interval) bool {
	_, low := dsl.Bare(in.Lo).(*dsl.String)
	_, high := dsl.Bare(in.Hi).(*dsl.String)
	if !low || !high {
		return false
	}
	write := "{" + tree.Text(in.Lo) + ", " + tree.Text(in.Hi) + "}"
	d := p.Report(&diag.Diagnostic{
		Code: codes.WrongCondition, Subject: in.Span(), Summary: tree.Text(in) + " is an interval, and texts have no order", Mend: "For the texts that are listed write " + write + ".",
	})
	p.Offer(d, "write "+write, in.Span(), write)
	return true
}

// hidden returns a mend for a comparison in which a let stands where a column of the same name may be meant. It is empty if there is no let.
func hidden(p *names.Pass, sides ...names.Argument) string {
	for _, a := range sides {
		if id, ok := dsl.Bare(a.Expr).(*dsl.Ident); ok && !quoted(id) && a.Scope.Lookup(id.Name) == nil && p.Decls.Lets[id.Name] != nil {
			return fmt.Sprintf("%[1]s is a let here. If the column %[1]s is meant, write \"%[1]s\", or call the let otherwise.", id.Name)
		}
	}
	return ""
}

// isSomething reports whether a name is declared, also as a column, or one of the language's or of a family's.
func isSomething(p *names.Pass, id *dsl.Ident) bool {
	_, isMap := p.PointMap(id.Name)
	return isMap != nil || p.Decls.Defs[id.Name] != nil || values.TypeOf(p, id.Name) != nil || slices.Contains(names.BuiltinWords, id.Name) || Declared(p, id)
}

// Declared reports whether a name may stand for something that the spec declares, faulty statements
// included.
func Declared(p *names.Pass, id *dsl.Ident) bool {
	_, known := p.Decls.Names[id.Name]
	return known || p.Poison[id.Name]
}

// setOfPoints reports a set in the place of a label, implies({cat, dog}, animal), and says how several labels are spoken of. It
// returns true if it did. A set of premises may mean that each of them implies the other label, or
// that all together do. The first is a maximum. The second would be a minimum, which is not convex. The
// mean of the scores is at least their minimum, and asks for a little more.
func setOfPoints(p *names.Pass, e dsl.Expr) bool {
	set, ok := dsl.Bare(e).(*dsl.Set)
	if !ok || len(set.Elems) == 0 {
		return false
	}
	all := make([]string, len(set.Elems))
	for i, label := range set.Elems {
		all[i] = "f(" + tree.Text(label) + ")"
	}
	p.Report(&diag.Diagnostic{
		Code: codes.WrongType, Subject: e.Span(), Summary: "one point or one label is wanted here, not " + tree.Text(e),
		Mend: fmt.Sprintf("For each alone bind a variable, as in max over a in %s of …. For all together write their mean, mean {%s}: pos(mean {…} - f(b)) says that together they imply b.", tree.Text(e), strings.Join(all, ", ")),
	})
	return true
}

// ofLabels reports a set that an index set of rows is given, pairs({cat, dog}), and says how pairs of labels are written. It returns
// true if it did. Index sets of families count or choose rows, and a single argument without a name is
// how many rows they take.
func ofLabels(p *names.Pass, name string, args []*dsl.Arg) bool {
	if len(args) != 1 || args[0].Name != nil {
		return false
	}
	set, ok := dsl.Bare(args[0].Value).(*dsl.Set)
	if !ok {
		return false
	}
	p.Report(&diag.Diagnostic{
		Code: codes.WrongType, Subject: set.Span(), Summary: "a number is wanted here, not " + tree.Text(set), Detail: name + " ranges over rows.",
		Mend: fmt.Sprintf("For pairs of its members write over a in %[1]s, b in %[1]s where a != b.", tree.Text(set)),
	})
	return true
}

// displaced reports an argument of f that adds to a point, f(x + 1), and says how points are moved.
// It returns true if it did. The features of a point have different units, so that no number can be
// added to all of them.
func displaced(p *names.Pass, e dsl.Expr, sc *names.Scope) bool {
	sum, ok := dsl.Bare(e).(*dsl.Binary)
	if _, move := p.PointMap("move"); !ok || move == nil || sum.Op != "+" && sum.Op != "-" {
		return false
	}
	mend := "Write f(move(column, amount)), with a column of the data."
	column, isName := sum.X.(*dsl.Ident)
	amount, isNumber := sum.Y.(*dsl.Number)
	if isName && isNumber && sc.Lookup(column.Name) == nil && !Declared(p, column) && column.Name != "x" {
		mend = fmt.Sprintf("For a row with another %[1]s write f(move(%[1]s, %[2]s)); for the effect of %[1]s write d/d(%[1]s) f, or increasing(%[1]s).", column.Raw, amount.Raw)
	}
	p.Report(&diag.Diagnostic{
		Code: codes.WrongType, Subject: e.Span(), Summary: "a point or a label is wanted here, not " + tree.Text(e), Detail: "Points are moved by transformations, and not by numbers.",
		Mend: mend,
	})
	return true
}

// asFactor says that scale(0.9) enlarges by 90 %, as other libraries take it for a factor; nil means that nobody would take it for one. A
// derivative may be along scale(1).
func asFactor(p *names.Pass, s *tree.Step) *diag.Diagnostic {
	if s.Low.Schema.Name != "scale" {
		return nil
	}
	low, high := s.Low.Args[0].Quantity.Value, s.High.Args[0].Quantity.Value
	by, write := fmt.Sprintf("%.4g to %.4g", 100*low, 100*high), fmt.Sprintf("[%.4g, %.4g]", low-1, high-1)
	switch {
	case low < high && low > 0 && low <= 1 && high >= 1:
	case low == high && low > 0.5 && low < 2 && low != 1:
		by, write = fmt.Sprintf("%.4g", 100*low), fmt.Sprintf("%.4g", low-1)
	default:
		return nil
	}
	d := &diag.Diagnostic{Code: codes.FarAmount, Subject: s.Low.From.Span, Summary: s.Text + " enlarges an image by " + by + " %", Detail: "scale(s) enlarges by the factor 1 + s."}
	d.Mend = "Write how much larger it may be at most: scale([-0.1, 0.1]) is by 10 %."
	if low-1 >= leastShrunk && high-1 <= mostEnlarged {
		d.Mend = "If a factor is meant, write scale(" + write + ")."
		p.Offer(d, "write "+write, s.Low.Args[0].Place.To(s.High.Args[0].Place), strings.Trim(write, "[]"))
	}
	return d
}

// overInterval reports an amount that is an interval where it is one number, and returns true then.
func overInterval(p *names.Pass, call *dsl.Call, sc *names.Scope) bool {
	for _, a := range call.Args {
		if in, _ := intervalOf(p, a.Value, sc); in != nil {
			before := cmp.Or(map[string]string{"augment": "augment", "evaluate": "evaluate under"}[p.Section], "t in")
			mend := "In an orbit amounts run through intervals: " + before + " " + tree.OrbitWord + " {" + tree.Text(inPlace(call, sc)) + "}."
			if low, high, _, _ := ends(p, call, sc); p.Section == "learn under" {
				mend = fmt.Sprintf("List fixed amounts: under {%s, %s}.", tree.Text(low), tree.Text(high))
			}
			p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: a.Value.Span(), Summary: "an amount is one number here, not the interval " + tree.Text(in), Mend: mend})
			return true
		}
	}
	return false
}
