package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/worst"
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

// sums reports whether scores of a representation are sums of the kernel at landmarks.
func sums(r *represent.Representer) bool {
	return !r.Regularized() && r.Features.State().Kind == setting.Nystrom
}

// sumUp sets the coefficients of a model's f at its landmarks, if it has statements to keep.
func sumUp(m *Model) {
	if len(m.Requirements) > 0 && sums(m.Represent) {
		m.Coefficients = landmarkCoefficients(m.Represent, m.Fit.Weights.RawMatrix().Data)
	}
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

// Proved returns the function of a model that statements are proved of: that of its coefficients. Where it was fitted to keep nothing, they are
// what its weights amount to. What predicts is near to it, and [Apart] says how near. It returns an error with the reason where scores
// are not the values of such a function.
func Proved(m *Model) (*proof.Function, error) {
	r, coef := m.Represent, m.Coefficients
	switch {
	case r.Regularized():
		return nil, fmt.Errorf("method %s represents each row by what a solver finds, and its scores are no sums of the kernel, of which statements are proved; take method risk", r.Method)
	case m.Fit.Sets != nil:
		return nil, errors.New("softmax on labels learns sets of labels, and f at a label is not its score; take svm, logistic or ridge")
	case m.Fit.Odds:
		return nil, errors.New("under svm(probabilities = on) a label's score is the calibrated log odds of f, and not the f of statements; leave probabilities out, or write `require` in the spec")
	case ClosingOf(m) == Met:
		return nil, errors.New("log odds of labels that imply one another meet, so that scores are not the f of statements; take svm, or write `require` in the spec")
	case ClosingOf(m) == Lent:
		return nil, errors.New("under `decode closure` a label borrows the score of another one, so that scores are not the f of statements; leave it out")
	case coef == nil && sums(r):
		coef = landmarkCoefficients(r, m.Fit.Weights.RawMatrix().Data)
	case coef == nil:
		return nil, fmt.Errorf("the scores of method %s with %s features are not sums of the kernel at landmarks, of which statements are proved", r.Method, r.Features.State().Kind)
	}
	return functionOf(r, coef, m.Fit.Bias)
}

// Prove decides statements about a model, of which [Proved] has the function. Aims and earlier verdicts have no part in it. cells bounds the work
// for each; 0 means the default of package proof.
func Prove(ctx context.Context, m *Model, all []Requirement, cells int, progress func(done, total int)) ([]Requirement, error) {
	f, err := Proved(m)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(all)
	for i := range out {
		start := time.Now()
		if out[i].Verdict, err = f.Prove(ctx, &out[i].Statement, proof.Options{Cells: cells, Suspects: worst.Suspects}); err != nil {
			return nil, err
		}
		out[i].Seconds = time.Since(start).Seconds()
		if progress != nil {
			progress(i+1, len(out))
		}
	}
	return out, nil
}
