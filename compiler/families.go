package compiler

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// A family in use.
type family struct {
	name   string
	place  diag.Span // of `use`; zero for those that are built in
	impl   plugins.Family
	schema *plugins.Schema
}

// openFamilies makes the names of the families visible: those that are built in, and those that the spec uses, which
// take the place of a built-in one of the same name.
func (c *checker) openFamilies() {
	used := map[string]*dsl.Use{}
	for _, use := range c.decls.uses {
		if first := used[use.Name.Name]; first != nil {
			c.twice("use "+use.Name.Name, use.Span(), first.Span())
			continue
		}
		used[use.Name.Name] = use
	}
	for _, name := range keys(c.opts.Families) {
		if use := used[name]; use == nil || use.From == nil {
			c.addFamily(name, diag.Span{}, c.opts.Families[name])
		}
	}
	for _, use := range c.decls.uses {
		if used[use.Name.Name] != use {
			continue
		}
		c.use(use)
	}
}

func (c *checker) use(use *dsl.Use) {
	name := use.Name.Name
	path, found := c.find(use)
	if !found {
		if c.opts.Families[name] == nil {
			c.broken.families = true
			d := &diag.Diagnostic{
				Code: UnknownFamily, Subject: use.Name.Span(), Summary: "no family " + name + " is built in",
				Mend: strings.TrimSpace(didYouMean(name, keys(c.opts.Families)) + ` A family from elsewhere is used with its path: use ` + name + ` from "./sipc-family-` + name + `".`),
			}
			(&pass{checker: c}).rename(d, use.Name.Span(), name, keys(c.opts.Families))
			c.diags.Add(d)
		}
		return
	}
	impl, err := c.start(path)
	if err != nil {
		c.broken.families = true
		var list diag.List
		if errors.As(err, &list) {
			c.diags = append(c.diags, list...)
			return
		}
		c.diags.Add(notStarted(use, err))
		return
	}
	if closer, ok := impl.(interface{ Close() error }); ok {
		c.closers = append(c.closers, closer.Close)
	}
	c.addFamily(name, use.Span(), impl)
}

// notStarted says why a family cannot be started: the first line of the error, and what follows it below the place.
func notStarted(use *dsl.Use, err error) *diag.Diagnostic {
	why, more, _ := strings.Cut(err.Error(), "\n")
	place := use.Name.Span()
	if use.From != nil {
		place = use.From.Span()
	}
	d := &diag.Diagnostic{
		Code: FamilyNotStarted, Subject: place, Summary: fmt.Sprintf("the family %s cannot be started: %s", use.Name.Name, why), Mend: generalMends[FamilyNotStarted],
	}
	var own interface{ Mend() string }
	if errors.As(err, &own) {
		d.Mend = own.Mend()
		more = strings.TrimSuffix(more, d.Mend) // it stands below all else
	}
	for line := range strings.Lines(more) {
		d.Values = append(d.Values, strings.TrimSpace(line))
	}
	return d
}

// find is the path of the program of a family that is not built in.
func (c *checker) find(use *dsl.Use) (path string, found bool) {
	switch {
	case use.From != nil:
		return use.From.Value, true
	case c.opts.Find != nil && c.opts.Families[use.Name.Name] == nil:
		return c.opts.Find(use.Name.Name)
	}
	return "", false
}

func (c *checker) start(path string) (plugins.Family, error) {
	if c.opts.Open == nil {
		return nil, errors.New("plugins are not available here")
	}
	return c.opts.Open(c.ctx, path)
}

// addFamily describes a family and makes its names visible.
func (c *checker) addFamily(name string, place diag.Span, impl plugins.Family) {
	schema, err := impl.Describe(c.ctx)
	code := FamilyNotStarted
	if err == nil {
		code = WrongSchema
		if err = schema.Validate(); err == nil && schema.Name != name {
			err = fmt.Errorf("it calls itself %s", schema.Name)
		}
	}
	if err != nil {
		c.broken.families = true
		c.diags.Add(&diag.Diagnostic{Code: code, Subject: place, Summary: fmt.Sprintf("the family %s cannot be used: %v", name, err), Mend: generalMends[code]})
		return
	}
	fam := &family{name: name, place: place, impl: impl, schema: schema}
	for _, other := range c.families {
		if word := clash(schema, other.schema); word != "" {
			c.diags.Add(&diag.Diagnostic{
				Code: WrongSchema, Subject: place,
				Summary: fmt.Sprintf("the families %s and %s both add %s to the language", other.name, name, word),
				Mend:    "Use one of them.",
			})
			return
		}
	}
	c.families = append(c.families, fam)
	c.define(fam)
}

// define adds the definitions of a family, parsed; a def of the spec of the same name stands before it.
func (c *checker) define(fam *family) {
	for _, def := range fam.schema.Definitions {
		file, list := dsl.Parse(fam.name+":"+def.Name, []byte(def.Source))
		var decl *dsl.Def
		if file != nil && len(file.Decls) == 1 {
			decl, _ = file.Decls[0].(*dsl.Def)
		}
		if err := list.Err(); err != nil || decl == nil || decl.Name.Name != def.Name {
			c.broken.families = true
			c.diags.Add(&diag.Diagnostic{
				Code: WrongSchema, Subject: fam.place,
				Summary: fmt.Sprintf("the family %s defines %s by what is no definition: %s", fam.name, def.Name, def.Source),
				Mend:    "This is a fault of the family: tell its author.",
			})
			continue
		}
		if c.decls.defs[def.Name] == nil {
			c.decls.defs[def.Name] = &definition{decl: decl, family: fam.name, source: strings.TrimSpace(def.Source)}
		}
	}
}

// clash is a word that both schemas add.
func clash(a, b *plugins.Schema) string {
	words := map[string]bool{}
	for _, w := range schemaWords(a) {
		words[w] = true
	}
	for _, w := range schemaWords(b) {
		if words[w] {
			return w
		}
	}
	return ""
}

func schemaWords(s *plugins.Schema) []string {
	var words []string
	for i := range s.Domains {
		words = append(words, s.Domains[i].Name)
	}
	for i := range s.Maps {
		words = append(words, s.Maps[i].Name)
	}
	for i := range s.Definitions {
		words = append(words, s.Definitions[i].Name)
	}
	return words
}

// domain finds a domain of the families.
func (c *checker) domain(name string) (*family, *plugins.DomainSchema) {
	for _, fam := range c.families {
		if d := fam.schema.Domain(name); d != nil {
			return fam, d
		}
	}
	return nil, nil
}

// pointMap finds a map of the families.
func (c *checker) pointMap(name string) (*family, *plugins.MapSchema) {
	for _, fam := range c.families {
		if m := fam.schema.Map(name); m != nil {
			return fam, m
		}
	}
	return nil, nil
}

func (c *checker) domainNames() []string {
	names := []string{"x", rowsWord, labelsWord, "graph"}
	for _, fam := range c.families {
		for i := range fam.schema.Domains {
			names = append(names, fam.schema.Domains[i].Name)
		}
	}
	return names
}

func (c *checker) mapNames() []string {
	var names []string
	for _, fam := range c.families {
		for i := range fam.schema.Maps {
			names = append(names, fam.schema.Maps[i].Name)
		}
	}
	return names
}
