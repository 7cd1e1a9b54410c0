package compiler

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// Kinds of arguments that only the language's own settings have.
const (
	kindWidth     plugins.ValueKind = 100 + iota // a length, or a multiple of `median`
	kindLandmarks                                // all, rows, or a count
)

// arguments binds a call's arguments to a schema: positional ones in order, named ones by name, defaults filled in. The
// result has one element for each argument of the schema, nil where one is optional and missing. Everything wrong is reported.
func (p *pass) arguments(schema []plugins.Arg, name string, args []*dsl.Arg, at diag.Span, sc *scope) ([]*tree.Value, bool) {
	given := make([]*dsl.Arg, len(schema))
	assigned := p.assign(schema, name, args, given)
	ok := assigned
	values := make([]*tree.Value, len(schema))
	for i := range schema {
		arg := &schema[i]
		if given[i] != nil {
			place := p.place
			p.place = name + "." + arg.Name
			values[i] = p.argument(arg, given[i].Value, sc)
			p.place = place
			ok = ok && values[i] != nil
			continue
		}
		switch {
		case arg.Default != "":
			values[i] = p.argument(arg, p.defaultOf(arg), nil)
			ok = ok && values[i] != nil
		case !arg.Optional && !assigned:
			return values, false // what is missing may be what was misspelt
		case !arg.Optional:
			p.report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: at, Summary: fmt.Sprintf("%s needs %s", name, arg.Name), Detail: about(arg), Mend: "Write " + signature(name, schema) + "."})
			ok = false
		}
	}
	return values, ok
}

// assign distributes the arguments over the schema's.
func (p *pass) assign(schema []plugins.Arg, name string, args []*dsl.Arg, given []*dsl.Arg) bool {
	ok := true
	for pos, a := range args {
		i := pos
		if a.Name != nil {
			i = slices.IndexFunc(schema, func(s plugins.Arg) bool { return s.Name == a.Name.Name })
		}
		switch {
		case i < 0:
			d := p.misnamed(a.Name.Name, argNames(schema), &diag.Diagnostic{Code: codes.UnknownArgument, Subject: a.Name.Span(), Summary: fmt.Sprintf("%s has no argument %s", name, shown(a.Name))})
			d.Mend = strings.TrimSpace(d.Mend + " It is " + signature(name, schema) + ".")
			ok = false
		case i >= len(schema):
			p.report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: a.Span(), Summary: fmt.Sprintf("%s takes %s", name, tree.Plural(len(schema), "argument")), Mend: "It is " + signature(name, schema) + "."})
			return false
		case given[i] != nil:
			p.report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: a.Span(), Summary: fmt.Sprintf("%s is given twice", schema[i].Name), Mend: "Keep one of them."})
			ok = false
		default:
			given[i] = a
		}
	}
	return ok
}

func argNames(schema []plugins.Arg) []string {
	names := make([]string, len(schema))
	for i := range schema {
		names[i] = schema[i].Name
	}
	return names
}

// signature shows how a call is written: "svm(C = 1)".
func signature(name string, schema []plugins.Arg) string {
	parts := make([]string, len(schema))
	for i := range schema {
		parts[i] = schema[i].Name
		if schema[i].Default != "" {
			parts[i] += " = " + schema[i].Default
		}
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// defaultOf is an argument's default as an expression.
func (p *pass) defaultOf(arg *plugins.Arg) dsl.Expr {
	if e := p.defaults[arg.Default]; e != nil {
		return e
	}
	file, list := dsl.Parse("default of "+arg.Name, []byte("let v = "+arg.Default))
	let := tree.SoleLet(file, list)
	if let == nil {
		return &dsl.String{Value: arg.Default}
	}
	p.defaults[arg.Default] = let.Value
	return let.Value
}

// argument checks one argument's value; nil where it is faulty.
func (p *pass) argument(arg *plugins.Arg, e dsl.Expr, sc *scope) *tree.Value {
	v := &tree.Value{Arg: arg, Place: e.Span()}
	var ok bool
	switch arg.Kind {
	case plugins.KindNumber:
		ok = p.number(v, e, sc, tree.NoUnit)
	case plugins.KindAngle:
		ok = p.number(v, e, sc, tree.Degrees)
	case plugins.KindCount:
		ok = p.number(v, e, sc, tree.NoUnit, tree.PerRow)
	case kindWidth:
		ok = p.number(v, e, sc, tree.NoUnit, tree.OfMedian)
	case kindLandmarks:
		if id, isName := e.(*dsl.Ident); isName && (id.Name == "all" || id.Name == tree.RowsWord) {
			v.Text, ok = id.Name, true
		} else {
			ok = p.number(v, e, sc, tree.NoUnit, tree.PerRow)
		}
	case plugins.KindTaxonomy:
		v.Taxonomy = p.taxonomy(e, sc)
		ok = v.Taxonomy != nil
	default:
		ok = p.textual(v, e, sc)
	}
	if !ok {
		return nil
	}
	return v
}

// textual checks an argument that is written as a text or a bare word.
func (p *pass) textual(v *tree.Value, e dsl.Expr, sc *scope) (ok bool) {
	switch v.Arg.Kind {
	case plugins.KindText:
		v.Text, ok = p.literal(e, sc, "a text in double quotes", false)
	case plugins.KindChoice:
		ok = p.choiceOf(v, e, sc)
	case plugins.KindColumn:
		if v.Text, ok = p.literal(e, sc, "a column", true); ok {
			ok = p.written(v, e, sc, p.knownColumn)
		}
	case plugins.KindLabel:
		if v.Text, ok = p.literal(e, sc, "a label", true); ok {
			ok = p.written(v, e, sc, p.knownLabel)
		}
	case plugins.KindFile:
		if v.Text, ok = p.literal(e, sc, "the name of a file in double quotes", false); ok {
			v.Bytes, ok = p.readFile(v.Text, e.Span())
		}
	}
	return ok
}

// written checks a name at the place where it is written: in the call of a definition, where a parameter stands for it.
func (p *pass) written(v *tree.Value, e dsl.Expr, sc *scope, known func(name string, at diag.Span) bool) bool {
	outer := p.inlined
	defer func() { p.inlined = outer }()
	for {
		id, isName := e.(*dsl.Ident)
		if !isName {
			break
		}
		b := sc.lookup(id.Name)
		if b == nil || b.argument == nil {
			break
		}
		e, sc, p.inlined = b.argument.expr, b.argument.scope, b.argument.inlined
	}
	if e.Span().File == p.file.Name {
		v.Place = e.Span()
	}
	return known(v.Text, e.Span())
}

// number evaluates a number of one of the units, within the argument's bounds.
func (p *pass) number(v *tree.Value, e dsl.Expr, sc *scope, units ...string) bool {
	q, ok := p.quantity(e, sc)
	if !ok {
		return false
	}
	if !slices.Contains(units, q.Unit) {
		p.wrongUnit(v, e, q, units)
		return false
	}
	if q.Unit == tree.Degrees {
		q.Value *= math.Pi / 180
	}
	v.Quantity = q
	whole := v.Arg.Kind == plugins.KindCount || v.Arg.Kind == kindLandmarks
	if whole && q.Unit == tree.NoUnit && !p.isCount(v, e, q) {
		return false
	}
	return p.inBounds(v, e, q)
}

// isCount reports a number that is no count, or none that fits. Seeds may be as large as whole numbers are exact.
func (p *pass) isCount(v *tree.Value, e dsl.Expr, q tree.Quantity) bool {
	most, power := float64(math.MaxInt32), "2³¹ − 1"
	if v.Arg.Name == tree.SeedArg.Name {
		most, power = 1<<53, "2⁵³"
	}
	var want string
	switch {
	case q.Value != math.Trunc(q.Value) || q.Value < 0:
		want = "a whole number"
		if v.Arg.Name == tree.SeedArg.Name {
			want = "a whole number from 0 to " + power
		}
	case q.Value > most:
		want = "at most " + power
	default:
		return true
	}
	p.report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Span(), Summary: fmt.Sprintf("%s is %v, and must be %s", v.Arg.Name, q, want), Detail: about(v.Arg)})
	return false
}

func (p *pass) inBounds(v *tree.Value, e dsl.Expr, q tree.Quantity) bool {
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
	case arg.Min == math.SmallestNonzeroFloat64 && arg.Max >= math.MaxFloat64:
		want = "positive"
	case arg.Max >= math.MaxInt32 && q.Value < arg.Min:
		want = fmt.Sprintf("at least %.6g%s", arg.Min*scale, unit)
	}
	p.report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Span(), Summary: fmt.Sprintf("%s is %s, and must be %s", arg.Name, tree.Text(e), want), Detail: about(arg)})
	return false
}

func (p *pass) wrongUnit(v *tree.Value, e dsl.Expr, q tree.Quantity, units []string) {
	d := p.report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: e.Span(), Detail: about(v.Arg)})
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
			p.offer(d, "leave the unit out", e.Span(), strings.TrimSuffix(n.Raw, n.Unit))
		}
		if v.Arg.Kind == kindWidth {
			d.Mend = "A width is a number, or a multiple of median."
		}
	}
}

func (p *pass) choiceOf(v *tree.Value, e dsl.Expr, sc *scope) bool {
	word, ok := p.literal(e, sc, "a word", true)
	if !ok {
		return false
	}
	if !slices.Contains(v.Arg.Choices, word) {
		p.unknownChoice(v.Arg, word, e.Span())
		return false
	}
	v.Text = word
	return true
}

// successors maps a choice that an argument no longer takes to the one that serves instead.
var successors = map[string]string{"select ridge": "leverage"}

// unknownChoice reports a word that an argument does not take.
func (p *pass) unknownChoice(arg *plugins.Arg, word string, at diag.Span) {
	next := successors[arg.Name+" "+word]
	if !slices.Contains(arg.Choices, next) {
		p.misnamed(word, arg.Choices, &diag.Diagnostic{Code: codes.UnknownChoice, Subject: at, Summary: fmt.Sprintf("%s cannot be %s", arg.Name, word), Detail: about(arg)})
		return
	}
	d := p.report(&diag.Diagnostic{
		Code: codes.UnknownChoice, Subject: at, Summary: fmt.Sprintf("%s no longer takes %s", arg.Name, word), Detail: about(arg), Mend: fmt.Sprintf("Use %s.", next),
	})
	p.offer(d, "use "+next, at, next)
}

// literal is a text: a string, a let or argument that holds one, or, where bare words stand for themselves, a word or number.
func (p *pass) literal(e dsl.Expr, sc *scope, want string, bare bool) (string, bool) {
	switch e := e.(type) {
	case *dsl.String:
		return e.Value, true
	case *dsl.Paren:
		return p.literal(e.X, sc, want, bare)
	case *dsl.Number:
		if bare && e.Unit == tree.NoUnit {
			return e.Raw, true
		}
	case *dsl.Ident:
		if b := sc.lookup(e.Name); b != nil && b.argument != nil {
			return p.literal(b.argument.expr, b.argument.scope, want, bare)
		}
		if let := p.decls.lets[e.Name]; let != nil {
			if s, ok := let.Value.(*dsl.String); ok {
				p.used[e.Name] = true
				return s.Value, true
			}
		}
		if bare {
			return rawName(e), true
		}
	}
	p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: want + " is wanted here, not " + tree.Text(e)})
	return "", false
}

// rawName is the name of a label or column as the data have it: Greek letters are not spelled out.
func rawName(id *dsl.Ident) string {
	if id.Raw == "" || strings.HasPrefix(id.Raw, `"`) {
		return id.Name
	}
	return id.Raw
}
