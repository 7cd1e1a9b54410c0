package plugins

import (
	"fmt"
	"math"
)

// Lookup returns the argument of that name, and whether the call gives it.
func Lookup(args []Value, name string) (Value, bool) {
	for _, v := range args {
		if v.Name == name {
			return v, true
		}
	}
	return Value{}, false
}

// NumberOr returns the number of the argument of that name, or fallback if the call does not give it.
func NumberOr(args []Value, name string, fallback float64) float64 {
	if v, ok := Lookup(args, name); ok {
		return v.Number
	}
	return fallback
}

// CountOr returns the argument of that name as a whole number of at least one, or fallback if the call does not give
// it. Errors name the argument.
func CountOr(args []Value, name string, fallback int) (int, error) {
	v := NumberOr(args, name, float64(fallback))
	switch {
	case math.IsNaN(v) || v != math.Trunc(v):
		return 0, fmt.Errorf("%s is %v: give a whole number", name, v)
	case v < 1:
		return 0, fmt.Errorf("%s is %v: give at least 1", name, v)
	case v > math.MaxInt32:
		return 0, fmt.Errorf("%s is %v: give at most %d", name, v, math.MaxInt32)
	}
	return int(v), nil
}
