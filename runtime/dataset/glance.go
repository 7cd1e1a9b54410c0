package dataset

import (
	"context"
	"errors"
	"io"
	"slices"
)

// A Glance describes the beginning of a data file. It has no columns where the format gives them no names.
type Glance struct {
	Columns []string
	Labels  bool                // the rows carry labels beside the columns, which the target may call by any name
	Texts   map[string][]string // the first texts in order, by the columns that hold some
	Whole   bool                // no row has other texts in these columns
}

// The bounds of a glance.
const (
	glanceCells = 200_000
	glanceTexts = 100 // of a column
)

// Look reads the names of a file's columns, and the texts of its first rows. If these rows have a fault, it returns what stands
// before it.
func Look(ctx context.Context, path string) (Glance, error) {
	src, format, err := begin(ctx, path)
	if err != nil {
		return Glance{}, err
	}
	defer src.close()
	switch format {
	case CSV:
		return lookAtCSV(src)
	case ARFF:
		return lookAtARFF(src)
	case Parquet:
		return lookAtParquet(src)
	case IDX, LIBSVM, NPY:
	}
	return Glance{}, nil
}

// lookAtCSV reads the header and the first rows of a table.
func lookAtCSV(src *source) (Glance, error) {
	r := newCSV(src)
	names, blank, _, err := readHeader(src.path, r)
	if err != nil {
		return Glance{}, err
	}
	g := Glance{Columns: names, Texts: map[string][]string{}}
	t := &Table{separator: separatorOf(r, names)}
	cols := newColumns(names, t.separator)
	for row := range glanceCells / len(cols) {
		record, err := r.Read()
		if err == nil {
			record, err = withoutBlank(src.path, record, len(cols), blank, 0)
		}
		if g.Whole = errors.Is(err, io.EOF); err != nil || len(record) != len(cols) {
			break
		}
		for j, cell := range record {
			cols[j].add(row, cell)
		}
	}
	readNumbers(t, cols)
	for _, c := range cols {
		if c.isText() && len(c.texts) <= glanceTexts {
			g.Texts[c.name] = slices.Sorted(slices.Values(c.texts))
		}
	}
	return g, nil
}

// lookAtARFF reads what an ARFF file declares.
func lookAtARFF(src *source) (Glance, error) {
	r := newARFF(src)
	g := Glance{Texts: map[string][]string{}, Whole: true}
	err := r.header()
	for _, a := range r.attributes {
		g.Columns, g.Labels = append(g.Columns, a.name), g.Labels || a.classes
		if !a.numeric && len(a.values) > 0 && !numericValues(a.values) {
			g.Texts[a.name] = a.values[:min(len(a.values), glanceTexts)]
			g.Whole = g.Whole && len(a.values) <= glanceTexts
		}
	}
	return g, err
}
