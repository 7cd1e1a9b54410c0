package values

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// TypeOf returns the type that the data block declares for a column. Nil means that it declares
// none.
func TypeOf(p *names.Pass, column string) *setting.ColumnType {
	for i := range p.Out.Data.Types {
		if t := &p.Out.Data.Types[i]; t.Column == column {
			return t
		}
	}
	return nil
}

// TextsOf returns the texts that a column is known to hold. Its type lists them, or else the first
// rows of the data file that an editor found have them.
func TextsOf(p *names.Pass, column string) []string {
	if t := TypeOf(p, column); t != nil && t.Texts() {
		return t.Values.List
	}
	if p.Data == nil {
		return nil
	}
	return p.Data.Texts[column]
}

// HeldText warns of a text that its column has in no row of the data file that an editor found
// (codes.TextNotInData). Where only the first rows were seen, it must be nearly one of theirs. The first texts of a column are
// warned of.
func HeldText(p *names.Pass, column, text string, from tree.Origin) {
	if p.Data == nil || TypeOf(p, column) != nil || text == "" || slices.Contains(p.Data.Texts[column], text) {
		return
	}
	known, rows := slices.DeleteFunc(slices.Clone(p.Data.Texts[column]), func(s string) bool { return s == "" }), "No row"
	if p.Unheld[column] == mostUnheld {
		return
	}
	if !p.Data.Whole {
		rows = "None of the first rows"
	}
	best := tree.Nearest(text, known)
	if len(known) == 0 || best == "" && !p.Data.Whole {
		return
	}
	p.Unheld[column]++
	d := p.ReportAt(from, &diag.Diagnostic{
		Code: codes.TextNotInData, Severity: diag.Warning, Summary: fmt.Sprintf("%s of %s has %q as its %s", rows, p.Data.Name, text, column), Mend: tree.Meant(best, known),
	})
	p.Rename(d, from.Span, text, known)
}

// mostUnheld is how many texts that a column of a data file lacks are warned of.
const mostUnheld = 50

// KnownColumn reports a name that is not a column, and returns false then. The data file that an
// editor found decides (codes.ColumnNotInData), or the columns of a model (codes.UnknownColumn). Without
// both every name passes, as `types` says what some columns hold and not which there are.
func KnownColumn(p *names.Pass, name string, at diag.Span) bool {
	if p.Broken.Data || p.Poison[name] {
		return true
	}
	return InFile(p, name, at) && declared(p, name, at)
}

// declared reports a column that a model does not have, and returns false then. In a spec it warns of one that
// the data block does not name, and that reads like one whose type it declares.
func declared(p *names.Pass, name string, at diag.Span) bool {
	d := &p.Out.Data
	all := slices.Concat(d.Target.Names, d.Columns.Names, d.Ignore.Names, []string{d.ID, d.Split.By, d.Split.Time, d.Weight})
	if len(d.Types) == 0 || TypeOf(p, name) != nil || slices.Contains(all, name) || strings.EqualFold(name, names.IDWord) ||
		matches(slices.Concat(d.Columns.Globs, d.Ignore.Globs, d.Target.Globs), name) {
		return true
	}
	types := tree.Each(d.Types, func(t setting.ColumnType) string { return t.Column })
	if d.Closed {
		named := slices.DeleteFunc(all, func(c string) bool { return c == "" || slices.Contains(types, c) })
		p.Misnamed(name, slices.Concat(types, named), &diag.Diagnostic{Code: codes.UnknownColumn, Subject: at, Summary: "the model has no column " + name})
		return false
	}
	if p.Data == nil {
		likeDeclared(p, name, types, at)
	}
	return true
}

// shortName is the length of names below which every other one is near.
const shortName = 4

// likeDeclared warns once of a column that reads like one whose type is declared (codes.LikeDeclared). Columns that differ in their
// digits alone, as x1 and x2 do, are two.
func likeDeclared(p *names.Pass, name string, types []string, at diag.Span) {
	best := tree.Nearest(name, types)
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, s)
	}
	if best == "" || len(name) < shortName || letters(best) == letters(name) {
		return
	}
	summary := fmt.Sprintf("the column %s has no type, and reads like %s, which has one", name, best)
	if slices.ContainsFunc(*p.Diags, func(d *diag.Diagnostic) bool { return d.Summary == summary }) {
		return
	}
	written := name
	if !dsl.IsName(name) {
		written = strconv.Quote(name)
	}
	d := p.Warn(&diag.Diagnostic{
		Code: codes.LikeDeclared, Subject: at, Summary: summary, Mend: fmt.Sprintf("Did you mean %s? If the data have both, give it a type: types %s : real.", best, written),
		Related: []diag.Related{{Span: ItemAt(p.Decls.Data, names.TypesWord), Message: "types are declared here"}},
	})
	p.Rename(d, at, name, []string{best})
}

// ofTexts reports a column of texts where f would have a slope along it, and returns true then. A
// column of texts becomes features of 0 and 1, one for each text.
func ofTexts(p *names.Pass, name string, at diag.Span) bool {
	texts := TextsOf(p, name)
	if t := TypeOf(p, name); t != nil && t.Text {
		texts = []string{"TEXT"}
	}
	if len(texts) == 0 {
		return false
	}
	code, where := codes.UnknownColumn, "."
	if TypeOf(p, name) == nil {
		code, where = codes.ColumnNotInData, " in "+p.Data.Name+"."
	}
	if call, _, isArgument := strings.Cut(p.Place, "."); isArgument {
		if _, schema := p.PointMap(call); schema != nil {
			p.Report(tree.MovesText(name, texts, &diag.Diagnostic{Code: code, Subject: at}))
			return true
		}
	}
	made := tree.Each(texts, func(text string) string { return strconv.Quote(name + "=" + text) })
	p.Report(&diag.Diagnostic{
		Code: code, Subject: at, Summary: name + " is a column of texts, and f has no slope along it", Detail: "It becomes features of 0 and 1, one for each text" + where,
		Mend: "Name one of them, in quotes: " + tree.Listed(made, someTexts) + ".",
	})
	return true
}

// someTexts is how many texts of a column a message lists.
const someTexts = 12

// knownFeature reports a feature that no known column makes, and returns false then. The column
// age makes the features age and missing(age), the column region of texts region=north and others.
// Which of several columns is meant does not matter: one that is known suffices.
func knownFeature(p *names.Pass, name string, at diag.Span) bool {
	column := name
	for i := range p.Out.Data.Types {
		if c := p.Out.Data.Types[i].Column; madeOf(name, c) {
			column = c
		}
	}
	if p.Data != nil {
		if i := slices.IndexFunc(p.Data.Columns, func(c string) bool { return madeOf(name, c) }); i >= 0 {
			column = p.Data.Columns[i]
		}
	}
	t := TypeOf(p, column)
	text, isText := strings.CutPrefix(name, column+"=")
	if t != nil && t.Texts() && isText && !t.Among(text) {
		features := tree.Each(t.Values.List, func(v string) string { return column + "=" + v })
		p.Misnamed(name, features, &diag.Diagnostic{Code: codes.UnknownColumn, Subject: at, Summary: fmt.Sprintf("%s is never %q", column, text), Detail: column + " is one of " + t.String() + "."})
		return false
	}
	return KnownColumn(p, column, at)
}
