package names

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// openFamilies makes the names of the families visible: those that are built in, and those that the
// spec uses. The latter take the place of a built-in one of the same name, so that a spec can pin a
// version of its own.
func openFamilies(c *Spec) {
	used := map[string]*dsl.Use{}
	for _, use := range c.Decls.uses {
		if first := used[use.Name.Name]; first != nil {
			c.Twice("use "+use.Name.Name, use.Span(), first.Span())
			continue
		}
		used[use.Name.Name] = use
	}
	// Those that the spec names come first: a word that another built-in family has too is theirs. So a
	// spec keeps its meaning where a later version builds in what its family adds.
	for _, use := range c.Decls.uses {
		name := use.Name.Name
		if used[name] != use {
			continue
		}
		if builtin := c.opts.Families[name]; builtin != nil && use.From == nil {
			addFamily(c, name, nil, builtin)
		} else {
			bring(c, use)
		}
	}
	for _, name := range tree.SortedKeys(c.opts.Families) {
		if used[name] == nil {
			addFamily(c, name, nil, c.opts.Families[name])
		}
	}
}

// bring opens the program of a family that is not built in. Where that fails, unknown names may be
// words of the family, and are not reported.
func bring(c *Spec, use *dsl.Use) {
	path, err := find(c, use)
	if path == "" && err == nil {
		return // it is built in, or there is none
	}
	var impl plugins.Family
	if err == nil {
		impl, err = start(c, path)
	}
	if err != nil {
		c.broken.families = true
		var list diag.List
		if errors.As(err, &list) {
			c.Diags = append(c.Diags, list...)
			return
		}
		c.Diags.Add(notStarted(use, path, err))
		return
	}
	if closer, ok := impl.(interface{ Close() error }); ok {
		c.Closers = append(c.Closers, closer.Close)
	}
	addFamily(c, use.Name.Name, use, impl)
}

// unknownFamily reports a name that is neither built in nor pinned, with the nearest one that is. A
// family from elsewhere needs its path.
func unknownFamily(c *Spec, use *dsl.Use, pinned []string) {
	c.broken.families = true
	name := use.Name.Name
	known := append(tree.SortedKeys(c.opts.Families), pinned...)
	summary := "no family " + name + " is built in"
	if len(pinned) > 0 {
		summary += ", or pinned in the lock"
	}
	d := &diag.Diagnostic{
		Code: codes.UnknownFamily, Subject: use.Name.Span(), Summary: summary,
		Mend: strings.TrimSpace(tree.DidYouMean(name, known) + ` A family from elsewhere is used with its path: use ` + name + ` from "./sipc-family-` + name + `".`),
	}
	(&Pass{Spec: c}).Rename(d, use.Name.Span(), name, known)
	c.Diags.Add(d)
}

// notStarted says why a family cannot be started: the first line of the error, and what follows it below the place.
func notStarted(use *dsl.Use, path string, err error) *diag.Diagnostic {
	why, more, _ := strings.Cut(err.Error(), "\n")
	place := use.Name.Span()
	if use.From != nil {
		place = use.From.Span()
	}
	d := &diag.Diagnostic{
		Code: codes.FamilyNotStarted, Subject: place, Summary: fmt.Sprintf("the family %s cannot be started: %s", use.Name.Name, why), Mend: codes.GeneralMends[codes.FamilyNotStarted],
	}
	if use.From == nil && path != "" {
		d.Mend = fmt.Sprintf("The lock beside the spec says that its program is %s: put it there again, pin another by sipc plugin add, or take the pin out by sipc plugin remove %s.",
			path, use.Name.Name)
	}
	// A program that nobody trusted has not failed: it was never started, and may be sound.
	var untrusted interface{ Untrusted() }
	if errors.As(err, &untrusted) {
		d.Code, d.Summary = codes.Untrusted, fmt.Sprintf("the family %s was not started: %s", use.Name.Name, why)
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

// find returns the path of the program of a family that is not built in. It is empty for one that
// is, and where there is none, which is reported. `use NAME` finds the program that sipc.lock pins
// under the name, if there is exactly one.
func find(c *Spec, use *dsl.Use) (path string, err error) {
	name := use.Name.Name
	switch {
	case use.From != nil:
		return use.From.Value, nil
	case c.opts.Families[name] != nil:
		return "", nil
	}
	var pinned map[string][]string
	if c.opts.Pinned != nil {
		if pinned, err = c.opts.Pinned(); err != nil {
			return "", err
		}
	}
	switch paths := pinned[name]; len(paths) {
	case 0:
		unknownFamily(c, use, tree.SortedKeys(pinned))
		return "", nil
	case 1:
		return paths[0], nil
	default:
		return "", &ambiguousError{name, paths}
	}
}

// An ambiguousError says that a name is that of several programs that are pinned.
type ambiguousError struct {
	name  string
	paths []string
}

// Error names the programs.
func (e *ambiguousError) Error() string {
	return "the lock pins several programs by that name: " + strings.Join(e.paths, ", ")
}

// Mend says how one of them is meant.
func (e *ambiguousError) Mend() string {
	return fmt.Sprintf("Say which: use %s from %q; or take the others out of the lock: sipc plugin remove %s.", e.name, e.paths[0], e.paths[len(e.paths)-1])
}

// start opens the program at a path, in the way that the caller of the compiler allows.
func start(c *Spec, path string) (plugins.Family, error) {
	if c.opts.Open == nil {
		return nil, errors.New("plugins are not available here")
	}
	return c.opts.Open(c.Ctx, path)
}

// uses reports whether the spec uses a family by name.
func uses(c *Spec, family string) bool {
	return slices.ContainsFunc(c.Decls.uses, func(use *dsl.Use) bool { return use.Name.Name == family })
}

// addFamily describes a family and makes its names visible. Use is nil for one that is built in. Of
// two that the spec names and that add the same word, the second is left out.
func addFamily(c *Spec, name string, use *dsl.Use, impl plugins.Family) {
	schema := describe(c, name, use, impl)
	if schema == nil {
		c.broken.families = true
		return
	}
	fam := &tree.Family{Name: name, Impl: impl, Schema: schema}
	if use != nil {
		fam.Place = use.Span()
	}
	if word := ownWord(schema); word != "" {
		c.broken.families = true
		c.Diags.Add(&diag.Diagnostic{
			Code: codes.WrongSchema, Subject: fam.Place,
			Summary: fmt.Sprintf("the family %s adds %s, which is a word of the language", name, word),
			Mend:    ground.SchemaMend,
		})
		return
	}
	for _, other := range c.Families {
		if word := clash(schema, other.Schema); word != "" && uses(c, name) == uses(c, other.Name) {
			c.Diags.Add(&diag.Diagnostic{
				Code: codes.WrongSchema, Subject: fam.Place,
				Summary: fmt.Sprintf("the families %s and %s both add %s to the language", other.Name, name, word),
				Mend:    "Use one of them.",
			})
			return
		}
	}
	c.Families = append(c.Families, fam)
	define(c, fam)
}

// describe returns the family's schema. Nil means that it has none that can be used, which is
// reported. The schema of a program is input like any other: it is validated, and it must call
// itself what the spec calls it.
func describe(c *Spec, name string, use *dsl.Use, impl plugins.Family) *plugins.Schema {
	d := &diag.Diagnostic{Code: codes.FamilyNotStarted, Mend: codes.GeneralMends[codes.FamilyNotStarted]}
	if use != nil {
		d.Subject = use.Span()
	}
	schema, err := impl.Describe(c.Ctx)
	if err == nil {
		d.Code, d.Mend = codes.WrongSchema, ground.SchemaMend
		err = schema.Validate()
	}
	if err == nil && schema.Name == name {
		return schema
	}
	if err == nil {
		err = fmt.Errorf("it calls itself %s", schema.Name)
		if use != nil {
			d.Mend = "Write use " + schema.Name
			if use.From != nil {
				d.Mend += " from " + strconv.Quote(use.From.Value)
			}
			d.Mend += "."
			(&Pass{Spec: c}).Offer(d, "call it "+schema.Name, use.Name.Span(), schema.Name)
		}
	}
	d.Summary = fmt.Sprintf("the family %s cannot be used: %v", name, err)
	c.Diags.Add(d)
	return nil
}

// define adds the definitions of a family, parsed; a def of the spec of the same name stands before
// it. One that does not parse is the family's fault (codes.WrongSchema), and calls of unknown names
// are not reported then.
func define(c *Spec, fam *tree.Family) {
	for _, def := range fam.Schema.Definitions {
		file, list := dsl.Parse(fam.Name+":"+def.Name, []byte(def.Source))
		var decl *dsl.Def
		if file != nil && len(file.Decls) == 1 {
			decl, _ = file.Decls[0].(*dsl.Def)
		}
		if err := list.Err(); err != nil || decl == nil || decl.Name.Name != def.Name {
			c.broken.families = true
			c.Diags.Add(&diag.Diagnostic{
				Code: codes.WrongSchema, Subject: fam.Place,
				Summary: fmt.Sprintf("the family %s defines %s by what is not a definition: %s", fam.Name, def.Name, clipped(def.Source)),
				Mend:    ground.SchemaMend,
			})
			continue
		}
		if c.Decls.Defs[def.Name] == nil {
			c.Decls.Defs[def.Name] = &Definition{Decl: decl, Family: fam.Name, Source: strings.TrimSpace(def.Source), Doc: def.Doc}
		}
	}
}

// ownWord returns a word of the language that a schema takes for its own. It is empty where there is
// none. A family that could say what max or rms means would change statements that do not even name
// the family.
func ownWord(s *plugins.Schema) string {
	for _, w := range append(schemaWords(s), s.Name) {
		if own(w) {
			return w
		}
	}
	return ""
}

// clipped returns the beginning of a text, so that a long one does not hide what is said of it.
func clipped(text string) string {
	const most = 120
	if signs := []rune(text); len(signs) > most {
		return string(signs[:most]) + "…"
	}
	return text
}

// clash returns a word that both schemas add, and "" where there is none.
func clash(a, b *plugins.Schema) string {
	words := schemaWords(a)
	for _, w := range schemaWords(b) {
		if slices.Contains(words, w) {
			return w
		}
	}
	return ""
}

// schemaWords returns the words that a schema adds: index sets, transformations, definitions.
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

// Domain finds an index set among those of the families. Nil means that none has it.
func (c *Spec) Domain(name string) (*tree.Family, *plugins.DomainSchema) {
	for _, fam := range c.Families {
		if d := fam.Schema.Domain(name); d != nil {
			return fam, d
		}
	}
	return nil, nil
}

// PointMap finds a transformation among those of the families, also by a name of an earlier version.
// Nil means that none has it.
func (c *Spec) PointMap(name string) (*tree.Family, *plugins.MapSchema) {
	for _, fam := range c.Families {
		if m := fam.Schema.Map(name); m != nil {
			return fam, m
		}
	}
	if next := Renamed[name]; next != "" {
		return c.PointMap(next)
	}
	return nil, nil
}

// Renamed are the names that transformations had in earlier versions, with those that they have now.
var Renamed = map[string]string{"jitter": "move"}

// DomainNames returns the names of all index sets, those of the language first, for messages.
func (c *Spec) DomainNames() []string {
	names := []string{"x", tree.RowsWord, tree.SampleWord, tree.LabelsWord, tree.LevelsWord, ColumnsWord, "graph"}
	for _, fam := range c.Families {
		for i := range fam.Schema.Domains {
			names = append(names, fam.Schema.Domains[i].Name)
		}
	}
	return names
}

// MapNames returns the names of all transformations, for messages.
func (c *Spec) MapNames() []string {
	var names []string
	for _, fam := range c.Families {
		for i := range fam.Schema.Maps {
			names = append(names, fam.Schema.Maps[i].Name)
		}
	}
	return names
}
