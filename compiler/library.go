package compiler

import (
	_ "embed" // the library is a spec of definitions
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

//go:embed standard.inv
var standardSource []byte

// standardName stands where a definition of a family has the family's name.
const standardName = "standard"

// addStandard adds the standard library, where neither the spec nor a family defines the same name.
func (c *checker) addStandard() {
	file, _ := dsl.Parse(standardName, standardSource) // it has no faults, as a test asserts
	for _, d := range file.Decls {
		if decl, ok := d.(*dsl.Def); ok && c.decls.defs[decl.Name.Name] == nil {
			at := decl.Span()
			source := string(standardSource[at.Start.Offset:at.End.Offset])
			c.decls.defs[decl.Name.Name] = &definition{decl: decl, family: standardName, source: source}
		}
	}
}

// parityName is the statement of the library about a column of 0 and 1.
const parityName = "parity"

// mendParity returns what to write where a column of other values than 0 and 1 is given to the library's parity; empty elsewhere.
func mendParity(in *inlining, column *rawColumn) string {
	if column == nil || in == nil || in.family != standardName || in.name != parityName || len(in.syntax.Args) != 1 {
		return ""
	}
	values := column.values()
	if len(values) < 2 {
		return ""
	}
	return fmt.Sprintf("parity compares the rows with 1 and those with 0; of other values name both groups: parity_between(%s, %s, %s).",
		text(in.syntax.Args[0].Value), values[0], values[1])
}

// Standard returns the definitions of the standard library, each with the comment above it.
func Standard() []plugins.Definition {
	file, _ := dsl.Parse(standardName, standardSource) // it has no faults, as a test asserts
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

// definer says who defines what is inlined.
func (in *inlining) definer() string {
	if in.family == standardName {
		return "the standard library"
	}
	return "the family " + in.family
}
