package docs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/lab/bench"
)

// TestProve holds the table of attacks on what is proved to the lines of its file. No statement may be broken.
func TestProve(t *testing.T) {
	const begin, end = "<!-- prove: go test ./lab/docs -run Prove -update -->\n", "<!-- end of prove -->"
	var all []bench.Attacked
	for line := range strings.Lines(pagetest.Read(t, "experiments/runs/prove.jsonl")) {
		var a bench.Attacked
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		if a.Broken > 0 {
			t.Errorf("%s: %d statements are proved and do not hold", a.Kind, a.Broken)
		}
		all = append(all, a)
	}
	if len(all) == 0 {
		t.Fatal("nothing was attacked")
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
