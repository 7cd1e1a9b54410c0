package dsl

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// indentStep is the indentation of what stands in brackets, and of the lines on which a statement goes on.
const indentStep = 4

// Format lays a file out the canonical way. Keywords and `=` of neighbouring statements stand in columns, and so do trailing
// comments of neighbouring lines. Each item of a data block with several stands on a line of its own. Other lines end where
// the author ended them; several blank lines become one.
//
// Every comment stays. Formatting formatted text changes nothing, and the meaning never changes: but for commas and semicolons
// that separate nothing, the lexemes stay as they are. Only `z in x` becomes `z in rows`, as x is a point elsewhere. Format files
// without errors.
func Format(f *File) []byte {
	p := &printer{pads: map[int]int{}, starts: map[int]bool{}, ends: map[int]bool{}, rows: map[int]bool{}}
	p.align(f)
	for _, d := range f.Decls {
		p.overRows(d)
	}
	rest := newParser(p.lexemes(f))
	for _, t := range f.Tokens {
		if t.Kind == CommentToken {
			p.comment(t, rest.peek())
		} else if t.Span == rest.peek().Span {
			rest.at++
			p.token(t, rest)
		}
		p.line = t.Span.End.Line
	}
	p.end("")
	return []byte(p.text())
}

// A textLine is a line of output, its trailing comment apart so that comments of neighbouring lines can be aligned.
type textLine struct{ code, comment string }

// An opened bracket.
type opened struct {
	indent, over     int // of its line, and of that on which the quantifier around it begins
	data, derivative bool
}

// A printer writes the lexemes of a file one after the other. It knows of the syntax what the spaces between them depend on.
type printer struct {
	pads   map[int]int  // how wide a word is to be, by its offset
	starts map[int]bool // offsets of the words that begin a statement, or an item of a data block
	ends   map[int]bool // offsets before which a line ends, whatever the author wrote
	rows   map[int]bool // offsets of x where it stands for the rows

	lines  []textLine
	cur    strings.Builder // the line that is being written; empty where none is
	indent int             // of that line
	over   int             // of the line on which the last quantifier begins
	line   int             // of the source, on which the lexeme before ended; 0 at the start
	stack  []opened

	before     Token // the lexeme before, comments aside
	wants      bool  // an operand stands next
	tight      bool  // no space stands next
	derivative int   // how many lexemes of `d/d…` are still to come; -1: the bracket of `d/d(…)`
}

// align finds the runs of statements that share columns. Settings and invariances on neighbouring lines share the
// column of the keyword; invariances and values among them share that of the `=`.
func (p *printer) align(f *File) {
	paragraph := map[int]int{} // how many blank lines stand before a statement, by its offset
	blank, line, behind := 0, 0, 0
	decls := f.Decls
	for _, t := range f.Tokens {
		if t.Span.Start.Line > line+1 && t.Span.Start.Offset >= behind {
			blank++
		}
		if line = t.Span.End.Line; len(decls) > 0 && t.Span.Start.Offset == decls[0].Span().Start.Offset {
			paragraph[t.Span.Start.Offset], behind = blank, decls[0].Span().End.Offset
			decls = decls[1:]
		}
	}
	together := func(a, b Decl) bool {
		return runs(a) == runs(b) && runs(a) != "" && paragraph[a.Span().Start.Offset] == paragraph[b.Span().Start.Offset]
	}
	for _, run := range cut(f.Decls, together) {
		keyword := 0
		for _, d := range run {
			keyword = max(keyword, len(keywordOf(d)))
		}
		for _, d := range run {
			p.start(d, keyword)
			if data, ok := d.(*Data); ok {
				p.alignItems(data)
			}
		}
		for _, alike := range cut(run, func(a, b Decl) bool { return keywordOf(a) == keywordOf(b) }) {
			p.alignNames(alike)
		}
	}
}

// lexemes returns those of a file without comments, and without commas and semicolons that separate nothing.
func (p *printer) lexemes(f *File) []Token {
	var code []Token // from the last to the first
	for _, t := range slices.Backward(f.Tokens) {
		n := len(code)
		idle := t.Text == ";" || t.Text == "," && n > 0 && (closes(code[n-1]) || p.starts[code[n-1].Span.Start.Offset])
		if t.Kind != CommentToken && !idle {
			code = append(code, t)
		}
	}
	slices.Reverse(code)
	return code
}

// start notes where a statement or an item begins, and how wide its word is to be.
func (p *printer) start(n Node, width int) {
	at := n.Span().Start.Offset
	p.starts[at], p.pads[at] = true, width
}

// alignNames puts the `=` of neighbouring statements of one kind into a column.
func (p *printer) alignNames(decls []Decl) {
	width := 0
	for _, d := range decls {
		if name := nameOf(d); name != nil {
			width = max(width, textWidth(name.Raw))
		}
	}
	for _, d := range decls {
		if name := nameOf(d); name != nil {
			p.pads[name.Place.Start.Offset] = width
		}
	}
}

// overRows finds where x stands for the rows: `z in x`. A parameter of that name stands for what is given in its place.
func (p *printer) overRows(d Decl) {
	if def, ok := d.(*Def); ok && slices.ContainsFunc(def.Params, func(id *Ident) bool { return id.Name == "x" }) {
		return
	}
	Walk(d, func(n Node) bool {
		if b, ok := n.(*Binder); ok && rowsAsX(b) {
			p.rows[b.In.Span().Start.Offset] = true
		}
		return true
	})
}

// rowsAsX reports whether a binder has named elements of x.
func rowsAsX(b *Binder) bool {
	id, ok := b.In.(*Ident)
	return ok && id.Name == "x" && len(b.Vars) > 0
}

// alignItems puts what follows the words of the items of a data block into a column.
func (p *printer) alignItems(data *Data) {
	width, several := 0, len(data.Items) > 1
	for _, it := range data.Items {
		if w := ItemKeyword(it); w != wordStandardize && w != wordNormalize {
			width = max(width, len(w))
		}
	}
	for _, it := range data.Items {
		p.start(it, width)
		p.ends[it.Span().Start.Offset] = several
	}
	p.ends[data.Place.End.Offset-1] = several
}

// cut cuts statements into runs of those that stand together.
func cut(decls []Decl, together func(a, b Decl) bool) [][]Decl {
	var out [][]Decl
	for i, d := range decls {
		if i == 0 || !together(decls[i-1], d) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], d)
	}
	return out
}

// runs names the kind of run that a statement belongs to.
func runs(d Decl) string {
	switch d.(type) {
	case *Setting, *Invariance, *Require:
		return "setting"
	case *Let:
		return "let"
	}
	return ""
}

// keywordOf returns the word of a statement that stands in runs.
func keywordOf(d Decl) string {
	switch d := d.(type) {
	case *Let:
		return "let"
	case *Setting:
		return d.Keyword.Name
	case *Invariance:
		return d.Keyword.Name
	case *Require:
		return wordRequire
	}
	return ""
}

// nameOf returns the name whose `=` is aligned.
func nameOf(d Decl) *Ident {
	switch d := d.(type) {
	case *Let:
		return d.Name
	case *Invariance:
		return d.Name
	case *Require:
		return d.Name
	}
	return nil
}

// ItemKeyword returns the word that begins an item of a data block.
func ItemKeyword(it DataItem) string {
	switch it := it.(type) {
	case *Target:
		return wordTarget
	case *Columns:
		return "columns"
	case *Types:
		return wordTypes
	case *SplitBy:
		return wordSplit
	case *Option:
		return it.Keyword.Name
	}
	return ""
}

// top returns the innermost open bracket, and the indentation of what begins in it.
func (p *printer) top() (b opened, inside int) {
	if len(p.stack) == 0 {
		return opened{}, 0
	}
	b = p.stack[len(p.stack)-1]
	return b, b.indent + indentStep
}

// indentOf returns the indentation of a line that begins with a lexeme.
func (p *printer) indentOf(t Token) int {
	b, inside := p.top()
	switch {
	case closes(t):
		return b.indent
	case p.before.Text == wordOf:
		return p.over + indentStep
	case p.starts[t.Span.Start.Offset], t.isEnd(), len(p.stack) > 0 && !b.data:
		return inside
	}
	return inside + indentStep
}

// end ends the line.
func (p *printer) end(comment string) {
	if p.cur.Len() > 0 {
		p.lines = append(p.lines, textLine{strings.TrimRight(p.cur.String(), " "), comment})
	}
	p.cur.Reset()
}

// gap keeps a blank line before a statement or an item, or a comment before one, but for the first item.
func (p *printer) gap(t, next Token) {
	begins := p.starts[next.Span.Start.Offset] || next.isEnd()
	if begins && p.line > 0 && t.Span.Start.Line > p.line+1 && (len(p.stack) == 0 || p.before.Text != "{") {
		p.lines = append(p.lines, textLine{})
	}
}

// comment writes a comment: at the end of the line, or on a line of its own.
func (p *printer) comment(t, next Token) {
	if t.Span.Start.Line == p.line && p.cur.Len() > 0 {
		p.end(t.Text)
		return
	}
	p.end("")
	p.gap(t, next)
	_, indent := p.top()
	if !closes(next) {
		indent = p.indentOf(next)
	}
	p.lines = append(p.lines, textLine{code: strings.Repeat(" ", indent) + t.Text})
}

// token writes a lexeme, with a line end or a space before it where one belongs.
func (p *printer) token(t Token, rest *parser) {
	next, at := rest.peek(), t.Span.Start.Offset
	if t.Span.Start.Line > p.line || p.ends[at] || p.cur.Len() == 0 {
		p.end("")
		p.gap(t, t)
		p.indent = p.indentOf(t)
		p.cur.WriteString(strings.Repeat(" ", p.indent))
	} else if p.spaced(t) {
		p.cur.WriteByte(' ')
	}
	text := t.Text
	if p.rows[at] {
		text = "rows"
	}
	p.cur.WriteString(padded(text, p.pads[at]))
	if p.wants && t.Text == "d" && next.Text == "/" && strings.HasPrefix(rest.ahead(1).Text, "d") {
		p.derivative = 3
	}
	p.pass(t)
	p.before = t
}

// spaced reports whether a space stands before a lexeme within a line.
func (p *printer) spaced(t Token) bool {
	b, _ := p.top()
	switch {
	case p.tight, p.derivative > 0, t.Text == ",", t.Text == ")", t.Text == "]":
		return false
	case t.Text == "}":
		return b.data && p.before.Text != "{"
	case t.Text == "|":
		return p.wants
	case t.Text == "(":
		return p.wants || p.before.Kind != WordToken && p.before.Kind != StringToken && p.before.Text != ")" // none in a call
	}
	return true
}

// pass takes down what a lexeme opens or closes, and what stands behind it.
func (p *printer) pass(t Token) {
	operand, along := p.wants, p.derivative < 0
	p.wants = t.Kind == SignToken || isReserved(t.Word) || p.starts[t.Span.Start.Offset]
	p.tight = operand && (t.Text == "|" || t.Word == "-")
	switch {
	case p.derivative == 1 && t.Text == "d":
		p.derivative = -1
	case p.derivative == 1:
		p.derivative, p.wants = 0, true
	default:
		p.derivative = max(0, p.derivative-1)
	}
	switch t.Text {
	case wordOver:
		p.over = p.indent
	case "(", "[", "{":
		data := p.before.Text == wordData && p.starts[p.before.Span.Start.Offset]
		p.stack = append(p.stack, opened{p.indent, p.over, data, along})
		p.tight = !data
	case ")", "]", "}":
		b, _ := p.top()
		p.stack = p.stack[:max(0, len(p.stack)-1)]
		p.wants, p.over = b.derivative, b.over
	case "|":
		p.wants = operand
	}
}

// text returns the lines, the trailing comments of neighbouring ones in a column.
func (p *printer) text() string {
	var b strings.Builder
	column := 0
	for i, l := range p.lines {
		if i == 0 || p.lines[i-1].comment == "" {
			column = 0
			for k := i; k < len(p.lines) && p.lines[k].comment != ""; k++ {
				column = max(column, textWidth(p.lines[k].code))
			}
		}
		b.WriteString(l.code)
		if l.comment != "" {
			b.WriteString(padded("", column-textWidth(l.code)+2) + l.comment)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// widths measures text alike on every machine: the locale has no say.
var widths = &runewidth.Condition{StrictEmojiNeutral: true}

// textWidth returns how many columns a text takes.
func textWidth(s string) int { return widths.StringWidth(s) }

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-textWidth(s)))
}
