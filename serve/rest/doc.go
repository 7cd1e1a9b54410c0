// Package rest serves one model over HTTP by the Open Inference Protocol, version 2 (KServe, "Predict Protocol V2", its REST part).
//
//	GET  /v2                             the server: its name, its version
//	GET  /v2/health/live, /v2/health/ready
//	GET  /v2/models/NAME                 the model: its inputs and outputs
//	GET  /v2/models/NAME/ready
//	POST /v2/models/NAME/infer           tensors in, tensors out
//
// NAME may be followed by /versions/VERSION, where VERSION is the one that the model's metadata list.
//
// An input is a column of the data, called as the column is, of shape [rows] or [rows, 1]. A model of numbers alone also takes one matrix of all
// columns, [rows, columns], in the order of its metadata. JSON's null is a gap. Outputs are those of an exported ONNX file: label, scores, probabilities,
// prediction or quantiles. Scores are written so that they read back exactly, and are those that `sipc predict` writes.
//
// Binary tensors, which are an extension of the protocol, are refused. So are requests that are not application/json: a page in a browser may
// send others to a server on loopback without asking.
package rest
