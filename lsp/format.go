package lsp

import (
	"bytes"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
)

// format lays the document out the canonical way, by edits of the lines that change. A document with faults is left alone.
func format(d *document) []TextEdit {
	edits := []TextEdit{}
	syntax := d.syntax()
	if syntax.faults.HasErrors() {
		return edits
	}
	formatted := dsl.Format(syntax.file)
	if bytes.Equal(formatted, []byte(d.text.src)) {
		return edits
	}
	before, after := strings.SplitAfter(d.text.src, "\n"), strings.SplitAfter(string(formatted), "\n")
	starts := make([]int, len(before)+1)
	for i, line := range before {
		starts[i+1] = starts[i] + len(line)
	}
	for i, j := 0, 0; i < len(before) || j < len(after); {
		m, n := nextTie(before[i:], after[j:])
		if m+n > 0 {
			edits = append(edits, TextEdit{Range: d.text.rangeOf(starts[i], starts[i+m]), NewText: strings.Join(after[j:j+n], "")})
		}
		i, j = i+m+1, j+n+1
	}
	return edits
}

// nextTie returns how many lines of each text stand before the nearest that both have; all of them where there is none. Formatting keeps
// lines in order, so that it is near.
func nextTie(before, after []string) (m, n int) {
	for sum := range len(before) + len(after) {
		for m := max(0, sum-len(after)+1); m <= min(sum, len(before)-1); m++ {
			if before[m] == after[sum-m] {
				return m, sum - m
			}
		}
	}
	return len(before), len(after)
}
