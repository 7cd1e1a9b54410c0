package embed

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	blockRows    = 512   // rows of a destination between two matrix products
	panelColumns = 256   // columns of a triangle multiplied at once
	fewPoints    = 1500  // All takes every one of so many points
	mostExact    = 6000  // Exact refuses more rows and derivatives than these
	mostPoints   = 12000 // no Nyström map takes more landmarks: two matrices of this size fill 2.3 GB
	machineEps   = 0x1p-52
)

// nystrom is φ(x) = Wᵀ (k(z_1, x), …, D₂k(x, z_j)[ż_j], …). Its landmarks are elements of the space: evaluations at the points z and
// derivatives at the points at along the tangents along.
type nystrom struct {
	kernel    kernel.Kernel
	z         *mat.Dense // nil where there are none
	at, along *mat.Dense // nil where there are none
	whiten    *mat.Dense // landmarks × d
	upper     bool       // whiten is upper triangular
}

func (m *nystrom) Dim() int {
	_, d := m.whiten.Dims()
	return d
}

func (m *nystrom) Kernel() kernel.Kernel { return m.kernel }

func (m *nystrom) State() *State {
	return &State{
		Kind: Nystrom, Kernel: m.kernel.Spec(),
		Landmarks: stateOf(m.z), At: stateOf(m.at), Along: stateOf(m.along), Whiten: stateOf(m.whiten),
	}
}

func nystromFromState(k kernel.Kernel, s *State) (Map, error) {
	m := &nystrom{kernel: k}
	for _, part := range []struct {
		to   **mat.Dense
		from *State
		get  func(*State) (*mat.Dense, error)
	}{
		{&m.z, s, func(s *State) (*mat.Dense, error) { return denseOf(s.Landmarks) }},
		{&m.at, s, func(s *State) (*mat.Dense, error) { return denseOf(s.At) }},
		{&m.along, s, func(s *State) (*mat.Dense, error) { return denseOf(s.Along) }},
		{&m.whiten, s, func(s *State) (*mat.Dense, error) { return denseOf(s.Whiten) }},
	} {
		var err error
		if *part.to, err = part.get(part.from); err != nil {
			return nil, err
		}
	}
	if m.whiten == nil || s.Whiten.Rows != s.Landmarks.Rows+s.At.Rows || s.At.Rows != s.Along.Rows || s.At.Cols != s.Along.Cols ||
		(m.z != nil && m.at != nil && s.At.Cols != s.Landmarks.Cols) {
		return nil, fmt.Errorf("features: state of %d landmarks and %d derivatives with %d×%d weights",
			s.Landmarks.Rows, s.At.Rows, s.Whiten.Rows, s.Whiten.Cols)
	}
	m.upper = m.at == nil && upperTriangular(m.whiten)
	return m, nil
}

func upperTriangular(m *mat.Dense) bool {
	r, c := m.Dims()
	for i := range r {
		for _, v := range m.RawRowView(i)[:min(i, c)] {
			if v != 0 {
				return false
			}
		}
	}
	return r == c
}

func (m *nystrom) Features(dst, x *mat.Dense) { m.through(dst, x, nil) }

func (m *nystrom) Derivatives(dst, x, xdot *mat.Dense) { m.through(dst, x, xdot) }

// through sets dst to the landmarks' values at x, or their derivatives along xdot, times the whitening matrix.
func (m *nystrom) through(dst, x, xdot *mat.Dense) {
	n, p := x.Dims()
	if n == 0 {
		return
	}
	size, d := m.whiten.Dims()
	if r, c := dst.Dims(); r != n || c != d {
		panic(fmt.Sprintf("embed: destination %d×%d for %d points in %d dimensions", r, c, n, d)) //nolint:forbidigo // the caller's mistake, as everywhere in gonum
	}
	values := mat.NewDense(min(n, blockRows), size, nil)
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		xb := view(x, lo, hi, 0, p)
		var tb *mat.Dense
		if xdot != nil {
			tb = view(xdot, lo, hi, 0, p)
		}
		vb := view(values, 0, hi-lo, 0, size)
		m.landmarkValues(vb, xb, tb)
		m.whitened(view(dst, lo, hi, 0, d), vb)
	}
}

// whitened sets dst to values times the whitening matrix; of a triangle, only the part that is not zero is multiplied.
func (m *nystrom) whitened(dst, values *mat.Dense) {
	size, d := m.whiten.Dims()
	n, _ := values.Dims()
	step := d
	if m.upper {
		step = panelColumns
	}
	for lo := 0; lo < d; lo += step {
		hi := min(lo+step, d)
		if m.upper {
			size = hi
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, view(values, 0, n, 0, size).RawMatrix(), view(m.whiten, 0, size, lo, hi).RawMatrix(),
			0, view(dst, 0, n, lo, hi).RawMatrix())
	}
}

// landmarkValues sets dst (n × landmarks) to the inner products of the landmarks and the representers of f ↦ f(x_i), or of
// f ↦ Df(x_i)[ẋ_i] unless xdot is nil.
func (m *nystrom) landmarkValues(dst, x, xdot *mat.Dense) {
	n, _ := x.Dims()
	split := 0
	if m.z != nil {
		split, _ = m.z.Dims()
		part := view(dst, 0, n, 0, split)
		if xdot == nil {
			m.kernel.Matrix(part, x, m.z)
		} else {
			m.kernel.Directional(part, x, xdot, m.z)
		}
	}
	if m.at == nil {
		return
	}
	count, _ := m.at.Dims()
	part := view(dst, 0, n, split, split+count)
	if xdot != nil {
		m.kernel.Mixed(part, x, xdot, m.at, m.along)
		return
	}
	turned := mat.NewDense(count, n, nil)
	m.kernel.Directional(turned, m.at, m.along, x)
	part.Copy(turned.T())
}

// newNystrom chooses landmarks and whitens them.
func newNystrom(ctx context.Context, k kernel.Kernel, s Spec, points *Points) (Map, error) {
	if s.Rank < 0 || s.Count < 0 || s.Budget < 0 {
		return nil, fmt.Errorf("features nystrom: negative rank %d, count %d or budget %d", s.Rank, s.Count, s.Budget)
	}
	c, err := chooseLandmarks(ctx, k, s, points)
	if err != nil {
		return nil, err
	}
	m := &nystrom{kernel: k, z: c.landmarks, at: c.at, along: c.along}
	if err := m.whitenSpan(ctx); err != nil {
		return nil, err
	}
	if s.Rank > 0 && s.Rank < m.Dim() {
		err = m.lead(ctx, s.Rank, c)
	}
	return m, err
}

// newExact takes the representers of every row, point and derivative as landmarks, so that T loses nothing of them.
func newExact(ctx context.Context, k kernel.Kernel, s Spec, points *Points) (Map, error) {
	values, _, derivatives := points.atoms()
	if len(derivatives) > 0 && !k.Differentiable() {
		return nil, fmt.Errorf("features exact: derivatives of f are not bounded under the %s kernel; take another kernel or nystrom features", k.Spec().Kind)
	}
	if size := len(values) + len(derivatives); size > mostExact {
		return nil, fmt.Errorf("features exact: %d different points and %d derivatives are too many, at most %d fit; take nystrom(landmarks = all)",
			len(values), len(derivatives), mostExact)
	}
	m := &nystrom{kernel: k, z: points.Gather(values)}
	m.at, m.along = points.derivatives(derivatives)
	if err := m.whitenSpan(ctx); err != nil {
		return nil, err
	}
	if s.Rank > 0 && s.Rank < m.Dim() {
		if err := m.lead(ctx, s.Rank, &candidates{points: points, ids: values}); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// gram sets up the Gram matrix of the landmarks.
func (m *nystrom) gram(ctx context.Context) (*mat.Dense, error) {
	nz, na := 0, 0
	if m.z != nil {
		nz, _ = m.z.Dims()
	}
	if m.at != nil {
		na, _ = m.at.Dims()
	}
	out := mat.NewDense(nz+na, nz+na, nil)
	for _, half := range []struct {
		first, count int
		x, xdot      *mat.Dense
	}{{0, nz, m.z, nil}, {nz, na, m.at, m.along}} {
		for lo := 0; lo < half.count; lo += blockRows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			hi := min(lo+blockRows, half.count)
			_, p := half.x.Dims()
			var tb *mat.Dense
			if half.xdot != nil {
				tb = view(half.xdot, lo, hi, 0, p)
			}
			m.landmarkValues(view(out, half.first+lo, half.first+hi, 0, nz+na), view(half.x, lo, hi, 0, p), tb)
		}
	}
	return out, nil
}

// whitenSpan keeps the landmarks that pivoted Cholesky finds independent to rounding, and sets W = L⁻ᵀ, PᵀKP = LLᵀ. The
// kernel is not changed: what is left out lies in the span of what stays, up to n·4ε of the largest k(z, z).
func (m *nystrom) whitenSpan(ctx context.Context) error {
	gram, err := m.gram(ctx)
	if err != nil {
		return err
	}
	n, _ := gram.Dims()
	largest := 0.0
	for i := range n {
		largest = max(largest, gram.At(i, i))
	}
	if largest == 0 {
		return fmt.Errorf("features: k(x, x) = 0 at every landmark under the %s kernel", m.kernel.Spec())
	}
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return fmt.Errorf("features: k(x, x) overflows under the %s kernel; standardize the features or take another kernel", m.kernel.Spec())
	}
	pivots := make([]int, n)
	raw := gram.RawMatrix()
	var u blas64.Triangular
	var rank int
	inverted := false
	err = parallel.Await(ctx, func() {
		u, rank, _ = lapack64.Pstrf(blas64.Symmetric{N: n, Stride: raw.Stride, Data: raw.Data, Uplo: blas.Upper},
			pivots, 4*machineEps*float64(n)*largest, make([]float64, 2*n))
		u.N, u.Diag = rank, blas.NonUnit
		inverted = lapack64.Trtri(u)
	})
	if err != nil {
		return err
	}
	if !inverted {
		return fmt.Errorf("features: the Gram matrix of %d landmarks cannot be inverted", n)
	}
	m.keep(pivots[:rank], u)
	return nil
}

// keep reduces the landmarks to the pivots, values before derivatives, and sets the whitening matrix to the upper
// triangle inv, whose rows belong to the pivots.
func (m *nystrom) keep(pivots []int, inv blas64.Triangular) {
	nz := 0
	if m.z != nil {
		nz, _ = m.z.Dims()
	}
	var values, derivatives, order []int
	for i, p := range pivots {
		if p < nz {
			values, order = append(values, p), append(order, i)
		}
	}
	for i, p := range pivots {
		if p >= nz {
			derivatives, order = append(derivatives, p-nz), append(order, i)
		}
	}
	m.z, m.at, m.along = pick(m.z, values), pick(m.at, derivatives), pick(m.along, derivatives)
	m.whiten, m.upper = mat.NewDense(len(pivots), len(pivots), nil), len(derivatives) == 0
	for to, from := range order {
		copy(m.whiten.RawRowView(to)[from:], inv.Data[from*inv.Stride+from:from*inv.Stride+inv.N])
	}
}

// pick is the matrix of these rows; nil where there are none.
func pick(m *mat.Dense, rows []int) *mat.Dense {
	if len(rows) == 0 {
		return nil
	}
	_, c := m.Dims()
	out := mat.NewDense(len(rows), c, nil)
	for i, r := range rows {
		out.SetRow(i, m.RawRowView(r))
	}
	return out
}
