package elaborate

import (
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Judge returns a judge of the spec's expressions.
func Judge(p *names.Pass) *calculus.Judge {
	task := p.Out.Data.Target.Task
	return &calculus.Judge{Rules: p.Rules, Multilabel: task == setting.Multilabel, Class: task == setting.Class, Defined: func(name string) bool { return p.Decls.Defs[name] != nil }}
}

// Tell reports what the calculus found, with counterexamples as far as the budget goes, and notes what may mend it.
func Tell(p *names.Pass, found []calculus.Finding) {
	for _, f := range found {
		d := p.ReportAt(f.At, f.Diagnostic)
		if f.Attempts != nil {
			p.MendBy(d, f.Title, f.Attempts)
		}
		if f.Values != nil && p.Shows() {
			d.Values = f.Values()
		}
	}
}
