package tree

import (
	"fmt"
	"sort"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/spelling"
)

// Plural returns a count with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Words of the language that several places look for.
const (
	GridWord     = "grid"
	AutoWord     = "auto"
	RowsWord     = "rows"
	LabelsWord   = "labels"
	NormWord     = "norm"
	MeanWord     = "mean"
	DataWord     = "data"
	TaxonomyWord = "taxonomy"
)

// SoleLet returns the let that is all of a file, nil if there are faults or other statements.
func SoleLet(file *dsl.File, list diag.List) *dsl.Let {
	if list.HasErrors() || file == nil || len(file.Decls) != 1 {
		return nil
	}
	let, _ := file.Decls[0].(*dsl.Let)
	return let
}

// SortedKeys are the keys of a map, sorted.
func SortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Nearest returns the known name that a misspelt one is meant to be, or "" if there is none.
func Nearest(name string, known []string) string {
	return spelling.Nearest(name, known, func(k string) int {
		switch short := min(len(name), len(k)); {
		case short <= 1:
			return 0 // every letter is near every other
		case short <= 3:
			return 1
		}
		return 2
	})
}

// DidYouMean returns a mend that names the nearest of the known names, or all of them where they are few.
func DidYouMean(name string, known []string) string {
	best := Nearest(name, known)
	switch {
	case best != "":
		return "Did you mean " + best + "?"
	case len(known) > 0 && len(known) <= 12:
		return "Known here: " + strings.Join(known, ", ") + "."
	}
	return ""
}
