package sipc

import (
	"fmt"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// pathDoubts warns of invariances whose paths are too long for the kernel's width, where that keeps the gap from its target.
func (f *findings) pathDoubts(c *report.Certificate) (out diag.List) {
	if !f.fitting.Short || c == nil || c.Reached == c.Count {
		return nil
	}
	places := declared(f.instance)
	longest := 0.0
	for _, p := range f.fitting.Between {
		longest = max(longest, p.Widths)
	}
	for k, p := range f.fitting.Between {
		if p.Between != represent.Proved || p.Widths < longest/2 {
			continue
		}
		name := f.fitting.Regularizer.Invariances[k].Name
		out.Add(&diag.Diagnostic{
			Code: codes.LongPaths, Severity: diag.Warning, Subject: places[name],
			Summary: fmt.Sprintf("paths of %s are up to %.3g widths of the kernel long, and %d nodes do not show what f does between them", name, p.Widths, c.Nodes),
			Detail:  fmt.Sprintf("What is proved of it leaves a gap of %.2g, where %.2g was asked for.", float64(c.MaxGap), float64(c.Target)),
			Mend:    "Write standardize in the data block, or a larger width; fewer pairs or landmarks leave room for more nodes.",
		})
	}
	return out
}
