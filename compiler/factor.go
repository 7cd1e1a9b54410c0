package compiler

import (
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// rootWord is the function that takes the square root of a number.
const rootWord = "sqrt"

// partOf compiles one side of an operation. A text beside * or / names a column.
func (p *pass) partOf(e *dsl.Binary, side dsl.Expr, sc *scope) *tree.Node {
	if e.Op == "*" || e.Op == "/" {
		if s, ok := tree.QuotedColumn(side); ok {
			return p.columnNumber(s, s.Value, nil, sc)
		}
	}
	return p.expr(side, sc)
}

// columnNumber is a column of the data file as a number, at the innermost point where none is given.
func (p *pass) columnNumber(e dsl.Expr, name string, at *tree.Variable, sc *scope) *tree.Node {
	at = p.pointOfColumn(e.Span(), name, at, sc, codes.WrongType)
	if at == nil {
		return nil
	}
	return &tree.Node{Op: tree.OpDatum, Data: true, Datum: &tree.Datum{Column: name, Of: at}, From: p.origin(e)}
}

// pointOfColumn is the point at which a column is meant, nil where there is none, several or one that is no row.
func (p *pass) pointOfColumn(at diag.Span, name string, given *tree.Variable, sc *scope, notRow diag.Code) *tree.Variable {
	point := given
	if point == nil {
		points := sc.innermost()
		switch len(points) {
		case 0:
			p.report(&diag.Diagnostic{Code: codes.NoPoint, Subject: at, Summary: name + " is a column of no point", Mend: "Name columns where a quantifier binds a point."})
			return nil
		case 1:
			point = points[0]
		default:
			p.report(&diag.Diagnostic{
				Code: codes.AmbiguousPoint, Subject: at, Summary: fmt.Sprintf("%s may be at %s or at %s", name, points[0].Name, points[1].Name),
				Mend: fmt.Sprintf("Write %s(%s).", name, points[0].Name),
			})
			return nil
		}
	}
	if k := point.Axis.Kind; k != tree.RowAxis && k != tree.GraphAxis {
		p.report(&diag.Diagnostic{Code: notRow, Subject: at, Summary: fmt.Sprintf("%s is no row of the data, and has no column %s", point.Name, name)})
		return nil
	}
	return point
}

// bareColumn compiles a bare name that stands for nothing else as the column of that name at the innermost point. Ok is false where it is
// more likely a name that was misspelt.
func (p *pass) bareColumn(id *dsl.Ident, known []string, sc *scope) (n *tree.Node, ok bool) {
	if p.poison[id.Name] || len(sc.innermost()) == 0 || tree.Nearest(id.Name, known) != "" {
		return nil, false
	}
	return p.columnNumber(id, rawName(id), nil, sc), true
}

// givenColumn compiles an argument that is the bare name of a column and was given where no point is bound: it is meant at the point that
// the definition binds.
func (p *pass) givenColumn(id *dsl.Ident, a *argument, sc *scope) (n *tree.Node, ok bool) {
	if a.scope.innermost() != nil || len(sc.innermost()) == 0 {
		return nil, false
	}
	if s, quoted := tree.QuotedColumn(a.expr); quoted {
		return p.columnNumber(id, s.Value, nil, sc), true
	}
	given, isName := a.expr.(*dsl.Ident)
	name, isColumn := p.columnName(a)
	if !isName || !isColumn || given.Name == "f" || p.decls.invariance[given.Name] != nil || p.decls.defs[given.Name] != nil || p.isLabel(given.Name) || p.poison[given.Name] {
		return nil, false
	}
	return p.columnNumber(id, name, nil, sc), true
}

// columnCall compiles COLUMN(a), the column at a point by name. Ok is false where the call is none.
func (p *pass) columnCall(e *dsl.Call, known []string, sc *scope) (n *tree.Node, ok bool) {
	if len(e.Args) != 1 || e.Args[0].Name != nil {
		return nil, false
	}
	point := boundPoint(e.Args[0].Value, sc)
	name, isColumn := p.columnOf(e.Fun, sc)
	misspelt := sc.lookup(e.Fun.Name) == nil && tree.Nearest(e.Fun.Name, known) != ""
	if point == nil || !isColumn || p.poison[e.Fun.Name] || misspelt {
		return nil, false
	}
	return p.columnNumber(e, name, point, sc), true
}

// columnOf is the name of the column that a word before a bracket is: itself, or what a definition's argument names.
func (p *pass) columnOf(id *dsl.Ident, sc *scope) (string, bool) {
	b := sc.lookup(id.Name)
	switch {
	case b == nil:
		return rawName(id), true
	case b.argument == nil:
		return "", false
	}
	if s, quoted := tree.QuotedColumn(b.argument.expr); quoted {
		return s.Value, true
	}
	return p.columnName(b.argument)
}

// boundPoint is the point that a name is bound to, nil where it is none.
func boundPoint(e dsl.Expr, sc *scope) *tree.Variable {
	switch e := e.(type) {
	case *dsl.Paren:
		return boundPoint(e.X, sc)
	case *dsl.Ident:
		switch b := sc.lookup(e.Name); {
		case b == nil:
		case b.argument != nil:
			return boundPoint(b.argument.expr, b.argument.scope)
		case b.variable.Kind == tree.PointVar:
			return b.variable
		}
	}
	return nil
}

// root compiles sqrt(e) for a number e. What it returns holds f where e does, and then is no root.
func (p *pass) root(e *dsl.Call, sc *scope) *tree.Node {
	if len(e.Args) != 1 || e.Args[0].Name != nil {
		return &tree.Node{Op: tree.OpLeaf}
	}
	n := p.expr(e.Args[0].Value, sc)
	switch {
	case n == nil || !n.Number():
		return n
	case n.Op == tree.OpConst:
		return p.folded(p.origin(e), math.Sqrt(n.Num))
	}
	return tree.Calculated(tree.OpSqrt, p.origin(e), n)
}
