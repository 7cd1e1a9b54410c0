package lsp

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/symbols"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// hover says what the name or word at a place is, and what was proved of the expression around it.
func hover(q *question) *Hover {
	a, d := q.analysis(), q.doc
	if a == nil {
		return nil
	}
	var parts []string
	var place diag.Span
	o := q.At(q.offset)
	token := d.syntax().tokenAt(q.offset)
	switch {
	case token != nil && (token.Kind == dsl.CommentToken || token.Kind == dsl.StringToken):
		return nil
	case o != nil:
		parts, place = append(parts, describe(d, a, o.Symbol)), o.Span
	case token != nil && token.Kind == dsl.WordToken:
		if doc := keywordDoc(d, token); doc != "" {
			parts, place = append(parts, doc), token.Span
		}
		if used := methodUsed(a, token); used != "" {
			parts = append(parts, used)
		}
	}
	if proved, at := proof(d, a, q.offset); proved != "" {
		parts = append(parts, proved)
		if place.IsZero() {
			place = at
		}
	}
	if len(parts) == 0 {
		return nil
	}
	h := &Hover{Contents: q.client.markup(strings.Join(parts, "\n\n---\n\n"))}
	if r, ok := d.span(place); ok {
		h.Range = &r
	}
	return h
}

// markup returns a text in the form that the client shows.
func (c *ClientCapabilities) markup(text string) MarkupContent {
	for _, format := range c.TextDocument.Hover.ContentFormat {
		if format == markdown {
			return MarkupContent{Kind: markdown, Value: text}
		}
		if format == plaintext {
			return MarkupContent{Kind: plaintext, Value: plain(text)}
		}
	}
	return MarkupContent{Kind: markdown, Value: text}
}

// plain returns a text without the signs of Markdown.
func plain(text string) string {
	return strings.NewReplacer("```sipc\n", "", "```", "", "`", "", "**", "").Replace(text)
}

// code returns a text as code of the language, in Markdown.
func code(text string) string { return "```sipc\n" + text + "\n```" }

// describe says what a symbol is.
func describe(d *document, a *analysis, sym *symbols.Symbol) string {
	head, said := sym.Name, documented(sym)
	switch sym.Kind {
	case symbols.Let, symbols.Def, symbols.Invariance, symbols.Requirement:
		head = d.source(sym.Decl.Span())
	case symbols.Definition:
		head = sym.Source
	case symbols.Choice, symbols.IndexSet, symbols.Map:
		if len(sym.Args) > 0 {
			head = signature(sym.Name, sym.Args)
		}
	}
	out := code(head)
	if said.form != "" {
		out += "\n\n" + diag.Sentence(said.form)
	}
	if said.doc != "" {
		out += "\n\n" + said.doc
	}
	switch sym.Kind {
	case symbols.Invariance:
		if inv, ok := sym.Decl.(*dsl.Invariance); ok {
			if part := a.info.Of(inv.Body.Span()); part != nil {
				out += "\n\n" + judgement(part)
			}
		}
	case symbols.Choice, symbols.IndexSet, symbols.Map:
		out += argList(sym.Args)
	}
	return out
}

// argList says of each argument what it is for.
func argList(args []plugins.Arg) string {
	var b strings.Builder
	for i := range args {
		fmt.Fprintf(&b, "\n- `%s`: %s", args[i].Name, argDoc(&args[i]))
	}
	return b.String()
}

// signature shows how a call is written.
func signature(name string, args []plugins.Arg) string {
	parts := make([]string, len(args))
	for i := range args {
		parts[i] = parameterText(&args[i])
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

func parameterText(arg *plugins.Arg) string {
	switch {
	case arg.Default != "":
		return arg.Name + " = " + arg.Default
	case arg.Optional:
		return "[" + arg.Name + "]"
	}
	return arg.Name
}

// argDoc says what an argument is for, what it takes, and its default.
func argDoc(arg *plugins.Arg) string {
	var parts []string
	if arg.Doc != "" {
		parts = append(parts, arg.Doc)
	}
	wants := compiler.Wants(arg)
	if len(arg.Choices) > 0 {
		wants = strings.Join(arg.Choices, ", ")
	}
	if arg.Unit != "" {
		wants += ", " + strings.Replace("in "+arg.Unit, "in as ", "as ", 1)
	}
	if arg.Doc != "" || arg.Kind != plugins.KindNumber {
		parts = append(parts, wants)
	}
	switch {
	case arg.Default != "":
		parts = append(parts, "default `"+arg.Default+"`")
	case arg.Optional:
		parts = append(parts, "may be left out")
	}
	return strings.Join(parts, "; ")
}

// proof returns what was proved of the smallest expression around an offset, and where that stands.
func proof(d *document, a *analysis, offset int) (string, diag.Span) {
	part := a.info.At(offset)
	if part == nil {
		return "", diag.Span{}
	}
	text := d.source(part.Place)
	if r := []rune(text); len(r) > 120 {
		text = string(r[:119]) + "…"
	}
	return code(text) + "\n" + judgement(part), part.Place
}

// judgement returns what was proved of a part, in a sentence.
func judgement(p *compiler.Part) string {
	if p.Constant {
		if math.IsNaN(p.Value) {
			return "**a number**"
		}
		return "**a number**: " + strconv.FormatFloat(p.Value, 'g', -1, 64)
	}
	return fmt.Sprintf("**%s**, %s: %s.", p.Kind, p.Sign, p.Rule)
}

// methodUsed returns the spec's method and why, where a word asks for it that begins a statement about R; empty elsewhere.
func methodUsed(a *analysis, t *dsl.Token) string {
	if !t.First || t.Word != "method" && t.Word != wordRegularize || a.info.Method == "" {
		return ""
	}
	return fmt.Sprintf("**method %s**: %s.", a.info.Method, a.info.Reason)
}

// keywordDoc returns the documentation of a word of the language, or nothing for another word. The same word may
// stand for different things at the beginning of a line and in a data block.
func keywordDoc(d *document, t *dsl.Token) string {
	tables := []map[string]wordDoc{aggregationDocs, reservedDocs}
	switch c := d.syntax().contextAt(t.Span.Start.Offset); {
	case c.item == wordTypes:
		tables = []map[string]wordDoc{itemDocs, columnTypeDocs}
	case c.inData:
		tables = []map[string]wordDoc{itemDocs, typeDocs, statementDocs}
	case t.First:
		tables = []map[string]wordDoc{statementDocs, aggregationDocs, reservedDocs}
	case c.statement == "expect":
		tables = append(tables, figureDocs)
	}
	for _, table := range tables {
		if doc, ok := table[t.Word]; ok {
			return code(doc.form) + "\n\n" + doc.doc
		}
	}
	return ""
}
