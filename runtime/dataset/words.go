package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// mostWords bounds the words of a text column that become features. A word in fewer than rareWord rows does not: from one row
// nothing can be learnt of it that holds for others.
const (
	mostWords = 5000
	rareWord  = 2
)

// wordsOf returns the words of a text in their order: the runs of letters and digits, in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// fitWords finds the words of a column on the training rows, and the weight of each: the usual inverse document frequency
//
//	ln((1 + n)/(1 + n_w)) + 1
//
// of a word that n_w of n rows have (Salton and Buckley, 1988). A row with the weight w counts as w of them.
func (f *Feature) fitWords(t *Table, c *column, rows []int, weight []float64) error {
	if !c.isText() {
		return &Error{
			Code: CodeFeatures, File: t.Path, Column: f.Name, Item: ItemColumns, Problem: "the column holds numbers, and no texts to take words of",
			Mend: "name it without `text`",
		}
	}
	in, total := map[string]float64{}, 0.0
	for r, i := range rows {
		total += weightOf(weight, r)
		own := wordsOf(c.text(i))
		slices.Sort(own)
		for _, w := range slices.Compact(own) {
			in[w] += weightOf(weight, r)
		}
	}
	f.Text = true
	f.Categories = slices.DeleteFunc(slices.Collect(maps.Keys(in)), func(w string) bool { return in[w] < rareWord })
	if len(f.Categories) == 0 {
		return &Error{
			Code: CodeFeatures, File: t.Path, Column: f.Name, Item: ItemColumns,
			Problem: fmt.Sprintf("no word stands in two of the %s", count(len(rows), "training row")), Mend: "leave the column out by `ignore`, or train on more rows",
		}
	}
	slices.SortFunc(f.Categories, func(a, b string) int { return cmp.Or(cmp.Compare(in[b], in[a]), strings.Compare(a, b)) })
	f.Categories = f.Categories[:min(len(f.Categories), mostWords)]
	slices.Sort(f.Categories)
	for _, w := range f.Categories {
		f.Weights = append(f.Weights, math.Log((1+total)/(1+in[w]))+1)
	}
	return nil
}

// fillWords sets the columns of each row's words to how often they stand there times their weights, and the length of all to 1.
func (f *Feature) fillWords(c *column, rows []int, dst []float64, stride int) {
	position := indexNames(f.Categories)
	for r, i := range rows {
		to, square := dst[r*stride:r*stride+len(f.Categories)], 0.0
		for _, w := range wordsOf(c.text(i)) {
			if k, ok := position[w]; ok {
				to[k] += f.Weights[k]
			}
		}
		for _, v := range to {
			square += v * v
		}
		if square == 0 {
			continue
		}
		for k := range to {
			to[k] /= math.Sqrt(square)
		}
	}
}

// columns returns the names of the prepared columns of a text: region=north of a category, subject:free of a word.
func (f *Feature) columns() []string {
	sign, out := "=", make([]string, len(f.Categories))
	if f.Weights != nil {
		sign = ":"
	}
	for k, text := range f.Categories {
		out[k] = f.Name + sign + text
	}
	return out
}

// known reports whether a text has some word that training rows have, or none at all.
func (f *Feature) known(text string) bool {
	own := wordsOf(text)
	return len(own) == 0 || slices.ContainsFunc(own, func(w string) bool {
		_, ok := slices.BinarySearch(f.Categories, w)
		return ok
	})
}
