package embed

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// MostBits bounds the dimension of hashed features at about a million.
const MostBits = 20

// hashing is signed feature hashing (Weinberger, Dasgupta, Langford, Smola and Attenberg 2009). Column j is added to
// feature h(j) with the sign ξ(j). The signs cancel collisions on average, so ⟨φ(x), φ(x′)⟩ has mean ⟨x, x′⟩ over the
// seeds. It suits the linear kernel only.
type hashing struct {
	kernel *kernel.Function
	bits   int
	seed   uint64
	// place is h(j), and sign is ξ(j).
	place []int32
	sign  []float64
}

// newHashing draws places and signs of the columns by the seed.
func newHashing(k *kernel.Function, s setting.Features, columns int) (Map, error) {
	if k.Setting().Kind != setting.Linear {
		return nil, fmt.Errorf("features hashing: they stand for the linear kernel, not for %s; write `kernel linear`, or take nystrom or fourier features", k.Setting())
	}
	if s.Bits < 1 || s.Bits > MostBits {
		return nil, fmt.Errorf("features hashing: %d bits; there can be 1 to %d", s.Bits, MostBits)
	}
	h := &hashing{kernel: k, bits: s.Bits, seed: s.Seed, place: make([]int32, columns), sign: make([]float64, columns)}
	for j := range columns {
		// The highest bits choose the place and the lowest the sign, so that the two are independent.
		bits := mix(mix(s.Seed) + uint64(j))
		h.place[j] = int32(bits >> (64 - s.Bits))
		h.sign[j] = 1 - 2*float64(bits&1)
	}
	return h, nil
}

// mix returns the finalizer of SplitMix64 (Steele, Lea and Flood 2014), a bijection whose outputs look random.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Dim returns d = 2^bits.
func (h *hashing) Dim() int { return 1 << h.bits }

// Kernel returns k.
func (h *hashing) Kernel() *kernel.Function { return h.kernel }

// State returns the map as plain data; places and signs follow from the seed.
func (h *hashing) State() *State {
	return &State{Kind: setting.Hashing, Kernel: h.kernel.Setting(), Bits: h.bits, Columns: len(h.place), Seed: h.seed}
}

// Weighted returns x ↦ Vφ(x).
func (h *hashing) Weighted(v *mat.Dense) Functions { return &weighted{h, v} }

// Features sets row i of dst to φ(x_i).
func (h *hashing) Features(dst, x *mat.Dense) { h.Derivatives(dst, kernel.At(x)) }

// Derivatives sets dst to the features of points or tangents, and second derivatives to 0: the map is linear.
func (h *hashing) Derivatives(dst *mat.Dense, x kernel.Argument) {
	of := x.Points
	if x.Order > 0 {
		of = x.Along
	}
	n, p := of.Dims()
	if r, c := dst.Dims(); r != n || c != h.Dim() || p != len(h.place) {
		panic(fmt.Sprintf("embed: destination %d×%d for %d points of %d columns, want %d of %d", r, c, n, p, h.Dim(), len(h.place))) //nolint:forbidigo // the caller's mistake, as everywhere in gonum
	}
	dst.Zero()
	if x.Order > 1 {
		return
	}
	parallel.For(n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			out := dst.RawRowView(i)
			for j, v := range of.RawRowView(i) {
				out[h.place[j]] += h.sign[j] * v
			}
		}
	})
}
