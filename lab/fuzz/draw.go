package fuzz

import (
	"math/rand/v2"
	"strings"
)

// A draw is the source of a case's chances.
type draw struct{ *rand.Rand }

func newDraw(seed uint64) draw { return draw{rand.New(rand.NewPCG(seed, 0x51bc))} }

// chance reports true in so many of a hundred cases.
func (d draw) chance(percent int) bool { return d.IntN(100) < percent }

// one returns one of some words.
func (d draw) one(words ...string) string { return words[d.IntN(len(words))] }

// between returns a whole number from low to high.
func (d draw) between(low, high int) int { return low + d.IntN(high-low+1) }

// join makes count parts and joins them.
func join(count int, separator string, part func() string) string {
	parts := make([]string, count)
	for i := range parts {
		parts[i] = part()
	}
	return strings.Join(parts, separator)
}
