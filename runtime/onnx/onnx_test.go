package onnx_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/onnx"
	"github.com/sipc-ml/sipc/runtime/onnx/onnxtest"
)

// reader is what a test can fail by.
type reader interface {
	Helper()
	Fatal(args ...any)
}

// read returns what a file of a graph holds.
func read(t reader, m *onnx.Model) *onnxtest.Model {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	out, err := onnxtest.Read(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A file holds what was put into it, by the numbers of onnx.proto.
func TestFilesReadBack(t *testing.T) {
	g := onnx.NewGraph("small")
	x, err := g.Input("x", onnx.Double, onnx.Any("rows"), onnx.Of(2))
	if err != nil {
		t.Fatal(err)
	}
	picked := g.OpWith("Gather", []onnx.Attribute{onnx.Number("axis", 1)}, x, g.Ints(1, -1))
	sum := g.OpWith("Made", []onnx.Attribute{onnx.Numbers("axes", -2, 3), onnx.TypeOf("to", onnx.Int64)}, picked, g.Double(0.5), g.Bools([]bool{true, false}, 1, 2), g.Strings([]string{"", "ä"}, 2))
	if err := g.Output("y", sum, onnx.Int64, onnx.Any("rows"), onnx.Of(2)); err != nil {
		t.Fatal(err)
	}
	got := read(t, &onnx.Model{Graph: g, Producer: "sipc", ProducerVersion: "sipc 1", Domain: "org.example", Doc: "what it is", Metadata: []onnx.Entry{{Key: "a", Value: "b"}, {Key: "c"}}})
	want := &onnxtest.Model{
		Format: 9, Producer: "sipc", Version: "sipc 1", Domain: "org.example", Doc: "what it is",
		Operators: map[string]int64{"": onnx.OperatorSet}, Metadata: map[string]string{"a": "b", "c": ""},
		Graph: onnxtest.Graph{
			Name:    "small",
			Inputs:  []onnxtest.Info{{Name: "x", Type: 11, Axes: []string{"rows", "2"}}},
			Outputs: []onnxtest.Info{{Name: "y", Type: 7, Axes: []string{"rows", "2"}}},
			Nodes: []onnxtest.Node{
				{Operator: "Gather", In: []string{"x", "small/1"}, Out: []string{"small/2"}, Attributes: map[string][]int64{"axis": {1}}},
				{Operator: "Made", In: []string{"small/2", "small/3", "small/4", "small/5"}, Out: []string{"small/6"}, Attributes: map[string][]int64{"axes": {-2, 3}, "to": {7}}},
				{Operator: "Identity", In: []string{"small/6"}, Out: []string{"y"}, Attributes: map[string][]int64{}},
			},
			Constants: map[string]*onnxtest.Tensor{
				"small/1": {Dims: []int{2}, Data: []int64{1, -1}}, "small/3": {Dims: []int{}, Data: []float64{0.5}},
				"small/4": {Dims: []int{1, 2}, Data: []bool{true, false}}, "small/5": {Dims: []int{2}, Data: []string{"", "ä"}},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Constants are read back to the last bit, whatever they are, and equal ones are stored once.
func TestConstantsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := onnx.NewGraph("g")
		numbers := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), 5e-324})), 0, 6).Draw(t, "numbers")
		whole := rapid.SliceOfN(rapid.Int(), 0, 6).Draw(t, "whole")
		texts := rapid.SliceOfN(rapid.String(), 0, 6).Draw(t, "texts")
		flags := rapid.SliceOfN(rapid.Bool(), 0, 6).Draw(t, "flags")
		all := []onnx.Value{g.Doubles(numbers, len(numbers), 1), g.Ints(whole...), g.Strings(texts, len(texts)), g.Bools(flags, len(flags))}
		if g.Doubles(slices.Clone(numbers), len(numbers), 1) != all[0] || g.Doubles(numbers, 1, len(numbers)) == all[0] && len(numbers) != 1 {
			t.Fatal("equal constants are stored twice, or those of other shapes once")
		}
		if err := g.Output("y", g.Op("Sub", all...), onnx.Double); err != nil {
			t.Fatal(err)
		}
		got := read(t, &onnx.Model{Graph: g}).Graph.Constants
		bits := make([]uint64, len(numbers))
		for i, v := range numbers {
			bits[i] = math.Float64bits(v)
		}
		read := make([]uint64, len(numbers))
		for i, v := range got[string(all[0])].Data.([]float64) {
			read[i] = math.Float64bits(v)
		}
		wide := make([]int64, len(whole))
		for i, v := range whole {
			wide[i] = int64(v)
		}
		for k, pair := range [][2]any{{bits, read}, {wide, got[string(all[1])].Data}, {texts, got[string(all[2])].Data}, {flags, got[string(all[3])].Data}} {
			if diff := cmp.Diff(pair[0], pair[1], cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("constant %d: %s", k, diff)
			}
		}
	})
}

// What no output needs is left out, as runtimes warn of it. A node that only such a node takes is left out, too.
func TestUnusedPartsAreLeftOut(t *testing.T) {
	g := onnx.NewGraph("g")
	x, err := g.Input("x", onnx.Double, onnx.Of(1))
	if err != nil {
		t.Fatal(err)
	}
	g.Op("Add", g.Op("Neg", x), g.Double(7))
	g.Ints(3)
	if err := g.Output("y", g.Op("Mul", x, g.Double(2)), onnx.Double, onnx.Of(1)); err != nil {
		t.Fatal(err)
	}
	got := read(t, &onnx.Model{Graph: g}).Graph
	if err := got.Check(); err != nil {
		t.Error(err)
	}
	if len(got.Nodes) != 2 || len(got.Constants) != 1 {
		t.Errorf("the graph has the nodes %v and the constants %v", got.Nodes, got.Constants)
	}
	y, err := got.Run(map[string]*onnxtest.Tensor{"x": {Dims: []int{1}, Data: []float64{4}}})
	if err != nil || !cmp.Equal(y["y"].Data, []float64{8}) {
		t.Errorf("y is %v, %v", y["y"], err)
	}
}

// Two tensors have two names, and those that a graph makes up avoid the names of inputs.
func TestNames(t *testing.T) {
	g := onnx.NewGraph("g")
	x, err := g.Input("g/1", onnx.Double)
	if err != nil {
		t.Fatal(err)
	}
	v := g.Op("Neg", x)
	if v == x {
		t.Error("a node has the name of an input")
	}
	if _, err = g.Input("g/1", onnx.Double); !isName(err) {
		t.Errorf("a second input of one name: %v", err)
	}
	if err := g.Output("g/1", v, onnx.Double); !isName(err) {
		t.Errorf("an output called as an input is: %v", err)
	}
}

// isName reports whether an error is about a name.
func isName(err error) bool {
	taken := (*onnx.NameError)(nil)
	return errors.As(err, &taken)
}
