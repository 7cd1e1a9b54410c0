package model

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// rowsOf returns the functionals f ↦ g(x_i) − c of a statement at the points of x (n×p), as vectors of the features phi (d of
// them), label by label: n × labels·d.
func rowsOf(phi embed.Functions, labels int, s *statement.Statement, x *mat.Dense) *mat.Dense {
	n, p := x.Dims()
	d := phi.Dim()
	out, part, moved := mat.NewDense(n, labels*d, nil), mat.NewDense(n, d, nil), mat.NewDense(n, p, nil)
	// Each term moves the points by itself, and has a label of its own.
	for k := range s.Terms {
		t := &s.Terms[k]
		for i := range n {
			t.At(moved.RawRowView(i), x.RawRowView(i))
		}
		partials(part, phi, moved, t.Derive)
		for i := range n {
			floats.AddScaled(out.RawRowView(i)[t.Label*d:(t.Label+1)*d], t.Coef, part.RawRowView(i))
		}
	}
	return out
}

// partials sets row i of dst to ∂^α φ(x_i), for columns α with repetition, at most two. A mixed derivative is
// ¼(D²[u + v, u + v] − D²[u − v, u − v]).
func partials(dst *mat.Dense, phi embed.Functions, x *mat.Dense, along []int) {
	switch {
	case len(along) == 0:
		phi.Features(dst, x)
	case len(along) == 1 || along[0] == along[1]:
		phi.Derivatives(dst, kernel.Argument{Points: x, Along: direction(x, map[int]float64{along[0]: 1}), Order: len(along)})
	default:
		n, d := dst.Dims()
		other := mat.NewDense(n, d, nil)
		phi.Derivatives(dst, kernel.Argument{Points: x, Along: direction(x, map[int]float64{along[0]: 1, along[1]: 1}), Order: 2})
		phi.Derivatives(other, kernel.Argument{Points: x, Along: direction(x, map[int]float64{along[0]: 1, along[1]: -1}), Order: 2})
		dst.Sub(dst, other)
		dst.Scale(1.0/4, dst)
	}
}

// direction returns the same tangent for each row of x. It is 0 but for the columns of at.
func direction(x *mat.Dense, at map[int]float64) *mat.Dense {
	n, p := x.Dims()
	one := make([]float64, p)
	for c, v := range at {
		one[c] = v
	}
	return mat.NewDense(n, p, slices.Repeat(one, n))
}
