package rest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// An input is a tensor of a request. Parameters are read and not used: the protocol leaves their meaning to the server.
type input struct {
	Name       string          `json:"name"`
	Shape      []int           `json:"shape"`
	Datatype   string          `json:"datatype"`
	Parameters json.RawMessage `json:"parameters"`
	Data       json.RawMessage `json:"data"`
}

// numberTypes are those of tensors that are read as numbers, beside BOOL.
var numberTypes = []string{"FP64", "FP32", "FP16", "INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16", "UINT8"}

// cells are the elements of a tensor, row by row: numbers, with NaN for gaps, or texts, empty for gaps. One of both is nil.
type cells struct {
	numbers []float64
	texts   []string
}

// read returns the elements of a tensor of a known size. The protocol allows them flat and nested by rows.
func (in *input) read(size int) (c cells, err error) {
	isText := in.Datatype == textType
	switch {
	case isText:
		c.texts = make([]string, 0, size)
	case in.Datatype == boolType, slices.Contains(numberTypes, in.Datatype):
		c.numbers = make([]float64, 0, size)
	default:
		return c, wrong("input %q has the datatype %q; it may be %s, %s or %s", in.Name, in.Datatype, strings.Join(numberTypes, ", "), boolType, textType)
	}
	var data []any
	if in.Data == nil {
		return c, wrong("input %q has no data; binary tensors are not served, so send numbers and texts as JSON", in.Name)
	}
	if err := json.Unmarshal(in.Data, &data); err != nil {
		return c, wrong("input %q: data is no list: %v", in.Name, err)
	}
	if err := c.add(in, data, 1); err != nil {
		return c, err
	}
	if n := len(c.numbers) + len(c.texts); n != size {
		return c, wrong("input %q has %d elements, and its shape %v asks for %d", in.Name, n, in.Shape, size)
	}
	return c, nil
}

// add adds elements, and those of lists among them down to the depth that the shape has.
func (c *cells) add(in *input, data []any, depth int) error {
	for _, v := range data {
		if list, ok := v.([]any); ok {
			if depth == len(in.Shape) {
				return wrong("input %q: data is nested deeper than its shape %v", in.Name, in.Shape)
			}
			if err := c.add(in, list, depth+1); err != nil {
				return err
			}
			continue
		}
		if err := c.addOne(in, v); err != nil {
			return err
		}
	}
	return nil
}

// addOne adds an element; null is a gap.
func (c *cells) addOne(in *input, v any) error {
	at := len(c.numbers) + len(c.texts)
	switch v := v.(type) {
	case nil:
		if c.texts != nil {
			c.texts = append(c.texts, "")
			return nil
		}
		c.numbers = append(c.numbers, math.NaN())
		return nil
	case string:
		if c.texts != nil {
			c.texts = append(c.texts, v)
			return nil
		}
	case float64:
		if c.numbers != nil && in.Datatype != boolType {
			c.numbers = append(c.numbers, v)
			return nil
		}
	case bool:
		if in.Datatype == boolType {
			c.numbers = append(c.numbers, map[bool]float64{true: 1}[v])
			return nil
		}
	}
	return wrong("input %q: element %d is %s, which is no %s", in.Name, at+1, shown(v), in.Datatype)
}

// shown returns an element as a message shows it.
func shown(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("a %T", v) // which was read from JSON, so that this cannot be
	}
	if len(text) > 40 {
		text = append(text[:40:40], "…"...)
	}
	return strings.ToValidUTF8(string(text), "�")
}

// wrong returns an error of a request.
func wrong(format string, args ...any) error {
	return &Fault{400, fmt.Sprintf(format, args...)}
}

// rows returns how many rows a tensor has by its shape, and how wide each is.
func (in *input) rows(most int) (n, width int, err error) {
	switch {
	case len(in.Shape) == 0 || len(in.Shape) > 2:
		return 0, 0, wrong("input %q has the shape %v; it must be [rows], [rows, 1] or, of a matrix of all columns, [rows, columns]", in.Name, in.Shape)
	case slices.Min(in.Shape) < 1:
		return 0, 0, wrong("input %q has the shape %v; each length must be 1 or more", in.Name, in.Shape)
	case in.Shape[0] > most:
		return 0, 0, &Fault{413, fmt.Sprintf("input %q has %d rows, and at most %d are served at once; send fewer, or start the server with --max-rows", in.Name, in.Shape[0], most)}
	}
	n, width = in.Shape[0], 1
	if len(in.Shape) == 2 {
		width = in.Shape[1]
	}
	return n, width, nil
}
