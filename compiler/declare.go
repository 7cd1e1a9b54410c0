package compiler

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// declarations are the statements of a spec by what they declare.
type declarations struct {
	lets        map[string]*dsl.Let
	defs        map[string]*definition
	invariances []*dsl.Invariance
	invariance  map[string]*dsl.Invariance
	settings    map[string]*dsl.Setting
	data        *dsl.Data
	evaluate    *dsl.Evaluate
	uses        []*dsl.Use
	names       map[string]diag.Span // of lets, defs and invariances
}

// A definition is a def of the spec or of a family.
type definition struct {
	decl   *dsl.Def
	family string // empty: the spec's own; standardName: the standard library's
	source string // of a family's
}

// builtinWords cannot be declared again.
var builtinWords = []string{
	"f", "x", tree.RowsWord, tree.LabelsWord, "graph", tree.GridWord, tree.AutoWord, tree.TaxonomyWord, tree.OfMedian, "pos", "hypot", "max", "min", "sum", tree.MeanWord, "rms", tree.NormWord, "top", "d",
}

// declare collects the declarations and applies the overrides of lets.
func (c *checker) declare() {
	c.decls = declarations{
		lets: map[string]*dsl.Let{}, defs: map[string]*definition{}, invariance: map[string]*dsl.Invariance{},
		settings: map[string]*dsl.Setting{}, names: map[string]diag.Span{},
	}
	d := &c.decls
	for _, decl := range c.file.Decls {
		switch decl := decl.(type) {
		case *dsl.Use:
			d.uses = append(d.uses, decl)
		case *dsl.Data:
			if d.data != nil {
				c.twice(tree.DataWord, decl.Span(), d.data.Span())
				continue
			}
			d.data = decl
		case *dsl.Let:
			if c.claim(decl.Name) {
				d.lets[decl.Name.Name] = decl
			}
		case *dsl.Def:
			if c.claim(decl.Name) {
				d.defs[decl.Name.Name] = &definition{decl: decl}
			}
		case *dsl.Invariance:
			if c.claim(decl.Name) {
				d.invariances = append(d.invariances, decl)
				d.invariance[decl.Name.Name] = decl
			}
		case *dsl.Setting:
			if first := d.settings[decl.Keyword.Name]; first != nil {
				c.twice(decl.Keyword.Name, decl.Span(), first.Span())
				continue
			}
			d.settings[decl.Keyword.Name] = decl
		case *dsl.Evaluate:
			if d.evaluate != nil {
				c.twice("evaluate", decl.Span(), d.evaluate.Span())
				continue
			}
			d.evaluate = decl
		}
	}
	c.poisonBroken()
	c.override()
}

// poisonBroken notes what statements that failed to parse may declare.
func (c *checker) poisonBroken() {
	for _, b := range c.file.Broken {
		c.lost[b.Keyword] = true
		if b.Name != nil {
			c.poison[b.Name.Name] = true
		}
		if b.Keyword == "use" {
			c.broken.families = true
		}
		if b.Data != nil && c.decls.data == nil {
			c.decls.data = b.Data
		}
	}
}

// unknown reports whether what a name stands for cannot be known: it may be declared by a faulty statement, or by a family
// that is missing.
func (c *checker) unknown(name string) bool { return c.broken.families || c.poison[name] }

func (c *checker) twice(what string, again, first diag.Span) {
	c.diags.Add(&diag.Diagnostic{
		Code: codes.DuplicateName, Subject: again, Summary: what + " is given twice",
		Related: []diag.Related{{Span: first, Message: "first given here"}}, Mend: "Keep one of them.",
	})
}

// claim takes a name for a declaration.
func (c *checker) claim(id *dsl.Ident) bool {
	if slices.Contains(builtinWords, id.Name) {
		c.poison[id.Name] = true
		c.diags.Add(&diag.Diagnostic{
			Code: codes.DuplicateName, Subject: id.Span(), Summary: id.Name + " is a word of the language",
			Mend: "Choose another name.",
		})
		return false
	}
	if first, ok := c.decls.names[id.Name]; ok {
		c.poison[id.Name] = true // which of them is meant is not known
		c.diags.Add(&diag.Diagnostic{
			Code: codes.DuplicateName, Subject: id.Span(), Summary: id.Name + " is declared twice",
			Related: []diag.Related{{Span: first, Message: "first declared here"}}, Mend: "Rename one of them.",
		})
		return false
	}
	c.decls.names[id.Name] = id.Span()
	return true
}

// override replaces the values of lets by those of Options.Set.
func (c *checker) override() {
	names := make([]string, 0, len(c.opts.Set))
	for name := range c.opts.Set {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		place := diag.Span{File: "--set " + name}
		spelled, value := name, c.opts.Set[name]
		parsed, list := dsl.Parse(place.File, []byte("let "+name+" = "+value))
		if let := tree.SoleLet(parsed, list); let != nil {
			spelled = let.Name.Name
			if c.decls.lets[spelled] != nil {
				c.decls.lets[spelled] = &dsl.Let{At: let.At, Name: c.decls.lets[spelled].Name, Value: let.Value}
				continue
			}
		} else if c.decls.lets[name] != nil {
			c.diags.Add(&diag.Diagnostic{
				Code: codes.WrongOverride, Subject: place, Summary: fmt.Sprintf("%q is no value", value),
				Detail: "The value of --set is written as in a let: a number, a text in double quotes, taxonomy(\"file\") or grid(…).",
				Mend:   "A text needs its quotes: --set '" + name + "=\"" + value + "\"'.",
			})
			continue
		}
		lets := tree.SortedKeys(c.decls.lets)
		c.diags.Add(&diag.Diagnostic{
			Code: codes.WrongOverride, Subject: place, Summary: "the spec has no let " + spelled,
			Detail: "--set overrides a let of the spec, and it has " + listed(lets) + ".", Mend: instead(spelled, value, lets),
		})
	}
}

// mostListed is how many names a message lists.
const mostListed = 12

// listed are the names of lets; "none" where there are none.
func listed(lets []string) string {
	switch more := len(lets) - mostListed; {
	case len(lets) == 0:
		return "none"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(lets[:mostListed], ", "), more)
	}
	return strings.Join(lets, ", ")
}

// instead is what to write for an override of no let: the flag for what has one, or the let that is meant.
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

// settable is a name that a let may have.
func settable(name string) string {
	if parsed, list := dsl.Parse("", []byte("let "+name+" = 1")); tree.SoleLet(parsed, list) != nil {
		return name
	}
	return "weight"
}
