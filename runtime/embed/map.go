package embed

import (
	"encoding/json"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/hashes"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Map is a feature map. Matrices hold one point a row. Destinations must have the right shape, or the methods
// panic. The methods may be called from several goroutines, and give the same bits for any number of processors.
type Map interface {
	Functions
	// Kernel returns k.
	Kernel() *kernel.Function
	// State returns the map as plain data.
	State() *State
	// Weighted returns x ↦ Vφ(x) for weights V (m×d).
	Weighted(v *mat.Dense) Functions
}

// Functions are d functions of the kernel's space, as the features of a [Map] are, or sums of them.
type Functions interface {
	// Dim returns d.
	Dim() int
	// Features sets row i of dst (n×d) to φ(x_i).
	Features(dst, x *mat.Dense)
	// Derivatives sets row i of dst to Dφ(x_i)[ẋ_i] or D²φ(x_i)[ẋ_i, ẋ_i], by the order of x.
	Derivatives(dst *mat.Dense, x kernel.Argument)
}

// A State is a feature map as plain data, for model files. Kind tells which fields are used.
type State struct {
	Kind   setting.FeatureKind
	Kernel setting.Kernel
	// Nyström has evaluations at the points Landmarks, and derivatives at the points At along the tangents Along. The
	// last Twice of these are second derivatives. Whiten is landmarks × d.
	Landmarks plugins.Matrix
	At, Along plugins.Matrix
	Twice     int
	Whiten    plugins.Matrix

	// Fourier has one frequency a row, and the phases of features without a sine beside the cosine.
	Frequencies plugins.Matrix
	Phases      []float64

	// Hashing has d = 2^Bits, the number of columns, and the seed of places and signs.
	Bits    int
	Columns int
	Seed    uint64
}

// Digest writes all that a map is made of to a hash.
func Digest(w io.Writer, m Map) error {
	s := *m.State()
	numbers := [][]float64{s.Phases}
	s.Phases = nil
	for _, part := range []*plugins.Matrix{&s.Landmarks, &s.At, &s.Along, &s.Whiten, &s.Frequencies} {
		numbers, part.Data = append(numbers, part.Data), nil
	}
	if err := json.NewEncoder(w).Encode(&s); err != nil {
		return err
	}
	for _, part := range numbers {
		hashes.Write(w, part)
	}
	return nil
}

// stateOf returns a dense matrix as plain data, in the same memory if it has no gaps. nil means the empty matrix.
func stateOf(m *mat.Dense) plugins.Matrix {
	if m == nil || m.IsEmpty() {
		return plugins.Matrix{}
	}
	r, c := m.Dims()
	raw := m.RawMatrix()
	// A view of a larger matrix has gaps, which plain data cannot have.
	if raw.Stride != c {
		raw = mat.DenseCopyOf(m).RawMatrix()
	}
	return plugins.Matrix{Rows: r, Cols: c, Data: raw.Data[:r*c]}
}

// denseOf returns plain data as a dense matrix in the same memory, nil if it is empty.
func denseOf(m plugins.Matrix) (*mat.Dense, error) {
	if m.Rows < 0 || m.Cols < 0 || len(m.Data) != m.Rows*m.Cols {
		return nil, fmt.Errorf("features: a matrix %d×%d with %d numbers", m.Rows, m.Cols, len(m.Data))
	}
	if len(m.Data) == 0 {
		return nil, nil //nolint:nilnil // nil is the empty matrix
	}
	return mat.NewDense(m.Rows, m.Cols, m.Data), nil
}

// view returns rows i … k−1 and columns j … l−1 of m, in the same memory.
func view(m *mat.Dense, i, k, j, l int) *mat.Dense {
	return m.Slice(i, k, j, l).(*mat.Dense) //nolint:forcetypeassert // so gonum documents it
}
