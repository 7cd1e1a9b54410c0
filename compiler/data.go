package compiler

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// data compiles the data block. It needs no data: which columns there are is checked when they are
// read. If it has a fault, passes that ask for labels or columns say nothing of them.
func data(p *names.Pass) setting.Data {
	p.Section, p.Broken.Data = tree.DataWord, true
	decl := p.Decls.Data
	if decl == nil {
		missing(p, tree.DataWord, tree.DataWord, "data { target NAME : class }")
		return setting.Data{}
	}
	before := p.Errors()
	d := setting.Data{}
	seen := map[string]diag.Span{}
	for _, item := range decl.Items {
		keyword := dsl.ItemKeyword(item)
		if first, ok := seen[keyword]; ok {
			d := p.Twice(keyword, item.Span(), first)
			switch item.(type) {
			case *dsl.Types, *dsl.Columns:
				d.Mend = "Write both lists as one. It goes on in the next line after a comma."
			}
			continue
		}
		seen[keyword] = item.Span()
		switch item := item.(type) {
		case *dsl.Target:
			d.Target = target(p, item)
		case *dsl.Columns:
			d.Columns = columns(p, item)
		case *dsl.Types:
			d.Types = types(p, item)
		case *dsl.SplitBy:
			d.Split.By = values.RawName(item.Column)
			values.InFile(p, d.Split.By, item.Column.Span())
		case *dsl.Option:
			option(p, &d, item)
		}
	}
	contradictions(p, &d)
	balancedClasses(p, &d)
	typesOfTarget(p, &d)
	if _, ok := seen["target"]; !ok && !p.Lost[tree.DataWord] {
		p.Report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: decl.Span(), Summary: "the data block has no target", Mend: "Write target NAME : class, real, multilabel or binary(a, b)."})
	}
	p.Broken.Data = p.Lost[tree.DataWord] || p.Errors() > before
	return d
}

// target compiles `target … : TYPE`. A class, a real number and one of two classes stand in one
// column; several columns of 0 and 1 are labels. The names may come from a pattern or a file, and
// are then known with the data alone.
func target(p *names.Pass, item *dsl.Target) setting.Target {
	t := setting.Target{}
	for _, id := range item.Names {
		if slices.Contains(t.Names, values.RawName(id)) {
			p.Report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: id.Span(), Summary: "the target " + values.RawName(id) + " is named twice"})
		}
		t.Names = append(t.Names, values.RawName(id))
		values.InFile(p, values.RawName(id), id.Span())
	}
	if item.Source != nil {
		targetSource(p, &t, item.Source)
	}
	targetType(p, &t, item)
	if (t.Task == setting.Binary || t.Task == setting.Real || t.Task == setting.Class) && (len(t.Names) != 1 || item.Source != nil) {
		p.Report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: item.Span(), Summary: fmt.Sprintf("a %s target is one column", t.Task), Mend: "Name one column; several columns of 0 and 1 are `: multilabel`."})
	}
	return t
}

// targetSource compiles where targets come from that are not named: columns by a pattern, the
// labels of a file, or those that the data carry.
func targetSource(p *names.Pass, t *setting.Target, call *dsl.Call) {
	arg := values.Sole(call)
	id, isName := arg.(*dsl.Ident)
	switch {
	case arg == nil:
		p.Report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: call.Span(), Summary: call.Fun.Name + " takes one argument here", Mend: `Write columns("topic_*"), labels("labels.txt") or labels(data).`})
	case call.Fun.Name == names.ColumnsWord:
		if glob, ok := glob(p, arg); ok {
			t.Globs = []string{glob}
		}
	case call.Fun.Name == tree.LabelsWord && isName && id.Name == tree.DataWord:
		t.AllLabels = true
	case call.Fun.Name == tree.LabelsWord:
		t.LabelsFile, _ = values.FileName(p, arg, nil)
	default:
		p.Report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: call.Span(), Summary: call.Fun.Name + " is not a source of targets", Mend: `Write columns("topic_*"), labels("labels.txt") or labels(data).`})
	}
}

// glob reads a pattern of columns. Ok is false where it is none, which is reported.
func glob(p *names.Pass, e dsl.Expr) (string, bool) {
	pattern, ok := values.Literal(p, e, nil, "a pattern in double quotes", false)
	if !ok {
		return "", false
	}
	if _, err := path.Match(pattern, ""); err != nil {
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: e.Span(), Summary: fmt.Sprintf("%q is not a pattern", pattern), Mend: "In a pattern, * stands for any letters, ? for one, [a-c] for one of several."})
		return "", false
	}
	return pattern, true
}

// targetType compiles the type of a target. It decides of what f is a function: of x for real and
// binary(a, b), of x and a label for class and multilabel.
func targetType(p *names.Pass, t *setting.Target, item *dsl.Target) {
	const types = "class, real, multilabel or binary(a, b)"
	switch e := item.Type.(type) {
	case *dsl.Ident:
		tasks := map[string]setting.Task{"class": setting.Class, "real": setting.Real, "multilabel": setting.Multilabel}
		if e.Name == "binary" {
			p.Report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: e.Span(), Summary: "binary names no classes", Mend: "Write its two classes as the data have them, as in binary(no, yes)."})
			return
		}
		if t.Task = tasks[e.Name]; t.Task == setting.NoTask {
			d := p.Report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: e.Span(), Summary: "a target is not " + names.Shown(e), Mend: "It is " + types + "."})
			p.Rename(d, e.Span(), e.Name, tree.SortedKeys(tasks))
		}
	case *dsl.Call:
		if e.Fun.Name != "binary" || len(e.Args) != 2 {
			mend := "It is " + types + "."
			if e.Fun.Name == "ordinal" {
				mend += " For ordered classes write a label for each step, `at_least_B, at_least_A : multilabel`, and implies(at_least_A, at_least_B); or number them as a real target."
			}
			p.Report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: e.Span(), Summary: "a target is not " + tree.Text(e), Mend: mend})
			return
		}
		t.Task = setting.Binary
		for i, a := range e.Args {
			t.Classes[i] = className(p, a.Value)
		}
		if t.Classes[0] == t.Classes[1] {
			p.Report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: e.Span(), Summary: "the two classes are the same", Mend: "Name two classes, as in binary(4, 9)."})
		}
	default:
		p.Report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: item.Span(), Summary: "the target has no type", Mend: "It is " + types + "."})
	}
}

// className compiles the name of a class. A minus before a number is a part of it, as -1 is a class of many files.
func className(p *names.Pass, e dsl.Expr) string {
	sign, written := signOf(e)
	name, _ := values.Literal(p, written, nil, "the name of a class", true)
	return sign + name
}

// columns compiles `columns …`: names, patterns, or an image. An image takes all columns, as its
// pixels have no names. Its height and width let families turn and move it.
func columns(p *names.Pass, item *dsl.Columns) setting.Columns {
	c := setting.Columns{}
	for _, e := range item.Values {
		if listedTwice(p, item.Values, e) {
			continue
		}
		call, isCall := e.(*dsl.Call)
		switch {
		case isCall && call.Fun.Name == "image":
			image(p, &c, call)
			if len(item.Values) > 1 {
				p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: e.Span(), Summary: "an image takes all columns", Mend: "Write columns image(h, w) alone."})
			}
		case isCall && call.Fun.Name == textWord && values.Sole(call) != nil:
			addColumn(p, &c, values.Sole(call))
			if n := len(c.Names); n > 0 {
				c.Texts = append(c.Texts, c.Names[n-1])
			}
		case isCall && !isPattern(call):
			p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: e.Span(), Summary: tree.Text(e) + " picks no columns", Mend: `Write columns image(h, w), columns a, b, c, columns columns("a_*") or columns text(a).`})
		default:
			addColumn(p, &c, e)
		}
	}
	return c
}

// textWord names a column whose words are features: text(subject).
const textWord = "text"

// isPattern reports whether a call stands for columns by a pattern of their names:
// columns("pixel_*").
func isPattern(call *dsl.Call) bool { return call.Fun.Name == names.ColumnsWord && len(call.Args) == 1 }

// listedTwice reports an element of a list of columns that an earlier one repeats, and returns true then. The words of a column and
// the column itself are two elements.
func listedTwice(p *names.Pass, all []dsl.Expr, e dsl.Expr) bool {
	key := func(e dsl.Expr) string {
		if name, ok := namedColumn(e); ok {
			return strconv.Quote(name)
		}
		return tree.Text(e)
	}
	first := all[slices.IndexFunc(all, func(other dsl.Expr) bool { return key(other) == key(e) })]
	if first == e {
		return false
	}
	p.Report(&diag.Diagnostic{
		Code: codes.DuplicateName, Subject: e.Span(), Summary: tree.Text(e) + " is listed twice", Mend: "Leave one of them out.",
		Related: []diag.Related{{Span: first.Span(), Message: "first listed here"}},
	})
	return true
}

// namedColumn returns the column that an element of a list names, in quotes or without.
func namedColumn(e dsl.Expr) (string, bool) {
	switch e := e.(type) {
	case *dsl.Ident:
		return values.RawName(e), true
	case *dsl.String:
		return e.Value, true
	}
	return "", false
}

// addColumn adds a column or a pattern of columns to a list.
func addColumn(p *names.Pass, c *setting.Columns, e dsl.Expr) {
	if call, ok := e.(*dsl.Call); ok && isPattern(call) {
		if glob, ok := glob(p, call.Args[0].Value); ok {
			c.Globs = append(c.Globs, glob)
		}
	} else if name, ok := values.Literal(p, e, nil, "a column", true); ok {
		values.InFile(p, name, e.Span())
		c.Names = append(c.Names, name)
	}
}

// imageSchema has the arguments of image(height, width).
var imageSchema = []plugins.Arg{
	{Name: "height", Kind: plugins.KindCount, Doc: "the image's height in pixels", Min: 1, Max: math.MaxInt32},
	{Name: "width", Kind: plugins.KindCount, Doc: "the image's width in pixels", Min: 1, Max: math.MaxInt32},
}

// image compiles image(height, width): the features are pixels, row by row.
func image(p *names.Pass, c *setting.Columns, call *dsl.Call) {
	if v, ok := values.Arguments(p, imageSchema, "image", call.Args, call.Span(), nil); ok {
		c.Height, c.Width = values.PlainCount(p, v[0]), values.PlainCount(p, v[1])
	}
}

// optionSchemas are the items of a data block that are a word with arguments. An item whose argument is a column, a file or a list
// of numbers has none: its function reads what stands there.
var optionSchemas = map[string][]plugins.Arg{
	splitWord: splitSchema,
	"missing": {{
		Name: "missing", Kind: plugins.KindChoice, Choices: []string{tree.MeanWord, "median", "frequent", maskWord, "drop"},
		Doc: "what a gap gets: the column's mean, median or most frequent value, the mean and a column that marks it, or the row is dropped",
	}},
	"outside": {{
		Name: "outside", Kind: plugins.KindChoice, Choices: []string{string(setting.OutsideClip), string(setting.OutsideWarn), string(setting.OutsideRefuse)},
		Doc: "what a number outside the box gets: its nearest end, a warning, or an error",
	}},
	"scale":       {{Name: "scale", Kind: plugins.KindNumber, Doc: "what the features are divided by", Min: anyPositive, Max: math.MaxFloat64}},
	"standardize": {}, "normalize": {},
}

// option compiles all items but target and columns, each by its schema.
func option(p *names.Pass, d *setting.Data, item *dsl.Option) {
	name := item.Keyword.Name
	switch name {
	case names.IgnoreWord:
		d.Ignore = ignored(p, item)
		return
	case names.IDWord:
		d.ID = soleColumn(p, item, "whose values name the rows")
		return
	case weightWord:
		weights(p, d, item)
		return
	case unlabelledWord:
		d.Unlabelled = unlabelled(p, item)
		return
	case gapsWord:
		d.Gaps = gapCodes(p, item)
		return
	case splitWord:
		d.Split = split(p, item)
		return
	}
	if filled, ok := masked(item); ok {
		d.Missing = filled
		return
	}
	schema, known := optionSchemas[name]
	if !known {
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: item.Span(), Summary: "a data block has no " + name, Mend: tree.DidYouMean(name, append(tree.SortedKeys(optionSchemas), "target", names.ColumnsWord, names.TypesWord, names.IgnoreWord, names.IDWord, unlabelledWord, gapsWord, weightWord))})
		return
	}
	v, ok := values.Arguments(p, schema, name, item.Args, item.Span(), nil)
	if !ok {
		return
	}
	switch name {
	case "missing":
		d.Missing = setting.Missing(v[0].Text)
	case "outside":
		d.Outside = setting.Outside(v[0].Text)
	case "scale":
		d.Scale = v[0].Quantity.Value
	}
	d.Standardize = d.Standardize || name == "standardize"
	d.Normalize = d.Normalize || name == "normalize"
}

// maskWord asks for a column that says where gaps are.
const maskWord = "mask"

// masked compiles `missing mask(median)`: what fills a gap, and a column that says so. Ok is false of other items, also of
// a mask of anything else, which the schema of `missing` then refuses. `missing mask` alone takes the mean.
func masked(item *dsl.Option) (m setting.Missing, ok bool) {
	if item.Keyword.Name != "missing" || len(item.Args) != 1 {
		return "", false
	}
	call, isCall := item.Args[0].Value.(*dsl.Call)
	if !isCall || call.Fun.Name != maskWord || len(call.Args) != 1 {
		return "", false
	}
	id, isName := call.Args[0].Value.(*dsl.Ident)
	if !isName {
		return "", false
	}
	known := map[string]setting.Missing{tree.MeanWord: setting.MissingMask, "median": setting.MissingMaskMedian, "frequent": setting.MissingMaskFrequent}
	m, ok = known[id.Name]
	return m, ok
}

// weights compiles `weight COLUMN`, `weight balanced` and `weight balanced(COLUMN)`. A column that is called balanced stands in
// quotes. Balancing comes after the weights of a column: what a row weighs among those of its class is as the column says.
func weights(p *names.Pass, d *setting.Data, item *dsl.Option) {
	const balanced = "balanced"
	if len(item.Args) == 1 {
		id, args := dsl.Called(item.Args[0].Value)
		if id != nil && id.Name == balanced && item.Args[0].Name == nil {
			if d.Balanced = true; len(args) == 0 {
				return
			}
			inner := *item
			inner.Args = args
			item = &inner
		}
	}
	d.Weight = soleColumn(p, item, "of the rows' weights")
}

// weightWord begins the item that names the column of the rows' weights.
const weightWord = "weight"

// soleColumn compiles `id NAME` and `weight NAME`, and returns the column. The first names the rows, and files of edges refer to it.
// The second has their weights. Neither is a feature.
func soleColumn(p *names.Pass, item *dsl.Option, what string) string {
	word := item.Keyword.Name
	if len(item.Args) != 1 || item.Args[0].Name != nil {
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: item.Span(), Summary: word + " takes the name of one column", Mend: fmt.Sprintf("Write %s NAME: the column %s.", word, what)})
		return ""
	}
	name, ok := values.Literal(p, item.Args[0].Value, nil, "a column", true)
	if ok {
		values.InFile(p, name, item.Args[0].Value.Span())
	}
	return name
}

// unlabelledWord begins the item that lets R see rows without a label, and testWord stands for the test rows there.
const (
	unlabelledWord = "unlabelled"
	testWord       = "test"
)

// unlabelled compiles `unlabelled "FILE"` and `unlabelled test`: further rows that R sees. Functionals
// at rows without a label are as good as any. With either, rows of the data without a target are
// such rows, too.
func unlabelled(p *names.Pass, item *dsl.Option) setting.Unlabelled {
	u := setting.Unlabelled{Rows: true}
	if len(item.Args) != 1 || item.Args[0].Name != nil {
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: item.Span(), Summary: "unlabelled takes one file, or the word test", Mend: `Write unlabelled "more.csv", or unlabelled test.`})
		return u
	}
	value := item.Args[0].Value
	if id, ok := value.(*dsl.Ident); ok && id.Name == testWord {
		u.Test = true
		return u
	}
	u.File, _ = values.Literal(p, value, nil, `the name of a file in double quotes, or test`, false)
	return u
}

// gapsWord begins the item that lists numbers which stand for gaps.
const gapsWord = "gaps"

// gapSchema has the one argument of each code of a gap.
var gapSchema = []plugins.Arg{{
	Name: "code", Kind: plugins.KindNumber, Doc: "a number that stands for a gap", Min: -limits.LargestNumber, Max: limits.LargestNumber,
}}

// gapCodes compiles `gaps -7, -8`: numbers in numeric columns that stand for gaps, in the order written.
func gapCodes(p *names.Pass, item *dsl.Option) (list []float64) {
	if len(item.Args) == 0 {
		p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: item.Span(), Summary: "gaps lists no code", Mend: "Write gaps -7, -8: numbers that stand for gaps."})
	}
	for _, a := range item.Args {
		if a.Name != nil {
			p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: a.Span(), Summary: "the codes of gaps have no names", Mend: "Write gaps -7, -8."})
			continue
		}
		v, ok := values.Arguments(p, gapSchema, gapsWord, []*dsl.Arg{a}, a.Span(), nil)
		switch {
		case !ok:
		case slices.Contains(list, v[0].Quantity.Value):
			p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: a.Span(), Summary: tree.Text(a.Value) + " is listed twice", Mend: "Write it once."})
		default:
			list = append(list, v[0].Quantity.Value)
		}
	}
	return list
}

// ignored compiles `ignore …`: columns that are not features, by name or by pattern.
func ignored(p *names.Pass, item *dsl.Option) setting.Columns {
	c := setting.Columns{}
	if len(item.Args) == 0 {
		p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: item.Span(), Summary: "ignore names no column", Mend: `Write ignore a, b or ignore columns("a_*").`})
	}
	listed := tree.Each(item.Args, func(a *dsl.Arg) dsl.Expr { return a.Value })
	for _, a := range item.Args {
		switch {
		case a.Name != nil:
			p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: a.Span(), Summary: "the columns of ignore have no names of their own", Mend: `Write ignore a, b or ignore columns("a_*").`})
		case !listedTwice(p, listed, a.Value):
			addColumn(p, &c, a.Value)
		}
	}
	return c
}

// balancedClasses reports a target that has no classes which could weigh alike. Labels of a multilabel target are none: a row has
// several of them, and no weight of rows could make all of them alike.
func balancedClasses(p *names.Pass, d *setting.Data) {
	if d.Balanced && !slices.Contains([]setting.Task{setting.Binary, setting.Class, setting.NoTask}, d.Target.Task) {
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: values.ItemAt(p.Decls.Data, weightWord), Summary: fmt.Sprintf("a %s target has no classes to balance", d.Target.Task), Mend: "Leave the item out, or name a column of weights."})
	}
}

// contradictions reports columns that one item names a feature, the target or the rows' names, and
// another leaves out. What of two contradicting items is meant, nobody can tell. Patterns are not
// compared: which columns they match, only the data know. The column that splits the rows is no
// feature, as the one that names them is none. It tells of the experiment and not of the world, so
// that no function may look at it.
func contradictions(p *names.Pass, d *setting.Data) {
	for _, name := range d.Ignore.Names {
		var what string
		mend := "Leave it out of one of the two."
		switch {
		case slices.Contains(d.Target.Names, name):
			what = " is the target, and ignored"
		case slices.Contains(d.Columns.Names, name):
			what = " is among the columns, and ignored"
		case name == d.ID:
			what, mend = " names the rows, and is not a feature anyway", "Leave it out of ignore."
		case name == d.Weight:
			what, mend = " weighs the rows, and is not a feature anyway", "Leave it out of ignore."
		default:
			continue
		}
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: values.ItemAt(p.Decls.Data, names.IgnoreWord), Summary: name + what, Mend: mend})
	}
	splitContradictions(p, d)
	if w := d.Weight; w != "" && (slices.Contains(d.Target.Names, w) || slices.Contains(d.Columns.Names, w)) {
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: values.ItemAt(p.Decls.Data, weightWord), Summary: w + " weighs the rows, and can be neither target nor feature", Mend: "Name another column by weight, or leave this one out of target and columns."})
	}
	if d.ID != "" && (slices.Contains(d.Target.Names, d.ID) || slices.Contains(d.Columns.Names, d.ID)) {
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: p.Decls.Data.Span(), Summary: d.ID + " names the rows, and can be neither target nor feature", Mend: "Name another column by id, or leave this one out of target and columns."})
	}
}
