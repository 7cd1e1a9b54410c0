package values

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// isCell reports whether an argument is a value of a column: a number, or a text in quotes.
func isCell(arg *plugins.Arg) bool {
	return arg.Kind == plugins.KindNumber && arg.Unit == plugins.Cells
}

// cellText evaluates the value of a column where it is written as a text. Written is false where it
// is none. A text that is a number may be one of texts that are numbers, so that the column decides.
func cellText(p *names.Pass, v *tree.Value, e dsl.Expr, sc *names.Scope) (written bool) {
	at, bound := sc.Resolve(e, nil)
	switch e := at.Expr.(type) {
	case *dsl.String:
		v.Text, v.Textual = e.Value, true
	case *dsl.Ident:
		s, isText := Held(p, e.Name).(*dsl.String)
		if bound != nil || !isText {
			return false
		}
		Use(p, e.Name)
		v.Text, v.Textual = s.Value, true
	}
	return v.Textual
}

// unquotedCell reports a bare word that is a text of the column, as in put(region, north), and
// returns true then.
func unquotedCell(p *names.Pass, column string, e dsl.Expr, sc *names.Scope) bool {
	at, bound := sc.Resolve(e, nil)
	id, isName := at.Expr.(*dsl.Ident)
	if !isName || bound != nil || p.Decls.Lets[id.Name] != nil {
		return false
	}
	write, texts := strconv.Quote(RawName(id)), TextsOf(p, column)
	if texts == nil && TypeOf(p, column) == nil && undeclared(p, id) {
		p.Report(&diag.Diagnostic{
			Code: codes.UndefinedName, Subject: id.Span(), Summary: names.Shown(id) + " is not defined",
			Mend: fmt.Sprintf("For a text write %s, in double quotes; for a number declare it: let %s = 1.", write, names.Shown(id)),
		})
		return true
	}
	if !slices.Contains(texts, RawName(id)) {
		return false
	}
	d := p.Report(&diag.Diagnostic{
		Code: codes.UndefinedName, Subject: id.Span(), Summary: names.Shown(id) + " is not defined, and a text stands in double quotes",
		Mend: fmt.Sprintf("Write %s, which is a value of %s.", write, column),
	})
	p.Spell(d, "write "+write, id.Span(), write)
	return true
}

// undeclared reports whether a name stands for nothing, and is no slip of a let either.
func undeclared(p *names.Pass, id *dsl.Ident) bool {
	_, declared := p.Decls.Names[id.Name]
	special := slices.Contains([]string{tree.PerRow, tree.OfMedian, tree.AutoWord}, id.Name)
	return !declared && !special && !p.Unknown(id.Name) && names.Nearest(p, id.Name, names.Known{p.Declared.Lets()}) == ""
}

// knownCells reports a column that is not a feature and makes none, and returns false then. A column of
// texts makes several.
func knownCells(p *names.Pass, name string, at diag.Span) bool {
	return knownFeatures(p, name, at, true)
}

// Cells judges arguments of a transformation that are whole columns of the file, and a value of such
// a column. It goes as far as that can be done without data. It returns false for faulty ones, which
// it has reported:
//
//	move("region=north", 1)   a feature, and no column
//	swap(age, age)      moves nothing
//	swap(age, region)   a column of numbers and one of texts, or two of texts that share none
//	put(age, "old")     a text in a column of numbers, or a value that the type excludes
//	put(age, 30)        under normalize: the row would have another length
//
// Types decide what columns hold, as the first rows of a file need not have every value.
func Cells(p *names.Pass, schema *plugins.MapSchema, args []*tree.Value, at diag.Span) bool {
	if slices.ContainsFunc(args, func(v *tree.Value) bool {
		return v != nil && v.Arg.Kind == plugins.KindColumn && derivedFeature(p, v.Text, v.Place)
	}) {
		return false
	}
	columns, value := tree.Cells(args)
	switch {
	case len(columns) == 0:
		return true
	case p.Out.Data.Normalize && (value != nil || p.Out.Data.Standardize):
		p.Report(&diag.Diagnostic{
			Code: codes.Normalized, Subject: at, Summary: schema.Name + " writes values of the file, and `normalize` divides each row by its length",
			Detail: "A row that is written anew has another length.", Mend: "Leave out `normalize`, or move by an amount: move(column, amount).", Related: []diag.Related{{Span: ItemAt(p.Decls.Data, "normalize"), Message: "rows get length 1 here"}},
		})
		return false
	case value != nil:
		return cellFits(p, columns[0], value)
	case len(columns) == 2:
		return alike(p, schema, columns[0], columns[1])
	}
	return true
}

// alike reports two columns that cannot change places, and returns false then. A column that changes
// places with itself is a slip: the statement would hold for every f.
func alike(p *names.Pass, schema *plugins.MapSchema, a, b *tree.Value) bool {
	if a.Text == b.Text {
		p.Report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: b.Place, Summary: fmt.Sprintf("%s names %s twice, and moves nothing", schema.Name, a.Text), Mend: "Name two columns."})
		return false
	}
	s, t := TypeOf(p, a.Text), TypeOf(p, b.Text)
	if s == nil || t == nil || s.Texts() == t.Texts() {
		texts, others := TextsOf(p, a.Text), TextsOf(p, b.Text)
		if s == nil != (t == nil) || !tree.Apart(texts, others) || s == nil && !p.Data.Whole {
			return true
		}
		d := tree.NoneInCommon(schema.Name, a.Text, b.Text)
		d.Subject = b.Place
		p.Report(d)
		return false
	}
	p.Report(&diag.Diagnostic{
		Code: codes.Incomparable, Subject: b.Place, Summary: fmt.Sprintf("%s and %s cannot change places: one holds texts, the other numbers", a.Text, b.Text),
		Detail: fmt.Sprintf("%s holds %s, and %s holds %s.", a.Text, s, b.Text, t), Mend: "Name two columns of one kind.",
	})
	return false
}

// CellFits reports a value that its column never has by its declared type, and returns false then.
func CellFits(p *names.Pass, column, value *tree.Value) bool { return cellFits(p, column, value) }

// cellFits reports a value that its column never has by its declared type, and returns false then.
// Numbers are held to the bounds of the type, to its list where it has one, and to whole ones. A text of digits
// counts as a number there, as it does in a condition.
func cellFits(p *names.Pass, column, value *tree.Value) bool {
	t := TypeOf(p, column.Text)
	if t == nil {
		if value.Textual {
			HeldText(p, column.Text, value.Text, tree.Origin{Span: value.Place, Inlined: p.Inlined})
		}
		return true
	}
	d := &diag.Diagnostic{Code: codes.Incomparable, Subject: value.Place, Detail: fmt.Sprintf("%s holds %s.", column.Text, t)}
	_, isNumber := setting.Numeral(value.Cell())
	switch {
	case t.Texts() && !t.Among(value.Cell()):
		d.Summary = fmt.Sprintf("%s is never %q", column.Text, value.Cell())
		p.Misnamed(value.Cell(), t.Values.List, d)
		return false
	case t.Texts():
		return true
	case !isNumber:
		d.Summary, d.Mend = fmt.Sprintf("%s holds numbers, and %q is a text", column.Text, value.Text), "Write a number."
	case !t.Allows(value.Cell()):
		d.Summary, d.Mend = fmt.Sprintf("%s is never %s", column.Text, value.Cell()), "Write a value that the type allows, or mend the type."
	default:
		return true
	}
	p.Report(d)
	return false
}
