package sipc

import (
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/report"
)

// keptValue is the value of a two-sided invariance, by scores of standard deviation 1, up to which no larger weight is worth a look.
const keptValue = 1e-3

// A further is an `auto` of which the largest value was taken.
type further struct {
	name          string
	value, factor float64 // the weight is their product
	of            []string
}

// hintsFurther names the next factor of each `auto` of which the largest value was taken, and R is not kept yet.
func hintsFurther(all []further, invariances []report.Summand) []string {
	var hints []string
	for _, f := range all {
		if unkept := unkept(invariances, f.of); unkept != "" {
			hints = append(hints, fmt.Sprintf("of auto as the %s the largest value, %g, is taken, and %s; %s in place of %s looks further",
				f.name, f.value, unkept, timesAuto(10*f.factor), timesAuto(f.factor)))
		}
	}
	return hints
}

// unkept says which of some invariances is not kept yet; empty means that all are.
func unkept(invariances []report.Summand, names []string) string {
	for i := range invariances {
		inv := &invariances[i]
		switch value := float64(inv.Value); {
		case !slices.Contains(names, inv.Name):
		case inv.Broken != nil && inv.Broken.Train.Broken > 0:
			return "training rows still break " + inv.Name
		case inv.Broken != nil && inv.Broken.Unlabelled != nil && inv.Broken.Unlabelled.Broken > 0:
			return "unlabelled rows still break " + inv.Name
		case inv.Broken == nil && (value > keptValue || math.IsNaN(value)):
			return inv.Name + " is not 0 yet"
		}
	}
	return ""
}

// timesAuto writes a weight of so many times the automatic one, as a spec does.
func timesAuto(factor float64) string {
	if factor == 1 {
		return "auto"
	}
	return fmt.Sprintf("%.4g * auto", factor)
}
