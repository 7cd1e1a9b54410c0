package lsp

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
)

// within offers what may go on with a statement.
func (c *completer) within() {
	first := len(c.before) == 1
	switch {
	case c.statement == "use":
		c.use(first)
	case c.call != "" && c.callArguments():
	case slices.Contains([]string{wordKernel, wordFeatures, wordLearn, "method", "decode"}, c.statement):
		if first {
			c.choices()
		}
	case c.statement == "seed":
		c.globals(letSymbol)
	case c.statement == "evaluate":
		if first {
			c.add("under", itemKeyword, reservedDocs["under"].form, reservedDocs["under"].doc, "under {${1:rotate(15deg)}}")
		}
		if c.braces {
			c.maps()
			c.globals(letSymbol)
		}
	case c.last() == c.statement && c.statement != wordRegularize:
		// a name is invented here
	case c.statement == "let":
		c.letValue()
	case c.statement == wordRegularize:
		c.globals(invarianceSymbol, letSymbol)
		c.add(wordAuto, itemKeyword, functionDocs[wordAuto].form, functionDocs[wordAuto].doc, "")
		c.add(wordGrid, itemFunction, functionDocs[wordGrid].form, functionDocs[wordGrid].doc, "grid(${1:0.1, 1, 10})")
	case c.statement == "invariance" || c.statement == "def":
		c.expression()
	}
}

// use offers the families that need no path: those that are built in, and those that the lock knows.
func (c *completer) use(first bool) {
	if !first {
		c.add("from", itemKeyword, reservedDocs["from"].form, reservedDocs["from"].doc, "from \"${1:./program}\"")
		return
	}
	for _, name := range sortedKeys(c.s.options.Families) {
		c.family(name, "a family")
	}
	pinned, _ := c.s.pinned(c.d) // what is wrong with the lock is said where it matters
	for _, name := range sortedKeys(pinned) {
		c.family(name, "a family that "+lockName+" pins, "+strings.Join(pinned[name], ", "))
	}
}

// family offers a family, with what it says of itself where that is known.
func (c *completer) family(name, detail string) {
	doc := ""
	if schema := c.a.names().families.family[name]; schema != nil && schema.Name == name {
		detail, doc = detail+", version "+schema.Version, schema.Doc
	}
	c.add(name, itemModule, detail, doc, "")
}

// choices offers the words that a setting takes, those first that fit the target.
func (c *completer) choices() {
	fitting := compiler.Learners(c.a.around.Data.Target.Task)
	for pass := range 2 {
		for _, choice := range vocabulary()[c.statement] {
			if c.statement == wordLearn && len(fitting) > 0 && slices.Contains(fitting, choice.Word) != (pass == 0) {
				continue
			}
			detail := choice.Word
			if len(choice.Args) > 0 {
				detail = signature(choice.Word, choice.Args)
			}
			c.add(choice.Word, itemEnumMember, detail, choiceDocs[c.statement+" "+choice.Word], callSnippet(choice.Word, choice.Args))
		}
	}
}

// callArguments offers the arguments of the call around the place; false where it knows none.
func (c *completer) callArguments() bool {
	call := c.a.callee(c.place)
	switch {
	case c.call == "d":
		c.columns()
	case c.call == "f":
		c.variables()
		c.labels()
		c.maps()
	case c.call == "binary", c.call == wordGrid, c.call == wordNorm, c.call == "top":
		c.globals(letSymbol)
	case call == nil || len(call.args) == 0 && c.call != wordGraph && c.call != wordTaxonomy:
		return false
	case c.a.names().globals[c.call] != nil || c.a.names().families.defs[c.call] != nil:
		c.variables()
		c.labels()
		c.expression()
	default:
		c.fill(call.args)
		if c.a.names().families.maps[c.call] != nil {
			c.variables()
		}
	}
	return true
}

func (c *completer) letValue() {
	if c.last() != "=" {
		return
	}
	for _, name := range []string{wordTaxonomy, wordGrid} {
		c.add(name, itemFunction, functionDocs[name].form, functionDocs[name].doc, name+"($1)")
	}
	c.globals(letSymbol)
	c.maps()
}

func (c *completer) maps() {
	for _, name := range sortedKeys(c.a.names().families.maps) {
		m := c.a.names().families.maps[name]
		c.add(name, itemFunction, signature(name, m.Args), m.Doc, callSnippet(name, m.Args))
	}
}

// variables offers the names that are bound at the place, the innermost first.
func (c *completer) variables() {
	for _, name := range slices.Backward(c.bound) {
		c.add(name, itemVariable, "bound in this statement", "", "")
	}
	for _, domain := range slices.Backward(c.over) {
		for _, bind := range c.a.names().families.binds(domain) {
			c.add(bind.Name, itemVariable, bindDetail(bind), "", "")
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
	for _, name := range sortedKeys(c.a.names().families.domains) {
		d := c.a.names().families.domains[name]
		c.add(name, itemValue, signature(name, d.Args), d.Doc, callSnippet(name, d.Args))
	}
}

// expression offers what may stand in an invariance.
func (c *completer) expression() {
	switch {
	case c.last() == wordOver:
		c.domains()
		c.add("λ in [0, 1]", itemOperator, "the parameter of a path", "", "")
		c.add("t in {…}", itemOperator, "transformations, or labels", "", "t in {${1:rotate(10deg)}}")
		c.add("(a, b) in …", itemOperator, "the elements of an index set", "", "(${1:a}, ${2:b}) in ${3:pairs}")
		return
	case c.last() == "in":
		c.domains()
		c.variables()
		return
	case c.last() == wordWhere || c.contains(wordWhere) && (c.last() == "and" || c.last() == "or" || c.last() == "not"):
		c.columns()
		c.variables()
		return
	case c.braces:
		c.maps()
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
	for _, name := range sortedKeys(c.a.names().families.defs) {
		if g := c.a.names().globals[name]; g != nil && g.kind == defSymbol {
			continue // it takes the other's place
		}
		def := c.a.names().families.defs[name]
		c.add(name, itemFunction, def.Source, def.Doc, callSnippet(name, paramsOf(def.Source)))
	}
	c.globals(defSymbol, letSymbol, invarianceSymbol)
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
	if len(c.before) == 0 {
		return false
	}
	switch last := c.before[len(c.before)-1]; last.Text {
	case ")", "]", "}":
		return true
	default:
		_, isWord := reservedDocs[last.Word]
		return last.Kind <= dsl.StringToken && !isWord && c.last() != "="
	}
}
