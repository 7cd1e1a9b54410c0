package embed

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// fourier holds random Fourier features of a radial kernel (Rahimi and Recht 2007). For frequencies ω drawn from the
// kernel's spectral density, these are the pairs √(2/d)(cos⟨ω, x⟩, sin⟨ω, x⟩). If d is odd, there is one feature
// √(2/d)cos(⟨ω, x⟩ + b) with a random phase b besides.
//
// By Bochner's theorem k(x, x′) = E cos⟨ω, x − x′⟩. So inner products of features have mean k(x, x′), with a standard
// deviation of at most 1/√d. The spectral density is N(0, I/s²) for the gaussian kernel, and the multivariate Cauchy
// density of scale 1/s for the laplacian kernel.
type fourier struct {
	kernel *kernel.Function
	// frequencies are ⌈d/2⌉ × p.
	frequencies *mat.Dense
	// phases is empty or has the phase of the last frequency.
	phases []float64
}

// newFourier draws the frequencies of s.Count features in p columns.
func newFourier(k *kernel.Function, s setting.Features, p int) (Map, error) {
	spec := k.Setting()
	if !spec.Radial() {
		return nil, fmt.Errorf("features fourier: the %s kernel is not a function of x − x′; take gaussian or laplacian, or nystrom features", spec.Kind)
	}
	if s.Count < 1 {
		return nil, fmt.Errorf("features fourier: the count of features is %d; it must be at least 1", s.Count)
	}
	rng := rand.New(rand.NewPCG(s.Seed, streamFourier))
	// A pair needs one frequency, the last feature of an odd count one of its own.
	f := &fourier{kernel: k, frequencies: mat.NewDense((s.Count+1)/2, p, nil)}
	for i := range f.frequencies.RawMatrix().Rows {
		scale := 1 / spec.Width
		if spec.Kind == setting.Laplacian {
			// A normal vector over an independent normal number has the multivariate Cauchy distribution.
			scale /= math.Abs(rng.NormFloat64())
		}
		row := f.frequencies.RawRowView(i)
		for j := range row {
			row[j] = scale * rng.NormFloat64()
		}
	}
	if s.Count%2 == 1 {
		f.phases = []float64{2 * math.Pi * rng.Float64()}
	}
	return f, nil
}

// Dim returns d.
func (f *fourier) Dim() int {
	n, _ := f.frequencies.Dims()
	return 2*n - len(f.phases)
}

// Kernel returns k.
func (f *fourier) Kernel() *kernel.Function { return f.kernel }

// State returns the map as plain data.
func (f *fourier) State() *State {
	return &State{Kind: setting.Fourier, Kernel: f.kernel.Setting(), Frequencies: stateOf(f.frequencies), Phases: f.phases}
}

// fourierFromState makes the map of a state, or returns an error about it.
func fourierFromState(k *kernel.Function, s *State) (Map, error) {
	frequencies, err := denseOf(s.Frequencies)
	if err != nil {
		return nil, err
	}
	if frequencies == nil || len(s.Phases) > 1 {
		return nil, fmt.Errorf("features: state of %d frequencies and %d phases", s.Frequencies.Rows, len(s.Phases))
	}
	return &fourier{kernel: k, frequencies: frequencies, phases: s.Phases}, nil
}

// Weighted returns x ↦ Vφ(x).
func (f *fourier) Weighted(v *mat.Dense) Functions { return &weighted{f, v} }

// Features sets row i of dst to φ(x_i).
func (f *fourier) Features(dst, x *mat.Dense) { f.Derivatives(dst, kernel.At(x)) }

// Derivatives sets dst block by block: first phases ⟨ω, x⟩ and speeds ⟨ω, ẋ⟩ by matrix products, then their waves.
func (f *fourier) Derivatives(dst *mat.Dense, x kernel.Argument) {
	n, _ := x.Points.Dims()
	if r, c := dst.Dims(); n > 0 && (r != n || c != f.Dim()) {
		panic(fmt.Sprintf("embed: destination %d×%d for %d points in %d dimensions", r, c, n, f.Dim())) //nolint:forbidigo // the caller's mistake, as everywhere in gonum
	}
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		part := some(x, lo, hi)
		phases := new(mat.Dense)
		phases.Mul(part.Points, f.frequencies.T())
		speeds := phases // which features themselves do not look at
		if x.Order > 0 {
			speeds = new(mat.Dense)
			speeds.Mul(part.Along, f.frequencies.T())
		}
		parallel.For(hi-lo, 8, func(s, t int) {
			for i := s; i < t; i++ {
				f.waves(dst.RawRowView(lo+i), phases.RawRowView(i), speeds.RawRowView(i), x.Order)
			}
		})
	}
}

// waves sets dst to the features of a point with these ⟨ω, x⟩, or to their derivatives where these move at the speeds
// ⟨ω, ẋ⟩.
func (f *fourier) waves(dst, phases, speeds []float64, order int) {
	scale, pairs := math.Sqrt(2/float64(len(dst))), len(phases)-len(f.phases)
	for k, t := range phases {
		// Without the sine, the random phase keeps the mean: 2 cos(a + b) cos(a′ + b) has the mean cos(a − a′) over b.
		if k >= pairs {
			t += f.phases[k-pairs]
		}
		sin, cos := math.Sincos(t)
		sin, cos = scale*sin, scale*cos
		switch order {
		case 1:
			sin, cos = cos*speeds[k], -sin*speeds[k]
		case 2:
			square := -speeds[k] * speeds[k]
			sin, cos = sin*square, cos*square
		}
		dst[2*k] = cos
		if k < pairs {
			dst[2*k+1] = sin
		}
	}
}
