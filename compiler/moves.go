package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/elaborate"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// moves compiles the sets of transformations that stand in no expression. Test rows are evaluated
// under them, or training rows copied. No invariance need mention them.
func moves(p *names.Pass) {
	if d := p.Decls.Evaluate; d != nil {
		p.Out.Under = mapsOf(p, "evaluate", d.Under, "Write evaluate under {rotate(15deg), shift(dx = 2)}.")
	}
	if d := p.Decls.Augment; d != nil {
		p.Out.Augment = mapsOf(p, "augment", d.Set, "Write augment {rotate(15deg), shift(dx = 2)}.")
		for _, m := range p.Out.Augment {
			blind(p, m, d.Set)
		}
	}
}

// blind refuses a transformation that looks at labels. Its copies of a row could tell the labels of rows that a fold
// holds out.
func blind(p *names.Pass, m *tree.Mapping, set dsl.Expr) {
	if m.Schema.Needs.Labels == plugins.RowLabels {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongType, Subject: set.Span(), Summary: m.Text + " looks at the labels of rows, and no copies can be made under it",
			Mend: "Leave it out of augment.",
		})
	}
}

// mapsOf compiles the transformations of a set, or of that which a let names. Each is checked, faulty
// ones beside it or not.
func mapsOf(p *names.Pass, section string, set dsl.Expr, mend string) (out []*tree.Mapping) {
	if set == nil {
		return nil
	}
	p.Section, p.Place = section, section
	values.Jointly(p, func() {
		elems, _ := values.Elements(p, set, mend)
		for _, e := range elems {
			m := mapOf(p, e, mend)
			if m == nil {
				continue
			}
			if slices.ContainsFunc(out, func(other *tree.Mapping) bool { return other.Identity() == m.Identity() }) {
				p.Report(calculus.Listed(e.Span(), tree.Text(e)))
			}
			out = append(out, m)
		}
	})
	return out
}

// mapOf compiles a transformation; nil means that it was reported as none.
func mapOf(p *names.Pass, e dsl.Expr, mend string) *tree.Mapping {
	call, ok := e.(*dsl.Call)
	if id, isName := e.(*dsl.Ident); isName {
		if m := elaborate.BareMap(p, id, nil); m != nil {
			return m
		}
		call, ok = &dsl.Call{At: id.At, Fun: id}, true
	}
	if !ok {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is not a transformation", Mend: mend})
		return nil
	}
	return elaborate.Mapping(p, call, nil)
}
