// Package portable writes a model as a graph of primitive operators, an ONNX file, that other programs run without this one. The graph
// takes the columns of a row as the data file has them. It prepares them as training rows were, sums the kernel at the landmarks,
//
//	f(x)_y = Σ_i a_iy L_i k(·, z_i)(x) + b_y,
//
// and decides. All is in float64, so that scores are those of [model.Model.Scores] up to rounding.
//
// A model whose scores are no such sums has no graph: see [RefusedError]. A graph cannot refuse a row either. Where a prediction would end with
// an error, scores are NaN and nothing is decided.
package portable
