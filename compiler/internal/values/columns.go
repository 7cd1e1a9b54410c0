package values

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// ItemAt returns the place of the first item of the data block that has a keyword, and that of the
// block if none has. Without a block it is no place.
func ItemAt(data *dsl.Data, keyword string) diag.Span {
	if data == nil {
		return diag.Span{} // of a statement that stands in no spec
	}
	for _, item := range data.Items {
		if dsl.ItemKeyword(item) == keyword {
			return item.Span()
		}
	}
	return data.Span()
}

// PlainCount returns a count that is not a multiple of the number of rows. One that is has no value
// yet, and is reported (codes.WrongUnit); the result is 0 then, and nobody uses it.
func PlainCount(p *names.Pass, v *tree.Value) int {
	if v.Quantity.Unit == tree.PerRow {
		p.Report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: v.Place, Summary: v.Arg.Name + " cannot be a multiple of the number of rows"})
		return 0
	}
	return int(v.Quantity.Value)
}

// madeOf reports whether a feature is a column, or one that preparation makes of it:
// "region=north", "subject:free", "missing(age)", "missing(age = -7)". All these names may stand in an expression.
func madeOf(feature, column string) bool {
	return feature == column || strings.HasPrefix(feature, column+"=") || strings.HasPrefix(feature, column+":") ||
		feature == "missing("+column+")" || strings.HasPrefix(feature, "missing("+column+" = ")
}

// derivedFeature reports a feature that preparation makes of a known column where a transformation names one
// of the file, and returns true then (codes.UnknownColumn). A row that moves along such a feature alone
// is a row of no file:
//
//	move("region=north", 0.5)     half of a text
//	put("missing(debt)", 1)       a gap that has a value
//
// A file may have a column that is called so. It may be declared, or match a pattern of `columns`. Where no column is known that makes
// such a feature, the data decide.
func derivedFeature(p *names.Pass, name string, at diag.Span) bool {
	d := &p.Out.Data
	known := append(tree.Each(d.Types, func(t setting.ColumnType) string { return t.Column }), d.Columns.Names...)
	if p.Data != nil {
		known = append(known, p.Data.Columns...)
	}
	i := slices.IndexFunc(known, func(c string) bool { return madeOf(name, c) })
	if i < 0 || slices.Contains(known, name) || p.Data == nil && matches(d.Columns.Globs, name) {
		return false
	}
	p.Report(tree.Derived(name, known[i], &diag.Diagnostic{Code: codes.UnknownColumn, Subject: at}, "If the file has a column "+name+", give its type in `types`."))
	return true
}

// matches reports whether a name matches one of some patterns.
func matches(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { ok, _ := path.Match(g, name); return ok })
}

// InFile reports a name that is not a column of the data file that an editor found, and returns false
// then (codes.ColumnNotInData). Without such a file every name passes: only the data can tell.
func InFile(p *names.Pass, name string, at diag.Span) bool {
	file := p.Data
	if file == nil || file.Labels || p.Poison[name] || slices.Contains(file.Columns, name) {
		return true
	}
	p.Misnamed(name, file.Columns, &diag.Diagnostic{Code: codes.ColumnNotInData, Subject: at, Summary: fmt.Sprintf("%s has no column %s", file.Name, name)})
	return false
}

// knownColumn reports a feature column that the data block does not pick, and returns false then
// (codes.UnknownColumn). Targets and columns that are left out are not features: f is not a function of
// them. Where the data block picks all columns, only the data can tell. Of an image no column has a
// name that could be checked.
func knownColumn(p *names.Pass, name string, at diag.Span) bool {
	return knownFeatures(p, name, at, false)
}

// KnownNumbers reports a name that is not a feature column of numbers, and returns false then.
func KnownNumbers(p *names.Pass, name string, at diag.Span) bool {
	return knownColumn(p, name, at)
}

// KnownFeatures reports a name that is not a feature column of numbers or texts, and returns false then.
func KnownFeatures(p *names.Pass, name string, at diag.Span) bool {
	return knownFeatures(p, name, at, true)
}

// knownFeatures reports a name as knownColumn does. Whole says that it may be a column of texts, which
// makes several features.
func knownFeatures(p *names.Pass, name string, at diag.Span, whole bool) bool {
	d := &p.Out.Data
	if p.Broken.Data || p.Poison[name] || d.Columns.Height > 0 {
		return true
	}
	if slices.Contains(d.Target.Names, name) {
		p.Report(&diag.Diagnostic{Code: codes.UnknownColumn, Subject: at, Summary: name + " is the target, not a feature", Detail: "f is a function of the features.", Mend: "Name a feature."})
		return false
	}
	if slices.Contains(d.Ignore.Names, name) || name == d.ID || name == d.Weight || name == d.Split.By {
		p.Report(&diag.Diagnostic{Code: codes.UnknownColumn, Subject: at, Summary: name + " is not a feature: the data block leaves it out", Detail: "f is a function of the features.", Mend: "Name a feature."})
		return false
	}
	if !whole && ofTexts(p, name, at) || !knownFeature(p, name, at) {
		return false
	}
	if len(d.Columns.Names) == 0 || len(d.Columns.Globs) > 0 || slices.ContainsFunc(d.Columns.Names, func(c string) bool { return madeOf(name, c) }) {
		return true
	}
	refusal := p.Misnamed(name, d.Columns.Names, &diag.Diagnostic{Code: codes.UnknownColumn, Subject: at, Summary: "no feature is called " + name, Detail: "The features are those that `columns` picks."})
	if best := tree.Nearest(name, d.Columns.Names); best != "" {
		refusal.Mend = fmt.Sprintf("Did you mean %s? If the data call it %s, mend `columns`.", best, name)
	}
	refusal.Related = append(refusal.Related, diag.Related{Span: ItemAt(p.Decls.Data, names.ColumnsWord), Message: "the features are picked here"})
	return false
}

// KnownLabel reports a label that the target does not have, and returns false then. Where the
// labels come from the data, or the data block has a fault, every name passes.
func KnownLabel(p *names.Pass, name string, at diag.Span) bool {
	t := &p.Out.Data.Target
	if p.Broken.Data || p.Poison[name] || t.Task != setting.Multilabel || len(t.Names) == 0 || slices.Contains(t.Names, name) {
		return true
	}
	p.Misnamed(name, t.Names, &diag.Diagnostic{Code: codes.UnknownLabel, Subject: at, Summary: "the target has no label " + name})
	return false
}

// OfLevels reports whether f is a function of x and a level of quantiles. Levels are labels of f. They are numbers, have an order, and no
// row has one of its own.
func OfLevels(p *names.Pass) bool {
	return !p.Broken.Data && p.Out.Data.Target.Task == setting.Quantiles
}

// Level returns a level that an expression gives as a number. Nil means that it gives none, or one that f does not have, which is
// reported (codes.UnknownLabel).
func Level(p *names.Pass, e dsl.Expr, sc *names.Scope) *tree.Value {
	at, v := sc.Resolve(e, nil)
	id, isName := at.Expr.(*dsl.Ident)
	if isName && v == nil && p.Decls.Lets[id.Name] == nil {
		unknownLevel(p, e, names.Shown(id))
		return nil
	}
	q, ok := Plain(p, e, sc)
	if !ok {
		return nil
	}
	name := setting.LevelNames([]float64{q.Value})[0]
	if !slices.Contains(p.Out.Data.Target.Levels, q.Value) {
		unknownLevel(p, e, name)
		return nil
	}
	return &tree.Value{Text: name, Place: e.Span()}
}

// unknownLevel reports a level that f does not have.
func unknownLevel(p *names.Pass, e dsl.Expr, name string) {
	p.Report(&diag.Diagnostic{
		Code: codes.UnknownLabel, Subject: e.Span(), Summary: "f has no level " + name, Detail: "The levels are " + Levels(p) + ".",
		Mend: "Write one of them, or add it to learn quantile.",
	})
}

// Levels returns the levels as a spec lists them.
func Levels(p *names.Pass) string {
	return strings.Join(setting.LevelNames(p.Out.Data.Target.Levels), ", ")
}

// IsLabel reports whether a name is that of a label of a multilabel target. A label hides nothing:
// as an expression it is refused, with f(label) as the mend.
func IsLabel(p *names.Pass, name string) bool {
	return slices.Contains(p.Out.Data.Target.Names, name) && p.Out.Data.Target.Task == setting.Multilabel
}
