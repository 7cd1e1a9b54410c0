package sipc

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/page"
)

// sourcesOf returns a spec and what it includes, as a page shows them.
func sourcesOf(spec *Spec) []page.Source {
	out := []page.Source{sourceOf(spec.Path, spec.Source)}
	for _, in := range spec.Included {
		out = append(out, sourceOf(in.Name, in.Source))
	}
	return out
}

// sourceOf cuts a text of the language into lines of tokens, as a page shows them.
func sourceOf(name string, source []byte) page.Source {
	w := dsl.Keywords()
	words := slices.Concat(w.Statements, w.Items, w.Reserved, w.Linking, w.Aggregations)
	out := page.Source{Name: name}
	var line []page.Token
	add := func(kind, text string) {
		for k, part := range strings.Split(text, "\n") {
			if k > 0 {
				out.Lines, line = append(out.Lines, line), nil
			}
			if part = strings.TrimSuffix(part, "\r"); part != "" {
				line = append(line, page.Token{Kind: kind, Text: part})
			}
		}
	}
	at := 0
	for _, t := range dsl.Tokens(name, source) {
		if t.Text == "" || t.Span.Start.Offset < at {
			continue
		}
		add("", string(source[at:t.Span.Start.Offset]))
		add(tokenKind(&t, words), t.Text)
		at = t.Span.Start.Offset + len(t.Text)
	}
	add("", string(source[min(at, len(source)):]))
	if line != nil {
		out.Lines = append(out.Lines, line)
	}
	return out
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
