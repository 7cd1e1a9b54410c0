package embed

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const (
	blockRows    = 512   // rows of a destination between two matrix products
	panelColumns = 256   // columns of a triangle multiplied at once
	fewPoints    = 1500  // All takes every one of so many points
	mostExact    = 6000  // Exact refuses more rows and derivatives than these
	mostPoints   = 12000 // no Nyström map takes more landmarks: two matrices of this size fill 2.3 GB
	machineEps   = 0x1p-52
)

// nystrom is φ(x) = Wᵀ (k(z_1, x), …, D₂k(x, z_j)[ż_j], …). Its landmarks are elements of the space: evaluations, first and second
// derivatives at points.
type nystrom struct {
	kernel kernel.Kernel
	marks  []kernel.Argument // the landmarks, orders ascending, each at most once
	whiten *mat.Dense        // landmarks × d
	upper  bool              // whiten is upper triangular
}

func (m *nystrom) Dim() int {
	_, d := m.whiten.Dims()
	return d
}

func (m *nystrom) Kernel() kernel.Kernel { return m.kernel }

func (m *nystrom) State() *State {
	s := &State{Kind: setting.Nystrom, Kernel: m.kernel.Setting(), Whiten: stateOf(m.whiten)}
	for _, marks := range m.marks {
		points := stateOf(marks.Points)
		if marks.Order == 0 {
			s.Landmarks = points
			continue
		}
		if marks.Order == 2 {
			s.Twice = points.Rows
		}
		s.At, s.Along = joined(s.At, points), joined(s.Along, stateOf(marks.Along))
	}
	return s
}

// joined is the rows of a, then those of b.
func joined(a, b plugins.Matrix) plugins.Matrix {
	return plugins.Matrix{Rows: a.Rows + b.Rows, Cols: b.Cols, Data: slices.Concat(a.Data, b.Data)}
}

func nystromFromState(k kernel.Kernel, s *State) (Map, error) {
	var parts [4]*mat.Dense
	for i, from := range []plugins.Matrix{s.Landmarks, s.At, s.Along, s.Whiten} {
		var err error
		if parts[i], err = denseOf(from); err != nil {
			return nil, err
		}
	}
	z, at, along, whiten := parts[0], parts[1], parts[2], parts[3]
	if whiten == nil || s.Whiten.Rows != s.Landmarks.Rows+s.At.Rows || s.At.Rows != s.Along.Rows || s.At.Cols != s.Along.Cols ||
		(z != nil && at != nil && s.At.Cols != s.Landmarks.Cols) || s.Twice < 0 || s.Twice > s.At.Rows {
		return nil, fmt.Errorf("features: state of %d landmarks and %d derivatives, %d of them second ones, with %d×%d weights",
			s.Landmarks.Rows, s.At.Rows, s.Twice, s.Whiten.Rows, s.Whiten.Cols)
	}
	m := &nystrom{kernel: k, whiten: whiten}
	if z != nil {
		m.marks = append(m.marks, kernel.At(z))
	}
	once := s.At.Rows - s.Twice
	for order, rows := range [][2]int{{}, {0, once}, {once, s.At.Rows}} {
		if rows[0] < rows[1] {
			m.marks = append(m.marks, some(kernel.Argument{Points: at, Along: along, Order: order}, rows[0], rows[1]))
		}
	}
	m.upper = at == nil && upperTriangular(whiten)
	return m, nil
}

// some are rows lo … hi−1 of an argument, sharing memory.
func some(a kernel.Argument, lo, hi int) kernel.Argument {
	_, p := a.Points.Dims()
	a.Points = view(a.Points, lo, hi, 0, p)
	if a.Order > 0 {
		a.Along = view(a.Along, lo, hi, 0, p)
	}
	return a
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

func (m *nystrom) Features(dst, x *mat.Dense) { m.Derivatives(dst, kernel.At(x)) }

// Derivatives sets dst to the landmarks' values at x, or their derivatives, times the whitening matrix.
func (m *nystrom) Derivatives(dst *mat.Dense, x kernel.Argument) {
	n, _ := x.Points.Dims()
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
		vb := view(values, 0, hi-lo, 0, size)
		m.landmarkValues(vb, some(x, lo, hi))
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

// landmarkValues sets dst (n × landmarks) to the inner products of the landmarks and the representers of f ↦ f(x_i), or of the
// derivatives of f that x says.
func (m *nystrom) landmarkValues(dst *mat.Dense, x kernel.Argument) {
	n, _ := x.Points.Dims()
	first := 0
	for _, marks := range m.marks {
		count, _ := marks.Points.Dims()
		m.kernel.Derived(view(dst, 0, n, first, first+count), x, marks)
		first += count
	}
}

// newNystrom chooses landmarks and whitens them.
func newNystrom(ctx context.Context, k kernel.Kernel, s setting.Features, labels int, points *Points) (Map, error) {
	if s.Rank < 0 || s.Count < 0 {
		return nil, fmt.Errorf("features nystrom: negative rank %d or count %d", s.Rank, s.Count)
	}
	c, err := chooseLandmarks(ctx, k, s, labels, points)
	if err != nil {
		return nil, err
	}
	m := &nystrom{kernel: k, marks: append([]kernel.Argument{kernel.At(c.landmarks)}, c.derived...)}
	if err := m.whitenSpan(ctx); err != nil {
		return nil, err
	}
	if s.Rank > 0 && s.Rank < m.Dim() {
		err = m.lead(ctx, s.Rank, c)
	}
	return m, err
}

// newExact takes the representers of every row, point and derivative as landmarks, so that T loses nothing of them.
func newExact(ctx context.Context, k kernel.Kernel, s setting.Features, points *Points) (Map, error) {
	values, _, derivatives := points.atoms()
	if len(derivatives) > 0 && !k.Differentiable() {
		return nil, fmt.Errorf("features exact: derivatives of f are not bounded under the %s kernel; take another kernel or nystrom features", k.Setting().Kind)
	}
	if size := len(values) + len(derivatives); size > mostExact {
		return nil, fmt.Errorf("features exact: %d different points and %d derivatives are too many, at most %d fit; take nystrom(landmarks = all)",
			len(values), len(derivatives), mostExact)
	}
	m := &nystrom{kernel: k, marks: append([]kernel.Argument{kernel.At(points.Gather(values))}, points.derivatives(derivatives)...)}
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
	size := 0
	for _, marks := range m.marks {
		count, _ := marks.Points.Dims()
		size += count
	}
	out := mat.NewDense(size, size, nil)
	first := 0
	for _, marks := range m.marks {
		count, _ := marks.Points.Dims()
		for lo := 0; lo < count; lo += blockRows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			hi := min(lo+blockRows, count)
			m.landmarkValues(view(out, first+lo, first+hi, 0, size), some(marks, lo, hi))
		}
		first += count
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
		return fmt.Errorf("features: k(x, x) = 0 at every landmark under the %s kernel", m.kernel.Setting())
	}
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return fmt.Errorf("features: k(x, x) overflows under the %s kernel; standardize the features or take another kernel", m.kernel.Setting())
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

// keep reduces the landmarks to the pivots, in the order of their kinds, and sets the whitening matrix to the upper
// triangle inv, whose rows belong to the pivots.
func (m *nystrom) keep(pivots []int, inv blas64.Triangular) {
	var kept []kernel.Argument
	var order []int
	first := 0
	for _, marks := range m.marks {
		count, _ := marks.Points.Dims()
		var own []int
		for i, p := range pivots {
			if p >= first && p < first+count {
				own, order = append(own, p-first), append(order, i)
			}
		}
		first += count
		if len(own) == 0 {
			continue
		}
		marks.Points = pick(marks.Points, own)
		if marks.Order > 0 {
			marks.Along = pick(marks.Along, own)
		}
		kept = append(kept, marks)
	}
	m.marks, m.whiten = kept, mat.NewDense(len(pivots), len(pivots), nil)
	m.upper = len(kept) == 1 && kept[0].Order == 0
	for to, from := range order {
		copy(m.whiten.RawRowView(to)[from:], inv.Data[from*inv.Stride+from:from*inv.Stride+inv.N])
	}
}

// pick is the matrix of these rows.
func pick(m *mat.Dense, rows []int) *mat.Dense {
	_, c := m.Dims()
	out := mat.NewDense(len(rows), c, nil)
	for i, r := range rows {
		out.SetRow(i, m.RawRowView(r))
	}
	return out
}

// lead turns the map to its leading directions: those eigenvectors of (1/n) Σ_i φ(x_i)φ(x_i)ᵀ over the candidates whose
// eigenvalues are largest.
func (m *nystrom) lead(ctx context.Context, rank int, c *candidates) error {
	d := m.Dim()
	w := 1 / float64(len(c.ids))
	moment := blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)}
	features := mat.NewDense(min(len(c.ids), blockRows), d, nil)
	for lo := 0; lo < len(c.ids); lo += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+blockRows, len(c.ids))
		part := view(features, 0, hi-lo, 0, d)
		m.Features(part, c.points.Gather(c.ids[lo:hi]))
		for i := range hi - lo {
			blas64.Scal(math.Sqrt(w), blas64.Vector{N: d, Inc: 1, Data: part.RawRowView(i)})
		}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, part.RawMatrix(), part.RawMatrix(), 1, moment)
	}
	lead, err := leadingVectors(ctx, mat.NewDense(d, d, moment.Data), rank)
	if err != nil {
		return fmt.Errorf("features nystrom: the leading directions of %d: %w", d, err)
	}
	var turned mat.Dense
	turned.Mul(m.whiten, lead)
	m.whiten, m.upper = &turned, false
	return nil
}
