package embed

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Map is a feature map. Matrices hold one point a row; destinations have the right shape, or the methods panic. The methods
// may be called from several goroutines and give the same bits for any number of processors.
type Map interface {
	// Dim is d.
	Dim() int
	// Features sets row i of dst (n×d) to φ(x_i).
	Features(dst, x *mat.Dense)
	// Derivatives sets row i of dst (n×d) to Dφ(x_i)[ẋ_i] or D²φ(x_i)[ẋ_i, ẋ_i], as the order of x says.
	Derivatives(dst *mat.Dense, x kernel.Argument)
	// Kernel is k.
	Kernel() kernel.Kernel
	// State is the map as plain data.
	State() *State
}

// A State is a feature map as plain data, for model files.
type State struct {
	Kind      setting.FeatureKind
	Kernel    setting.Kernel
	Landmarks plugins.Matrix // Nyström: evaluations at these points …
	At, Along plugins.Matrix // … and derivatives at these points along these tangents …
	Twice     int            // … of which so many, the last, are second derivatives …
	Whiten    plugins.Matrix // … times this matrix, landmarks × d

	Frequencies plugins.Matrix // Fourier: one frequency a row
	Phases      []float64      // Fourier: of the features that have no sine beside the cosine

	Bits    int    // Hashing: d = 2^Bits
	Columns int    // Hashing: number of columns
	Seed    uint64 // Hashing
}

// stateOf is a copy-free view of a dense matrix as plain data; nil is the empty matrix.
func stateOf(m *mat.Dense) plugins.Matrix {
	if m == nil || m.IsEmpty() {
		return plugins.Matrix{}
	}
	r, c := m.Dims()
	raw := m.RawMatrix()
	if raw.Stride != c {
		raw = mat.DenseCopyOf(m).RawMatrix()
	}
	return plugins.Matrix{Rows: r, Cols: c, Data: raw.Data[:r*c]}
}

// denseOf is a copy-free view of plain data as a dense matrix, nil where it is empty.
func denseOf(m plugins.Matrix) (*mat.Dense, error) {
	if m.Rows < 0 || m.Cols < 0 || len(m.Data) != m.Rows*m.Cols {
		return nil, fmt.Errorf("features: a matrix %d×%d with %d numbers", m.Rows, m.Cols, len(m.Data))
	}
	if len(m.Data) == 0 {
		return nil, nil //nolint:nilnil // nil is the empty matrix
	}
	return mat.NewDense(m.Rows, m.Cols, m.Data), nil
}

// view is rows i … k−1 and columns j … l−1 of m, sharing memory.
func view(m *mat.Dense, i, k, j, l int) *mat.Dense {
	return m.Slice(i, k, j, l).(*mat.Dense) //nolint:forcetypeassert // so gonum documents it
}
