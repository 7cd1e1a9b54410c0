package dsl

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sipc-ml/sipc/spelling"
)

// Words that the parser asks for in more than one place.
const (
	wordData        = "data"
	wordInvariance  = "invariance"
	wordMeasure     = "measure"
	wordRegularize  = "regularize"
	wordExpect      = "expect"
	wordEvaluate    = "evaluate"
	wordAugment     = "augment"
	wordLearn       = "learn"
	wordUnder       = "under"
	wordTarget      = "target"
	wordOver        = "over"
	wordIn          = "in"
	wordWhere       = "where"
	wordOf          = "of"
	wordFrom        = "from"
	wordInclude     = "include"
	wordStandardize = "standardize"
	wordNormalize   = "normalize"
	wordIgnore      = "ignore"
	wordID          = "id"
	wordTypes       = "types"
	wordUnlabelled  = "unlabelled"
	wordGaps        = "gaps"
	wordWeight      = "weight"
	wordOutside     = "outside"
	wordRequire     = "require"
	wordSplit       = "split"
	wordBy          = "by"
	wordOrbit       = "orbit"
)

// The words that begin a statement.
var statementWords = []string{
	"use", wordInclude, wordData, "let", "kernel", "features", wordLearn, "method", "decode", "seed", wordRegularize, "def", wordInvariance, wordMeasure, wordRequire, wordExpect, wordEvaluate, wordAugment,
}

// The words that begin an item of a data block.
var itemWords = []string{wordTarget, "columns", wordTypes, wordIgnore, wordID, wordSplit, "missing", wordStandardize, "scale", wordNormalize, wordUnlabelled, wordGaps, wordWeight, wordOutside}

// The words that are never names.
var reservedWords = []string{wordOver, wordOf, wordIn, wordWhere, "and", "or", "not"}

// The aggregations. The compiler refuses min and says why.
var aggregations = []string{"max", "sum", "mean", "rms", "norm", "top", "min"}

// Words are the words of the language by where they stand.
type Words struct {
	Statements   []string // that begin a statement
	Items        []string // that begin an item of a data block
	Reserved     []string // that are never names
	Linking      []string // that join parts of a statement: `evaluate under`, `use … from`, `split by`
	Aggregations []string // the words of quantifiers; the compiler refuses min
	Units        []string // of numbers
}

// Keywords returns the words of the language.
func Keywords() Words {
	return Words{
		Statements: slices.Clone(statementWords), Items: slices.Clone(itemWords), Reserved: slices.Clone(reservedWords),
		Linking: []string{wordFrom, wordUnder, wordBy}, Aggregations: slices.Clone(aggregations), Units: slices.Clone(units),
	}
}

// The operators.
var operators = []string{"+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "and", "or", "not", "="}

// Aggregations that take an argument.
var aggregationsWithArg = []string{"norm", "top"}

// The types of columns that do not list values.
var columnTypes = []string{"real", "integer", "date", "text"}

// The units of numbers.
var units = []string{"n", "deg"}

// convexAggregations returns all but min.
func convexAggregations() []string {
	return slices.DeleteFunc(slices.Clone(aggregations), func(s string) bool { return s == "min" })
}

func isStatementWord(s string) bool { return slices.Contains(statementWords, s) }
func sets(s string) bool {
	return isStatementWord(s) && !mayDeclare(s) && s != wordData && s != wordExpect
}
func isItemWord(s string) bool    { return slices.Contains(itemWords, s) }
func isReserved(s string) bool    { return slices.Contains(reservedWords, s) }
func isAggregation(s string) bool { return slices.Contains(aggregations, s) }

var greekNames = map[rune]string{
	'α': "alpha", 'β': "beta", 'γ': "gamma", 'δ': "delta", 'ε': "epsilon", 'ϵ': "epsilon", 'ζ': "zeta", 'η': "eta",
	'θ': "theta", 'ϑ': "theta", 'ι': "iota", 'κ': "kappa", 'λ': "lambda", 'μ': "mu", 'µ': "mu", 'ν': "nu", 'ξ': "xi",
	'ο': "omicron", 'π': "pi", 'ρ': "rho", 'ϱ': "rho", 'σ': "sigma", 'ς': "sigma", 'τ': "tau", 'υ': "upsilon",
	'φ': "phi", 'ϕ': "phi", 'χ': "chi", 'ψ': "psi", 'ω': "omega",
	'Α': "Alpha", 'Β': "Beta", 'Γ': "Gamma", 'Δ': "Delta", 'Ε': "Epsilon", 'Ζ': "Zeta", 'Η': "Eta", 'Θ': "Theta",
	'Ι': "Iota", 'Κ': "Kappa", 'Λ': "Lambda", 'Μ': "Mu", 'Ν': "Nu", 'Ξ': "Xi", 'Ο': "Omicron", 'Π': "Pi", 'Ρ': "Rho",
	'Σ': "Sigma", 'Τ': "Tau", 'Υ': "Upsilon", 'Φ': "Phi", 'Χ': "Chi", 'Ψ': "Psi", 'Ω': "Omega", '\u2126': "Omega",
}

// Spell returns the canonical form of a word: Greek letters are spelled out, λ is lambda and λ2 is lambda2.
func Spell(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf && greekNames[r] != "" }) {
		return word
	}
	var b strings.Builder
	for _, r := range word {
		if name := greekNames[r]; name != "" {
			b.WriteString(name)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// operatorNames maps operators written with other signs to the ASCII form.
var operatorNames = map[string]string{"≤": "<=", "≥": ">=", "≠": "!=", "−": "-", "·": "*", "×": "*", "∈": "in"}

// canonical returns the ASCII form of an operator or word.
func canonical(s string) string {
	if op, ok := operatorNames[s]; ok {
		return op
	}
	return s
}

// closest returns the word nearest to s, or "" if there is none: at most one slip in words of up to four letters, else two.
// One letter, and more than 64, are close to nothing.
func closest(s string, words []string) string {
	length := utf8.RuneCountInString(s)
	if length < 2 || length > 64 {
		return ""
	}
	return spelling.Nearest(s, words, func(w string) int {
		if min(length, len(w)) <= 4 {
			return 1
		}
		return 2
	})
}

// mayDeclare reports whether a statement of the keyword, unknown where that is empty, declares a name.
func mayDeclare(keyword string) bool {
	switch keyword {
	case "", "use", "let", "def", wordInvariance, wordMeasure, wordRequire:
		return true
	}
	return false
}
