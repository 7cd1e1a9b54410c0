package compiler

import (
	_ "embed"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

//go:embed standard.inv
var standardSource []byte

// addStandard adds the standard library, where neither the spec nor a family defines the same name.
func (c *checker) addStandard() {
	file, _ := dsl.Parse(tree.StandardName, standardSource) // it has no faults, as a test asserts
	for _, d := range file.Decls {
		if decl, ok := d.(*dsl.Def); ok && c.decls.defs[decl.Name.Name] == nil {
			at := decl.Span()
			source := string(standardSource[at.Start.Offset:at.End.Offset])
			c.decls.defs[decl.Name.Name] = &definition{decl: decl, family: tree.StandardName, source: source}
		}
	}
}

// Standard returns the definitions of the standard library, each with the comment above it.
func Standard() []plugins.Definition {
	file, _ := dsl.Parse(tree.StandardName, standardSource) // it has no faults, as a test asserts
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
		out = append(out, plugins.Definition{Name: decl.Name.Name, Doc: doc, Source: string(standardSource[at.Start.Offset:at.End.Offset])})
	}
	return out
}
