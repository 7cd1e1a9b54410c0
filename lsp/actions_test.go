package lsp

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/spelling"
)

// marks are the signs that a fix of spelling may add, take away or change for each other.
const marks = `"'()[]{},=: `

// respelt reports whether two texts differ in spelling, quotes, commas, brackets and equals signs alone.
func respelt(before, after string) bool {
	if escaped, err := strconv.Unquote(`"` + after + `"`); err == nil && escaped == before || after == "" && len([]rune(before)) == 1 && before != "-" {
		return true // a character that nobody sees
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(marks, r) {
				return -1
			}
			return r
		}, s)
	}
	signs := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("+-*/|<>!", r) {
				return r
			}
			return -1
		}, s)
	}
	a, b := letters(before), letters(after)
	number := a != "" && a[0] >= '0' && a[0] <= '9'
	degrees := b == "deg" && (a == "°" || strings.HasPrefix(strings.ToLower(a), b))
	return a == b || degrees || signs(a) == signs(b) && !number && spelling.Nearest(a, []string{b}, func(string) int { return 2 }) != ""
}

// fixedAll returns the edits that an editor makes where it applies all fixes at once, as texts before and after.
func fixedAll(c *conversation) (edits [][2]string) {
	d := c.docs.get(c.uri())
	var actions []CodeAction
	c.ask("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": c.uri()}, "range": Range{End: d.text.position(len(d.text.src))},
		"context": map[string]any{"only": []string{kindFixAll}},
	}, &actions)
	for _, a := range actions {
		for _, change := range a.Edit.DocumentChanges {
			for _, e := range change.Edits {
				edits = append(edits, [2]string{d.text.src[d.text.offset(e.Range.Start):d.text.offset(e.Range.End)], e.NewText})
			}
		}
	}
	return edits
}

// What an editor applies unasked changes no meaning: a minus sign stays, a product does not become a logic, an invariance that
// regularize does not take is not taken.
func TestFixAllKeepsMeaning(t *testing.T) {
	c := converse(t, "", map[string]string{"topics.csv": "child,parent\ncat,animal\ndog,animal\n", "spec.csv": "area,age,price\n"})
	specs, made := corpus(t), 0
	for _, path := range sortedKeys(specs) {
		c.edit(specs[path])
		for _, e := range fixedAll(c) {
			if made++; !respelt(e[0], e[1]) {
				t.Errorf("%s: %q is replaced by %q", path, e[0], e[1])
			}
		}
	}
	if made < 50 {
		t.Errorf("%d edits were made of %d specs", made, len(specs))
	}
}

// A fix that would change what a spec means is offered alone, for the author to choose.
func TestFixAllLeavesChoicesToTheAuthor(t *testing.T) {
	const head = "data { target animal, cat, dog : multilabel }\nkernel gaussian(width = median)\nfeatures nystrom(landmarks = all)\n"
	for text, want := range map[string][]string{
		"invariance i = rms over x of -|f(cat)|\n":                                                     nil,
		"invariance i = rms over x of f(cat) * f(dog)\n":                                               nil,
		"invariance i = rms over x of min {|f(cat)|, |f(dog)|}\n":                                      nil,
		"invariance i = rms over x of |f(cat)|\ninvariance j = rms over x of |f(dog)|\nregularize i\n": nil,
		"invariance i = rms over x of (|f(cat)| - |f(dog)|)\n":                                         nil,
		"invariance i = rms over x of 2 f(cat)\n":                                                      nil,
		"split train = 5%\n":                                       nil,
		"invariance i = rms over x of |f(cta)|\n":                  {"cat"},
		"invariance i == rms over x of |f(cat)|\n":                 {"="},
		"invariance i = rms over x where fur = 1 of |f(cat)|\n":    {"=="},
		"invariance i = rms over x of hypot(f(cat) f(dog))\n":      {", "},
		"invariance i = rms over x of hypot(|f(cat)|, |f(dog)|]\n": {")"},
		"regularise 0\n": {"regularize"},
	} {
		c := converse(t, head+text, nil)
		var got []string
		for _, e := range fixedAll(c) {
			got = append(got, e[1])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s replaced by %q, want %q", text, got, want)
		}
	}
}
