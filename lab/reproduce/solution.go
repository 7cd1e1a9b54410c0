package reproduce

import (
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/runtime/report"
)

// A Solution says how near to its minimum a learner came.
type Solution struct {
	Converged bool          `json:"converged"`
	Gap       report.Number `json:"gap"` // proven share of the objective by which it may lie above the minimum
}

// solutionOf returns the solution of a run, of a method or of the rival that was fitted; nil means that neither solved for a minimum.
func solutionOf(r *report.Report) *Solution {
	l := r.Learner
	if len(r.Rivals) > 0 {
		l = r.Rivals[0].Learner
	}
	if l == nil {
		return nil
	}
	return &Solution{l.Converged, l.Gap}
}

// unsolved counts how many of some results ended before they converged, and the largest gap of these.
func unsolved(results []*Result) (count int, gap float64) {
	for _, r := range results {
		if r.Solution != nil && !r.Solution.Converged {
			count, gap = count+1, max(gap, float64(r.Solution.Gap))
		}
	}
	return count, gap
}

// unsolved says under a cell's table of which contenders fits ended before they converged, where some did.
func (c *CellResult) unsolved(b *strings.Builder) {
	var parts []string
	for _, e := range c.Entries {
		if count, gap := unsolved(e.Runs); count > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d of %d runs (gap up to %.1e)", e.Contender.Name, count, len(e.Runs), gap))
		}
		if e.Curve == nil {
			continue
		}
		if count, gap := unsolved([]*Result{e.Curve}); count > 0 {
			parts = append(parts, fmt.Sprintf("%s in the fit of its losses (gap %.1e)", e.Contender.Name, gap))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "Stopped before the learner converged: %s.\n\n", strings.Join(parts, "; "))
	}
}
