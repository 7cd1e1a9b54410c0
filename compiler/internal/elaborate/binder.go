package elaborate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// bindAll binds the variables of a quantifier's binders, each in the scope of those before. A frame
// around them marks the points that this quantifier binds: a bare f within is at the innermost of
// them. The scope is nil where a binder is faulty, as nothing that the body says of its variables
// can be judged then.
func bindAll(p *names.Pass, q *tree.Quantifier, binders []*dsl.Binder, sc *names.Scope) *names.Scope {
	inner := sc
	frame := &names.Scope{Frame: true}
	ok := true
	for _, b := range binders {
		a := axis(p, b, b.In, inner)
		if a == nil {
			ok = false
			continue
		}
		ok = once(p, a, b, inner) && ok
		q.Axes = append(q.Axes, a)
		for _, v := range a.Vars {
			ok = leaves(p, a, b, v.Name, sc) && ok
			inner = inner.Bind(v.Name, names.Binding{Variable: v})
			if v.Kind == tree.PointVar {
				frame.Points = append(frame.Points, v)
			}
		}
	}
	if !ok {
		return nil
	}
	frame.Up = inner
	return frame
}

// once reports a sample of rows within another one (codes.WrongBinder), and returns false then:
//
//	over x in sample(9), z in sample(9)              both bound by one quantifier
//	over x in sample(9) of … over z in sample(9)     one bound around the other
//
// What the rows violate that are left out could be told of neither.
func once(p *names.Pass, a *tree.Axis, b *dsl.Binder, sc *names.Scope) bool {
	for ; sc != nil && a.Drawn(); sc = sc.Up {
		if v := sc.Bound.Variable; v != nil && v.Axis.Drawn() {
			p.Report(&diag.Diagnostic{
				Code: codes.WrongBinder, Subject: b.In.Span(), Summary: fmt.Sprintf("%s stands within %s", a.Text, v.Axis.Text),
				Detail: "Of rows that neither draws, no report could say what they violate.", Mend: "Draw once, and range over all rows in the other place: over z in rows.",
			})
			return false
		}
	}
	return true
}

// axis compiles one binder. The index set is meant in scope in, which differs from the binder's
// where it is an argument. Nil means that it is faulty, which is reported. The number of the axis
// identifies it: two quantifiers over the same set are two axes, whose elements are drawn apart.
func axis(p *names.Pass, b *dsl.Binder, e dsl.Expr, in *names.Scope) *tree.Axis {
	around := in
	at, v := in.Resolve(e, nil)
	if id, ok := at.Expr.(*dsl.Ident); ok && v == nil {
		// A variable hides a let of its name, and an index set is never a variable.
		if set := values.NamedSet(p, id.Name); set != nil {
			values.Use(p, id.Name)
			at = names.Argument{Expr: set}
		}
	}
	in = at.Scope
	p.Axes++
	a := &tree.Axis{ID: p.Axes - 1, From: p.Origin(at.Expr), Text: tree.Text(at.Expr)}
	switch e := at.Expr.(type) {
	case *dsl.Ident:
		return domainAxis(p, a, b, e, nil, in)
	case *dsl.Call:
		return domainAxis(p, a, b, e.Fun, e, in)
	case *dsl.Set:
		return setAxis(p, a, b, e, in)
	case *dsl.Orbit:
		return orbitAxis(p, a, b, e, in)
	case *dsl.Interval:
		return interval(p, a, b, e, in, around)
	}
	p.Report(&diag.Diagnostic{Code: codes.UnknownDomain, Subject: at.Expr.Span(), Summary: a.Text + " is not an index set", Mend: "Write x, pairs(count = 4n), λ in [0, 1], t in {rotate(10deg)} or (a, b) in edges(topics)."})
	return nil
}

// domainAxis compiles an index set that has a name: rows, labels, graph("…"), or one of a family,
// whose arguments are checked by its schema. Call is nil for a bare name. A name that may be that
// of a family which is missing is not reported. A wrong name is codes.UnknownDomain, with the
// nearest known one as a fix.
func domainAxis(p *names.Pass, a *tree.Axis, b *dsl.Binder, id *dsl.Ident, call *dsl.Call, sc *names.Scope) *tree.Axis {
	args, at := given(id, call)
	switch id.Name {
	case "x", tree.RowsWord:
		if p.Region && call != nil && len(call.Args) > 0 && id.Name == tree.RowsWord {
			return rowsOfFile(p, a, b, call, sc)
		}
		a.Kind, a.Word = tree.RowAxis, "row"
		return named0(p, a, b, call, []plugins.Bind{{Name: "x", Kind: plugins.BindPoint}})
	case tree.LevelsWord:
		return levelAxis(p, a, b, id, call)
	case tree.LabelsWord:
		return labelAxis(p, a, b, id, call)
	case "graph":
		return graphAxis(p, a, b, id, call, sc)
	case names.ColumnsWord:
		return columnAxis(p, a, b, call, sc)
	case tree.BoxWord:
		return boxAxis(p, a, b, call, sc)
	case tree.SampleWord:
		return sampleAxis(p, a, b, args, at, sc)
	}
	fam, dom := p.Domain(id.Name)
	if dom == nil {
		unknownDomain(p, b, id, call)
		return nil
	}
	if ofLabels(p, dom.Name, args) {
		return nil
	}
	amounts, ok := values.Arguments(p, dom.Args, dom.Name, args, at, sc)
	if !ok || !classesAllowed(p, dom, amounts) {
		return nil
	}
	a.Kind, a.Fam, a.Dom, a.Args, a.Word = tree.FamilyAxis, fam, dom, amounts, dom.Name
	return nameVariables(p, a, b, dom.Binds)
}

// given returns the arguments of an index set, none of a bare name, and where it stands.
func given(id *dsl.Ident, call *dsl.Call) (args []*dsl.Arg, at diag.Span) {
	if call == nil {
		return nil, id.Span()
	}
	return call.Args, call.Span()
}

// sampleAxis compiles an index set of rows that a seed draws:
//
//	x in sample(1000)             so many rows, by the seed of the run
//	z in sample(0.1n, seed = 3)   a tenth of the rows, by a seed of its own
//
// A statement that must hold everywhere has none (codes.WrongRegion).
func sampleAxis(p *names.Pass, a *tree.Axis, b *dsl.Binder, args []*dsl.Arg, at diag.Span, sc *names.Scope) *tree.Axis {
	if p.Region {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongRegion, Subject: at, Summary: "A sample of rows stands in a statement `require`", Detail: "What holds at some rows is not required of the others.",
			Mend: "Range over all rows, over x, or over all points, over x in box.",
		})
		return nil
	}
	amounts, ok := values.Arguments(p, tree.SampleArgs, tree.SampleWord, args, at, sc)
	if !ok {
		return nil
	}
	a.Kind, a.Args, a.Word = tree.RowAxis, amounts, "row"
	return nameVariables(p, a, b, pointOf)
}

// labelAxis compiles y in labels. Where f has levels these are meant, and are offered.
func labelAxis(p *names.Pass, a *tree.Axis, b *dsl.Binder, id *dsl.Ident, call *dsl.Call) *tree.Axis {
	a.Kind, a.Word = tree.LabelAxis, "label"
	if !labelAllowed(p, id.Span(), "") {
		return nil
	}
	if values.OfLevels(p) {
		d := p.Report(&diag.Diagnostic{Code: codes.UnknownDomain, Subject: id.Span(), Summary: "under learn quantile f has levels, and no labels", Mend: "Write q in levels."})
		p.Offer(d, "write levels", id.Span(), tree.LevelsWord)
		return nil
	}
	return named0(p, a, b, call, []plugins.Bind{{Name: "label", Kind: plugins.BindLabel}})
}

// levelAxis compiles q in levels, and (q, r) in levels: each level, or each with the next above it.
func levelAxis(p *names.Pass, a *tree.Axis, b *dsl.Binder, id *dsl.Ident, call *dsl.Call) *tree.Axis {
	target := &p.Out.Data.Target
	if !p.Broken.Data && target.Task != setting.NoTask && target.Task != setting.Quantiles {
		p.Report(&diag.Diagnostic{
			Code: codes.LabelRefused, Subject: id.Span(), Summary: "f has no levels here", Detail: "A real target has those that learn quantile lists.",
			Mend: "Write learn quantile(0.1, 0.5, 0.9). What is put into a column is listed: t in {put(column, value)}.",
		})
		return nil
	}
	binds := []plugins.Bind{{Name: "q", Kind: plugins.BindLabel}}
	a.Kind, a.Word = tree.LabelAxis, "level"
	// Neighbours are what statements about order need: the other pairs follow from them.
	if len(b.Vars) == 2 {
		a.Kind = tree.StepAxis
		binds = append(binds, plugins.Bind{Name: "r", Kind: plugins.BindLabel})
		if values.OfLevels(p) && len(target.Levels) == 1 {
			p.Report(&diag.Diagnostic{Code: codes.WrongBinder, Subject: b.Span(), Summary: "there is one level, and none above it", Mend: "Give learn quantile another one."})
			return nil
		}
	}
	return named0(p, a, b, call, binds)
}

// IndexSet checks an index set that nothing ranges over, with its arguments and its file, and returns
// false for a faulty one. A let may name one long before a quantifier takes it, and a file that is not
// there should not wait for that.
func IndexSet(p *names.Pass, e *dsl.Call, sc *names.Scope) bool {
	b := &dsl.Binder{At: e.At, In: e}
	if e.Fun.Name == names.ColumnsWord {
		b.Vars = []*dsl.Ident{{At: e.At, Name: "c"}} // it has no variable of its own
	}
	return axis(p, b, e, sc) != nil
}

// unknownDomain reports a name that is not an index set (codes.UnknownDomain), and what may be meant. That is rows by another name, or a set of
// one transformation.
func unknownDomain(p *names.Pass, b *dsl.Binder, id *dsl.Ident, call *dsl.Call) {
	wrong := &diag.Diagnostic{Code: codes.UnknownDomain, Subject: id.Span(), Summary: names.Shown(id) + " is not an index set"}
	switch {
	case p.Unknown(id.Name), p.Decls.Lets[id.Name] != nil && values.Held(p, id.Name) == nil, namesCall(p, id.Name) && !mapName(p, id, nil): // it is said of the let
	case id.Name == tree.OrbitWord:
		wrong.Summary, wrong.Mend = "an orbit has its transformations in braces", "Write t in orbit {rotate([-15deg, 15deg]), shift(dx = [-2, 2])}."
		p.Report(wrong)
	case call == nil && len(b.Vars) == 0 && len(id.Name) == 1:
		wrong.Mend = "For rows called " + id.Name + " write " + id.Name + " in rows."
		p.Offer(p.Report(wrong), "write "+id.Name+" in rows", id.Span(), id.Name+" in rows")
	case id.Name == "permutations":
		wrong.Mend = "List swaps, as t in {swap(a, b), swap(b, c)}: if neither changes f, no order of the three does."
		p.Report(wrong)
	case call == nil && mapName(p, id, nil), call != nil && slices.Contains(p.MapNames(), id.Name):
		at, write := id.Span(), "{"+names.Shown(id)+"}"
		if call != nil {
			orbit := map[bool]string{true: tree.OrbitWord + " "}[dsl.Holds(call, func(n dsl.Node) bool { _, is := n.(*dsl.Interval); return is })]
			at, write = call.Span(), orbit+"{"+tree.Text(call)+"}"
		}
		if len(b.Vars) == 0 {
			write = "t in " + write
		}
		wrong.Mend = "Write " + write + ", a set of transformations."
		p.Offer(p.Report(wrong), "write "+write, at, write)
	default:
		p.Misnamed(id.Name, append(p.DomainNames(), values.NamedSets(p)...), wrong)
	}
}

// classesAllowed reports a choice of rows by their classes where f is a function of x alone, and
// returns false then. Families see no labels there, and a run would fail on it after check passed.
func classesAllowed(p *names.Pass, dom *plugins.DomainSchema, args []*tree.Value) bool {
	i := slices.IndexFunc(args, func(v *tree.Value) bool {
		return v != nil && v.Arg.Kind == plugins.KindChoice && strings.HasSuffix(v.Text, "_class")
	})
	if i < 0 || dom.Needs.Labels != plugins.RowLabels || !withoutLabels(p) && !values.OfLevels(p) {
		return true
	}
	what := map[bool]string{true: "rows have no level of their own", false: "f is a function of x alone here"}[values.OfLevels(p)]
	p.Report(&diag.Diagnostic{
		Code: codes.LabelRefused, Subject: args[i].Place, Summary: fmt.Sprintf("%s, and %s = %s goes by the classes of rows", what, args[i].Arg.Name, args[i].Text),
		Detail: fmt.Sprintf("With a %s target %s sees no labels.", p.Out.Data.Target.Task, dom.Name), Mend: "Take any or nearest.",
	})
	return false
}

// graphAxis compiles the edges of a graph: two points, and a weight where the graph has weights.
func graphAxis(p *names.Pass, a *tree.Axis, b *dsl.Binder, id *dsl.Ident, call *dsl.Call, sc *names.Scope) *tree.Axis {
	a.Kind, a.Word = tree.GraphAxis, "edge"
	if call == nil {
		call = &dsl.Call{At: id.At, Fun: id}
	}
	if a.Graph = values.Graph(p, call, sc); a.Graph == nil {
		return nil
	}
	binds := []plugins.Bind{{Name: "a", Kind: plugins.BindPoint}, {Name: "b", Kind: plugins.BindPoint}}
	if a.Graph.Weight != "" {
		binds = append(binds, plugins.Bind{Name: a.Graph.Weight, Kind: bindWeight})
	}
	return nameVariables(p, a, b, binds)
}

// bindWeight binds the weight of an edge, which is called as the column of the file where it has no
// name of its own.
const bindWeight plugins.BindKind = 100

// named0 names the variables of an index set that takes no arguments.
func named0(p *names.Pass, a *tree.Axis, b *dsl.Binder, call *dsl.Call, binds []plugins.Bind) *tree.Axis {
	if call != nil && len(call.Args) > 0 {
		d := p.Report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: call.Span(), Summary: call.Fun.Name + " takes no arguments"})
		if file, ok := call.Args[0].Value.(*dsl.String); ok && call.Fun.Name == tree.RowsWord {
			d.Summary = "the rows of a file are not available yet as an index set"
			d.Mend = "Write `unlabelled " + tree.Text(file) + "` in the data block: invariances then range over its rows, too."
		}
		return nil
	}
	return nameVariables(p, a, b, binds)
}

// nameVariables makes an axis's variables, with the binder's names where it gives some. It gives
// all, none, or all but the parameters of paths and the weights of edges. A parameter is a variable of an axis of its own,
// the path of this one. So it can be enumerated inside of the quantifier as well as in it. Any
// other number of names is codes.WrongBinder, with the names that may be written.
func nameVariables(p *names.Pass, a *tree.Axis, b *dsl.Binder, binds []plugins.Bind) *tree.Axis {
	optional := func(bind plugins.Bind) bool { return bind.Kind == plugins.BindParameter || bind.Kind == bindWeight }
	named, needed := len(b.Vars), len(slices.DeleteFunc(slices.Clone(binds), optional))
	if named != 0 && named != len(binds) && named != needed {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongBinder, Subject: b.Span(), Summary: fmt.Sprintf("%s binds %s, and %s named", a.Text, tree.Plural(len(binds), "variable"), isAre(named)),
			Mend: "Name them as in " + bindNames(binds) + ", or none of them.",
		})
		return nil
	}
	points, labels, next := 0, 0, 0
	for _, bind := range binds {
		v := &tree.Variable{Name: tree.ASCIIName(bind.Name), Axis: a}
		if named == len(binds) || named > 0 && !optional(bind) {
			v.Name = b.Vars[next].Name
			next++
		}
		switch bind.Kind {
		case plugins.BindPoint:
			v.Kind, v.Slot = tree.PointVar, points
			points++
		case plugins.BindLabel:
			v.Kind, v.Slot = tree.LabelVar, labels
			labels++
		case plugins.BindParameter:
			a.HasPath = true
			p.Axes++
			path := &tree.Axis{ID: p.Axes - 1, Kind: tree.PathAxis, Path: a, Lo: 0, Hi: 1, From: a.From, Text: "[0, 1]", Word: "node"}
			v.Kind, v.Axis = tree.ParamVar, path
			path.Vars = []*tree.Variable{v}
			a.Path = path
		case bindWeight:
			v.Kind, v.Slot = tree.WeightVar, 2
			if named < len(binds) && (v.Name == "f" || slices.ContainsFunc(a.Vars, func(end *tree.Variable) bool { return end.Name == v.Name })) {
				p.Report(&diag.Diagnostic{Code: codes.WrongBinder, Subject: b.Span(), Summary: "the weight of an edge cannot be called " + v.Name + " here", Mend: "Give it a name of its own, as in (a, b, w)."})
				return nil
			}
		}
		a.Vars = append(a.Vars, v)
	}
	return checkNames(p, a, b)
}

// isAre counts names in a message: "1 is", "2 are".
func isAre(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

// bindNames writes the names that an index set gives its variables, as a user would bind them: (a,
// b, λ).
func bindNames(binds []plugins.Bind) string {
	names := make([]string, len(binds))
	for i, b := range binds {
		names[i] = tree.Greek(b.Name)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// checkNames reports a name that is bound twice in one binder, or the name f, which would hide the
// function. The axis is nil then.
func checkNames(p *names.Pass, a *tree.Axis, b *dsl.Binder) *tree.Axis {
	seen := map[string]bool{}
	for _, id := range b.Vars {
		if id.Name == "f" || seen[id.Name] {
			p.Report(&diag.Diagnostic{Code: codes.WrongBinder, Subject: id.Span(), Summary: names.Shown(id) + " cannot be bound here", Mend: "Choose another name."})
			return nil
		}
		seen[id.Name] = true
	}
	return a
}

// leaves reports a binder that would take its name from a parameter of the definition that it stands in
// (codes.WrongBinder), and returns false then. Nobody could say which of the two the body means.
func leaves(p *names.Pass, a *tree.Axis, b *dsl.Binder, name string, sc *names.Scope) bool {
	taken := sc.Lookup(name)
	if taken == nil || taken.Argument == nil {
		return true
	}
	shown := tree.Greek(name)
	wrong := &diag.Diagnostic{
		Code: codes.WrongBinder, Subject: b.Span(), Summary: fmt.Sprintf("%s is a parameter of %s, and cannot be bound in it", shown, sc.Calls().Name), Mend: "Choose another name for one of them.",
	}
	if len(b.Vars) == 0 {
		wrong.Detail = fmt.Sprintf("%s binds %s where the spec gives no names.", a.Text, shown)
		wrong.Mend = "Give names to what it binds, or the parameter another one."
	}
	p.Report(wrong)
	return false
}

// setBinders says how variables are bound to elements of a set. A set has single elements, and people
// write (a, b) in {cat, dog} for its pairs. Two binders over the same set range over its pairs in
// both orders. They also bring each element with itself, and the condition leaves these pairs out.
func setBinders(b *dsl.Binder, set *dsl.Set) string {
	if len(b.Vars) != 2 || len(set.Elems) == 0 {
		return "Write t in {rotate(10deg), scale(0.1)}."
	}
	elements, one, two := tree.Text(set), names.Shown(b.Vars[0]), names.Shown(b.Vars[1])
	return fmt.Sprintf("For pairs write %[1]s in %[3]s, %[2]s in %[3]s where %[1]s != %[2]s.", one, two, elements)
}

// setAxis compiles t in {rotate(10deg), …} and c in {cat, dog}. The first element decides whether
// the set is one of transformations or of labels. The two never mix: no place of an expression
// takes both. A mixture is codes.WrongType.
func setAxis(p *names.Pass, a *tree.Axis, b *dsl.Binder, set *dsl.Set, sc *names.Scope) *tree.Axis {
	if len(b.Vars) != 1 || len(set.Elems) == 0 {
		p.Report(&diag.Diagnostic{Code: codes.WrongBinder, Subject: b.Span(), Summary: "a set binds one variable to its elements", Mend: setBinders(b, set)})
		return nil
	}
	v := &tree.Variable{Name: b.Vars[0].Name, Axis: a}
	a.Vars = []*tree.Variable{v}
	if names, ok := listedColumns(p, set, sc); ok {
		setOfColumns(p, set, names)
		return nil
	}
	ok := true
	for i, e := range set.Elems {
		if _, isOrbit := e.(*dsl.Orbit); isOrbit {
			orbitWithin(p, e)
			return nil
		}
		_, isCall := e.(*dsl.Call)
		id, isName := e.(*dsl.Ident)
		isMap := isCall || isName && mapName(p, id, sc)
		if i == 0 && isMap {
			v.Kind, a.Kind, a.Word = tree.MapVar, tree.MapAxis, "transformation"
		} else if i == 0 {
			v.Kind, a.Kind, a.Word = tree.LabelVar, tree.NamedAxis, "label"
		}
		if isMap != (a.Kind == tree.MapAxis) {
			p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: "the set holds transformations and labels", Mend: "Quantify over one of them."})
			return nil
		}
		ok = element(p, a, e, sc) && ok
	}
	if !ok {
		return nil
	}
	listedTwice(p, a, set.Elems)
	return checkNames(p, a, b)
}

// listedColumns returns the names in a set if they are more likely columns than labels. Where f is a
// function of x alone there are no labels. Elsewhere all must be among those that `columns` picks, and
// none a label of the target. A name that is bound around the set may stand for a label, and a call is
// a transformation. With one of these it is not a set of columns.
func listedColumns(p *names.Pass, set *dsl.Set, sc *names.Scope) (columns []string, ok bool) {
	for _, e := range set.Elems {
		id, isName := e.(*dsl.Ident)
		text, isText := e.(*dsl.String)
		switch {
		case isText:
			columns = append(columns, text.Value)
		case isName && !mapName(p, id, sc) && sc.Lookup(id.Name) == nil:
			columns = append(columns, id.Name)
		default:
			return nil, false
		}
	}
	picked := func(name string) bool {
		return slices.Contains(p.Out.Data.Columns.Names, name) && !values.IsLabel(p, name)
	}
	return columns, withoutLabels(p) || !slices.ContainsFunc(columns, func(name string) bool { return !picked(name) })
}

// setOfColumns reports a set of columns (codes.LabelRefused), which an expression cannot range over.
// Each of its names would else be reported as a label that f does not take. What is meant is nearly
// always one statement of each column.
func setOfColumns(p *names.Pass, set *dsl.Set, columns []string) {
	if text, isText := set.Elems[0].(*dsl.String); isText && !slices.ContainsFunc(columns, func(c string) bool { return mayBeColumn(p, c) }) {
		p.Report(&diag.Diagnostic{
			Code: codes.LabelRefused, Subject: set.Span(), Summary: tree.Text(set) + " is not a set of labels or transformations",
			Detail: "A variable does not range over the texts of a column.",
			Mend:   fmt.Sprintf("Write the statement for each of them, with where COLUMN == %q. For columns write columns(%q).", text.Value, text.Value),
		})
		return
	}
	list := strings.Join(tree.Each(columns, tree.ColumnText), ", ")
	p.Report(&diag.Diagnostic{
		Code: codes.LabelRefused, Subject: set.Span(), Summary: tree.Text(set) + " is not a set of labels or transformations",
		Detail: "A set lists labels or transformations. These are columns, over which a variable ranges by columns(…).",
		Mend:   "Write columns(" + list + ") in its place, and d/d(c) f for a variable c.",
	})
}

// mayBeColumn reports whether a name is that of a column, as far as the spec or the data file that an editor found tells.
func mayBeColumn(p *names.Pass, name string) bool {
	d := &p.Out.Data
	return values.TypeOf(p, name) != nil || slices.Contains(d.Columns.Names, name) || p.Data != nil && slices.Contains(p.Data.Columns, name)
}

// listedTwice warns of elements that a set has already (codes.NoEffect). Transformations are compared
// with their amounts, so that move(age, 1) and move(amount = 1, column = age) are one.
func listedTwice(p *names.Pass, a *tree.Axis, elems []dsl.Expr) {
	seen := map[string]bool{}
	keys := tree.Each(a.Names, func(label *tree.Value) string { return label.Text })
	keys = append(keys, tree.Each(a.Maps, (*tree.Mapping).Identity)...)
	for i, e := range elems {
		if seen[keys[i]] {
			p.Report(calculus.Listed(e.Span(), tree.Text(e)))
		}
		seen[keys[i]] = true
	}
}

// element adds an element to a literal set. A transformation in it must be fixed: one that a
// variable stands for would make the set itself vary. It returns false for a faulty one, so that
// the others are still checked.
func element(p *names.Pass, a *tree.Axis, e dsl.Expr, sc *names.Scope) bool {
	switch e := e.(type) {
	case *dsl.Call:
		m := Mapping(p, e, sc)
		a.Maps = append(a.Maps, m)
		return m != nil
	case *dsl.Ident:
		if a.Kind == tree.MapAxis {
			m := BareMap(p, e, sc)
			if m != nil && m.Bound != nil {
				p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: "a set lists transformations, and " + names.Shown(e) + " varies"})
				return false
			}
			a.Maps = append(a.Maps, m)
			return m != nil
		}
	}
	name := labelName(p, e, sc)
	a.Names = append(a.Names, name)
	return name != nil
}

// interval compiles λ in [0, 1], the parameter of the path that is bound nearest around it. Both
// ends lie within [0, 1], and they differ: at a single place there is no interval to range over.
// The ends are meant in scope sc, and the path is one of the binder's scope, around. Without a path around it the error is codes.WrongBinder: there is nothing to move.
func interval(p *names.Pass, a *tree.Axis, b *dsl.Binder, e *dsl.Interval, sc, around *names.Scope) *tree.Axis {
	lo, okLo := values.Quantity(p, e.Lo, sc)
	hi, okHi := values.Quantity(p, e.Hi, sc)
	if !okLo || !okHi {
		return nil
	}
	outer := around.Parameter(nil)
	switch {
	case len(b.Vars) != 1:
		p.Report(&diag.Diagnostic{Code: codes.WrongBinder, Subject: b.Span(), Summary: "an interval binds the parameter of a path", Mend: "Write λ in [0, 1]."})
		return nil
	case outer == nil:
		p.Report(&diag.Diagnostic{
			Code: codes.WrongBinder, Subject: b.Span(), Summary: "no path is bound around it, so there is nothing to move by " + tree.Greek(names.Shown(b.Vars[0])),
			Mend: "Put it under a quantifier that brings a path: rms over pairs of max over λ in [0, 1] of |d/dλ f|.",
		})
		return nil
	case lo.Unit != tree.NoUnit || hi.Unit != tree.NoUnit || !(0 <= lo.Value && lo.Value < hi.Value && hi.Value <= 1):
		p.Report(&diag.Diagnostic{Code: codes.WrongBinder, Subject: e.Span(), Summary: tree.Text(e) + " is not an interval within [0, 1]", Detail: "A path runs from 0 to 1.", Mend: "Write λ in [0, 1], or a part of it, the smaller end first."})
		return nil
	}
	a.Kind, a.Path, a.Lo, a.Hi, a.Word = tree.PathAxis, outer.Axis.Path, lo.Value, hi.Value, "node"
	a.Vars = []*tree.Variable{{Name: b.Vars[0].Name, Kind: tree.ParamVar, Axis: a}}
	return checkNames(p, a, b)
}
