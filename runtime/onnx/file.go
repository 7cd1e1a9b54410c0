package onnx

import (
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// OperatorSet is the version of the operators, the first whose Equal compares texts. format is that of files which goes with it.
const (
	OperatorSet = 19
	format      = 9
)

// Fields of messages by the numbers of onnx.proto.
const (
	modelFormat, modelProducer, modelProducerVersion, modelDomain, modelDoc, modelGraph, modelOperators, modelMetadata = 1, 2, 3, 4, 6, 7, 8, 14

	operatorsDomain, operatorsVersion = 1, 2
	entryKey, entryValue              = 1, 2

	graphNode, graphName, graphConstant, graphInput, graphOutput = 1, 2, 5, 11, 12
	nodeInput, nodeOutput, nodeOperator, nodeAttribute           = 1, 2, 4, 5

	attributeName, attributeInt, attributeInts, attributeType = 1, 3, 8, 20
	attributeTypeInt, attributeTypeInts                       = 2, 7

	tensorDims, tensorType, tensorStrings, tensorName, tensorRaw = 1, 2, 6, 8, 9
	infoName, infoType, typeTensor, typeElement, typeShape       = 1, 2, 1, 1, 2
	shapeAxis, axisLength, axisName                              = 1, 1, 2
)

// MostBytes is the size of the largest file that readers of protocol buffers take.
const MostBytes = 1<<31 - 1

// A Model is a graph with what is said of it.
type Model struct {
	Graph                     *Graph
	Producer, ProducerVersion string
	Domain                    string // of who made it, as a reversed host name
	Doc                       string
	Metadata                  []Entry
}

// An Entry is a name and a text.
type Entry struct{ Key, Value string }

// Write writes the model as an ONNX file holds it. It returns an error if that is larger than readers take.
func (m *Model) Write(w io.Writer) error {
	b := number(nil, modelFormat, format)
	b = text(b, modelProducer, m.Producer)
	b = text(b, modelProducerVersion, m.ProducerVersion)
	b = text(b, modelDomain, m.Domain)
	b = text(b, modelDoc, m.Doc)
	b = message(b, modelGraph, m.Graph.encode())
	b = message(b, modelOperators, number(text(nil, operatorsDomain, ""), operatorsVersion, OperatorSet))
	for _, e := range m.Metadata {
		b = message(b, modelMetadata, text(text(nil, entryKey, e.Key), entryValue, e.Value))
	}
	if len(b) > MostBytes {
		return fmt.Errorf("the graph takes %d bytes, and ONNX files hold %d at most; use a model of fewer landmarks", len(b), MostBytes)
	}
	_, err := w.Write(b)
	return err
}

// valueInfo returns the message that says of a tensor what it is.
func valueInfo(name string, t Type, shape []Axis) []byte {
	var axes []byte
	for _, a := range shape {
		if a.Name != "" {
			axes = message(axes, shapeAxis, text(nil, axisName, a.Name))
		} else {
			axes = message(axes, shapeAxis, number(nil, axisLength, a.Length))
		}
	}
	tensor := message(number(nil, typeElement, int(t)), typeShape, axes)
	return message(text(nil, infoName, name), infoType, message(nil, typeTensor, tensor))
}

// message appends a field that holds a message or bytes.
func message(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

// text appends a field that holds a text.
func text(b []byte, field protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), v)
}

// number appends a field that holds a whole number.
func number(b []byte, field protowire.Number, v int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v)) //nolint:gosec // negative numbers are stored in two's complement
}
