package elaborate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// Require compiles the region of a requirement and its comparisons, whose sides are not judged yet.
// The region is bound as a quantifier binds its index sets, so that a bare f is at its point. A chain
//
//	0 <= f(x) <= 1     is     0 <= f(x)  and  f(x) <= 1
//
// so that each sign is a comparison, which is proved, kept and reported by itself. `a >= b` is turned into
// b <= a, and == is kept for grounding, which writes both directions.
//
// Nil means that a part is faulty, which is reported.
func Require(p *names.Pass, decl *dsl.Require) *tree.Requirement {
	rel := decl.Holds
	r := &tree.Requirement{Name: decl.Name.Name, Decl: decl, Region: &tree.Quantifier{}}
	var inner *names.Scope
	if len(rel.Over) > 0 {
		p.Region = true
		inner = bindAll(p, r.Region, rel.Over, nil)
		p.Region = false
		if inner == nil || !enumerable(p, r.Region) {
			return nil
		}
	}
	ok := true
	if rel.Where != nil {
		r.Region.Where = condition(p, rel.Where, inner)
		ok = r.Region.Where != nil
	}
	sides := tree.Each(rel.Sides, func(e dsl.Expr) *tree.Node { return Expr(p, e, inner) })
	if slices.Contains(sides, nil) || !ok {
		return nil
	}
	for i, op := range rel.Ops {
		x, y := sides[i], sides[i+1]
		c := &tree.Comparison{
			Text: tree.Text(rel.Sides[i]) + " " + op.Raw + " " + tree.Text(rel.Sides[i+1]), Smaller: x, Larger: y, Equal: op.Op == "==",
			From: tree.Origin{Span: rel.Sides[i].Span().To(rel.Sides[i+1].Span())},
		}
		if op.Op == ">=" {
			c.Smaller, c.Larger = y, x
		}
		r.Parts = append(r.Parts, c)
	}
	for _, side := range sides {
		ok = everywhere(p, side) && ok
	}
	if !ok {
		return nil
	}
	return r
}

// enumerable reports two boxes and points on paths (codes.NotEverywhere), and returns false then. A
// region is a box beside index sets of finitely many elements.
func enumerable(p *names.Pass, q *tree.Quantifier) bool {
	box := q.Box()
	for _, a := range q.Axes {
		d := &diag.Diagnostic{Code: codes.NotEverywhere, Subject: a.From.Span}
		switch {
		case a.Kind == tree.BoxAxis && a != box:
			d.Summary, d.Detail = "the region has two boxes", "A statement is proved as a function of one point."
			d.Mend = "Move the point: f(put(area, 100)(x)), f(move(area, 10)(x)) or f(swap(a, b)(x))."
		case a.HasPath:
			d.Summary, d.Mend = a.Text+" are points on paths, at which no statement is required", "Name the points by box, rows, rows(\"file.csv\") or graph(…)."
		case a.Kind == tree.FamilyAxis && slices.ContainsFunc(a.Vars, func(v *tree.Variable) bool { return v.Kind == tree.PointVar }):
			d.Summary, d.Mend = a.Text+" are points that a family makes, at which no statement is required", "Name the points by box, rows, rows(\"file.csv\") or graph(…)."
		default:
			continue
		}
		p.Report(d)
		return false
	}
	return true
}

// everywhere reports parts of a side that have no meaning at every point of the region, or that no
// statement holds (codes.NotEverywhere). It returns false then.
func everywhere(p *names.Pass, side *tree.Node) bool {
	ok := true
	for n := range side.All() {
		if n.Quant != nil && !enumerable(p, n.Quant) {
			ok = false
		}
		if n.Leaf != nil {
			ok = leafEverywhere(p, n) && ok
		}
	}
	return ok
}

// leafEverywhere reports f at a point of a box without a label that it needs. So it does f under
// maps that mix coordinates, and f differentiated along a map. It returns false then.
func leafEverywhere(p *names.Pass, n *tree.Node) bool {
	l := n.Leaf
	d := &diag.Diagnostic{Code: codes.NotEverywhere}
	bent := tree.Find(slices.Values(l.Maps), func(m *tree.Mapping) bool { return !isAffine(m) })
	switch {
	case l.Own && l.Point.Axis.Kind == tree.BoxAxis:
		d.Summary, d.Detail = n.Leaf.PointText(func(v *tree.Variable) string { return v.Name })+" is a point of a box, which has no label of its own", "f is a function of a point and a label here."
		d.Mend = "Name the label, as in f(x, label), or bind one: over x in box, y in labels."
	case bent != nil && bent.Bound != nil && bent.Bound.Axis.Orbit != nil:
		d.Summary, d.Mend = bent.Text+" is drawn from an orbit, and a statement holds under transformations that are listed", "List them: t in {move(age, -1), move(age, 1)}."
	case bent != nil:
		d.Summary, d.Detail = bent.Text+" mixes the coordinates of a point, or nobody knows how it moves them", "A statement is proved where maps move each coordinate by itself, or exchange two."
		d.Mend = "Move points of a table by put, move or swap."
	case l.Deriv.Kind == tree.MapDeriv:
		d.Summary, d.Mend = "f is differentiated along a transformation, and statements are about columns", "Differentiate along a column: d/d(area) f."
	default:
		return true
	}
	p.ReportAt(n.From, d)
	return false
}

// isAffine reports whether a map, or each map of the set that it is bound to, writes coordinates
// that are affine in one other.
func isAffine(m *tree.Mapping) bool {
	if m.Bound != nil {
		return !slices.ContainsFunc(m.Bound.Axis.Maps, func(m *tree.Mapping) bool { return !isAffine(m) })
	}
	if m.Drawn != nil {
		return false
	}
	_, ok := m.Fam.Impl.(plugins.AffineFamily)
	return ok && !m.Schema.NeedsImage
}

// pointOf are the variables of an axis of points.
var pointOf = []plugins.Bind{{Name: "x", Kind: plugins.BindPoint}}

// boxAxis compiles box, and box(income = [0, 200000], others = rows). In
//
//	x in box(income = [0, 200000], town = {"a", "b"}, others = rows)
//
// income and town run through their sides, and all other columns stand where a training row has
// them. The sides are kept in units of the file. What they are in prepared units, and what columns
// run through that no side names, package region finds with the data. Only the region of a
// requirement has one (codes.WrongRegion): an invariance is made of finitely many functionals.
// Images and rows of length 1 fill no box.
func boxAxis(p *names.Pass, a *tree.Axis, b *dsl.Binder, call *dsl.Call, sc *names.Scope) *tree.Axis {
	a.Kind, a.Word, a.Box = tree.BoxAxis, "point", &tree.Box{}
	if !regionAllowed(p, b.In.Span()) {
		return nil
	}
	if call != nil && !boxSides(p, a.Box, call, sc) {
		return nil
	}
	for i := range p.Out.Data.Types {
		t := &p.Out.Data.Types[i]
		if slices.ContainsFunc(a.Box.Sides, func(s *tree.BoxSide) bool { return s.Column.Text == t.Column }) {
			continue
		}
		side := tree.NewBoxSide(&tree.Value{Text: t.Column})
		if len(t.Values.List) == 0 {
			side.Low, side.High, side.Whole = t.Low, t.High, t.Whole
		}
		for _, v := range t.Values.List {
			side.Cells = append(side.Cells, &tree.Value{Text: v, Textual: true})
		}
		a.Box.Types = append(a.Box.Types, side)
	}
	return nameVariables(p, a, b, pointOf)
}

// regionAllowed reports a box where there can be none, and returns false then.
func regionAllowed(p *names.Pass, at diag.Span) bool {
	d := &diag.Diagnostic{Code: codes.WrongRegion, Subject: at}
	switch data := &p.Out.Data; {
	case !p.Region:
		d.Summary, d.Detail = "A box stands outside of a statement `require`", "An invariance is made of finitely many functionals, and a box has infinitely many points."
		d.Mend = "Range over the training rows, over x, or require the statement: require NAME = … over x in box."
	case data.Normalize:
		d.Summary, d.Detail = "`normalize` divides each row by its length, and the rows fill no box", "A row in which one column grows has other values in all columns."
		d.Mend = "Leave out `normalize`, or range over the training rows: over x in rows."
	case data.Columns.Height > 0:
		d.Summary, d.Detail = "The features are the pixels of an image, and images fill no box", "Nearly all points of a box of pixels are noise."
		d.Mend = "Range over the training rows: over x in rows."
	default:
		return true
	}
	p.Report(d)
	return false
}

// boxSides compiles the sides of a box. It returns false if one is faulty, which is reported.
func boxSides(p *names.Pass, box *tree.Box, call *dsl.Call, sc *names.Scope) bool {
	ok, others := true, false
	for _, arg := range call.Args {
		switch {
		case arg.Name == nil:
			p.Report(&diag.Diagnostic{
				Code: codes.WrongRegion, Subject: arg.Span(), Summary: "A side of a box lacks the column that runs through it", Mend: "Write box(income = [0, 200000], town = {\"a\", \"b\"}, others = rows).",
			})
			ok = false
		case values.RawName(arg.Name) == tree.OthersWord && !quoted(arg.Name):
			if others {
				p.Report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: arg.Span(), Summary: "The box says twice what the others are", Mend: "Keep one of them."})
			}
			ok = othersOf(p, box, arg.Value, sc) && !others && ok
			others = true
		default:
			s := boxSide(p, box, arg, sc)
			if ok = ok && s != nil; s != nil {
				box.Sides = append(box.Sides, s)
			}
		}
	}
	return ok
}

// othersOf compiles what the columns run through that a box does not name. That is their own box, or
// what they are in each row of the data or of a file. A row of a file has no label, and no columns that a
// condition could look at.
func othersOf(p *names.Pass, box *tree.Box, e dsl.Expr, sc *names.Scope) bool {
	id, args := dsl.Called(e)
	switch {
	case id != nil && id.Name == tree.BoxWord && len(args) == 0:
		return true
	case id != nil && id.Name == tree.RowsWord && len(args) == 0:
		box.Others = tree.OthersOfRows
		return true
	case id != nil && id.Name == tree.RowsWord && len(args) == 1 && args[0].Name == nil:
		var ok bool
		box.Others = tree.OthersOfFile
		box.File, ok = values.FileName(p, args[0].Value, sc)
		return ok
	}
	p.Report(&diag.Diagnostic{
		Code: codes.WrongRegion, Subject: e.Span(), Summary: tree.Text(e) + " does not say what the other columns run through",
		Mend: `Write others = box for their ranges, others = rows for each training row, or others = rows("file.csv").`,
	})
	return false
}

// rowsOfFile compiles the rows of a file as the points of a region: x in rows("applicants.csv"). It
// is a box beside these rows in which no column moves.
func rowsOfFile(p *names.Pass, a *tree.Axis, b *dsl.Binder, call *dsl.Call, sc *names.Scope) *tree.Axis {
	a.Kind, a.Word, a.Box = tree.BoxAxis, "row", &tree.Box{}
	if !othersOf(p, a.Box, call, sc) {
		return nil
	}
	return nameVariables(p, a, b, pointOf)
}

// boxSide compiles COLUMN = [low, high] and COLUMN = {value, …}, in units of the file. Nil means
// that it is faulty, which is reported. A let may name the interval or the set.
func boxSide(p *names.Pass, box *tree.Box, arg *dsl.Arg, sc *names.Scope) *tree.BoxSide {
	var name dsl.Expr = &dsl.String{At: arg.Name.At, Value: values.RawName(arg.Name)}
	if quoted(arg.Name) {
		name = &dsl.String{At: arg.Name.At, Value: arg.Name.Name}
	}
	column := values.Argument(p, &plugins.Arg{Name: "column", Kind: plugins.KindColumn, Unit: plugins.Cells}, name, nil)
	if column == nil {
		return nil
	}
	if slices.ContainsFunc(box.Sides, func(s *tree.BoxSide) bool { return s.Column.Text == column.Text }) {
		p.Report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: arg.Span(), Summary: "The box has two sides of " + column.Text, Mend: "Keep one of them."})
		return nil
	}
	written := dsl.Bare(arg.Value)
	if id, named := written.(*dsl.Ident); named {
		if held := values.NamedSet(p, id.Name); held != nil {
			values.Use(p, id.Name)
			written = held
		}
	}
	side := tree.NewBoxSide(column)
	ok := false
	switch e := written.(type) {
	case *dsl.Interval:
		ok = sideInterval(p, side, e, sc)
	case *dsl.Set:
		ok = sideCells(p, side, e, sc)
	default:
		p.Report(&diag.Diagnostic{
			Code: codes.WrongRegion, Subject: arg.Value.Span(), Summary: tree.Text(arg.Value) + " is neither an interval nor a set of values",
			Mend: fmt.Sprintf("Write %s = [low, high], or %[1]s = {%s}.", tree.ColumnText(column.Text), strings.TrimSpace(tree.Text(arg.Value))),
		})
	}
	if !ok {
		return nil
	}
	return side
}

// sideInterval compiles an interval of a column of numbers. Of a column that is declared integer
// the integers count.
func sideInterval(p *names.Pass, side *tree.BoxSide, e *dsl.Interval, sc *names.Scope) bool {
	lo, okLo := values.Plain(p, e.Lo, sc)
	hi, okHi := values.Plain(p, e.Hi, sc)
	if !okLo || !okHi {
		return false
	}
	d := &diag.Diagnostic{Subject: e.Span()}
	t := values.TypeOf(p, side.Column.Text)
	switch {
	case t != nil && t.Texts():
		d.Code, d.Summary = codes.Incomparable, side.Column.Text+" holds texts, and an interval is one of numbers"
		d.Mend = fmt.Sprintf("List the values: %s = %s.", tree.ColumnText(side.Column.Text), t)
	case !(lo.Value <= hi.Value):
		d.Code, d.Summary, d.Mend = codes.OutOfRange, fmt.Sprintf("No number lies in %s", tree.Text(e)), "Write the lower bound first."
	default:
		side.Low, side.High, side.Whole = lo.Value, hi.Value, t != nil && t.Whole
		return true
	}
	p.Report(d)
	return false
}

// sideCells compiles the values that a column runs through: {"a", "b"}, {0, 10}, {low, high} for lets.
// They are finitely many points, so that an equation may be required at them. Each must be one that the
// column may have by its type.
func sideCells(p *names.Pass, side *tree.BoxSide, set *dsl.Set, sc *names.Scope) bool {
	ok := true
	for _, e := range set.Elems {
		v := values.Argument(p, &plugins.Arg{Name: "value", Kind: plugins.KindNumber, Unit: plugins.Cells}, e, sc)
		if v == nil || !values.CellFits(p, side.Column, v) {
			ok = false
			continue
		}
		side.Cells = append(side.Cells, v)
	}
	return ok
}
