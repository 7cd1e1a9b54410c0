package compiler

import (
	"fmt"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/elaborate"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// moves compiles the sets of transformations that stand in no expression. Test rows are evaluated
// under them, or training rows are copied. A learner is fitted to all copies under augment, and to
// the worst of each row's under `learn under`. No invariance need mention them, and an invariance
// that does is none the wiser: R sees the rows alone.
func moves(p *names.Pass) {
	if d := p.Decls.Evaluate; d != nil {
		p.Out.Under = mapsOf(p, "evaluate", d.Under, "Write evaluate under {rotate(15deg), shift(dx = 2)}.")
	}
	if d := p.Decls.Augment; d != nil {
		p.Out.Augment = copying(p, "augment", d.Set, "Write augment {rotate(15deg), shift(dx = 2)}.")
	}
	if d := p.Decls.Settings["learn"]; d != nil && d.Under != nil {
		if o, ok := orbitOf(p, d.Under); ok {
			underOrbit(p, d, o)
			return
		}
		p.Out.Worst = copying(p, "learn under", d.Under, "Write learn svm under {rotate(15deg), shift(dx = 2)}.")
		p.Out.Learn.Copies = len(p.Out.Worst)
		robust(p, d)
	}
}

// underOrbit refuses the worst loss under an orbit, which no sample of it bounds. A faulty orbit is nil, and has been reported.
func underOrbit(p *names.Pass, d *dsl.Setting, o *tree.Orbit) {
	if o == nil {
		return
	}
	p.Report(&diag.Diagnostic{
		Code: codes.WrongUnder, Subject: d.Under.Span(), Summary: "the worst loss under an orbit is not known from a sample of it",
		Detail: "Under learn the largest loss of a row and its copies counts.", Mend: "List transformations: learn svm under {rotate(15deg), shift(dx = 2)}; or write augment " + o.Text + ", where each copy has a loss of its own.",
	})
}

// robust refuses a worst loss that no certificate is known for. The largest of several convex losses
// is convex, and its conjugate needs weights of the copies. So a method must look at all copies of a
// row together. Method risk does so, and method plain is the same without its regularizer. Augment
// beside it would say twice which rows are copied, each time for another purpose.
func robust(p *names.Pass, set *dsl.Setting) {
	if m := p.Out.Method; m != "" && m != setting.Plain && m != setting.Risk {
		place := p.Decls.Settings["method"].Value.Span()
		detail := "Its learner looks at one representation of each row at a time."
		if m == setting.Dual {
			detail = "Its dual coefficients have no weights of copies."
		}
		d := p.Report(&diag.Diagnostic{
			Code: codes.WrongUnder, Subject: place, Summary: fmt.Sprintf("method %s does not learn the worst loss under a set", m),
			Detail: detail, Mend: "Write method risk, whose loss is of f itself, or method plain for no R.",
		})
		p.Offer(d, "take method risk", place, string(setting.Risk))
	}
	if learnsSets(p.Out) {
		d := p.Report(&diag.Diagnostic{
			Code: codes.WrongUnder, Subject: set.Value.Span(), Summary: "softmax does not learn label sets by their worst loss under a set",
			Detail: "On labels softmax learns sets, and no certificate is known for the worst of their losses.",
			Mend:   "Take svm, logistic or ridge, which learn labels one by one.",
		})
		p.Offer(d, "write svm", set.Value.Span(), svm)
	}
	if d := p.Decls.Augment; d != nil {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongUnder, Subject: d.Span(), Summary: "augment and learn under copy the same rows",
			Detail: "Under augment each copy has a loss of its own, and under learn the worst one counts.",
			Mend:   "Leave one of them out.",
		})
	}
}

// copying compiles transformations that training rows are copied under, of augment or of learn. Both
// make copies from prepared rows, in each fold from its own.
func copying(p *names.Pass, section string, set dsl.Expr, mend string) []*tree.Mapping {
	out := mapsOf(p, section, set, mend)
	for _, m := range out {
		if m.Drawn == nil || m.Drawn.Number == 0 { // one of an orbit speaks for all
			blind(p, section, m, set)
		}
	}
	return out
}

// blind refuses a transformation that looks at labels. Its copies of a row could tell the labels of rows that a fold
// holds out.
func blind(p *names.Pass, section string, m *tree.Mapping, set dsl.Expr) {
	if ofLabels(m) {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongType, Subject: set.Span(), Summary: m.Named() + " looks at the labels of rows, and no copies can be made under it",
			Mend: "Leave it out of " + section + ".",
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
	seen := map[string]bool{}
	values.Jointly(p, func() {
		if o, ok := orbitOf(p, set); ok {
			if o != nil {
				out = o.Maps(p.Origin(set))
			}
			return
		}
		elems, _ := values.Elements(p, set, mend)
		for _, e := range elems {
			m := mapOf(p, e, mend)
			if m == nil {
				continue
			}
			identity := m.Identity()
			if seen[identity] {
				p.Report(calculus.Listed(e.Span(), tree.Text(e)))
			}
			seen[identity] = true
			out = append(out, m)
		}
	})
	return out
}

// orbitOf compiles an orbit in the place of a set, or one that a let holds. Ok is false where it is none, and
// the orbit nil where it is faulty.
func orbitOf(p *names.Pass, set dsl.Expr) (o *tree.Orbit, ok bool) {
	if id, named := dsl.Bare(set).(*dsl.Ident); named && p.Decls.Lets[id.Name] != nil {
		if e, holds := values.Held(p, id.Name).(*dsl.Orbit); holds {
			values.Use(p, id.Name)
			return elaborate.Orbit(p, e, nil), true
		}
	}
	e, ok := dsl.Bare(set).(*dsl.Orbit)
	if !ok {
		return nil, false
	}
	return elaborate.Orbit(p, e, nil), true
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
