package lsp

import (
	"bytes"
	"sort"
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

// ties returns lines that stand once in each of two texts. It returns as many as have the same order in both: a
// longest increasing subsequence (patience sorting).
func ties(before, after []string) [][2]int {
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
	var pairs [][2]int
	var previous []int // of each pair, the one before it in a longest sequence that ends with it
	var ends []int     // of each length, the pair with the earliest line before that ends such a sequence
	for j, line := range after {
		l := lines[line]
		if l.before != 1 || l.after != 1 {
			continue
		}
		length := sort.Search(len(ends), func(k int) bool { return pairs[ends[k]][0] > l.at })
		pairs, previous = append(pairs, [2]int{l.at, j}), append(previous, -1)
		if length > 0 {
			previous[len(previous)-1] = ends[length-1]
		}
		ends = append(ends[:length], append([]int{len(pairs) - 1}, ends[min(length+1, len(ends)):]...)...)
	}
	if len(ends) == 0 {
		return nil
	}
	out := make([][2]int, len(ends))
	for k, at := len(ends)-1, ends[len(ends)-1]; k >= 0; k, at = k-1, previous[at] {
		out[k] = pairs[at]
	}
	return out
}
