package docs_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// A said is what a figure with an interval in the words about the tables speaks of: how far a contender is above another in a cell, or a
// contender's own figure. The words "below by" swap the two.
type said struct{ text, cell, contender, over, figure string }

var spreadSigned = regexp.MustCompile(`−?\d+\.\d+ ± \d+\.\d+`)

// words returns what each figure with an interval speaks of, in the order of the page.
func words() []said {
	const (
		nines, threes          = "table1 mnist-4-9-n1000", "table1 mnist-2-3-n1000"
		mnist, usps, fashion   = "table2 mnist-n500-p500", "table2 usps-n500-p500", "table2 fashion-n500-p500"
		enron1, enron2         = "table3 enron-n100", "table3 enron-n200"
		reuters1, reuters2     = "table3 reuters-k500-n100", "table3 reuters-k500-n200"
		wipo2                  = "table3 wipo-n200"
		accuracy, hamming      = "accuracy", "hamming_accuracy"
		exact, micro, area     = "exact_match", "micro_f1", "auprc"
		implied, excluded      = "implications", "exclusions"
		plain, anyPairs        = "plain", "risk-any-pairs"
		implications, augments = "risk-implications", "augment"
	)
	return []said{
		{"0.68 ± 0.75", nines, "embed", "svm", accuracy},
		{"0.44 ± 0.72", threes, "embed", "svm", accuracy},
		{"0.68 ± 0.60", nines, "risk", "svm", accuracy},
		{"0.40 ± 0.44", threes, "risk", "svm", accuracy},
		{"0.24 ± 0.49", nines, augments, "embed", accuracy},
		{"0.10 ± 0.30", threes, augments, "embed", accuracy},
		{"0.24 ± 0.45", nines, augments, "risk", accuracy},
		{"0.14 ± 0.11", threes, augments, "risk", accuracy},
		{"0.92 ± 0.36", nines, augments, "svm", accuracy},
		{"0.54 ± 0.43", threes, augments, "svm", accuracy},
		{"98.98 ± 0.27", threes, "warp", "", accuracy},
		{"0.04 ± 0.07", nines, "dual", "risk", accuracy},
		{"−0.04 ± 0.11", mnist, "embed", plain, accuracy},
		{"−0.04 ± 0.11", mnist, "risk", plain, accuracy},
		{"0.00 ± 0.00", usps, "embed", plain, accuracy},
		{"−0.08 ± 0.14", usps, "risk", plain, accuracy},
		{"−0.12 ± 1.09", fashion, "embed", plain, accuracy},
		{"−0.04 ± 0.98", fashion, "risk", plain, accuracy},
		{"0.36 ± 1.04", mnist, plain, anyPairs, accuracy},
		{"0.20 ± 0.91", fashion, anyPairs, plain, accuracy},
		{"2.52 ± 1.59", mnist, "embed", "mixup", accuracy},
		{"2.04 ± 1.10", usps, "embed", "mixup", accuracy},
		{"1.96 ± 1.16", usps, "risk", "mixup", accuracy},
		{"1.24 ± 1.86", fashion, "embed", "mixup", accuracy},
		{"1.32 ± 1.90", fashion, "risk", "mixup", accuracy},
		{"2.56 ± 1.58", mnist, plain, "mixup", accuracy},
		{"2.04 ± 1.10", usps, plain, "mixup", accuracy},
		{"1.36 ± 2.14", fashion, plain, "mixup", accuracy},
		{"0.07 ± 0.06", enron2, "ml-svm", "risk", hamming},
		{"0.08 ± 0.04", reuters1, "ml-svm", "embed", hamming},
		{"17.25 ± 9.20", enron2, implications, "", excluded},
		{"2.14 ± 0.56", enron2, implications, "risk", micro},
		{"0.28 ± 0.10", enron1, "risk", "ml-svm", area},
		{"1.07 ± 0.14", reuters2, "risk", "ml-svm", area},
		{"0.01 ± 0.02", reuters1, "risk", "risk-closed", hamming},
		{"0.60 ± 0.77", reuters1, "risk-closed", "risk", exact},
		{"1.40 ± 0.73", wipo2, "risk-closed", "risk", exact},
		{"0.47 ± 0.32", reuters2, "risk-closed", "risk", area},
		{"3.20 ± 1.50", reuters1, "embed", "ml-svm", implied},
	}
}

// TestWordsAreThoseOfTheFiles holds every figure with an interval in the words about the tables to the runs: in the order of the page, each
// of its cell, its contenders and with its sign.
func TestWordsAreThoseOfTheFiles(t *testing.T) {
	text, above := pagetest.Section(t, pagetest.Read(t, reproduction), "What the cells that ran say")
	all := words()
	next := 0
	for n, line := range strings.Split(text, "\n") {
		for _, f := range spreadSigned.FindAllString(line, -1) {
			if next == len(all) {
				t.Fatalf("line %d: %s is not among the figures of the test", above+n+1, f)
			}
			w := all[next]
			next++
			if f != w.text {
				t.Fatalf("line %d: %q stands where the test knows %q", above+n+1, f, w.text)
			}
			if got := w.files(t); got != w.text {
				t.Errorf("line %d: of %s and %s in %s the page says %q, the files %q", above+n+1, w.contender, w.over, w.cell, w.text, got)
			}
		}
	}
	if next != len(all) {
		t.Errorf("%d figures of the test do not stand on the page", len(all)-next)
	}
}

// files returns what the runs come to in place of a figure, with a minus where it is below 0.
func (w *said) files(t *testing.T) string {
	t.Helper()
	table, cell, _ := strings.Cut(w.cell, " ")
	o, _ := readOutcome(t, table)
	own := o[cell][w.contender][w.figure]
	if w.over == "" {
		return spreadText(own)
	}
	other := o[cell][w.over][w.figure]
	if len(own) == 0 || len(own) != len(other) {
		t.Fatalf("%s: %d runs of %s, %d of %s", w.cell, len(own), w.contender, len(other), w.over)
	}
	g := pagetest.Paired(own, other)
	text := fmt.Sprintf("%.2f ± %.2f", math.Abs(g.Mean), g.Half)
	if side(g.Mean) == "below" {
		return "−" + text
	}
	return text
}
