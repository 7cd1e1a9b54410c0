package spelling

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// MostSlips is the largest distance at which an Index finds words.
const MostSlips = 2

const (
	// fewWords are compared one by one.
	fewWords = 64
	// endLetters are the first and the last letters of a long word, by which it is found.
	endLetters = 5
	// mostCandidates bounds the words that one name is compared with, the first of the list. Only words that were made to
	// look alike reach it.
	mostCandidates = 64
)

// An Index finds words near a name without comparing it with all of them. Two words at a distance of at most k have the
// same rest for some choice of k letters that are left out of each. So a word is listed under every rest of its first
// and last letters. A name is compared only with words that share a rest with it. Methods may be called concurrently.
type Index struct {
	words []string
	rests func() map[uint64][]int32 // the words of each rest, by its hash; computed on first use
}

// NewIndex returns an index of words.
func NewIndex(words []string) *Index {
	return &Index{words, sync.OnceValue(func() map[uint64][]int32 { return restsOf(words) })}
}

// Words returns the words in their order.
func (x *Index) Words() []string { return x.words }

// Nearest returns the first of the words nearest to a name, and its distance. The distance to a word must be at most
// slips(word), which is at most MostSlips. The word is empty where none is near enough.
func (x *Index) Nearest(name string, slips func(word string) int) (string, int) {
	if len(x.words) <= fewWords {
		return nearest(name, slices.Values(x.words), slips)
	}
	m := meterOf(name)
	for most := range MostSlips + 1 { // nearer words are fewer, and found at less cost
		for word := range x.sharing(name, most) {
			if d, near := m.within(word, most); near && d <= slips(word) {
				return word, d // as those before have found none that is nearer
			}
		}
	}
	return "", 0
}

// sharing returns the words that have the same rest as a name after up to so many letters are left out, in their order.
func (x *Index) sharing(name string, letters int) func(yield func(string) bool) {
	rests := x.rests()
	found := make([]int32, 0, mostCandidates)
	for _, hash := range restHashes(name, letters) {
		found = append(found, rests[hash]...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return func(yield func(string) bool) {
		for _, i := range found[:min(len(found), mostCandidates)] {
			if !yield(x.words[i]) {
				return
			}
		}
	}
}

// restsOf returns the words of each rest, in their order: the first of them.
func restsOf(words []string) map[uint64][]int32 {
	rests := map[uint64][]int32{}
	for i, w := range words {
		for _, hash := range restHashes(w, MostSlips) {
			if of := rests[hash]; len(of) < mostCandidates {
				rests[hash] = append(of, int32(i)) //nolint:gosec // a spec is far shorter than that
			}
		}
	}
	return rests
}

var seed = maphash.MakeSeed()

// restHashes returns the hash of each rest of a word's ends, once. A rest is what is left after up to so many letters, two at most, are
// left out.
func restHashes(word string, most int) []uint64 {
	letters := []rune(strings.ToLower(word))
	if n := len(letters); n > 2*endLetters {
		letters = slices.Concat(letters[:endLetters], letters[n-endLetters:])
	}
	var left []byte
	rest := func(out, also int) uint64 {
		left = left[:0]
		for k, r := range letters {
			if k != out && k != also {
				left = utf8.AppendRune(left, r)
			}
		}
		return maphash.Bytes(seed, left)
	}
	hashes := []uint64{rest(-1, -1)}
	for i := 0; i < len(letters) && most > 0; i++ {
		hashes = append(hashes, rest(i, -1))
		for k := i + 1; k < len(letters) && most > 1; k++ {
			hashes = append(hashes, rest(i, k))
		}
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}
