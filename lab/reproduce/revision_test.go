package reproduce

import (
	"strings"
	"testing"
)

// A page names each revision that made one of its units.
func TestRevisionsOnThePage(t *testing.T) {
	const first, second = "0123456789abcdef0123456789abcdef01234567", "fedcba9876543210fedcba9876543210fedcba98+dirty"
	of := func(revision string) *Result { return &Result{Revision: revision} }
	entry := &Entry{Contender: &Contender{Name: nameDual, Like: nameRisk}, Choices: []*Result{of(first)}, Runs: []*Result{of(first), of(first)}}
	tables := &Tables{Cells: []*CellResult{{Entries: []*Entry{entry}}}}
	for _, c := range []struct {
		curve *Result
		want  string
	}{
		{nil, "m; d; revision 0123456789ab.\n"},
		{of(second), "m; d; revisions 0123456789ab, fedcba987654+dirty.\n"},
		{of(""), "m; d; revisions 0123456789ab, unknown.\n"},
	} {
		entry.Curve = c.curve
		about := About{"c", "m", "d"}
		var b strings.Builder
		if about.write(&b, tables.revisions()...); !strings.Contains(b.String(), c.want) {
			t.Errorf("%q, want %q", b.String(), c.want)
		}
	}
	for _, none := range [][]string{nil, {"", ""}} {
		if got := revisionText(none); got != "revision unknown" {
			t.Errorf("%q where no revision is known", got)
		}
	}
}
