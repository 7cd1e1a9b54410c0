package lsp

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/symbols"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// within offers what may go on with a statement.
func (c *completer) within() {
	first := len(c.in.before) == 1
	switch {
	case c.in.statement == "use":
		c.families(first)
	case c.in.call != "" && c.callArguments():
	case compiler.Vocabulary()[c.in.statement] != nil && first:
		c.choices()
	case c.in.statement == wordLearn:
		c.maps(false)
	case compiler.Vocabulary()[c.in.statement] != nil:
		// nothing goes on with it
	case c.in.statement == "seed":
		c.declared(symbols.Let)
	case c.in.statement == wordEvaluate, c.in.statement == wordAugment:
		c.maps(first)
	case c.in.last() == c.in.statement && c.in.statement != wordRegularize:
		// a name is invented here
	default:
		c.value()
	}
}

// maps offers what may go on with evaluate or augment, and with learn behind its learner.
func (c *completer) maps(first bool) {
	linked := c.in.contains(wordUnder)
	switch {
	case c.in.statement == wordEvaluate && first, c.in.statement == wordLearn && !linked:
		c.words(reservedDocs, itemKeyword, wordUnder)
	case c.in.last() == wordUnder, first:
		sets(c)
		if c.in.statement != wordLearn {
			c.words(domainDocs, itemValue, wordOrbit)
		}
	case c.in.braces:
		c.declared(symbols.Map)
		c.declared(symbols.Let)
	}
}

// value offers what may stand behind the name that a statement declares, or behind regularize.
func (c *completer) value() {
	switch c.in.statement {
	case "let":
		if c.in.last() == "=" {
			c.words(functionDocs, itemFunction, wordTaxonomy, wordGrid)
			c.words(domainDocs, itemValue, wordGraph, wordOrbit)
			c.declared(symbols.Let)
			c.declared(symbols.Map, symbols.IndexSet)
		}
	case wordRegularize:
		c.declared(symbols.Invariance, symbols.Let)
		c.words(functionDocs, itemKeyword, wordAuto)
		c.words(functionDocs, itemFunction, wordGrid)
	case "expect":
		c.declared(symbols.Invariance, symbols.Let)
		c.words(figureDocs, itemFunction)
		for _, name := range metric.Names(string(c.n.info.Data.Target.Task)) {
			c.add(name, itemKeyword, "a metric of the test rows", "", "")
		}
	case "invariance", "measure", "def", wordRequire:
		c.expression()
	}
}

// families offers, first of all, those that need no path, with what they say of themselves where that is known.
func (c *completer) families(first bool) {
	if !first {
		c.words(reservedDocs, itemKeyword, "from")
		return
	}
	for _, o := range c.q.offers() {
		detail, doc := o.detail, ""
		if s := c.n.Lookup(symbols.Family, o.name); s != nil && s.Family != nil {
			detail, doc = o.detail+", version "+s.Family.Version, s.Doc
		}
		c.add(o.name, itemModule, detail, doc, "")
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
		c.columnVariables()
		c.columns()
	case c.in.call == wordColumns:
		c.columns()
	case c.in.call == wordBox:
		sides(c)
	case c.in.call == "f":
		c.variables()
		c.labels()
		c.declared(symbols.Map)
	case c.in.call == "binary", c.in.call == wordGrid, c.in.call == wordSample, c.in.call == wordNorm, c.in.call == "top":
		c.declared(symbols.Let)
	case isKernelOfColumns(c):
		kernelsOfColumns(c)
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

// isKernelOfColumns reports whether the call around the place is a kernel that is a sum over columns.
func isKernelOfColumns(c *completer) bool {
	return c.in.statement == wordKernel && (c.in.call == string(setting.Additive) || c.in.call == string(setting.Pairwise))
}

// kernelsOfColumns offers what may stand in a kernel of columns: kernels of one, then columns, and the word before a list of pairs.
func kernelsOfColumns(c *completer) {
	for _, choice := range compiler.ColumnKernels() {
		c.add(choice.Word, itemEnumMember, signature(choice.Word, choice.Args), "", callSnippet(choice.Word, choice.Args))
	}
	c.columns()
	if c.in.call == string(setting.Pairwise) && !c.in.braces {
		c.add("only", itemKeyword, "only = {(a, b), …}", "The pairs of columns that count.", "only = {($1, $2)}")
	}
}

// sides offers what may stand in a box: a column for its side, or what all others run through.
func sides(c *completer) {
	switch c.in.name {
	case wordOthers:
		c.words(domainDocs, itemValue, wordBox, "rows")
	case "":
		c.columns()
		c.add(wordOthers, itemKeyword, "what all other columns run through: box, rows, rows(\"FILE\")", "", "")
	}
}

// columnVariables offers the names that are bound to columns at the place.
func (c *completer) columnVariables() {
	for i, t := range c.in.before {
		if t.Word == wordIn && i > 0 && i+1 < len(c.in.before) && c.in.before[i+1].Word == wordColumns {
			c.add(c.in.before[i-1].Text, itemVariable, "a column, bound in this statement", "", "")
		}
	}
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

// expression offers what may stand in an invariance.
func (c *completer) expression() {
	switch last := c.in.last(); {
	case last == wordOver, last == wordIn:
		c.words(domainDocs, itemValue, "rows", wordSample, wordLabels, wordLevels, wordGraph, wordColumns, wordOrbit)
		c.declared(symbols.IndexSet)
		sets(c)
		if c.in.statement == wordRequire && last == wordIn {
			c.words(domainDocs, itemValue, wordBox)
		}
		if c.in.statement == wordRequire && last == wordOver {
			c.words(binderDocs, itemOperator, "x in box")
		}
		if last == wordOver {
			c.words(domainDocs, itemValue, "x")
			c.words(binderDocs, itemOperator, "λ in [0, 1]", "t in {…}", "t in orbit", "(a, b) in …")
		} else {
			c.variables()
		}
		return
	case last == wordWhere || c.in.contains(wordWhere) && (last == "and" || last == "or" || last == "not"):
		c.columns()
		c.variables()
		c.declared(symbols.Let, symbols.Def)
		return
	case c.in.braces:
		c.declared(symbols.Map)
		c.labels()
	case c.ended():
		c.words(reservedDocs, itemKeyword, "of", wordWhere, wordIn, wordOver)
		return
	}
	c.words(functionDocs, itemFunction, "f")
	c.variables()
	c.words(aggregationDocs, itemKeyword, "max", "rms", "mean", "sum", wordNorm, "top")
	c.words(functionDocs, itemFunction, "pos", "hypot")
	c.declared(symbols.Definition)
	c.declared(symbols.Def, symbols.Let, symbols.Invariance)
	c.words(derivativeDocs, itemOperator, "d/dλ", "d/d(column)")
}

// sets offers the lets that hold sets.
func sets(c *completer) {
	for _, s := range c.n.All(symbols.Let) {
		if s.Detail == symbols.Set {
			c.add(s.Name, itemValue, c.n.doc.source(s.Decl.Span()), "", "")
		}
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
