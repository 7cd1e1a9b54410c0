package compiler

import (
	_ "embed" // the library is a spec of definitions

	"github.com/sipc-ml/sipc/dsl"
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

// definer says who defines what is inlined.
func (in *inlining) definer() string {
	if in.family == standardName {
		return "the standard library"
	}
	return "the family " + in.family
}
