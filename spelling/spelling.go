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
	m := meterOf(name)
	least = -1
	for k := range known {
		most := slips(k)
		if least >= 0 {
			most = min(most, least-1)
		}
		if d, near := m.within(k, most); near {
			best, least = k, d
		}
	}
	return best, least
}

// A meter measures how far words are from a name, letter case aside.
type meter struct {
	letters []rune
	rows    [3][]int // of the table of distances, for the next word
}

func meterOf(name string) *meter { return &meter{letters: []rune(strings.ToLower(name))} }

// within returns the distance of a word, and whether it is at most so many slips.
func (m *meter) within(word string, most int) (d int, near bool) {
	if n := utf8.RuneCountInString(word) - len(m.letters); n > most || -n > most {
		return 0, false
	}
	d = m.distance(m.letters, []rune(strings.ToLower(word)))
	return d, d <= most
}

// distance returns the edit distance between a and b. What both begin and end with costs nothing, and is left out.
func (m *meter) distance(a, b []rune) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for k := range m.rows {
		m.rows[k] = slices.Grow(m.rows[k][:0], len(b)+1)[:len(b)+1]
	}
	before, prev, cur := m.rows[0], m.rows[1], m.rows[2]
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
