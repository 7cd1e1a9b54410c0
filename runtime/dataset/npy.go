package dataset

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/internal/limits"
)

// npyMagic begins a file of a NumPy array.
const npyMagic = "\x93NUMPY"

// An npyArray is a NumPy array of numbers: its shape, how an element is stored, and the elements.
type npyArray struct {
	shape   []int
	columns bool // elements of a column follow one another, as in Fortran
	size    int  // bytes of an element
	element func(b []byte) float64
	data    []byte
	wide    int // columns of a table
}

// mostHeader bounds the header of an array, which holds its type and its shape.
const mostHeader = 64 << 10

// npyHeader matches the header of an array of numbers. The keys of the dictionary are in this order, as NumPy writes them.
var npyHeader = regexp.MustCompile(`^\{\s*'descr':\s*(.+?),\s*'fortran_order':\s*(True|False),\s*'shape':\s*\(([0-9, ]*)\),?\s*\}\s*$`)

// readNPY reads an array: its magic number, the version of the format, the header, the elements. A library for it exists, which
// panics on damaged headers and takes any memory that one asks for.
func readNPY(src *source) (*npyArray, error) {
	fail := func(problem, mend string) error {
		return &Error{Code: CodeFormat, File: src.path, Problem: problem, Mend: mend}
	}
	head := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(src.plain, head); err != nil {
		return nil, truncated(src, err, "magic number")
	}
	if string(head[:len(npyMagic)]) != npyMagic {
		return nil, fail("the file is not a NumPy array", "write it by numpy.save")
	}
	const latest = 3
	if version := head[len(npyMagic)]; version == 0 || version > latest {
		return nil, fail(fmt.Sprintf("the array is of version %d of its format, and versions 1 to %d are read", version, latest), "write it by numpy.save")
	}
	var length [4]byte
	wide := len(length)
	if head[len(npyMagic)] == 1 {
		wide /= 2
	}
	if _, err := io.ReadFull(src.plain, length[:wide]); err != nil {
		return nil, truncated(src, err, "header")
	}
	size := int(binary.LittleEndian.Uint32(length[:]))
	if size > mostHeader {
		return nil, fail(fmt.Sprintf("the header of the array has %d bytes, more than any array of numbers has", size), "the file is damaged, or the array is one of records; write plain numbers")
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(src.plain, header); err != nil {
		return nil, truncated(src, err, "header")
	}
	m := npyHeader.FindStringSubmatch(string(header))
	if m == nil {
		return nil, fail("the header of the array is "+strconv.Quote(cutShort(strings.TrimSpace(string(header)))), "write the array by numpy.save")
	}
	a := &npyArray{columns: m[2] == "True"}
	if err := a.describe(m[1]); err != nil {
		return nil, fail(err.Error(), "save an array of plain numbers: numpy.save(…, table.to_numpy(dtype=float))")
	}
	for part := range strings.SplitSeq(m[3], ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n > math.MaxInt32 {
			return nil, fail("the shape ("+cutShort(m[3])+") is too large", "the file is damaged; write it again")
		}
		a.shape = append(a.shape, n)
	}
	err := a.read(src)
	return a, err
}

// npyElement matches the type of an element of numbers: the order of its bytes, its kind, and its size.
var npyElement = regexp.MustCompile(`^'([<>|=])([fiub])([1248])'$`)

// describe notes how an element is stored. It returns an error for elements that are not numbers.
func (a *npyArray) describe(descr string) error {
	m := npyElement.FindStringSubmatch(descr)
	if m == nil {
		kind := "elements of the type " + cutShort(descr)
		switch {
		case strings.HasPrefix(descr, "["):
			kind = "records of several fields"
		case strings.Contains(descr, "O"):
			kind = "Python objects"
		case strings.Contains(descr, "U") || strings.Contains(descr, "S"):
			kind = "texts"
		case strings.Contains(descr, "c"):
			kind = "complex numbers"
		case strings.Contains(descr, "M8") || strings.Contains(descr, "m8"):
			kind = "moments or spans of time"
		}
		return fmt.Errorf("the array holds %s, and arrays of numbers alone are read", kind)
	}
	a.size = int(m[3][0] - '0')
	var order binary.ByteOrder = binary.LittleEndian
	if m[1] == ">" {
		order = binary.BigEndian
	}
	switch {
	case m[2] == "f" && a.size == 1, m[2] == "b" && a.size > 1:
		return fmt.Errorf("there are no numbers of the type %s", descr)
	case m[2] == "f":
		a.element = map[int]func(b []byte) float64{
			2: func(b []byte) float64 { return halfFloat(binary.LittleEndian.AppendUint16(nil, order.Uint16(b))) },
			4: func(b []byte) float64 { return widened(math.Float32frombits(order.Uint32(b))) },
			8: func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) },
		}[a.size]
	default:
		unsigned := m[2] != "i"
		a.element = func(b []byte) float64 { return wholeNumber(b, order, unsigned) }
	}
	return nil
}

// wholeNumber returns a whole number of 1, 2, 4 or 8 bytes.
func wholeNumber(b []byte, order binary.ByteOrder, unsigned bool) float64 {
	var v uint64
	switch len(b) {
	case 1:
		v = uint64(b[0])
	case 2:
		v = uint64(order.Uint16(b))
	case 4:
		v = uint64(order.Uint32(b))
	default:
		v = order.Uint64(b)
	}
	if unsigned {
		return float64(v)
	}
	shift := uint(64 - 8*len(b))
	return float64(int64(v<<shift) >> shift)
}

// read reads the elements.
func (a *npyArray) read(src *source) error {
	total := int64(a.size)
	for _, n := range a.shape {
		if n > 0 && total > math.MaxInt64/int64(n) {
			total = math.MaxInt64
			break
		}
		total *= int64(n)
	}
	if total > min(src.memory, limits.UnpackedBytes) {
		return &Error{
			Code: CodeFormat, File: src.path, Problem: fmt.Sprintf("the header announces %s, and %s of memory may be taken", limits.Size(total), limits.Size(min(src.memory, limits.UnpackedBytes))),
			Mend: "write a damaged file again, or allow more by --max-memory",
		}
	}
	var err error
	a.data, err = readExactly(src, total)
	return err
}

// at returns the element of a row and a column.
func (a *npyArray) at(row, column int) float64 {
	k := row*a.wide + column
	if a.columns {
		k = column*a.shape[0] + row
	}
	return a.element(a.data[k*a.size : (k+1)*a.size])
}

// readNumPy reads a NumPy array of rows and columns, and the array of labels beside it.
func readNumPy(src *source) (*Table, error) {
	a, err := readNPY(src)
	if err != nil {
		return nil, err
	}
	fail := func(problem, mend string) error {
		return &Error{Code: CodeFormat, File: src.path, Problem: problem, Mend: mend}
	}
	if len(a.shape) != 2 {
		return nil, fail(fmt.Sprintf("the array has %s, and a table has 2: rows and columns", count(len(a.shape), "dimension")),
			"write X.reshape(len(X), -1); an array of labels is found beside that of the rows, y.npy beside X.npy")
	}
	t := &Table{rows: a.shape[0]}
	if a.wide = a.shape[1]; t.rows == 0 || a.wide == 0 {
		return nil, &Error{Code: CodeEmpty, File: src.path, Problem: fmt.Sprintf("the array has %s and %s", count(t.rows, "row"), count(a.wide, "column")), Mend: "write rows of numbers"}
	}
	if t.rows > limits.Lines || a.wide > maxFeatures {
		return nil, fail(fmt.Sprintf("the array has %d rows of %d numbers, and %.0e rows of %d are read", t.rows, a.wide, float64(limits.Lines), maxFeatures), "write fewer")
	}
	if t.rows < limits.PagedRows { // else columns are bounded as they come
		if err := src.checkTable(t.rows, a.wide, cellBytes*float64(t.rows)*float64(a.wide)); err != nil {
			return nil, err
		}
	}
	cols := make(columns, a.wide)
	for j := range cols {
		cols[j] = newColumn("x" + strconv.Itoa(j+1))
		if cols[j].room, cols[j].numbers = src.room, src.room.File(t.rows, 1)[:0]; cap(cols[j].numbers) == 0 {
			cols[j].numbers = make([]float64, 0, t.rows)
		}
		for i := range t.rows {
			cols[j].addNumber(i, a.at(i, j))
		}
		t.names = append(t.names, cols[j].name)
		if t.rows < limits.PagedRows {
			continue // all columns were bounded at once
		}
		if err := src.checkTable(t.rows, j+1, cellBytes*float64(t.rows)*float64(cols[:j+1].inMemory())); err != nil {
			return nil, err
		}
	}
	t.cells = cols
	return t, nil
}

// npyLabelPaths returns where the labels of an array may lie: y.npy of X.npy, train_labels.npy of train_features.npy, rows_labels.npy of
// rows.npy.
func npyLabelPaths(path string) []string {
	dir, base := filepath.Split(path)
	stem, ending, _ := strings.Cut(base, ".")
	var names []string
	for _, pair := range [][2]string{{"X", "y"}, {"x", "y"}} {
		if alone := regexp.MustCompile(`(^|[^A-Za-z])` + pair[0] + `($|[^A-Za-z])`); alone.MatchString(stem) {
			names = append(names, alone.ReplaceAllString(stem, "${1}"+pair[1]+"${2}"))
		}
	}
	for _, word := range []string{"features", "images", "data"} {
		if strings.Contains(stem, word) {
			names = append(names, strings.Replace(stem, word, "labels", 1))
		}
	}
	names = append(names, stem+"_labels")
	for k := range names {
		names[k] = dir + names[k] + "." + ending
	}
	return names
}

// besideNPY returns the first of the files that may hold the labels of an array, empty if none is there.
func besideNPY(path string) string {
	for _, name := range npyLabelPaths(path) {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return ""
}

// readNPYLabels reads the labels of an array from the file beside it, a number for each row. That there is no such file is an error
// only where a target is wanted that is no column.
func readNPYLabels(ctx context.Context, t *Table, path string) error {
	beside := besideNPY(path)
	if beside == "" {
		t.noLabels = &Error{
			Code: CodeLabels, File: path, Problem: "no array of labels lies beside the array",
			Mend: "save it as " + strings.Join(npyLabelPaths(path), " or ") + ", or name a column as the target: " + t.names[0] + " to " + t.names[len(t.names)-1],
		}
		return nil
	}
	src, err := openSource(ctx, beside)
	if err != nil {
		return err
	}
	defer src.close()
	a, err := readNPY(src)
	if err != nil {
		return src.explain(err)
	}
	if len(a.shape) == 2 && a.shape[1] == 1 {
		a.shape = a.shape[:1]
	}
	if len(a.shape) != 1 || a.shape[0] != t.rows {
		return &Error{
			Code: CodeLabels, File: beside, Problem: fmt.Sprintf("the labels have the shape %v, and the rows of %s want [%d]", a.shape, path, t.rows),
			Mend: "the two files do not belong together; save both again",
		}
	}
	t.labels = newLabelSets()
	for i := range t.rows {
		if v := a.element(a.data[i*a.size : (i+1)*a.size]); !math.IsNaN(v) {
			t.labels.add(formatNumber(v))
		}
		t.labels.end()
	}
	t.LabelsPath = beside
	t.LabelsSHA256, err = src.finish()
	return err
}
