package dsl

import "github.com/sipc-ml/sipc/dsl/diag"

// The codes of syntax errors. Each example is a spec that has this error and no other.
const (
	// UnknownStatement occurs when a line begins with no word that begins a statement.
	//
	// Example:
	//  kernal gaussian(width = 1)
	UnknownStatement diag.Code = "E101"

	// UnexpectedCharacter occurs when a character is not a part of the language.
	//
	// Example:
	//  regularize 2 ^ steady
	UnexpectedCharacter diag.Code = "E102"

	// UnterminatedString occurs when a string has no closing quote on its line.
	//
	// Example:
	//  let topics = taxonomy("topics.csv)
	UnterminatedString diag.Code = "E103"

	// BadEscape occurs when a backslash in a string is followed by something that has no meaning there.
	//
	// Example:
	//  let topics = taxonomy("data\topics\.csv")
	BadEscape diag.Code = "E104"

	// BadNumber occurs when a number is malformed or out of range.
	//
	// Example:
	//  kernel gaussian(width = 1.5.2)
	BadNumber diag.Code = "E105"

	// UnknownUnit occurs when a number is followed by letters that are neither n nor deg.
	//
	// Example:
	//  evaluate under {rotate(15degrees)}
	UnknownUnit diag.Code = "E106"

	// Unclosed occurs when a bracket is opened and never closed.
	//
	// Example:
	//  kernel gaussian(width = 1
	Unclosed diag.Code = "E107"

	// Unopened occurs when a bracket is closed that was never opened.
	//
	// Example:
	//  kernel gaussian(width = 1))
	Unopened diag.Code = "E108"

	// MismatchedBracket occurs when a bracket is closed by one of another kind.
	//
	// Example:
	//  kernel gaussian(width = 1]
	MismatchedBracket diag.Code = "E109"

	// UnclosedBar occurs when the `|` that opens an absolute value has no partner.
	//
	// Example:
	//  invariance steady = rms over x of |f(x) - f(y)
	UnclosedBar diag.Code = "E110"

	// MissingExpression occurs when an expression is wanted and none begins.
	//
	// Example:
	//  regularize steady, * mixup
	MissingExpression diag.Code = "E111"

	// UnexpectedToken occurs when something follows a complete part that cannot go on there.
	//
	// Example:
	//  regularize 2 steady
	UnexpectedToken diag.Code = "E112"

	// MissingName occurs when a name is wanted and something else is found.
	//
	// Example:
	//  let 3 = 4
	MissingName diag.Code = "E113"

	// ReservedName occurs when a word of the language stands where a name is wanted.
	//
	// Example:
	//  let over = 4
	ReservedName diag.Code = "E114"

	// MissingEquals occurs when a definition lacks the `=` between the name and its value.
	//
	// Example:
	//  invariance steady rms over x of f
	MissingEquals diag.Code = "E115"

	// StrayEquals occurs when `=` stands inside an expression, where it has no meaning.
	//
	// Example:
	//  invariance north = mean over x where region = "north" of |f|
	StrayEquals diag.Code = "E116"

	// ComparisonOutsideWhere occurs when values are compared outside the condition of a quantifier.
	//
	// Example:
	//  invariance dear = rms over x of f > 0
	ComparisonOutsideWhere diag.Code = "E117"

	// ChainedComparison occurs when comparisons follow each other, as in a < b < c.
	//
	// Example:
	//  invariance mid = rms over x where 1 < age < 9 of f
	ChainedComparison diag.Code = "E118"

	// MissingOf occurs when a quantifier has no `of` before its body.
	//
	// Example:
	//  invariance small = rms over x |f|
	MissingOf diag.Code = "E119"

	// BadBinder occurs when what follows `over` binds nothing.
	//
	// Example:
	//  invariance small = max over [0, 1] of |f|
	BadBinder diag.Code = "E120"

	// UnknownAggregation occurs when the word before `over` or `{` is not an aggregation.
	//
	// Example:
	//  invariance small = maximum over x of |f|
	UnknownAggregation diag.Code = "E121"

	// AggregationArgument occurs when norm or top lacks its argument, or another aggregation is given one.
	//
	// Example:
	//  invariance small = norm over x of |f|
	AggregationArgument diag.Code = "E122"

	// LineBreak occurs when a line ends where the statement cannot end.
	//
	// Example:
	//  invariance small = rms over x
	//      of |f|
	LineBreak diag.Code = "E123"

	// TwoStatements occurs when a line holds more than one statement.
	//
	// Example:
	//  kernel linear features exact
	TwoStatements diag.Code = "E124"

	// UnknownItem occurs when an item of a data block begins with no word that begins one.
	//
	// Example:
	//  data { taget digit : class }
	UnknownItem diag.Code = "E125"

	// MissingType occurs when a target or a column of `types` has no type.
	//
	// Example:
	//  data { target digit }
	MissingType diag.Code = "E126"

	// MissingBracket occurs when a bracket must follow and something else does.
	//
	// Example:
	//  data target digit : class
	MissingBracket diag.Code = "E127"

	// MissingComma occurs when a comma lacks between two elements of a list.
	//
	// Example:
	//  kernel polynomial(degree = 2 offset = 1)
	MissingComma diag.Code = "E128"

	// BadInterval occurs when an interval has not exactly two ends.
	//
	// Example:
	//  invariance path = max over t in [0, 0.5, 1] of |f|
	BadInterval diag.Code = "E129"

	// BadColumn occurs when an item of a data block lists something that is not a column.
	//
	// Example:
	//  data { columns area + age }
	BadColumn diag.Code = "E130"

	// BadDerivative occurs when `d/d` is followed by nothing to differentiate along, or by a unit that there is not.
	//
	// Example:
	//  invariance smooth = rms over x of |d/d(3) f|
	BadDerivative diag.Code = "E131"

	// MissingWord occurs when a word must follow, such as `under` after `evaluate`.
	//
	// Example:
	//  evaluate {rotate(15deg)}
	MissingWord diag.Code = "E132"

	// TooDeep occurs when an expression is nested more deeply, or a sum or product longer, than the parser allows.
	//
	// Example:
	//  let a = (×201 1 )×201
	TooDeep diag.Code = "E133"

	// NotText occurs when a spec is not text in UTF-8.
	//
	// Example:
	//  let a = "\x{FF}"
	NotText diag.Code = "E134"

	// MisplacedStatement occurs when an item of a data block stands outside one, or a statement inside one.
	//
	// Example:
	//  target digit : class
	MisplacedStatement diag.Code = "E135"

	// UnnamedStatement occurs when a value is given without saying what it defines.
	//
	// Example:
	//  steady = rms over x of |f|
	UnnamedStatement diag.Code = "E136"

	// BadRelation occurs when a statement `require` compares nothing, by a sign that it cannot hold by, or in two directions.
	//
	// Example:
	//  require rising = d/d(area) f > 0 over x in box
	BadRelation diag.Code = "E137"
)
