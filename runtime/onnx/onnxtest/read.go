package onnxtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Model holds the graph of a file.
type Model struct {
	Format                         int64 // ir_version
	Producer, Version, Domain, Doc string
	Operators                      map[string]int64 // the version of the operators of each domain
	Metadata                       map[string]string
	Graph                          Graph
}

// A Graph is nodes in the order in which they are computed.
type Graph struct {
	Name            string
	Nodes           []Node
	Constants       map[string]*Tensor
	Inputs, Outputs []Info
}

// A Node applies an operator to tensors.
type Node struct {
	Operator   string
	In, Out    []string
	Attributes map[string][]int64 // those that sipc writes are whole numbers
}

// An Info says what an input or an output is.
type Info struct {
	Name string
	Type int64
	Axes []string // a name, or a length in digits
}

// A field is one of a message.
type field struct {
	number protowire.Number
	value  uint64 // of a whole number
	bytes  []byte // of a message, a text or bytes
}

// fields takes a message apart. It knows whole numbers and bytes, the only kinds that sipc writes.
func fields(b []byte) (out []field, err error) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
		f := field{number: number}
		switch kind { //nolint:exhaustive // others are refused
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			return nil, fmt.Errorf("field %d is of the wire type %d", number, kind)
		}
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b, out = b[n:], append(out, f)
	}
	return out, nil
}

// each calls a function for each field of a message, by its number. A field without a function is an error.
func each(message string, b []byte, take map[protowire.Number]func(field) error) error {
	all, err := fields(b)
	if err != nil {
		return fmt.Errorf("%s: %w", message, err)
	}
	for _, f := range all {
		if take[f.number] == nil {
			return fmt.Errorf("%s: field %d is unknown", message, f.number)
		}
		if err := take[f.number](f); err != nil {
			return err
		}
	}
	return nil
}

// text returns what stores a text.
func text(to *string) func(field) error {
	return func(f field) error { *to = string(f.bytes); return nil }
}

// number returns what stores a whole number.
func number(to *int64) func(field) error {
	return func(f field) error { *to = int64(f.value); return nil } //nolint:gosec // negative numbers are stored in two's complement
}

// texts returns what appends a text.
func texts(to *[]string) func(field) error {
	return func(f field) error { *to = append(*to, string(f.bytes)); return nil }
}

// Read returns what a file holds. It returns an error for anything that sipc does not write.
func Read(b []byte) (*Model, error) {
	m := &Model{Operators: map[string]int64{}, Metadata: map[string]string{}}
	err := each("ModelProto", b, map[protowire.Number]func(field) error{
		1: number(&m.Format), 2: text(&m.Producer), 3: text(&m.Version), 4: text(&m.Domain), 6: text(&m.Doc),
		7: func(f field) (err error) { m.Graph, err = readGraph(f.bytes); return err },
		8: func(f field) error {
			domain, version := "", int64(0)
			err := each("OperatorSetIdProto", f.bytes, map[protowire.Number]func(field) error{1: text(&domain), 2: number(&version)})
			m.Operators[domain] = version
			return err
		},
		14: func(f field) error {
			key, value := "", ""
			err := each("StringStringEntryProto", f.bytes, map[protowire.Number]func(field) error{1: text(&key), 2: text(&value)})
			m.Metadata[key] = value
			return err
		},
	})
	return m, err
}

// readGraph returns a graph.
func readGraph(b []byte) (Graph, error) {
	g := Graph{Constants: map[string]*Tensor{}}
	info := func(to *[]Info) func(field) error {
		return func(f field) error {
			i, err := readInfo(f.bytes)
			*to = append(*to, i)
			return err
		}
	}
	err := each("GraphProto", b, map[protowire.Number]func(field) error{
		1: func(f field) error {
			n, err := readNode(f.bytes)
			g.Nodes = append(g.Nodes, n)
			return err
		},
		2: text(&g.Name),
		5: func(f field) error {
			name, t, err := readTensor(f.bytes)
			if err == nil && (name == "" || g.Constants[name] != nil) {
				err = fmt.Errorf("two constants are called %q", name)
			}
			g.Constants[name] = t
			return err
		},
		11: info(&g.Inputs), 12: info(&g.Outputs),
	})
	return g, err
}

// readNode returns a node.
func readNode(b []byte) (Node, error) {
	n := Node{Attributes: map[string][]int64{}}
	err := each("NodeProto", b, map[protowire.Number]func(field) error{
		1: texts(&n.In), 2: texts(&n.Out), 4: text(&n.Operator),
		5: func(f field) error {
			name, kind, values := "", int64(0), []int64{}
			one := func(f field) error { values = append(values, int64(f.value)); return nil } //nolint:gosec // as in number
			err := each("AttributeProto", f.bytes, map[protowire.Number]func(field) error{1: text(&name), 3: one, 8: one, 20: number(&kind)})
			if err == nil && kind != 2 && kind != 7 {
				err = fmt.Errorf("attribute %q is of type %d", name, kind)
			}
			n.Attributes[name] = values
			return err
		},
	})
	return n, err
}

// readInfo returns what is said of an input or an output.
func readInfo(b []byte) (Info, error) {
	var i Info
	axis := func(f field) error {
		name, length := "", int64(-1)
		err := each("Dimension", f.bytes, map[protowire.Number]func(field) error{1: number(&length), 2: text(&name)})
		if length >= 0 {
			name = strconv.FormatInt(length, 10)
		}
		i.Axes = append(i.Axes, name)
		return err
	}
	within := func(message string, take map[protowire.Number]func(field) error) func(field) error {
		return func(f field) error { return each(message, f.bytes, take) }
	}
	shape := within("TensorShapeProto", map[protowire.Number]func(field) error{1: axis})
	tensor := within("TypeProto.Tensor", map[protowire.Number]func(field) error{1: number(&i.Type), 2: shape})
	kind := within("TypeProto", map[protowire.Number]func(field) error{1: tensor})
	return i, each("ValueInfoProto", b, map[protowire.Number]func(field) error{1: text(&i.Name), 2: kind})
}

// readTensor returns a constant and its name.
func readTensor(b []byte) (string, *Tensor, error) {
	t, name, kind := &Tensor{Dims: []int{}}, "", int64(0)
	var words []string
	var raw []byte
	err := each("TensorProto", b, map[protowire.Number]func(field) error{
		1: func(f field) error { t.Dims = append(t.Dims, int(f.value)); return nil }, //nolint:gosec // sizes are checked below
		2: number(&kind), 6: texts(&words), 8: text(&name),
		9: func(f field) error { raw = f.bytes; return nil },
	})
	if err != nil {
		return name, t, err
	}
	if t.Data, err = elements(kind, words, raw); err == nil && t.length() != size(t.Dims) {
		err = fmt.Errorf("constant %s has %d elements in the shape %v", name, t.length(), t.Dims)
	}
	return name, t, err
}

// elements returns those of a constant.
func elements(kind int64, words []string, raw []byte) (any, error) {
	switch kind {
	case typeString:
		return words, nil
	case typeBool:
		out := make([]bool, len(raw))
		for i, v := range raw {
			out[i] = v != 0
		}
		return out, nil
	case typeDouble, typeInt64:
	default:
		return nil, fmt.Errorf("a constant is of the type %d", kind)
	}
	if len(raw)%8 != 0 {
		return nil, errors.New("a constant ends within a number")
	}
	doubles, whole := make([]float64, len(raw)/8), make([]int64, len(raw)/8)
	for i := range doubles {
		bits := binary.LittleEndian.Uint64(raw[8*i:])
		doubles[i], whole[i] = math.Float64frombits(bits), int64(bits) //nolint:gosec // as in number
	}
	if kind == typeDouble {
		return doubles, nil
	}
	return whole, nil
}
