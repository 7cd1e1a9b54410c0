package lsp

import (
	"sort"
	"unicode/utf8"
)

// width returns how many units a character takes in UTF-16, by which the protocol counts columns.
func width(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// A text is the content of a document with the offsets at which its lines begin. Lines end in \n, \r\n or \r, as the
// protocol has it.
type text struct {
	src   string
	lines []int
}

// newText finds where the lines of a text begin.
func newText(src string) *text {
	t := &text{src: src, lines: []int{0}}
	for i := range len(src) {
		switch src[i] {
		case '\r':
			if i+1 < len(src) && src[i+1] == '\n' {
				continue
			}
			t.lines = append(t.lines, i+1)
		case '\n':
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// lineEnd returns the offset at which a line ends, its line break left out.
func (t *text) lineEnd(line int) int {
	if line+1 >= len(t.lines) {
		return len(t.src)
	}
	end := t.lines[line+1] - 1
	if end > t.lines[line] && t.src[end] == '\n' && t.src[end-1] == '\r' {
		end--
	}
	return end
}

// offset returns the byte offset of a position. It moves a position outside the text to the nearest place in it, and
// one within a character to the beginning.
func (t *text) offset(p Position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(t.lines):
		return len(t.src)
	}
	at, end := t.lines[p.Line], t.lineEnd(p.Line)
	for units := 0; at < end; {
		r, size := utf8.DecodeRuneInString(t.src[at:])
		units += width(r)
		if units > p.Character {
			break
		}
		at += size
	}
	return at
}

// position returns the position of a byte offset, or of the nearest one in the text.
func (t *text) position(offset int) Position {
	offset = max(0, min(offset, len(t.src)))
	line := sort.Search(len(t.lines), func(i int) bool { return t.lines[i] > offset }) - 1
	p := Position{Line: line}
	for at := t.lines[line]; at < offset; {
		r, size := utf8.DecodeRuneInString(t.src[at:])
		if at += size; at > offset {
			break
		}
		p.Character += width(r)
	}
	return p
}

// rangeOf returns the range between two byte offsets. It is empty if the second comes before the first.
func (t *text) rangeOf(start, end int) Range {
	return Range{Start: t.position(start), End: t.position(max(start, end))}
}

// changed returns the text after the changes of the client, each of which counts in the text after those before it.
// One without a range replaces the whole text.
func (t *text) changed(changes []ContentChange) *text {
	out := t
	for _, c := range changes {
		if c.Range == nil {
			out = newText(c.Text)
			continue
		}
		start, end := out.offset(c.Range.Start), out.offset(c.Range.End)
		if end < start {
			start, end = end, start
		}
		out = newText(out.src[:start] + c.Text + out.src[end:])
	}
	return out
}
