package elaborate

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// condition compiles what stands behind where: comparisons, their combinations by and, or and not,
// and names of conditions, as lets and definitions have them. Nil means that it is faulty, which is reported. A condition never holds f, so that it
// chooses elements and bends no convexity.
func condition(p *names.Pass, e dsl.Expr, sc *names.Scope) *tree.Condition {
	if !fits(p, e) {
		return nil
	}
	at, _ := sc.Resolve(e, p.Inlined)
	return inArgument(p, &at, conditionAt)
}

// conditionAt compiles a condition where it was written, which is not the argument of a definition.
func conditionAt(p *names.Pass, at *names.Argument) *tree.Condition {
	sc, c := at.Scope, &tree.Condition{From: p.Origin(at.Expr)}
	switch e := at.Expr.(type) {
	case *dsl.Not:
		k := condition(p, e.X, sc)
		if k == nil {
			return nil
		}
		c.Op, c.Kids = "not", []*tree.Condition{k}
		return c
	case *dsl.Binary:
		c.Op = e.Op
		switch e.Op {
		case "and", "or":
			x, y := condition(p, e.X, sc), condition(p, e.Y, sc)
			if x == nil || y == nil {
				return nil
			}
			c.Kids = []*tree.Condition{x, y}
			return c
		case "==", "!=", "<", "<=", ">", ">=":
			here := func(e dsl.Expr) names.Argument { return names.Argument{Expr: e, Scope: sc, Inlined: p.Inlined} }
			return comparison(p, c, here(e.X), here(e.Y))
		case "in":
			return among(p, c, e, sc)
		}
	case *dsl.Ident, *dsl.Call:
		if named, ok := conditionByName(p, e, sc); ok {
			return named
		}
		if id, _ := dsl.Called(at.Expr); p.Unknown(id.Name) {
			return nil // what a statement declares that failed
		}
	}
	notCondition(p, at.Expr, sc)
	return nil
}

// conditionByName compiles a name or a call that stands for a condition. Ok is false where it stands
// for none. What a quantifier binds hides a let or a definition of the same name, as it does in every
// other place. Those hide a column of the name in turn, unless it stands in quotes: near(x, z) is the
// definition, and "near"(x) the column.
func conditionByName(p *names.Pass, e dsl.Expr, sc *names.Scope) (c *tree.Condition, ok bool) {
	id, _ := dsl.Called(e)
	call, calls := e.(*dsl.Call)
	let, def := p.Decls.Lets[id.Name], p.Decls.Defs[id.Name]
	switch {
	case sc.Lookup(id.Name) != nil || quoted(id):
		return nil, false
	case !calls && let != nil && mayBeCondition(let.Value):
		return namedCondition(p, let, id, sc), true
	case calls && def != nil && mayBeCondition(def.Decl.Body):
		replace(p, def, call, sc, func(body dsl.Expr, inner *names.Scope) bool {
			c = condition(p, body, inner)
			return c != nil
		})
		return c, true
	}
	return nil, false
}

// mayBeCondition reports whether a let or the body of a definition may be a condition: a name or a
// call may stand for one. If it stands for none, the error is at the place where it is written.
func mayBeCondition(e dsl.Expr) bool {
	switch dsl.Bare(e).(type) {
	case *dsl.Ident, *dsl.Call:
		return true
	}
	return values.IsCondition(e)
}

// namedCondition compiles a let that holds a condition, at the point of its use. It sees no name that
// is bound there, as a let stands outside of all quantifiers: its columns are those of the innermost
// point. A condition on two points is a definition with two parameters. So a let means the same
// wherever it is used, and no quantifier can capture a name in it.
func namedCondition(p *names.Pass, let *dsl.Let, id *dsl.Ident, sc *names.Scope) (c *tree.Condition) {
	values.Expand(p, let, id, func() bool {
		c = condition(p, let.Value, sc.Within(&tree.Inlining{Name: id.Name, Call: id.Span(), Up: p.Inlined}))
		return c != nil
	})
	return c
}

// among compiles membership. It stands for comparisons joined by or, and for an interval by and:
//
//	region in {"north", "south"}  =  region == "north" or region == "south"
//	age in [18, 65]               =  age >= 18 and age <= 65
//
// So a gap among numbers is in no set and in no interval, and each value is checked as a comparison
// with it is. A value means what it means where the set was written. With
//
//	let low = 18
//	let band = [low, 65]
//	def within(low) = age(low) in band
//
// the bound is 18, although low is a point where the set is used.
func among(p *names.Pass, c *tree.Condition, e *dsl.Binary, sc *names.Scope) *tree.Condition {
	all := valuesOf(p, e.Y, sc)
	column := names.Argument{Expr: e.X, Scope: sc, Inlined: p.Inlined}
	join := func(op string, x *tree.Condition, cmp string, value dsl.Expr) *tree.Condition {
		if !fits(p, value) {
			return nil
		}
		k := comparison(p, &tree.Condition{Op: cmp, From: c.From}, column, names.Argument{Expr: value, Scope: all.Scope, Inlined: all.Inlined})
		if x == nil || k == nil {
			return k
		}
		return &tree.Condition{Op: op, Kids: []*tree.Condition{x, k}, From: c.From}
	}
	switch listed := all.Expr.(type) {
	case *dsl.Interval:
		if ofTexts(p, listed) {
			return nil
		}
		low := join("", nil, ">=", listed.Lo)
		if low == nil {
			return nil
		}
		both := join("and", low, "<=", listed.Hi)
		if both != nil && bothNumbers(&low.Y, &both.Kids[1].Y) && values.EmptyInterval(p, listed, low.Y.Number, both.Kids[1].Y.Number) {
			return nil
		}
		return both
	case *dsl.Set:
		var some *tree.Condition
		for _, value := range listed.Elems {
			if some = join("or", some, "==", value); some == nil {
				return nil
			}
		}
		return some
	}
	if id, named := dsl.Bare(e.Y).(*dsl.Ident); named && (p.Unknown(id.Name) || values.Circular(p, id.Name)) {
		return nil // what a statement declares that failed
	}
	p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: e.Y.Span(), Summary: tree.Text(e.Y) + " is not a set of values", Mend: `Write the values: region in {"north", "south"}, or an interval: age in [18, 65].`})
	return nil
}

func bothNumbers(x, y *tree.Operand) bool {
	return x.Kind == tree.NumberOperand && y.Kind == tree.NumberOperand
}

// valuesOf returns a set or an interval where it was written, or the one that a let names. The
// expression is nil for a name of something else. A let stands outside of all quantifiers, and its
// columns are those of the innermost point, as in a condition with a name.
func valuesOf(p *names.Pass, e dsl.Expr, sc *names.Scope) names.Argument {
	at, v := sc.Resolve(e, p.Inlined)
	id, named := at.Expr.(*dsl.Ident)
	switch {
	case v != nil:
		return names.Argument{}
	case named && values.Circular(p, id.Name):
		return names.Argument{} // which is said of the lets
	case named:
		values.Use(p, id.Name)
		return names.Argument{Expr: values.NamedSet(p, id.Name), Scope: at.Scope.Within(&tree.Inlining{Name: id.Name, Call: id.Span(), Up: at.Inlined}), Inlined: at.Inlined}
	}
	return at
}

// asMember reports a set or an interval beside another sign than in, and returns true then. Users of
// other languages compare with a list so. The rewrite is offered as a fix.
func asMember(p *names.Pass, c *tree.Condition, x, y dsl.Expr) bool {
	switch y.(type) {
	case *dsl.Set, *dsl.Interval:
	default:
		return false
	}
	text := tree.Text(x) + " in " + tree.Text(y)
	d := p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: c.From.Span, Summary: tree.Text(y) + " is several values, and " + c.Op + " compares with one", Mend: "Did you mean `in`? Write " + text + "."})
	p.Offer(d, "write "+text, c.From.Span, text)
	return true
}

// samePoint compiles a comparison of two points: whether they are the same row. Points that families
// make are not rows, and two of them may coincide by chance alone.
func samePoint(p *names.Pass, c *tree.Condition, x, y names.Argument) (compiled *tree.Condition, ok bool) {
	a, b := variableOf(tree.PointVar, x.Expr, x.Scope), variableOf(tree.PointVar, y.Expr, y.Scope)
	if a == nil || b == nil {
		return nil, false
	}
	for _, v := range []*tree.Variable{a, b} {
		if k := v.Axis.Kind; k != tree.RowAxis && k != tree.GraphAxis {
			p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: c.From.Span, Summary: v.Name + " is not a row of the data", Mend: "Compare points that are rows, as those of rows and graph(…) are."})
			return nil, true
		}
	}
	if c.Op != "==" && c.Op != "!=" {
		p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: c.From.Span, Summary: "Rows have no order", Mend: "Compare them by == or !=, or compare one of their columns: COLUMN(" + a.Name + ")."})
		return nil, true
	}
	c.X, c.Y = tree.Operand{Kind: tree.PointOperand, Point: a, From: p.Origin(x.Expr)}, tree.Operand{Kind: tree.PointOperand, Point: b, From: p.Origin(y.Expr)}
	return c, true
}

// comparison compiles a comparison of two operands, at least one of which the data or the index set
// decide. What is compared must be of one sort: labels with labels, texts with texts, numbers with
// numbers. Anything else is codes.WrongCondition. A text on the left names a column where neither
// side is given otherwise, since a column's name need not be a word:
//
//	"model year" == 70      the column model year
//	region == "north"       the text, as region is given
//	"north" == region       the text
//
// Each side keeps the scope in which it was written, as a value of a set may come from elsewhere.
func comparison(p *names.Pass, c *tree.Condition, left, right names.Argument) *tree.Condition {
	if asMember(p, c, left.Expr, right.Expr) {
		return nil
	}
	if points, ok := samePoint(p, c, left, right); ok {
		return points
	}
	if unquoted(p, left, right) || unquoted(p, right, left) {
		return nil
	}
	ofLabels := func(a names.Argument) bool { return variableOf(tree.LabelVar, a.Expr, a.Scope) != nil }
	x, okX := side(p, left, ofLabels(right))
	y, okY := side(p, right, ofLabels(left))
	if !okX || !okY {
		return nil
	}
	if x.Kind == tree.TextOperand && y.Kind != tree.LabelOperand && !y.Given() {
		if x, okX = column(p, x, x.Text, nil, left.Scope); !okX {
			return nil
		}
	}
	c.X, c.Y = x, y
	if err := incomparable(c.Op, x, y); err != "" && (!values.OfLevels(p) || !levels(x, y)) {
		p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: c.From.Span, Summary: err, Mend: hidden(p, left, right)})
		return nil
	}
	if mistyped(p, c, &c.X, &c.Y) || mistyped(p, c, &c.Y, &c.X) {
		return nil
	}
	heldText(p, &c.X, &c.Y)
	heldText(p, &c.Y, &c.X)
	return c
}

// side compiles one side of a comparison. Beside a variable for labels a bare name is a label,
// whatever points are bound. A text is one, too, as labels need not be words. Elsewhere a name is a
// column. Ok is false for a faulty side, which is reported.
func side(p *names.Pass, written names.Argument, besideLabel bool) (o tree.Operand, ok bool) {
	at, v := written.Scope.Resolve(written.Expr, written.Inlined)
	id, isName := at.Expr.(*dsl.Ident)
	if !besideLabel || !isName || v != nil || p.Decls.Lets[id.Name] != nil {
		o, ok = inOperand(p, written)
		if ok && besideLabel && o.Kind == tree.TextOperand {
			o = labelOperand(o.From, o.Text)
		}
		return o, ok
	}
	if ok = !unseen(p, id, at.Scope); ok {
		o = labelOperand(tree.Origin{Span: id.Span(), Syntax: id, Inlined: at.Inlined}, values.RawName(id))
	}
	return o, ok
}

// inOperand compiles a side of a comparison where it was written. The calls that are being replaced
// around it are those of that place. So never(never(c)) holds no circle, and an error in an argument
// is one of the call.
func inOperand(p *names.Pass, written names.Argument) (o tree.Operand, ok bool) {
	ok = inArgument(p, &written, func(p *names.Pass, at *names.Argument) (ok bool) {
		o, ok = operand(p, at.Expr, at.Scope)
		return ok
	})
	return o, ok
}

// labelOperand returns a label by name.
func labelOperand(from tree.Origin, name string) tree.Operand {
	return tree.Operand{Kind: tree.LabelOperand, Label: &tree.LabelRef{Name: &tree.Value{Text: name, Place: from.Span}}, From: from}
}

// incomparable says why two operands cannot be compared. It is empty where they can. A number is
// compared with a text column without complaint here, as only the data know what a column holds.
func incomparable(op string, x, y tree.Operand) string {
	ordered := op != "==" && op != "!="
	switch {
	case x.Kind == tree.LabelOperand && y.Kind == tree.LabelOperand:
		if ordered {
			return "labels have no order"
		}
	case x.Kind == tree.LabelOperand || y.Kind == tree.LabelOperand:
		return "a label is compared with what is none"
	case !x.Given() && !y.Given():
		return "neither side is a column"
	case ordered && (x.Kind == tree.TextOperand || y.Kind == tree.TextOperand):
		return "texts have no order"
	}
	return ""
}

// levels reports whether two levels of quantiles are compared, one of which may be a number. They have an order.
func levels(x, y tree.Operand) bool {
	level := func(o tree.Operand) bool { return o.Kind == tree.LabelOperand || o.Kind == tree.NumberOperand }
	return level(x) && level(y)
}

// operand compiles one side of a comparison: a text, a number, a label, a column, a weight, or what
// is calculated from columns and weights. Columns are compared as the file has them, before they are
// prepared.
func operand(p *names.Pass, e dsl.Expr, sc *names.Scope) (tree.Operand, bool) {
	e = dsl.Bare(e)
	o := tree.Operand{From: p.Origin(e)}
	switch e := e.(type) {
	case *dsl.String:
		o.Kind, o.Text = tree.TextOperand, e.Value
		return o, true
	case *dsl.Ident:
		return namedOperand(p, o, e, sc)
	case *dsl.Call:
		declared := p.Decls.Defs[e.Fun.Name] != nil && sc.Lookup(e.Fun.Name) == nil
		switch {
		case e.Fun.Name == tree.GridWord:
		case !quoted(e.Fun) && (declared || e.Fun.Name == rootWord || slices.Contains(Functions, e.Fun.Name)):
			return calculated(p, o, e, sc)
		default:
			return columnAt(p, o, e, sc)
		}
	case *dsl.Binary, *dsl.Neg, *dsl.Abs, *dsl.Aggregate:
		if ofData(p, e, sc) {
			return calculated(p, o, e, sc)
		}
	}
	q, ok := values.Plain(p, e, sc)
	o.Number = q.Value
	return o, ok
}

// ofData reports whether a part of a condition names anything but lets and grids. Such arithmetic is
// of data: only rows know its value, and it is compiled as a factor is. All else is a number now.
func ofData(p *names.Pass, e dsl.Expr, sc *names.Scope) bool {
	return dsl.Holds(e, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.String, *dsl.Abs, *dsl.Aggregate:
			return true
		case *dsl.Ident:
			return n.Name != tree.GridWord && (sc.Lookup(n.Name) != nil || p.Decls.Lets[n.Name] == nil)
		}
		return false
	})
}

// calculated compiles a number that is calculated from the data. It holds no f, since what chooses
// elements must not depend on f: the sum over chosen elements would not be convex.
//
//	where |age(a) - age(b)| < 5     where sqrt(area) > 2 * rooms     where w * age(a) >= 3
//
// λ is refused, as a condition is looked at once for a path, and not at each of its places.
func calculated(p *names.Pass, o tree.Operand, e dsl.Expr, sc *names.Scope) (tree.Operand, bool) {
	n := Expr(p, e, sc)
	if n == nil {
		return o, false
	}
	path := tree.Find(n.Datums(), func(d *tree.Datum) bool { return d.Of.Kind == tree.ParamVar })
	switch {
	case !n.Number():
		p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: e.Span(), Summary: tree.Text(e) + " depends on f", Detail: "A condition chooses elements by the data alone.", Mend: "Compare columns, or what is calculated from them: |age(a) - age(b)| < 5."})
		return o, false
	case path != nil:
		p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: e.Span(), Summary: tree.Text(e) + " varies along a path", Mend: "Give the interval to the quantifier: max over λ in [0, 0.5]."})
		return o, false
	case n.Op == tree.OpConst:
		o.Number = n.Num
		return o, true
	}
	o.Kind, o.By = tree.CalculatedOperand, n
	return o, true
}

// namedOperand compiles a name in a comparison. Variables come first, then lets, then columns. A
// point is not an operand: one of its columns is, COLUMN(a). An argument of a definition is read in its
// own scope, unless it is a column that was given where no point is bound. Points and parameters of
// paths are codes.WrongCondition.
func namedOperand(p *names.Pass, o tree.Operand, id *dsl.Ident, sc *names.Scope) (tree.Operand, bool) {
	if b := sc.Lookup(id.Name); b != nil {
		switch {
		case b.Argument != nil:
			if name, ok := columnName(p, b.Argument); ok && b.Argument.Scope.Innermost() == nil {
				return column(p, o, name, nil, sc)
			}
			return inOperand(p, *b.Argument)
		case b.Variable.Kind == tree.LabelVar:
			o.Kind, o.Label = tree.LabelOperand, &tree.LabelRef{Bound: b.Variable}
			return o, true
		case b.Variable.Kind == tree.PointVar:
			p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: id.Span(), Summary: names.Shown(id) + " is a point", Mend: fmt.Sprintf("Compare one of its columns: COLUMN(%s).", names.Shown(id))})
			return o, false
		case b.Variable.Kind == tree.WeightVar:
			o.Kind, o.Point = tree.WeightOperand, b.Variable
			return o, true
		}
		p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: id.Span(), Summary: fmt.Sprintf("%s is %s", tree.Greek(names.Shown(id)), b.Variable.Kind), Detail: "Conditions compare columns and labels."})
		return o, false
	}
	if unseen(p, id, sc) || ofF(p, id) {
		return o, false
	}
	if p.Decls.Lets[id.Name] != nil {
		if s, ok := values.Held(p, id.Name).(*dsl.String); ok {
			values.Use(p, id.Name)
			o.Kind, o.Text = tree.TextOperand, s.Value
			return o, true
		}
		q, ok := values.NamedQuantity(p, id, sc)
		o.Number = q.Value
		return o, ok
	}
	return column(p, o, values.RawName(id), nil, sc)
}

// columnName returns the name of the column that an argument of a definition is. Where no point is
// bound at the call, it is meant at the point that the definition binds.
func columnName(p *names.Pass, a *names.Argument) (string, bool) {
	at, v := a.Scope.Resolve(a.Expr, nil)
	id, ok := at.Expr.(*dsl.Ident)
	if !ok || v != nil {
		return "", false
	}
	return values.RawName(id), p.Decls.Lets[id.Name] == nil
}

// columnAt compiles COLUMN(a) in a condition: the column at a point that need not be the innermost.
// Two points of one quantifier are told apart that way, as in area(a) < area(b).
func columnAt(p *names.Pass, o tree.Operand, call *dsl.Call, sc *names.Scope) (tree.Operand, bool) {
	if name, point := columnOfPoint(p, call, sc); point != nil {
		return column(p, o, name, point, sc)
	}
	if p.Unknown(call.Fun.Name) || unseenArgument(p, call, sc) {
		return o, false
	}
	p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: call.Span(), Summary: tree.Text(call) + " is not a column of a point", Mend: "Write COLUMN(a) for a point a that is bound here."})
	return o, false
}

// column makes an operand of a raw column at a point, the innermost where none is given. Only
// points that are rows have columns: those of families are made, and hold prepared features alone.
func column(p *names.Pass, o tree.Operand, name string, at *tree.Variable, sc *names.Scope) (tree.Operand, bool) {
	if at = pointOfColumn(p, o.From.Span, name, at, sc, codes.WrongCondition); at == nil {
		return o, false
	}
	o.Kind, o.Text, o.Point = tree.ColumnOperand, name, at
	return o, true
}

// unquoted reports a bare word that is a text of the column beside it, as in region == north, and
// returns true then. A column of that name comes first. Without the texts the word would be a column
// that nobody knows, and the message would speak of a spelling that is right.
func unquoted(p *names.Pass, word, beside names.Argument) bool {
	at, v := word.Scope.Resolve(word.Expr, nil)
	id, isName := at.Expr.(*dsl.Ident)
	other, _ := beside.Scope.Resolve(dsl.Bare(beside.Expr), nil)
	column, _ := dsl.Called(other.Expr)
	if !isName || v != nil || column == nil || other.Scope.Lookup(column.Name) != nil || p.Decls.Lets[id.Name] != nil {
		return false
	}
	name, texts := values.RawName(id), values.TextsOf(p, values.RawName(column))
	isColumn := values.TypeOf(p, name) != nil || p.Data != nil && slices.Contains(p.Data.Columns, name)
	if isColumn || !slices.Contains(texts, name) {
		return false
	}
	code := codes.UnknownColumn
	if values.TypeOf(p, values.RawName(column)) == nil {
		code = codes.ColumnNotInData
	}
	d := p.Report(&diag.Diagnostic{
		Code: code, Subject: id.Span(), Summary: fmt.Sprintf("No column is called %s, and a text stands in double quotes", name),
		Mend: fmt.Sprintf("Write %q, which is a value of %s.", name, values.RawName(column)),
	})
	p.Offer(d, fmt.Sprintf("write %q", name), id.Span(), strconv.Quote(name))
	return true
}

// mistyped judges a comparison by the declared types of its columns. With region : {north, south} and
// age : integer [0, 120] it refuses
//
//	region == 3     region < "south"     region == "nroth"     age == "old"     age == 3.5     region == age
//
// It reports such a comparison, and returns true then
// (codes.Incomparable). The data would refuse it too, or could never satisfy it. Said here, it costs
// no run, and stands beside the text that is meant while that is being written.
func mistyped(p *names.Pass, c *tree.Condition, column, other *tree.Operand) bool {
	t := typeOfOperand(p, column)
	if t == nil {
		return false
	}
	holds, beside := holding(p, column), holding(p, other)
	value, ordered := other.Text, c.Op != "==" && c.Op != "!="
	if other.Kind == tree.NumberOperand {
		value = strconv.FormatFloat(other.Number, 'g', -1, 64)
	}
	mixed, unordered := beside != "" && beside != holds, t.Texts() && ordered
	never := !ordered && !other.Given() && !t.Allows(value)
	if !mixed && !unordered && !never {
		return false
	}
	d := &diag.Diagnostic{Code: codes.Incomparable, Subject: c.From.Span, Detail: fmt.Sprintf("%s holds %s: %s.", column.Text, holds, t)}
	switch {
	case mixed:
		d.Summary, d.Mend = "Texts are compared with numbers in "+c.String(), tree.MendParity(c.From.Inlined, tree.Each(t.Values.List, strconv.Quote))
	case unordered:
		d.Summary = "Texts have no order: " + c.String()
	default:
		d.Subject, d.Summary = other.From.Span, fmt.Sprintf("%s is never %s", column.Text, other.String())
		d.Mend = "Write a value that the type allows, or mend the type."
		if len(t.Values.List) > 0 {
			p.Misnamed(value, t.Values.List, d)
			return true
		}
	}
	p.Report(d)
	return true
}

// heldText judges a text beside a column without a type by the data that an editor found
// (codes.TextNotInData). It is a warning, as these are the data of today.
func heldText(p *names.Pass, column, text *tree.Operand) {
	if column.Kind == tree.ColumnOperand && text.Kind == tree.TextOperand {
		values.HeldText(p, column.Text, text.Text, text.From)
	}
}

// holding returns whether an operand is of texts or of numbers. It is empty where that is not known.
// A text of digits may be compared with both, as a column of such texts counts as one of numbers
// beside a number. A column without a declared type may hold either.
func holding(p *names.Pass, o *tree.Operand) string {
	t := typeOfOperand(p, o)
	_, isNumber := setting.Numeral(o.Text)
	switch {
	case t != nil && t.Texts(), o.Kind == tree.TextOperand && !isNumber:
		return "texts"
	case t != nil, o.Kind == tree.NumberOperand, o.Kind == tree.WeightOperand, o.Kind == tree.CalculatedOperand:
		return "numbers"
	}
	return ""
}

// typeOfOperand returns the declared type of an operand, which only a column has. Nil means that
// none is declared.
func typeOfOperand(p *names.Pass, o *tree.Operand) *setting.ColumnType {
	if o.Kind != tree.ColumnOperand {
		return nil
	}
	return values.TypeOf(p, o.Text)
}
