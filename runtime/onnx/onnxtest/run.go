package onnxtest

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// The types of elements, as onnx.proto numbers them.
const (
	typeInt64  = 7
	typeString = 8
	typeBool   = 9
	typeDouble = 11
)

// A Tensor is elements, the last axis fastest: []float64, []int64, []bool or []string.
type Tensor struct {
	Dims []int
	Data any
}

// size returns how many elements a shape has.
func size(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// length returns how many elements there are.
func (t *Tensor) length() int {
	switch v := t.Data.(type) {
	case []float64:
		return len(v)
	case []int64:
		return len(v)
	case []bool:
		return len(v)
	case []string:
		return len(v)
	}
	return -1
}

// Run computes the outputs of a graph.
func (g *Graph) Run(feeds map[string]*Tensor) (map[string]*Tensor, error) {
	known := map[string]*Tensor{}
	for name, t := range g.Constants {
		known[name] = t
	}
	for _, i := range g.Inputs {
		if feeds[i.Name] == nil {
			return nil, fmt.Errorf("input %s is missing", i.Name)
		}
		known[i.Name] = feeds[i.Name]
	}
	for _, n := range g.Nodes {
		in := make([]*Tensor, len(n.In))
		for k, v := range n.In {
			in[k] = known[v]
		}
		t, err := n.run(in)
		if err != nil {
			return nil, fmt.Errorf("%s, which makes %v: %w", n.Operator, n.Out, err)
		}
		known[n.Out[0]] = t
	}
	out := map[string]*Tensor{}
	for _, o := range g.Outputs {
		out[o.Name] = known[o.Name]
	}
	return out, nil
}

// run computes a node. Elements of the wrong type are an error of the graph, as runtimes refuse them.
func (n *Node) run(in []*Tensor) (t *Tensor, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	op := operators[n.Operator]
	if op == nil {
		return nil, errors.New("the operator is unknown")
	}
	return op(n, in), nil
}

// refusef ends a node with an error, which run returns.
func refusef(format string, args ...any) {
	panic(fmt.Sprintf(format, args...)) //nolint:forbidigo // operators have no other way out
}

// holds reports whether elements are of a type.
func holds[A any](t *Tensor) bool {
	_, is := t.Data.([]A)
	return is
}

// data returns elements of a type. Others are refused.
func data[A any](t *Tensor) []A {
	v, is := t.Data.([]A)
	if !is {
		refusef("elements are %T", t.Data)
	}
	return v
}

// operators are those that are known.
var operators = map[string]func(n *Node, in []*Tensor) *Tensor{
	"Identity": func(_ *Node, in []*Tensor) *Tensor { return in[0] },
	"Add":      arithmetic(func(a, b float64) float64 { return a + b }),
	"Sub":      arithmetic(func(a, b float64) float64 { return a - b }),
	"Mul":      arithmetic(func(a, b float64) float64 { return a * b }),
	"Div":      arithmetic(func(a, b float64) float64 { return a / b }),
	"Pow":      arithmetic(math.Pow),
	"Max":      arithmetic(math.Max),
	"Min":      arithmetic(math.Min),
	"Abs":      function(math.Abs),
	"Neg":      function(func(a float64) float64 { return -a }),
	"Exp":      function(math.Exp),
	"Log":      function(math.Log),
	"Sqrt":     function(math.Sqrt),
	"Sin":      function(math.Sin),
	"Cos":      function(math.Cos),
	"Floor":    function(math.Floor),
	"Sigmoid":  function(func(a float64) float64 { return 1 / (1 + math.Exp(-a)) }),
	"IsNaN":    func(_ *Node, in []*Tensor) *Tensor { return mapped(in[0], math.IsNaN) },
	"Not":      func(_ *Node, in []*Tensor) *Tensor { return mapped(in[0], func(a bool) bool { return !a }) },
	"Or":       func(_ *Node, in []*Tensor) *Tensor { return paired(in, func(a, b bool) bool { return a || b }) },
	"And":      func(_ *Node, in []*Tensor) *Tensor { return paired(in, func(a, b bool) bool { return a && b }) },
	"Less":     func(_ *Node, in []*Tensor) *Tensor { return paired(in, func(a, b float64) bool { return a < b }) },
	"Greater":  func(_ *Node, in []*Tensor) *Tensor { return paired(in, func(a, b float64) bool { return a > b }) },
	"Equal":    equal, "Where": where, "Cast": cast, "Gather": gather, "Concat": concat, "Squeeze": squeeze, "Gemm": gemm, "Softmax": softmax, "ArgMax": argMax,
	"ReduceSum": reduce(0, func(a, b float64) float64 { return a + b }),
	"ReduceMax": reduce(math.Inf(-1), math.Max),
	"ReduceMin": reduce(math.Inf(1), math.Min),
}

// mapped returns a function of each element.
func mapped[A, B any](t *Tensor, f func(A) B) *Tensor {
	in := data[A](t)
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return &Tensor{t.Dims, out}
}

// function returns an operator that applies a function to each number.
func function(f func(float64) float64) func(*Node, []*Tensor) *Tensor {
	return func(_ *Node, in []*Tensor) *Tensor { return mapped(in[0], f) }
}

// arithmetic returns an operator that applies a function to pairs of numbers.
func arithmetic(f func(a, b float64) float64) func(*Node, []*Tensor) *Tensor {
	return func(_ *Node, in []*Tensor) *Tensor { return paired(in, f) }
}

// paired returns a function of pairs of elements. Axes of length 1, and those that are missing in front, are repeated.
func paired[A, B any](in []*Tensor, f func(a, b A) B) *Tensor {
	x, y := data[A](in[0]), data[A](in[1])
	dims := broadcast(in)
	out := make([]B, size(dims))
	a, b := places(in[0].Dims, dims), places(in[1].Dims, dims)
	for i := range out {
		out[i] = f(x[a[i]], y[b[i]])
	}
	return &Tensor{dims, out}
}

// broadcast returns the shape of what tensors make together.
func broadcast(in []*Tensor) []int {
	var dims []int
	for _, t := range in {
		for len(dims) < len(t.Dims) {
			dims = append([]int{1}, dims...)
		}
	}
	for _, t := range in {
		for k, n := range t.Dims {
			at := len(dims) - len(t.Dims) + k
			if dims[at] != 1 && n != 1 && dims[at] != n {
				refusef("shapes %v and %v do not suit each other", dims, t.Dims)
			}
			if n != 1 {
				dims[at] = n
			}
		}
	}
	return dims
}

// places returns where the elements of a larger shape are among those of a smaller one.
func places(own, dims []int) []int {
	out := make([]int, size(dims))
	for i := range out {
		at, rest, stride := 0, i, 1
		for k := len(dims) - 1; k >= 0; k-- {
			position := rest % dims[k]
			rest /= dims[k]
			if j := k - len(dims) + len(own); j >= 0 {
				if own[j] > 1 {
					at += position * stride
				}
				stride *= own[j]
			}
		}
		out[i] = at
	}
	return out
}

// equal compares numbers or texts.
func equal(_ *Node, in []*Tensor) *Tensor {
	if holds[string](in[0]) {
		return paired(in, func(a, b string) bool { return a == b })
	}
	return paired(in, func(a, b float64) bool { return a == b })
}

// where takes elements of one tensor or of another.
func where(_ *Node, in []*Tensor) *Tensor {
	switch in[1].Data.(type) {
	case []string:
		return chosen[string](in)
	case []int64:
		return chosen[int64](in)
	}
	return chosen[float64](in)
}

// chosen does what where does, for elements of a type.
func chosen[A any](in []*Tensor) *Tensor {
	dims := broadcast(in)
	is, x, y := data[bool](in[0]), data[A](in[1]), data[A](in[2])
	c, a, b := places(in[0].Dims, dims), places(in[1].Dims, dims), places(in[2].Dims, dims)
	out := make([]A, size(dims))
	for i := range out {
		if out[i] = y[b[i]]; is[c[i]] {
			out[i] = x[a[i]]
		}
	}
	return &Tensor{dims, out}
}

// cast makes numbers of booleans.
func cast(n *Node, in []*Tensor) *Tensor {
	if n.Attributes["to"][0] == typeInt64 {
		return mapped(in[0], func(a bool) int64 { return map[bool]int64{true: 1}[a] })
	}
	return mapped(in[0], func(a bool) float64 { return map[bool]float64{true: 1}[a] })
}

// gather takes elements along an axis: columns of a matrix, or elements of a list.
func gather(n *Node, in []*Tensor) *Tensor {
	at := data[int64](in[1])
	if holds[string](in[0]) && n.Attributes["axis"][0] == 0 && len(in[0].Dims) == 1 {
		words := data[string](in[0])
		out := make([]string, len(at))
		for i, k := range at {
			out[i] = words[k]
		}
		return &Tensor{in[1].Dims, out}
	}
	rows, columns := matrix(in[0])
	v := data[float64](in[0])
	if n.Attributes["axis"][0] != 1 || len(in[1].Dims) != 1 {
		refusef("not along columns")
	}
	out := make([]float64, 0, rows*len(at))
	for i := range rows {
		for _, k := range at {
			out = append(out, v[i*columns : (i+1)*columns][k])
		}
	}
	return &Tensor{[]int{rows, len(at)}, out}
}

// matrix returns the shape of a matrix.
func matrix(t *Tensor) (rows, columns int) {
	if len(t.Dims) != 2 {
		refusef("%v is no shape of a matrix", t.Dims)
	}
	return t.Dims[0], t.Dims[1]
}

// concat puts matrices side by side.
func concat(n *Node, in []*Tensor) *Tensor {
	if n.Attributes["axis"][0] != 1 {
		refusef("not along columns")
	}
	if holds[bool](in[0]) {
		return side[bool](in)
	}
	return side[float64](in)
}

// side does what concat does, for elements of a type.
func side[A any](in []*Tensor) *Tensor {
	rows, _ := matrix(in[0])
	columns := 0
	for _, t := range in {
		if r, c := matrix(t); r == rows {
			columns += c
		} else {
			refusef("rows differ")
		}
	}
	out := make([]A, 0, rows*columns)
	for i := range rows {
		for _, t := range in {
			c := t.Dims[1]
			out = append(out, data[A](t)[i*c:(i+1)*c]...)
		}
	}
	return &Tensor{[]int{rows, columns}, out}
}

// squeeze takes away axes of length 1.
func squeeze(_ *Node, in []*Tensor) *Tensor {
	gone := data[int64](in[1])
	var dims []int
	for k, d := range in[0].Dims {
		if !slices.Contains(gone, int64(k)) {
			dims = append(dims, d)
		} else if d != 1 {
			refusef("an axis is longer than 1")
		}
	}
	return &Tensor{dims, in[0].Data}
}

// gemm multiplies matrices.
func gemm(_ *Node, in []*Tensor) *Tensor {
	rows, inner := matrix(in[0])
	other, columns := matrix(in[1])
	if inner != other {
		refusef("%v by %v", in[0].Dims, in[1].Dims)
	}
	a, b := data[float64](in[0]), data[float64](in[1])
	out := make([]float64, rows*columns)
	for i := range rows {
		for k := range inner {
			for j := range columns {
				out[i*columns+j] += a[i*inner+k] * b[k*columns+j]
			}
		}
	}
	return &Tensor{[]int{rows, columns}, out}
}

// softmax makes the numbers of each row positive, with the sum 1.
func softmax(n *Node, in []*Tensor) *Tensor {
	rows, columns := matrix(in[0])
	if n.Attributes["axis"][0] != 1 {
		refusef("not along columns")
	}
	out := slices.Clone(data[float64](in[0]))
	for i := range rows {
		row := out[i*columns : (i+1)*columns]
		top, sum := slices.Max(row), 0.0
		for k, v := range row {
			row[k] = math.Exp(v - top)
			sum += row[k]
		}
		for k := range row {
			row[k] /= sum
		}
	}
	return &Tensor{in[0].Dims, out}
}

// argMax returns the position of the largest number of each row, the first of equal ones.
func argMax(n *Node, in []*Tensor) *Tensor {
	rows, columns := matrix(in[0])
	if n.Attributes["axis"][0] != 1 || n.Attributes["keepdims"][0] != 0 {
		refusef("not along columns")
	}
	v, out := data[float64](in[0]), make([]int64, rows)
	for i := range out {
		for k := range columns {
			if v[i*columns+k] > v[i*columns+int(out[i])] {
				out[i] = int64(k)
			}
		}
	}
	return &Tensor{[]int{rows}, out}
}

// reduce returns an operator that makes one number of each row.
func reduce(start float64, f func(a, b float64) float64) func(*Node, []*Tensor) *Tensor {
	return func(_ *Node, in []*Tensor) *Tensor {
		rows, columns := matrix(in[0])
		if at := data[int64](in[1]); len(at) != 1 || at[0] != 1 {
			refusef("not along columns")
		}
		v, out := data[float64](in[0]), make([]float64, rows)
		for i := range out {
			out[i] = start
			for _, x := range v[i*columns : (i+1)*columns] {
				out[i] = f(out[i], x)
			}
		}
		return &Tensor{[]int{rows, 1}, out}
	}
}
