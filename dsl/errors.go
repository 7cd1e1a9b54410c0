package dsl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A fault is a diagnostic on its way through the parser.
type fault struct {
	d     *diag.Diagnostic
	write string // what to write in place of a comparison; empty: nothing is known
}

// A thrown fault is one on its way through participle.
type thrown struct{ f *fault }

func (t *thrown) Error() string { return t.f.d.Error() }

func faultAt(code diag.Code, at diag.Span, format string, args ...any) *fault {
	return &fault{d: &diag.Diagnostic{Code: code, Subject: at, Summary: fmt.Sprintf(format, args...)}}
}

func (f *fault) why(format string, args ...any) *fault {
	f.d.Detail = fmt.Sprintf(format, args...)
	return f
}

func (f *fault) mend(format string, args ...any) *fault {
	f.d.Mend = fmt.Sprintf(format, args...)
	return f
}

func (f *fault) related(at diag.Span, format string, args ...any) *fault {
	f.d.Related = append(f.d.Related, diag.Related{Span: at, Message: fmt.Sprintf(format, args...)})
	return f
}

// replace offers an edit. The title is the mend where there is none yet.
func (f *fault) replace(at diag.Span, with, format string, args ...any) *fault {
	title := fmt.Sprintf(format, args...)
	f.d.Fixes = append(f.d.Fixes, diag.Fix{Title: title, Edits: []diag.Edit{{Span: at, New: with}}})
	if f.d.Mend == "" {
		f.d.Mend = title
	}
	return f
}

// insert offers text to be put at the start of a span.
func (f *fault) insert(at diag.Span, text, format string, args ...any) *fault {
	return f.replace(diag.Span{File: at.File, Start: at.Start, End: at.Start}, text, format, args...)
}

// didYouMean offers the word nearest to the one found, or else lists the words.
func (f *fault) didYouMean(at diag.Span, found string, words []string) *fault {
	if w := closest(found, words); w != "" {
		return f.replace(at, w, "did you mean `%s`?", w)
	}
	return f.mend("one of these fits: %s", strings.Join(words, ", "))
}

// named returns a token as messages call it.
func named(t token) string {
	switch {
	case t.isEnd():
		return "the end of the statement"
	case t.kind == stringToken:
		return "the string " + t.text
	case t.kind == numberToken:
		return "the number " + t.text
	}
	return "`" + t.text + "`"
}

func errUnknownStatement(t token) *fault {
	switch {
	case isItemWord(t.word()) && t.kind == identToken:
		return errItemOutsideData(t)
	case slices.Contains(forEach, t.text):
		return faultAt(UnknownStatement, t.span, "unknown statement `%s`", t.text).
			mend("for every row write `invariance NAME = rms over x of …`")
	case t.kind != identToken:
		return faultAt(UnknownStatement, t.span, "a statement cannot begin with %s", named(t)).
			mend("a statement begins with one of %s", strings.Join(statementWords, ", "))
	}
	return faultAt(UnknownStatement, t.span, "unknown statement `%s`", t.text).didYouMean(t.span, t.text, statementWords)
}

func errItemOutsideData(t token) *fault {
	return faultAt(MisplacedStatement, t.span, "`%s` belongs inside a data block", t.text).
		mend("write `data { %s … }`", t.text)
}

func errStatementInsideData(t token) *fault {
	return faultAt(MisplacedStatement, t.span, "`%s` is a statement of its own and cannot stand inside a data block", t.text).
		why("A data block holds %s.", strings.Join(itemWords, ", ")).
		mend("move it out of the braces")
}

func errUnnamedStatement(t token) *fault {
	return faultAt(UnnamedStatement, t.span, "`%s = …` does not say what it defines", t.text).
		mend("write `let %[1]s = …` for a value, or `invariance %[1]s = …` for an invariance", t.text)
}

// errPercent returns a share in hundredths.
func errPercent(number, sign token) *fault {
	f := errUnexpectedCharacter(sign)
	v, err := strconv.ParseFloat(number.text, 64)
	if err != nil {
		return f
	}
	share := strconv.FormatFloat(v/100, 'g', 12, 64)
	v, _ = strconv.ParseFloat(share, 64)
	share = strconv.FormatFloat(v, 'f', -1, 64)
	f.d.Mend = ""
	return f.replace(number.span.To(sign.span), share, "write the share as a number: `%s`", share)
}

func errUnexpectedCharacter(t token) *fault {
	f := faultAt(UnexpectedCharacter, t.span, "unexpected character %s", quoteRune(t.text))
	switch t.text {
	case "^":
		f.why("The language has no powers: an expression must stay linear or a seminorm in f.").
			mend("for a root of a sum of squares write `hypot(…)` or `rms over … of …`")
	case "°":
		f.replace(t.span, "deg", "write degrees as `10deg`")
	case "'", "“", "”", "„", "‘", "’", "`":
		f.mend("strings stand between straight double quotes: \"…\"")
	case "&":
		f.mend("write `and`")
	case "!":
		f.mend("write `not`, or `!=` for unequal")
	case "→", "⇒", "⟹":
		f.mend("write `implies(a, b)`")
	case "∀":
		f.mend("for every row write `rms over x of …`")
	case "%":
		f.mend("write a share as a number: `0.05`")
	case "\\":
		f.mend("a line goes on by itself after an operator, a comma, `of` and inside brackets; remove the `\\`")
	case "‖":
		f.mend("write `norm(2) over … of …` or `hypot(…)` for a norm")
	default:
		f.mend("remove it; a text or a name with other signs stands in quotes")
	}
	return f
}

func quoteRune(s string) string {
	for _, r := range s {
		if r < 0x20 || r == 0x7f || r > 0xffff || (r >= 0x2000 && r < 0x2010) {
			return fmt.Sprintf("U+%04X", r)
		}
	}
	return "`" + s + "`"
}

func errNotText(at diag.Span, b byte) *fault {
	return faultAt(NotText, at, "the spec is not text in UTF-8: byte 0x%02X", b).
		mend("save the file as UTF-8; if it holds data, it is not a spec")
}

func errUnterminatedString(t token) *fault {
	return faultAt(UnterminatedString, t.span, "this string has no closing quote").
		mend("end it with `\"` on the same line")
}

func errBadEscape(at diag.Span, text string) *fault {
	return faultAt(BadEscape, at, "`%s` means nothing in a string", text).
		mend("write `\\\\` for a backslash, `\\\"` for a quote, `\\n` for a line end, `\\t` for a tab; in a path `/` does")
}

func errBadNumber(t token, why string) *fault {
	return faultAt(BadNumber, t.span, "`%s` is not a number", t.text).mend("%s", why)
}

func errUnknownUnit(at diag.Span, number, unit string) *fault {
	f := faultAt(UnknownUnit, at, "unknown unit `%s`", unit).
		why("A number stands alone, as a multiple of the number of training rows (`4n`) or as an angle (`10deg`).")
	switch {
	case strings.HasPrefix(strings.ToLower(unit), "deg") || unit == "°":
		return f.replace(at, "deg", "write `%sdeg`", number)
	case strings.HasPrefix(unit, "rad"):
		return f.mend("give the angle in degrees: `10deg`")
	case slices.Contains(measures, unit):
		return errMeasured(at, number, unit)
	case strings.HasPrefix(unit, "_"):
		return f.mend("write the number without `_`")
	case closest(unit, units) != "":
		return f.didYouMean(at, unit, units)
	}
	return f.mend("for a product write `%s * %s`", number, unit)
}

var closers = map[string]string{"(": ")", "[": "]", "{": "}"}

func errUnclosed(open token, outer []token, at token) *fault {
	f := faultAt(Unclosed, open.span, "this `%s` is never closed", open.text)
	for _, o := range outer[:min(len(outer), 3)] {
		f.related(o.span, "nor is this `%s`", o.text)
	}
	if at.isEnd() {
		return f.mend("add `%s`", closers[open.text])
	}
	return f.related(at.span, "here something else begins").mend("add `%s` before it", closers[open.text])
}

func errUnopened(t token) *fault {
	return faultAt(Unopened, t.span, "this `%s` closes nothing", t.text).
		replace(t.span, "", "remove it, or open the bracket before")
}

func errMismatchedBracket(open, t token) *fault {
	return faultAt(MismatchedBracket, t.span, "`%s` is closed by `%s`", open.text, t.text).
		related(open.span, "opened here").
		replace(t.span, closers[open.text], "write `%s`", closers[open.text])
}

func errUnclosedBar(open, at token) *fault {
	f := faultAt(UnclosedBar, open.span, "this `|` has no partner").
		why("`|…|` is an absolute value. A bar where an expression is wanted opens one, a bar after an expression closes one.")
	if !at.isEnd() {
		f.related(at.span, "the expression ends before this")
	}
	return f.mend("add the closing `|`")
}

func errMissingExpression(after, found token) *fault {
	at := found
	summary := fmt.Sprintf("an expression is missing before %s", named(found))
	if found.isEnd() {
		summary = fmt.Sprintf("an expression is missing after %s", named(after))
	}
	f := faultAt(MissingExpression, at.span, "%s", summary)
	switch {
	case found.text == "+":
		f.mend("a number or an expression has no leading `+`; remove it")
	case found.kind == identToken && isReserved(found.word()):
		f.why("`%s` is a word of the language and names nothing.", found.text)
	case found.text == "*" && after.text == "*":
		f.why("The language has no powers: an expression must stay linear or a seminorm in f.")
	}
	if f.d.Mend == "" {
		f.mend("%s", missingExpressionMend(after, found))
	}
	return f
}

func missingExpressionMend(after, found token) string {
	switch {
	case isStatementWord(after.text) && after.kind == identToken:
		return "write `" + after.text + "` and what it is to be on one line"
	case found.text == "," || after.text == ",":
		return "remove the comma, or write the element that it separates"
	case found.text == ")" || found.text == "}" || found.text == "]":
		return "write what belongs between the brackets"
	case slices.Contains(operators, after.word()) || found.isEnd():
		return "write what follows `" + after.text + "`, or remove it"
	}
	return fmt.Sprintf("write an expression there, or remove %s", named(found))
}

// standard are the statements of the standard library about one column.
var standard = []string{"increasing", "decreasing", "convex", "concave", "smooth", "parity"}

func errUnexpected(before, found token) *fault {
	f := faultAt(UnexpectedToken, found.span, "unexpected %s after %s", strings.TrimPrefix(named(found), "the "), named(before))
	switch {
	case slices.Contains(forEach, before.text):
		return f.mend("for every row write `rms over x of …`")
	case isAggregation(before.text) && found.kind == identToken:
		return unquantified(f, before.text, found)
	case slices.Contains(whenever, found.text):
		return f.mend("a condition stands behind `over`: `rms over x where area > 1 of …`")
	case found.text == wordOver:
		return f.mend("an aggregation stands before `over`: %s", strings.Join(convexAggregations(), ", "))
	case found.text == "|":
		return f.mend("bars come in pairs: remove this one, or open the absolute value before")
	case found.text == "[" || found.text == "{":
		return f.mend("put `in` or an aggregation such as `max` before the bracket, or an operator")
	case found.kind == numberToken && before.kind == identToken:
		return f.mend("write `%[1]s = %[2]s` for an argument, `%[1]s * %[2]s` for a product", before.text, found.text)
	case found.text == ",":
		return f.mend("a list stands in brackets: `max {a, b}`, `hypot(a, b)`")
	case found.kind == identToken && slices.Contains(standard, before.text):
		return f.mend("write `%s(%s)`", before.text, found.text)
	case lacksProduct(before, found):
		return f.insert(found.span, "* ", "for a product write `%s * %s`", before.text, found.text)
	}
	return f.mend("remove it, or put an operator or a line end before it")
}

// lacksProduct reports whether two tokens end and begin operands, as in `2 f`.
func lacksProduct(before, found token) bool {
	ends := before.kind == numberToken || before.text == ")" || before.kind == identToken
	begins := found.kind == identToken || found.kind == numberToken || found.text == "("
	return ends && begins && !isReserved(found.word())
}

func errMissingName(of string, found token) *fault {
	if found.kind == identToken && isReserved(found.word()) {
		return faultAt(ReservedName, found.span, "`%s` is a word of the language and cannot be the name of %s", found.text, of).
			mend("take another name")
	}
	return faultAt(MissingName, found.span, "the name of %s is missing before %s", of, named(found)).
		mend("a name begins with a letter and goes on with letters, digits and `_`")
}

func errMissingEquals(word string, found, next token) *fault {
	f := faultAt(MissingEquals, found.span, "`=` is missing before %s", named(found))
	if next.text == "=" {
		return f.replace(found.span, "", "write `=` alone")
	}
	switch found.text {
	case "==":
		return f.replace(found.span, "=", "write `=`: `==` compares, inside `where`")
	case ":", "<", "<=", ">":
		return f.replace(found.span, "=", "write `=`")
	}
	return f.insert(found.span, "= ", "write `%s NAME = …`", word)
}

func errStrayEquals(t token, inWhere bool) *fault {
	f := faultAt(StrayEquals, t.span, "`=` cannot stand inside an expression")
	if inWhere {
		return f.replace(t.span, "==", "write `==` to compare")
	}
	return f.mend("`=` stands after a name that is defined, and after the name of an argument: `shift(dx = 2)`")
}

// errStatementEquals returns the fault of an equals sign behind the word of a statement that sets something.
func errStatementEquals(word string, t token) *fault {
	f := faultAt(StrayEquals, t.span, "`=` cannot stand in `%s …`", word)
	switch word {
	case "regularize":
		return f.mend("remove the `=`; regularize takes invariances, each with its weight before it: `regularize 2 * NAME`")
	case "learn", "kernel", "features":
		return f.replace(t.span, "", "remove the `=`: write `%s NAME(argument = …)`", word)
	}
	return f.replace(t.span, "", "remove the `=`: write `%s …`", word)
}

func errComparison(t token) *fault {
	f := faultAt(ComparisonOutsideWhere, t.span, "`%s` belongs to a condition, after `where`", t.text).
		why("An expression has a value for every f; conditions choose elements: `mean over x where age >= 9 of f`.")
	if t.text == "==" {
		return f.mend("put the condition into `where`, or write `=` to define")
	}
	return f.mend("put the condition into `where`")
}

func errChained(first, second token) *fault {
	return faultAt(ChainedComparison, second.span, "comparisons cannot follow each other").
		related(first.span, "the first one").
		mend("join two conditions: `a %s b and b %s c`", first.text, second.text)
}

func errMissingOf(op *Agg, found token) *fault {
	f := faultAt(MissingOf, found.span, "`of` is missing before %s", named(found)).
		related(op.Place, "the quantifier begins here")
	if found.kind == identToken && closest(found.text, []string{wordOf, wordWhere, wordIn}) != "" {
		return f.didYouMean(found.span, found.text, []string{wordOf, wordWhere, wordIn})
	}
	switch found.text {
	case "=", ":":
		return f.replace(found.span, "of", "write `of`")
	case "and", "&":
		return f.mend("a comma separates what a quantifier ranges over: `%s over x, z in rows of …`", op.Name)
	}
	return f.insert(found.span, "of ", "write `%s over … of …`", op.Name)
}

func errBadBinder(found token, why string) *fault {
	return faultAt(BadBinder, found.span, "%s binds nothing", named(found)).why("%s", why).
		mend("write `over x`, `over pairs(…)`, `over t in {…}`, `over λ in [0, 1]` or `over (a, b) in edges(…)`")
}

func errMissingIn(names string, found token) *fault {
	return faultAt(BadBinder, found.span, "`in` is missing before %s", named(found)).
		mend("write `%s in …`: the set that the quantifier ranges over", names)
}

func errUnknownAggregation(t token) *fault {
	f := faultAt(UnknownAggregation, t.span, "`%s` is not an aggregation", t.text)
	words := convexAggregations()
	switch t.text {
	case "average", "avg":
		return f.replace(t.span, "mean", "did you mean `mean`?")
	case "maximum", "sup":
		return f.replace(t.span, "max", "did you mean `max`?")
	case "total":
		return f.replace(t.span, "sum", "did you mean `sum`?")
	case "hypot", "l2":
		return f.replace(t.span, "norm(2)", "did you mean `norm(2)`?")
	}
	return f.didYouMean(t.span, t.text, words)
}

func errAggregationWithout(name string, at diag.Span) *fault {
	what := map[string]string{"norm": "its exponent: `norm(2)`", "top": "a count: `top(5)`"}[name]
	return faultAt(AggregationArgument, at, "`%s` lacks its argument", name).mend("give it %s", what)
}

func errAggregationWith(name string, at diag.Span) *fault {
	if name == "norm" || name == "top" {
		return faultAt(AggregationArgument, at, "`%s` takes one argument, without a name", name).
			mend("write `%s(2)`", name)
	}
	return faultAt(AggregationArgument, at, "`%s` takes no argument", name).
		mend("only `norm(p)` and `top(k)` take one")
}

func errLineBreak(prev, t token) *fault {
	f := faultAt(LineBreak, t.span, "the statement ended before %s", named(t)).
		why("A statement ends at the end of its line, unless the line ends inside brackets, after an operator, a comma or `of`.").
		related(pointAfter(prev.span), "it ended here")
	return f.mend("put %s at the end of the line before", named(t))
}

func errBareWord(word, t token) *fault {
	return faultAt(LineBreak, pointAfter(word.span), "the line ends after `%s`, where the statement cannot end", word.text).
		related(t.span, "does this belong to it?").
		mend("write it on one line: `%s %s …`", word.text, t.text)
}

func errTwoStatements(t token) *fault {
	if t.text == ";" {
		return faultAt(TwoStatements, t.span, "`;` does not separate statements").
			replace(t.span, "\n", "put each statement on a line of its own")
	}
	return faultAt(TwoStatements, t.span, "another statement begins here").
		insert(t.span, "\n", "put `%s` on a line of its own", t.text)
}

func errUnknownItem(t token) *fault {
	switch {
	case t.kind == identToken && isStatementWord(t.word()):
		return errStatementInsideData(t)
	case t.kind != identToken:
		return faultAt(UnknownItem, t.span, "an item of a data block cannot begin with %s", named(t)).
			mend("an item begins with one of %s", strings.Join(itemWords, ", "))
	}
	return faultAt(UnknownItem, t.span, "a data block has no item `%s`", t.text).
		didYouMean(t.span, t.text, itemWords)
}

func errMissingType(found token) *fault {
	f := faultAt(MissingType, found.span, "the type of the target is missing before %s", named(found))
	if found.text == "=" {
		return f.replace(found.span, ":", "write `:` before the type")
	}
	return f.mend("write `target NAME : class`, `real`, `multilabel` or `binary(a, b)`")
}

func errBadType(at diag.Span) *fault {
	return faultAt(MissingType, at, "this is not the type of a target").
		mend("write `class`, `real`, `multilabel` or `binary(a, b)`")
}

func errMissingBracket(bracket, after string, found token) *fault {
	return faultAt(MissingBracket, found.span, "`%s` is missing after %s", bracket, after).
		mend("open the bracket before %s, and close it with `%s`", named(found), closers[bracket])
}

func errMissingComma(before, found token) *fault {
	return faultAt(MissingComma, found.span, "a comma is missing between %s and %s", named(before), named(found)).
		insert(found.span, ", ", "separate them by a comma")
}

func errBadInterval(at diag.Span, ends int) *fault {
	return faultAt(BadInterval, at, "an interval has two ends, not %d", ends).
		mend("write `[0, 1]` for an interval, `{…}` for a set")
}

func errBadColumn(at diag.Span) *fault {
	return faultAt(BadColumn, at, "this is no column").
		mend("list names (`columns area, \"living area\"`), or write `columns image(28, 28)` or `columns columns(\"pixel_*\")`")
}

func errBadDerivative(found token) *fault {
	return faultAt(BadDerivative, found.span, "%s is nothing to derive along", named(found)).
		mend("write `d/dλ f` along a path, `d/d(area) f` along a column, `d/dt f` along a transformation")
}

func errBadUnit(found token, column *Ident) *fault {
	return faultAt(BadDerivative, found.span, "%s is no unit of a derivative", named(found)).
		mend("write `d/d(%[1]s) f` per standard deviation of the column, `d/d(%[1]s, unit = raw) f` per unit of the file", column.Raw)
}

func errMissingWord(word string, found token) *fault {
	f := faultAt(MissingWord, found.span, "`%s` is missing before %s", word, named(found))
	if found.kind == identToken && closest(found.text, []string{word}) != "" {
		return f.didYouMean(found.span, found.text, []string{word})
	}
	return f.insert(found.span, word+" ", "write `%s`", word)
}

func errMissingText(found token) *fault {
	f := faultAt(MissingExpression, found.span, "a path in quotes is missing before %s", named(found))
	if found.kind == identToken {
		return f.replace(found.span, `"`+found.text+`"`, "write `from \"%s\"`", found.text)
	}
	return f.mend("write `from \"…\"`")
}

func errTooDeep(at diag.Span, levels int) *fault {
	return faultAt(TooDeep, at, "the expression is nested more than %d levels deep", levels).
		mend("name a part of it with `def` or `let`")
}

func errTooLong(at diag.Span, terms int) *fault {
	return faultAt(TooDeep, at, "the expression joins more than %d parts", terms).
		mend("name a part of it with `def` or `let`")
}

// pointAfter returns the empty span behind s.
func pointAfter(s diag.Span) diag.Span { return diag.Span{File: s.File, Start: s.End, End: s.End} }

// errOtherComment returns the fault of a comment as other languages write it.
func errOtherComment(t token) *fault {
	sign := t.span
	sign.End = advanced(sign.Start, t.text[:2])
	return faultAt(UnexpectedCharacter, sign, "`%s` begins no comment", t.text[:2]).
		replace(sign, "#", "a comment begins with `#`, and ends with its line")
}
