package report

import (
	"fmt"
	"math"
	"strings"
)

// Components say how much the parts of a sum over columns and pairs of columns count. They are those of the function that predicts, in its units,
// with means and variances over rows.
type Components struct {
	Rows      int         `json:"rows"`               // over which all is taken
	Of        int         `json:"of"`                 // rows there are
	Data      string      `json:"data,omitempty"`     // the file of the rows; empty for training rows
	Constant  []Number    `json:"constant"`           // of each label
	Deviation Number      `json:"deviation"`          // of f over the rows
	Curves    int         `json:"curves"`             // how many
	Surfaces  int         `json:"surfaces"`           // how many
	FreeOf    string      `json:"free_of,omitempty"`  // what the function has not that stands beside; empty where there is no such function
	Parts     []Component `json:"columns_and_pairs"`  // those of the largest variance first
	Left      int         `json:"left_out,omitempty"` // parts that are not listed
}

// A Component is a curve of one column, or a surface of two.
type Component struct {
	Columns   []string `json:"columns"`
	Deviation Number   `json:"deviation"` // the root of its variance
	Together  Number   `json:"together"`  // the share of the variance of f that this part and those before it explain; the last is 1
	Share     Number   `json:"share"`     // what this part adds to that; it may be negative
	Free      *Number  `json:"free,omitempty"`
}

// Name returns the names of the columns.
func (c *Component) Name() string { return strings.Join(c.Columns, " × ") }

// Top keeps so many parts.
func (c *Components) Top(most int) *Components {
	if c == nil || len(c.Parts) <= most {
		return c
	}
	out := *c
	out.Parts, out.Left = c.Parts[:most], c.Left+len(c.Parts)-most
	return &out
}

// write writes a table of the parts.
func (c *Components) write(b *strings.Builder) {
	rows := Counted(c.Rows, "training row")
	if c.Data != "" {
		rows = Counted(c.Rows, "row") + " of " + c.Data
	}
	if c.Rows < c.Of {
		rows += fmt.Sprintf(" of %d", c.Of)
	}
	fmt.Fprintf(b, "\nf is a constant and the sum of %s and %s. Its deviation over %s is %s.\n", Counted(c.Curves, "curve"), Counted(c.Surfaces, "surface"), rows, figureText(float64(c.Deviation)))
	t := &grid{right: []bool{false, true, true, true, true}}
	head := []string{"  columns and pairs by variance", "deviation", "share", "together"}
	if c.FreeOf != "" {
		head = append(head, "free")
	}
	t.add(head...)
	for i := range c.Parts {
		p := &c.Parts[i]
		cells := []string{"  " + p.Name(), figureText(float64(p.Deviation)), Explained(p.Share), Explained(p.Together)}
		if c.FreeOf != "" && p.Free != nil {
			cells = append(cells, figureText(float64(*p.Free)))
		}
		t.add(cells...)
	}
	t.write(b)
	if c.Left > 0 {
		fmt.Fprintf(b, "  and %s\n", Counted(c.Left, "more part"))
	}
	if c.FreeOf != "" {
		fmt.Fprintf(b, "  free: the deviation in the function %s\n", c.FreeOf)
	}
}

// Explained returns a share of a variance in percent, with one decimal, as such shares add up.
func Explained(v Number) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", math.Round(1000*float64(v))/10+0) // no -0.0
}
