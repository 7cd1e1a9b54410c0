package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/lab/bench/levels"
)

// gapShare is the gap in percent at which a proved fit ends. Its loss may differ from that of a free fit by as much where nothing crosses.
const gapShare = 0.1

// TestLevels holds the table of quantiles to the lines of its file. Levels of proved fits cross nowhere in the box, and their loss is not far above that
// of the free ones.
func TestLevels(t *testing.T) {
	const begin, end = "<!-- levels: go test ./lab/docs -run Levels -update -->\n", "<!-- end of levels -->"
	all := fromLines[levels.Line](t, "experiments/runs/levels.jsonl")
	var b strings.Builder
	b.WriteString("| table | fit | splits | loss | beside the free fit | crossed rows | crossed places | bent places | proved | to choose, s | to fit, s | at most, s |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for i := range levels.Sets {
		set := &levels.Sets[i]
		for _, fit := range []string{levels.Free, levels.Soft, levels.Proved, levels.Shape, levels.Rival, levels.RivalShape} {
			var own []levels.Line
			for _, l := range all {
				if l.Set == set.Name && l.Kind == fit {
					own = append(own, l)
				}
			}
			if len(own) > 0 {
				writeLevels(t, &b, set, own, ofFree(t, all, own))
			}
		}
	}
	heldOn(t, provedPage, begin, b.String(), end)
}

// ofFree returns the losses of the free fits of the same splits.
func ofFree(t *testing.T, all, own []levels.Line) (out []float64) {
	t.Helper()
	for _, l := range own {
		for _, f := range all {
			if f.Set == l.Set && f.Split == l.Split && f.Kind == levels.Free {
				out = append(out, f.Loss)
			}
		}
	}
	if len(out) != len(own) {
		t.Fatalf("%s, %s: %d splits, of which %d have a free fit", own[0].Set, own[0].Kind, len(own), len(out))
	}
	return out
}

// writeLevels writes the line of one fit of a set.
func writeLevels(t *testing.T, b *strings.Builder, set *levels.Set, own []levels.Line, free []float64) {
	t.Helper()
	var sum levels.Line
	var ratios, ones []float64
	proved, most := "", 0.0
	for i, l := range own {
		ratios, ones = append(ratios, l.Loss/free[i]), append(ones, 1)
		if l.Statements > 0 {
			proved = fmt.Sprintf("all %d", l.Statements)
		}
		if l.Proved != l.Statements || l.Case != "" || l.Statements > 0 && (l.Inside > 0 || l.Places > 0) || l.Kind == levels.Shape && l.Bent > 0 {
			t.Errorf("%s, split %d, %s: %d of %d statements are proved, and levels cross at %v of the rows in the box and at %v of its places; %s",
				l.Set, l.Split, l.Kind, l.Proved, l.Statements, l.Inside, l.Places, l.Case)
		}
		sum.Loss, sum.Crossed, sum.Places, sum.Bent = sum.Loss+l.Loss, sum.Crossed+l.Crossed, sum.Places+l.Places, sum.Bent+l.Bent
		sum.ChooseProcessor, sum.Processor = sum.ChooseProcessor+l.ChooseProcessor, sum.Processor+l.Processor
		most = max(most, l.Processor)
	}
	beside := ""
	if g := pagetest.Paired(ratios, ones); own[0].Kind != levels.Free {
		if beside = minus(fmt.Sprintf("%+.2f ± %.2f %%", g.Mean, g.Half)); len(own) == 1 {
			beside = minus(fmt.Sprintf("%+.2f %%", g.Mean))
		}
		if proved != "" && (g.Mean > 5 || g.Mean-g.Half > gapShare) {
			t.Errorf("%s, %s: the loss is %s beside that of the free fit", set.Name, own[0].Kind, beside)
		}
	}
	bent := ""
	if set.Knots != "" {
		bent = fmt.Sprintf("%.1f %%", 100*sum.Bent/float64(len(own)))
	}
	n := float64(len(own))
	if proved != "" && len(set.Inputs) == 1 && most > 2 {
		t.Errorf("%s, %s: a fit with its proof took %v s, and 2 s are the aim", set.Name, own[0].Kind, most)
	}
	took := " |  | "
	if sum.Processor > 0 {
		took = fmt.Sprintf("%.1f | %.2f | %.2f", sum.ChooseProcessor/n, sum.Processor/n, most)
	}
	fmt.Fprintf(b, "| %s | %s | %d | %.4f | %s | %.1f %% | %.1f %% | %s | %s | %s |\n", set.Name, own[0].Kind, len(own), sum.Loss/n, beside,
		100*sum.Crossed/n, 100*sum.Places/n, bent, proved, took)
}
