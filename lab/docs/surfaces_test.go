package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/lab/bench/surfaces"
)

// TestSurfaces holds the table of drawn functions to the lines of its file. No place breaks a shape that is proved.
func TestSurfaces(t *testing.T) {
	const begin, end = "<!-- surfaces: go test ./lab/docs -run Surfaces -update -->\n", "<!-- end of surfaces -->"
	all := fromLines[surfaces.Line](t, "experiments/runs/surfaces.jsonl")
	var b strings.Builder
	b.WriteString("| function | fit | draws | error | beside the free fit | on further rows | bent places | proved | to choose, s | to fit, s | at most, s |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	for i := range surfaces.Sets {
		free := map[uint64]float64{}
		for _, fit := range []string{surfaces.Free, surfaces.Proved} {
			var own []surfaces.Line
			for _, l := range all {
				if l.Set != surfaces.Sets[i].Name || l.Kind != fit {
					continue
				}
				own = append(own, l)
				if fit == surfaces.Free {
					free[l.Draw] = l.True
				}
			}
			writeSurfaces(t, &b, own, free)
		}
	}
	heldOn(t, provedPage, begin, b.String(), end)
}

// writeSurfaces writes the line of one fit of a function.
func writeSurfaces(t *testing.T, b *strings.Builder, own []surfaces.Line, free map[uint64]float64) {
	t.Helper()
	var sum surfaces.Line
	var ratios, ones []float64
	most, whole := 0.0, 0
	for _, l := range own {
		if free[l.Draw] == 0 {
			t.Fatalf("%s, draw %d, %s has no free fit beside it", l.Set, l.Draw, l.Kind)
		}
		ratios, ones = append(ratios, l.True/free[l.Draw]), append(ones, 1)
		if l.All() {
			whole++
			if l.Case != "" || l.Bent > 0 {
				t.Errorf("%s, draw %d: all is proved, and the shape is broken at %v of the places; %s", l.Set, l.Draw, l.Bent, l.Case)
			}
		}
		sum.True, sum.Test, sum.Bent = sum.True+l.True, sum.Test+l.Test, sum.Bent+l.Bent
		sum.ChooseProcessor, sum.Processor, most = sum.ChooseProcessor+l.ChooseProcessor, sum.Processor+l.Processor, max(most, l.Processor)
	}
	if len(own) == 0 {
		t.Fatal("a function has no lines")
	}
	beside, proved, n := "", "", float64(len(own))
	if own[0].Kind != surfaces.Free {
		g := pagetest.Paired(ratios, ones)
		beside, proved = minus(fmt.Sprintf("%+.1f ± %.1f %%", g.Mean, g.Half)), fmt.Sprintf("all %d in %d", own[0].Statements, whole)
	}
	fmt.Fprintf(b, "| %s | %s | %d | %.3f | %s | %.3f | %.1f %% | %s | %.1f | %.2f | %.2f |\n", own[0].Set, own[0].Kind, len(own), sum.True/n, beside, sum.Test/n,
		100*sum.Bent/n, proved, sum.ChooseProcessor/n, sum.Processor/n, most)
}
