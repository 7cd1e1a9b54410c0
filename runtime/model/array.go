package model

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
)

// The types of numbers in an array, as NumPy calls them.
const (
	float64Type = "<f8"
	int32Type   = "<i4"
)

// An array is numbers that stand behind the header of a model file, row by row. Nil stands for none.
type array struct {
	Type   string `json:"type"`
	Offset int64  `json:"offset"` // from the end of the header, in bytes
	Shape  []int  `json:"shape"`  // one length or two, none of them 0

	// One of them holds the numbers, once they are read.
	floats []float64
	ints   []int32
}

// floatsOf returns a list of numbers as an array.
func floatsOf(list []float64) *array {
	if len(list) == 0 {
		return nil
	}
	return &array{Type: float64Type, Shape: []int{len(list)}, floats: list}
}

// intsOf returns a list of indices as an array.
func intsOf(list []int32) *array {
	if len(list) == 0 {
		return nil
	}
	return &array{Type: int32Type, Shape: []int{len(list)}, ints: list}
}

// matrixOf returns a matrix as an array.
func matrixOf(m plugins.Matrix) *array {
	if m.Rows == 0 || m.Cols == 0 {
		return nil
	}
	return &array{Type: float64Type, Shape: []int{m.Rows, m.Cols}, floats: m.Data}
}

// denseOf returns a dense matrix as an array.
func denseOf(m *mat.Dense) *array {
	if m == nil || m.IsEmpty() {
		return nil
	}
	r, c := m.Dims()
	// A view of a larger matrix has gaps between its rows.
	if raw := m.RawMatrix(); raw.Stride != c {
		m = mat.DenseCopyOf(m)
	}
	return &array{Type: float64Type, Shape: []int{r, c}, floats: m.RawMatrix().Data}
}

// dims returns the rows and the columns, 0 and 0 of none. A list has one column.
func (a *array) dims() (rows, cols int) {
	switch {
	case a == nil:
		return 0, 0
	case len(a.Shape) == 1:
		return a.Shape[0], 1
	}
	return a.Shape[0], a.Shape[1]
}

// rows returns the number of rows, 0 of none.
func (a *array) rows() int {
	rows, _ := a.dims()
	return rows
}

// list returns the numbers of an array, nil of none.
func (a *array) list() []float64 {
	if a == nil {
		return nil
	}
	return a.floats
}

// indices returns the indices of an array, nil of none.
func (a *array) indices() []int32 {
	if a == nil {
		return nil
	}
	return a.ints
}

// matrix returns an array as a matrix.
func (a *array) matrix() plugins.Matrix {
	rows, cols := a.dims()
	return plugins.Matrix{Rows: rows, Cols: cols, Data: a.list()}
}

// dense returns an array as a dense matrix, nil of none.
func (a *array) dense() *mat.Dense {
	if a == nil {
		return nil
	}
	rows, cols := a.dims()
	return mat.NewDense(rows, cols, a.floats)
}

// width returns the number of bytes of one number.
func (a *array) width() int64 {
	if a.Type == int32Type {
		return 4
	}
	return 8
}

// count returns how many numbers the shape asks for. Of more than most it returns an error: a product of hostile lengths may overflow.
func (a *array) count(most int64) (int64, error) {
	// By division, as the product might overflow.
	n := int64(1)
	for _, length := range a.Shape {
		if length < 1 || int64(length) > most/n {
			return 0, fmt.Errorf("its shape is %v, and %d numbers are left in the file", a.Shape, most)
		}
		n *= int64(length)
	}
	return n, nil
}

// A slot is a place of the header that may hold an array.
type slot struct {
	name string
	*array
	kind string // type of its numbers
	axes int    // 1 of a list, 2 of a matrix
}

// lay gives arrays their places, one behind the other, and returns how many bytes they take.
func lay(slots []slot) (size int64) {
	for _, s := range slots {
		if s.array != nil {
			s.Offset = size
			size += int64(len(s.floats)+len(s.ints)) * s.width()
		}
	}
	return size
}

// checkPlaces refuses arrays that do not fill size bytes in their order, each once. Then all of them together are no larger than the file.
func checkPlaces(slots []slot, size int64) error {
	at := int64(0)
	for _, s := range slots {
		if s.array == nil {
			continue
		}
		if s.Type != s.kind || len(s.Shape) != s.axes {
			return fmt.Errorf("%s: it is of type %q with %d lengths, want %q with %d", s.name, s.Type, len(s.Shape), s.kind, s.axes)
		}
		// One that began elsewhere might share its bytes with others, and many could make much of a small file.
		if s.Offset != at {
			return fmt.Errorf("%s: it begins at byte %d, want %d", s.name, s.Offset, at)
		}
		n, err := s.count((size - at) / s.width())
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		at += n * s.width()
	}
	if at != size {
		return fmt.Errorf("the arrays end at byte %d of %d", at, size)
	}
	return nil
}

// readArrays fills arrays whose places were checked. It refuses numbers that are not finite.
func readArrays(slots []slot, blob []byte) error {
	for _, s := range slots {
		if s.array == nil {
			continue
		}
		n, err := s.count(int64(len(blob)))
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		from := blob[s.Offset : s.Offset+n*s.width()]
		if s.Type == int32Type {
			s.ints = make([]int32, n)
			for i := range s.ints {
				s.ints[i] = int32(binary.LittleEndian.Uint32(from[4*i:]))
			}
			continue
		}
		s.floats = make([]float64, n)
		for i := range s.floats {
			s.floats[i] = math.Float64frombits(binary.LittleEndian.Uint64(from[8*i:]))
		}
		if err := s.checkFinite(); err != nil {
			return err
		}
	}
	return nil
}

// checkFinite refuses numbers that are not finite.
func (s *slot) checkFinite() error {
	for i, v := range s.floats {
		if !isFinite(v) {
			return fmt.Errorf("%s: number %d of %d is %v", s.name, i+1, len(s.floats), v)
		}
	}
	return nil
}

// writeArrays writes arrays in their order. It refuses numbers that are not finite, as nobody could read them again.
func writeArrays(to io.Writer, slots []slot) error {
	w := bufio.NewWriterSize(to, 1<<16)
	var buf [8]byte
	for i := range slots {
		s := &slots[i]
		if s.array == nil {
			continue
		}
		if err := s.checkFinite(); err != nil {
			return err
		}
		for _, v := range s.floats {
			binary.LittleEndian.PutUint64(buf[:], math.Float64bits(v))
			_, _ = w.Write(buf[:]) // Flush returns the error
		}
		for _, v := range s.ints {
			binary.LittleEndian.PutUint32(buf[:], uint32(v))
			_, _ = w.Write(buf[:4]) // Flush returns the error
		}
	}
	return w.Flush()
}

// A lists value is lists of ascending labels, in two arrays: list i has the places Start[i] … Start[i+1]−1 of Label.
type lists struct {
	Start *array `json:"start"`
	Label *array `json:"label,omitempty"`
}

// listsOf returns lists as arrays, nil of none.
func listsOf(all [][]int32) *lists {
	if all == nil {
		return nil
	}
	// There is one start more than lists, so that each has an end.
	start, label := []int32{0}, []int32(nil)
	for _, one := range all {
		label = append(label, one...)
		start = append(start, int32(len(label)))
	}
	return &lists{Start: intsOf(start), Label: intsOf(label)}
}

// all returns the lists, nil of none. It returns an error if they do not share out the labels in their order.
func (l *lists) all() ([][]int32, error) {
	if l == nil {
		return nil, nil
	}
	start, label := l.Start.indices(), l.Label.indices()
	if len(start) == 0 || start[0] != 0 || int(start[len(start)-1]) != len(label) {
		return nil, errors.New("its starts do not share out its labels")
	}
	out := make([][]int32, len(start)-1)
	for i := range out {
		if start[i] > start[i+1] || int(start[i+1]) > len(label) {
			return nil, errors.New("its starts do not ascend")
		}
		// Appending to a list must not write into the next one.
		out[i] = label[start[i]:start[i+1]:start[i+1]]
	}
	return out, nil
}

// slots returns the places of the two arrays.
func (l *lists) slots(name string) []slot {
	if l == nil {
		return nil
	}
	return []slot{{name + ".start", l.Start, int32Type, 1}, {name + ".label", l.Label, int32Type, 1}}
}

// A bound is a number that is +Inf where nothing is known, which JSON writes as null.
type bound float64

// MarshalJSON writes the number or null.
func (b bound) MarshalJSON() ([]byte, error) {
	if !isFinite(float64(b)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(b))
}

// UnmarshalJSON reads null as +Inf.
func (b *bound) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*b = bound(math.Inf(1))
		return nil
	}
	return json.Unmarshal(data, (*float64)(b))
}
