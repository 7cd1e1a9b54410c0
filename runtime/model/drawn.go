package model

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// What a model keeps to be drawn with has a part in no prediction. Its size is bounded, so that a file of images does not become
// larger by all of them.
const (
	mostColumns     = 64      // of rows that a model keeps
	mostKept        = 1000    // rows
	mostKeptNumbers = 1 << 17 // of all these rows: 1 MB
	leastKept       = 50      // rows; fewer are not kept, if there are more
)

// Rows are training rows that a model keeps. Pictures show their density, and take means over them.
type Rows struct {
	X      *mat.Dense // prepared, n×p
	Weight []float64  // n; nil means ones
	Of     int        // how many training rows there were
}

// rowsKept returns the training rows that a model keeps: all, or rows at equal steps where they are many. It returns nil where rows are
// too long, as nobody looks at hundreds of pictures.
func rowsKept(s *dataset.Set) *Rows {
	n, p := s.X.Dims()
	if len(s.Groups) > mostColumns || mostKeptNumbers/p < min(n, leastKept) {
		return nil
	}
	return spread(s, mostKeptNumbers/p)
}

// Spread returns the rows of a set to draw a model with: all, or rows at equal steps where they are many.
func Spread(s *dataset.Set) *Rows { return spread(s, mostKept) }

// spread does what Spread does, for at most so many rows.
func spread(s *dataset.Set, most int) *Rows {
	n := s.Len()
	most = min(most, mostKept)
	of := n
	if n > most {
		positions := make([]int, most)
		for k := range positions {
			positions[k] = k * n / most
		}
		s = s.Subset(positions)
	}
	return &Rows{X: s.X, Weight: s.Weight, Of: of}
}

// A Twin is f as it is without statements, on the features of a model. Both functions have the same landmarks, so that their parts differ in
// coefficients alone.
type Twin struct {
	Coefficients *mat.Dense // as Model has them
	Bias         []float64
	// Plain says that R is left out, too: it is the function of method plain.
	Plain bool
}

// TwinOf returns the function of a model fitted by method plain to the features of another. It returns nil where that is no sum at landmarks.
func TwinOf(plain *Model) *Twin {
	coef := AtLandmarks(plain)
	if coef == nil {
		return nil
	}
	return &Twin{Coefficients: coef, Bias: plain.Fit.Bias, Plain: true}
}

// Landmarks returns the landmarks of f in the order of coefficients. It returns nil for features without landmarks.
func Landmarks(m *Model) []kernel.Argument {
	state := m.Represent.Features.State()
	if state.Kind != setting.Nystrom {
		return nil
	}
	return marksOf(state)
}

// AtLandmarks returns what [Model.Coefficients] describes, for models without statements too. It returns nil where scores are no such sums.
func AtLandmarks(m *Model) *mat.Dense {
	if m.Coefficients != nil || !sums(m.Represent) {
		return m.Coefficients
	}
	return landmarkCoefficients(m.Represent, m.Fit.Weights.RawMatrix().Data)
}

// rowsStored is Rows as a file holds them.
type rowsStored struct {
	X      *array `json:"x"`
	Weight *array `json:"weight,omitempty"`
	Of     int    `json:"of"`
}

// rowsStoredOf returns rows as the file holds them.
func rowsStoredOf(r *Rows) *rowsStored {
	if r == nil {
		return nil
	}
	return &rowsStored{X: denseOf(r.X), Weight: floatsOf(r.Weight), Of: r.Of}
}

// rows returns what rowsStoredOf has taken. It refuses weights that are no weights.
func (k *rowsStored) rows() (*Rows, error) {
	if k == nil {
		return nil, nil //nolint:nilnil // nil stands for no rows
	}
	out := &Rows{X: k.X.dense(), Weight: k.Weight.list(), Of: k.Of}
	if slices.ContainsFunc(out.Weight, func(w float64) bool { return !(w > 0) || math.IsInf(w, 1) }) {
		return nil, errors.New("rows: a weight is not a positive number")
	}
	return out, nil
}

// twinStored is Twin as a file holds it.
type twinStored struct {
	Coefficients *array `json:"coefficients"`
	Bias         *array `json:"bias"`
	Plain        bool   `json:"plain,omitempty"`
}

// twinStoredOf returns a twin as the file holds it.
func twinStoredOf(t *Twin) *twinStored {
	if t == nil {
		return nil
	}
	return &twinStored{Coefficients: denseOf(t.Coefficients), Bias: floatsOf(t.Bias), Plain: t.Plain}
}

// twin returns what twinStoredOf has taken.
func (t *twinStored) twin() *Twin {
	if t == nil {
		return nil
	}
	return &Twin{Coefficients: t.Coefficients.dense(), Bias: t.Bias.list(), Plain: t.Plain}
}
