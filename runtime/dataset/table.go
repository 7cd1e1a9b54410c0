package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/internal/paged"
)

// A Format is how a file holds its rows.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	LIBSVM  Format = "libsvm"
	IDX     Format = "idx"
	ARFF    Format = "arff"
	Parquet Format = "parquet"
	NPY     Format = "npy"
)

// LabelName is the name of the label of a file whose format gives it none.
const LabelName = "label"

// A Table is the content of a data file. It is immutable once it is open.
type Table struct {
	Path   string
	Format Format
	SHA256 string // of the file's bytes, as they lie on disk, in hexadecimal
	// LabelsPath and LabelsSHA256 name the labels file beside images or an array; empty elsewhere and where there is none.
	LabelsPath, LabelsSHA256 string
	Height, Width            int // of the images of an IDX file, else 0
	Writing                  Writing

	rows      int
	room      *paged.Store   // where its numbers and those of its sets lie; nil stands for memory
	names     []string       // of the columns that cells holds
	index     map[string]int // their positions
	cells     cells
	labels    *labelSets // of LIBSVM, IDX, NPY and hierarchical ARFF; nil where the file holds none
	noLabels  error      // why there are none
	hierarchy *hierarchy // of an ARFF file's labels; nil elsewhere
	lines     []int32    // line of each row; nil where the format has no lines
	warnings  []string   // what was read otherwise than it is written
	separator rune       // between the cells of a CSV file; 0 elsewhere and of a single column
	commas    bool       // numbers of a CSV file have decimal commas
	plain     columns    // the columns before that, read with decimal points
	signs     signs      // the cells of the file that tell so
	orders    orders     // what the dates of the file tell of their order
	dated     DateOrder  // the order of dates of the training file of a further table; empty elsewhere and where it has none
	readings  []string   // how cells are read that might be read otherwise
}

// cells holds the named columns of a table.
type cells interface {
	// fill writes the numbers of columns cols at rows: dst[r*stride+at[k]] = value(rows[r], cols[k]). Gaps are NaN. The
	// columns are numeric.
	fill(rows, cols, at []int, dst []float64, stride int)
	// column is column j where it was read cell by cell, nil for stores that hold finite numbers alone.
	column(j int) *column
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.rows }

// ColumnNames returns the names of all columns in the file's order, without the unnamed label of LIBSVM and IDX
// files.
func (t *Table) ColumnNames() []string { return t.names }

// HasLabels reports whether the file holds labels beside its named columns, as LIBSVM, IDX and NPY files do.
func (t *Table) HasLabels() bool { return t.labels != nil }

// HasHierarchy reports whether some of these labels lie below others.
func (t *Table) HasHierarchy() bool {
	return t.hierarchy != nil && slices.ContainsFunc(t.hierarchy.above, func(above []int32) bool { return len(above) > 0 })
}

// Line returns the line of a row in its file, 0 if the format has no lines.
func (t *Table) Line(row int) int {
	if t.lines == nil {
		return 0
	}
	return int(t.lines[row])
}

// Raw is a column as the file holds it: numbers, NaN for gaps, or texts. One of them is nil.
type Raw struct {
	Numbers []float64
	Texts   []string
}

// Column returns the column of that name at the given rows; ok is false if there is no such column.
func (t *Table) Column(name string, rows []int) (raw Raw, ok bool) {
	j, ok := t.index[name]
	var c *column
	switch {
	case ok:
		c = t.cells.column(j)
	case t.labels == nil || name != LabelName:
		return Raw{}, false
	default:
		c = t.labels.column()
	}
	if c != nil && c.isText() {
		raw.Texts = make([]string, len(rows))
		for r, i := range rows {
			raw.Texts[r] = c.text(i)
		}
		return raw, true
	}
	raw.Numbers = make([]float64, len(rows))
	if !ok {
		columns{c}.fill(rows, []int{0}, []int{0}, raw.Numbers, 1)
		return raw, true
	}
	t.cells.fill(rows, []int{j}, []int{0}, raw.Numbers, 1)
	return raw, true
}

// columnOf returns the column of a name as cells, nil if there is none or the store holds numbers alone.
func (t *Table) columnOf(name string) *column {
	j, ok := t.index[name]
	if !ok {
		return nil
	}
	return t.cells.column(j)
}

// rowNumbers returns 0 … n−1.
func rowNumbers(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// indexNames maps names to positions.
func indexNames(names []string) map[string]int {
	index := make(map[string]int, len(names))
	for j, name := range names {
		index[name] = j
	}
	return index
}

// IsIdentifier reports whether a column of that name identifies rows and is never a feature.
func IsIdentifier(name string) bool { return strings.EqualFold(name, "id") || isPandasIndex(name) }

// isPandasIndex reports whether a column holds the index of a frame: pandas calls it so in a Parquet file, where the index has no name. An
// index of several levels has several such columns.
func isPandasIndex(name string) bool {
	level, begins := strings.CutPrefix(name, "__index_level_")
	level, ends := strings.CutSuffix(level, "__")
	return begins && ends && level != "" && strings.Trim(level, "0123456789") == ""
}

// identifiers returns the values of the column that names rows, else the rows' numbers from 1.
func (t *Table) identifiers(id string, rows []int) []string {
	c := t.identifier(id)
	if c == nil {
		return numbered(rows)
	}
	ids := make([]string, len(rows))
	for r, i := range rows {
		ids[r] = c.text(i)
	}
	return ids
}

// numbered returns the numbers of rows, from 1, in words.
func numbered(rows []int) []string {
	ids := make([]string, len(rows))
	for r, i := range rows {
		ids[r] = strconv.Itoa(i + 1)
	}
	return ids
}

// doubledIDs returns a warning if the column that names rows gives several the same name, "" elsewhere.
func (t *Table) doubledIDs(id string) string {
	if t.identifier(id) == nil {
		return ""
	}
	first, more, warning := make(map[string]int, t.rows), 0, ""
	for i, name := range t.identifiers(id, rowNumbers(t.rows)) {
		k, taken := first[name]
		switch {
		case !taken:
			first[name] = i
		case warning == "":
			warning = fmt.Sprintf("%s:%d: the row is called %q, as is that of line %d", t.Path, t.Line(i), cutShort(name), t.Line(k))
		default:
			more++
		}
	}
	if more > 0 {
		warning += fmt.Sprintf(", and %s like it", count(more, "further row"))
	}
	if warning != "" {
		warning += "; the edges of a graph mean the first row of a name"
	}
	return warning
}

// identifier returns the column of a name. Where that is empty, it returns one called id, or else the index of a frame; nil where there is none.
func (t *Table) identifier(id string) *column {
	var index *column
	levels := 0
	for j, name := range t.names {
		c := t.cells.column(j)
		switch {
		case c == nil:
		case name == id, id == "" && strings.EqualFold(name, "id"):
			return c
		case id == "" && isPandasIndex(name):
			index = c
			levels++
		}
	}
	if levels > 1 {
		return nil // a level by itself names several rows
	}
	return index
}

// Unseparated says that columns seem to be separated by what no reader takes: the only name of a column has blanks or bars.
// It is empty for other tables.
func (t *Table) Unseparated() string {
	if t.Format != CSV || len(t.names) != 1 || !strings.ContainsAny(t.names[0], " |") {
		return ""
	}
	return fmt.Sprintf("the header %q was read as one column: separate columns by commas, tabs or semicolons", t.names[0])
}
