package copies

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sipc-ml/sipc/lab/bench"
)

// A paired difference of two machines over the draws of a cell, in points.
type paired struct {
	mean, half float64 // half of the 95 % interval of Student's distribution
	p          float64 // of a mean of 0, on two sides
}

// differences returns a − b in points, draw by draw.
func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = 100 * (a[i] - b[i])
	}
	return d
}

// pair returns the difference of a and b, draw by draw.
func pair(a, b []float64) paired {
	d := differences(a, b)
	out := paired{mean: stat.Mean(d, nil), half: math.NaN(), p: math.NaN()}
	if len(d) < 2 {
		return out
	}
	t, e := distuv.StudentsT{Sigma: 1, Nu: float64(len(d) - 1)}, stat.StdErr(stat.StdDev(d, nil), float64(len(d)))
	out.half = t.Quantile(0.975) * e
	if out.p = 1; out.mean != 0 {
		out.p = 2 * t.CDF(-math.Abs(out.mean)/e)
	}
	return out
}

// String writes a difference with its interval, or says that there is none.
func (d paired) String() string {
	half := fmt.Sprintf("± %.2f", d.half)
	if math.IsNaN(d.half) {
		half = "(too few draws)"
	}
	return strings.ReplaceAll(fmt.Sprintf("%+.2f %s", d.mean, half), "-", "−")
}

// holm returns the p-values of several hypotheses that are tested together, adjusted as Holm (1979) does.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out, least := make([]float64, len(p)), 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(p)-k)*p[i]))
		out[i] = least
	}
	return out
}

// A group has the lines of a machine in a cell, by draw.
type group struct {
	cell, fit             string
	clean, moved, seconds []float64
}

// grouped returns the groups of lines in the order in which they come. Every machine of a cell must have the same draws.
func grouped(lines []Line) (cells []string, groups map[string]*group, fits []string, err error) {
	groups = map[string]*group{}
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(a.Draw, b.Draw) })
	draws := map[string][]uint64{}
	for _, l := range lines {
		cell := fmt.Sprintf("%s, n = %d", l.Digits, l.Rows)
		if l.Set != "" {
			cell = l.Set + ", " + cell
		}
		if !slices.Contains(cells, cell) {
			cells = append(cells, cell)
		}
		if !slices.Contains(fits, l.Fit) {
			fits = append(fits, l.Fit)
		}
		key := cell + l.Fit
		if groups[key] == nil {
			groups[key] = &group{cell: cell, fit: l.Fit}
		}
		g := groups[key]
		g.clean, g.moved, g.seconds = append(g.clean, l.Clean), append(g.moved, l.Moved), append(g.seconds, l.Seconds)
		draws[key] = append(draws[key], l.Draw)
	}
	for key, own := range draws {
		if first := draws[groups[key].cell+fits[0]]; !slices.Equal(own, first) {
			return nil, nil, nil, fmt.Errorf("%s: %s has the draws %v, and %s has %v", groups[key].cell, groups[key].fit, own, fits[0], first)
		}
	}
	return cells, groups, fits, nil
}

// Write writes lines as a table in Markdown, with the differences of one machine and each other. Below it stands in how many cells
// the machine is below or above a rival, by p-values that Holm's method corrects. So does the mean difference on moved rows.
func Write(w io.Writer, lines []Line, of, rival string) error {
	cells, groups, fits, err := grouped(lines)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| digits | machine | clean | moved | %s −, clean | %s −, moved | s | × |\n|%s\n", of, of, strings.Repeat("---|", 8))
	var p []float64
	var means []paired
	var pooled [][]float64
	for _, cell := range cells {
		own := groups[cell+of]
		if own == nil {
			return fmt.Errorf("%s: no line is of %s", cell, of)
		}
		head := cell
		for _, fit := range fits {
			g := groups[cell+fit]
			if g == nil {
				continue
			}
			fmt.Fprintf(w, "| %s | %s | %.2f | %.2f |", head, fit, 100*stat.Mean(g.clean, nil), 100*stat.Mean(g.moved, nil))
			head = ""
			seconds := stat.Mean(own.seconds, nil) / stat.Mean(g.seconds, nil)
			if fit == of {
				fmt.Fprintf(w, " | | %.1f | |\n", stat.Mean(g.seconds, nil))
				continue
			}
			clean, moved := pair(own.clean, g.clean), pair(own.moved, g.moved)
			fmt.Fprintf(w, " %s | %s | %.1f | %.2f |\n", clean, moved, stat.Mean(g.seconds, nil), seconds)
			if fit == rival {
				p, means, pooled = append(p, clean.p, moved.p), append(means, clean, moved), append(pooled, differences(own.moved, g.moved))
			}
		}
	}
	conclude(w, p, means, pooled, of, rival)
	return nil
}

// conclude writes what is certain of the differences to a rival.
func conclude(w io.Writer, p []float64, means []paired, pooled [][]float64, of, rival string) {
	if len(p) == 0 {
		return
	}
	below, above := 0, 0
	for k, v := range holm(p) {
		switch {
		case v >= 0.05 || math.IsNaN(v):
		case means[k].mean < 0:
			below++
		default:
			above++
		}
	}
	mean, half := bench.Pooled(pooled)
	fmt.Fprintf(w, "\n%s and %s, %d comparisons, p < 0.05 by Holm: below in %d, above in %d. Moved rows, mean over the cells: %s points.\n",
		of, rival, len(p), below, above, paired{mean: mean, half: half})
}
