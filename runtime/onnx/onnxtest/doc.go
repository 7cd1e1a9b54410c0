// Package onnxtest reads and runs ONNX files for tests. It shares no code with what writes them. Fields are numbered as onnx.proto numbers them.
// Operators do what the reference of ONNX says, one number at a time. It knows the operators that sipc writes, and refuses all others.
package onnxtest
