package names

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

// StandardSource is the text of the standard library.
//
//go:embed standard.inv
var StandardSource []byte

// standard returns the definitions of the standard library, each with the comment above it. They are parsed once: nobody changes a
// syntax tree.
var standard = sync.OnceValue(func() []*Definition {
	file, _ := dsl.Parse(tree.StandardName, StandardSource) // it has no faults, as a test asserts
	var out []*Definition
	for _, d := range file.Decls {
		decl, ok := d.(*dsl.Def)
		if !ok {
			continue
		}
		at := decl.Span()
		def := &Definition{Decl: decl, Family: tree.StandardName, Source: string(StandardSource[at.Start.Offset:at.End.Offset])}
		for _, c := range file.Comments {
			if c.Span.End.Offset <= at.Start.Offset {
				def.Doc = strings.TrimSpace(strings.TrimPrefix(c.Text, "#"))
			}
		}
		out = append(out, def)
	}
	return out
})

// addStandard adds the standard library, where neither the spec nor a family defines the same name.
// It comes last, so that new definitions in it change the meaning of no spec.
func addStandard(c *Spec) {
	for _, def := range standard() {
		if name := def.Decl.Name.Name; c.Decls.Defs[name] == nil {
			c.Decls.Defs[name] = def
		}
	}
}

// Standard returns the definitions of the standard library, each with the comment above it.
func Standard() []plugins.Definition {
	var out []plugins.Definition
	for _, def := range standard() {
		out = append(out, plugins.Definition{Name: def.Decl.Name.Name, Doc: def.Doc, Source: def.Source})
	}
	return out
}
