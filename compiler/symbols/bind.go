package symbols

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A binder finds out what the names of a spec stand for. It judges nothing. What the rules of the language refuse is
// bound as if it were allowed. A reader of a faulty spec still wants to know which name is which.
//
// It reads statements in two rounds. The first makes the symbols of lets, definitions and invariances, since a spec may use a name
// before the statement that declares it. The second walks all expressions and notes each occurrence.
type binder struct {
	*Table
	spec     *names.Spec
	target   setting.Target
	argsOf   func(setting, word string) []plugins.Arg
	declared map[*dsl.Ident]*Symbol // statements and the parameters of definitions
}

// A scope is what names are bound to at a place, innermost first. The nil scope binds nothing.
type scope struct {
	up *scope
	*Symbol
}

// lookup returns what the innermost quantifier or definition binds a name to. Nil means that none does.
func (s *scope) lookup(name string) *Symbol {
	for ; s != nil; s = s.up {
		if s.Name == name {
			return s.Symbol
		}
	}
	return nil
}

// bind returns the scope within. The scope around stays as it is: what stands beside a quantifier does not see its variables.
func (s *scope) bind(sym *Symbol) *scope { return &scope{s, sym} }

// functions are the words of the language that can stand in an expression or a value.
var functions = []string{"f", "pos", "hypot", tree.GridWord, tree.AutoWord, tree.TaxonomyWord, tree.OfMedian, tree.LabelsWord}

// bytesPerName is the least text that there nearly always is for a name.
const bytesPerName = 6

// Bind finds out what the names of a spec stand for, given the target that its data block declares. argsOf returns the arguments of
// a word that a setting or an item of a data block takes. Every node is visited once, and every name
// is looked up once. So the work grows with the length of the spec and the depth of its scopes. That matters to an editor, which binds at
// every keystroke.
func Bind(c *names.Spec, target setting.Target, argsOf func(setting, word string) []plugins.Arg) *Table {
	t := &Table{spec: map[string]*Symbol{}, known: map[key]*Symbol{}}
	t.Occurrences = make([]Occurrence, 0, len(c.File.Source)/bytesPerName)
	b := &binder{Table: t, spec: c, target: target, argsOf: argsOf, declared: map[*dsl.Ident]*Symbol{}}
	b.surroundings()
	for _, decl := range c.File.Decls {
		b.declare(decl)
	}
	for _, decl := range c.File.Decls {
		b.statement(decl)
	}
	t.tidy()
	return t
}

// surroundings adds what families and the standard library declare. A definition of the spec takes the place of one of the same name
// here, as package names has it.
func (b *binder) surroundings() {
	for _, fam := range b.spec.Families {
		s := fam.Schema
		b.add(&Symbol{Kind: Family, Name: s.Name, Family: s, Doc: s.Doc, Detail: "a family of invariances, version " + s.Version})
		for _, d := range s.Domains {
			b.add(&Symbol{Kind: IndexSet, Name: d.Name, Family: s, Doc: d.Doc, Args: d.Args, Detail: "an index set of the family " + s.Name})
		}
		for _, m := range s.Maps {
			b.add(&Symbol{Kind: Map, Name: m.Name, Family: s, Doc: m.Doc, Args: m.Args, Detail: "a transformation of the family " + s.Name})
		}
	}
	for name, d := range b.spec.Decls.Defs {
		if d.Family == "" {
			continue
		}
		s := &Symbol{Kind: Definition, Name: name, Doc: d.Doc, Source: d.Source, Args: parameters(d.Decl), Detail: "a definition of the standard library"}
		if i := slices.IndexFunc(b.spec.Families, func(f *tree.Family) bool { return f.Name == d.Family }); i >= 0 {
			s.Family, s.Detail = b.spec.Families[i].Schema, "a definition of the family "+d.Family
		}
		b.add(s)
	}
}

// add makes a symbol known by its kind and its name, with what it is of.
func (b *binder) add(s *Symbol) { b.known[key{s.Kind, s.Of, s.Name}] = s }

// parameters returns those of a definition as the schema of its calls. They have no kinds: an argument may be anything.
func parameters(def *dsl.Def) []plugins.Arg {
	args := make([]plugins.Arg, len(def.Params))
	for i, id := range def.Params {
		args[i].Name = id.Name
	}
	return args
}

// declare makes the symbols that statements declare. Of two of one name the first is meant, which keeps the uses of a name together
// while its second declaration is being typed.
func (b *binder) declare(decl dsl.Decl) {
	var id *dsl.Ident
	s := &Symbol{Decl: decl}
	switch decl := decl.(type) {
	case *dsl.Let:
		id, s.Kind, s.Detail = decl.Name, Let, held(decl.Value)
	case *dsl.Def:
		id, s.Kind, s.Args = decl.Name, Def, parameters(decl)
		for _, p := range decl.Params {
			b.declared[p] = &Symbol{Kind: Parameter, Name: p.Name, At: p.Span(), Decl: decl, Detail: "a parameter of " + id.Name}
		}
	case *dsl.Invariance:
		id, s.Kind = decl.Name, Invariance
	default:
		return
	}
	s.Name, s.At = id.Name, id.Span()
	if b.Global(s.Name) == nil {
		b.Table.spec[s.Name] = s
	}
	b.declared[id] = s
}

// aMap is what a let holds that names a transformation.
const aMap = "a transformation"

// held says what kind of value a let has, by its syntax alone. The text of a transformation decides what a set of such lets binds.
func held(e dsl.Expr) string {
	switch e := e.(type) {
	case *dsl.Paren:
		return held(e.X)
	case *dsl.String:
		return "a text"
	case *dsl.Call:
		switch e.Fun.Name {
		case tree.TaxonomyWord:
			return "a taxonomy"
		case tree.GridWord:
			return "a number, chosen from several"
		}
		return aMap
	}
	return "a number"
}

// note adds an occurrence. Names that mean nothing, and those of other files, have none.
func (b *binder) note(id *dsl.Ident, s *Symbol, declares bool) {
	if s != nil && id.Span().File == b.spec.File.Name {
		b.Occurrences = append(b.Occurrences, Occurrence{id.Span(), s, declares})
	}
}

// external returns the symbol of a name that the spec does not declare: of a word of the language, a label, a column, an argument. It
// is made where it is first met, so that a table holds those alone that the spec uses, beside what families add.
func (b *binder) external(kind Kind, of, name string) *Symbol {
	k := key{kind, of, name}
	if b.known[k] == nil {
		b.known[k] = &Symbol{Kind: kind, Name: name, Of: of}
	}
	return b.known[k]
}

// statement binds the names of a statement in the second round.
func (b *binder) statement(decl dsl.Decl) {
	switch decl := decl.(type) {
	case *dsl.Use:
		s := b.external(Family, "", decl.Name.Name)
		if s.Decl == nil {
			s.Decl, s.At = decl, decl.Name.Span()
		}
		b.note(decl.Name, s, true)
	case *dsl.Data:
		for _, item := range decl.Items {
			b.item(item)
		}
	case *dsl.Let:
		b.note(decl.Name, b.declared[decl.Name], true)
		b.expr(decl.Value, value, nil)
	case *dsl.Def:
		var sc *scope
		for _, id := range append([]*dsl.Ident{decl.Name}, decl.Params...) {
			b.note(id, b.declared[id], true)
		}
		for _, id := range decl.Params {
			sc = sc.bind(b.declared[id])
		}
		b.expr(decl.Body, function, sc)
	case *dsl.Invariance:
		b.note(decl.Name, b.declared[decl.Name], true)
		b.expr(decl.Body, function, nil)
	case *dsl.Evaluate:
		if decl.Under != nil {
			b.elements(decl.Under, nil)
		}
	case *dsl.Setting:
		b.setting(decl)
	}
}

// setting binds the value of a setting. A weighted sum of invariances reads like an expression, and a seed like a number; all others
// are a word with arguments.
func (b *binder) setting(decl *dsl.Setting) {
	switch decl.Keyword.Name {
	case "regularize":
		b.expr(decl.Value, function, nil)
	case "seed":
		b.expr(decl.Value, value, nil)
	default:
		b.choice(decl.Keyword.Name, decl.Value)
	}
}

// choice binds the value of a setting: a word, with arguments. An unknown word has a symbol too, without arguments; to judge it is the
// compiler's part.
func (b *binder) choice(keyword string, e dsl.Expr) {
	id, args := called(e)
	if id == nil {
		return
	}
	s := b.external(Choice, keyword, id.Name)
	s.Args = b.argsOf(keyword, id.Name)
	b.note(id, s, false)
	b.arguments(id.Name, s.Args, args, nil)
}

// called splits `word` and `word(args)`, which settings, types and index sets have in common: brackets may be left out where all
// arguments have defaults. The name is nil for anything else.
func called(e dsl.Expr) (*dsl.Ident, []*dsl.Arg) {
	switch e := e.(type) {
	case *dsl.Ident:
		return e, nil
	case *dsl.Call:
		return e.Fun, e.Args
	}
	return nil, nil
}

// item binds the names of an item of the data block. An item declares labels and columns, which the data hold and the spec only names.
func (b *binder) item(item dsl.DataItem) {
	switch item := item.(type) {
	case *dsl.Target:
		kind := Column
		if id, ok := item.Type.(*dsl.Ident); ok && id.Name == string(setting.Multilabel) {
			kind = Label
		}
		for _, id := range item.Names {
			b.note(id, b.named(kind, id, true), true)
		}
		b.targetType(item.Type)
	case *dsl.Columns:
		for _, e := range item.Values {
			b.columns(e)
		}
	case *dsl.Option:
		word := item.Keyword.Name
		if word != names.IgnoreWord && word != names.IDWord {
			b.arguments(word, b.argsOf(word, word), item.Args, nil)
			return
		}
		for _, a := range item.Args {
			b.columns(a.Value)
		}
	}
}

// columns binds an element of a list of columns: one of them, or a pattern. Each element declares a column, also one that `ignore`
// leaves out, so that a condition on it leads there.
func (b *binder) columns(e dsl.Expr) {
	switch e := e.(type) {
	case *dsl.Ident:
		b.note(e, b.named(Column, e, true), true)
	case *dsl.Call:
		b.choice(names.ColumnsWord, e)
	}
}

// targetType binds the type of a target. The classes of binary(a, b) are labels, though f takes none there: they name what a row is,
// and an editor shows them alike.
func (b *binder) targetType(e dsl.Expr) {
	id, args := called(e)
	if id == nil {
		return
	}
	if slices.Contains([]string{"class", "real", "multilabel", "binary"}, id.Name) {
		b.note(id, b.external(Type, "", id.Name), false)
	}
	for _, a := range args {
		if class, ok := a.Value.(*dsl.Ident); ok {
			b.note(class, b.named(Label, class, false), false)
		}
	}
}

// named returns the symbol of a label or column, under the name that the data have: Greek letters are not spelled out. Where the data block declares a label of that name, a column is that label.
func (b *binder) named(kind Kind, id *dsl.Ident, declares bool) *Symbol {
	name := values.RawName(id)
	if kind == Column && !declares && b.Lookup(Label, name) != nil {
		kind = Label
	}
	s := b.external(kind, "", name)
	if s.Detail == "" {
		s.Detail = map[Kind]string{Label: "a label of the target", Column: "a column of the data"}[kind]
		if declares {
			s.At = id.Span()
		}
	}
	return s
}

// arguments binds the arguments of a call by its schema, which gives each its role. What the schema does not know is read as a value.
func (b *binder) arguments(call string, schema []plugins.Arg, args []*dsl.Arg, sc *scope) {
	for i, a := range args {
		if a.Name != nil {
			i = slices.IndexFunc(schema, func(s plugins.Arg) bool { return s.Name == a.Name.Name })
		}
		if i < 0 || i >= len(schema) {
			b.expr(a.Value, value, sc)
			continue
		}
		arg := &schema[i]
		if a.Name != nil {
			s := b.external(Argument, call, arg.Name)
			s.Args, s.Detail = schema[i:i+1], "an argument of "+call
			b.note(a.Name, s, false)
		}
		b.argument(arg, a.Value, sc)
	}
}

// argument binds one argument. Only a bare name depends on its kind: a word that the argument takes comes first, unless a variable
// hides it.
func (b *binder) argument(arg *plugins.Arg, e dsl.Expr, sc *scope) {
	id, isName := e.(*dsl.Ident)
	switch {
	case isName && sc.lookup(id.Name) == nil && slices.Contains(values.Fills(arg), id.Name):
		b.note(id, b.external(Filler, arg.Name, id.Name), false)
	case isName && arg.Kind == plugins.KindColumn:
		b.expr(id, column, sc)
	case isName && arg.Kind == plugins.KindLabel:
		b.expr(id, point, sc)
	default:
		b.expr(e, value, sc)
	}
}

// flat writes an expression on one line.
func flat(e dsl.Expr) string { return strings.Join(strings.Fields(dsl.ExprString(e)), " ") }

// placeOf returns the span of a node that may be missing.
func placeOf(n dsl.Node) diag.Span {
	if n == nil {
		return diag.Span{}
	}
	return n.Span()
}
