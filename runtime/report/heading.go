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
	switch {
	case r.Labels > 0 && r.Task == "quantiles":
		fmt.Fprintf(b, " at %d levels", r.Labels)
	case r.Labels > 0:
		fmt.Fprintf(b, " of %d labels", r.Labels)
	}
	fmt.Fprintf(b, ", %s, ", rowCounts(r.NTrain, r.NValid, r.NTest, r.NUnlabelled))
	if r.Weight > 0 && len(r.ClassWeights) == 0 {
		fmt.Fprintf(b, "the training rows count as %.6g by their weights, ", r.Weight)
	}
	if r.NLearnt > 0 {
		fmt.Fprintf(b, "learned from %d rows with copies, ", r.NLearnt)
	}
	if n := len(r.LearnUnder); n > 0 {
		fmt.Fprintf(b, "by the worst loss of each row and %d copies, ", n)
	}
	fmt.Fprintf(b, "%d dimensions, seed %d\n\n", r.Dim, r.Seed)
}

// rowCounts says how many rows there are of each part, and how many further ones R sees.
func rowCounts(train, valid, test, unlabelled int) string {
	text := fmt.Sprintf("%d training and %d test rows", train, test)
	if valid > 0 {
		text = fmt.Sprintf("%d training, %d valid and %d test rows", train, valid, test)
	}
	if unlabelled > 0 {
		text += fmt.Sprintf(", %s in R", Counted(unlabelled, "unlabelled row"))
	}
	return text
}

// timingLine writes the seconds of every stage.
func (r *Report) timingLine(b *strings.Builder) {
	if len(r.Timing.Figures) == 0 {
		return
	}
	b.WriteString("time         ")
	for k, f := range r.Timing.Figures {
		if k > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, " %s %.2f s", f.Name, f.Value)
	}
	if r.Timing.BLAS != "" {
		fmt.Fprintf(b, "; on %s", r.Timing.BLAS)
	}
	b.WriteByte('\n')
}
