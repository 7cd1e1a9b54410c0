package bench

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/internal/cli"
)

// Citations are papers of several topics with their words, their citations, and the published split of the rows.
var Citations = Source{
	"graph",
	[]string{"cora.libsvm.gz", "cora-edges.csv.gz", "cora-split.csv"},
	"Cora, such as https://linqs.org/datasets/#cora: rows `topic word:1 …`, lines `from,to` of rows from 0, lines `row,part`",
}

// A CitationGraph is what label propagation sees of Citations.
type CitationGraph struct {
	Topics []int    // of the rows
	Parts  []string // train, valid, test or unlabelled
	Edges  [][2]int
	Kinds  int // topics
}

// ReadCitations reads a folder of [Citations], and writes it to dir as papers.csv, with a column part, and edges.csv.
func ReadCitations(folder, dir string) (*CitationGraph, error) {
	g := &CitationGraph{}
	if err := pairs(filepath.Join(folder, "cora-split.csv"), func(_, part string) error {
		g.Parts = append(g.Parts, part)
		return nil
	}); err != nil {
		return nil, err
	}
	var edges [][]string
	if err := pairs(filepath.Join(folder, "cora-edges.csv.gz"), func(from, to string) error {
		a, b := rowNumber(from, len(g.Parts)), rowNumber(to, len(g.Parts))
		if a < 0 || b < 0 {
			return fmt.Errorf("%s,%s is not an edge between two of %d rows", from, to, len(g.Parts))
		}
		g.Edges, edges = append(g.Edges, [2]int{a, b}), append(edges, []string{from, to})
		return nil
	}); err != nil {
		return nil, err
	}
	if err := writeCSV(filepath.Join(dir, "edges.csv"), edges); err != nil {
		return nil, err
	}
	err := g.papers(filepath.Join(folder, "cora.libsvm.gz"), filepath.Join(dir, "papers.csv"))
	return g, err
}

// pairs calls body with the two cells of each line of a file but the first.
func pairs(path string, body func(a, b string) error) error {
	head := true
	return readLines(path, func(line string) error {
		a, b, ok := strings.Cut(line, ",")
		switch {
		case !ok:
			return fmt.Errorf("%q is not a pair", line)
		case head:
			head = false
			return nil
		}
		return body(a, b)
	})
}

// rowNumber returns the number of a row, −1 for another text.
func rowNumber(text string, rows int) int {
	i, err := strconv.Atoi(text)
	if err != nil || i >= rows {
		return -1
	}
	return i
}

// papers reads rows of words, and writes them as a table.
func (g *CitationGraph) papers(path, to string) error {
	var words []map[int]string
	var topics []string
	most := 0
	if err := readLines(path, func(line string) error {
		cells := strings.Fields(line)
		own := map[int]string{}
		for _, c := range cells[1:] {
			index, value, _ := strings.Cut(c, ":")
			j, err := strconv.Atoi(index)
			if err != nil || j < 1 || j > 1<<20 {
				return fmt.Errorf("%q is not a word:count", c)
			}
			own[j], most = value, max(most, j)
		}
		words, topics = append(words, own), append(topics, cells[0])
		return nil
	}); err != nil {
		return err
	}
	if len(words) != len(g.Parts) {
		return cli.WrongInput(fmt.Errorf("%s: %d rows, and %d are split", path, len(words), len(g.Parts)))
	}
	kinds := slices.Compact(slices.Sorted(slices.Values(topics)))
	g.Kinds = len(kinds)
	table := [][]string{{"id", "part", "topic"}}
	for j := range most {
		table[0] = append(table[0], "w"+strconv.Itoa(j+1))
	}
	for i, own := range words {
		g.Topics = append(g.Topics, slices.Index(kinds, topics[i]))
		line := append([]string{strconv.Itoa(i), g.Parts[i], "topic " + topics[i]}, slices.Repeat([]string{"0"}, most)...)
		for j, value := range own {
			line[2+j] = value
		}
		table = append(table, line)
	}
	return writeCSV(to, table)
}

// writeCSV writes a table to a new file.
func writeCSV(path string, table [][]string) error {
	f, err := os.Create(path) //nolint:gosec // in a folder of our own
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(table), f.Close())
}

// spreads are the shares α of a row's neighbours among which label propagation is chosen. Labels spread sweeps times, so that αˢʷᵉᵉᵖˢ is
// below 10⁻⁸ for all of them.
var spreads = []float64{0.5, 0.8, 0.9, 0.95, 0.99}

const sweeps = 2000

// Propagate spreads the topics of the training rows along the edges,
//
//	F ← α D^(−½) E D^(−½) F + (1 − α) Y,
//
// as Zhou et al. (NIPS 2004) do, without any words. It chooses α on the valid rows, and returns it with the accuracy on the test rows.
func (g *CitationGraph) Propagate() (alpha, accuracy float64) {
	best := -1.0
	for _, a := range spreads {
		f := g.propagate(a)
		if v := g.accuracy(f, "valid"); v > best {
			best, alpha, accuracy = v, a, g.accuracy(f, "test")
		}
	}
	return alpha, accuracy
}

// propagate returns F (rows × topics) for a share.
func (g *CitationGraph) propagate(alpha float64) [][]float64 {
	n := len(g.Topics)
	degree := make([]float64, n)
	for _, e := range g.Edges {
		degree[e[0]]++
		degree[e[1]]++
	}
	f, next := make([][]float64, n), make([][]float64, n)
	for i := range f {
		f[i], next[i] = make([]float64, g.Kinds), make([]float64, g.Kinds)
	}
	for range sweeps {
		for i := range next {
			clear(next[i])
			if g.Parts[i] == "train" {
				next[i][g.Topics[i]] = 1 - alpha
			}
		}
		for _, e := range g.Edges {
			w := alpha / math.Sqrt(degree[e[0]]*degree[e[1]])
			for k := range g.Kinds {
				next[e[0]][k] += w * f[e[1]][k]
				next[e[1]][k] += w * f[e[0]][k]
			}
		}
		f, next = next, f
	}
	return f
}

// accuracy returns the share of a part's rows whose topic has the largest score.
func (g *CitationGraph) accuracy(f [][]float64, part string) float64 {
	right, all := 0.0, 0.0
	for i, scores := range f {
		if g.Parts[i] != part {
			continue
		}
		all++
		if slices.Index(scores, slices.Max(scores)) == g.Topics[i] {
			right++
		}
	}
	return right / all
}
