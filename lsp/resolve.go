package lsp

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A resolver finds out what every name of a file means, by the rules of the compiler. It judges nothing: a name that means
// nothing is left out.
type resolver struct {
	names    *names
	index    *compiler.Index
	external map[string]*symbol     // of the data, the language and the families, by kind and name
	declared map[*dsl.Ident]*symbol // by statements, parameters of definitions among them
	file     string
}

// A scope is what names are bound to at a place, innermost first.
type scope struct {
	up     *scope
	symbol *symbol
}

func (s *scope) lookup(name string) *symbol {
	for ; s != nil; s = s.up {
		if s.symbol.name == name {
			return s.symbol
		}
	}
	return nil
}

func (s *scope) bind(sym *symbol) *scope { return &scope{up: s, symbol: sym} }

// A want says what a bare name stands for where no quantifier or definition binds it.
type want int

const (
	wantFunction want = iota // of f
	wantValue                // a number, a text, a taxonomy
	wantLabel                // or a point
	wantColumn
	wantMap
	wantAny // an argument of a definition
)

// resolve finds the names of a file.
func resolve(file *dsl.File, index *compiler.Index) *names {
	r := &resolver{
		names: &names{globals: map[string]*symbol{}, families: wordsOf(index)},
		index: index, external: map[string]*symbol{}, declared: map[*dsl.Ident]*symbol{}, file: file.Name,
	}
	r.names.occurrences = make([]occurrence, 0, len(file.Source)/occurrenceBytes)
	for _, decl := range file.Decls {
		r.declare(decl)
	}
	for _, decl := range file.Decls {
		r.statement(decl)
	}
	r.names.tidy()
	return r.names
}

// occurrenceBytes is how much text there is at least for a name, nearly always.
const occurrenceBytes = 6

// declare makes the symbols that statements declare; of two of one name the first is meant.
func (r *resolver) declare(decl dsl.Decl) {
	var id *dsl.Ident
	s := &symbol{decl: decl}
	switch decl := decl.(type) {
	case *dsl.Let:
		id, s.kind, s.detail = decl.Name, letSymbol, valueDetail(decl.Value)
	case *dsl.Def:
		id, s.kind, s.callable = decl.Name, defSymbol, true
		for _, p := range decl.Params {
			s.args = append(s.args, plugins.Arg{Name: p.Name})
			r.declared[p] = &symbol{kind: parameterSymbol, name: p.Name, def: p.Span(), decl: decl, detail: "a parameter of " + decl.Name.Name}
		}
	case *dsl.Invariance:
		id, s.kind = decl.Name, invarianceSymbol
	default:
		return
	}
	s.name, s.def = id.Name, id.Span()
	if r.names.globals[s.name] == nil {
		r.names.globals[s.name] = s
	}
	r.declared[id] = s
}

// valueDetail says what kind of value a let has.
func valueDetail(e dsl.Expr) string {
	switch e := e.(type) {
	case *dsl.Paren:
		return valueDetail(e.X)
	case *dsl.String:
		return "a text"
	case *dsl.Call:
		switch e.Fun.Name {
		case wordTaxonomy:
			return "a taxonomy"
		case wordGrid:
			return "a number, chosen from several"
		}
		return "a transformation"
	}
	return "a number"
}

// met notes an occurrence.
func (r *resolver) met(id *dsl.Ident, s *symbol, def bool) {
	if s != nil && id.Span().File == r.file {
		r.names.occurrences = append(r.names.occurrences, occurrence{span: id.Span(), symbol: s, def: def})
	}
}

// outside is the symbol of a name that is declared elsewhere, made when it is first met.
func (r *resolver) outside(kind symbolKind, name string, fill func(*symbol)) *symbol {
	key := string(rune('a'+int(kind))) + name
	s := r.external[key]
	if s == nil {
		s = &symbol{kind: kind, name: name}
		if fill != nil {
			fill(s)
		}
		r.external[key] = s
	}
	return s
}

func (r *resolver) statement(decl dsl.Decl) {
	switch decl := decl.(type) {
	case *dsl.Use:
		r.use(decl)
	case *dsl.Data:
		for _, item := range decl.Items {
			r.item(item)
		}
	case *dsl.Let:
		r.met(decl.Name, r.declared[decl.Name], true)
		r.value(decl.Value, nil)
	case *dsl.Def:
		r.met(decl.Name, r.declared[decl.Name], true)
		var sc *scope
		for _, p := range decl.Params {
			r.met(p, r.declared[p], true)
			sc = sc.bind(r.declared[p])
		}
		r.expr(decl.Body, sc)
	case *dsl.Invariance:
		r.met(decl.Name, r.declared[decl.Name], true)
		r.expr(decl.Body, nil)
	case *dsl.Evaluate:
		if decl.Under != nil {
			r.set(decl.Under, nil)
		}
	case *dsl.Setting:
		r.setting(decl)
	}
}

func (r *resolver) use(decl *dsl.Use) {
	s := r.outside(familySymbol, decl.Name.Name, func(s *symbol) {
		s.decl, s.def = decl, decl.Name.Span()
		if schema := r.names.families.family[decl.Name.Name]; schema != nil && schema.Name == decl.Name.Name {
			s.doc, s.detail = schema.Doc, "a family of invariances, version "+schema.Version
		}
	})
	r.met(decl.Name, s, true)
}

func (r *resolver) setting(decl *dsl.Setting) {
	switch decl.Keyword.Name {
	case wordRegularize:
		r.expr(decl.Value, nil)
	case "seed":
		r.value(decl.Value, nil)
	default:
		r.choice(decl.Keyword.Name, decl.Value)
	}
}

// choice resolves the value of a setting: a word, with arguments.
func (r *resolver) choice(keyword string, value dsl.Expr) {
	id, args := callOf(value)
	if id == nil {
		return
	}
	schema := choiceArgs(keyword, id.Name)
	r.met(id, r.outside(choiceSymbol, keyword+" "+id.Name, func(s *symbol) {
		s.name, s.detail, s.doc, s.args, s.callable = id.Name, "a "+strings.TrimSuffix(keyword, "s"), choiceDocs[keyword+" "+id.Name], schema, len(schema) > 0
	}), false)
	r.arguments(id.Name, schema, args, nil)
}

// callOf splits `word` and `word(args)`.
func callOf(e dsl.Expr) (*dsl.Ident, []*dsl.Arg) {
	switch e := e.(type) {
	case *dsl.Ident:
		return e, nil
	case *dsl.Call:
		return e.Fun, e.Args
	}
	return nil, nil
}

// choiceArgs are the arguments of a word that a setting takes.
func choiceArgs(keyword, word string) []plugins.Arg {
	for _, c := range vocabulary()[keyword] {
		if c.Word == word {
			return c.Args
		}
	}
	return nil
}

func (r *resolver) item(item dsl.DataItem) {
	switch item := item.(type) {
	case *dsl.Target:
		kind := columnSymbol
		if id, ok := item.Type.(*dsl.Ident); ok && id.Name == "multilabel" {
			kind = labelSymbol
		}
		for _, id := range item.Names {
			r.met(id, r.named(kind, id, true), true)
		}
		r.targetType(item.Type)
	case *dsl.Columns:
		for _, v := range item.Values {
			if id, ok := v.(*dsl.Ident); ok {
				r.met(id, r.named(columnSymbol, id, true), true)
			} else if call, ok := v.(*dsl.Call); ok {
				r.choice(wordColumns, call)
			}
		}
	case *dsl.Option:
		if item.Keyword.Name == wordIgnore || item.Keyword.Name == wordID {
			r.columnNames(item.Args)
			return
		}
		r.arguments(item.Keyword.Name, choiceArgs(item.Keyword.Name, item.Keyword.Name), item.Args, nil)
	}
}

// columnNames meets the columns that an item leaves out.
func (r *resolver) columnNames(args []*dsl.Arg) {
	for _, a := range args {
		if id, ok := a.Value.(*dsl.Ident); ok {
			r.met(id, r.named(columnSymbol, id, true), true)
		} else if call, ok := a.Value.(*dsl.Call); ok {
			r.choice(wordColumns, call)
		}
	}
}

func (r *resolver) targetType(e dsl.Expr) {
	id, args := callOf(e)
	if id == nil {
		return
	}
	if doc, ok := typeDocs[id.Name]; ok {
		r.met(id, r.outside(typeSymbol, id.Name, func(s *symbol) { s.detail, s.doc = doc.form, doc.doc }), false)
	}
	for _, a := range args {
		if class, ok := a.Value.(*dsl.Ident); ok {
			r.met(class, r.named(labelSymbol, class, false), false)
		}
	}
}

// dataName is the name of a label or column as the data have it.
func dataName(id *dsl.Ident) string {
	if id.Raw == "" {
		return id.Name
	}
	return strings.Trim(id.Raw, `"`)
}

// named is the symbol of a label or column.
func (r *resolver) named(kind symbolKind, id *dsl.Ident, declares bool) *symbol {
	name := dataName(id)
	if kind == columnSymbol && r.external[string(rune('a'+int(labelSymbol)))+name] != nil && !declares {
		kind = labelSymbol
	}
	return r.outside(kind, name, func(s *symbol) {
		s.detail = "a column of the data"
		if kind == labelSymbol {
			s.detail = "a label of the target"
		}
		if declares {
			s.def = id.Span()
		}
	})
}

// arguments resolves the arguments of a call by its schema.
func (r *resolver) arguments(call string, schema []plugins.Arg, args []*dsl.Arg, sc *scope) {
	for i, a := range args {
		arg := argOf(schema, a, i)
		if a.Name != nil && arg != nil {
			r.met(a.Name, r.outside(argumentSymbol, call+"."+arg.Name, func(s *symbol) {
				s.name, s.detail, s.doc = arg.Name, "an argument of "+call, argDoc(arg)
			}), false)
		}
		r.argument(arg, a.Value, sc)
	}
}

// argOf is the argument of a schema that a call's argument is given for; nil where it is none.
func argOf(schema []plugins.Arg, a *dsl.Arg, position int) *plugins.Arg {
	if a.Name != nil {
		position = slices.IndexFunc(schema, func(s plugins.Arg) bool { return s.Name == a.Name.Name })
	}
	if position < 0 || position >= len(schema) {
		return nil
	}
	return &schema[position]
}

func (r *resolver) argument(arg *plugins.Arg, value dsl.Expr, sc *scope) {
	id, isName := value.(*dsl.Ident)
	switch {
	case arg == nil || !isName:
		r.value(value, sc)
	case slices.Contains(compiler.Fills(arg), id.Name) && sc.lookup(id.Name) == nil:
		r.met(id, r.outside(choiceSymbol, arg.Name+" "+id.Name, func(s *symbol) {
			s.name, s.detail = id.Name, arg.Name
			s.doc = functionDocs[id.Name].doc
		}), false)
	case arg.Kind == plugins.KindColumn:
		r.ident(id, sc, wantColumn)
	case arg.Kind == plugins.KindLabel:
		r.ident(id, sc, wantLabel)
	default:
		r.value(value, sc)
	}
}

// value resolves a number, a text or a taxonomy: literals, lets, grids, arithmetic; or a transformation.
func (r *resolver) value(e dsl.Expr, sc *scope) {
	switch e := e.(type) {
	case *dsl.Ident:
		r.ident(e, sc, wantValue)
	case *dsl.Call:
		if m := r.names.families.maps[e.Fun.Name]; m != nil {
			r.mapping(e, sc)
			return
		}
		if doc, ok := functionDocs[e.Fun.Name]; ok {
			r.met(e.Fun, r.builtin(e.Fun.Name, doc), false)
		}
		for _, a := range e.Args {
			r.value(a.Value, sc)
		}
	case *dsl.Paren:
		r.value(e.X, sc)
	case *dsl.Neg:
		r.value(e.X, sc)
	case *dsl.Binary:
		r.value(e.X, sc)
		r.value(e.Y, sc)
	}
}

func (r *resolver) builtin(name string, doc wordDoc) *symbol {
	return r.outside(functionSymbol, name, func(s *symbol) {
		s.detail, s.doc, s.callable = doc.form, doc.doc, name != "median" && name != wordAuto
	})
}

// ident resolves a bare name.
func (r *resolver) ident(id *dsl.Ident, sc *scope, w want) {
	if s := sc.lookup(id.Name); s != nil {
		r.met(id, s, false)
		return
	}
	r.met(id, r.unbound(id, w), false)
}

// unbound is what a name that nothing binds stands for; nil where it is nothing known.
func (r *resolver) unbound(id *dsl.Ident, w want) *symbol {
	global := r.names.globals[id.Name]
	switch w {
	case wantColumn:
		if global != nil && global.kind == letSymbol {
			return global
		}
		return r.named(columnSymbol, id, false)
	case wantLabel, wantAny:
		return r.labelOr(global, id, w)
	case wantMap:
		if m := r.names.families.maps[id.Name]; m != nil && global == nil {
			return r.mapSymbol(m)
		}
		return global
	}
	if id.Name == "f" && w == wantFunction || id.Name == "median" || id.Name == wordAuto {
		return r.builtin(id.Name, functionDocs[id.Name])
	}
	if global == nil {
		return r.definition(id.Name)
	}
	return global
}

// labelOr is a label, unless the spec or, among arguments of a definition, a family says otherwise.
func (r *resolver) labelOr(global *symbol, id *dsl.Ident, w want) *symbol {
	if global != nil && (global.kind == letSymbol || w == wantAny) && !r.isLabel(dataName(id)) {
		return global
	}
	if m := r.names.families.maps[id.Name]; m != nil && w == wantAny {
		return r.mapSymbol(m)
	}
	return r.named(labelSymbol, id, false)
}

func (r *resolver) isLabel(name string) bool {
	return slices.Contains(r.index.Data.Target.Names, name) && r.index.Data.Target.Task == setting.Multilabel
}

// definition is a definition of a family or of the standard library; nil where there is none of that name.
func (r *resolver) definition(name string) *symbol {
	d := r.names.families.defs[name]
	if d == nil {
		return nil
	}
	return r.outside(definitionSymbol, name, func(s *symbol) {
		s.doc, s.source, s.callable = d.Doc, strings.TrimSpace(d.Source), true
		s.detail = "a definition of the standard library"
		if family := r.names.families.family[name]; family != nil {
			s.detail = "a definition of the family " + family.Name
		}
		s.args = paramsOf(d.Source)
	})
}

// paramsOf are the parameters of a definition's source.
func paramsOf(source string) []plugins.Arg {
	file, _ := dsl.Parse("", []byte(source))
	var args []plugins.Arg
	for _, decl := range file.Decls {
		if def, ok := decl.(*dsl.Def); ok {
			for _, p := range def.Params {
				args = append(args, plugins.Arg{Name: p.Name})
			}
		}
	}
	return args
}

func (r *resolver) mapSymbol(m *plugins.MapSchema) *symbol {
	return r.outside(mapSymbol, m.Name, func(s *symbol) {
		s.doc, s.args, s.callable = m.Doc, m.Args, true
		s.detail = "a transformation of the family " + r.names.families.family[m.Name].Name
	})
}

func (r *resolver) domainSymbol(name string) *symbol {
	if doc, ok := domainDocs[name]; ok {
		return r.outside(domainSymbol, name, func(s *symbol) {
			s.detail, s.doc, s.callable = doc.form, doc.doc, name == wordGraph
		})
	}
	d := r.names.families.domains[name]
	if d == nil {
		return nil
	}
	return r.outside(domainSymbol, name, func(s *symbol) {
		s.doc, s.args, s.callable = d.Doc, d.Args, true
		s.detail = "an index set of the family " + r.names.families.family[name].Name
	})
}

// spanOf is the span of a node, the zero span of none.
func spanOf(n dsl.Node) diag.Span {
	if n == nil {
		return diag.Span{}
	}
	return n.Span()
}
