package main

import (
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/plugins"
)

// A change is a map of a column's raw value.
type change func(v float64) float64

// changes returns the changes that the call asks for: adding, growing by a share, and a cap, each where it is given.
func changes(args []plugins.Value) ([]change, error) {
	var out []change
	if v, ok := plugins.Lookup(args, "add"); ok {
		out = append(out, func(x float64) float64 { return x + v.Number })
	}
	if v, ok := plugins.Lookup(args, "grow"); ok {
		out = append(out, func(x float64) float64 { return x * (1 + v.Number) })
	}
	if v, ok := plugins.Lookup(args, "cap"); ok {
		out = append(out, func(x float64) float64 { return math.Min(x, v.Number) })
	}
	if len(out) < 2 {
		return nil, fmt.Errorf("swapped needs two changes to swap: give two of add, grow and cap")
	}
	return out, nil
}

// A pair is two changes of different kinds, s and t.
type pair struct{ s, t change }

// pairs returns all pairs of changes, each once: |f(s(t(x))) − f(t(s(x)))| is the same for (s, t) and (t, s).
func pairs(cs []change) []pair {
	var out []pair
	for i := range cs {
		for j := range i {
			out = append(out, pair{cs[j], cs[i]})
		}
	}
	return out
}
