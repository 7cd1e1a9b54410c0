// Package onnx writes files of the Open Neural Network Exchange (ONNX), which other programs run. A file holds a graph of primitive
// operators: each node takes tensors by name and makes one. A [Graph] gathers them in the order in which they are computed, so that a
// node only takes what stands before it. It is written as protocol buffers, field by field, as onnx.proto of version 1.15 numbers them.
//
// All operators are of the default domain, in the set of version [OperatorSet]. Equal graphs are equal bytes.
package onnx
