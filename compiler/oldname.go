package compiler

import (
	"fmt"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// oldNames warns of transformations that are called by a name of an earlier version, also in files that
// the spec includes: nobody else checks those. What is declared
// or bound under that name, or added by a family, is no such call.
func oldNames(c *names.Spec) {
	files := append([]*dsl.File{c.File, c.Beside}, tree.Each(c.Included, func(in *names.Included) *dsl.File { return in.File })...)
	for _, file := range files {
		if file == nil {
			continue
		}
		taken := boundNames(file)
		for _, decl := range file.Decls {
			dsl.Walk(decl, func(n dsl.Node) bool {
				if id := transformed(n); id != nil && !taken[id.Name] {
					oldName(c, id)
				}
				return true
			})
		}
	}
}

// transformed returns the name of what may be a transformation: that of a call, or what f is derived
// along. Nil means that the node has no such name.
func transformed(n dsl.Node) *dsl.Ident {
	switch n := n.(type) {
	case *dsl.Call:
		return n.Fun
	case *dsl.Deriv:
		if !n.Bracketed {
			return n.With
		}
	}
	return nil
}

// boundNames returns the names that a file's quantifiers and definitions bind.
func boundNames(file *dsl.File) map[string]bool {
	taken := map[string]bool{}
	for _, decl := range file.Decls {
		dsl.Walk(decl, func(n dsl.Node) bool {
			var ids []*dsl.Ident
			switch n := n.(type) {
			case *dsl.Binder:
				ids = n.Vars
			case *dsl.Def:
				ids = n.Params
			}
			for _, id := range ids {
				taken[id.Name] = true
			}
			return true
		})
	}
	return taken
}

// oldName warns of one name, if it is an old one that now stands for a transformation of another name.
func oldName(c *names.Spec, id *dsl.Ident) {
	next := names.Renamed[id.Name]
	_, schema := c.PointMap(id.Name)
	_, declared := c.Decls.Names[id.Name]
	if next == "" || schema == nil || schema.Name != next || declared || c.Poison[id.Name] {
		return
	}
	old := &diag.Diagnostic{
		Code: codes.OldName, Severity: diag.Warning, Subject: id.Span(),
		Summary: fmt.Sprintf("%s is called %s now", id.Name, next), Mend: fmt.Sprintf("Write %s; it means the same.", next),
	}
	if !names.IsIncluded(c, id.Span()) { // an editor changes the file that it shows
		old.Fixes = []diag.Fix{{Title: "write " + next, Edits: []diag.Edit{{Span: id.Span(), New: next}}}}
	}
	c.Diags.Add(old)
}
