package dsl

import (
	"bytes"
	"slices"
	"strings"
)

// Format lays a file out the canonical way. Keywords and `=` of neighbouring statements stand in columns, and so do
// trailing comments of neighbouring lines. Indentation is four spaces, a long line breaks after `of`, and several
// blank lines become one.
//
// Every comment stays. Formatting formatted text changes nothing, and the meaning never changes. Statements that did
// not parse are missing in the file and so in the output: format files without errors.
func Format(f *File) []byte {
	fp := &filePrinter{file: f, comments: f.Comments}
	fp.align()
	for i := range f.Decls {
		fp.statement(i)
	}
	fp.standing(len(f.Source) + 1)
	var b bytes.Buffer
	for _, l := range alignComments(fp.lines) {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// A filePrinter lays out a file, statement by statement.
type filePrinter struct {
	file     *File
	comments []Comment // not printed yet
	lines    []textLine
	lastLine int // of the source, that what was printed last ended on; 0 at the start
	pads     []padding
}

// A padding says how wide the keyword and the name of a statement are to be.
type padding struct{ keyword, name int }

// align finds the runs of statements that share columns. Settings and invariances on neighbouring lines share the
// column of the keyword; invariances and values among them share that of the `=`.
func (fp *filePrinter) align() {
	decls := fp.file.Decls
	fp.pads = make([]padding, len(decls))
	for i := 0; i < len(decls); {
		end := i + 1
		for end < len(decls) && runs(decls[i]) == runs(decls[end]) && runs(decls[i]) != "" && !fp.apart(end) {
			end++
		}
		keyword := 0
		for _, d := range decls[i:end] {
			keyword = max(keyword, len(keywordOf(d)))
		}
		for k := i; k < end; k++ {
			fp.pads[k].keyword = keyword
		}
		fp.alignNames(i, end)
		i = end
	}
}

// alignNames sets the width of the names of neighbouring invariances or values among the statements from i to end.
func (fp *filePrinter) alignNames(i, end int) {
	decls := fp.file.Decls
	for i < end {
		next, name := i, 0
		for ; next < end && keywordOf(decls[next]) == keywordOf(decls[i]); next++ {
			name = max(name, textWidth(nameOf(decls[next])))
		}
		for ; i < next; i++ {
			fp.pads[i].name = name
		}
	}
}

// apart reports whether a blank line stands before statement i.
func (fp *filePrinter) apart(i int) bool {
	line := fp.file.Decls[i-1].Span().End.Line
	start := fp.file.Decls[i].Span().Start
	first, _ := slices.BinarySearchFunc(fp.file.Comments, fp.file.Decls[i-1].Span().End.Offset,
		func(c Comment, offset int) int { return c.Span.Start.Offset - offset })
	for _, c := range fp.file.Comments[first:] {
		if c.Span.Start.Offset >= start.Offset || c.Span.Start.Line > line+1 {
			break
		}
		line = c.Span.Start.Line
	}
	return start.Line > line+1
}

// runs names the kind of run that a statement belongs to.
func runs(d Decl) string {
	switch d.(type) {
	case *Setting, *Invariance:
		return "setting"
	case *Let:
		return "let"
	}
	return ""
}

func keywordOf(d Decl) string {
	switch d := d.(type) {
	case *Use:
		return "use"
	case *Data:
		return wordData
	case *Let:
		return "let"
	case *Setting:
		return d.Keyword.Name
	case *Def:
		return "def"
	case *Invariance:
		return "invariance"
	case *Evaluate:
		return "evaluate"
	}
	return ""
}

// nameOf returns the name whose `=` is aligned.
func nameOf(d Decl) string {
	switch d := d.(type) {
	case *Let:
		return identText(d.Name)
	case *Invariance:
		return identText(d.Name)
	}
	return ""
}

// standing prints the comments before an offset as lines of their own.
func (fp *filePrinter) standing(offset int) {
	for len(fp.comments) > 0 && fp.comments[0].Span.Start.Offset < offset {
		c := fp.comments[0]
		fp.comments = fp.comments[1:]
		fp.gap(c.Span.Start.Line)
		fp.lines = append(fp.lines, textLine{code: c.Text, whole: true})
		fp.lastLine = c.Span.End.Line
	}
}

// gap prints the blank line before what begins at a line of the source, if there is one.
func (fp *filePrinter) gap(line int) {
	if fp.lastLine > 0 && line > fp.lastLine+1 && len(fp.lines) > 0 {
		fp.lines = append(fp.lines, textLine{})
	}
}

// take removes the comments before an offset from those that wait.
func (fp *filePrinter) take(offset int) []Comment {
	n := 0
	for n < len(fp.comments) && fp.comments[n].Span.Start.Offset < offset {
		n++
	}
	taken := fp.comments[:n]
	fp.comments = fp.comments[n:]
	return taken
}

func (fp *filePrinter) statement(i int) {
	d := fp.file.Decls[i]
	at := d.Span()
	fp.standing(at.Start.Offset)
	fp.gap(at.Start.Line)
	inner := fp.take(at.End.Offset)
	if data, ok := d.(*Data); ok && (len(data.Items) > 1 || len(inner) > 0 || fp.wide(data)) {
		fp.data(data, inner)
	} else {
		p := &printer{comments: inner, source: fp.file.Source}
		fp.emit(p, 0, p.statement(d, fp.pads[i]), "")
	}
	fp.trail(at.End.Line)
}

// emit lays out what a printer made, below the comments that it could not place.
func (fp *filePrinter) emit(p *printer, indent int, d doc, after string) {
	p.hoist(int(^uint(0) >> 1))
	pad := strings.Repeat(" ", indent)
	for _, c := range p.hoisted {
		fp.lines = append(fp.lines, textLine{code: pad + c.Text, whole: true})
	}
	l := &layout{}
	l.start(indent)
	l.put(cat(d, txt(after)), indent, false, 0)
	l.end()
	fp.lines = append(fp.lines, l.lines...)
}

// trail puts the comments that stand behind what ended at a line of the source behind it.
func (fp *filePrinter) trail(line int) {
	fp.lastLine = line
	if len(fp.comments) > 0 && fp.comments[0].Span.Start.Line == line && line > 0 {
		fp.lines[len(fp.lines)-1].comment = fp.comments[0].Text
		fp.comments = fp.comments[1:]
	}
}

// statement returns a statement on one line, or broken if it is long.
func (p *printer) statement(d Decl, pad padding) doc {
	word := padded(keywordOf(d), pad.keyword) + " "
	switch d := d.(type) {
	case *Use:
		if d.From == nil {
			return txt(word + identText(d.Name))
		}
		return cat(txt(word+identText(d.Name)+" from "), p.before(d.From), p.bare(d.From))
	case *Data:
		if len(d.Items) == 0 {
			return txt("data {}")
		}
		parts := []doc{txt("data { ")}
		for _, it := range d.Items {
			parts = append(parts, p.item(it, 0))
		}
		return cat(append(parts, txt(" }"))...)
	case *Let:
		return p.defined(word+padded(identText(d.Name), pad.name), d.Value)
	case *Setting:
		p.hoist(headEnd(d.Value)) // behind the keyword no line can end
		return cat(txt(word), p.bare(d.Value))
	case *Def:
		params := p.commas(At{}, "(", ")", len(d.Params),
			func(i int) Node { return d.Params[i] }, func(i int) doc { return txt(identText(d.Params[i])) })
		return cat(txt(word+identText(d.Name)), params, txt(" = "), p.before(d.Body), p.bare(d.Body))
	case *Invariance:
		return p.defined(word+padded(identText(d.Name), pad.name), d.Body)
	case *Evaluate:
		return cat(txt(word+"under "), p.bare(d.Under))
	}
	return txt("")
}

func (p *printer) defined(head string, value Expr) doc {
	return cat(txt(head+" = "), p.before(value), p.bare(value))
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-textWidth(s)))
}
