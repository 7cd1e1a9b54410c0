package dsl_test

import (
	"regexp"
	"testing"

	"github.com/sipc-ml/sipc/dsl"
)

var lexeme = regexp.MustCompile(`"[^"\n]*"|[0-9.]+[a-z]*|[\p{L}_0-9]+|[^\s\p{L}]`)

// One mistake costs one diagnostic: a token left out, written twice or swapped for another never makes a second one.
func TestOneMistakeIsReportedOnce(t *testing.T) {
	for _, path := range specs(t, "testdata/specs/*.inv") {
		src := read(t, path)
		for _, at := range lexeme.FindAllIndex(src, -1) {
			word := string(src[at[0]:at[1]])
			for _, instead := range []string{"", word + " " + word, "(", ")", "|", "=", "$", "]", "}", "of", "3", ",", "+", "\n", `"`} {
				if instead == "\n" && word == "(" {
					continue // these are two mistakes: a bracket that lacks, and a line that ends
				}
				text := string(src[:at[0]]) + instead + string(src[at[1]:])
				if _, list := dsl.Parse("spec.inv", []byte(text)); len(list) > 1 {
					t.Errorf("%s: %q at %d in place of %q:\n%v", path, instead, at[0], word, list)
				}
			}
		}
	}
}
