// Package labels measures runs of the whole program on sets of thousands of labels. The sets are drawn, with the shape of genes under the Gene
// Ontology. Rows are few and have some numbers each. Labels stand in a graph of many levels, a few dozen to a row.
package labels

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// A Shape is what sets are drawn of.
type Shape struct {
	Rows, Labels int
	Seed         uint64
}

// The shape of what is drawn beside rows and labels, as genes under the Gene Ontology have it.
const (
	columns = 79
	levels  = 13
	carried = 35   // labels of a row, about
	second  = 0.3  // the share of labels with a second parent
	missing = 0.02 // the share of cells without a number
	noise   = 2
)

// Least is the least number of labels: a few at every level.
const Least = 4 * levels

// A graph has the labels with what lies above each, and below. Its labels are in the order of their levels.
type graph struct {
	above, below [][]int
	level        []int
	tops         int
	pull         [][]float64 // of labels, on the columns
}

// newGraph draws the labels. Levels are largest in the middle, and a label lies below one of the level above its own.
func newGraph(rng *rand.Rand, count int) *graph {
	g := &graph{above: make([][]int, count), below: make([][]int, count), level: make([]int, count), pull: make([][]float64, count)}
	total := 0.0
	for l := range levels {
		total += weightOf(l)
	}
	begin, sum := []int{0}, 0.0
	for l := range levels {
		sum += weightOf(l)
		begin = append(begin, max(begin[l]+1, int(math.Round(float64(count)*sum/total))))
	}
	begin[levels] = count
	g.tops = begin[1]
	for l := range levels {
		for k := begin[l]; k < begin[l+1]; k++ {
			g.level[k] = l
			if l > 0 {
				g.under(k, begin[l-1]+rng.IntN(begin[l]-begin[l-1]))
			}
			if l > 1 && rng.Float64() < second {
				if p := rng.IntN(begin[l]); !slices.Contains(g.above[k], p) {
					g.under(k, p)
				}
			}
			g.pull[k] = make([]float64, columns)
			for j := range g.pull[k] {
				g.pull[k][j] = rng.NormFloat64()
			}
		}
	}
	return g
}

// weightOf returns the weight of a level.
func weightOf(level int) float64 {
	d := (float64(level) - levels/2) / 2.5
	return math.Exp(-d * d / 2)
}

// under puts a label below another.
func (g *graph) under(child, parent int) {
	g.above[child], g.below[parent] = append(g.above[child], parent), append(g.below[parent], child)
}

// row draws the labels of a row: those at the ends of some ways down, and all above them. The first of those below are the most frequent.
func (g *graph) row(rng *rand.Rand) (ends []int, all map[int]bool) {
	all = map[int]bool{}
	for wanted := carried/2 + rng.IntN(carried); len(all) < wanted; {
		at := skewed(rng, g.tops)
		for len(g.below[at]) > 0 && rng.Float64() > 0.05 {
			at = g.below[at][skewed(rng, len(g.below[at]))]
		}
		ends = append(ends, at)
		g.climb(at, all)
	}
	return ends, all
}

// skewed draws one of so many, the first ones more often.
func skewed(rng *rand.Rand, count int) int {
	u := rng.Float64()
	return int(u * u * float64(count))
}

// climb adds a label and all above it.
func (g *graph) climb(at int, all map[int]bool) {
	if !all[at] {
		all[at] = true
		for _, p := range g.above[at] {
			g.climb(p, all)
		}
	}
}

// Write draws a set as an ARFF file with pairs parent/child. Files of one shape and seed have the same labels. Parts have other rows.
func (s *Shape) Write(to io.Writer, part uint64) error {
	g := newGraph(rand.New(rand.NewPCG(s.Seed, 0)), s.Labels)
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, "@relation genes")
	for j := range columns {
		fmt.Fprintf(w, "@attribute column_%d numeric\n", j)
	}
	fmt.Fprint(w, "@attribute class hierarchical ")
	for k, above := range g.above {
		switch {
		case k >= g.tops:
			for _, p := range above {
				fmt.Fprintf(w, ",%s/%s", name(p), name(k))
			}
		case k > 0:
			fmt.Fprintf(w, ",root/%s", name(k))
		default:
			fmt.Fprintf(w, "root/%s", name(k))
		}
	}
	fmt.Fprintln(w, "\n@data")
	rng := rand.New(rand.NewPCG(s.Seed, 1+part))
	for range s.Rows {
		g.line(w, rng)
	}
	return w.Flush()
}

// line writes a row.
func (g *graph) line(w *bufio.Writer, rng *rand.Rand) {
	ends, all := g.row(rng)
	sum := make([]float64, columns)
	for k := range g.above { // in order, as a map has none
		if all[k] {
			for j, v := range g.pull[k] {
				sum[j] += v / math.Sqrt(carried)
			}
		}
	}
	for _, v := range sum {
		cell := "?"
		if v += noise * rng.NormFloat64(); rng.Float64() >= missing {
			cell = strconv.FormatFloat(v, 'f', 3, 64)
		}
		fmt.Fprintf(w, "%s,", cell)
	}
	for i, k := range ends {
		if i > 0 {
			fmt.Fprint(w, "@")
		}
		fmt.Fprint(w, name(k))
	}
	fmt.Fprintln(w)
}

// name returns the name of a label.
func name(k int) string { return fmt.Sprintf("GO%07d", k+1) }
