package names

import (
	"fmt"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// declarations are the statements of a spec by what they declare.
type declarations struct {
	Lets        map[string]*dsl.Let
	Defs        map[string]*Definition
	Invariances []*dsl.Invariance
	Invariance  map[string]*dsl.Invariance
	Settings    map[string]*dsl.Setting
	Data        *dsl.Data
	Evaluate    *dsl.Evaluate
	Augment     *dsl.Augment
	Expects     []*dsl.Expect
	Requires    []*dsl.Require
	uses        []*dsl.Use
	Names       map[string]diag.Span // of lets, defs, invariances and requirements
}

// A Definition is a def of the spec or of a family.
type Definition struct {
	Decl   *dsl.Def
	Family string // empty: the spec's own; standardName: the standard library's
	Source string // of a family's
	Doc    string // of a family's
}

// Parameters returns those of a definition as the schema of its calls, which any argument fits: a number, a point, a label, an index
// set. Only their number and their names are checked. What an argument is, the body finds out where it uses it.
func Parameters(def *dsl.Def) []plugins.Arg {
	return tree.Each(def.Params, func(id *dsl.Ident) plugins.Arg { return plugins.Arg{Name: id.Name} })
}

// BuiltinWords cannot be declared again.
var BuiltinWords = []string{
	"f", "x", tree.RowsWord, tree.BoxWord, tree.LabelsWord, tree.LevelsWord, "graph", tree.GridWord, tree.AutoWord, tree.TaxonomyWord, tree.OfMedian, "pos", "hypot", "max", "min", "sum", tree.MeanWord, "rms", tree.NormWord, "top", "d", tree.OrbitWord,
}

// own reports whether a name is a word of the language.
func own(name string) bool { return slices.Contains(BuiltinWords, name) }

// declare collects the declarations and applies the overrides of lets. Of two statements that
// exclude each other the first counts.
func declare(c *Spec) {
	c.Decls = declarations{
		Lets: map[string]*dsl.Let{}, Defs: map[string]*Definition{}, Invariance: map[string]*dsl.Invariance{},
		Settings: map[string]*dsl.Setting{}, Names: map[string]diag.Span{},
	}
	d := &c.Decls
	includes(c, c.File.Decls, nil)
	for _, decl := range c.File.Decls {
		switch decl := decl.(type) {
		case *dsl.Use:
			d.uses = append(d.uses, decl)
		case *dsl.Data:
			if d.Data == nil {
				d.Data = decl
				continue
			}
			c.Twice(tree.DataWord, decl.Span(), d.Data.Span())
		case *dsl.Let, *dsl.Def:
			declareNamed(c, decl)
		case *dsl.Invariance:
			if claim(c, decl.Name) {
				d.Invariances = append(d.Invariances, decl)
				d.Invariance[decl.Name.Name] = decl
			}
		case *dsl.Require:
			if claim(c, decl.Name) {
				d.Requires = append(d.Requires, decl)
			}
		default:
			declareSetting(c, decl)
		}
	}
	poisonBroken(c)
	override(c)
}

// declareSetting collects a statement that declares no name: a setting, what to evaluate, what to copy, what to expect.
// Each may be given once, except for expectations.
func declareSetting(c *Spec, decl dsl.Decl) {
	d := &c.Decls
	switch decl := decl.(type) {
	case *dsl.Setting:
		if first := d.Settings[decl.Keyword.Name]; first != nil {
			c.Twice(decl.Keyword.Name, decl.Span(), first.Span())
			return
		}
		d.Settings[decl.Keyword.Name] = decl
	case *dsl.Expect:
		d.Expects = append(d.Expects, decl)
	case *dsl.Evaluate:
		if d.Evaluate != nil {
			c.Twice("evaluate", decl.Span(), d.Evaluate.Span())
			return
		}
		d.Evaluate = decl
	case *dsl.Augment:
		if d.Augment != nil {
			c.Twice("augment", decl.Span(), d.Augment.Span())
			return
		}
		d.Augment = decl
	}
}

// declareNamed collects a let or a definition.
func declareNamed(c *Spec, decl dsl.Decl) {
	switch decl := decl.(type) {
	case *dsl.Let:
		if claim(c, decl.Name) {
			c.Decls.Lets[decl.Name.Name] = decl
		}
	case *dsl.Def:
		if claim(c, decl.Name) && named(c, decl) {
			c.Decls.Defs[decl.Name.Name] = &Definition{Decl: decl}
		}
	}
}

// poisonBroken notes what statements that failed to parse may declare: their names become poison,
// and their keywords count as present. The items of a data block that do parse are kept.
func poisonBroken(c *Spec) {
	poisonNames(c, c.File)
	for _, b := range c.File.Broken {
		c.Lost[b.Keyword] = true
		if b.Keyword == "include" {
			c.broken.includes = true
		}
		if b.Keyword == "use" {
			c.broken.families = true
		}
		if b.Data != nil && c.Decls.Data == nil {
			c.Decls.Data = b.Data
		}
	}
}

// poisonNames notes the names that faulty statements of a file declare.
func poisonNames(c *Spec, file *dsl.File) {
	for _, b := range file.Broken {
		if b.Name != nil {
			c.Poison[b.Name.Name] = true
		}
	}
}

// Unknown reports whether what a name stands for cannot be known. It may be declared by a faulty
// statement, by a family that is missing, or by a file that cannot be read.
func (c *Spec) Unknown(name string) bool {
	return c.broken.families || c.broken.includes || c.Poison[name]
}

// Twice reports what is given again, with the first place beside it. It returns the diagnostic for another mend.
func (c *Spec) Twice(what string, again, first diag.Span) *diag.Diagnostic {
	d := &diag.Diagnostic{
		Code: codes.DuplicateName, Subject: again, Summary: what + " is given twice",
		Related: []diag.Related{{Span: first, Message: "first given here"}}, Mend: "Keep one of them.",
	}
	c.Diags.Add(d)
	return d
}

// claim takes a name for a declaration. It returns false for a word of the language and for a name
// that is taken. Which of two declarations is meant is not known, so that such a name is poison.
func claim(c *Spec, id *dsl.Ident) bool {
	if own(id.Name) {
		c.Poison[id.Name] = true
		c.Diags.Add(&diag.Diagnostic{
			Code: codes.DuplicateName, Subject: id.Span(), Summary: id.Name + " is a word of the language",
			Mend: "Choose another name.",
		})
		return false
	}
	if first, ok := c.Decls.Names[id.Name]; ok {
		c.Poison[id.Name] = true // which of them is meant is not known
		c.Diags.Add(&diag.Diagnostic{
			Code: codes.DuplicateName, Subject: id.Span(), Summary: id.Name + " is declared twice",
			Related: []diag.Related{{Span: first, Message: "first declared here"}}, Mend: "Rename one of them.",
		})
		return false
	}
	c.Decls.Names[id.Name] = id.Span()
	return true
}

// named returns false for a definition with a parameter that is a word of the language, or with two of
// one name, and reports it. What such a definition means is not known, so that its name is poison.
func named(c *Spec, def *dsl.Def) bool {
	for i, id := range def.Params {
		d := &diag.Diagnostic{Code: codes.DuplicateName, Subject: id.Span()}
		first := slices.IndexFunc(def.Params, func(other *dsl.Ident) bool { return other.Name == id.Name })
		switch {
		case own(id.Name):
			d.Summary, d.Mend = Shown(id)+" is a word of the language, and no name of a parameter", "Choose another name, as in def gap(a, b)."
		case first < i:
			d.Summary, d.Mend = fmt.Sprintf("%s has two parameters %s", def.Name.Name, Shown(id)), "Rename one of them."
			d.Related = []diag.Related{{Span: def.Params[first].Span(), Message: "the first one"}}
		default:
			continue
		}
		c.Poison[def.Name.Name] = true
		c.Diags.Add(d)
		return false
	}
	return true
}

// override replaces the values of lets by those of Options.Set, in the order of their names.
// Whatever has no let is codes.WrongOverride, with the flag or the let that is meant.
func override(c *Spec) {
	for _, name := range tree.SortedKeys(c.opts.Set) {
		place := diag.Span{File: "--set " + name}
		spelled, value := name, c.opts.Set[name]
		parsed, list := dsl.Parse(place.File, []byte("let "+name+" = "+value))
		if let := tree.SoleLet(parsed, list); let != nil {
			spelled = let.Name.Name
			if c.Decls.Lets[spelled] != nil {
				c.Decls.Lets[spelled] = &dsl.Let{At: let.At, Name: c.Decls.Lets[spelled].Name, Value: let.Value}
				continue
			}
		} else if c.Decls.Lets[name] != nil {
			c.Diags.Add(&diag.Diagnostic{
				Code: codes.WrongOverride, Subject: place, Summary: fmt.Sprintf("%q is not a value", value),
				Detail: "The value of --set is written as in a let: a number, a text in double quotes, taxonomy(\"file\") or grid(…).",
				Mend:   "A text needs its quotes: --set '" + name + "=\"" + value + "\"'.",
			})
			continue
		}
		lets := tree.SortedKeys(c.Decls.Lets)
		c.Diags.Add(&diag.Diagnostic{
			Code: codes.WrongOverride, Subject: place, Summary: "the spec has no let " + spelled,
			Detail: "--set overrides a let of the spec, and it has " + tree.Listed(lets, 12) + ".", Mend: instead(spelled, value, lets),
		})
	}
}

// instead says what to write for an override of no let: the flag for what has one, or the let that
// is meant.
func instead(name, value string, lets []string) string {
	switch name {
	case "method", "seed":
		return fmt.Sprintf("Write --%s %s to sipc run.", name, value)
	case "train", "test", "split":
		return "Give the number a let and use it: let training = 100, split train = training."
	}
	if best := tree.Nearest(name, lets); best != "" {
		return "Did you mean " + best + "?"
	}
	return fmt.Sprintf("To make a number settable, give it a let and use it: let %s = …", settable(name))
}

// settable returns a name that a let may have: the given one, if it is a name.
func settable(name string) string {
	if dsl.IsName(name) {
		return name
	}
	return "weight"
}

// The items of a data block that take columns as they are named.
const (
	ColumnsWord = "columns"
	IgnoreWord  = "ignore"
	IDWord      = "id"
	TypesWord   = "types"
)
