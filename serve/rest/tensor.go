package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// read returns the elements of a tensor of a known size, and no more of them. The protocol allows them flat and nested by rows.
func (in *input) read(ctx context.Context, size int) (c cells, err error) {
	switch {
	case in.Datatype == textType:
		c.texts = make([]string, 0, size)
	case in.Datatype == boolType, slices.Contains(numberTypes, in.Datatype):
		c.numbers = make([]float64, 0, size)
	default:
		return c, wrong("input %q has the datatype %q; it may be %s, %s or %s", in.Name, in.Datatype, strings.Join(numberTypes, ", "), boolType, textType)
	}
	if in.Data == nil {
		return c, wrong("input %q has no data; binary tensors are not served, so send numbers and texts as JSON", in.Name)
	}
	if in.Data[0] != '[' {
		return c, wrong("input %q: data is no list", in.Name)
	}
	if err := c.add(ctx, in, size); err != nil {
		return c, err
	}
	if n := c.len(); n != size {
		return c, wrong("input %q has %d elements, and its shape %v asks for %d", in.Name, n, in.Shape, size)
	}
	return c, nil
}

// len returns how many elements there are.
func (c *cells) len() int { return len(c.numbers) + len(c.texts) }

// add adds the elements of a list, and those of lists in it down to the depth that the shape has. It stops where there are more than the size.
func (c *cells) add(ctx context.Context, in *input, size int) error {
	d, depth := json.NewDecoder(bytes.NewReader(in.Data)), 0
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
				return wrong("input %q: element %d, the %s, is beyond the range of numbers", in.Name, c.len()+1, e.Value)
			}
			return wrong("input %q: data cannot be read: %v", in.Name, err)
		}
		switch token {
		case json.Delim('['):
			if depth++; depth > len(in.Shape) {
				return wrong("input %q: data is nested deeper than its shape %v", in.Name, in.Shape)
			}
			continue
		case json.Delim(']'):
			depth--
			continue
		case json.Delim('{'):
			return wrong("input %q: element %d is an object, which is no %s", in.Name, c.len()+1, in.Datatype)
		}
		if c.len() == size {
			return wrong("input %q has more elements than the %d that its shape %v asks for", in.Name, size, in.Shape)
		}
		if err := c.addOne(in, token); err != nil {
			return err
		}
		const pause = 4096 // elements between two looks at the context
		if c.len()%pause == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
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
			return in.holds(v)
		}
	case bool:
		if in.Datatype == boolType {
			c.numbers = append(c.numbers, map[bool]float64{true: 1}[v])
			return nil
		}
	}
	return wrong("input %q: element %d is %s, which is no %s", in.Name, at+1, shown(v), in.Datatype)
}

// holds refuses a number that an input's datatype does not have.
func (in *input) holds(v float64) error {
	const exact = 1 << 53
	unsigned, whole := strings.HasPrefix(in.Datatype, "UINT"), strings.Contains(in.Datatype, "INT")
	switch {
	case whole && v != math.Trunc(v), unsigned && v < 0:
		return wrong("input %q holds %v, which is no %s", in.Name, v, in.Datatype)
	case whole && math.Abs(v) >= exact:
		return wrong("input %q holds %v; whole numbers from 2^53 on lose digits as float64: send others, or texts", in.Name, v)
	}
	return nil
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
