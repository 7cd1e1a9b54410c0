package docs_test

import (
	"fmt"
	"strings"
	"testing"
)

// A verified is a class of random statements, as the test of runtime/proof counts them.
type verified struct {
	Minimum                                        string
	Plain, Smooth, Vague                           bool
	Problems, Proved, Refuted, Open, Wrong, Within int
	Slowest                                        float64
	Missed                                         []int
}

// TestVerifier holds the table of verdicts on random models to the lines of its file. None may be wrong, and nearly all must be proved that can be.
func TestVerifier(t *testing.T) {
	const begin, end = "<!-- verifier: go test ./lab/docs -run Verifier -update -->\n", "<!-- end of verifier -->"
	all := fromLines[verified](t, "experiments/runs/verifier.jsonl")
	var b strings.Builder
	b.WriteString("| least value of g | sides | factors | statements | proved | refuted | open | wrong | within 1 s | slowest, s |\n|---|---|---|---|---|---|---|---|---|---|\n")
	var above, below verified
	problems := 0
	for _, c := range all {
		problems += c.Problems
		if c.Wrong > 0 {
			t.Errorf("%d verdicts are wrong: %+v", c.Wrong, c)
		}
		writeVerified(&b, &c)
		switch {
		case c.Vague:
		case c.Minimum == "below":
			below.Problems, below.Refuted = below.Problems+c.Problems, below.Refuted+c.Refuted
		case c.Minimum == "above" && c.Plain:
			above.Problems, above.Proved, above.Within = above.Problems+c.Problems, above.Proved+c.Proved, above.Within+c.Within
		}
	}
	fmt.Fprintf(&b, "\nOf %d statements, none is answered wrongly. %d have a least value clearly above 0, on two sides at most or in a star. %d are proved (%.1f %%), %d of them within a second. ",
		problems, above.Problems, above.Proved, 100*float64(above.Proved)/float64(above.Problems), above.Within)
	fmt.Fprintf(&b, "%d have one clearly below 0, and %d of these are refuted.\n", below.Problems, below.Refuted)
	if 100*above.Within < 99*above.Problems {
		t.Errorf("%d of %d statements are proved within a second", above.Within, above.Problems)
	}
	heldOn(t, provedPage, begin, b.String(), end)
}

// writeVerified writes the line of a class.
func writeVerified(b *strings.Builder, c *verified) {
	minimum := map[string]string{"above": "≥ 10⁻³ ‖f‖/s", "near": "between", "below": "≤ −10⁻³ ‖f‖/s"}[c.Minimum]
	sides, factors := "three or four that meet", "smooth"
	if c.Plain {
		sides = "two at most, or a star"
	}
	if !c.Smooth {
		factors = "with Matérn"
	}
	if c.Vague {
		factors = "lacks the derivative"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %d | %d | %d | %d | %d | %d | %.3f |\n", minimum, sides, factors, c.Problems, c.Proved, c.Refuted, c.Open, c.Wrong, c.Within, c.Slowest)
}
