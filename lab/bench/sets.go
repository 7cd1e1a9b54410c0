package bench

import (
	"fmt"
	"slices"
	"strings"
)

// Named returns the set that has a name. Its error lists the names of all.
func Named[T any](sets []T, of func(*T) string, name string) (*T, error) {
	var all []string
	for i := range sets {
		all = append(all, of(&sets[i]))
	}
	i := slices.Index(all, name)
	if i < 0 {
		return nil, fmt.Errorf("no set is called %q; there are %s", name, strings.Join(all, ", "))
	}
	return &sets[i], nil
}

// Listed returns numbers as a spec lists them.
func Listed(numbers []float64) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(numbers)), ", "), "[]")
}
