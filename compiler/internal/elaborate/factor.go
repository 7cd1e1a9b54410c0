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
)

// rootWord is the function that takes the square root of a number. Of what holds f it is no
// function: √f is concave.
const rootWord = "sqrt"

// columnNumber returns a column of the data file as a number, at the innermost point where none is
// given. As a factor it scales functionals row by row, which keeps every kind if its sign is right.
func columnNumber(p *names.Pass, e dsl.Expr, name string, at *tree.Variable, sc *names.Scope) *tree.Node {
	at = pointOfColumn(p, e.Span(), name, at, sc, codes.WrongType)
	if at == nil {
		return nil
	}
	datum := &tree.Datum{Column: name, Of: at}
	if t := values.TypeOf(p, name); t != nil && t.Texts() {
		p.Report(&diag.Diagnostic{Code: codes.NoNumber, Subject: e.Span(), Summary: name + " is a column of texts, and stands where a number is wanted", Detail: name + " is one of " + t.String() + ".", Mend: "Compare it in a condition, as in where " + tree.Text(e) + " == " + strconv.Quote(slices.Concat(t.Values.List, []string{"a text"})[0]) + "."})
		return nil
	} else if t != nil {
		datum.Within = &tree.Bounds{Lo: t.Low, Hi: t.High}
	}
	return &tree.Node{Op: tree.OpDatum, Data: true, Datum: datum, From: p.Origin(e)}
}

// pointOfColumn returns the point at which a column is meant. Nil means that there is none, that
// there are several, or that it is not a row, which is reported. NotRow is the code of the last, as
// conditions and factors differ in it. The errors are codes.NoPoint, codes.AmbiguousPoint and
// NotRow.
func pointOfColumn(p *names.Pass, at diag.Span, name string, given *tree.Variable, sc *names.Scope, notRow diag.Code) *tree.Variable {
	point := given
	if point == nil {
		points := sc.Innermost()
		switch len(points) {
		case 0:
			p.Report(&diag.Diagnostic{Code: codes.NoPoint, Subject: at, Summary: name + " is a column of no point", Mend: "Name columns where a quantifier binds a point."})
			return nil
		case 1:
			point = points[0]
		default:
			p.Report(&diag.Diagnostic{
				Code: codes.AmbiguousPoint, Subject: at, Summary: fmt.Sprintf("%s may be at %s or at %s", name, points[0].Name, points[1].Name),
				Mend: fmt.Sprintf("Write %s(%s).", name, points[0].Name),
			})
			return nil
		}
	}
	if !isRow(point.Axis, name) {
		p.Report(&diag.Diagnostic{Code: notRow, Subject: at, Summary: fmt.Sprintf("%s is not a row of the data, and has no column %s", point.Name, name)})
		return nil
	}
	if !values.KnownColumn(p, name, at) {
		return nil
	}
	return point
}

// isRow reports whether the points of an axis are rows of the data in a column. Those of a box beside the training rows are rows in the
// columns that no side moves.
func isRow(a *tree.Axis, column string) bool {
	if a.Kind != tree.BoxAxis {
		return a.Kind == tree.RowAxis || a.Kind == tree.GraphAxis
	}
	named := func(s *tree.BoxSide) bool { return s.Column.Text == column }
	return a.Box.Others == tree.OthersOfRows && !slices.ContainsFunc(a.Box.Sides, named)
}

// bareColumn compiles a bare name that stands for nothing else as the column of that name at the
// innermost point. Ok is false where it is more likely a name that was misspelt. The price is that
// a misspelt column is found only when the data are read.
func bareColumn(p *names.Pass, id *dsl.Ident, near string, sc *names.Scope) (n *tree.Node, ok bool) {
	name := values.RawName(id)
	if p.Poison[id.Name] || len(sc.Innermost()) == 0 || near != "" && values.TypeOf(p, name) == nil {
		return nil, false
	}
	return columnNumber(p, id, name, nil, sc), true
}

// givenColumn compiles an argument that is the bare name of a column and was given where no point
// is bound. It is meant at the point that the definition binds, so that increasing(area) can be
// written without a quantifier.
func givenColumn(p *names.Pass, id *dsl.Ident, a *names.Argument, sc *names.Scope) (n *tree.Node, ok bool) {
	if a.Scope.Innermost() != nil || len(sc.Innermost()) == 0 {
		return nil, false
	}
	if s, quoted := tree.QuotedColumn(a.Expr); quoted {
		return columnNumber(p, id, s.Value, nil, sc), true
	}
	given, isName := a.Expr.(*dsl.Ident)
	name, isColumn := columnName(p, a)
	if !isName || !isColumn || given.Name == "f" || p.Decls.Invariance[given.Name] != nil || p.Decls.Defs[given.Name] != nil || values.IsLabel(p, given.Name) || p.Poison[given.Name] {
		return nil, false
	}
	return columnNumber(p, id, name, nil, sc), true
}

// columnCall compiles COLUMN(a), the column at a point by name. Ok is false where the call is none, or more likely a name that was
// misspelt.
func columnCall(p *names.Pass, e *dsl.Call, known names.Known, sc *names.Scope) (n *tree.Node, ok bool) {
	name, point := columnOfPoint(p, e, sc)
	misspelt := sc.Lookup(e.Fun.Name) == nil && values.TypeOf(p, name) == nil && names.Nearest(p, e.Fun.Name, known) != ""
	if point == nil || p.Poison[e.Fun.Name] || misspelt {
		return nil, false
	}
	return columnNumber(p, e, name, point, sc), true
}

// columnOfPoint returns the column and the point of a call COLUMN(a). The point is nil where the call is none.
func columnOfPoint(p *names.Pass, call *dsl.Call, sc *names.Scope) (string, *tree.Variable) {
	name, isColumn := columnOf(p, call.Fun, sc)
	arg := values.Sole(call)
	if !isColumn || arg == nil {
		return "", nil
	}
	return name, variableOf(tree.PointVar, arg, sc)
}

// columnOf returns the name of the column that a word before a bracket is: itself, or what a
// definition's argument names. Ok is false for a variable.
func columnOf(p *names.Pass, id *dsl.Ident, sc *names.Scope) (string, bool) {
	b := sc.Lookup(id.Name)
	switch {
	case b == nil:
		return values.RawName(id), true
	case b.Argument == nil:
		return "", false
	}
	if s, quoted := tree.QuotedColumn(b.Argument.Expr); quoted {
		return s.Value, true
	}
	return columnName(p, b.Argument)
}

// root compiles sqrt(e) for a number e. What it returns holds f where e does, and then is not a root:
// the caller reports it.
func root(p *names.Pass, e *dsl.Call, sc *names.Scope) *tree.Node {
	arg := values.Sole(e)
	if arg == nil {
		return &tree.Node{Op: tree.OpLeaf}
	}
	n := Expr(p, arg, sc)
	if n == nil || !n.Number() {
		return n
	}
	return made(p, &tree.Node{Op: tree.OpSqrt, From: p.Origin(e)}, n)
}
