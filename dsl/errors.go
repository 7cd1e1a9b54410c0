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

// A message says what is wrong, why, and how to mend it. Its texts have places for what is at fault, `%[1]s`.
type message struct {
	code                  diag.Code
	summary, detail, mend string
}

// The messages that say the same wherever their mistake is made.
var (
	itemOutside      = message{MisplacedStatement, "`%[1]s` belongs inside a data block", "", "write `data { %[1]s … }`"}
	unnamedStatement = message{UnnamedStatement, "`%[1]s = …` does not say what it defines", "", "write `let %[1]s = …` for a value, or `invariance %[1]s = …` for an invariance"}
	notText          = message{NotText, "the spec is not text in UTF-8: byte 0x%02[1]X", "", "save the file as UTF-8; if it holds data, it is not a spec"}
	unterminated     = message{UnterminatedString, "this string has no closing quote", "", "end it with `\"` on the same line"}
	badEscape        = message{BadEscape, "`%[1]s` means nothing in a string", "", "write `\\\\` for a backslash, `\\\"` for a quote, `\\n` for a line end, `\\t` for a tab; in a path `/` does"}
	badNumber        = message{BadNumber, "`%[1]s` is not a number", "", "%[2]s"}
	unopened         = message{Unopened, "this `%[1]s` closes nothing", "", ""}
	unclosedBar      = message{UnclosedBar, "this `|` has no partner", "`|…|` is an absolute value. A bar where an expression is wanted opens one, a bar after an expression closes one.", "add the closing `|`"}
	reservedName     = message{ReservedName, "`%[1]s` is a word of the language and cannot be the name of %[2]s", "", "take another name"}
	missingName      = message{MissingName, "the name of %[2]s is missing before %[1]s", "", "a name begins with a letter and goes on with letters, digits and `_`"}
	chained          = message{ChainedComparison, "comparisons cannot follow each other", "", "join two conditions: `a %[1]s b and b %[2]s c`"}
	badBinder        = message{BadBinder, "%[1]s binds nothing", "%[2]s", "write `over x`, `over pairs(…)`, `over t in {…}`, `over λ in [0, 1]` or `over (a, b) in edges(…)`"}
	missingIn        = message{BadBinder, "`in` is missing before %[1]s", "", "write `%[2]s in …`: the set that the quantifier ranges over"}
	lacksArgument    = message{AggregationArgument, "`%[1]s` lacks its argument", "", "give it %[2]s"}
	oneArgument      = message{AggregationArgument, "`%[1]s` takes one argument, without a name", "", "write `%[1]s(2)`"}
	noArgument       = message{AggregationArgument, "`%[1]s` takes no argument", "", "only `norm(p)` and `top(k)` take one"}
	endsTooSoon      = message{LineBreak, "the statement ended before %[1]s", "A statement ends at the end of its line, unless the line ends inside brackets, after an operator, a comma or `of`.", "put %[1]s at the end of the line before"}
	bareWord         = message{LineBreak, "the line ends after `%[1]s`, where the statement cannot end", "", "write it on one line: `%[1]s %[2]s …`"}
	badType          = message{MissingType, "this is not the type of a target", "", "write `class`, `real`, `multilabel` or `binary(a, b)`"}
	badColumnType    = message{MissingType, "%[1]s is not the type of a column", "", "write `real`, `integer`, `integer [0, 120]` for numbers within bounds, `date`, `text`, or the values, `{north, south}`"}
	missingBracket   = message{MissingBracket, "`%[1]s` is missing after %[2]s", "", "open the bracket before %[3]s, and close it with `%[4]s`"}
	badInterval      = message{BadInterval, "an interval has two ends, not %[1]d", "", "write `[0, 1]` for an interval, `{…}` for a set"}
	badColumn        = message{BadColumn, "this is not a column", "", "list names (`columns area, \"living area\"`), or write `columns image(28, 28)` or `columns columns(\"pixel_*\")`; `ignore group` leaves one out"}
	badDerivative    = message{BadDerivative, "%[1]s is nothing to differentiate along", "", "write `d/dλ f` along a path, `d/d(area) f` along a column, `d/dt f` along a transformation"}
	badUnit          = message{BadDerivative, "%[1]s is not a unit of a derivative", "", "write `d/d(%[2]s) f` per standard deviation of the column, `d/d(%[2]s, unit = raw) f` per unit of the file"}
	tooDeep          = message{TooDeep, "the expression is nested more than %[1]d levels deep", "", "name a part of it with `def` or `let`"}
	tooLong          = message{TooDeep, "the expression joins more than %[1]d parts", "", "name a part of it with `def` or `let`"}
	uncompared       = message{BadRelation, "%[1]s stands where a statement compares", "A statement holds where one side is at least, at most or equal to the other.", "write `require NAME = d/d(area) f >= 0 over x in box`, with >=, <= or =="}
	strict           = message{BadRelation, "a statement holds by `>=`, `<=` or `==`, not by `%[1]s`", "%[2]s", "write `%[3]s`"}
	twoWays          = message{BadRelation, "`%[1]s` and `%[2]s` go in different directions", "A chain of comparisons has one direction and no ==, as in `0 <= f <= 1`.", "write two statements"}
	measured         = message{
		UnknownUnit, "unknown unit `%[1]s`",
		"A number stands alone, as a multiple of the number of training rows (`4n`) or as an angle (`10deg`). Amounts are in the units of their column.", "",
	}
)

// at returns the message as a fault at a place, of the arguments.
func (m *message) at(place diag.Span, args ...any) *fault {
	fill := func(text string) string {
		if !strings.Contains(text, "%") {
			return text
		}
		return fmt.Sprintf(text, args...)
	}
	return &fault{d: &diag.Diagnostic{Code: m.code, Subject: place, Summary: fill(m.summary), Detail: diag.Sentence(fill(m.detail)), Mend: diag.Sentence(fill(m.mend))}}
}

func faultAt(code diag.Code, at diag.Span, format string, args ...any) *fault {
	return &fault{d: &diag.Diagnostic{Code: code, Subject: at, Summary: fmt.Sprintf(format, args...)}}
}

// list returns the fault as a list, which is empty where there is none.
func (f *fault) list() diag.List {
	if f == nil {
		return nil
	}
	return diag.List{f.d}
}

func (f *fault) why(format string, args ...any) *fault {
	f.d.Detail = diag.Sentence(fmt.Sprintf(format, args...))
	return f
}

func (f *fault) mend(format string, args ...any) *fault {
	f.d.Mend = diag.Sentence(fmt.Sprintf(format, args...))
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
		f.d.Mend = diag.Sentence(title)
	}
	return f
}

// instead offers an edit in the place of the mend and the edits that there are.
func (f *fault) instead(at diag.Span, with, format string, args ...any) *fault {
	f.d.Mend, f.d.Fixes = "", nil
	return f.replace(at, with, format, args...)
}

// insert offers text to be put at the start of a span.
func (f *fault) insert(at diag.Span, text, format string, args ...any) *fault {
	return f.replace(diag.Span{File: at.File, Start: at.Start, End: at.Start}, text, format, args...)
}

// spelling says of the last edit offered that it changes how something is written, and not what is meant.
func (f *fault) spelling() *fault {
	f.d.Fixes[len(f.d.Fixes)-1].Spelling = true
	return f
}

// didYouMean offers the word nearest to the one found, or else lists the words.
func (f *fault) didYouMean(at diag.Span, found string, words []string) *fault {
	if w := closest(found, words); w != "" {
		return f.replace(at, w, "did you mean `%s`?", w).spelling()
	}
	return f.mend("one of these fits: %s", strings.Join(words, ", "))
}

// named returns a token as messages call it.
func named(t Token) string {
	switch {
	case t.isEnd():
		return "the end of the statement"
	case t.Kind == StringToken:
		return "the string " + t.Text
	case t.Kind == NumberToken:
		return "the number " + t.Text
	}
	return "`" + t.Text + "`"
}

// errFirstWord returns the fault of a token that begins no statement, or no item of a data block.
func errFirstWord(t Token, code diag.Code, a, unknown string, words []string) *fault {
	if t.Kind != WordToken {
		return faultAt(code, t.Span, "%s cannot begin with %s", a, named(t)).
			mend("%s begins with one of %s", strings.Replace(a, " of a data block", "", 1), strings.Join(words, ", "))
	}
	return faultAt(code, t.Span, "%s `%s`", unknown, t.Text).didYouMean(t.Span, t.Text, words)
}

func errUnknownStatement(t Token) *fault {
	switch {
	case isItemWord(t.Word) && t.Kind == WordToken:
		return itemOutside.at(t.Span, t.Text)
	case slices.Contains(forEach, t.Text):
		return faultAt(UnknownStatement, t.Span, "unknown statement `%s`", t.Text).
			mend("for every row write `invariance NAME = rms over x of …`")
	}
	return errFirstWord(t, UnknownStatement, "a statement", "unknown statement", statementWords)
}

func errUnknownItem(t Token) *fault {
	if t.Kind == WordToken && isStatementWord(t.Word) {
		return faultAt(MisplacedStatement, t.Span, "`%s` is a statement of its own and cannot stand inside a data block", t.Text).
			why("A data block holds %s.", strings.Join(itemWords, ", ")).mend("move it out of the braces")
	}
	return errFirstWord(t, UnknownItem, "an item of a data block", "a data block has no item", itemWords)
}

// errPercent returns a percent sign that stands apart from its number.
func errPercent(number, sign Token) *fault {
	f := errInvalid(sign)
	if _, err := strconv.ParseFloat(number.Text, 64); err != nil {
		return f
	}
	share := number.Text + "%"
	return f.instead(number.Span.To(sign.Span), share, "write the sign at once after the number: `%s`", share)
}

const noPowers = "The language has no powers: an expression must stay linear or a seminorm in f."

// quotes are the signs that elsewhere stand around a text.
var quotes = []string{"'", "“", "”", "„", "‘", "’", "`"}

// foreign says what to write for the characters that mean something elsewhere.
var foreign = map[string]string{
	"^": "for a root of a sum of squares write `hypot(…)` or `rms over … of …`",
	"&": "write `and`", "!": "write `not`, or `!=` for unequal", "∀": "for every row write `rms over x of …`",
	"→": "write `implies(a, b)`", "⇒": "write `implies(a, b)`", "⟹": "write `implies(a, b)`",
	"%":  "write it at once after a number: `5%` is 0.05",
	"\\": "a line goes on by itself after an operator, a comma, `of` and inside brackets; remove the `\\`",
	"‖":  "write `norm(2) over … of …` or `hypot(…)` for a norm",
}

// errInvalid returns the fault of a character that is none of the language's, or of a comment as other languages write one.
func errInvalid(t Token) *fault {
	if strings.HasPrefix(t.Text, "/") {
		sign := t.Span
		sign.End = advanced(sign.Start, t.Text[:2])
		return faultAt(UnexpectedCharacter, sign, "`%s` begins no comment", t.Text[:2]).
			replace(sign, "#", "a comment begins with `#`, and ends with its line")
	}
	f := faultAt(UnexpectedCharacter, t.Span, "unexpected character %s", quoteRune(t.Text))
	switch {
	case t.Text == "^":
		f.why(noPowers)
	case t.Text == "°":
		return f.replace(t.Span, "deg", "write degrees as `10deg`").spelling()
	case slices.Contains(quotes, t.Text):
		return f.mend("strings stand between straight double quotes: \"…\"")
	}
	if write := foreign[t.Text]; write != "" {
		return f.mend("%s", write)
	}
	return f.mend("remove it; a text or a name with other signs stands in quotes")
}

func quoteRune(s string) string {
	for _, r := range s {
		if r < 0x20 || r == 0x7f || r > 0xffff || (r >= 0x2000 && r < 0x2010) {
			return fmt.Sprintf("U+%04X", r)
		}
	}
	return "`" + s + "`"
}

func errUnknownUnit(at diag.Span, number, unit string) *fault {
	f := faultAt(UnknownUnit, at, "unknown unit `%s`", unit).
		why("A number stands alone, as a multiple of the number of training rows (`4n`) or as an angle (`10deg`).")
	switch {
	case strings.HasPrefix(strings.ToLower(unit), "deg") || unit == "°":
		return f.replace(at, "deg", "write `%sdeg`", number).spelling()
	case strings.HasPrefix(unit, "rad"):
		return f.mend("give the angle in degrees: `10deg`")
	case slices.Contains(measures, unit):
		return measured.at(at, unit).replace(at, "", "leave the unit out: write `%s`", number)
	case strings.HasPrefix(unit, "_"):
		return f.mend("write the number without `_`")
	case closest(unit, units) != "":
		return f.didYouMean(at, unit, units)
	}
	return f.mend("for a product write `%s * %s`", number, unit)
}

var closers = map[string]string{"(": ")", "[": "]", "{": "}"}

func errUnclosed(open Token, outer []Token, at Token) *fault {
	f := faultAt(Unclosed, open.Span, "this `%s` is never closed", open.Text)
	for _, o := range outer[:min(len(outer), 3)] {
		f.related(o.Span, "nor is this `%s`", o.Text)
	}
	if at.isEnd() {
		return f.mend("add `%s`", closers[open.Text])
	}
	return f.related(at.Span, "here something else begins").mend("add `%s` before it", closers[open.Text])
}

func errUnopened(t Token) *fault {
	return unopened.at(t.Span, t.Text).replace(t.Span, "", "remove it, or open the bracket before")
}

func errMismatchedBracket(open, t Token) *fault {
	return faultAt(MismatchedBracket, t.Span, "`%s` is closed by `%s`", open.Text, t.Text).
		related(open.Span, "opened here").
		replace(t.Span, closers[open.Text], "write `%s`", closers[open.Text]).spelling()
}

func errUnclosedBar(open, at Token) *fault {
	f := unclosedBar.at(open.Span)
	if !at.isEnd() {
		f.related(at.Span, "the expression ends before this")
	}
	return f
}

func errMissingExpression(after, found Token) *fault {
	f := faultAt(MissingExpression, found.Span, "an expression is missing before %s", named(found))
	if found.isEnd() {
		f = faultAt(MissingExpression, found.Span, "an expression is missing after %s", named(after))
	}
	switch {
	case found.Text == "+":
		return f.mend("a number or an expression has no leading `+`; remove it")
	case found.Kind == WordToken && isReserved(found.Word):
		f.why("`%s` is a word of the language and names nothing.", found.Text)
	case found.Text == "*" && after.Text == "*":
		f.why(noPowers)
	}
	switch {
	case isStatementWord(after.Text) && after.Kind == WordToken:
		return f.mend("write `%s` and what it is to be on one line", after.Text)
	case found.Text == "," || after.Text == ",":
		return f.mend("remove the comma, or write the element that it separates")
	case closes(found):
		return f.mend("write what belongs between the brackets")
	case slices.Contains(operators, after.Word) || found.isEnd():
		return f.mend("write what follows `%s`, or remove it", after.Text)
	}
	return f.mend("write an expression there, or remove %s", named(found))
}

// standard are the statements of the standard library about one column.
var standard = []string{"increasing", "decreasing", "convex", "concave", "smooth", "parity"}

func errUnexpected(before, found Token) *fault {
	f := faultAt(UnexpectedToken, found.Span, "unexpected %s after %s", strings.TrimPrefix(named(found), "the "), named(before))
	switch {
	case slices.Contains(forEach, before.Text):
		return f.mend("for every row write `rms over x of …`")
	case isAggregation(before.Text) && found.Kind == WordToken:
		return unquantified(f, before.Text, found)
	case slices.Contains(whenever, found.Text):
		return f.mend("a condition stands behind `over`: `rms over x where area > 1 of …`")
	case found.Text == "with":
		return f.mend("for a row with another value in a column write `f(put(column, 1))`, or `f(put(region, \"north\"))`")
	case found.Text == wordOver:
		return f.mend("an aggregation stands before `over`: %s", strings.Join(convexAggregations(), ", "))
	case found.Text == "|":
		return f.mend("bars come in pairs: remove this one, or open the absolute value before")
	case found.Text == "[" || found.Text == "{":
		return f.mend("put `in` or an aggregation such as `max` before the bracket, or an operator")
	case found.Kind == NumberToken && before.Kind == WordToken:
		return numbered(f, before.Text, found.Text)
	case found.Text == ",":
		return f.mend("a list stands in brackets: `max {a, b}`, `hypot(a, b)`")
	case found.Kind == WordToken && slices.Contains(standard, before.Text):
		return f.mend("write `%s(%s)`", before.Text, found.Text)
	case lacksProduct(before, found):
		return f.insert(found.Span, "* ", "for a product write `%s * %s`", before.Text, found.Text).orQuoted(before, found)
	}
	return f.mend("remove it, or put an operator or a line end before it")
}

// quotedName says how a name of several words is written.
const quotedName = "a name of several words stands in quotes: `%s`"

// orQuoted adds that two names side by side may be one name, where neither is a word of the language.
func (f *fault) orQuoted(before, found Token) *fault {
	if len(before.Text) == 1 || found.Text == "f" { // a point, or f itself
		return f
	}
	for _, t := range []Token{before, found} {
		if !isName(t) || isAggregation(t.Text) || isItemWord(t.Text) || isStatementWord(t.Text) || slices.Contains(targetTypes, t.Text) {
			return f
		}
	}
	mend, name := f.d.Mend, `"`+before.Text+" "+found.Text+`"`
	if f.replace(before.Span.To(found.Span), name, quotedName, name).spelling(); mend != "" {
		f.d.Mend = strings.TrimSuffix(mend, ".") + "; " + fmt.Sprintf(quotedName, name)
	}
	return f
}

// lacksProduct reports whether two tokens end and begin operands, as in `2 f`.
func lacksProduct(before, found Token) bool {
	ends := before.Kind == NumberToken || before.Text == ")" || before.Kind == WordToken
	begins := found.Kind == WordToken || found.Kind == NumberToken || found.Text == "("
	return ends && begins && !isReserved(found.Word)
}

func errMissingName(of string, found Token) *fault {
	if found.Kind == WordToken && isReserved(found.Word) {
		return reservedName.at(found.Span, found.Text, of)
	}
	return missingName.at(found.Span, named(found), of)
}

func errMissingEquals(word string, found, next Token) *fault {
	f := faultAt(MissingEquals, found.Span, "`=` is missing before %s", named(found))
	if next.Text == "=" {
		return f.replace(found.Span, "", "write `=` alone").spelling()
	}
	switch found.Text {
	case "==":
		return f.replace(found.Span, "=", "write `=`: `==` compares, inside `where`").spelling()
	case ":", "<", "<=", ">":
		return f.replace(found.Span, "=", "write `=`")
	}
	return f.insert(found.Span, "= ", "write `%s NAME = …`", word).spelling()
}

func errStrayEquals(t Token, inWhere bool) *fault {
	f := faultAt(StrayEquals, t.Span, "`=` cannot stand inside an expression")
	if inWhere {
		return f.replace(t.Span, "==", "write `==` to compare").spelling()
	}
	return f.mend("`=` stands after a name that is defined, and after the name of an argument: `shift(dx = 2)`")
}

// errSettingSign returns the fault of a sign between the word of a setting and its value.
func errSettingSign(word string, t Token) *fault {
	if t.Text == "=" && word != wordRegularize {
		return errStatementEquals(word, t)
	}
	f := faultAt(UnexpectedToken, t.Span, "unexpected `%s` after `%s`", t.Text, word)
	if t.Text == "=" {
		f = faultAt(StrayEquals, t.Span, "`=` cannot stand in `%s …`", word)
	}
	return f.replace(t.Span, "", "remove the `%s`: write `%s …`", t.Text, word).spelling()
}

// errStatementEquals returns the fault of an equals sign behind the word of a statement that sets something.
func errStatementEquals(word string, t Token) *fault {
	f := faultAt(StrayEquals, t.Span, "`=` cannot stand in `%s …`", word)
	switch word {
	case wordRegularize:
		return f.mend("remove the `=`; regularize takes invariances, each with its weight before it: `regularize 2 * NAME`")
	case "learn", "kernel", "features":
		return f.replace(t.Span, "", "remove the `=`: write `%s NAME(argument = …)`", word).spelling()
	}
	return f.replace(t.Span, "", "remove the `=`: write `%s …`", word).spelling()
}

func errComparison(t Token) *fault {
	f := faultAt(ComparisonOutsideWhere, t.Span, "`%s` belongs to a condition, after `where`", t.Text).
		why("An expression has a value for every f; conditions choose elements: `mean over x where age >= 9 of f`.")
	if t.Text == "==" {
		return f.mend("put the condition into `where`, or write `=` to define")
	}
	return f.mend("put the condition into `where`")
}

func errMissingOf(op *Agg, found Token) *fault {
	f := faultAt(MissingOf, found.Span, "`of` is missing before %s", named(found)).
		related(op.Place, "the quantifier begins here")
	words := []string{wordOf, wordWhere}
	if slices.Contains(whenever[:2], found.Text) {
		return f.replace(found.Span, wordWhere, "write `%s`: a condition stands behind what is bound", wordWhere)
	}
	if found.Kind == WordToken && closest(found.Text, words) != "" {
		return f.didYouMean(found.Span, found.Text, words)
	}
	switch found.Text {
	case "{":
		return f.mend("a set of transformations has no word before it, `t in {…}`, and an orbit is written %s", orbitForm)
	case wordIn:
		return f.mend("name what is bound before `in`, alone or in brackets: `%s over z in rows of …`", op.Name)
	case "=", ":":
		return f.replace(found.Span, "of", "write `of`")
	case "and", "&":
		return f.mend("a comma separates what a quantifier ranges over: `%s over x, z in rows of …`", op.Name)
	}
	return f.insert(found.Span, "of ", "write `%s over … of …`", op.Name)
}

// synonyms are other words for aggregations, of mathematics and of other languages.
var synonyms = map[string]string{
	"average": "mean", "avg": "mean", "maximum": "max", "sup": "max", "total": "sum", "hypot": "norm(2)", "l2": "norm(2)",
}

func errUnknownAggregation(t Token) *fault {
	f := faultAt(UnknownAggregation, t.Span, "`%s` is not an aggregation", t.Text)
	if t.Text == auto {
		return f.mend("`auto` is a weight: write `regularize auto`, or `auto * NAME`")
	}
	if w := synonyms[t.Text]; w != "" {
		return f.replace(t.Span, w, "did you mean `%s`?", w)
	}
	return f.didYouMean(t.Span, t.Text, convexAggregations())
}

func errLacksArgument(name string, at diag.Span) *fault {
	return lacksArgument.at(at, name, map[string]string{"norm": "its exponent: `norm(2)`", "top": "a count: `top(5)`"}[name])
}

func errLineBreak(prev, t Token) *fault {
	return endsTooSoon.at(t.Span, named(t)).related(pointAfter(prev.Span), "it ended here")
}

func errTwoStatements(t Token) *fault {
	if t.Text == ";" {
		return faultAt(TwoStatements, t.Span, "`;` does not separate statements").
			replace(t.Span, "\n", "put each statement on a line of its own")
	}
	return faultAt(TwoStatements, t.Span, "another statement begins here").
		insert(t.Span, "\n", "put `%s` on a line of its own", t.Text)
}

// targetTypes are the types that a target may have.
var targetTypes = []string{"class", "real", "multilabel", "binary"}

func errMissingType(before, found Token) *fault {
	f := faultAt(MissingType, found.Span, "the type of the target is missing before %s", named(found))
	if found.Text == "=" {
		return f.replace(found.Span, ":", "write `:` before the type")
	}
	return f.mend("write `target NAME : class`, `real`, `multilabel` or `binary(a, b)`").orQuoted(before, found)
}

func errMissingColumnType(column string, before, found Token) *fault {
	f := faultAt(MissingType, found.Span, "the type of the column %s is missing before %s", column, named(found))
	if found.Text == "=" {
		return f.replace(found.Span, ":", "write `:` before the type")
	}
	return f.mend("write `%[1]s : real`, `%[1]s : integer [0, 120]` or `%[1]s : {north, south}`", column).orQuoted(before, found)
}

func errMissingBracket(bracket, after string, found Token) *fault {
	return missingBracket.at(found.Span, bracket, after, named(found), closers[bracket])
}

func errMissingComma(before, found Token) *fault {
	if found.Text == ";" {
		return faultAt(MissingComma, found.Span, "a comma is missing between %s and %s", named(before), named(found)).
			replace(found.Span, ",", "separate them by a comma").spelling()
	}
	return faultAt(MissingComma, found.Span, "a comma is missing between %s and %s", named(before), named(found)).
		insert(found.Span, ", ", "separate them by a comma").spelling().orQuoted(before, found)
}

// errInList returns the fault of a token after an element of a list.
func errInList(before, found Token) *fault {
	switch {
	case found.Text == "=":
		return errStrayEquals(found, false)
	case found.Text == "with":
		return errUnexpected(before, found)
	case found.Text == ";" || found.Kind == NumberToken || found.Kind == StringToken || isName(found):
		return errMissingComma(before, found)
	}
	return errUnexpected(before, found)
}

func errMissingWord(word string, found Token) *fault {
	f := faultAt(MissingWord, found.Span, "`%s` is missing before %s", word, named(found))
	if found.Kind == WordToken && closest(found.Text, []string{word}) != "" {
		return f.didYouMean(found.Span, found.Text, []string{word})
	}
	return f.insert(found.Span, word+" ", "write `%s`", word)
}

// errMissingText returns the fault of what stands in the place of a path, behind `from` or `include`.
func errMissingText(before, found Token) *fault {
	f := faultAt(MissingExpression, found.Span, "a path in quotes is missing before %s", named(found))
	if found.Kind == WordToken {
		return f.replace(found.Span, `"`+found.Text+`"`, "write `%s \"%s\"`", before.Text, found.Text).spelling()
	}
	return f.mend("write `%s \"…\"`", before.Text)
}

// pointAfter returns the empty span behind s.
func pointAfter(s diag.Span) diag.Span { return diag.Span{File: s.File, Start: s.End, End: s.End} }

// orbitForm shows how an orbit is written.
const orbitForm = "`orbit {rotate([-15deg, 15deg]), shift(dx = [-2, 2])}`"

// likeOrbit reports whether a word is meant to be orbit, and is not.
func likeOrbit(word string) bool {
	low := strings.ToLower(word)
	return word != wordOrbit && (low == wordOrbit || closest(low, []string{wordOrbit}) != "")
}

// errOrbitWord returns the fault of a word that is meant to be orbit.
func errOrbitWord(t Token) *fault {
	return faultAt(UnexpectedToken, t.Span, "`%s` is not a word of the language", t.Text).
		replace(t.Span, wordOrbit, "did you mean `orbit`? It is written %s", orbitForm).spelling()
}

// errOrbitBraces returns the fault of an orbit whose transformations stand in other brackets than braces. The edit replaces all of it.
func errOrbitBraces(all, at diag.Span, maps string) *fault {
	write := wordOrbit + " {" + maps + "}"
	return faultAt(MissingBracket, at, "an orbit has its transformations in braces").replace(all, write, "write `%s`", write).spelling()
}

// errMapsJoined returns the fault of a word or sign between transformations of an orbit that is no comma.
func errMapsJoined(t Token) *fault {
	return faultAt(UnexpectedToken, t.Span, "unexpected %s between transformations", named(t)).
		why("An orbit lists transformations, which are done from the first to the last.").
		replace(t.Span, ",", "write a comma: %s", orbitForm)
}

// bothEnds returns the fault of a sign for both ends of an interval, before a number.
func bothEnds(sign, number Token) *fault {
	write := "[-" + number.Text + ", " + number.Text + "]"
	return faultAt(UnexpectedToken, sign.Span, "an interval is not written with a sign for both ends").
		replace(sign.Span.To(number.Span), write, "write both ends: `%s`", write)
}

// auto is the weight that run chooses. Alone it weighs every invariance.
const auto = "auto"

// errWeightsJoined returns the fault of `and` between invariances in regularize. The parser has not passed it.
func errWeightsJoined(op Token) *fault {
	return faultAt(UnexpectedToken, op.Span, "unexpected `and` in `regularize …`").replace(op.Span, ",", "separate invariances by a comma: `a, 2 * b`")
}
