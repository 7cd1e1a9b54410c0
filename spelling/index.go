package spelling

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
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
	mostCandidates = 200
)

// An Index finds words near a name without comparing it with all of them. Two words at a distance of at most k have the
// same rest for some choice of k letters that are left out of each. So a word is listed under every rest of its first
// and last letters. A name is compared only with words that share a rest with it. Methods may be called concurrently.
type Index struct {
	words []string
	rests func() []rest // sorted; computed on first use
}

// A rest is what some letters were left out of, hashed, and the word that it is of.
type rest struct {
	hash uint64
	word int32
}

// NewIndex returns an index of words.
func NewIndex(words []string) *Index {
	return &Index{words, sync.OnceValue(func() []rest { return restsOf(words) })}
}

// Words returns the words in their order.
func (x *Index) Words() []string { return x.words }

// Nearest returns the first of the words nearest to a name, and its distance. The distance to a word must be at most
// slips(word), which is at most MostSlips. The word is empty where none is near enough.
func (x *Index) Nearest(name string, slips func(word string) int) (string, int) {
	if len(x.words) <= fewWords {
		return nearest(name, slices.Values(x.words), slips)
	}
	for most := range MostSlips + 1 { // nearer words are fewer, and found at less cost
		within := func(word string) int { return min(most, slips(word)) }
		if best, d := nearest(name, x.sharing(name, most), within); best != "" {
			return best, d
		}
	}
	return "", 0
}

// sharing returns the words that have the same rest as a name after up to so many letters are left out, in their order.
func (x *Index) sharing(name string, letters int) func(yield func(string) bool) {
	rests := x.rests()
	var found []int32
	for hash := range restHashes(name, letters) {
		at, _ := slices.BinarySearchFunc(rests, hash, func(r rest, h uint64) int { return cmp.Compare(r.hash, h) })
		for n := 0; at < len(rests) && rests[at].hash == hash && n < mostCandidates; n++ {
			found = append(found, rests[at].word)
			at++
		}
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

// restsOf returns the rests of all words, sorted by hash and word.
func restsOf(words []string) []rest {
	var rests []rest
	for i, w := range words {
		for hash := range restHashes(w, MostSlips) {
			rests = append(rests, rest{hash, int32(i)}) //nolint:gosec // a spec is far shorter than that
		}
	}
	slices.SortFunc(rests, func(a, b rest) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.word, b.word))
	})
	return rests
}

var seed = maphash.MakeSeed()

// restHashes returns the hashes of what is left of the ends of a word after up to so many letters are left out.
func restHashes(word string, most int) map[uint64]struct{} {
	letters := []rune(strings.ToLower(word))
	if n := len(letters); n > 2*endLetters {
		letters = slices.Concat(letters[:endLetters], letters[n-endLetters:])
	}
	hashes := map[uint64]struct{}{}
	var leaveOut func(left []rune, from, more int)
	leaveOut = func(left []rune, from, more int) {
		hashes[maphash.String(seed, string(left))] = struct{}{}
		for i := from; i < len(left) && more > 0; i++ {
			leaveOut(slices.Delete(slices.Clone(left), i, i+1), i, more-1)
		}
	}
	leaveOut(letters, 0, most)
	return hashes
}
