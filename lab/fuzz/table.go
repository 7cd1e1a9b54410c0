package fuzz

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A column draws the cells of a numeric column.
type column struct {
	kind  string
	scale float64
}

// tables returns the files of a case by name, the data file's name first.
func (s *scene) tables() (data string, files map[string][]byte) {
	header, rows := s.cells()
	files = map[string][]byte{graphFile: s.graph(false), weightFile: s.graph(true), taxonomyFile: s.taxonomy()}
	data = "data." + s.format
	switch s.format {
	case "arff":
		files[data] = s.arff(header, rows)
	case "tsv":
		files[data] = separated(header, rows, "\t")
	case "csv.gz":
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(separated(header, rows, ",")) // to memory
		_ = z.Close()
		files[data] = b.Bytes()
	default:
		files[data] = separated(header, rows, ",")
	}
	return data, files
}

// cells draws the table.
func (s *scene) cells() (header []string, rows [][]string) {
	columns := make([]column, len(s.numbers))
	for k := range columns {
		columns[k] = column{
			kind:  s.one("normal", "normal", "normal", "normal", "whole", "whole", "few", "heavy", "heavy", "constant"),
			scale: math.Pow(10, float64(s.between(-2, 2))),
		}
		if s.chance(3) {
			columns[k].scale = math.Pow(10, float64(s.between(-300, 150)))
		}
	}
	header = append(header, s.numbers...)
	if s.group {
		header = append(header, "region")
	}
	if s.flags {
		header = append(header, "flag")
	}
	if s.task == "multilabel" {
		header = append(header, s.labels...)
	} else {
		header = append(header, "y")
	}
	big := 1.0
	if s.chance(4) {
		big = math.Pow(10, float64(s.between(-200, 120)))
	}
	for i := range s.rows {
		if i > 0 && s.chance(8) { // a row twice
			rows = append(rows, rows[s.IntN(i)])
			continue
		}
		rows = append(rows, s.row(i, columns, big))
	}
	if s.chance(3) {
		at := s.IntN(len(rows))
		rows[at] = append([]string(nil), rows[at]...)
		rows[at][s.IntN(len(rows[at]))] = s.one("NaN", "inf", "1e400", "x", "", "-", "0x1p3", `"`, "1e200")
	}
	return header, rows
}

func (s *scene) row(i int, columns []column, big float64) []string {
	var row []string
	for _, c := range columns {
		switch {
		case s.gaps && s.chance(10):
			row = append(row, s.one("", "NA", "?"))
		default:
			row = append(row, number(s.value(c)))
		}
	}
	if s.group {
		row = append(row, s.one("north", "south", "west"))
	}
	if s.flags {
		row = append(row, s.one("0", "1"))
	}
	switch s.task {
	case "real":
		row = append(row, number(big*s.NormFloat64()))
	case "binary":
		row = append(row, []string{"no", "yes"}[(i+s.IntN(5)/4)%2])
	case "class":
		row = append(row, s.labels[(i+s.IntN(5)/4)%len(s.labels)])
	default:
		for range s.labels {
			row = append(row, s.one("0", "1"))
		}
	}
	return row
}

func (s *scene) value(c column) float64 {
	switch c.kind {
	case "whole":
		return c.scale * float64(s.between(-3, 3))
	case "few":
		return c.scale * float64(s.IntN(2))
	case "constant":
		return c.scale
	case "heavy":
		return c.scale / (s.Float64() + 1e-4)
	}
	return c.scale * s.NormFloat64()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func separated(header []string, rows [][]string, separator string) []byte {
	var b strings.Builder
	for _, row := range append([][]string{header}, rows...) {
		b.WriteString(strings.Join(row, separator) + "\n")
	}
	return []byte(b.String())
}

func (s *scene) arff(header []string, rows [][]string) []byte {
	var b strings.Builder
	b.WriteString("@relation fuzz\n")
	for _, name := range header {
		kind := "numeric"
		switch {
		case name == "region":
			kind = "{north, south, west}"
		case name == "y" && s.task == "binary":
			kind = "{no, yes}"
		case name == "y" && s.task == "class":
			kind = "{" + strings.Join(s.labels, ", ") + "}"
		}
		fmt.Fprintf(&b, "@attribute %s %s\n", name, kind)
	}
	b.WriteString("@data\n")
	for _, row := range rows {
		for k, cell := range row {
			if cell == "" || cell == "NA" {
				cell = "?"
			}
			b.WriteString([]string{",", ""}[min(1, max(0, 1-k))] + cell)
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

// graph returns edges between rows, some of which are not there.
func (s *scene) graph(weighed bool) []byte {
	var b strings.Builder
	if weighed {
		b.WriteString("from,to,strength\n")
	}
	for range s.between(1, 2*s.rows) {
		fmt.Fprintf(&b, "%d,%d", s.between(1, s.rows), s.between(1, s.rows+1))
		if weighed {
			b.WriteString("," + s.one("0", "1", "0.5", "2", "1e-3", "1e3"))
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

// taxonomy returns relations from labels to those before them.
func (s *scene) taxonomy() []byte {
	var b strings.Builder
	b.WriteString("child,parent\n")
	for k := 1; k < len(s.labels); k++ {
		if k == 1 || s.chance(80) {
			fmt.Fprintf(&b, "%s,%s\n", s.labels[k], s.labels[s.IntN(k)])
		}
	}
	return []byte(b.String())
}
