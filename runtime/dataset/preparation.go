package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Preparation was fitted on the training rows. It holds all that further tables need, is plain data for any
// encoder, and is immutable.
type Preparation struct {
	Target    TargetPlan           `json:"target"`
	Features  []Feature            `json:"features"`
	Height    int                  `json:"height,omitempty"`
	Width     int                  `json:"width,omitempty"`
	Types     []setting.ColumnType `json:"types,omitempty"` // of columns that further files need not have
	Missing   setting.Missing      `json:"missing"`
	Outside   setting.Outside      `json:"outside,omitempty"` // what numbers outside the box get; empty stands for a warning
	Gaps      []float64            `json:"gaps,omitempty"`    // numbers that stand for gaps
	Normalize bool                 `json:"normalize,omitempty"`
	Weight    string               `json:"weight,omitempty"` // the column of the rows' weights; empty stands for ones
	ID        string               `json:"id,omitempty"`     // the column that names the rows; empty stands for one called id, where there is one
	// Others are the columns of the training file that are no features. They have no part in predictions.
	Others []SchemaColumn `json:"others,omitempty"`
	// Writing says how the training file writes numbers and dates. Further files are read so where they do not tell.
	Writing Writing `json:"writing,omitzero"`
}

// Prepared is a table split and prepared.
type Prepared struct {
	Preparation *Preparation
	Train, Test *Set
	Valid       *Set // the rows that decide between the values of grids; nil leaves that to cross-validation
	// Unlabelled are further rows, whose features R may see. Nobody is told their targets.
	Unlabelled []*Set
	Warnings   []string
	Hints      []string // what might do better
}

// aside returns the columns whose numbers are never codes of gaps: the target's, the rows' names and their weights.
func aside(p *Preparation) []string { return append(slices.Clone(p.Target.Columns), p.ID, p.Weight) }

// weights returns the weights of rows, nil if every row counts once: no column has weights, or the table lacks it.
func (p *Preparation) weights(t *Table, rows []int) []float64 {
	if p.Weight == "" {
		return nil
	}
	raw, _ := t.Column(p.Weight, rows)
	return raw.Numbers
}

// positions returns the first prepared column of each feature; masks come after all of them.
func (p *Preparation) positions() []int {
	at, next := make([]int, len(p.Features)), 0
	for i := range p.Features {
		at[i] = next
		if p.Features[i].Text {
			next += len(p.Features[i].Categories)
		} else {
			next++
		}
	}
	return at
}

// gapChecker reports whether a row has a gap in a feature.
func (p *Preparation) gapChecker(t *Table) (func(row int) bool, error) {
	if err := p.lacks(t); err != nil {
		return nil, err
	}
	var cols []*column
	for i := range p.Features {
		if j, ok := t.index[p.Features[i].Name]; ok {
			if c := t.cells.column(j); c != nil {
				cols = append(cols, c)
			}
		}
	}
	return func(row int) bool {
		return slices.ContainsFunc(cols, func(c *column) bool { return c.isGap(row) })
	}, nil
}

// lacks returns the error of a table without some columns of the features, which lists them; nil means that it has all.
func (p *Preparation) lacks(t *Table) error {
	if t.Format == LIBSVM {
		return nil
	}
	if err := p.otherSize(t); err != nil {
		return err
	}
	var missing, known []string
	for i := range p.Features {
		known = append(known, p.Features[i].Name)
		if !has(t.index, p.Features[i].Name) {
			missing = append(missing, p.Features[i].Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	e := &Error{
		Code: CodeColumn, File: t.Path, Item: ItemColumns, Name: missing[0],
		Problem: fmt.Sprintf("there is no column %q for the features", missing[0]), Mend: "add it: the features of training are columns of every further file",
	}
	if n := len(missing); n > 1 {
		e.Problem, e.Mend = fmt.Sprintf("%d columns of the features are missing: %s", n, listed(missing, mostMissing)), strings.Replace(e.Mend, "it", "them", 1)
	}
	others := slices.DeleteFunc(slices.Clone(t.names), func(name string) bool { return slices.Contains(known, name) })
	if best := nearest(missing[0], others); best != "" {
		e.Mend = fmt.Sprintf("rename %q if it is that column, or %s", best, e.Mend)
	}
	return e
}

// otherSize returns the error of images of another size than those that were trained on, or nil. Features may be some of a file's pixels.
func (p *Preparation) otherSize(t *Table) error {
	n := p.Height * p.Width
	whole := n > 0 && len(p.Features) == n && p.Features[n-1].Name == pixelName(n-1)
	if !whole || t.Height == 0 || t.Height == p.Height && t.Width == p.Width {
		return nil
	}
	return &Error{
		Code: CodeFeatures, File: t.Path, Problem: fmt.Sprintf("the images are %d×%d, and those of training %d×%d", t.Height, t.Width, p.Height, p.Width),
		Mend: "bring them to the size of training, or train on images of this size",
	}
}

// mostMissing is how many missing columns a message names.
const mostMissing = 12
