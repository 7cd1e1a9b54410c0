package reproduce

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// A Figure is a picture and the numbers in it, two files of the same name.
type Figure struct {
	Name string // of the files
	Text string // what is seen
}

// save writes picture and numbers, each whole or not at all.
func (f *Figure) save(dir string, p *picture, rows [][]string) error {
	svg, err := p.svg(f.Text)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if err := renameio.WriteFile(filepath.Join(dir, f.Name+".svg"), svg, readable); err != nil {
		return err
	}
	return writeCSV(filepath.Join(dir, f.Name+".csv"), rows)
}

// write writes the picture, what is seen and where its numbers are.
func (f *Figure) write(b *strings.Builder) {
	fmt.Fprintf(b, "![%s](%s.svg)\n\n%s. Numbers: [%s.csv](%s.csv).\n", f.Text, f.Name, f.Text, f.Name, f.Name)
}

// opponents returns the contenders against which a method is plotted.
func opponents(t Table) []string {
	switch t {
	case Table1:
		return []string{nameSVM, nameAugment}
	case Table2:
		return []string{namePlain, nameMixup}
	case Table3:
	}
	return []string{nameML, nameHR}
}

// ours returns the methods of semi-inner products that are compared with the others.
func ours() []string { return []string{nameEmbed, nameRisk} }

// writeFigures draws what the results allow.
func (t *Tables) writeFigures(dir string) ([]Figure, error) {
	var out []Figure
	for _, c := range t.Cells {
		for _, kind := range []func(string) ([]Figure, error){c.scatters, c.losses, c.violations} {
			figures, err := kind(dir)
			if err != nil {
				return nil, err
			}
			out = append(out, figures...)
		}
	}
	return out, nil
}

// scatters draws the runs: the rival's figure on the x axis, ours on the y axis, so that points above the diagonal favour us.
func (c *CellResult) scatters(dir string) ([]Figure, error) {
	var out []Figure
	for _, a := range ours() {
		for _, b := range opponents(c.Cell.Table) {
			x, y := c.entry(b), c.entry(a)
			if x == nil || y == nil {
				continue
			}
			f := Figure{
				Name: fmt.Sprintf("scatter-%s-%s-%s", c.Cell.Name(), a, b),
				Text: fmt.Sprintf("%s: every run of %s (y) against %s (x); points above the diagonal favour %s", c.Cell, a, b, a),
			}
			p, rows, err := c.scatter(x, y)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			if err := f.save(dir, p, rows); err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// scatter draws a point for each run, in per cent.
func (c *CellResult) scatter(x, y *Entry) (*picture, [][]string, error) {
	figure := c.Cell.metric()
	xs, ys := x.values(figure), y.values(figure)
	words := strings.ReplaceAll(figure, "_", " ")
	rows := [][]string{{"run", x.Contender.Name, y.Contender.Name, "figure"}}
	points := make(plotter.XYs, min(len(xs), len(ys)))
	low, high := math.Inf(1), math.Inf(-1)
	for r := range points {
		points[r] = plotter.XY{X: 100 * xs[r], Y: 100 * ys[r]}
		low, high = min(low, points[r].X, points[r].Y), max(high, points[r].X, points[r].Y)
		rows = append(rows, []string{strconv.Itoa(r), number(xs[r]), number(ys[r]), figure})
	}
	p := newPicture(fmt.Sprintf("%s: above the line %s is better", c.Cell, y.Contender.Name),
		fmt.Sprintf("%s of %s, %%", words, x.Contender.Name), fmt.Sprintf("%s of %s, %%", words, y.Contender.Name))
	pad := max(0.1, 0.08*(high-low))
	low, high = low-pad, high+pad
	diagonal, err := plotter.NewLine(plotter.XYs{{X: low, Y: low}, {X: high, Y: high}})
	if err != nil {
		return nil, nil, err
	}
	diagonal.LineStyle = draw.LineStyle{Color: gray(), Width: 1}
	p.Add(diagonal)
	if err := p.dots("a run", points, look{color: blue(), shape: draw.CircleGlyph{}}, 3.5); err != nil {
		return nil, nil, err
	}
	mean := plotter.XYs{{X: 100 * stat.Mean(xs, nil), Y: 100 * stat.Mean(ys, nil)}}
	if err := p.dots("their mean", mean, look{color: vermilion(), shape: diamond{}}, 5); err != nil {
		return nil, nil, err
	}
	p.entry("the same", diagonal)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low, high, low, high
	return p, rows, nil
}

// losses draws the loss between each pair of test rows against λ.
func (c *CellResult) losses(dir string) ([]Figure, error) {
	var out []Figure
	for pair := range lossPairs {
		rows := c.between(pair)
		p, table, err := c.loss(pair, rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Cell.Name(), err)
		}
		if p == nil {
			return nil, nil
		}
		f := Figure{Name: fmt.Sprintf("loss-%s-pair%d", c.Cell.Name(), pair+1), Text: fmt.Sprintf("%s: the loss between two test rows, pair %d", c.Cell, pair+1)}
		if rows != nil {
			f.Text += fmt.Sprintf(", λ times row %s (class %s) and 1 − λ times row %s (class %s)", rows.Rows[0], rows.Classes[0], rows.Rows[1], rows.Classes[1])
		}
		if err := f.save(dir, p, table); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// between returns the rows of a pair, the same for all contenders; nil means that no unit says which.
func (c *CellResult) between(pair int) *RowPair {
	for _, e := range c.Entries {
		if pairs := e.between(); pair < len(pairs) {
			return &pairs[pair]
		}
	}
	return nil
}

// between returns the pairs between which an entry's losses are.
func (e *Entry) between() []RowPair {
	switch {
	case e.Curve != nil:
		return e.Curve.Between
	case len(e.Runs) > 0:
		return e.Runs[0].Between
	}
	return nil
}

// loss draws a pair; the picture is nil where no contender has losses.
func (c *CellResult) loss(pair int, between *RowPair) (*picture, [][]string, error) {
	axis := "λ, the share of the pair's first row"
	if between == nil {
		between = &RowPair{}
	} else {
		axis = fmt.Sprintf("λ: 0 is test row %s (class %s), 1 is row %s (class %s)", between.Rows[1], between.Classes[1], between.Rows[0], between.Classes[0])
	}
	p := newPicture(c.Cell.String()+": loss between two test rows", axis, "cross-entropy, nats")
	table := [][]string{{"contender", "lambda", "loss", "first_row", "first_class", "second_row", "second_class"}}
	for _, e := range c.Entries {
		losses := e.losses()
		if len(losses) <= pair {
			continue
		}
		var points plotter.XYs
		for s, v := range losses[pair] {
			points = append(points, plotter.XY{X: lambda(s), Y: v})
			table = append(table, []string{
				e.Contender.Name, number(lambda(s)), number(v), between.Rows[0], between.Classes[0], between.Rows[1], between.Classes[1],
			})
		}
		if err := p.line(e.Contender.Name, points, lookOf(e.Contender.Name)); err != nil {
			return nil, nil, err
		}
	}
	if len(table) == 1 {
		return nil, nil, nil
	}
	p.X.Min, p.X.Max, p.Y.Min = 0, 1, min(0, p.Y.Min)
	return p, table, nil
}
