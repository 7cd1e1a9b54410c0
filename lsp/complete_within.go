package lsp

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/symbols"
	"github.com/sipc-ml/sipc/dsl"
)

// within offers what may go on with a statement.
func (c *completer) within() {
	first := len(c.in.before) == 1
	switch {
	case c.in.statement == "use":
		c.use(first)
	case c.in.call != "" && c.callArguments():
	case slices.Contains([]string{wordKernel, wordFeatures, wordLearn, "method", "decode"}, c.in.statement):
		if first {
			c.choices()
		}
	case c.in.statement == "seed":
		c.declared(symbols.Let)
	case c.in.statement == "evaluate":
		if first {
			c.add("under", itemKeyword, reservedDocs["under"].form, reservedDocs["under"].doc, "under {${1:rotate(15deg)}}")
		}
		if c.in.braces {
			c.declared(symbols.Map)
			c.declared(symbols.Let)
		}
	case c.in.last() == c.in.statement && c.in.statement != wordRegularize:
		// a name is invented here
	case c.in.statement == "let":
		c.letValue()
	case c.in.statement == wordRegularize:
		c.declared(symbols.Invariance, symbols.Let)
		c.add(wordAuto, itemKeyword, functionDocs[wordAuto].form, functionDocs[wordAuto].doc, "")
		c.add(wordGrid, itemFunction, functionDocs[wordGrid].form, functionDocs[wordGrid].doc, "grid(${1:0.1, 1, 10})")
	case c.in.statement == "invariance" || c.in.statement == "def":
		c.expression()
	}
}

// use offers the families that need no path, with what they say of themselves where that is known.
func (c *completer) use(first bool) {
	if !first {
		c.add("from", itemKeyword, reservedDocs["from"].form, reservedDocs["from"].doc, "from \"${1:./program}\"")
		return
	}
	for _, o := range c.offers() {
		if s := c.n.Lookup(symbols.Family, o.name); s != nil && s.Family != nil {
			c.add(o.name, itemModule, o.detail+", version "+s.Family.Version, s.Doc, "")
		}
		c.add(o.name, itemModule, o.detail, "", "")
	}
}

// choices offers the words that a setting takes, those first that fit the target.
func (c *completer) choices() {
	fitting := compiler.Learners(c.n.info.Data.Target.Task)
	for pass := range 2 {
		for _, choice := range compiler.Vocabulary()[c.in.statement] {
			if c.in.statement == wordLearn && len(fitting) > 0 && slices.Contains(fitting, choice.Word) != (pass == 0) {
				continue
			}
			detail := choice.Word
			if len(choice.Args) > 0 {
				detail = signature(choice.Word, choice.Args)
			}
			c.add(choice.Word, itemEnumMember, detail, choiceDocs[c.in.statement+" "+choice.Word], callSnippet(choice.Word, choice.Args))
		}
	}
}

// callArguments offers the arguments of the call around the place; false where it knows none.
func (c *completer) callArguments() bool {
	call := c.n.callee(c.in)
	switch {
	case c.in.call == "d":
		c.columns()
	case c.in.call == "f":
		c.variables()
		c.labels()
		c.declared(symbols.Map)
	case c.in.call == "binary", c.in.call == wordGrid, c.in.call == wordNorm, c.in.call == "top":
		c.declared(symbols.Let)
	case call == nil || len(call.args) == 0 && c.in.call != wordGraph && c.in.call != wordTaxonomy:
		return false
	case c.n.Global(c.in.call) != nil || c.n.Lookup(symbols.Definition, c.in.call) != nil:
		c.variables()
		c.labels()
		c.expression()
	default:
		c.fill(call.args)
		if c.n.Lookup(symbols.Map, c.in.call) != nil {
			c.variables()
		}
	}
	return true
}

func (c *completer) letValue() {
	if c.in.last() != "=" {
		return
	}
	for _, name := range []string{wordTaxonomy, wordGrid} {
		c.add(name, itemFunction, functionDocs[name].form, functionDocs[name].doc, name+"($1)")
	}
	c.declared(symbols.Let)
	c.declared(symbols.Map)
}

// variables offers the names that are bound at the place, the innermost first.
func (c *completer) variables() {
	for _, name := range slices.Backward(c.in.bound) {
		c.add(name, itemVariable, "bound in this statement", "", "")
	}
	for _, domain := range slices.Backward(c.in.over) {
		for _, v := range c.n.Binds(domain) {
			c.add(v.Name, itemVariable, v.Detail, "", "")
		}
	}
}

// domains offers index sets.
func (c *completer) domains() {
	for _, name := range []string{"x", "rows", wordLabels, wordGraph} {
		insert := ""
		if name == wordGraph {
			insert = "graph(\"${1:edges.csv}\")"
		}
		c.add(name, itemValue, domainDocs[name].form, domainDocs[name].doc, insert)
	}
	c.declared(symbols.IndexSet)
}

// expression offers what may stand in an invariance.
func (c *completer) expression() {
	switch {
	case c.in.last() == wordOver:
		c.domains()
		c.add("λ in [0, 1]", itemOperator, "the parameter of a path", "", "")
		c.add("t in {…}", itemOperator, "transformations, or labels", "", "t in {${1:rotate(10deg)}}")
		c.add("(a, b) in …", itemOperator, "the elements of an index set", "", "(${1:a}, ${2:b}) in ${3:pairs}")
		return
	case c.in.last() == "in":
		c.domains()
		c.variables()
		return
	case c.in.last() == wordWhere || c.in.contains(wordWhere) && (c.in.last() == "and" || c.in.last() == "or" || c.in.last() == "not"):
		c.columns()
		c.variables()
		return
	case c.in.braces:
		c.declared(symbols.Map)
		c.labels()
	case c.ended():
		for _, word := range []string{"of", wordWhere, "in", wordOver} {
			c.add(word, itemKeyword, reservedDocs[word].form, reservedDocs[word].doc, "")
		}
		return
	}
	c.add("f", itemFunction, functionDocs["f"].form, functionDocs["f"].doc, "")
	c.variables()
	c.quantifiers()
	for _, name := range []string{"pos", "hypot"} {
		c.add(name, itemFunction, functionDocs[name].form, functionDocs[name].doc, name+"(${1:e})")
	}
	c.declared(symbols.Definition)
	c.declared(symbols.Def, symbols.Let, symbols.Invariance)
	c.add("d/dλ", itemOperator, "d/dλ f", "The derivative along a path's parameter.", "")
	c.add("d/d(column)", itemOperator, "d/d(column) f", "The derivative along a feature column, per standard deviation of it; d/d(column, unit = raw) f is per unit of the file.", "d/d(${1:column})")
}

func (c *completer) quantifiers() {
	for _, name := range []string{"max", "rms", "mean", "sum", wordNorm, "top"} {
		head := name
		if name == wordNorm || name == "top" {
			head += "(${3:3})"
		}
		c.add(name, itemKeyword, aggregationDocs[name].form, aggregationDocs[name].doc, head+" over ${1:x} of ${2:|f|}")
	}
}

// ended reports whether the lexeme before the place ends an operand, so that only a linking word or an operator can follow.
func (c *completer) ended() bool {
	if len(c.in.before) == 0 {
		return false
	}
	switch last := c.in.before[len(c.in.before)-1]; last.Text {
	case ")", "]", "}":
		return true
	default:
		_, isWord := reservedDocs[last.Word]
		return last.Kind <= dsl.StringToken && !isWord && c.in.last() != "="
	}
}
