package reproduce

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strconv"

	"github.com/google/renameio/v2"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of a figure.
const (
	figureWidth  = 12 * vg.Centimeter
	figureHeight = 10 * vg.Centimeter
)

// A Figure is a picture and the numbers in it, two files of the same name.
type Figure struct {
	Name string // of the files
	Text string
}

// save writes picture and numbers, each whole or not at all.
func (f *Figure) save(dir string, p *plot.Plot, rows [][]string) error {
	w, err := p.WriterTo(figureWidth, figureHeight, "svg")
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(dir, f.Name+".svg"), b.Bytes(), readable); err != nil {
		return err
	}
	return writeCSV(filepath.Join(dir, f.Name+".csv"), rows)
}

// opponents are those against which a method is plotted, and ours the methods.
func opponents(t Table) []string {
	switch t {
	case Table1:
		return []string{nameSVM}
	case Table2:
		return []string{namePlain, nameMixup}
	case Table3:
	}
	return []string{nameML, nameHR}
}

// ours are the methods of semi-inner products that are compared with the others.
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

// scatters draw the runs: the rival's figure on the x axis, ours on the y axis, so that points above the diagonal favour us.
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
			if err := c.scatter(dir, &f, x, y); err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}

func (c *CellResult) scatter(dir string, f *Figure, x, y *Entry) error {
	name := c.Cell.metric()
	xs, ys := x.values(name), y.values(name)
	points := make(plotter.XYs, min(len(xs), len(ys)))
	rows := [][]string{{"run", x.Contender.Name, y.Contender.Name}}
	low, high := math.Inf(1), math.Inf(-1)
	for r := range points {
		points[r] = plotter.XY{X: 100 * xs[r], Y: 100 * ys[r]}
		low, high = min(low, points[r].X, points[r].Y), max(high, points[r].X, points[r].Y)
		rows = append(rows, []string{strconv.Itoa(r), number(xs[r]), number(ys[r])})
	}
	p := plot.New()
	p.Title.Text = c.Cell.String()
	p.X.Label.Text, p.Y.Label.Text = x.Contender.Name+", %", y.Contender.Name+", %"
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: plotutil.Color(0), Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
	line, err := plotter.NewLine(plotter.XYs{{X: low - 1, Y: low - 1}, {X: high + 1, Y: high + 1}})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	line.Color = color.Gray{Y: 150}
	p.Add(line, dots)
	return f.save(dir, p, rows)
}

// losses draws the loss of each pair of test rows against λ.
func (c *CellResult) losses(dir string) ([]Figure, error) {
	var out []Figure
	for pair := range lossPairs {
		f := Figure{
			Name: fmt.Sprintf("loss-%s-pair%d", c.Cell.Name(), pair+1),
			Text: fmt.Sprintf("%s: the loss between two test rows, pair %d", c.Cell, pair+1),
		}
		p := plot.New()
		p.Title.Text = c.Cell.String()
		p.X.Label.Text, p.Y.Label.Text = "λ", "loss"
		p.Legend.Top, p.Legend.XOffs = true, -vg.Centimeter
		rows := [][]string{{"contender", "lambda", "loss"}}
		lines := 0
		for _, e := range c.Entries {
			losses := e.losses()
			if len(losses) <= pair {
				continue
			}
			var points plotter.XYs
			for s, v := range losses[pair] {
				points = append(points, plotter.XY{X: lambda(s), Y: v})
				rows = append(rows, []string{e.Contender.Name, number(lambda(s)), number(v)})
			}
			if err := addLine(p, e.Contender.Name, points, lines); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			lines++
		}
		if lines == 0 {
			return nil, nil
		}
		if err := f.save(dir, p, rows); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// violations draws how many test rows violate each exclusion.
func (c *CellResult) violations(dir string) ([]Figure, error) {
	f := Figure{
		Name: "violations-" + c.Cell.Name(),
		Text: c.Cell.String() + ": test rows that violate each exclusion, run 0",
	}
	p := plot.New()
	p.Title.Text = c.Cell.String()
	p.X.Label.Text, p.Y.Label.Text = "exclusion", "rows"
	p.Legend.Top, p.Legend.XOffs = true, -vg.Centimeter
	rows := [][]string{{"contender", "kind", "constraint", "rows"}}
	k := 0
	for _, e := range c.Entries {
		if len(e.Runs) == 0 || e.Runs[0].Counts == nil {
			continue
		}
		counts := e.Runs[0].Counts
		var points plotter.XYs
		for i, v := range counts.Exclusions {
			points = append(points, plotter.XY{X: float64(i), Y: float64(v)})
			rows = append(rows, []string{e.Contender.Name, "exclusion", strconv.Itoa(i), strconv.Itoa(v)})
		}
		for i, v := range counts.Implications {
			rows = append(rows, []string{e.Contender.Name, "implication", strconv.Itoa(i), strconv.Itoa(v)})
		}
		if len(points) == 0 {
			continue
		}
		if err := addLine(p, e.Contender.Name, points, k); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		k++
	}
	if k == 0 {
		return nil, nil
	}
	return []Figure{f}, f.save(dir, p, rows)
}

// addLine adds the k-th line of a plot.
func addLine(p *plot.Plot, name string, points plotter.XYs, k int) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Dashes = plotutil.Color(k), plotutil.Dashes(k)
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}

// plot draws the bounds of the inexact embedding against ε, and √ε beside them.
func (t *Theory) plot(dir string) (Figure, error) {
	f := Figure{Name: "landmarks", Text: "The bounds under Nyström's embedding as landmarks grow, against ε; the theorem bounds both by a multiple of √ε."}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "ε", "deviation"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: 1}, plot.LogTicks{Prec: 1}
	p.Legend.Top, p.Legend.YOffs = false, vg.Centimeter
	for k, line := range []struct {
		name string
		of   func(*Loss) float64
	}{
		{"pairing", func(l *Loss) float64 { return l.Pairing }},
		{"linearity", func(l *Loss) float64 { return l.Linearity }},
		{"√ε", func(l *Loss) float64 { return math.Sqrt(l.Epsilon) }},
	} {
		var points plotter.XYs
		for i := range t.Losses {
			if l := &t.Losses[i]; l.Epsilon > 0 && line.of(l) > 0 {
				points = append(points, plotter.XY{X: l.Epsilon, Y: line.of(l)})
			}
		}
		if err := addLine(p, line.name, points, k); err != nil {
			return f, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	rows := [][]string{{"landmarks", "epsilon", "pairing", "linearity"}}
	for _, l := range t.Losses {
		rows = append(rows, []string{strconv.Itoa(l.Landmarks), number(l.Epsilon), number(l.Pairing), number(l.Linearity)})
	}
	err := f.save(dir, p, rows)
	return f, err
}
