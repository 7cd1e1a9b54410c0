package ground

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// known says which values the columns of a condition have in the training rows, a sentence for each.
func (g *grounder) known(c *tree.Condition) string {
	var sentences []string
	for _, name := range c.Compared(nil) {
		col := g.columns[name]
		if col == nil {
			continue
		}
		if s := col.known(name); s != "" {
			sentences = append(sentences, s)
		}
	}
	return strings.Join(sentences, " ")
}

// distinct returns the numbers of a column in order, each once, without gaps.
func (c *rawColumn) distinct() []float64 {
	numbers := slices.DeleteFunc(slices.Clone(c.numbers), math.IsNaN)
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// values returns the values of a column in order, each once and as a spec writes it, without gaps.
func (c *rawColumn) values() []string {
	var values []string
	if c.texts != nil {
		for _, s := range slices.Compact(slices.Sorted(slices.Values(c.texts))) {
			if s != "" {
				values = append(values, strconv.Quote(s))
			}
		}
		return values
	}
	for _, v := range c.distinct() {
		values = append(values, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return values
}

// mendEmpty returns what to write in place of a condition that no element satisfies; empty means that only its code's mend is known.
func (g *grounder) mendEmpty(c *tree.Condition) string {
	return cmp.Or(g.nearValue(c), mendParity(c.From.Inlined, g.columns[c.X.Text]))
}
