package sipc

import (
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// A caption is what stands before each embedding in a line of CSV. It has the row's id, then the label if a row has
// an embedding for each label, and the target if it is known. The target of a label is 1 for labels of the row, and 0
// for others.
type caption struct {
	set    *dataset.Set
	perRow int
	// numbers is the name of the numbers behind it, which count from 1.
	numbers string
}

// What the numbers of embeddings and of features are called.
const (
	embeddingNumbers = "e"
	featureNumbers   = "phi"
)

// header names the columns of a line, embeddings of dim numbers among them.
func (c *caption) header(dim int) []string {
	h := []string{"id"}
	if c.perRow > 1 {
		h = append(h, "label")
	}
	if c.set.HasTarget {
		h = append(h, "target")
	}
	for j := range dim {
		h = append(h, c.numbers+strconv.Itoa(j+1))
	}
	return h
}

// cells appends what stands before embedding k.
func (c *caption) cells(to []string, k int) []string {
	row, label := k/c.perRow, k%c.perRow
	to = append(to, c.set.ID(row))
	if c.perRow > 1 {
		to = append(to, c.set.LabelNames[label])
	}
	if !c.set.HasTarget {
		return to
	}
	switch {
	case c.set.Lacks(row):
		return append(to, "")
	case c.perRow > 1 && !c.set.Task.Numbers():
		return append(to, c.hasLabel(row, label))
	}
	return append(to, targetText(c.set, row))
}

// lines returns what stands before the embeddings of rows lo … hi−1.
func (c *caption) lines(lo, hi int) (out [][]string) {
	for k := lo * c.perRow; k < hi*c.perRow; k++ {
		out = append(out, c.cells(nil, k))
	}
	return out
}

func (c *caption) hasLabel(row, label int) string {
	if c.set.Multi != nil {
		return number(c.set.Multi.At(row, label))
	}
	if c.set.Class[row] == label {
		return "1"
	}
	return "0"
}

// targetText returns the target of a row: a number, a class, or labels joined by semicolons. It is empty for a class that was not trained.
func targetText(s *dataset.Set, row int) string {
	switch {
	case s.Real != nil:
		return number(s.Real[row])
	case s.Multi != nil:
		var names []string
		for c, v := range s.Multi.RawRowView(row) {
			if v > 0 {
				names = append(names, s.LabelNames[c])
			}
		}
		return strings.Join(names, ";")
	case s.Class[row] >= 0:
		return s.LabelNames[s.Class[row]]
	}
	return ""
}
