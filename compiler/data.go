package compiler

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// data compiles the data block.
func (p *pass) data() setting.Data {
	p.section, p.broken.data = tree.DataWord, true
	decl := p.decls.data
	if decl == nil {
		p.missing(tree.DataWord, tree.DataWord, "data { target NAME : class }")
		return setting.Data{}
	}
	before := p.errors()
	d := setting.Data{}
	seen := map[string]diag.Span{}
	for _, item := range decl.Items {
		keyword := itemKeyword(item)
		if first, ok := seen[keyword]; ok {
			p.twice(keyword, item.Span(), first)
			continue
		}
		seen[keyword] = item.Span()
		switch item := item.(type) {
		case *dsl.Target:
			d.Target = p.target(item)
		case *dsl.Columns:
			d.Columns = p.columns(item)
		case *dsl.Option:
			p.option(&d, item)
		}
	}
	p.contradictions(&d)
	if _, ok := seen["target"]; !ok && !p.lost[tree.DataWord] {
		p.report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: decl.Span(), Summary: "the data block has no target", Mend: "Write target NAME : class, real, multilabel or binary(a, b)."})
	}
	p.broken.data = p.lost[tree.DataWord] || p.errors() > before
	return d
}

// errors counts the errors so far.
func (p *pass) errors() int {
	n := 0
	for _, d := range *p.diags {
		if d.Severity == diag.Error {
			n++
		}
	}
	return n
}

// missing reports a declaration that a spec needs.
func (p *pass) missing(keyword, what, write string) {
	if p.lost[keyword] || p.lost[""] {
		return
	}
	at := diag.Span{File: p.file.Name, Start: diag.Pos{Line: 1, Column: 1}, End: diag.Pos{Line: 1, Column: 1}}
	d := p.report(&diag.Diagnostic{Code: codes.MissingDeclaration, Subject: at, Summary: "the spec has no " + what, Mend: "Add a line such as " + write + "."})
	if keyword != tree.DataWord { // whose names nobody knows
		p.offer(d, "add "+write, endOf(p.file), lineAtEnd(p.file.Source, write))
	}
}

// endOf is the empty span behind a file's text.
func endOf(file *dsl.File) diag.Span {
	before := file.Source
	at := diag.Pos{Offset: len(before), Line: 1 + bytes.Count(before, []byte("\n"))}
	at.Column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return diag.Span{File: file.Name, Start: at, End: at}
}

// lineAtEnd is a line to be put behind a text, on a line of its own.
func lineAtEnd(source []byte, line string) string {
	if len(source) > 0 && source[len(source)-1] != '\n' {
		line = "\n" + line
	}
	return line + "\n"
}

func itemKeyword(item dsl.DataItem) string {
	switch item := item.(type) {
	case *dsl.Target:
		return "target"
	case *dsl.Columns:
		return columnsWord
	case *dsl.Option:
		return item.Keyword.Name
	}
	return ""
}

// itemAt returns the place of the first item of the data block that has a keyword.
func itemAt(data *dsl.Data, keyword string) diag.Span {
	for _, item := range data.Items {
		if itemKeyword(item) == keyword {
			return item.Span()
		}
	}
	return data.Span()
}

// target compiles `target … : TYPE`.
func (p *pass) target(item *dsl.Target) setting.Target {
	t := setting.Target{}
	for _, id := range item.Names {
		if slices.Contains(t.Names, rawName(id)) {
			p.report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: id.Span(), Summary: "the target " + rawName(id) + " is named twice"})
		}
		t.Names = append(t.Names, rawName(id))
	}
	if item.Source != nil {
		p.targetSource(&t, item.Source)
	}
	p.targetType(&t, item)
	if (t.Task == setting.Binary || t.Task == setting.Real || t.Task == setting.Class) && (len(t.Names) != 1 || item.Source != nil) {
		p.report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: item.Span(), Summary: fmt.Sprintf("a %s target is one column", t.Task), Mend: "Name one column; several columns of 0 and 1 are `: multilabel`."})
	}
	return t
}

func (p *pass) targetSource(t *setting.Target, call *dsl.Call) {
	var arg dsl.Expr
	if len(call.Args) == 1 && call.Args[0].Name == nil {
		arg = call.Args[0].Value
	}
	id, isName := arg.(*dsl.Ident)
	switch {
	case arg == nil:
		p.report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: call.Span(), Summary: call.Fun.Name + " takes one argument here", Mend: `Write columns("topic_*"), labels("labels.txt") or labels(data).`})
	case call.Fun.Name == columnsWord:
		if glob, ok := p.glob(arg); ok {
			t.Globs = []string{glob}
		}
	case call.Fun.Name == tree.LabelsWord && isName && id.Name == tree.DataWord:
		t.AllLabels = true
	case call.Fun.Name == tree.LabelsWord:
		t.LabelsFile, _ = p.literal(arg, nil, "the name of a file in double quotes", false)
	default:
		p.report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: call.Span(), Summary: call.Fun.Name + " is no source of targets", Mend: `Write columns("topic_*"), labels("labels.txt") or labels(data).`})
	}
}

func (p *pass) glob(e dsl.Expr) (string, bool) {
	pattern, ok := p.literal(e, nil, "a pattern in double quotes", false)
	if !ok {
		return "", false
	}
	if _, err := path.Match(pattern, ""); err != nil {
		p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: e.Span(), Summary: fmt.Sprintf("%q is no pattern", pattern), Mend: "In a pattern, * stands for any letters, ? for one, [a-c] for one of several."})
		return "", false
	}
	return pattern, true
}

func (p *pass) targetType(t *setting.Target, item *dsl.Target) {
	const types = "class, real, multilabel or binary(a, b)"
	switch e := item.Type.(type) {
	case *dsl.Ident:
		tasks := map[string]setting.Task{"class": setting.Class, "real": setting.Real, "multilabel": setting.Multilabel}
		if t.Task = tasks[e.Name]; t.Task == setting.NoTask {
			d := p.report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: e.Span(), Summary: "a target is not " + shown(e), Mend: "It is " + types + "."})
			p.rename(d, e.Span(), e.Name, tree.SortedKeys(tasks))
		}
	case *dsl.Call:
		if e.Fun.Name != "binary" || len(e.Args) != 2 {
			p.report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: e.Span(), Summary: "a target is not " + tree.Text(e), Mend: "It is " + types + "."})
			return
		}
		t.Task = setting.Binary
		for i, a := range e.Args {
			t.Classes[i], _ = p.literal(a.Value, nil, "the name of a class", true)
		}
		if t.Classes[0] == t.Classes[1] {
			p.report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: e.Span(), Summary: "the two classes are the same", Mend: "Name two classes, as in binary(4, 9)."})
		}
	default:
		p.report(&diag.Diagnostic{Code: codes.WrongTarget, Subject: item.Span(), Summary: "the target has no type", Mend: "It is " + types + "."})
	}
}

// columns compiles `columns …`.
func (p *pass) columns(item *dsl.Columns) setting.Columns {
	c := setting.Columns{}
	for _, e := range item.Values {
		call, isCall := e.(*dsl.Call)
		switch {
		case isCall && call.Fun.Name == "image":
			p.image(&c, call)
			if len(item.Values) > 1 {
				p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: e.Span(), Summary: "an image takes all columns", Mend: "Write columns image(h, w) alone."})
			}
		case isCall && call.Fun.Name == columnsWord && len(call.Args) == 1:
			if glob, ok := p.glob(call.Args[0].Value); ok {
				c.Globs = append(c.Globs, glob)
			}
		case isCall:
			p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: e.Span(), Summary: tree.Text(e) + " picks no columns", Mend: `Write columns image(h, w), columns a, b, c or columns columns("a_*").`})
		default:
			if name, ok := p.literal(e, nil, "a column", true); ok {
				c.Names = append(c.Names, name)
			}
		}
	}
	return c
}

var imageSchema = []plugins.Arg{
	{Name: "height", Kind: plugins.KindCount, Doc: "the image's height in pixels", Min: 1, Max: math.MaxInt32},
	{Name: "width", Kind: plugins.KindCount, Doc: "the image's width in pixels", Min: 1, Max: math.MaxInt32},
}

func (p *pass) image(c *setting.Columns, call *dsl.Call) {
	if v, ok := p.arguments(imageSchema, "image", call.Args, call.Span(), nil); ok {
		c.Height, c.Width = p.plainCount(v[0]), p.plainCount(v[1])
	}
}

// plainCount is a count that is no multiple of the number of rows.
func (p *pass) plainCount(v *tree.Value) int {
	if v.Quantity.Unit == tree.PerRow {
		p.report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: v.Place, Summary: v.Arg.Name + " cannot be a multiple of the number of rows"})
		return 0
	}
	return int(v.Quantity.Value)
}

// optionSchemas are the items of a data block that are a word with arguments.
var optionSchemas = map[string][]plugins.Arg{
	"split": {
		{Name: "train", Kind: plugins.KindNumber, Doc: "rows to fit on, or their share", Optional: true, Min: anyPositive, Max: math.MaxInt32},
		{Name: "test", Kind: plugins.KindNumber, Doc: "rows to evaluate on, or their share", Optional: true, Min: anyPositive, Max: math.MaxInt32},
	},
	"missing": {{
		Name: "missing", Kind: plugins.KindChoice, Choices: []string{tree.MeanWord, "mask", "drop"},
		Doc: "what a gap gets: the column's mean, the mean and a column that marks it, or the row is dropped",
	}},
	"scale":       {{Name: "scale", Kind: plugins.KindNumber, Doc: "what the features are divided by", Min: anyPositive, Max: math.MaxFloat64}},
	"standardize": {}, "normalize": {},
}

// option compiles all items but target and columns.
func (p *pass) option(d *setting.Data, item *dsl.Option) {
	name := item.Keyword.Name
	switch name {
	case ignoreWord:
		d.Ignore = p.ignored(item)
		return
	case idWord:
		d.ID = p.rowNames(item)
		return
	}
	schema, known := optionSchemas[name]
	if !known {
		p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: item.Span(), Summary: "a data block has no " + name, Mend: tree.DidYouMean(name, append(tree.SortedKeys(optionSchemas), "target", columnsWord, ignoreWord, idWord))})
		return
	}
	v, ok := p.arguments(schema, name, item.Args, item.Span(), nil)
	if !ok {
		return
	}
	switch name {
	case "split":
		d.Split = p.split(v, item)
	case "missing":
		d.Missing = setting.Missing(v[0].Text)
	case "scale":
		d.Scale = v[0].Quantity.Value
	case "standardize":
		d.Standardize = true
	case "normalize":
		d.Normalize = true
	}
}

func (p *pass) split(v []*tree.Value, item *dsl.Option) setting.Split {
	s := setting.Split{}
	if v[0] == nil && v[1] == nil {
		p.report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: item.Span(), Summary: "split says neither how many rows to train on nor to test on", Mend: "Write split train = 1000, test = 1000."})
	}
	s.Train, s.Test = p.rowsOrShare(v[0]), p.rowsOrShare(v[1])
	switch {
	case s.Train == 0 || s.Test == 0:
	case (s.Train < 1) != (s.Test < 1):
		p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: item.Span(), Summary: "split says one number as a share and the other as rows", Mend: "Write two shares, train = 0.7, test = 0.3, or two numbers of rows."})
	case s.Train < 1 && s.Train+s.Test > 1+1e-9:
		p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: item.Span(), Summary: fmt.Sprintf("the shares of split add up to %.4g", s.Train+s.Test), Mend: "Write shares that make 1 at most."})
	}
	return s
}

// rowsOrShare returns a number of rows, or of (0, 1) a share of them; 0 where there is no argument.
func (p *pass) rowsOrShare(v *tree.Value) float64 {
	switch {
	case v == nil:
		return 0
	case v.Quantity.Value > 1 && v.Quantity.Value != math.Trunc(v.Quantity.Value):
		p.report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: v.Place, Summary: v.Arg.Name + " is neither a whole number of rows nor a share", Detail: "A number between 0 and 1 is a share.", Mend: "Write a share, 0.7 say, or a whole number of rows."})
	}
	return v.Quantity.Value
}

// The items of a data block that take columns as they are named.
const (
	columnsWord = "columns"
	ignoreWord  = "ignore"
	idWord      = "id"
)

// rowNames compiles `id NAME`.
func (p *pass) rowNames(item *dsl.Option) string {
	if len(item.Args) != 1 || item.Args[0].Name != nil {
		p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: item.Span(), Summary: "id takes the name of one column", Mend: "Write id NAME: the column whose values name the rows."})
		return ""
	}
	name, _ := p.literal(item.Args[0].Value, nil, "a column", true)
	return name
}

// ignored compiles `ignore …`.
func (p *pass) ignored(item *dsl.Option) setting.Columns {
	c := setting.Columns{}
	if len(item.Args) == 0 {
		p.report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: item.Span(), Summary: "ignore names no column", Mend: `Write ignore a, b or ignore columns("a_*").`})
	}
	for _, a := range item.Args {
		call, isCall := a.Value.(*dsl.Call)
		switch {
		case a.Name != nil:
			p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: a.Span(), Summary: "the columns of ignore have no names of their own", Mend: `Write ignore a, b or ignore columns("a_*").`})
		case isCall && call.Fun.Name == columnsWord && len(call.Args) == 1:
			if glob, ok := p.glob(call.Args[0].Value); ok {
				c.Globs = append(c.Globs, glob)
			}
		default:
			if name, ok := p.literal(a.Value, nil, "a column", true); ok {
				c.Names = append(c.Names, name)
			}
		}
	}
	return c
}

// contradictions reports columns that one item names a feature, the target or the rows' names, and another leaves out.
func (p *pass) contradictions(d *setting.Data) {
	for _, name := range d.Ignore.Names {
		switch {
		case slices.Contains(d.Target.Names, name):
			p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: itemAt(p.decls.data, ignoreWord), Summary: name + " is the target, and ignored", Mend: "Leave it out of one of the two."})
		case slices.Contains(d.Columns.Names, name):
			p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: itemAt(p.decls.data, ignoreWord), Summary: name + " is among the columns, and ignored", Mend: "Leave it out of one of the two."})
		case name == d.ID:
			p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: itemAt(p.decls.data, ignoreWord), Summary: name + " names the rows, and is no feature anyway", Mend: "Leave it out of ignore."})
		}
	}
	if d.ID != "" && (slices.Contains(d.Target.Names, d.ID) || slices.Contains(d.Columns.Names, d.ID)) {
		p.report(&diag.Diagnostic{Code: codes.WrongOption, Subject: p.decls.data.Span(), Summary: d.ID + " names the rows, and can be neither target nor feature", Mend: "Name another column by id, or leave this one out of target and columns."})
	}
}

// madeOf reports whether a feature is a column, or one of 0 and 1 that preparation makes of it: "region=north", "missing(age)".
func madeOf(feature, column string) bool {
	return feature == column || strings.HasPrefix(feature, column+"=") || feature == "missing("+column+")"
}

// knownColumn reports a feature column that the data block does not pick. Where it picks all, only the data can tell.
func (p *pass) knownColumn(name string, at diag.Span) bool {
	d := &p.out.Data
	if p.broken.data || p.poison[name] || d.Columns.Height > 0 {
		return true
	}
	if slices.Contains(d.Target.Names, name) {
		p.report(&diag.Diagnostic{Code: codes.UnknownColumn, Subject: at, Summary: name + " is the target, not a feature", Detail: "f is a function of the features.", Mend: "Name a feature."})
		return false
	}
	if slices.Contains(d.Ignore.Names, name) || name == d.ID {
		p.report(&diag.Diagnostic{Code: codes.UnknownColumn, Subject: at, Summary: name + " is no feature: the data block leaves it out", Detail: "f is a function of the features.", Mend: "Name a feature."})
		return false
	}
	if len(d.Columns.Names) == 0 || len(d.Columns.Globs) > 0 || slices.ContainsFunc(d.Columns.Names, func(c string) bool { return madeOf(name, c) }) {
		return true
	}
	refusal := p.misnamed(name, d.Columns.Names, &diag.Diagnostic{Code: codes.UnknownColumn, Subject: at, Summary: "no feature is called " + name, Detail: "The features are those that `columns` picks."})
	if best := tree.Nearest(name, d.Columns.Names); best != "" {
		refusal.Mend = fmt.Sprintf("Did you mean %s? If the data call it %s, mend `columns`.", best, name)
	}
	refusal.Related = append(refusal.Related, diag.Related{Span: itemAt(p.decls.data, columnsWord), Message: "the features are picked here"})
	return false
}

// knownLabel reports a label that the target does not have. Where the labels come from the data, only they can tell.
func (p *pass) knownLabel(name string, at diag.Span) bool {
	t := &p.out.Data.Target
	if p.broken.data || p.poison[name] || t.Task != setting.Multilabel || len(t.Names) == 0 || slices.Contains(t.Names, name) {
		return true
	}
	p.misnamed(name, t.Names, &diag.Diagnostic{Code: codes.UnknownLabel, Subject: at, Summary: "the target has no label " + name})
	return false
}
