package dsl

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// lineWidth is the width that the printer keeps lines within where it can.
const lineWidth = 120

// indentStep is the indentation of what a line break sets in.
const indentStep = 4

// A doc is text that knows where its lines may be broken, after Wadler's "prettier printer". A group is laid out on
// one line if it fits, else each of its own breaks becomes a line end. A comment ends its line, so groups around it
// break.
type doc struct {
	text  string
	parts []doc
	width int // on one line
	kind  docKind
	own   bool // a comment on a line of its own
	hard  bool // holds a comment
}

type docKind uint8

const (
	docText docKind = iota
	docBreak
	docNest
	docGroup
	docConcat
	docComment
)

// widths measures text alike on every machine: the locale has no say.
var widths = &runewidth.Condition{StrictEmojiNeutral: true}

func txt(s string) doc { return doc{kind: docText, text: s, width: textWidth(s)} }

// textWidth returns how many columns a text takes.
func textWidth(s string) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' {
			return widths.StringWidth(s)
		}
	}
	return len(s)
}

// line returns a space that may become a line end.
func line() doc { return doc{kind: docBreak, text: " ", width: 1} }
func soft() doc { return doc{kind: docBreak} }

func remark(text string, own bool) doc {
	return doc{kind: docComment, text: text, own: own, hard: true}
}

func compose(kind docKind, parts []doc) doc {
	d := doc{kind: kind, parts: parts}
	for _, p := range parts {
		d.hard = d.hard || p.hard
		d.width += p.width
	}
	return d
}

func cat(parts ...doc) doc   { return compose(docConcat, parts) }
func nest(parts ...doc) doc  { return compose(docNest, parts) }
func group(parts ...doc) doc { return compose(docGroup, parts) }

// A textLine is a line of output, its trailing comment apart so that comments of neighbouring lines can be aligned.
type textLine struct {
	code, comment string
	whole         bool // nothing but a comment
}

// A layout turns docs into lines.
type layout struct {
	lines  []textLine
	cur    strings.Builder
	column int
	must   bool // a comment was written: the line has to end
}

// flat returns a doc on one line, without its comments.
func flat(d doc) string {
	var b strings.Builder
	var put func(doc)
	put = func(d doc) {
		if d.kind == docText || d.kind == docBreak {
			b.WriteString(d.text)
		}
		for _, p := range d.parts {
			put(p)
		}
	}
	put(d)
	return b.String()
}

// put lays out a doc. rest is the width of what follows it on its line.
func (l *layout) put(d doc, indent int, broken bool, rest int) {
	switch d.kind {
	case docText:
		l.write(d.text, indent)
	case docBreak:
		if broken {
			l.end()
			l.start(indent)
		} else {
			l.write(d.text, indent)
		}
	case docComment:
		l.comment(d, indent)
	case docNest:
		l.sequence(d.parts, indent+indentStep, broken, rest)
	case docConcat:
		l.sequence(d.parts, indent, broken, rest)
	case docGroup:
		l.sequence(d.parts, indent, d.hard || l.column+d.width+rest > lineWidth, rest)
	}
}

// sequence lays out parts one after the other. What follows a part up to the next break counts towards its width.
func (l *layout) sequence(parts []doc, indent int, broken bool, rest int) {
	tails := make([]int, len(parts)+1)
	tails[len(parts)] = rest
	for i := len(parts) - 1; i > 0; i-- {
		w, breaks := head(parts[i], broken)
		tails[i] = w
		if !breaks {
			tails[i] += tails[i+1]
		}
	}
	for i, p := range parts {
		l.put(p, indent, broken, tails[i+1])
	}
}

// head returns the width of a doc up to its first break, and whether it has one that will be a line end.
func head(d doc, broken bool) (width int, breaks bool) {
	switch d.kind {
	case docBreak:
		if broken {
			return 0, true
		}
		return d.width, false
	case docNest, docConcat, docGroup:
		if d.kind == docGroup && !d.hard {
			return d.width, false
		}
		for _, p := range d.parts {
			w, b := head(p, broken || d.kind == docGroup)
			width += w
			if b {
				return width, true
			}
		}
		return width, false
	case docComment:
		return 0, true
	}
	return d.width, false
}

func (l *layout) write(s string, indent int) {
	if s == "" {
		return
	}
	if l.must {
		if s = strings.TrimLeft(s, " "); s == "" {
			return
		}
		l.end()
		l.start(max(indent, indentStep))
	}
	l.cur.WriteString(s)
	l.column += textWidth(s)
}

// start begins a line.
func (l *layout) start(indent int) {
	l.cur.WriteString(strings.Repeat(" ", indent))
	l.column = indent
}

// end ends the line.
func (l *layout) end() {
	if !l.must {
		l.lines = append(l.lines, textLine{code: strings.TrimRight(l.cur.String(), " ")})
	}
	l.must = false
	l.cur.Reset()
	l.column = 0
}

// comment writes a comment: at the end of the line, or on a line of its own.
func (l *layout) comment(d doc, indent int) {
	code := strings.TrimRight(l.cur.String(), " ")
	switch {
	case l.must || d.own || code == "":
		if code != "" {
			l.end()
		}
		l.cur.Reset()
		l.lines = append(l.lines, textLine{code: strings.Repeat(" ", max(indent, indentStep)) + d.text, whole: true})
	default:
		l.cur.Reset()
		l.lines = append(l.lines, textLine{code: code, comment: d.text})
	}
	l.column = 0
	l.must = true
}

// alignComments puts the trailing comments of neighbouring lines into one column.
func alignComments(lines []textLine) []string {
	out := make([]string, len(lines))
	for i := 0; i < len(lines); i++ {
		out[i] = lines[i].code
		if lines[i].comment == "" {
			continue
		}
		end, column := i, 0
		for ; end < len(lines) && lines[end].comment != ""; end++ {
			column = max(column, textWidth(lines[end].code))
		}
		for ; i < end; i++ {
			pad := strings.Repeat(" ", column-textWidth(lines[i].code)+2)
			out[i] = lines[i].code + pad + lines[i].comment
		}
		i--
	}
	return out
}
