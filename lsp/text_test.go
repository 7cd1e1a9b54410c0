package lsp

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// texts draws texts with characters of one to four bytes and every kind of line break.
var texts = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
		"a", "|", "λ", "€", "\U0001F600", "\U00010348", "é", "\n", "\r\n", "\r", " ", "\t", "\u2028",
	})).Draw(t, "parts"), "")
})

// naive counts the position of an offset from the beginning of the text.
func naive(src string, offset int) Position {
	p := Position{}
	for i := 0; i < offset; {
		r, size := utf8.DecodeRuneInString(src[i:])
		switch {
		case src[i] == '\n', src[i] == '\r' && (i+1 == len(src) || src[i+1] != '\n'):
			p = Position{Line: p.Line + 1}
		default:
			p.Character += len(utf16.Encode([]rune{r}))
		}
		i += size
	}
	return p
}

// A position is that of counting characters in the units agreed upon, and leads back to its offset.
func TestPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := texts.Draw(t, "text")
		text := newText(src)
		for offset := range src + " " {
			p := text.position(offset)
			if want := naive(src, offset); p != want {
				t.Fatalf("offset %d of %q is %v, want %v", offset, src, p, want)
			}
			within := offset > 0 && offset < len(src) && src[offset-1] == '\r' && src[offset] == '\n'
			if back := text.offset(p); back != offset && !within {
				t.Fatalf("offset %d of %q comes back as %d", offset, src, back)
			}
		}
	})
}

// Any position, however far outside, is an offset on a boundary of characters.
func TestPositionsOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := newText(texts.Draw(t, "text"))
		p := Position{Line: rapid.Int().Draw(t, "line"), Character: rapid.Int().Draw(t, "character")}
		at := text.offset(p)
		if at < 0 || at > len(text.src) || at < len(text.src) && !utf8.RuneStart(text.src[at]) {
			t.Fatalf("%v is offset %d of %q", p, at, text.src)
		}
		text.position(rapid.Int().Draw(t, "offset"))
	})
}

// Changes one after the other make the text that splicing makes.
func TestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := texts.Draw(t, "text")
		text := newText(src)
		for range rapid.IntRange(0, 5).Draw(t, "changes") {
			boundaries := []int{len(src)}
			for i := range src {
				if i == 0 || src[i-1] != '\r' || src[i] != '\n' { // no position lies within a line break
					boundaries = append(boundaries, i)
				}
			}
			a, b := rapid.SampledFrom(boundaries).Draw(t, "from"), rapid.SampledFrom(boundaries).Draw(t, "to")
			insert := texts.Draw(t, "insert")
			at := Range{Start: text.position(min(a, b)), End: text.position(max(a, b))}
			src = src[:min(a, b)] + insert + src[max(a, b):]
			text = text.changed([]ContentChange{{Range: &at, Text: insert}})
			if text.src != src {
				t.Fatalf("%q, want %q", text.src, src)
			}
		}
		if whole := text.changed([]ContentChange{{Text: "new"}}); whole.src != "new" {
			t.Fatalf("%q", whole.src)
		}
	})
}
