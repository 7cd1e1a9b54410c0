package model

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/represent"
)

// A NotLinearError says why scores are no linear function of the features.
type NotLinearError struct{ why string }

// Error says why.
func (e *NotLinearError) Error() string { return e.why }

// Linear returns V (m×d) with f(x)_y = ⟨V_y, φ(x)⟩ + b_y, where f are the scores before label sets and closures are looked at. Without
// embeddings V is W times their scale. Where R is quadratic, ι = M⁻¹ is linear and symmetric, so that V = ι(W). Linear returns a
// *NotLinearError where embeddings are found by iterations, row by row, and ctx's error when ctx ends.
func Linear(ctx context.Context, m *Model) (*mat.Dense, error) {
	r := m.Represent
	v := m.Fit.Weights.RawMatrix().Data
	if r.Regularized() {
		var err error
		v, err = represent.Linear(ctx, r, v)
		if errors.Is(err, represent.ErrNoClosedForm) {
			return nil, &NotLinearError{fmt.Sprintf("method %s finds the embedding of each row by iterations: R is not quadratic, so that scores are no linear function of the features", r.Method)}
		}
		if err != nil {
			return nil, err
		}
	}
	scaled := mat.NewDense(r.Labels, r.Features.Dim(), nil)
	scaled.Scale(r.Scale, mat.NewDense(r.Labels, r.Features.Dim(), v))
	return scaled, nil
}
