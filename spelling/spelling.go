// Package spelling finds the name that a misspelt one is meant to be, by edit distance. That is the least number of
// insertions, deletions, substitutions and swaps of neighbouring characters that turn one text into the other. No
// part is edited twice (optimal string alignment).
package spelling

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Nearest returns the first of the known names at the least distance from name, letter case aside. Only names within the number of
// slips that is allowed for them count; Nearest returns "" if there is none.
func Nearest(name string, known []string, slips func(known string) int) string {
	best, _ := nearest(name, slices.Values(known), slips)
	return best
}

// nearest returns the first of the nearest words, and its distance.
func nearest(name string, known iter.Seq[string], slips func(known string) int) (best string, least int) {
	letters := []rune(strings.ToLower(name))
	least = -1
	for k := range known {
		most := slips(k)
		if least >= 0 {
			most = min(most, least-1)
		}
		if n := utf8.RuneCountInString(k) - len(letters); n > most || -n > most {
			continue
		}
		if d := distance(letters, []rune(strings.ToLower(k))); d <= most {
			best, least = k, d
		}
	}
	return best, least
}

// distance returns the edit distance between a and b.
func distance(a, b []rune) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
