package docs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// A census has the figures that `go test ./compiler -run WhatIsJudged -census=FILE` adds up.
type census struct {
	Expressions, Accepted, Deep, Parts, Values, Grounded, Spoilt int
	With                                                         map[string]int
}

// TestExpressions holds the table of random expressions to the figures of the draw, and these to what they are to show.
func TestExpressions(t *testing.T) {
	const begin, end = "<!-- expressions: go test ./lab/docs -run Expressions -update -->\n", "<!-- end of expressions -->"
	var c census
	if err := json.Unmarshal([]byte(pagetest.Read(t, "experiments/runs/expressions.json")), &c); err != nil {
		t.Fatal(err)
	}
	if share := float64(c.Accepted) / float64(c.Expressions); share < 0.3 || share > 0.7 || 2*c.Deep < c.Expressions {
		t.Errorf("of %d expressions %d are accepted, and %d have four levels", c.Expressions, c.Accepted, c.Deep)
	}
	for what, n := range c.With {
		if 200*n < c.Expressions {
			t.Errorf("%d of %d expressions have %s", n, c.Expressions, what)
		}
	}
	held(t, begin, expressions(&c), end)
}

// expressions returns the table, with the rarest construct first.
func expressions(c *census) string {
	var b strings.Builder
	b.WriteString("| random expressions | |\n|---|---|\n")
	row := func(what string, n int) { fmt.Fprintf(&b, "| %s | %d |\n", what, n) }
	row("drawn", c.Expressions)
	row("accepted", c.Accepted)
	row("of four levels or more", c.Deep)
	row("judged parts", c.Parts)
	row("values of parts compared", c.Values)
	row("gauges compared", c.Grounded)
	row("spoilt by data", c.Spoilt)
	b.WriteString("\n| construct | expressions | construct | expressions | construct | expressions |\n|---|---|---|---|---|---|\n")
	names := slices.SortedFunc(maps.Keys(c.With), func(a, b string) int {
		if c.With[a] != c.With[b] {
			return c.With[a] - c.With[b]
		}
		return strings.Compare(a, b)
	})
	for line := range slices.Chunk(names, 3) {
		for _, what := range line {
			fmt.Fprintf(&b, "| `%s` | %d ", strings.ReplaceAll(what, "|", `\|`), c.With[what])
		}
		b.WriteString(strings.Repeat("| | ", 3-len(line)) + "|\n")
	}
	return b.String()
}
