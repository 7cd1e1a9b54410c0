package names

import (
	_ "embed"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

// StandardSource is the text of the standard library.
//
//go:embed standard.inv
var StandardSource []byte

// addStandard adds the standard library, where neither the spec nor a family defines the same name.
func addStandard(c *Spec) {
	file, _ := dsl.Parse(tree.StandardName, StandardSource) // it has no faults, as a test asserts
	for _, d := range file.Decls {
		if decl, ok := d.(*dsl.Def); ok && c.Decls.Defs[decl.Name.Name] == nil {
			at := decl.Span()
			source := string(StandardSource[at.Start.Offset:at.End.Offset])
			c.Decls.Defs[decl.Name.Name] = &Definition{Decl: decl, Family: tree.StandardName, Source: source}
		}
	}
}

// Standard returns the definitions of the standard library, each with the comment above it.
func Standard() []plugins.Definition {
	file, _ := dsl.Parse(tree.StandardName, StandardSource) // it has no faults, as a test asserts
	var out []plugins.Definition
	for _, d := range file.Decls {
		decl, ok := d.(*dsl.Def)
		if !ok {
			continue
		}
		at, doc := decl.Span(), ""
		for _, c := range file.Comments {
			if c.Span.End.Offset <= at.Start.Offset {
				doc = strings.TrimSpace(strings.TrimPrefix(c.Text, "#"))
			}
		}
		out = append(out, plugins.Definition{Name: decl.Name.Name, Doc: doc, Source: string(StandardSource[at.Start.Offset:at.End.Offset])})
	}
	return out
}
