package symbols

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A binder finds out what the names of a spec's statements stand for; an env does so for the expressions in them. Neither judges
// anything. What the rules of the language refuse is bound as if it were allowed. A reader of a faulty spec still wants to know
// which name is which.
//
// It reads statements in two rounds. The first makes the symbols of lets, definitions and invariances, since a spec may use a name
// before the statement that declares it. The second walks all expressions and notes each occurrence.
type binder struct {
	*recorder
	spec   *names.Spec
	argsOf func(setting, word string) []plugins.Arg
}

// functions are the words of the language that can stand in an expression or a value.
var functions = []string{"f", "pos", "hypot", tree.GridWord, tree.AutoWord, tree.TaxonomyWord, tree.OfMedian, tree.LabelsWord, tree.LevelsWord}

// bytesPerName is the least text that there nearly always is for a name.
const bytesPerName = 6

// Bind finds out what the names of a spec stand for, given what its data block says. argsOf returns the arguments of
// a word that a setting or an item of a data block takes. Every node is visited once, and every name
// is looked up once. So the work grows with the length of the spec and the depth of its scopes. That matters to an editor, which binds at
// every keystroke.
func Bind(c *names.Spec, data *setting.Data, argsOf func(setting, word string) []plugins.Arg) *Table {
	t := &Table{spec: map[string]*Symbol{}, known: map[key]*Symbol{}}
	t.Occurrences = make([]Occurrence, 0, len(c.File.Source)/bytesPerName)
	b := &binder{&recorder{Table: t, file: c.File.Name, data: data, declared: map[*dsl.Ident]*Symbol{}}, c, argsOf}
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
	for _, fam := range slices.Backward(b.spec.Families) { // of two that add a word, the first is meant
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
		s := &Symbol{Kind: Definition, Name: name, Doc: d.Doc, Source: d.Source, Args: names.Parameters(d.Decl), Detail: "a definition of the standard library"}
		if i := slices.IndexFunc(b.spec.Families, func(f *tree.Family) bool { return f.Name == d.Family }); i >= 0 {
			s.Family, s.Detail = b.spec.Families[i].Schema, "a definition of the family "+d.Family
		}
		b.add(s)
	}
}

// declare makes the symbols that statements declare. Of two of one name the first is meant, which keeps the uses of a name together
// while its second declaration is being typed.
func (b *binder) declare(decl dsl.Decl) {
	var id *dsl.Ident
	s := &Symbol{Decl: decl}
	switch decl := decl.(type) {
	case *dsl.Let:
		id, s.Kind, s.Detail = decl.Name, Let, b.held(decl.Value)
	case *dsl.Def:
		id, s.Kind, s.Args = decl.Name, Def, names.Parameters(decl)
		for _, p := range decl.Params {
			b.declared[p] = &Symbol{Kind: Parameter, Name: p.Name, At: p.Span(), Decl: decl, Detail: "a parameter of " + id.Name}
		}
	case *dsl.Require:
		id, s.Kind, s.Detail = decl.Name, Requirement, "a statement that is required"
	case *dsl.Invariance:
		id, s.Kind = decl.Name, Invariance
		if decl.Measures() {
			s.Detail = "a measure, which nothing regularizes"
		}
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

// Set is the detail of a let that holds a set or an index set.
const Set = "a set"

// held says what kind of value a let has, by its syntax alone. The text of a transformation decides what a set of such lets binds.
func (b *binder) held(e dsl.Expr) string {
	switch e := dsl.Bare(e).(type) {
	case *dsl.Not:
		return "a condition"
	case *dsl.Binary:
		if values.IsCondition(e) {
			return "a condition"
		}
	case *dsl.String:
		return "a text"
	case *dsl.Set, *dsl.Orbit, *dsl.Interval:
		return Set
	case *dsl.Ident:
		if b.Binds(e.Name) != nil {
			return Set
		}
	case *dsl.Call:
		switch {
		case e.Fun.Name == tree.TaxonomyWord:
			return "a taxonomy"
		case e.Fun.Name == tree.GridWord:
			return "a number, chosen from several"
		case b.Binds(e.Fun.Name) != nil:
			return Set
		}
		return aMap
	}
	return "a number"
}

// top returns the environment of a statement, in which nothing is bound yet.
func (b *binder) top() env { return env{to: b.recorder} }

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
		if b.held(decl.Value) == Set {
			b.top().indexSet(decl.Value, 0)
		} else {
			bindHeld(b.top(), decl.Value, value)
		}
	case *dsl.Def:
		g := b.top()
		for _, id := range append([]*dsl.Ident{decl.Name}, decl.Params...) {
			b.note(id, b.declared[id], true)
		}
		for _, id := range decl.Params {
			g = g.bind(b.declared[id])
		}
		bindHeld(g, decl.Body, function)
	case *dsl.Invariance:
		b.note(decl.Name, b.declared[decl.Name], true)
		b.top().expr(decl.Body, function)
	case *dsl.Require:
		b.note(decl.Name, b.declared[decl.Name], true)
		relation(b.top(), decl.Holds)
	case *dsl.Expect:
		b.expectation(decl.Cond)
	case *dsl.Evaluate:
		bindMaps(b, decl.Under)
	case *dsl.Augment:
		bindMaps(b, decl.Set)
	case *dsl.Setting:
		b.setting(decl)
	}
}

// bindMaps binds a set of transformations; nil means that there is none, or that it failed to parse.
func bindMaps(b *binder, set dsl.Expr) {
	if set != nil {
		b.top().indexSet(set, 0)
	}
}

// expectation binds the lets, invariances and measures that a condition on figures names. All other words in it are figures. Those are
// words of reports and no symbols: nobody renames them, and a spec cannot declare them. So a rename of an invariance reaches
//
//	expect broken(logic) < 5%
//
// and broken stays as it is. A let of a metric's name is bound here, and hidden by the metric where the expectation is judged.
func (b *binder) expectation(cond dsl.Expr) {
	dsl.Walk(cond, func(n dsl.Node) bool {
		if id, ok := n.(*dsl.Ident); ok {
			if s := b.Global(id.Name); s != nil && (s.Kind == Let || s.Kind == Invariance) {
				b.note(id, s, false)
			}
		}
		return true
	})
}

// setting binds the value of a setting. A weighted sum of invariances reads like an expression, and a seed like a number; all others
// are a word with arguments.
func (b *binder) setting(decl *dsl.Setting) {
	switch decl.Keyword.Name {
	case "regularize":
		for _, e := range decl.Values() {
			b.top().expr(e, function)
		}
	case "seed":
		b.top().expr(decl.Value, value)
	default:
		b.choice(decl.Keyword.Name, decl.Value)
	}
	bindMaps(b, decl.Under)
}

// choice binds the value of a setting: a word, with arguments. An unknown word has a symbol too, without arguments; to judge it is the
// compiler's part.
func (b *binder) choice(keyword string, e dsl.Expr) {
	id, args := dsl.Called(e)
	if id == nil {
		return
	}
	s := b.external(Choice, keyword, id.Name)
	s.Args = b.argsOf(keyword, id.Name)
	b.note(id, s, false)
	if keyword == "kernel" && (id.Name == string(setting.Additive) || id.Name == string(setting.Pairwise)) {
		for _, a := range args {
			columnArgument(b, a)
		}
		return
	}
	b.top().arguments(id.Name, s.Args, args)
}

// columnArgument binds an argument of a kernel of columns: the kernel of all, a column with its own, or pairs of columns. Columns are
// names of the data, which no statement declares, so that a rename of one reaches the kernel as it reaches d/d(column).
func columnArgument(b *binder, a *dsl.Arg) {
	switch {
	case a.Name == nil:
		lineKernel(b, a.Value)
	case a.Name.Raw == "only":
		b.note(a.Name, b.external(Argument, string(setting.Pairwise), "only"), false)
		dsl.Walk(a.Value, func(n dsl.Node) bool {
			if id, ok := n.(*dsl.Ident); ok {
				b.note(id, b.named(Column, id, false), false)
			}
			return true
		})
	default:
		b.note(a.Name, b.named(Column, a.Name, false), false)
		lineKernel(b, a.Value)
	}
}

// lineKernel binds the kernel of a column, a sum with a linear part, or a width. What is no such kernel is read as a number:
//
//	gaussian(width = 2) + w * linear      w is a let, the words are kernels
func lineKernel(b *binder, e dsl.Expr) {
	e = dsl.Bare(e)
	if sum, ok := e.(*dsl.Binary); ok {
		lineKernel(b, sum.X)
		lineKernel(b, sum.Y)
		return
	}
	id, args := dsl.Called(e)
	if id == nil || b.argsOf("kernel", id.Name) == nil || b.Global(id.Name) != nil {
		b.top().expr(e, value)
		return
	}
	s := b.external(Choice, "kernel", id.Name)
	s.Args = b.argsOf("kernel", id.Name)
	b.note(id, s, false)
	b.top().arguments(id.Name, s.Args, args)
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
	case *dsl.Types:
		for _, c := range item.Columns {
			b.note(c.Name, b.named(Column, c.Name, true), true)
		}
	case *dsl.SplitBy:
		b.note(item.Column, b.named(Column, item.Column, true), true)
	case *dsl.Option:
		word := item.Keyword.Name
		if word != names.IgnoreWord && word != names.IDWord {
			b.top().arguments(word, b.argsOf(word, word), item.Args)
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
	id, args := dsl.Called(e)
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

// placeOf returns the span of a node that may be missing.
func placeOf(n dsl.Node) diag.Span {
	if n == nil {
		return diag.Span{}
	}
	return n.Span()
}
