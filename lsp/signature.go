package lsp

import (
	"context"
	"strings"
	"unicode/utf16"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

// A callee is what is called: how the call is written, and what its arguments are.
type callee struct {
	doc   string
	args  []plugins.Arg
	forms []string // where it has no schema: its arguments as they are written
}

// signatureHelp shows how the call around a place is written; nil outside calls.
func (s *session) signatureHelp(_ context.Context, d *document, offset int) *SignatureHelp {
	p := d.syntax().contextAt(offset)
	if p.call == "" || p.inText && !p.quoted {
		return nil
	}
	c := s.sense(d).callee(p)
	if c == nil {
		return nil
	}
	sig := Signature{Parameters: []Parameter{}}
	sig.Label = p.call + "("
	active := p.argument
	for i, text := range c.parameters() {
		if i > 0 {
			sig.Label += ", "
		}
		from := units(sig.Label)
		sig.Label += text
		param := Parameter{Label: [2]int{from, units(sig.Label)}}
		if i < len(c.args) {
			doc := s.markup(argDoc(&c.args[i]))
			param.Documentation = &doc
			if p.name != "" && c.args[i].Name == p.name {
				active = i
			}
		}
		sig.Parameters = append(sig.Parameters, param)
	}
	sig.Label += ")"
	if c.doc != "" {
		doc := s.markup(c.doc)
		sig.Documentation = &doc
	}
	return &SignatureHelp{Signatures: []Signature{sig}, ActiveParameter: min(active, max(0, len(sig.Parameters)-1))}
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }

func (c *callee) parameters() []string {
	if len(c.forms) > 0 {
		return c.forms
	}
	out := make([]string, len(c.args))
	for i := range c.args {
		out[i] = parameterText(&c.args[i])
	}
	return out
}

// callForms are the calls of the language that have no schema.
var callForms = map[string][]string{
	"f": {"x", "label"}, "pos": {"e"}, "hypot": {"e", "…"}, wordGrid: {"a", "b", "…"}, wordTaxonomy: {"file"}, wordGraph: {"file", wordWeight + " = COLUMN"},
	wordNorm: {"p"}, "top": {"k"}, "binary": {"a", "b"},
}

// callee is what the call around a place calls; nil where nothing is known of it.
func (a *sense) callee(p *place) *callee {
	switch {
	case p.inData && p.call == wordColumns, p.inData && p.call == wordLabels:
		return &callee{doc: functionDocs[p.call].doc, forms: []string{"pattern"}}
	case p.inData:
		if args := choiceArgs(p.item, p.call); args != nil {
			return &callee{doc: choiceDocs[p.item+" "+p.call], args: args}
		}
	case p.statement == wordKernel || p.statement == wordFeatures || p.statement == wordLearn:
		if args := choiceArgs(p.statement, p.call); args != nil {
			return &callee{doc: choiceDocs[p.statement+" "+p.call], args: args}
		}
	}
	if forms := callForms[p.call]; forms != nil {
		return &callee{doc: docOf(p.call), forms: forms}
	}
	if g := a.names().globals[p.call]; g != nil {
		if def, ok := g.decl.(*dsl.Def); ok {
			return &callee{args: g.args, doc: "`" + flat(def.Body) + "`"}
		}
		return nil
	}
	return a.familyCallee(p.call)
}

func (a *sense) familyCallee(name string) *callee {
	w := a.names().families
	switch {
	case w.maps[name] != nil:
		return &callee{doc: w.maps[name].Doc, args: w.maps[name].Args}
	case w.domains[name] != nil:
		return &callee{doc: w.domains[name].Doc, args: w.domains[name].Args}
	case w.defs[name] != nil:
		return &callee{doc: w.defs[name].Doc, args: paramsOf(w.defs[name].Source)}
	}
	return nil
}

// docOf is the documentation of a word of the language, wherever it stands.
func docOf(word string) string {
	for _, table := range []map[string]wordDoc{functionDocs, domainDocs, aggregationDocs, typeDocs, itemDocs} {
		if doc, ok := table[word]; ok {
			return strings.TrimSpace(doc.doc)
		}
	}
	return ""
}
