package reproduce

import (
	"fmt"
	"path"
	"slices"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/metric"
)

// A Table is one of the paper's.
type Table string

// The tables.
const (
	Table1 Table = "table1" // transformations, two digits
	Table2 Table = "table2" // mixup, ten classes
	Table3 Table = "table3" // taxonomies of labels
)

// A Cell is an entry of a table, in which contenders meet on the same rows.
type Cell struct {
	Table   Table
	Dataset string
	Classes string // of Table1: the two digits, such as 4-9
	N       int    // training rows, and as many test rows
	Pairs   int    // p, of Table2
	name    string // under which the paper's figures are
}

// Name returns the cell's name, such as mnist-n500-p1000.
func (c *Cell) Name() string { return c.name }

// String returns the cell in words.
func (c *Cell) String() string {
	text := c.Dataset
	if c.Classes != "" {
		text += ", " + c.Classes[:1] + " against " + c.Classes[2:]
	}
	text += fmt.Sprintf(", n = %d", c.N)
	if c.Pairs > 0 {
		text += fmt.Sprintf(", p = %d", c.Pairs)
	}
	return text
}

// metric returns the figure that the paper gives.
func (c *Cell) metric() string {
	if c.Table == Table3 {
		return metric.HammingAccuracy
	}
	return metric.Accuracy
}

// named gives a cell its name.
func (c *Cell) named() *Cell {
	c.name = c.Dataset
	if c.Classes != "" {
		c.name += "-" + c.Classes
	}
	c.name += fmt.Sprintf("-n%d", c.N)
	if c.Pairs > 0 {
		c.name += fmt.Sprintf("-p%d", c.Pairs)
	}
	return c
}

// Cells returns the cells of a table in the paper's order.
func Cells(t Table) []*Cell {
	var out []*Cell
	add := func(c *Cell) {
		c.Table = t
		out = append(out, c.named())
	}
	switch t {
	case Table1:
		for _, pair := range []string{pairFourNine, pairTwoThree} {
			add(&Cell{Dataset: setMNIST, Classes: pair, N: 1000})
		}
	case Table2:
		for _, set := range []string{setMNIST, setUSPS, setFashion} {
			for _, n := range []int{500, 1000} {
				for _, times := range []int{1, 2, 4} {
					add(&Cell{Dataset: set, N: n, Pairs: times * n})
				}
			}
		}
	case Table3:
		for _, set := range []string{setEnron, setReuters, setWIPO} {
			for _, n := range []int{100, 200, 500} {
				add(&Cell{Dataset: set, N: n})
			}
		}
	}
	return out
}

// FigureCells returns the cells that the paper's figures show: the scatter of mixup, its losses, and all of the third table.
func FigureCells() []*Cell {
	out := slices.DeleteFunc(Cells(Table2), func(c *Cell) bool { return c.Pairs != 4000 })
	return append(out, Cells(Table3)...)
}

// namesOf returns the names of cells.
func namesOf(cells []*Cell) []string {
	var out []string
	for _, c := range cells {
		out = append(out, c.Name())
	}
	return out
}

// narrowed returns the cells whose names match one of the patterns. Where rows > 0 they have so many, and names that say so. Cells
// that become the same are one.
func narrowed(cells []*Cell, patterns []string, rows int) ([]*Cell, error) {
	var out []*Cell
	for _, c := range cells {
		keep := len(patterns) == 0
		for _, p := range patterns {
			ok, err := path.Match(p, c.name)
			if err != nil {
				return nil, cli.WrongInput(fmt.Errorf("the pattern %q of cells: %w", p, err))
			}
			keep = keep || ok
		}
		if !keep {
			continue
		}
		if rows > 0 {
			c.Pairs = c.Pairs / c.N * rows
			c.N = rows
			c.named()
		}
		if !slices.ContainsFunc(out, func(o *Cell) bool { return o.Table == c.Table && o.name == c.name }) {
			out = append(out, c)
		}
	}
	return out, nil
}
