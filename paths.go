package sipc

import (
	"fmt"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// warnOfPaths warns of invariances whose paths are too long for the kernel's width, where that keeps the gap from its target.
func (r *runner) warnOfPaths() {
	c := r.report.Certificate
	if !r.fitting.Short || c == nil || c.Reached == c.Count {
		return
	}
	places := declared(r.instance)
	longest := 0.0
	for _, p := range r.fitting.Between {
		longest = max(longest, p.Widths)
	}
	for k, p := range r.fitting.Between {
		if p.Between != represent.Proved || p.Widths < longest/2 {
			continue
		}
		name := r.reg.Invariances[k].Name
		r.warn(&diag.Diagnostic{
			Code: codes.LongPaths, Severity: diag.Warning, Subject: places[name],
			Summary: fmt.Sprintf("paths of %s are up to %.3g widths of the kernel long, and %d nodes do not show what f does between them", name, p.Widths, c.Nodes),
			Detail:  fmt.Sprintf("What is proved of it leaves a gap of %.2g, where %.2g was asked for.", float64(c.MaxGap), float64(c.Target)),
			Mend:    "Write standardize in the data block, or a larger width; fewer pairs or landmarks leave room for more nodes.",
		})
	}
}
