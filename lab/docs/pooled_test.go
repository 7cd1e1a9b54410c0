package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/lab/bench/levels"
	"github.com/sipc-ml/sipc/lab/bench/signs"
)

// TestPooled holds what the page says of all tables together: the loss of proved fits in shares of that of free ones. No table is worse by 5 %.
func TestPooled(t *testing.T) {
	var groups [][]float64
	worst := 0.0
	add := func(name string, shares []float64) {
		if len(shares) < 2 {
			t.Fatalf("%s has %d splits", name, len(shares))
		}
		groups = append(groups, shares)
		mean, _ := bench.Pooled([][]float64{shares})
		worst = max(worst, mean)
	}
	of := fromLines[signs.Line](t, "experiments/runs/signs.jsonl")
	for i := range signs.Sets {
		name := signs.Sets[i].Name
		add(name, signs.Summed(of, name, signs.Proved, signs.Free).Relative)
	}
	all := fromLines[levels.Line](t, "experiments/runs/levels.jsonl")
	for i := range levels.Sets {
		var own []levels.Line
		for _, l := range all {
			if l.Set == levels.Sets[i].Name && l.Kind == levels.Proved {
				own = append(own, l)
			}
		}
		var shares []float64
		for k, free := range ofFree(t, all, own) {
			shares = append(shares, own[k].Loss/free-1)
		}
		add(levels.Sets[i].Name, shares)
	}
	mean, half := bench.Pooled(groups)
	said := fmt.Sprintf("Over the %d tables, each weighing the same, proved fits differ from free ones by %+.2f ± %.2f %% of the loss. The table with the largest difference has %+.2f %%.",
		len(groups), 100*mean, 100*half, 100*worst)
	said = strings.ReplaceAll(said, "by -", "by −")
	if page := strings.Join(strings.Fields(pagetest.Read(t, provedPage)), " "); !strings.Contains(page, said) {
		t.Errorf("the page does not say: %s", said)
	}
	if mean-half > 0 || worst > 0.05 {
		t.Errorf("proved fits lose %v ± %v of the loss, and %v on one table", mean, half, worst)
	}
}
