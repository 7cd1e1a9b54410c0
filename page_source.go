package sipc

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/page"
)

// sourcesOf returns a spec and what it includes, as a page shows them, and the values that overrides replace.
func sourcesOf(spec *Spec) (out []page.Source, sets []page.Set) {
	add := func(name string, source []byte, file *dsl.File) {
		marks := replaced(file, source, spec.set)
		for _, m := range marks {
			sets = append(sets, m.Set)
		}
		out = append(out, sourceOf(name, source, marks))
	}
	add(spec.Path, spec.Source, spec.File)
	for _, in := range spec.Included {
		file, _ := dsl.Parse(in.Name, in.Source)
		add(in.Name, in.Source, file)
	}
	return out, sets
}

// A mark is where a text has a value that an override replaces.
type mark struct {
	page.Set
	from, to int // in bytes
}

// replaced returns the values of lets that overrides replace, in the order of a text.
func replaced(file *dsl.File, source []byte, set map[string]string) (out []mark) {
	for _, d := range file.Decls {
		let, ok := d.(*dsl.Let)
		if !ok {
			continue
		}
		if value, ok := set[let.Name.Name]; ok {
			at := let.Value.Span()
			from, to := at.Start.Offset, at.End.Offset
			out = append(out, mark{page.Set{Name: let.Name.Name, Value: value, Before: string(source[from:to])}, from, to})
		}
	}
	return out
}

// A liner puts tokens into lines.
type liner struct {
	lines [][]page.Token
	line  []page.Token
}

// add adds a text, which may have several lines.
func (l *liner) add(kind, text string) {
	for k, part := range strings.Split(text, "\n") {
		if k > 0 {
			l.lines, l.line = append(l.lines, l.line), nil
		}
		if part = strings.TrimSuffix(part, "\r"); part != "" {
			l.line = append(l.line, page.Token{Kind: kind, Text: part})
		}
	}
}

// sourceOf cuts a text of the language into lines of tokens, as a page shows them. Behind each marked value stands the one that replaces it.
func sourceOf(name string, source []byte, marks []mark) page.Source {
	w := dsl.Keywords()
	words := slices.Concat(w.Statements, w.Items, w.Reserved, w.Linking, w.Aggregations)
	l, at := &liner{}, 0
	for _, t := range dsl.Tokens(name, source) {
		begin := t.Span.Start.Offset
		if len(marks) > 0 && begin >= marks[0].from {
			l.add("", string(source[at:marks[0].from]))
			l.add("del", string(source[marks[0].from:marks[0].to]))
			l.add("ins", marks[0].Value)
			at, marks = marks[0].to, marks[1:]
		}
		if t.Text == "" || begin < at {
			continue
		}
		l.add("", string(source[at:begin]))
		l.add(tokenKind(&t, words), t.Text)
		at = begin + len(t.Text)
	}
	l.add("", string(source[min(at, len(source)):]))
	if l.line != nil {
		l.lines = append(l.lines, l.line)
	}
	return page.Source{Name: name, Lines: l.lines}
}

// tokenKind returns the kind of a token on a page.
func tokenKind(t *dsl.Token, words []string) string {
	switch t.Kind {
	case dsl.CommentToken:
		return "c"
	case dsl.NumberToken:
		return "n"
	case dsl.StringToken, dsl.OpenStringToken:
		return "s"
	case dsl.WordToken:
		if slices.Contains(words, t.Word) {
			return "k"
		}
	}
	return ""
}
