package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStartsWithVerb(t *testing.T) {
	for text, want := range map[string]bool{
		"Label returns the rows.":                    true,
		"Label also reports whether.":                true,
		"Label lazily reads.":                        true,
		"Label closes.":                              true,
		"Label does what R asks.":                    true,
		"Label warns of invariances.":                true,
		"Label and Swap implement sort.Interface.":   true,
		"Len, Label and Swap implement it.":          false, // begins with another name
		"Label, Less and Swap implement it.":         true,
		"Label and Swap are of sort.Interface.":      false,
		"Row.Label returns the rows.":                true,
		"Label is what a label is learnt from.":      false,
		"Label are the rows.":                        false,
		"Label was learnt.":                          false,
		"Label of a row.":                            false,
		"Label rows of the table that are returned.": false,
		"Label columns of the table.":                false,
		"Label cannot be told here.":                 false,
		"Label show what was proved.":                false,
		"Label":                                      false,
		"Label's rows are returned.":                 false,
		"Returns the label.":                         false,
		"The label that returns.":                    false,
		"Label always is zero.":                      false,
		"Label thus returns.":                        false,
	} {
		if got := startsWithVerb("Label", text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		name, text string
		syntax     syntax
		want       []string
		words      []int
	}{
		{
			name: "full stops", text: "One two. Three, e.g. four (see Fig. 3 of it). J. Smith et al. agree! Is 0.5 more?\nYes.",
			want:  []string{"One two.", "Three, e.g. four (see Fig. 3 of it).", "J. Smith et al. agree!", "Is 0.5 more?", "Yes."},
			words: []int{2, 8, 4, 3, 1},
		},
		{
			name: "formulas count nothing", text: "Its value is ½(α‖V‖² + ρ(AV)²) − ⟨a, V⟩ at C = 1, as f(x) ≤ S says of x and y.",
			want:  []string{"Its value is ½(α‖V‖² + ρ(AV)²) − ⟨a, V⟩ at C = 1, as f(x) ≤ S says of x and y."},
			words: []int{8},
		},
		{
			name: "words with signs", text: "Rows and/or columns of a well-kept ./file hold 1,000 cells, i.e. 5 % – or more.",
			want:  []string{"Rows and/or columns of a well-kept ./file hold 1,000 cells, i.e. 5 % – or more."},
			words: []int{14},
		},
		{
			name: "code spans over lines", text: "Say `let\nx = 1. Or`. Then [a page](https://x.y/a.b c) ends.", syntax: markdown,
			want:  []string{"Say `let x = 1. Or`.", "Then a page ends."},
			words: []int{2, 4},
		},
		{
			name: "TeX", text: "Here $a + b. C$ and $$\\sum x$$ stand.", syntax: markdown,
			want: []string{"Here $a + b. C$ and $$\\sum x$$ stand."}, words: []int{3},
		},
		{
			name: "comments", text: "A list:\n  - one item\n    goes on\n  - two\n\nEnd:\n\n\tcode = is left out\n\t- so is this\n\n# Heading\nDone.",
			want: []string{"A list:", "one item goes on", "two", "End:", "Done."}, words: []int{2, 4, 1, 1, 1},
		},
		{
			name: "pages", syntax: markdown,
			text: "# Head\n\nText\n\n| a | table |\n|---|---|\n\n- one\n  more\n- two\n\n> quoted\n\n```\ncode\n```\n\n    code\n\n<!-- no\ncomment -->\nEnd.",
			want: []string{"Text", "one more", "two", "quoted", "End."}, words: []int{1, 2, 1, 1, 1},
		},
	} {
		var rows []row
		for i, text := range strings.Split(c.text, "\n") {
			rows = append(rows, row{i + 1, text})
		}
		var got []string
		var counts []int
		for _, p := range paragraphs(rows, c.syntax) {
			for _, s := range sentences(p) {
				got, counts = append(got, s.text), append(counts, s.words)
			}
		}
		if diff := cmp.Diff(c.want, got) + cmp.Diff(c.words, counts); diff != "" {
			t.Errorf("%s: want -, got +\n%s", c.name, diff)
		}
	}
}

// A sentence is reported at the line where it begins.
func TestLines(t *testing.T) {
	long := strings.Repeat("word ", 26)
	for _, c := range []struct {
		text string
		want int
	}{
		{"a `b\nc` d. " + long, 2},
		{"a.\nb. " + long, 2},
		{long, 1},
		{"a <b\nc> d.\n" + long, 3},
	} {
		var rows []row
		for i, text := range strings.Split(c.text, "\n") {
			rows = append(rows, row{i + 1, text})
		}
		faults := longSentences(paragraphs(rows, markdown))
		if len(faults) != 1 || faults[0].line != c.want || faults[0].words != 26 {
			t.Errorf("%q: %+v, want line %d", c.text, faults, c.want)
		}
	}
}

// The program keeps the rules that it checks.
func TestOwnProse(t *testing.T) {
	tree, err := readTree(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tree.proseFaults() {
		t.Errorf("%s:%d: %s", f.path, f.line, f.text)
	}
}
