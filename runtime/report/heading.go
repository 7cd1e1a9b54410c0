package report

import (
	"fmt"
	"strings"
)

// heading writes what was learned, from which data and by which method.
func (r *Report) heading(b *strings.Builder) {
	fmt.Fprintf(b, "%s on %s", r.Spec, r.Data)
	if r.Test != "" {
		fmt.Fprintf(b, ", tested on %s", r.Test)
	}
	fmt.Fprintf(b, "\nmethod %s (%s), %s target", r.Method, r.MethodReason, r.Task)
	if r.Labels > 0 {
		fmt.Fprintf(b, " of %d labels", r.Labels)
	}
	fmt.Fprintf(b, ", %d training and %d test rows, ", r.NTrain, r.NTest)
	if r.NUnlabelled > 0 {
		fmt.Fprintf(b, "%d rows without a label in R, ", r.NUnlabelled)
	}
	fmt.Fprintf(b, "%d dimensions, seed %d\n\n", r.Dim, r.Seed)
}
