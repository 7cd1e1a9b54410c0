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
	for _, c := range lineChanges(before, after) {
		edits = append(edits, TextEdit{
			Range: d.text.rangeOf(starts[c.from[0]], starts[c.end[0]]), NewText: strings.Join(after[c.from[1]:c.end[1]], ""),
		})
	}
	return edits
}

// A lineChange says which lines before, and which after, take each other's place; the first number is of a line before.
type lineChange struct{ from, end [2]int }

// lineChanges returns what differs between two texts, in nearly linear time. Lines that both have once tie them
// together, and so does what is equal next to these. Formatting keeps lines in order, so that few changes come out
// larger than they are.
func lineChanges(before, after []string) []lineChange {
	var out []lineChange
	from := [2]int{}
	for _, tie := range append(ties(before, after), [2]int{len(before), len(after)}) {
		for from[0] < tie[0] && from[1] < tie[1] && before[from[0]] == after[from[1]] {
			from[0]++
			from[1]++
		}
		end := tie
		for end[0] > from[0] && end[1] > from[1] && before[end[0]-1] == after[end[1]-1] {
			end[0]--
			end[1]--
		}
		if from != end {
			out = append(out, lineChange{from, end})
		}
		from = tie
	}
	return out
}

// ties returns lines that stand once in each of two texts, in the order of both: formatting moves no line across another.
func ties(before, after []string) (out [][2]int) {
	type seen struct{ before, after, at int }
	lines := make(map[string]seen, len(before))
	for i, line := range before {
		lines[line] = seen{before: lines[line].before + 1, at: i}
	}
	for _, line := range after {
		if l, ok := lines[line]; ok {
			l.after++
			lines[line] = l
		}
	}
	last := -1
	for j, line := range after {
		if l := lines[line]; l.before == 1 && l.after == 1 && l.at > last {
			out, last = append(out, [2]int{l.at, j}), l.at
		}
	}
	return out
}
