package model

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// landmarkCoefficients returns a (landmarks × m) with f(x)_y = Σ_i a_iy L_i k(·, z_i) + b_y, for the landmarks of Nyström features and the weights
// of scaled features, label by label.
func landmarkCoefficients(rep *represent.Representer, weights []float64) *mat.Dense {
	state := rep.Features.State()
	var a mat.Dense
	a.Mul(mat.NewDense(state.Whiten.Rows, state.Whiten.Cols, state.Whiten.Data), mat.NewDense(rep.Labels, state.Whiten.Cols, weights).T())
	a.Scale(rep.Scale, &a)
	return &a
}

// atLandmarks returns L_i f_y (landmarks × m), without biases, for the functions of such weights.
func atLandmarks(rep *represent.Representer, weights []float64) *mat.Dense {
	state, d := rep.Features.State(), rep.Features.Dim()
	phi := mat.NewDense(state.Whiten.Rows, d, nil)
	// Derivatives of φ at a landmark are its inner products with the others, in an orthonormal basis.
	first := 0
	for _, marks := range marksOf(state) {
		n, _ := marks.Points.Dims()
		rep.Features.Derivatives(phi.Slice(first, first+n, 0, d).(*mat.Dense), marks) //nolint:forcetypeassert // a slice of a Dense is one
		first += n
	}
	var out mat.Dense
	out.Mul(phi, mat.NewDense(rep.Labels, d, weights).T())
	out.Scale(rep.Scale, &out)
	return &out
}

// marksOf returns the landmarks of a Nyström map in the order of its coefficients: values, first and second derivatives.
// They are views of the state.
func marksOf(s *embed.State) []kernel.Argument {
	var out []kernel.Argument
	if m := s.Landmarks; m.Rows > 0 {
		out = append(out, kernel.At(mat.NewDense(m.Rows, m.Cols, m.Data)))
	}
	p, once := s.At.Cols, s.At.Rows-s.Twice
	for order, rows := range [][2]int{{}, {0, once}, {once, s.At.Rows}} {
		if lo, hi := rows[0], rows[1]; lo < hi {
			out = append(out, kernel.Argument{
				Points: mat.NewDense(hi-lo, p, s.At.Data[lo*p:hi*p]), Along: mat.NewDense(hi-lo, p, s.Along.Data[lo*p:hi*p]), Order: order,
			})
		}
	}
	return out
}
