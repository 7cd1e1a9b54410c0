package compiler

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
)

// A graphFile is a list of edges between row ids.
type graphFile struct {
	name  string
	edges [][2]string
}

// graph reads the argument of graph("edges.csv").
func (p *pass) graph(call *dsl.Call, sc *scope) *graphFile {
	if len(call.Args) != 1 || call.Args[0].Name != nil {
		p.report(WrongType, call.Span(), "graph takes the name of one file", "", `Write graph("edges.csv").`)
		return nil
	}
	arg := call.Args[0].Value
	name, ok := p.literal(arg, sc, "the name of a file in double quotes", false)
	if !ok {
		return nil
	}
	content, ok := p.readFile(name, arg.Span())
	if !ok {
		return nil
	}
	f := p.files[name]
	if f.graph == nil {
		g, err := parseGraph(content)
		if err != nil {
			p.report(WrongGraph, arg.Span(), fmt.Sprintf("%s is no graph: %v", name, err),
				"A graph is CSV of two columns, one edge a line; the values are the rows' ids: those of the column id, or else the rows' numbers from 1.", "")
			return nil
		}
		g.name = name
		f.graph = g
	}
	return f.graph
}

func parseGraph(content []byte) (*graphFile, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	r := csv.NewReader(bytes.NewReader(content))
	r.TrimLeadingSpace = true
	r.Comment = '#'
	r.FieldsPerRecord = -1
	if first, _, _ := bytes.Cut(content, []byte("\n")); bytes.ContainsRune(first, '\t') {
		r.Comma = '\t'
	}
	g := &graphFile{}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(row) != 2 {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("line %d has %s, not 2", line, plural(len(row), "column"))
		}
		g.edges = append(g.edges, [2]string{strings.TrimSpace(row[0]), strings.TrimSpace(row[1])})
	}
	if len(g.edges) == 0 {
		return nil, errors.New("it holds no edge")
	}
	return g, nil
}

// resolve makes row indices of the ids. A first line of words that are no ids is a header; other edges with an end that
// is no training row are left out and counted.
func (g *graphFile) resolve(row map[string]int32) (a, b []int32, leftOut int) {
	for i, e := range g.edges {
		from, okFrom := row[e[0]]
		to, okTo := row[e[1]]
		switch {
		case okFrom && okTo:
			a, b = append(a, from), append(b, to)
		case i == 0 && !okFrom && !okTo && !numeric(e[0]) && !numeric(e[1]):
		default:
			leftOut++
		}
	}
	return a, b, leftOut
}

func numeric(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
