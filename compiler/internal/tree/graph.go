package tree

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A GraphFile is a list of edges between row ids. It is read before there are rows, so that a
// faulty file is found by `sipc check`; Resolve then finds the rows.
type GraphFile struct {
	Name    string
	Ends    [2]int // the columns of the ends
	Edges   [][2]string
	Weight  string    // the column of weights; empty: there are none
	weights []float64 // of the edges
}

// A WeightError says what is wrong with the weights of a file of edges.
type WeightError struct{ What, Detail, Mend string }

// Error returns what is wrong, without what to do about it.
func (e *WeightError) Error() string { return e.What }

// ParseGraph reads a file of edges, with the weights of one of its columns unless that is empty.
// Weights are finite and not negative, which a WeightError says with the line.
func ParseGraph(content []byte, weight string) (*GraphFile, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	r := csv.NewReader(bytes.NewReader(content))
	r.TrimLeadingSpace = true
	r.Comment = '#'
	r.FieldsPerRecord = -1
	if first, _, _ := bytes.Cut(content, []byte("\n")); bytes.ContainsRune(first, '\t') {
		r.Comma = '\t'
	}
	g := &GraphFile{Weight: weight, Ends: [2]int{0, 1}}
	at, width := -1, 2
	var err error
	if weight != "" {
		at, width, err = g.header(r)
	}
	for err == nil {
		err = g.edge(r, at, width)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(g.Edges) == 0 {
		return nil, errors.New("it holds no edge")
	}
	return g, nil
}

// header reads the first line of a file of weighted edges: where the weight is, and how many
// columns there are. The ends are the first two others. A file without weights needs no header.
func (g *GraphFile) header(r *csv.Reader) (at, width int, err error) {
	names, err := r.Read()
	if err != nil {
		return 0, 0, err
	}
	var ends, weights []int
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if names[i] == g.Weight {
			weights = append(weights, i)
		} else {
			ends = append(ends, i)
		}
	}
	if len(weights) != 1 || len(ends) < 2 {
		what := "it has no column " + g.Weight + " beside the two ends of an edge"
		if len(weights) > 1 {
			what = "it has several columns " + g.Weight
		}
		return 0, 0, &WeightError{what, "Its first line is " + strings.Join(names, ", ") + ".", "Begin the file with a line of names, the two ends and " + g.Weight + "."}
	}
	g.Ends = [2]int{ends[0], ends[1]}
	return weights[0], len(names), nil
}

// edge reads a line, and the weight in it. Negative weights are refused: a sum of convex parts with
// them need not be convex.
func (g *GraphFile) edge(r *csv.Reader, at, width int) error {
	row, err := r.Read()
	if err != nil {
		return err
	}
	line, _ := r.FieldPos(0)
	if len(row) != width {
		return fmt.Errorf("line %d has %s, not %d", line, Plural(len(row), "column"), width)
	}
	for i := range row {
		row[i] = strings.TrimSpace(row[i])
	}
	g.Edges = append(g.Edges, [2]string{row[g.Ends[0]], row[g.Ends[1]]})
	if g.Weight == "" {
		return nil
	}
	w, err := strconv.ParseFloat(row[at], 64)
	switch {
	case err != nil || math.IsNaN(w) || math.IsInf(w, 0):
		return &WeightError{fmt.Sprintf("the %s in line %d is %q, which is not a number", g.Weight, line, row[at]), "", "Give every edge a finite number."}
	case w < 0:
		return &WeightError{fmt.Sprintf("the %s in line %d is %s", g.Weight, line, row[at]), "With a negative weight a sum over edges need not be convex.", "Leave the edge out, or make its weight 0."}
	}
	g.weights = append(g.weights, w)
	return nil
}

// Resolve makes row indices of the ids. A first line of words that are not ids is a header. Other
// edges with an end that is not a row at hand are left out and counted. Where ids are the numbers of
// rows from 1, edges between numbers of which one is 0 count rows from 0.
func (g *GraphFile) Resolve(row map[string]int32, numbered bool) (a, b []int32, weights []float64, leftOut int) {
	shift := numbered && g.fromZero()
	for i, e := range g.Edges {
		if shift {
			e = [2]string{next(e[0]), next(e[1])}
		}
		from, okFrom := row[e[0]]
		to, okTo := row[e[1]]
		switch {
		case okFrom && okTo:
			a, b = append(a, from), append(b, to)
			if g.Weight != "" {
				weights = append(weights, g.weights[i])
			}
		case i == 0 && g.Weight == "" && !okFrom && !okTo && !numeric(e[0]) && !numeric(e[1]):
		default:
			leftOut++
		}
	}
	return a, b, weights, leftOut
}

// fromZero reports whether some edge has an end called 0, and all ends but those of a header are
// whole numbers.
func (g *GraphFile) fromZero() bool {
	zero := false
	for i, e := range g.Edges {
		for _, end := range e {
			if _, err := strconv.ParseUint(end, 10, 31); err != nil && i > 0 {
				return false
			}
			zero = zero || end == "0"
		}
	}
	return zero
}

// next returns the number after one, and other words as they are.
func next(number string) string {
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return number
	}
	return strconv.FormatUint(n+1, 10)
}

// numeric reports whether a text is a number.
func numeric(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
