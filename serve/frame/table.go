package frame

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// A tableArgs is a table in a message.
type tableArgs struct {
	Name   string      `json:"name"` // by which messages call it
	Rows   int         `json:"rows"`
	Blocks []blockArgs `json:"blocks"`
	// Unnamed says of a target that its names are made up: those of the spec take their place if they are as many.
	Unnamed bool `json:"unnamed"`
}

// A blockArgs is some columns of one kind.
type blockArgs struct {
	Names   []string `json:"names"`
	Kind    string   `json:"kind"` // number, integer, boolean or text
	Buffer  int      `json:"buffer"`
	Offsets int      `json:"offsets"` // the buffer of the offsets of texts
}

// largestInteger bounds integers that are numbers without loss.
const largestInteger = 1 << 53

// columns returns the columns of a table.
func (t *tableArgs) columns(buffers [][]byte) ([]dataset.Column, error) {
	if t.Rows < 1 {
		return nil, &Fault{Kind: KindData, Code: string(dataset.CodeEmpty), Message: fmt.Sprintf("%s: there are no rows", t.Name)}
	}
	var out []dataset.Column
	for i := range t.Blocks {
		b := &t.Blocks[i]
		columns, err := b.columns(t, buffers)
		if err != nil {
			return nil, err
		}
		out = append(out, columns...)
	}
	return out, nil
}

// columns returns the columns of a block.
func (b *blockArgs) columns(t *tableArgs, buffers [][]byte) ([]dataset.Column, error) {
	width := map[string]int{"number": 8, "integer": 8, "boolean": 1, "text": 1}[b.Kind]
	at := func(k int) ([]byte, error) {
		if k < 0 || k >= len(buffers) {
			return nil, callFault("%s: the columns %s are in buffer %d, and the message has %d", t.Name, listed(b.Names), k, len(buffers))
		}
		return buffers[k], nil
	}
	data, err := at(b.Buffer)
	switch {
	case width == 0:
		return nil, callFault("%s: the kind %q of the columns %s is none of number, integer, boolean and text", t.Name, b.Kind, listed(b.Names))
	case len(b.Names) == 0:
		return nil, callFault("%s: a block of columns has no names", t.Name)
	case err != nil:
		return nil, err
	case b.Kind == "text":
		offsets, err := at(b.Offsets)
		if err != nil {
			return nil, err
		}
		return b.texts(t, offsets, data)
	case t.Rows > len(data) || len(data)/width%t.Rows != 0 || len(data) != t.Rows*len(b.Names)*width:
		return nil, callFault("%s: the columns %s have %d bytes, and %d rows of %d columns have %d each", t.Name, listed(b.Names), len(data), t.Rows, len(b.Names), width)
	}
	var out []dataset.Column
	for j, name := range b.Names {
		part := data[j*t.Rows*width : (j+1)*t.Rows*width]
		numbers, err := b.numbers(t, name, part)
		if err != nil {
			return nil, err
		}
		out = append(out, dataset.Column{Name: name, Numbers: numbers})
	}
	return out, nil
}

// numbers returns the numbers of a column.
func (b *blockArgs) numbers(t *tableArgs, name string, data []byte) ([]float64, error) {
	out := make([]float64, t.Rows)
	switch b.Kind {
	case "number":
		for i := range out {
			out[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
	case "integer":
		for i := range out {
			v := int64(binary.LittleEndian.Uint64(data[8*i:])) //nolint:gosec // the bits are those of a signed number
			if v > largestInteger || v < -largestInteger {
				return nil, &Fault{
					Kind: KindData, Code: string(dataset.CodeNumber), Column: name,
					Message: fmt.Sprintf("%s: column %q: row %d: %d is beyond 2^53, and loses digits as a number; make the column one of texts, or leave it out", t.Name, name, i+1, v),
				}
			}
			out[i] = float64(v)
		}
	default:
		for i, v := range data {
			if v > 1 {
				return nil, callFault("%s: column %q: row %d: %d is not 0 or 1", t.Name, name, i+1, v)
			}
			out[i] = float64(v)
		}
	}
	return out, nil
}

// texts returns the column of a block of texts.
func (b *blockArgs) texts(t *tableArgs, offsets, data []byte) ([]dataset.Column, error) {
	if len(b.Names) != 1 {
		return nil, callFault("%s: a block of texts has one column, and this one %d", t.Name, len(b.Names))
	}
	name := b.Names[0]
	if len(offsets)/8-1 != t.Rows || len(offsets)%8 != 0 {
		return nil, callFault("%s: column %q: the offsets have %d bytes, and %d rows need %d", t.Name, name, len(offsets), t.Rows, 8*(t.Rows+1))
	}
	out, last := make([]string, t.Rows), uint64(0)
	for i := range t.Rows + 1 {
		at := binary.LittleEndian.Uint64(offsets[8*i:])
		if at < last || at > uint64(len(data)) || i == 0 && at != 0 {
			return nil, callFault("%s: column %q: offset %d is %d, behind %d and in %d bytes", t.Name, name, i, at, last, len(data))
		}
		if i > 0 {
			out[i-1] = string(data[last:at])
		}
		last = at
	}
	return []dataset.Column{{Name: name, Texts: out}}, nil
}

// table returns the table of a message; nil of none.
func (t *tableArgs) table(buffers [][]byte) (*dataset.Table, error) {
	if t == nil {
		return nil, nil //nolint:nilnil // nil stands for no table
	}
	columns, err := t.columns(buffers)
	if err != nil {
		return nil, err
	}
	return dataset.FromColumns(t.Name, columns)
}

// listed returns names as a message lists them.
func listed(names []string) string {
	const most = 3
	text := ""
	for i, name := range names {
		if i == most {
			return fmt.Sprintf("%s and %d more", text, len(names)-most)
		}
		if i > 0 {
			text += ", "
		}
		if !utf8.ValidString(name) || len(name) > 60 {
			name = cut([]byte(name))
		}
		text += name
	}
	return text
}

// appendNumbers appends numbers as a buffer holds them.
func appendNumbers(to []byte, numbers []float64) []byte {
	for _, v := range numbers {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
	}
	return to
}

// bytesOf returns a matrix as a buffer holds it, row by row.
func bytesOf(m *mat.Dense) []byte {
	n, width := m.Dims()
	out := make([]byte, 0, 8*n*width)
	for i := range n {
		out = appendNumbers(out, m.RawRowView(i))
	}
	return out
}
