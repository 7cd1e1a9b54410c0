package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// folded returns a text as it is compared with others that may be meant alike. It has small letters, single blanks and no dot at its end.
func folded(text string) string {
	return strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(text)), " "), ". ")
}

// alike returns groups of texts that differ in capitals, blanks or a dot at the end alone, the texts of most rows first in each. The group of
// most rows comes first.
func alike(c *column) (groups [][]ValueCount) {
	rows := make([]int, len(c.texts))
	for _, code := range c.codes {
		rows[code]++
	}
	same := map[string][]ValueCount{}
	for code, text := range c.texts {
		if key := folded(text); key != "" && rows[code] > 0 && !IsGap(text) {
			same[key] = append(same[key], ValueCount{text, rows[code]})
		}
	}
	for _, group := range same {
		if len(group) < 2 || booleans([]string{group[0].Value}) { // which are read alike however they are written
			continue
		}
		slices.SortFunc(group, func(a, b ValueCount) int { return cmp.Or(b.Rows-a.Rows, strings.Compare(a.Value, b.Value)) })
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b []ValueCount) int {
		return cmp.Or(b[0].Rows-a[0].Rows, strings.Compare(a[0].Value, b[0].Value))
	})
	return groups
}

// whyAlike says which texts of a column are nearly the same, and what to do; empty where there are none.
func whyAlike(c *column) string {
	groups := alike(c)
	if len(groups) == 0 {
		return ""
	}
	first, more := groups[0], len(groups)-1
	for _, group := range groups {
		more += len(group) - 2
	}
	text := fmt.Sprintf("%q (%s) and %q (%s) differ in %s alone", cutShort(first[0].Value), count(first[0].Rows, "row"), cutShort(first[1].Value), count(first[1].Rows, "row"),
		difference(first[0].Value, first[1].Value))
	switch {
	case more == 1:
		text += "; 1 further text is nearly the same as another"
	case more > 1:
		text += fmt.Sprintf("; %s are nearly the same as others", count(more, "further text"))
	}
	return text + "; each is a category: write one of them in all rows if they mean the same"
}

// difference says in what two texts differ that are alike.
func difference(a, b string) string {
	switch {
	case strings.EqualFold(a, b):
		return "capitals"
	case strings.TrimRight(a, ".") == strings.TrimRight(b, "."):
		return "a dot at the end"
	case strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " "):
		return "blanks"
	}
	return "capitals, blanks or a dot at the end"
}
