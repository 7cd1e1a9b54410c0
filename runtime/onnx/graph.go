package onnx

import (
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Type is that of a tensor's elements, as onnx.proto numbers them.
type Type int

// The types that graphs here have.
const (
	Int64  Type = 7
	String Type = 8
	Bool   Type = 9
	Double Type = 11
)

// A Value names a tensor of a graph.
type Value string

// A Graph gathers nodes and constants. The zero value is not ready: see [NewGraph].
type Graph struct {
	name    string
	made    []tensor // constants and what nodes make, in the order in which they were added
	inputs  []byte
	outputs []byte
	taken   map[string]bool  // names of tensors
	known   map[string]Value // constants by what they hold
	next    int
}

// A tensor is a constant, or what a node makes of others. Its message is that of either.
type tensor struct {
	name    Value
	from    []Value
	field   protowire.Number
	message []byte
	output  bool
}

// NewGraph returns an empty graph of a name. Names of its tensors begin with that name, so that those of a graph within another differ.
func NewGraph(name string) *Graph {
	return &Graph{name: name, taken: map[string]bool{}, known: map[string]Value{}}
}

// An Axis is a dimension: a name such as rows if it may be of any length, else a length.
type Axis struct {
	Name   string
	Length int
}

// Any returns a dimension of any length, called so.
func Any(name string) Axis { return Axis{Name: name} }

// Of returns a dimension of a length.
func Of(n int) Axis { return Axis{Length: n} }

// A NameError is a name that two tensors of a graph would have.
type NameError struct{ Name string }

// Error says which name it is.
func (e *NameError) Error() string { return fmt.Sprintf("two tensors would be called %q", e.Name) }

// Input adds a tensor that who runs the graph gives. It returns a *NameError if the name is taken.
func (g *Graph) Input(name string, t Type, shape ...Axis) (Value, error) {
	if g.taken[name] {
		return "", &NameError{name}
	}
	g.taken[name] = true
	g.inputs = message(g.inputs, graphInput, valueInfo(name, t, shape))
	return Value(name), nil
}

// Output gives a value a name by which who runs the graph asks for it. It returns a *NameError if the name is taken.
func (g *Graph) Output(name string, of Value, t Type, shape ...Axis) error {
	if g.taken[name] {
		return &NameError{name}
	}
	g.taken[name] = true
	g.node("Identity", name, []Value{of}, nil)
	g.made[len(g.made)-1].output = true
	g.outputs = message(g.outputs, graphOutput, valueInfo(name, t, shape))
	return nil
}

// An Attribute is an argument of a node that is no tensor.
type Attribute []byte

// Number returns an attribute that is a whole number.
func Number(name string, v int) Attribute {
	b := text(nil, attributeName, name)
	b = number(b, attributeInt, v)
	return number(b, attributeType, attributeTypeInt)
}

// Numbers returns an attribute that is a list of whole numbers.
func Numbers(name string, v ...int) Attribute {
	b := text(nil, attributeName, name)
	for _, i := range v {
		b = number(b, attributeInts, i)
	}
	return number(b, attributeType, attributeTypeInts)
}

// TypeOf returns an attribute that is a type of elements.
func TypeOf(name string, t Type) Attribute { return Number(name, int(t)) }

// Op adds a node that applies an operator to values, and returns what it makes.
func (g *Graph) Op(operator string, in ...Value) Value { return g.OpWith(operator, nil, in...) }

// OpWith adds a node with attributes.
func (g *Graph) OpWith(operator string, with []Attribute, in ...Value) Value {
	name := g.fresh()
	g.node(operator, name, in, with)
	return Value(name)
}

// node adds a node.
func (g *Graph) node(operator, out string, in []Value, with []Attribute) {
	var b []byte
	for _, v := range in {
		b = text(b, nodeInput, string(v))
	}
	b = text(b, nodeOutput, out)
	b = text(b, nodeOperator, operator)
	for _, a := range with {
		b = message(b, nodeAttribute, a)
	}
	g.made = append(g.made, tensor{name: Value(out), from: in, field: graphNode, message: b})
}

// fresh returns a name that no tensor has yet.
func (g *Graph) fresh() string {
	for {
		g.next++
		if name := g.name + "/" + strconv.Itoa(g.next); !g.taken[name] {
			g.taken[name] = true
			return name
		}
	}
}

// Doubles returns a constant of a shape, no axes for one number. Equal constants are stored once.
func (g *Graph) Doubles(v []float64, shape ...int) Value {
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = protowire.AppendFixed64(raw, math.Float64bits(x))
	}
	return g.constant(Double, shape, protowire.AppendBytes(protowire.AppendTag(nil, tensorRaw, protowire.BytesType), raw))
}

// Double returns a constant that is one number.
func (g *Graph) Double(v float64) Value { return g.Doubles([]float64{v}) }

// Ints returns a constant of whole numbers in a row.
func (g *Graph) Ints(v ...int) Value {
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = protowire.AppendFixed64(raw, uint64(x)) //nolint:gosec // negative numbers are stored in two's complement
	}
	return g.constant(Int64, []int{len(v)}, protowire.AppendBytes(protowire.AppendTag(nil, tensorRaw, protowire.BytesType), raw))
}

// Bools returns a constant of a shape.
func (g *Graph) Bools(v []bool, shape ...int) Value {
	raw := make([]byte, len(v))
	for i, x := range v {
		if x {
			raw[i] = 1
		}
	}
	return g.constant(Bool, shape, protowire.AppendBytes(protowire.AppendTag(nil, tensorRaw, protowire.BytesType), raw))
}

// Strings returns a constant of texts of a shape.
func (g *Graph) Strings(v []string, shape ...int) Value {
	var b []byte
	for _, s := range v {
		b = message(b, tensorStrings, []byte(s))
	}
	return g.constant(String, shape, b)
}

// constant stores a tensor whose elements are encoded.
func (g *Graph) constant(t Type, shape []int, elements []byte) Value {
	var b []byte
	for _, n := range shape {
		b = number(b, tensorDims, n)
	}
	b = append(number(b, tensorType, int(t)), elements...)
	if known, ok := g.known[string(b)]; ok {
		return known
	}
	name := g.fresh()
	g.known[string(b)] = Value(name)
	g.made = append(g.made, tensor{name: Value(name), field: graphConstant, message: text(b, tensorName, name)})
	return Value(name)
}

// encode returns the graph as a message. It leaves out what no output needs, as runtimes warn of that.
func (g *Graph) encode() []byte {
	needed := map[Value]bool{}
	for i := len(g.made) - 1; i >= 0; i-- { // those that take a tensor stand behind it
		if t := &g.made[i]; t.output || needed[t.name] {
			needed[t.name] = true
			for _, v := range t.from {
				needed[v] = true
			}
		}
	}
	b := text(nil, graphName, g.name)
	for _, field := range []protowire.Number{graphNode, graphConstant} {
		for i := range g.made {
			if t := &g.made[i]; t.field == field && needed[t.name] {
				b = message(b, field, t.message)
			}
		}
	}
	b = append(b, g.inputs...)
	return append(b, g.outputs...)
}
