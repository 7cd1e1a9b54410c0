package copies

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestCellsAreRead(t *testing.T) {
	for text, want := range map[string]string{"4-9:60": "4 against 9", "all:500": "all"} {
		c, err := ParseCell(text)
		if err != nil || c.String() != want {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
	for _, text := range []string{"4-9", "4:60", "4-9-3:60", "4-x:60", "4-10:60", "all:5", ""} {
		if _, err := ParseCell(text); err == nil {
			t.Errorf("%q is a cell", text)
		}
	}
}

// Adjusted p-values are those of Holm's example: the smallest counts as often as there are hypotheses, and they rise with the p-values.
func TestHolm(t *testing.T) {
	got := holm([]float64{0.01, 0.04, 0.03, 0.005})
	for k, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if math.Abs(got[k]-want) > 1e-12 {
			t.Errorf("%v, want %v at %d", got, want, k)
		}
	}
}

// The table pairs machines draw by draw, in whatever order lines come, and says what is certain.
func TestTablePairsDraws(t *testing.T) {
	var lines []Line
	for draw := range uint64(4) {
		base := 0.9 + 0.01*float64(draw)
		lines = append(lines, Line{Digits: "4 against 9", Rows: 60, Draw: draw, Fit: "orbit", Clean: base + 0.02, Moved: base, Seconds: 3},
			Line{Digits: "4 against 9", Rows: 60, Draw: draw, Fit: "24 random copies", Clean: base, Moved: base - 0.0102 - 0.0001*float64(draw), Seconds: 6})
	}
	slices.Reverse(lines[2:])
	var b strings.Builder
	if err := Write(&b, lines, "orbit", "24 random copies"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| +2.00 ± 0.00 | +1.03 ± 0.02 | 6.0 | 0.50 |", "2 comparisons, p < 0.05 by Holm: below in 0, above in 2", "+1.03 ± 0.02 points"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if err := Write(&b, lines[1:], "orbit", "24 random copies"); err == nil {
		t.Error("machines of other draws were paired")
	}
}

// A single draw has differences, and no interval of them.
func TestTableOfOneDraw(t *testing.T) {
	lines := []Line{{Digits: "all", Rows: 500, Fit: "orbit", Clean: 0.9, Moved: 0.8, Seconds: 3}, {Digits: "all", Rows: 500, Fit: "24 random copies", Clean: 0.91, Moved: 0.7, Seconds: 6}}
	var b strings.Builder
	if err := Write(&b, lines, "orbit", "24 random copies"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| −1.00 (too few draws) | +10.00 (too few draws) |", "below in 0, above in 0", ": +10.00 (too few draws) points"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}
