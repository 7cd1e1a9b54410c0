package report_test

import (
	"testing"

	"github.com/sipc-ml/sipc/runtime/report"
)

// One comparison of groups has a size, as a share of one comparison says nothing.
func TestSingleComparisonsHaveASize(t *testing.T) {
	chance := report.Number(0)
	l := report.Lint{Members: 1, Chance: &chance}
	if got := l.Summary(); got != "labels differ no more than by chance between the groups that it compares" {
		t.Error(got)
	}
	l.Broken, l.Share = 1, 1
	l.Offenders = []report.Offender{{Worst: []report.Offence{{Value: -0.5}}}}
	if got := l.Summary(); got != "labels differ by 0.5000 between the groups that it compares" {
		t.Error(got)
	}
}
