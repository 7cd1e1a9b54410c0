package compiler

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// weightWord names the column of weights of a file of edges.
const weightWord = "weight"

// A graphFile is a list of edges between row ids.
type graphFile struct {
	name    string
	ends    [2]int // the columns of the ends
	edges   [][2]string
	weight  string    // the column of weights; empty: there are none
	weights []float64 // of the edges
}

// graph reads the arguments of graph("edges.csv", weight = COLUMN).
func (p *pass) graph(call *dsl.Call, sc *scope) *graphFile {
	weighed := len(call.Args) == 2 && call.Args[1].Name != nil && call.Args[1].Name.Name == weightWord
	if len(call.Args) != 1 && !weighed || call.Args[0].Name != nil {
		p.report(&diag.Diagnostic{Code: WrongType, Subject: call.Span(), Summary: "graph takes the name of one file, and may take weight", Mend: `Write graph("edges.csv"), or graph("edges.csv", weight = w) for a column w of the file.`})
		return nil
	}
	arg := call.Args[0].Value
	name, ok := p.literal(arg, sc, "the name of a file in double quotes", false)
	if !ok {
		return nil
	}
	weight := ""
	if weighed {
		arg = call.Args[1].Value
		if weight, ok = p.literal(arg, sc, "the name of a column of the file", true); !ok {
			return nil
		}
		if weight = strings.TrimSpace(weight); weight == "" {
			p.report(&diag.Diagnostic{
				Code: WrongWeight, Subject: arg.Span(), Summary: "the name of the column of weights is empty",
				Mend: "Name a column of the file, as in weight = w, or leave weight out.",
			})
			return nil
		}
	}
	content, ok := p.readFile(name, call.Args[0].Value.Span())
	if !ok {
		return nil
	}
	f := p.files[name]
	if f.graphs[weight] == nil {
		g, err := parseGraph(content, weight)
		if err != nil {
			p.noGraph(name, err, call)
			return nil
		}
		g.name = name
		if f.graphs == nil {
			f.graphs = map[string]*graphFile{}
		}
		f.graphs[weight] = g
	}
	return f.graphs[weight]
}

// noGraph reports what is wrong with a file of edges: at the weights where it is in them.
func (p *pass) noGraph(name string, err error, call *dsl.Call) {
	var wrong *weightError
	if errors.As(err, &wrong) {
		p.report(&diag.Diagnostic{Code: WrongWeight, Subject: call.Args[1].Value.Span(), Summary: name + ": " + wrong.what, Detail: wrong.detail, Mend: wrong.mend})
		return
	}
	detail := "A graph is CSV of two columns, one edge a line; the values are the rows' ids: those of the column id, or else the rows' numbers from 1."
	if len(call.Args) == 1 {
		detail += " A column of weights is named in graph(…, weight = COLUMN)."
	}
	p.report(&diag.Diagnostic{Code: WrongGraph, Subject: call.Args[0].Value.Span(), Summary: fmt.Sprintf("%s is no graph: %v", name, err), Detail: detail})
}

// A weightError says what is wrong with the weights of a file of edges.
type weightError struct{ what, detail, mend string }

func (e *weightError) Error() string { return e.what }

// parseGraph reads a file of edges, with the weights of one of its columns unless that is empty.
func parseGraph(content []byte, weight string) (*graphFile, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	r := csv.NewReader(bytes.NewReader(content))
	r.TrimLeadingSpace = true
	r.Comment = '#'
	r.FieldsPerRecord = -1
	if first, _, _ := bytes.Cut(content, []byte("\n")); bytes.ContainsRune(first, '\t') {
		r.Comma = '\t'
	}
	g := &graphFile{weight: weight, ends: [2]int{0, 1}}
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
	if len(g.edges) == 0 {
		return nil, errors.New("it holds no edge")
	}
	return g, nil
}

// header reads the first line of a file of weighted edges: where the weight is, and how many columns there are. The ends are the first two others.
func (g *graphFile) header(r *csv.Reader) (at, width int, err error) {
	names, err := r.Read()
	if err != nil {
		return 0, 0, err
	}
	var ends, weights []int
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if names[i] == g.weight {
			weights = append(weights, i)
		} else {
			ends = append(ends, i)
		}
	}
	if len(weights) != 1 || len(ends) < 2 {
		what := "it has no column " + g.weight + " beside the two ends of an edge"
		if len(weights) > 1 {
			what = "it has several columns " + g.weight
		}
		return 0, 0, &weightError{what, "Its first line is " + strings.Join(names, ", ") + ".", "Begin the file with a line of names, the two ends and " + g.weight + "."}
	}
	g.ends = [2]int{ends[0], ends[1]}
	return weights[0], len(names), nil
}

// edge reads a line.
func (g *graphFile) edge(r *csv.Reader, at, width int) error {
	row, err := r.Read()
	if err != nil {
		return err
	}
	line, _ := r.FieldPos(0)
	if len(row) != width {
		return fmt.Errorf("line %d has %s, not %d", line, plural(len(row), "column"), width)
	}
	for i := range row {
		row[i] = strings.TrimSpace(row[i])
	}
	g.edges = append(g.edges, [2]string{row[g.ends[0]], row[g.ends[1]]})
	if g.weight == "" {
		return nil
	}
	w, err := strconv.ParseFloat(row[at], 64)
	switch {
	case err != nil || math.IsNaN(w) || math.IsInf(w, 0):
		return &weightError{fmt.Sprintf("the %s in line %d is %q, which is no number", g.weight, line, row[at]), "", "Give every edge a finite number."}
	case w < 0:
		return &weightError{fmt.Sprintf("the %s in line %d is %s", g.weight, line, row[at]), "With a negative weight a sum over edges need not be convex.", "Leave the edge out, or make its weight 0."}
	}
	g.weights = append(g.weights, w)
	return nil
}

// resolve makes row indices of the ids. A first line of words that are no ids is a header; other edges with an end that
// is no training row are left out and counted.
func (g *graphFile) resolve(row map[string]int32) (a, b []int32, weights []float64, leftOut int) {
	for i, e := range g.edges {
		from, okFrom := row[e[0]]
		to, okTo := row[e[1]]
		switch {
		case okFrom && okTo:
			a, b = append(a, from), append(b, to)
			if g.weight != "" {
				weights = append(weights, g.weights[i])
			}
		case i == 0 && g.weight == "" && !okFrom && !okTo && !numeric(e[0]) && !numeric(e[1]):
		default:
			leftOut++
		}
	}
	return a, b, weights, leftOut
}

func numeric(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
