package compiler

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A fileContent is a file that the spec names, read once.
type fileContent struct {
	bytes    []byte
	err      error
	taxonomy *tree.Taxonomy
	graphs   map[string]*tree.GraphFile // by the column of weights
}

// readFile reads a file that the spec names, and reports one that cannot be read.
func (p *pass) readFile(name string, at diag.Span) ([]byte, bool) {
	f := p.content(name)
	if f.err != nil {
		p.report(&diag.Diagnostic{Code: codes.UnreadableFile, Subject: at, Summary: name + " cannot be read: " + unreadable(f.err), Mend: "A file is found relative to the spec that names it."})
		return nil, false
	}
	return f.bytes, true
}

// unreadable says why a file cannot be read, in words of our own where there are some.
func unreadable(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.EISDIR):
		return "it is a folder"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the place says which file
	}
	return err.Error()
}

func (c *checker) content(name string) *fileContent {
	if f := c.files[name]; f != nil {
		return f
	}
	f := &fileContent{}
	if c.opts.ReadFile == nil {
		f.err = errors.New("no files are available here")
	} else {
		f.bytes, f.err = c.opts.ReadFile(name)
	}
	c.files[name] = f
	return f
}

// taxonomy evaluates an expression to a taxonomy: a call of taxonomy(…), or a let or argument that holds one.
func (p *pass) taxonomy(e dsl.Expr, sc *scope) *tree.Taxonomy {
	switch e := e.(type) {
	case *dsl.Paren:
		return p.taxonomy(e.X, sc)
	case *dsl.Ident:
		if b := sc.lookup(e.Name); b != nil && b.argument != nil {
			return p.taxonomy(b.argument.expr, b.argument.scope)
		}
		let := p.decls.lets[e.Name]
		if let == nil {
			p.undefined(e, tree.SortedKeys(p.decls.lets))
			return nil
		}
		var t *tree.Taxonomy
		p.expand(let, e, func() bool { t = p.taxonomy(let.Value, nil); return t != nil })
		return t
	case *dsl.Call:
		if e.Fun.Name == tree.TaxonomyWord {
			return p.taxonomyCall(e, sc)
		}
	}
	p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: "a taxonomy is wanted here, not " + tree.Text(e), Mend: `Write taxonomy("file.csv").`})
	return nil
}

func (p *pass) taxonomyCall(call *dsl.Call, sc *scope) *tree.Taxonomy {
	if len(call.Args) != 1 || call.Args[0].Name != nil {
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: call.Span(), Summary: "taxonomy takes the name of one file", Mend: `Write taxonomy("file.csv"), or taxonomy(data) for the hierarchy that the data carry.`})
		return nil
	}
	arg := call.Args[0].Value
	if id, ok := arg.(*dsl.Ident); ok && id.Name == tree.DataWord {
		return &tree.Taxonomy{Place: call.Span(), OfData: true}
	}
	name, ok := p.literal(arg, sc, "the name of a file in double quotes", false)
	if !ok {
		return nil
	}
	content, ok := p.readFile(name, arg.Span())
	if !ok {
		return nil
	}
	f := p.files[name]
	if f.taxonomy == nil {
		t, err := tree.ParseTaxonomy(content)
		if err != nil {
			p.report(&diag.Diagnostic{
				Code: codes.WrongTaxonomy, Subject: arg.Span(), Summary: fmt.Sprintf("%s is no taxonomy: %v", name, err),
				Mend: "A taxonomy is CSV with the header child,parent, or lines `parent child` of names or of label numbers, or an OBO file.",
			})
			return nil
		}
		if around := t.Circle(); around != "" {
			p.report(&diag.Diagnostic{Code: codes.WrongTaxonomy, Subject: arg.Span(), Summary: tree.InCircle(name, around), Detail: tree.CircleDetail, Mend: tree.CircleMend})
			return nil
		}
		t.File, t.Place = name, call.Span()
		f.taxonomy = t
	}
	return f.taxonomy
}
