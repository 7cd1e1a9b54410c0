package codes

import (
	"github.com/sipc-ml/sipc/dsl/diag"
)

// GeneralMends say how diagnostics of a code are mended, where nothing better is known at their place.
var GeneralMends = map[diag.Code]string{
	UndefinedName:     "Correct the spelling, or declare it: let NAME = … for a value, def NAME(a) = … for an expression.",
	DuplicateName:     "Name it once.",
	UnknownLabel:      "Name a label of the target.",
	LabelNotInData:    "Name a label of the target.",
	UnknownColumn:     "Name a feature.",
	ColumnNotInData:   "Name a feature.",
	UnknownDomain:     "Quantify over x, over a domain of a family, or over a set in braces.",
	UnknownMap:        "Name a transformation: let t = rotate(10deg), or t in {rotate(10deg), …}.",
	UnknownInvariance: "Declare it: invariance NAME = ….",
	WrongType:         "Write what is wanted here, or leave it out.",
	TooManyArguments:  "Leave out what is too many.",
	OutOfRange:        "Take a number within these bounds.",
	WrongUnit:         "Write a number without a unit.",
	UnknownChoice:     "Take one of the words that are available.",
	WrongCondition:    `Compare columns, numbers, texts or labels: where age >= 9 and region == "north".`,
	NoDerivative:      "Differentiate what varies with it, or take a difference.",
	AlwaysZero:        "Write an expression that holds f, or leave the invariance out.",
	EmptyIndexSet:     "See which rows, edges and labels the data have: conditions compare the values of the file, before any preparation.",
	Incomparable:      "Compare numbers with numbers, and texts with texts, by == and != alone.",
	WrongGraph:        "Write one edge a line: the ids of two rows, separated by a comma.",
	WrongTaxonomy:     "Spell the names as the data spell the labels.",
	ConstantColumn:    "Differentiate along a column that varies, give training rows in which it does, or leave the invariance out.",
	TooLarge:          "Quantify over fewer elements.",
	FamilyNotStarted:  "Put the program where the path says, relative to the spec, and make it executable.",
	WrongSchema:       "Give the family what it asks for; if it is the family that is wrong, tell its author.",
	FamilyFailed:      "Give the family what it asks for; if it is the family that is wrong, tell its author.",
	ZeroWeight:        "Give it a weight, or leave it out of regularize.",
	EmptyForSome:      "Leave those out by a condition of the quantifier around it, or write what is meant there.",
	TextNotInData:     "Spell it as the data do: texts are compared letter by letter.",
	EdgesLeftOut:      "Write unlabelled test to keep the edges of test rows; if more are lost than these, compare the ids.",
	NamesLeftOut:      "If one is meant to be a label, spell it as the data do.",
}
