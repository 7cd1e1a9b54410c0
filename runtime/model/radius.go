package model

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// radiusSlack shrinks a radius by more than rounding errors of scores and norms add to it.
const radiusSlack = 1e-9

// Radii returns for each row of scores (n×m, as Scores returns them) a distance in prepared units within which no point is decided
// otherwise. For functions of the gaussian kernel of width s,
//
//	|f(x) − f(x′)| ≤ ‖f‖ ‖k(x, ·) − k(x′, ·)‖ = ‖f‖ √(2 − 2 exp(−‖x − x′‖²/2s²)),
//
// so a score m keeps its sign within r = s√(−2 ln(1 − m²/2‖f‖²)), everywhere if m² ≥ 2‖f‖². Between classes f is the difference of their
// functions, and the least r counts; of labels the least too. It returns an error where decisions are not those of such functions.
func Radii(m *Model, scores *mat.Dense) ([]float64, error) {
	if err := hasRadii(m); err != nil {
		return nil, err
	}
	n, labels := scores.Dims()
	// The norms are those of the whole model, so that they are computed once.
	lengths, width := lengthsOf(m), m.Represent.Features.Kernel().Setting().Width
	out := make([]float64, n)
	for i := range n {
		row := scores.RawRowView(i)
		out[i] = math.Inf(1)
		// A label changes where its own score does, and a class where another one overtakes it.
		if m.Fit.Task != setting.Class {
			for y, s := range row {
				out[i] = min(out[i], radius(s, lengths.At(y, y), width))
			}
			continue
		}
		best := floats.MaxIdx(row)
		for y := range labels {
			if y != best {
				out[i] = min(out[i], radius(row[best]-row[y], lengths.At(best, y), width))
			}
		}
	}
	return out, nil
}

// hasRadii returns an error where decisions are not those of functions of a gaussian kernel with known norms.
func hasRadii(m *Model) error {
	switch k := m.Represent.Features.Kernel().Setting(); {
	case m.Fit.Task.Numbers():
		return errors.New("a number has no class that could change")
	case m.Represent.Regularized():
		return fmt.Errorf("the scores of method %s are not linear in f; take method risk", m.Represent.Method)
	case m.Represent.Features.State().Kind != setting.Nystrom:
		return fmt.Errorf("features %s only resemble the kernel; take features nystrom", m.Represent.Features.State().Kind)
	case m.Represent.Features.State().At.Rows > 0:
		return errors.New("derivatives are among the landmarks; take landmarks = rows")
	case k.Kind != setting.Gaussian:
		return fmt.Errorf("the kernel is %s, and radii are known for gaussian alone", k.Kind)
	case m.Fit.Odds:
		return errors.New("labels are decided by calibrated log odds of f; leave `probabilities = on` out")
	case m.Fit.Sets != nil || ClosingOf(m) == Lent || ClosingOf(m) == Met:
		return errors.New("the labels are decided together; take svm or ridge without `decode closure`")
	}
	return nil
}

// lengthsOf returns at least ‖f_y − f_z‖ for classes y ≠ z and ‖f_y‖ on the diagonal, as ‖f‖² = Σ_i a_i L_i f. Both factors are
// sums over landmarks, of which rounding loses at most γ(Σ|a_i|)² max k, and k is at most 1.
func lengthsOf(m *Model) *mat.Dense {
	weights := m.Fit.Weights.RawMatrix().Data
	a, at := landmarkCoefficients(m.Represent, weights), atLandmarks(m.Represent, weights)
	marks, labels := a.Dims()
	gamma := roundings * float64(marks+m.Represent.Features.Dim()) * unitRoundoff
	out := mat.NewDense(labels, labels, nil)
	for y := range labels {
		for z := range labels {
			square, sum := 0.0, 0.0
			for i := range marks {
				own, value := a.At(i, y), at.At(i, y)
				if y != z {
					own, value = own-a.At(i, z), value-at.At(i, z)
				}
				square, sum = square+own*value, sum+math.Abs(own)
			}
			out.Set(y, z, math.Sqrt(math.Max(0, square)+gamma*sum*sum))
		}
	}
	return out
}

const (
	unitRoundoff = 0x1p-53
	// roundings is how many roundings each landmark and each feature may add to a term of ‖f‖².
	roundings = 8
)

// radius returns the distance within which a function of a norm keeps the sign of its value.
func radius(value, norm, width float64) float64 {
	share := value * value / (2 * norm * norm) * (1 - radiusSlack)
	if share >= 1 {
		return math.Inf(1)
	}
	return width * math.Sqrt(-2*math.Log1p(-share)) * (1 - radiusSlack)
}
