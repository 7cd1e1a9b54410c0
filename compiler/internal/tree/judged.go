package tree

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// SignOf returns the sign of a number; that of NaN is not known.
func SignOf(v float64) Sign {
	switch {
	case math.IsNaN(v):
		return UnknownSign
	case v > 0:
		return Nonnegative
	case v < 0:
		return Nonpositive
	}
	return Zero
}

// A Kind is what the calculus proves of an expression.
type Kind = regularizer.Kind

// The kinds, from the strongest to the weakest.
const (
	Linear    = regularizer.Linear
	Seminorm  = regularizer.Seminorm
	Sublinear = regularizer.Sublinear
)

// A Sign is what the calculus proves of an expression's values.
type Sign int

// The signs.
const (
	UnknownSign Sign = iota
	Zero
	Nonnegative
	Nonpositive
)

// String returns the sign's word.
func (s Sign) String() string {
	return [...]string{"of either sign", "zero", "nonnegative", "nonpositive"}[s]
}

// A Judged holds what the calculus proved of a node.
type Judged struct {
	Kind     Kind
	Sign     Sign
	Constant bool   // holds no f: kind is meaningless unless the sign is zero
	Rule     string // by which it was proved
}

// Zero reports whether the part is zero whatever f is.
func (j Judged) Zero() bool { return j.Sign == Zero }

// AtLeastZero reports whether the part is nonnegative.
func (j Judged) AtLeastZero() bool { return j.Sign == Nonnegative || j.Sign == Zero }

// Flipped returns the sign of the negative.
func Flipped(s Sign) Sign {
	switch s {
	case Nonnegative:
		return Nonpositive
	case Nonpositive:
		return Nonnegative
	}
	return s
}
