package main

import (
	"slices"
	"strings"
)

// notVerbs are words that end as a verb does in the third person and say nothing of what a function does.
var notVerbs = []string{"always", "as", "her", "his", "is", "its", "less", "perhaps", "plus", "this", "thus", "us", "was", "whose", "yes"}

// adverbs may stand between a function's name and its verb.
var adverbs = []string{"again", "also", "always", "at most", "either", "first", "never", "only", "still", "then"}

// takesOf are verbs that "of" may follow; other words before it are nouns.
var takesOf = []string{"asks", "consists", "disposes", "hears", "makes", "says", "tells", "thinks", "warns"}

func isToBe(word string) bool {
	word = bare(word)
	return word == "is" || word == "are"
}

// bare returns a word without punctuation around it.
func bare(word string) string { return strings.Trim(word, ".,:;!?()\"“”") }

// startsWithVerb reports whether a function's comment is its name and a verb. Functions that are described together may
// be joined, as in "Len and Swap implement sort.Interface".
func startsWithVerb(name, text string) bool {
	words := strings.Fields(text)
	if len(words) == 0 || bare(words[0]) != name && !strings.HasSuffix(bare(words[0]), "."+name) {
		return false
	}
	rest, several := afterNames(words)
	for len(rest) > 0 && isAdverb(rest[0]) {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return false
	}
	verb := bare(rest[0])
	if several {
		return verb != "" && !slices.Contains([]string{"is", "are", "was", "were", "of", "for", "may", "can", "must"}, verb)
	}
	if len(rest) > 1 && rest[1] == "of" && !slices.Contains(takesOf, verb) {
		return false
	}
	return len(verb) > 1 && strings.HasSuffix(verb, "s") && !strings.HasSuffix(verb, "'s") && !strings.HasSuffix(verb, "’s") && !slices.Contains(notVerbs, verb)
}

// afterNames returns the words behind the names that a comment begins with, and whether there are several.
func afterNames(words []string) (rest []string, several bool) {
	for i := 0; i < len(words); i++ {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case next == "and" || next == "or":
			i++
		case strings.HasSuffix(words[i], ","):
			if next == "and" || next == "or" {
				i++
			}
		default:
			return words[i+1:], several
		}
		several = true
	}
	return nil, several
}

func isAdverb(word string) bool {
	return slices.Contains(adverbs, word) || len(word) > 4 && strings.HasSuffix(word, "ly")
}
