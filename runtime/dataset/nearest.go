package dataset

import (
	"fmt"
	"strings"
)

// didYouMean is a mend that offers the candidate nearest to name, or lists a few where none is near.
func didYouMean(name string, candidates []string) string {
	if best := nearest(name, candidates); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(candidates) == 0 {
		return ""
	}
	return "there are " + listed(candidates, 8)
}

// nearest returns the candidate that differs least from name, empty where all differ in more than a third of its letters.
func nearest(name string, candidates []string) string {
	best, dist := "", max(1, len([]rune(name))/3)+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(name), strings.ToLower(c)); d < dist {
			best, dist = c, d
		}
	}
	return best
}

// listed joins the first few names.
func listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, … (%d in all)", strings.Join(names[:most], ", "), len(names))
}

// editDistance is the number of insertions, deletions, substitutions and swaps of neighbours between two texts.
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, prev, cur := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range s {
		cur[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				cur[j+1] = min(cur[j+1], before[j-1]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(t)]
}
