package lsp

import (
	"strings"
	"unicode/utf16"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/symbols"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

// A callee is what is called: how the call is written, and what its arguments are.
type callee struct {
	doc   string
	args  []plugins.Arg
	forms []string // where it has no schema: its arguments as they are written
}

// signatureHelp shows how the call around a place is written. Nil means that there is no call, or that nothing is known of it.
func signatureHelp(q *question) *SignatureHelp {
	p := q.doc.syntax().contextAt(q.offset)
	if p.call == "" || p.inText && !p.quoted {
		return nil
	}
	c := q.callee(p)
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
			doc := q.client.markup(argDoc(&c.args[i]))
			param.Documentation = &doc
			if p.name != "" && c.args[i].Name == p.name {
				active = i
			}
		}
		sig.Parameters = append(sig.Parameters, param)
	}
	sig.Label += ")"
	if c.doc != "" {
		doc := q.client.markup(c.doc)
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
	"f": {"x", "label"}, "pos": {"e"}, "hypot": {"e", "…"}, wordGrid: {"a", "b", "…"}, wordTaxonomy: {"file"}, wordSample: {"count", "seed = SEED"}, wordGraph: {"file", wordWeight + " = COLUMN"},
	wordNorm: {"p"}, "top": {"k"}, "binary": {"a", "b"},
}

// callee returns what the call around a place calls. Nil means that nothing is known of it.
func (n *names) callee(p *place) *callee {
	setting := p.statement
	switch {
	case p.inData && (p.call == wordColumns || p.call == wordLabels):
		return &callee{doc: dataCallDocs[p.call].doc, forms: []string{"pattern"}}
	case p.inData:
		setting = p.item
	}
	if args := compiler.ArgsOf(setting, p.call); args != nil {
		return &callee{doc: choiceDocs[setting+" "+p.call], args: args}
	}
	if p.call == wordOrbit {
		return &callee{doc: docOf(p.call), args: compiler.OrbitArgs()}
	}
	if forms := callForms[p.call]; forms != nil {
		return &callee{doc: docOf(p.call), forms: forms}
	}
	if g := n.Global(p.call); g != nil {
		if def, ok := g.Decl.(*dsl.Def); ok {
			return &callee{args: g.Args, doc: "`" + strings.Join(strings.Fields(dsl.ExprString(def.Body)), " ") + "`"}
		}
		return nil
	}
	for _, kind := range []symbols.Kind{symbols.Map, symbols.IndexSet, symbols.Definition} {
		if s := n.Lookup(kind, p.call); s != nil {
			return &callee{doc: s.Doc, args: s.Args}
		}
	}
	return nil
}

// docOf returns the documentation of a word of the language, wherever it stands.
func docOf(word string) string {
	for _, table := range []map[string]wordDoc{functionDocs, domainDocs, aggregationDocs, typeDocs, itemDocs} {
		if doc, ok := table[word]; ok {
			return strings.TrimSpace(doc.doc)
		}
	}
	return ""
}
