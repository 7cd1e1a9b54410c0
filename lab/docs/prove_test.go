package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/lab/bench"
)

// TestProve holds the table of attacks on what is proved to the lines of its file. No statement may be broken.
func TestProve(t *testing.T) {
	const begin, end = "<!-- prove: go test ./lab/docs -run Prove -update -->\n", "<!-- end of prove -->"
	all := fromLines[bench.Attacked](t, "experiments/runs/prove.jsonl")
	for _, a := range all {
		if a.Broken > 0 {
			t.Errorf("%s: %d statements are proved and do not hold", a.Kind, a.Broken)
		}
	}
	held(t, begin, attacked(all), end)
}

// attacked returns the table of attacks, with the sums of its columns.
func attacked(all []bench.Attacked) string {
	var b strings.Builder
	b.WriteString("| statement | specs | proved | refuted | open | ended early | points | broken |\n|---|---|---|---|---|---|---|---|\n")
	sum := bench.Attacked{Kind: "all"}
	for _, a := range all {
		sum.Specs, sum.Proved, sum.Refuted, sum.Open = sum.Specs+a.Specs, sum.Proved+a.Proved, sum.Refuted+a.Refuted, sum.Open+a.Open
		sum.Ended, sum.Points, sum.Broken = sum.Ended+a.Ended, sum.Points+a.Points, sum.Broken+a.Broken
	}
	for _, a := range append(all, sum) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d |\n", a.Kind, a.Specs, a.Proved, a.Refuted, a.Open, a.Ended, a.Points, a.Broken)
	}
	return b.String()
}
