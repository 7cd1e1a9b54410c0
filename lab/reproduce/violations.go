package reproduce

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// The kinds of constraints of a taxonomy.
const (
	kindImplication = "implication"
	kindExclusion   = "exclusion"
)

// A constraint is one of a taxonomy's, and how many test rows of all runs violate it, by contender.
type constraint struct {
	kind          string
	number        int    // among those of its kind, from 0
	first, second string // labels; empty where no unit has them
	rows          []int  // of each contender that counted
}

// total returns the violations of all contenders.
func (c *constraint) total() (sum int) {
	for _, n := range c.rows {
		sum += n
	}
	return sum
}

// maxLabel is how many letters of a label are shown.
const maxLabel = 14

// text writes the constraint for a picture, no longer than two labels of so many letters.
func (c *constraint) text() string {
	if c.first == "" && c.second == "" {
		return fmt.Sprintf("%s %d", c.kind, c.number)
	}
	sign := " × "
	if c.kind == kindImplication {
		sign = " → "
	}
	return shortened(c.first) + sign + shortened(c.second)
}

// shortened cuts a label to a few letters.
func shortened(label string) string {
	if letters := []rune(label); len(letters) > maxLabel {
		return strings.TrimSpace(string(letters[:maxLabel-1])) + "…"
	}
	return label
}

// counted returns the contenders that counted violations, and the constraints in order: implications and then exclusions.
func (c *CellResult) counted() (entries []*Entry, out []*constraint) {
	for _, e := range c.Entries {
		if len(e.Runs) > 0 && !slices.ContainsFunc(e.Runs, func(r *Result) bool { return r.Counts == nil }) {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return nil, nil
	}
	first := entries[0].Runs[0].Counts
	names := c.names(len(first.Implications), len(first.Exclusions))
	add := func(kind string, count int, named [][2]string, of func(*Counts) []int) {
		for k := range count {
			one := &constraint{kind: kind, number: k, rows: make([]int, len(entries))}
			if named != nil {
				one.first, one.second = named[k][0], named[k][1]
			}
			for j, e := range entries {
				for _, r := range e.Runs {
					one.rows[j] += of(r.Counts)[k]
				}
			}
			out = append(out, one)
		}
	}
	add(kindImplication, len(first.Implications), names.Implications, func(n *Counts) []int { return n.Implications })
	add(kindExclusion, len(first.Exclusions), names.Exclusions, func(n *Counts) []int { return n.Exclusions })
	return entries, out
}

// names returns the names of the constraints from some unit that has them, as all units of a cell have one taxonomy. Without such a unit they are empty.
func (c *CellResult) names(implications, exclusions int) Names {
	for _, e := range c.Entries {
		for _, r := range e.Runs {
			if r.Counts == nil || r.Counts.Names == nil {
				continue
			}
			if n := r.Counts.Names; len(n.Implications) == implications && len(n.Exclusions) == exclusions {
				return *n
			}
		}
	}
	return Names{}
}

// mostViolated is how many constraints are drawn; the CSV has all.
const mostViolated = 12

// violations draws the constraints that most test rows of all runs violate.
func (c *CellResult) violations(dir string) ([]Figure, error) {
	entries, all := c.counted()
	if len(all) == 0 {
		return nil, nil
	}
	of, runs := 0, 0
	for _, r := range entries[0].Runs {
		of, runs = of+r.NTest, runs+1
	}
	rows := [][]string{{"contender", "kind", "constraint", "first", "second", "rows", "of"}}
	for j, e := range entries {
		for _, k := range all {
			rows = append(rows, []string{
				e.Contender.Name, k.kind, strconv.Itoa(k.number), k.first, k.second, strconv.Itoa(k.rows[j]), strconv.Itoa(of),
			})
		}
	}
	f := Figure{
		Name: "violations-" + c.Cell.Name(),
		Text: fmt.Sprintf("%s: test rows of %d runs that violate each constraint; a → b is violated by a without b, a × b by both", c.Cell, runs),
	}
	p, err := c.violationsPicture(entries, all, fmt.Sprintf("test rows that violate it, of %d in %d runs", of, runs))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return []Figure{f}, f.save(dir, p, rows)
}

// violationsPicture has a band for each of the most violated constraints, and in it a row of dots, one contender below the other.
func (c *CellResult) violationsPicture(entries []*Entry, all []*constraint, axis string) (*picture, error) {
	worst := slices.Clone(all)
	slices.SortStableFunc(worst, func(a, b *constraint) int { return b.total() - a.total() })
	worst = slices.DeleteFunc(worst, func(k *constraint) bool { return k.total() == 0 })
	worst = worst[:min(len(worst), mostViolated)]
	title := fmt.Sprintf("%s: the %d most violated of %d constraints", c.Cell, len(worst), len(all))
	if len(worst) == 0 {
		title, worst = fmt.Sprintf("%s: none of %d constraints is violated", c.Cell, len(all)), all[:min(len(all), mostViolated)]
	}
	p := newPicture(title, axis, "a → b: a without b;  a × b: both")
	var bands []plot.Tick
	for i, k := range worst {
		bands = append(bands, plot.Tick{Value: -float64(i), Label: k.text()})
	}
	most := 0
	for j, e := range entries {
		var points plotter.XYs
		for i, k := range worst {
			below := (float64(j)+0.5)/float64(len(entries)) - 0.5
			points = append(points, plotter.XY{X: float64(k.rows[j]), Y: -float64(i) - 0.8*below})
			most = max(most, k.rows[j])
		}
		if err := p.dots(e.Contender.Name, points, lookOf(e.Contender.Name), 2.5); err != nil {
			return nil, err
		}
	}
	p.Y.Tick.Marker, p.X.Tick.Marker = plot.ConstantTicks(bands), rounds{least: 1, most: 4}
	p.Y.Min, p.Y.Max = -float64(len(worst))+0.5, 0.5
	p.X.Min, p.X.Max = 0, max(1, 1.02*float64(most))
	return p, nil
}
