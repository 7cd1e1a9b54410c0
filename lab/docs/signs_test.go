package docs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/lab/bench/signs"
)

// provedPage shows what statements cost.
const provedPage = "../../docs/proved.md"

// TestSigns holds the table of tables with known signs to the lines of its file. A proved fit keeps every sign on every sweep.
func TestSigns(t *testing.T) {
	const begin, end = "<!-- signs: go test ./lab/docs -run Signs -update -->\n", "<!-- end of signs -->"
	all := fromLines[signs.Line](t, "experiments/runs/signs.jsonl")
	var b strings.Builder
	b.WriteString("| known signs | fit | splits | measure | mean | less the free fit | proved | broken | seconds | last |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, set := range signs.Sets {
		for _, fit := range slices.Concat(signs.Fits, []string{"sklearn", "xgboost", "mgcv"}) {
			writeSigns(t, &b, all, &set, fit)
		}
	}
	heldOn(t, provedPage, begin, b.String(), end)
	mean := func(fit string) float64 { return signs.Summed(all, "auto-mpg", fit, signs.Free).Mean }
	said := fmt.Sprintf("come to %.3f over ten splits. The free fit has %.3f, and XGBoost, tuned with the same signs, %.3f", mean(signs.Proved), mean(signs.Free), mean("xgboost"))
	if page := strings.Join(strings.Fields(pagetest.Read(t, "../../README.md")), " "); !strings.Contains(page, said) {
		t.Errorf("README does not say that four signs of auto-mpg %s", said)
	}
}

// writeSigns writes the line of one fit of a set, if it was made.
func writeSigns(t *testing.T, b *strings.Builder, all []signs.Line, set *signs.Set, fit string) {
	t.Helper()
	s := signs.Summed(all, set.Name, fit, signs.Free)
	if s.Splits == 0 {
		return
	}
	proved, measure, last := "", "", ""
	for _, l := range all {
		if l.Set != set.Name || l.Fit != fit {
			continue
		}
		measure = l.Measure
		if many := len(set.Rises) + len(set.Falls); fit == signs.Proved {
			if proved = fmt.Sprintf("all %d", many); l.Proved != many || l.Broken > 0 {
				t.Errorf("%s, split %d: %d of %d signs are proved, and sweeps of %v of the rows break one", l.Set, l.Split, l.Proved, many, l.Broken)
			}
		}
	}
	digits := map[string]int{"rmse": 3, "auc": 4}[measure]
	difference := ""
	if fit != signs.Free && s.Splits > 1 {
		difference = strings.ReplaceAll(fmt.Sprintf("%+.*f ± %.*f", digits, s.Difference, digits, s.Half), "-", "−")
	}
	if s.Last > 0 {
		last = fmt.Sprintf("%.1f", s.Last)
	}
	fmt.Fprintf(b, "| %s | %s | %d | %s | %.*f | %s | %s | %.1f %% | %.1f | %s |\n", set.Name, fit, s.Splits, measure, digits, s.Mean, difference, proved, 100*s.Broken, s.Seconds, last)
}
