package sipc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Where there are more columns than a page has pictures, it shows those along which f varies most. That is measured: a column takes the values that some
// rows have in others, and the deviation of what is predicted is that of the column. Columns of which the spec declares something come first.

const (
	probedWork = 4000 // predictions, about, by which the columns to be drawn are found
	mostProbes = 10   // rows among which a column's values are exchanged
	fewProbes  = 4    // of those where embeddings are solved for, or columns are many
)

// A cut says which columns are drawn of how many.
type cut struct {
	drawn, declared, of, left int
	words                     int  // columns of words, which are not swept
	over                      bool // the time was, before all columns were measured
}

// sentence says so; empty where all are drawn.
func (c *cut) sentence() string {
	by := "those along which f varies most"
	if c.over {
		by = "by their order, as the time was over before all were measured"
	}
	switch {
	case c.left == 0 && c.declared == 0:
		return ""
	case c.left == 0:
		return fmt.Sprintf("The first %d are columns of which the spec declares something. ", c.declared)
	case c.declared == 0:
		return fmt.Sprintf("Drawn are %d of %d columns, %s. ", c.drawn, c.of, by)
	}
	return fmt.Sprintf("Drawn are %d of %d columns: first %d of which the spec declares something, then others, %s. ", c.drawn, c.of, c.declared, by)
}

// columns returns the columns to sweep.
func (s *sweep) columns(ctx context.Context, rows *model.Rows) (out []*drawnColumn, _ *cut, err error) {
	prep, names := s.of.of.rows.Preparation, s.of.declaredNames()
	c := &cut{}
	declared := map[int]bool{}
	var all []int
	for g, f := range prep.Features {
		if ofWords(f) {
			c.words++
			continue
		}
		all = append(all, g)
		declared[g] = slices.ContainsFunc(names, func(pattern string) bool {
			ok, err := path.Match(pattern, f.Name)
			return f.Name == pattern || ok && err == nil
		})
	}
	effect := map[int]float64{}
	if len(all) > mostSwept {
		if effect, c.over, err = s.effectsOf(ctx, all); err != nil {
			return nil, nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b int) int {
		if declared[a] != declared[b] {
			return map[bool]int{true: -1, false: 1}[declared[a]]
		}
		return cmp.Compare(effect[b], effect[a])
	})
	for _, g := range all[:min(len(all), mostSwept)] {
		if out = append(out, newDrawnColumn(prep, g, rows)); declared[g] {
			c.declared++
		}
	}
	c.of, c.drawn, c.left = len(all), len(out), len(all)-len(out)
	return out, c, nil
}

// effectsOf measures how much predictions vary with each of some columns. Where the time is over before all are measured, it returns none.
func (s *sweep) effectsOf(ctx context.Context, columns []int) (effect map[int]float64, over bool, err error) {
	probes := max(fewProbes, min(mostProbes, int(math.Sqrt(probedWork/float64(len(columns))))))
	if r := s.of.of.fitting.Model.Represent; r.Method.Embeds() && r.Regularized() {
		probes = fewProbes
	}
	rows, groups := fewer(&model.Rows{X: s.rows}, probes).X, s.of.of.rows.Train.Groups
	n, p := rows.Dims()
	effect = map[int]float64{}
	for k, g := range columns {
		if limits.Over(ctx) {
			return nil, true, nil
		}
		tell(s.of.of.rows, "measure the columns", k, len(columns))
		x := mat.NewDense(n*n, p, nil)
		for at := range n * n {
			row := x.RawRowView(at)
			copy(row, rows.RawRowView(at/n))
			for _, j := range groups[g].Columns {
				row[j] = rows.At(at%n, j)
			}
		}
		y, err := s.predicted(ctx, s.of.of.fitting.Model, x)
		if err != nil {
			return nil, false, err
		}
		effect[g] = variation(y, n)
	}
	return effect, false, nil
}

// variation returns the sum over columns of the variances of each n numbers, those of one row.
func variation(y *mat.Dense, n int) (sum float64) {
	rows, outputs := y.Dims()
	for c := range outputs {
		of := mat.Col(nil, c, y)
		for at := 0; at < rows; at += n {
			sum += stat.PopVariance(of[at:at+n], nil)
		}
	}
	return sum
}

// chooseOutputs chooses the functions of a picture. Of many it takes those that vary most over the rows, in their order. Of levels it takes some at
// equal steps.
func (s *sweep) chooseOutputs(ctx context.Context) error {
	_, m := s.of.of.scores.Dims()
	for y := range m {
		s.outputs = append(s.outputs, y)
	}
	if m <= mostOutputs {
		return nil
	}
	if s.of.of.rows.Train.Task == setting.Quantiles {
		for k := range mostOutputs {
			s.outputs[k] = k * (m - 1) / (mostOutputs - 1)
		}
		s.outputs = s.outputs[:mostOutputs]
		return nil
	}
	y, err := s.predicted(ctx, s.of.of.fitting.Model, s.rows)
	if err != nil {
		return err
	}
	varies := make([]float64, m)
	for k := range varies {
		varies[k] = stat.PopVariance(mat.Col(nil, k, y), nil)
	}
	slices.SortStableFunc(s.outputs, func(a, b int) int { return cmp.Compare(varies[b], varies[a]) })
	s.outputs = s.outputs[:mostOutputs]
	slices.Sort(s.outputs)
	return nil
}
