package values

import (
	"fmt"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// Taxonomy evaluates an expression to a taxonomy: a call of taxonomy(…), or a let or argument that
// holds one. Nil means that it is none, which is reported. A file that several calls name is read
// and parsed once.
func Taxonomy(p *names.Pass, e dsl.Expr, sc *names.Scope) *tree.Taxonomy {
	at, _ := sc.Resolve(e, nil)
	switch e := at.Expr.(type) {
	case *dsl.Ident:
		let := p.Decls.Lets[e.Name]
		if let == nil {
			p.Undefined(e, names.Known{p.Declared.Lets()})
			return nil
		}
		var t *tree.Taxonomy
		Expand(p, let, e, func() bool { t = Taxonomy(p, let.Value, nil); return t != nil })
		return t
	case *dsl.Call:
		if e.Fun.Name == tree.TaxonomyWord {
			return taxonomyCall(p, e, at.Scope)
		}
	}
	p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: at.Expr.Span(), Summary: "a taxonomy is wanted here, not " + tree.Text(at.Expr), Mend: `Write taxonomy("file.csv").`})
	return nil
}

// taxonomyCall reads the file of a taxonomy, or notes that the data carry it. A circle among the
// relations is refused: in it, every label would imply every other one. The codes are
// codes.WrongType, codes.UnreadableFile and codes.WrongTaxonomy.
func taxonomyCall(p *names.Pass, call *dsl.Call, sc *names.Scope) *tree.Taxonomy {
	arg := Sole(call)
	if arg == nil {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: call.Span(), Summary: "taxonomy takes the name of one file", Mend: `Write taxonomy("file.csv"), or taxonomy(data) for the hierarchy that the data carry.`})
		return nil
	}
	if id, ok := arg.(*dsl.Ident); ok && id.Name == tree.DataWord {
		return &tree.Taxonomy{Place: call.Span(), OfData: true}
	}
	name, ok := FileName(p, arg, sc)
	if !ok {
		return nil
	}
	content, ok := p.ReadFile(name, arg.Span())
	if !ok {
		return nil
	}
	f := p.Files[name]
	if f.Taxonomy == nil {
		t, err := tree.ParseTaxonomy(content)
		if err != nil {
			p.Report(&diag.Diagnostic{
				Code: codes.WrongTaxonomy, Subject: arg.Span(), Summary: fmt.Sprintf("%s is not a taxonomy: %v", name, err),
				Mend: "A taxonomy is CSV with the header child,parent, or lines `parent child` of names or of label numbers, or an OBO file.",
			})
			return nil
		}
		if around := t.Circle(); around != "" {
			p.ReportAt(tree.Origin{Span: arg.Span(), Inlined: p.Inlined}, tree.Circular(name, around))
			return nil
		}
		t.File, t.Place = name, call.Span()
		f.Taxonomy = t
	}
	return f.Taxonomy
}
