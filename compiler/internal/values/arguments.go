// Package values works out what holds no f: numbers with their units, texts, files, and the
// arguments of calls against their schemas.
//
// A number is a quantity q = v·u with one of the units 1, deg, n (the number of training rows) and
// median (the median distance between them). Quantities of one unit add, and a plain number
// multiplies any:
//
//	v·u ± w·u = (v ± w)·u      v·(w·u) = (v·w)·u      (v·u) / w = (v/w)·u
//
// All else is codes.WrongUnit, so that a width of 3 rows is not a length (tree.Combine). n and median
// stand for what the data decide, and stay symbols until then.
//
// A number may also be chosen from several, grid(v₁, …, vₖ). A pass compiles the spec for one
// choice of all grids. The first value of each stands for the rest until every combination has been
// judged (grids.go of package compiler). What a let comes to is remembered, as lets that use lets
// twice would double the work line by line.
//
//	let a = 2 * 2          one evaluation
//	let b = a * a          of each let, and not
//	let c = b * b          eight of the first
//
// Arguments are checked against the schema of what is called (plugins.Arg): by position or by name,
// with defaults, units and bounds. What is wrong is reported at the argument, with what the schema
// says of it. Results are nil or false then, and whoever gets those reports nothing.
//
// The language of values is described in docs/language.md under Syntax, Kernels and features, and
// Files.
package values

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// Kinds of arguments that only the language's own settings have.
const (
	KindWidth     plugins.ValueKind = 100 + iota // a length, or a multiple of `median`
	KindLandmarks                                // all, rows, or a count
	KindKernel                                   // the kernel of a column
	KindPairs                                    // pairs of columns
)

// Arguments binds a call's arguments to a schema: positional ones in order, named ones by name,
// defaults filled in. The result has one element for each argument of the schema, nil where one is
// optional and missing. Everything wrong is reported; ok is false then. What may be missing only
// because another one is misspelt is not reported.
func Arguments(p *names.Pass, schema []plugins.Arg, name string, args []*dsl.Arg, at diag.Span, sc *names.Scope) ([]*tree.Value, bool) {
	given := make([]*dsl.Arg, len(schema))
	assigned := Assign(p, schema, name, args, given)
	ok := assigned
	values := make([]*tree.Value, len(schema))
	for i := range schema {
		arg := &schema[i]
		if given[i] != nil {
			place, within := p.Place, p.Within
			p.Place, p.Within = name+"."+arg.Name, given[i].Value
			if !isCell(arg) || i == 0 || values[i-1] == nil || !unquotedCell(p, values[i-1].Text, given[i].Value, sc) {
				values[i] = Argument(p, arg, given[i].Value, sc)
			}
			p.Place, p.Within = place, within
			if ok = ok && values[i] != nil; values[i] == nil && isLater(p, schema, i, name) {
				return values, false
			}
			continue
		}
		switch {
		case arg.Default != "":
			values[i] = Argument(p, arg, DefaultOf(p, arg), nil)
			ok = ok && values[i] != nil
		case !arg.Optional && !assigned:
			return values, false // what is missing may be what was misspelt
		case !arg.Optional:
			p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: at, Summary: fmt.Sprintf("%s needs %s", name, arg.Name), Detail: About(arg), Mend: "Write " + Signature(name, schema) + "."})
			ok = false
		}
	}
	return values, ok
}

// isLater reports whether a column that was found faulty may stand in the place of the number behind it. Then its error says in which order
// they are written.
func isLater(p *names.Pass, schema []plugins.Arg, i int, name string) bool {
	if schema[i].Kind != plugins.KindColumn || i+1 == len(schema) || schema[i+1].Kind != plugins.KindNumber {
		return false
	}
	if d := (*p.Diags)[len(*p.Diags)-1]; d.Code == codes.WrongType {
		d.Mend = "Write " + Signature(name, schema) + "."
	}
	return true
}

// otherwise says how an argument is written that is unknown to a call: as a choice of another one, or by a call of move. Empty means
// that it is neither.
func otherwise(schema []plugins.Arg, name string, a *dsl.Arg) string {
	for _, s := range schema {
		if slices.Contains(s.Choices, a.Name.Name) {
			return fmt.Sprintf(" Write %s = %s.", s.Name, a.Name.Name)
		}
	}
	if _, number := a.Value.(*dsl.Number); number && name == "shift" {
		return fmt.Sprintf(" A column is moved by move(%s, %s).", names.Shown(a.Name), tree.Text(a.Value))
	}
	return ""
}

// Assign distributes the arguments over the schema's. It reports one too many
// (codes.TooManyArguments), an unknown name, and an argument that is given twice.
func Assign(p *names.Pass, schema []plugins.Arg, name string, args []*dsl.Arg, given []*dsl.Arg) bool {
	ok := true
	for pos, a := range args {
		i := pos
		if a.Name != nil {
			i = slices.IndexFunc(schema, func(s plugins.Arg) bool { return s.Name == a.Name.Name })
		}
		switch {
		case i < 0:
			d := p.Misnamed(a.Name.Name, argNames(schema), &diag.Diagnostic{Code: codes.UnknownArgument, Subject: a.Name.Span(), Summary: fmt.Sprintf("%s has no argument %s", name, names.Shown(a.Name))})
			d.Mend = strings.TrimSpace(d.Mend + " It is " + Signature(name, schema) + "." + otherwise(schema, name, a))
			ok = false
		case i >= len(schema):
			p.Report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: a.Span(), Summary: fmt.Sprintf("%s takes %s", name, tree.Plural(len(schema), "argument")), Mend: "It is " + Signature(name, schema) + "."})
			return false
		case given[i] != nil:
			p.Report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: a.Span(), Summary: fmt.Sprintf("%s is given twice", schema[i].Name), Mend: "Keep one of them."})
			ok = false
		default:
			given[i] = a
		}
	}
	return ok
}

// argNames returns the names of a schema's arguments, for messages about one that it does not have.
func argNames(schema []plugins.Arg) []string {
	return tree.Each(schema, func(arg plugins.Arg) string { return arg.Name })
}

// Signature shows how a call is written: "svm(C = 1)". Arguments with a default show it, as that is
// what they are where they are left out.
func Signature(name string, schema []plugins.Arg) string {
	parts := make([]string, len(schema))
	for i := range schema {
		parts[i] = schema[i].Name
		if schema[i].Default != "" {
			parts[i] += " = " + schema[i].Default
		}
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// DefaultOf returns an argument's default as an expression. It is written in the schema in the
// language's own syntax, and parsed once. What is not a value of the language stands for itself, as a
// text.
func DefaultOf(p *names.Pass, arg *plugins.Arg) dsl.Expr {
	if e := p.Defaults[arg.Default]; e != nil {
		return e
	}
	file, list := dsl.Parse("default of "+arg.Name, []byte("let v = "+arg.Default))
	let := tree.SoleLet(file, list)
	if let == nil {
		return &dsl.String{Value: arg.Default}
	}
	p.Defaults[arg.Default] = let.Value
	return let.Value
}

// units says which units a number of each kind may have.
var units = map[plugins.ValueKind][]string{
	plugins.KindNumber: {tree.NoUnit}, plugins.KindAngle: {tree.Degrees}, plugins.KindCount: {tree.NoUnit, tree.PerRow},
	KindWidth: {tree.NoUnit, tree.OfMedian}, KindLandmarks: {tree.NoUnit, tree.PerRow},
}

// wants says what a text of each kind is called in errors. Bare words save quotes where only a name
// can stand.
var wants = map[plugins.ValueKind]struct {
	text string
	bare bool
}{
	plugins.KindText: {"a text in double quotes", false}, plugins.KindFile: {"the name of a file in double quotes", false},
	plugins.KindChoice: {"a word", true}, plugins.KindColumn: {"a column", true}, plugins.KindLabel: {"a label", true},
}

// Argument checks one argument's value by its kind. Nil means that it is faulty, which has been
// reported. An angle is written in degrees and kept in radians, as families compute with these.
func Argument(p *names.Pass, arg *plugins.Arg, e dsl.Expr, sc *names.Scope) *tree.Value {
	v := &tree.Value{Arg: arg, Place: e.Span()}
	var ok bool
	id, isName := e.(*dsl.Ident)
	switch {
	case arg.Kind == KindLandmarks && isName && slices.Contains(Fills(arg), id.Name):
		v.Text, ok = id.Name, true
	case arg.Kind == KindLandmarks && isName && id.Name != tree.PerRow && id.Name != tree.AutoWord && p.Decls.Lets[id.Name] == nil && !p.Poison[id.Name]:
		p.Report(&diag.Diagnostic{Code: codes.UndefinedName, Subject: e.Span(), Summary: names.Shown(id) + " is not defined", Detail: About(arg), Mend: "Write all, rows or a number."})
	case isCell(arg) && cellText(p, v, e, sc):
		ok = true
	case units[arg.Kind] != nil:
		ok = number(p, v, e, sc, units[arg.Kind]...)
	case arg.Kind == plugins.KindTaxonomy:
		v.Taxonomy = Taxonomy(p, e, sc)
		ok = v.Taxonomy != nil
	default:
		ok = textual(p, v, e, sc)
	}
	if !ok {
		return nil
	}
	return v
}

// textual checks an argument that is written as a text or a bare word: texts, choices, columns,
// labels and names of files. A file is read at once, so that a family never opens one itself.
func textual(p *names.Pass, v *tree.Value, e dsl.Expr, sc *names.Scope) (ok bool) {
	want := wants[v.Arg.Kind]
	if at, bound := sc.Resolve(e, nil); bound != nil && bound.Kind == tree.ColumnVar {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: at.Expr.Span(), Summary: tree.Text(at.Expr) + " is " + bound.Kind.String() + ", and stands where one is to be named", Detail: "It may stand in d/d(" + tree.Text(at.Expr) + ") f.", Mend: "Name the column; in quotes a column of that name is meant."})
		return false
	}
	if v.Arg.Kind == plugins.KindColumn && setOfColumns(p, e, sc) {
		return false
	}
	if v.Text, ok = Literal(p, e, sc, cmp.Or(strings.Join(v.Arg.Choices, " or "), want.text), want.bare); !ok {
		return false
	}
	switch v.Arg.Kind {
	case plugins.KindChoice:
		if ok = slices.Contains(v.Arg.Choices, v.Text); !ok {
			unknownChoice(p, v.Arg, v.Text, e.Span())
		}
	case plugins.KindColumn:
		known := knownColumn
		if v.Arg.Unit == plugins.Cells {
			known = knownCells
		}
		ok = written(p, v, e, sc, known)
	case plugins.KindLabel:
		ok = written(p, v, e, sc, KnownLabel)
	case plugins.KindFile:
		v.Text, _ = FileName(p, e, sc)
		v.Bytes, ok = p.ReadFile(v.Text, e.Span())
	}
	return ok
}

// written checks a name at the place where it is written: in the call of a definition, where a
// parameter stands for it. There the user can change it.
func written(p *names.Pass, v *tree.Value, e dsl.Expr, sc *names.Scope, known func(p *names.Pass, name string, at diag.Span) bool) bool {
	outer := p.Inlined
	defer func() { p.Inlined = outer }()
	at, _ := sc.Resolve(e, outer)
	p.Inlined = at.Inlined
	if p.Text(at.Expr.Span()) != "" {
		v.Place = at.Expr.Span()
	}
	return known(p, v.Text, at.Expr.Span())
}

// number evaluates a number of one of the units, within the argument's bounds.
func number(p *names.Pass, v *tree.Value, e dsl.Expr, sc *names.Scope, units ...string) bool {
	q, ok := Quantity(p, e, sc)
	if !ok {
		return false
	}
	if !slices.Contains(units, q.Unit) {
		wrongUnit(p, v, e, q, units)
		return false
	}
	if q.Unit == tree.Degrees {
		q.Value *= math.Pi / 180
	}
	v.Quantity = q
	whole := v.Arg.Kind == plugins.KindCount || v.Arg.Kind == KindLandmarks
	if whole && q.Unit == tree.NoUnit && !isCount(p, v, e, q) {
		return false
	}
	return inBounds(p, v, e, q)
}

// isCount reports a number that is not a count, or none that fits, and returns false then. Seeds may
// be as large as whole numbers are exact in floating point, 2⁵³.
func isCount(p *names.Pass, v *tree.Value, e dsl.Expr, q tree.Quantity) bool {
	most, power := float64(math.MaxInt32), "2³¹ − 1"
	if v.Arg.Name == tree.SeedArg.Name {
		most, power = 1<<53, "2⁵³"
	}
	var want string
	switch {
	case q.Value != math.Trunc(q.Value) || q.Value < 0:
		want = fmt.Sprintf("a whole number from %v", max(v.Arg.Min, 0))
		if v.Arg.Name == tree.SeedArg.Name {
			want += " to " + power
		}
	case q.Value > most:
		want = "at most " + power
	default:
		return true
	}
	mend := ""
	switch {
	case q.Value >= 1 && q.Value <= most:
		mend = fmt.Sprintf("Write %v.", math.Floor(q.Value))
	case v.Arg.Unit == "rows" && q.Value > 0 && q.Value < 1:
		mend = fmt.Sprintf("For a share of the rows write %vn.", q.Value)
	}
	p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Span(), Summary: fmt.Sprintf("%s is %v, and must be %s", v.Arg.Name, q, want), Detail: About(v.Arg), Mend: mend})
	return false
}

// inBounds reports a number beyond the bounds of its argument (codes.OutOfRange), and returns false
// then. Bounds without an interval between them mean that there are none. A multiple of n or of
// median is held to its sign alone, as its size is not known yet.
func inBounds(p *names.Pass, v *tree.Value, e dsl.Expr, q tree.Quantity) bool {
	arg := v.Arg
	if !(arg.Min < arg.Max) {
		return true
	}
	if q.Unit == tree.PerRow || q.Unit == tree.OfMedian {
		if q.Value > 0 || arg.Min <= 0 {
			return true
		}
	} else if q.Value >= arg.Min && q.Value <= arg.Max {
		return true
	}
	scale, unit := 1.0, ""
	if arg.Kind == plugins.KindAngle {
		scale, unit = 180/math.Pi, tree.Degrees
	}
	want := fmt.Sprintf("between %.6g%s and %.6g%s", arg.Min*scale, unit, arg.Max*scale, unit)
	switch {
	case arg.Min > 0 && arg.Min < 1e-9 && q.Value <= 0:
		want = "positive"
	case arg.Max >= math.MaxInt32 && q.Value < arg.Min:
		want = fmt.Sprintf("at least %.6g%s", arg.Min*scale, unit)
	}
	p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Span(), Summary: fmt.Sprintf("%s is %s, and must be %s", arg.Name, tree.Text(e), want), Detail: About(arg)})
	return false
}

// wrongUnit reports a number with a unit that its argument does not take, or without the one that
// it does. Where the digits show what is meant, it offers a fix.
func wrongUnit(p *names.Pass, v *tree.Value, e dsl.Expr, q tree.Quantity, units []string) {
	d := p.Report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: e.Span(), Detail: About(v.Arg)})
	switch {
	case q.Unit == tree.NoUnit && units[0] == tree.Degrees:
		d.Summary = fmt.Sprintf("%s is an angle, and %s has no unit", v.Arg.Name, tree.Text(e))
		d.Mend = "Write " + tree.Text(e) + "deg."
		if _, ok := e.(*dsl.Number); ok {
			d.Fixes = []diag.Fix{{Title: "write degrees", Edits: []diag.Edit{{Span: e.Span(), New: tree.Text(e) + "deg"}}}}
		}
	case q.Unit == tree.OfMedian:
		d.Summary = fmt.Sprintf("median is a length, and %s is none", v.Arg.Name)
		d.Mend = "median may stand in a kernel's width alone."
	default:
		d.Summary = fmt.Sprintf("%s cannot be %s", v.Arg.Name, q)
		d.Mend = "Write it without the unit."
		if n, ok := e.(*dsl.Number); ok && q.Unit != tree.OfMedian {
			p.Offer(d, "leave the unit out", e.Span(), strings.TrimSuffix(n.Raw, n.Unit))
		}
		if v.Arg.Kind == KindWidth {
			d.Mend = "A width is a number, or a multiple of median."
		}
	}
}

// successors maps a choice that an argument no longer takes to the one that serves instead.
var successors = map[string]string{"select ridge": "leverage"}

// unknownChoice reports a word that an argument does not take. One that it took in an earlier
// version comes with its successor, any other with the nearest word.
func unknownChoice(p *names.Pass, arg *plugins.Arg, word string, at diag.Span) {
	next := successors[arg.Name+" "+word]
	if !slices.Contains(arg.Choices, next) {
		p.Misnamed(word, arg.Choices, &diag.Diagnostic{Code: codes.UnknownChoice, Subject: at, Summary: fmt.Sprintf("%s cannot be %s", arg.Name, word), Detail: About(arg)})
		return
	}
	d := p.Report(&diag.Diagnostic{
		Code: codes.UnknownChoice, Subject: at, Summary: fmt.Sprintf("%s no longer takes %s", arg.Name, word), Detail: About(arg), Mend: fmt.Sprintf("Use %s.", next),
	})
	p.Offer(d, "use "+next, at, next)
}

// setOfColumns reports a set where one column is to be named, and says how a statement is made of each. It returns true if it did.
func setOfColumns(p *names.Pass, e dsl.Expr, sc *names.Scope) bool {
	at, _ := sc.Resolve(e, nil)
	set, ok := dsl.Bare(at.Expr).(*dsl.Set)
	if !ok {
		return false
	}
	mend := "For each of them write max over c in columns%s of …, with c in the place of the set."
	if p.Inlined != nil && len(p.Inlined.Syntax.Args) == 1 {
		mend = "For each of them write max over c in columns%s of " + p.Inlined.Name + "(c)."
	}
	columns := "(" + strings.Trim(tree.Text(set), "{}") + ")"
	p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: at.Expr.Span(), Summary: "one column is wanted here, not " + tree.Text(set), Mend: fmt.Sprintf(mend, columns)})
	return true
}

// Literal returns a text: a string, a let or argument that holds one, or, where bare words stand
// for themselves, a word or number. Want says in the error what is wanted.
func Literal(p *names.Pass, e dsl.Expr, sc *names.Scope, want string, bare bool) (string, bool) {
	text, _, ok := literal(p, e, sc, want, bare)
	return text, ok
}

// FileName returns the name of a file, relative to the spec: a text as of Literal, whose place says
// what it is relative to.
func FileName(p *names.Pass, e dsl.Expr, sc *names.Scope) (string, bool) {
	name, at, ok := literal(p, e, sc, "the name of a file in double quotes", false)
	return names.PathAt(p.Spec, name, at), ok
}

// literal returns a text as Literal does, and where it is written.
func literal(p *names.Pass, e dsl.Expr, sc *names.Scope, want string, bare bool) (string, diag.Span, bool) {
	at, _ := sc.Resolve(e, nil)
	switch e := at.Expr.(type) {
	case *dsl.String:
		return e.Value, e.Span(), true
	case *dsl.Number:
		if bare && e.Unit == tree.NoUnit {
			return e.Raw, e.Span(), true
		}
	case *dsl.Ident:
		if s, ok := Held(p, e.Name).(*dsl.String); ok {
			Use(p, e.Name)
			return s.Value, s.Span(), true
		}
		if bare {
			return RawName(e), e.Span(), true
		}
	}
	detail := map[bool]string{true: "Grids are of numbers."}[strings.HasPrefix(tree.Text(at.Expr), tree.GridWord+"(")]
	p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: at.Expr.Span(), Summary: want + " is wanted here, not " + tree.Text(at.Expr), Detail: detail})
	return "", at.Expr.Span(), false
}

// RawName returns the name of a label or column as the data have it. Greek letters are not spelled
// out, as nobody spelled them out in the data.
func RawName(id *dsl.Ident) string {
	if id.Raw == "" || strings.HasPrefix(id.Raw, `"`) {
		return id.Name
	}
	return id.Raw
}

// About says what an argument is, as a sentence. It is the detail of every error about an argument.
func About(arg *plugins.Arg) string {
	if arg.Doc == "" {
		return ""
	}
	return arg.Name + ": " + arg.Doc + "."
}

// Fills returns the words that may stand for an argument's value: the choices of one that has them,
// median for a width. Editors offer them, and a column or label of such a name is hidden there.
func Fills(arg *plugins.Arg) []string {
	switch arg.Kind {
	case KindWidth:
		return []string{tree.OfMedian}
	case KindLandmarks:
		return []string{"all", tree.RowsWord}
	}
	return arg.Choices
}

// Sole returns the argument of a call that has one, without a name. It returns nil for all other
// calls, and leaves it to the caller to say what was wanted.
func Sole(call *dsl.Call) dsl.Expr {
	if len(call.Args) != 1 || call.Args[0].Name != nil {
		return nil
	}
	return call.Args[0].Value
}
