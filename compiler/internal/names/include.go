package names

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
)

// An Included is a file that the spec includes, or that such a file includes in turn. Spans name it by
// its place beside the spec, so that errors in it are shown with its own lines.
type Included struct {
	*dsl.File
	Path string    // relative to the spec, or absolute
	By   diag.Span // the statement that includes it
	up   *Included // where that stands; nil: in the spec
	id   string    // the same for all paths of the file
}

// includes adds the declarations of the files that a file includes. They come before those of the
// spec: where both declare a name, the error stands in the spec, which its author can change.
func includes(c *Spec, decls []dsl.Decl, in *Included) {
	for _, decl := range decls {
		if decl, ok := decl.(*dsl.Include); ok {
			include(c, decl, in)
		}
	}
}

// include reads a file and declares what it holds, once however often it is included. What a file that
// cannot be read declares is not known, so that no name is reported as missing then.
func include(c *Spec, decl *dsl.Include, in *Included) {
	path := beside(decl.Path.Value, in)
	name := path
	if !filepath.IsAbs(path) {
		name = filepath.Join(filepath.Dir(c.File.Name), path)
	}
	inc := &Included{Path: path, By: decl.Span(), up: in, id: identity(c, path)}
	if around := circle(c, inc); around != "" {
		c.Diags.Add(&diag.Diagnostic{Code: codes.WrongInclude, Subject: decl.Span(), Summary: decl.Path.Value + " includes itself", Detail: around, Mend: "Leave out one of these statements."})
		return
	}
	if slices.ContainsFunc(c.Included, func(other *Included) bool { return other.id == inc.id }) {
		return
	}
	f := c.content(path)
	switch {
	case f.err != nil:
		c.Diags.Add(&diag.Diagnostic{
			Code: codes.UnreadableFile, Subject: decl.Path.Span(), Summary: decl.Path.Value + " cannot be read: " + unreadable(f.err),
			Mend: "A file is found relative to the file that includes it.",
		})
	case len(f.bytes) > limits.SpecBytes:
		c.Diags.Add(&diag.Diagnostic{
			Code: codes.WrongInclude, Subject: decl.Path.Span(), Summary: fmt.Sprintf("%s is larger than %s", decl.Path.Value, limits.Size(limits.SpecBytes)),
			Mend: "Include a text of lets and defs; name data by what reads them, as graph and taxonomy do.",
		})
	default:
		var faults diag.List
		inc.File, faults = dsl.Parse(name, f.bytes)
		if at := foreign(inc.File, faults); at != "" {
			mend := "Include a text of lets and defs."
			if filepath.Ext(name) == ".inv" {
				mend = fmt.Sprintf("Include a text of lets and defs; `sipc check %s` shows what is wrong in it.", name)
			}
			c.Diags.Add(&diag.Diagnostic{
				Code: codes.WrongInclude, Subject: decl.Path.Span(), Summary: fmt.Sprintf("%s holds no definitions: %s is no statement", decl.Path.Value, at), Mend: mend,
			})
			break
		}
		c.Diags = append(c.Diags, faults...)
		c.Included = append(c.Included, inc)
		if c.opts.Included != nil {
			c.opts.Included(inc)
		}
		declareIncluded(c, inc)
		return
	}
	c.broken.includes = true
}

// foreign returns the place of what a file begins with where that is not a statement, and else nothing. Such a file was not
// written to be included, and errors must not show what it holds: a spec may name any file.
func foreign(f *dsl.File, faults diag.List) string {
	if len(faults) == 0 {
		return ""
	}
	first := faults[0].Subject.Start
	if len(f.Decls) > 0 && f.Decls[0].Span().Start.Offset < first.Offset {
		return ""
	}
	return fmt.Sprintf("line %d, column %d", first.Line, first.Column)
}

// declareIncluded declares what an included file holds. It is for values and definitions alone: a spec
// says itself what is learned of what, and how.
func declareIncluded(c *Spec, inc *Included) {
	includes(c, inc.Decls, inc)
	poisonNames(c, inc.File)
	for _, decl := range inc.Decls {
		switch decl := decl.(type) {
		case *dsl.Let, *dsl.Def:
			declareNamed(c, decl)
		case *dsl.Include:
		default:
			word := string(inc.Source[decl.Span().Start.Offset:decl.Span().End.Offset])
			if end := strings.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }); end > 0 {
				word = word[:end]
			}
			c.Diags.Add(&diag.Diagnostic{
				Code: codes.WrongInclude, Subject: decl.Span(), Summary: "the statement " + word + " cannot stand in an included file",
				Related: []diag.Related{{Span: inc.By, Message: "the file is included here"}}, Mend: "Included files hold let, def and include. Move the statement into the spec.",
			})
		}
	}
}

// circle says by which files a file includes itself. It is empty where it does not. The spec counts,
// too: it may be included by a file that it includes.
func circle(c *Spec, by *Included) string {
	chain := []string{by.Path}
	for in := by.up; in != nil; in = in.up {
		chain = append(chain, in.Path)
		if in.id == by.id {
			return chained(chain)
		}
	}
	spec := filepath.Base(c.File.Name)
	if chain = append(chain, spec); identity(c, spec) == by.id {
		return chained(chain)
	}
	return ""
}

// identity returns what all paths of a file have in common, given one of them. Without the help of who
// reads files, two spellings are told to be one only where they differ in dots.
func identity(c *Spec, path string) string {
	if c.opts.Identity == nil {
		return filepath.Clean(path)
	}
	return c.opts.Identity(path)
}

// chained writes out which file includes which, given the last first.
func chained(files []string) string {
	slices.Reverse(files)
	parts := tree.Each(files[1:], func(file string) string { return "includes " + file })
	return files[0] + " " + strings.Join(parts, ", which ") + "."
}

// beside returns the path of a file that a statement names, relative to the spec. Files are found
// relative to the file that names them.
func beside(name string, in *Included) string {
	name = filepath.FromSlash(name)
	if in == nil || filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(filepath.Dir(in.Path), name)
}

// PathAt returns the path of a file that is named at a place, relative to the spec. In an included
// file, names of files are relative to that.
func PathAt(c *Spec, name string, at diag.Span) string {
	if in := includedAt(c, at); in != nil {
		return beside(name, in)
	}
	return name
}

// IsIncluded reports whether a place lies in an included file.
func IsIncluded(c *Spec, at diag.Span) bool { return includedAt(c, at) != nil }

// includedAt returns the included file in which a place lies, nil if it lies in none.
func includedAt(c *Spec, at diag.Span) *Included {
	for _, in := range c.Included {
		if in.Name == at.File {
			return in
		}
	}
	return nil
}
