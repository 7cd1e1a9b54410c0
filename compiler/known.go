package compiler

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// someOf is how many values of a column a message lists.
const someOf = 12

// some lists the first of many.
func some(all []string) string {
	if more := len(all) - someOf; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:someOf], ", "), more)
	}
	return strings.Join(all, ", ")
}

// known says which values the columns of a condition have in the training rows, a sentence for each.
func (g *grounder) known(c *condition) string {
	var sentences []string
	for _, name := range c.compared(nil) {
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

// compared returns the names of the columns that a condition compares, each once.
func (c *condition) compared(names []string) []string {
	for _, k := range c.kids {
		names = k.compared(names)
	}
	for _, o := range []*operand{&c.x, &c.y} {
		if o.kind == columnOperand && !slices.Contains(names, o.text) {
			names = append(names, o.text)
		}
	}
	return names
}

// known says which values a column has: all where they are few, else the ends of their range.
func (c *rawColumn) known(name string) string {
	if len(c.texts) > 0 {
		texts := slices.Compact(slices.Sorted(slices.Values(c.texts)))
		for i, s := range texts {
			texts[i] = strconv.Quote(s)
		}
		return fmt.Sprintf("In the training rows %s is %s.", name, some(texts))
	}
	numbers := c.distinct()
	switch {
	case len(numbers) == 0:
		return ""
	case len(numbers) > someOf:
		return fmt.Sprintf("In the training rows %s runs from %.6g to %.6g.", name, numbers[0], numbers[len(numbers)-1])
	}
	return fmt.Sprintf("In the training rows %s is %s.", name, strings.Join(c.values(), ", "))
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
