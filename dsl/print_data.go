package dsl

import "strings"

// wide reports whether a data block is too wide for one line.
func (fp *filePrinter) wide(d *Data) bool {
	return (&printer{}).statement(d, padding{}).width > lineWidth
}

// data prints a data block with an item a line.
func (fp *filePrinter) data(d *Data, inner []Comment) {
	outer := fp.comments
	fp.comments = inner
	fp.lines = append(fp.lines, textLine{code: "data {"})
	// A comment behind the brace stays there.
	fp.lastLine = d.Place.Start.Line
	if len(inner) > 0 && !standsAlone(fp.file.Source, inner[0]) &&
		(len(d.Items) == 0 || inner[0].Span.Start.Offset < d.Items[0].Span().Start.Offset) {
		fp.trail(inner[0].Span.Start.Line)
	}
	keyword := 0
	for _, it := range d.Items {
		if w := ItemKeyword(it); w != wordStandardize && w != wordNormalize {
			keyword = max(keyword, len(w))
		}
	}
	first := true
	for _, it := range d.Items {
		at := it.Span()
		fp.inside(at.Start.Offset, first)
		if !first {
			fp.gap(at.Start.Line)
		}
		first = false
		p := &printer{comments: fp.take(at.End.Offset), source: fp.file.Source}
		fp.emit(p, indentStep, p.item(it, keyword), "")
		fp.trail(at.End.Line)
	}
	fp.inside(d.Place.End.Offset, first)
	fp.lines = append(fp.lines, textLine{code: "}"})
	fp.comments = outer
}

// inside prints the comments before an offset as lines of a data block. At its start no blank line is kept.
func (fp *filePrinter) inside(offset int, first bool) {
	for _, c := range fp.take(offset) {
		if !first {
			fp.gap(c.Span.Start.Line)
		}
		first = false
		fp.lines = append(fp.lines, textLine{code: strings.Repeat(" ", indentStep) + c.Text, whole: true})
		fp.lastLine = c.Span.End.Line
	}
}

// ItemKeyword returns the word that begins an item of a data block.
func ItemKeyword(it DataItem) string {
	switch it := it.(type) {
	case *Target:
		return "target"
	case *Columns:
		return "columns"
	case *Option:
		return it.Keyword.Name
	}
	return ""
}

// item returns an item of a data block.
func (p *printer) item(it DataItem, pad int) doc {
	word := padded(ItemKeyword(it), pad)
	switch it := it.(type) {
	case *Target:
		parts := []doc{txt(word + " ")}
		if it.Source != nil {
			parts = append(parts, p.bare(it.Source))
		}
		parts = append(parts, listed(p, it.Names, func(n *Ident) doc { return txt(nameText(n)) })...)
		return group(append(parts, txt(" : "), nest(p.before(it.Type)), p.bare(it.Type))...)
	case *Columns:
		return group(append([]doc{txt(word + " ")}, listed(p, it.Values, p.bare)...)...)
	case *Option:
		if len(it.Args) == 0 {
			return txt(strings.TrimRight(word, " "))
		}
		p.hoist(headEnd(it.Args[0]))
		return group(append([]doc{txt(word + " ")}, listed(p, it.Args, p.arg)...)...)
	}
	return txt("")
}

// listed returns the elements of a list with commas between them, after each of which a line may end.
func listed[N Node](p *printer, elements []N, one func(N) doc) []doc {
	var parts []doc
	for i, n := range elements {
		if i > 0 {
			parts = append(parts, txt(","), nest(p.before(n), line()))
		}
		parts = append(parts, one(n))
	}
	return parts
}
