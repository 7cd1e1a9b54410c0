package kernel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Fixed returns the kernel with its width in the units of the features, given training rows and the seed of a run. An additive or
// pairwise kernel gets a component for each group of columns, with the widths of all. Other kernels with a fixed width stay as they
// are, and so does one that has its components.
func Fixed(k setting.Kernel, groups []setting.Group, rows *mat.Dense, seed uint64) (setting.Kernel, error) {
	if k.Sums() && k.Components == nil {
		return componentsOf(k, groups, rows)
	}
	if !k.OfMedian {
		return k, nil
	}
	median, err := MedianDistance(rows, seed)
	k.Width, k.OfMedian = k.Width*median, false
	return k, err
}

// A ColumnError is that of a column that an additive or pairwise kernel names, or meets, and has no kernel for.
type ColumnError struct {
	Column  string
	Problem string // empty: no feature is called so
}

// Error returns the error in words.
func (e *ColumnError) Error() string {
	if e.Problem == "" {
		return fmt.Sprintf("kernel: no feature is called %q", e.Column)
	}
	return e.Problem
}

// componentsOf makes the components of a kernel of columns, in the order of the groups. A column that the kernel names must be one of
// them: a misspelt name would leave its width unused without a word.
func componentsOf(k setting.Kernel, groups []setting.Group, rows *mat.Dense) (setting.Kernel, error) {
	if k.Parts == nil {
		return k, fmt.Errorf("kernel %s: it says of no column what its kernel is", k.Kind)
	}
	for _, o := range k.Parts.Own {
		if _, err := find(groups, o.Column); err != nil {
			return k, err
		}
	}
	k.Components = make([]setting.Component, len(groups))
	for i := range groups {
		c, err := componentOf(&groups[i], &k, rows)
		if err != nil {
			return k, err
		}
		k.Components[i] = c
	}
	if k.Parts.Only == nil {
		return k, nil
	}
	k.Pairs = make([][2]int, len(k.Parts.Only))
	for i, pair := range k.Parts.Only {
		for side, name := range pair {
			at, err := find(groups, name)
			if err != nil {
				return k, err
			}
			k.Pairs[i][side] = at
		}
		slices.Sort(k.Pairs[i][:])
	}
	sort.Slice(k.Pairs, func(i, j int) bool { return slices.Compare(k.Pairs[i][:], k.Pairs[j][:]) < 0 })
	k.Pairs = slices.Compact(k.Pairs)
	return k, nil
}

// find returns the position of a group.
func find(groups []setting.Group, name string) (int, error) {
	at := slices.IndexFunc(groups, func(g setting.Group) bool { return g.Name == name })
	if at < 0 {
		return 0, &ColumnError{Column: name}
	}
	return at, nil
}

// componentOf makes the component of a group.
func componentOf(g *setting.Group, k *setting.Kernel, rows *mat.Dense) (setting.Component, error) {
	c := setting.Component{Name: g.Name, Columns: g.Columns, Base: k.Parts.Base}
	own := slices.IndexFunc(k.Parts.Own, func(o setting.Own) bool { return o.Column == g.Name })
	if own >= 0 {
		c.Base = k.Parts.Own[own].Base
	}
	switch {
	case g.Words:
		return c, &ColumnError{Column: g.Name, Problem: fmt.Sprintf("%s holds words of texts, which are neither one number nor one category, as components of %s are", g.Name, k.Kind)}
	case g.Text && own >= 0:
		return c, &ColumnError{Column: g.Name, Problem: fmt.Sprintf("%s holds texts, whose kernel is 1 where they are equal and 0 elsewhere, and no other", g.Name)}
	case g.Text:
		c.Base = setting.Base{Kind: setting.Category}
		return c, nil
	}
	c.Period /= cmp.Or(math.Abs(g.Scale), 1)
	if c.OfMedian {
		median := medianOfNumbers(numbers(rows, g.Columns), c.Period)
		c.Width, c.OfMedian = c.Width*median, false
	}
	return c, nil
}

// numbers returns the numbers of a column in the rows that have no mask set. What stands at a gap says nothing of distances.
func numbers(rows *mat.Dense, columns []int) []float64 {
	n, _ := rows.Dims()
	out := make([]float64, 0, n)
	for i := range n {
		row := rows.RawRowView(i)
		if !slices.ContainsFunc(columns[1:], func(m int) bool { return row[m] != 0 }) {
			out = append(out, row[columns[0]])
		}
	}
	return out
}

// medianOfNumbers returns the median distance between different numbers: the middle one, or the lower of two. With a period it is that of
// chords of a circle. It is 1 if all numbers are equal. Of n(n − 1)/2 distances none is stored: with
//
//	N(t) = number of pairs at most t apart
//
// the median is the least t with N(t) ≥ N(0) + ½(n(n − 1)/2 − N(0)), found by bisection over the bits of t. Each N(t) takes n steps.
func medianOfNumbers(v []float64, period float64) float64 {
	if period > 0 {
		for i := range v {
			v[i] -= period * math.Floor(v[i]/period)
		}
	}
	slices.Sort(v)
	most := math.Inf(1)
	if period > 0 {
		most = period / 2
	}
	none := closePairs(v, 0, period)
	all := len(v) * (len(v) - 1) / 2
	if none == all {
		return 1
	}
	// Pairs of equal numbers come first, and do not count.
	want := none + (all-none+1)/2
	// The bits of positive numbers are in the order of the numbers.
	low, high := uint64(0), math.Float64bits(min(most, math.MaxFloat64))
	for low+1 < high {
		middle := low + (high-low)/2
		if closePairs(v, math.Float64frombits(middle), period) >= want {
			high = middle
		} else {
			low = middle
		}
	}
	distance := math.Float64frombits(high)
	if period > 0 {
		return period / math.Pi * math.Sin(math.Pi*distance/period)
	}
	return distance
}

// closePairs counts the pairs of sorted numbers at most a distance apart; with a period, on a circle of more than twice the distance.
func closePairs(v []float64, distance, period float64) int {
	count, first := 0, 0
	for i, t := range v {
		for t-v[first] > distance {
			first++
		}
		count += i - first
	}
	if period == 0 {
		return count
	}
	// Pairs that are near across the end of the circle. Below half of it none is near on both ways.
	for i, last := 0, 0; i < len(v); i++ {
		for last < i && v[last]+period-v[i] <= distance {
			last++
		}
		count += last
	}
	return count
}
